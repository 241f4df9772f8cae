/* The seven-level generator, compared with an independent walk. The walk counts the squares that
 * each level tests, accepts without a test, passes, and passes in vain. The walk evaluates edge
 * functions at pixel centers, with and without the bounding box, and with and without trivial
 * accept. */
#include "rigs/rig.h"

#include <stdio.h>

enum { LEVELS = 7 };

struct corner {
    double x, y;
};

struct walk {
    const struct corner *corners; /* three corners, in the order that makes the inside positive */
    uint32_t box_levels;          /* levels that test the box; bit 0: level 1 */
    bool use_accept, start_by_box;
    uint32_t size;                           /* of the surface in pixels */
    double first_x, last_x, first_y, last_y; /* range of pixels whose centers are in the box */
    bool ties; /* an edge passes through a center, so a tie rule would be needed */
    uint64_t tested[LEVELS], accepted[LEVELS], passed[LEVELS], in_vain[LEVELS];
};

static double
edge(const struct corner *from, const struct corner *to, double x, double y)
{
    return (to->x - from->x) * (y - from->y) - (to->y - from->y) * (x - from->x);
}

static double
lower(double a, double b)
{
    return a < b ? a : b;
}

static double
higher(double a, double b)
{
    return a > b ? a : b;
}

/* Returns whether some pixel of the square is on the inner side of the edge. A linear function has
 * its maximum over a square at a corner. */
static bool
passes(struct walk *walk, bool use_box, uint32_t x, uint32_t y, uint32_t size)
{
    if (use_box && (walk->last_x < x || walk->first_x >= x + size || walk->last_y < y ||
                    walk->first_y >= y + size))
        return false;
    for (uint32_t e = 0; e < 3; e++) {
        double highest = -1e9;
        for (uint32_t c = 0; c < 4; c++)
            highest = higher(highest,
                             edge(&walk->corners[e], &walk->corners[(e + 1) % 3],
                                  x + (c & 1) * (size - 1) + 0.5, y + (c >> 1) * (size - 1) + 0.5));
        walk->ties |= highest == 0;
        if (highest < 0)
            return false;
    }
    return true;
}

/* Returns whether all pixels of the square are inside all edges and, with `use_box`, in the box. */
static bool
is_inside(const struct walk *walk, bool use_box, uint32_t x, uint32_t y, uint32_t size)
{
    if (use_box && (walk->first_x > x || walk->last_x < x + size - 1 || walk->first_y > y ||
                    walk->last_y < y + size - 1))
        return false;
    for (uint32_t py = y; py < y + size; py++)
        for (uint32_t px = x; px < x + size; px++)
            for (uint32_t e = 0; e < 3; e++)
                if (edge(&walk->corners[e], &walk->corners[(e + 1) % 3], px + 0.5, py + 0.5) < 0)
                    return false;
    return true;
}

static bool
is_covered(const struct walk *walk, uint32_t x, uint32_t y)
{
    if (x >= walk->size || y >= walk->size)
        return false;
    for (uint32_t e = 0; e < 3; e++)
        if (edge(&walk->corners[e], &walk->corners[(e + 1) % 3], x + 0.5, y + 0.5) < 0)
            return false;
    return true;
}

/* Finds the bounding box, in whole pixels, of the triangle's part on the surface. */
static void
find_box(struct walk *walk)
{
    walk->first_x = walk->first_y = SIZE;
    walk->last_x = walk->last_y = 0;
    for (uint32_t v = 0; v < 3; v++) {
        walk->first_x = lower(walk->first_x, walk->corners[v].x - 0.5);
        walk->first_y = lower(walk->first_y, walk->corners[v].y - 0.5);
        walk->last_x = higher(walk->last_x, walk->corners[v].x - 0.5);
        walk->last_y = higher(walk->last_y, walk->corners[v].y - 0.5);
    }
    walk->first_x = higher(walk->first_x, 0);
    walk->first_y = higher(walk->first_y, 0);
    walk->last_x = lower(walk->last_x, walk->size - 1);
    walk->last_y = lower(walk->last_y, walk->size - 1);
    /* round the first pixel up, and the last one down */
    walk->first_x = (uint32_t)walk->first_x + (walk->first_x > (uint32_t)walk->first_x);
    walk->first_y = (uint32_t)walk->first_y + (walk->first_y > (uint32_t)walk->first_y);
    walk->last_x = (uint32_t)walk->last_x;
    walk->last_y = (uint32_t)walk->last_y;
}

/* Splits a square. Returns whether a pixel of it is covered. */
static bool
split(struct walk *walk, uint32_t level, uint32_t x, uint32_t y, uint32_t size, bool accepted)
{
    bool any = false;
    for (uint32_t child = 0; child < 4; child++) {
        const uint32_t cx = x + (child & 1) * size / 2, cy = y + (child >> 1) * size / 2;
        *(accepted ? &walk->accepted[level] : &walk->tested[level]) += 1;
        if (!accepted && !passes(walk, walk->box_levels >> level & 1, cx, cy, size / 2))
            continue;
        walk->passed[level]++;
        const bool box_follows = walk->box_levels >> (level + 1);
        const bool inside =
            accepted || (walk->use_accept && is_inside(walk, box_follows, cx, cy, size / 2));
        const bool covered =
            size == 2 ? is_covered(walk, cx, cy) : split(walk, level + 1, cx, cy, size / 2, inside);
        walk->in_vain[level] += !covered;
        any |= covered;
    }
    return any;
}

static void
assert_level(const struct rig *rig, uint32_t level, const char *what, uint64_t expected)
{
    char name[40];
    snprintf(name, sizeof name, "fraggen.level%u_%s", level + 1, what);
    rig_assert_figure(rig, name, expected);
}

static uint64_t
state_of_level(const struct rig *rig, uint32_t level, const char *state)
{
    char name[40];
    snprintf(name, sizeof name, "level%u.%s_cycles", level + 1, state);
    return rig_figure(rig, name);
}

static void
assert_states(const struct rig *rig, uint32_t level, uint64_t busy)
{
    assert_int_equal(state_of_level(rig, level, "busy"), busy);
    assert_int_equal(busy + state_of_level(rig, level, "starved") +
                         state_of_level(rig, level, "blocked"),
                     rig_figure(rig, "cycles"));
    assert_int_equal(state_of_level(rig, level, "waiting"), 0);
}

static void
draw(struct rig *rig, const struct corner corners[3])
{
    float vertices[3][4];
    for (uint32_t v = 0; v < 3; v++) {
        vertices[v][0] = (float)(corners[v].x / (rig->size / 2) - 1);
        vertices[v][1] = (float)(corners[v].y / (rig->size / 2) - 1);
        vertices[v][2] = 0;
        vertices[v][3] = 1;
    }
    rig_upload(rig, RES_VERTICES, vertices, sizeof vertices);
    rig_draw(rig, PRIM_TRIANGLES, 3, 0);
    rig_swap(rig);
}

/* Walks the squares of the triangle, which may start at a later level than level 1. Sets the number
 * of squares that start at each level. */
static void
walk_triangle(struct walk *walk, uint32_t starts[LEVELS])
{
    const double width = walk->last_x - walk->first_x + 1;
    const double height = walk->last_y - walk->first_y + 1;
    uint32_t level = 0, size = 128;
    while (walk->start_by_box && size > 8 && width <= size / 2 && height <= size / 2) {
        size /= 2;
        level++;
    }
    for (uint32_t y = (uint32_t)walk->first_y / size * size; y <= walk->last_y; y += size)
        for (uint32_t x = (uint32_t)walk->first_x / size * size; x <= walk->last_x; x += size) {
            split(walk, level, x, y, size, false);
            starts[level]++;
        }
}

static void
compare(struct walk walk)
{
    struct rig *rig = rig_create();
    rig->size = walk.size;
    rig->params.RASTERIZER.Generator = GENERATOR_seven_level;
    rig->params.RASTERIZER.BoundingBoxTest = walk.box_levels != 0;
    rig->params.RASTERIZER.BoundingBoxLevels = walk.box_levels ? walk.box_levels : 127;
    rig->params.RASTERIZER.TrivialAccept = walk.use_accept;
    rig->params.RASTERIZER.StartByBox = walk.start_by_box;
    rig_start(rig);
    uint32_t starts[LEVELS] = {0};
    find_box(&walk);
    walk_triangle(&walk, starts);
    assert_false(walk.ties);
    draw(rig, walk.corners);
    for (uint32_t level = 0; level < LEVELS; level++) {
        assert_level(rig, level, "tested", walk.tested[level]);
        if (level > 0)
            assert_level(rig, level, "accepted", walk.accepted[level]);
        assert_level(rig, level, "passed", walk.passed[level]);
        assert_level(rig, level, "in_vain", walk.in_vain[level]);
        /* A level is busy for one cycle per square. Level 7 takes the blocks of level 6. */
        const uint32_t before = level == LEVELS - 1 ? level - 2 : level - 1;
        assert_states(rig, level, starts[level] + (level ? walk.passed[before] : 0));
    }
    rig_assert_figure(rig, "fraggen.fragments", walk.passed[6] - walk.in_vain[6]);
    rig_destroy(rig);
}

static void
compare_tests(const struct corner corners[3], uint32_t size)
{
    static const uint32_t box_levels[] = {0, 127, 1 << 3, 1 << 4 | 1 << 6};
    for (uint32_t i = 0; i < 2 * sizeof box_levels / sizeof box_levels[0]; i++)
        compare((struct walk){.corners = corners,
                              .size = size,
                              .box_levels = box_levels[i / 2],
                              .use_accept = i & 1});
    for (uint32_t use_box = 0; use_box < 2; use_box++)
        compare((struct walk){.corners = corners,
                              .size = size,
                              .box_levels = use_box ? 127 : 0,
                              .use_accept = true,
                              .start_by_box = true});
}

/* All coordinates are odd multiples of 1/8, which the machine's units of 1/256 pixel represent
 * exactly. So no edge passes through a pixel center. */
static void
slivers_and_others(void **state)
{
    static const struct corner triangles[][3] = {
        {{1.125, 1.375}, {60.125, 52.375}, {52.625, 60.125}},   /* thin, along the diagonal */
        {{2.375, 20.125}, {62.625, 21.375}, {62.125, 22.875}},  /* a sliver along x */
        {{33.375, 1.125}, {36.125, 62.375}, {33.875, 63.125}},  /* a sliver along y */
        {{10.125, 10.625}, {55.375, 13.125}, {20.625, 50.375}}, /* a compact triangle */
        {{17.125, 17.375}, {19.625, 18.125}, {17.875, 19.875}}, /* a small triangle */
    };
    (void)state;
    for (uint32_t t = 0; t < sizeof triangles / sizeof triangles[0]; t++)
        compare_tests(triangles[t], SIZE);
}

/* The triangle extends beyond a surface of 44x44 pixels, whose edges cut squares of all sizes above
 * 4 pixels. A square inside all edges can be partly outside the bounding box, or completely. */
static void
triangle_beyond_the_surface(void **state)
{
    static const struct corner beyond[3] = {{-9.125, -5.375}, {120.625, 3.125}, {2.125, 110.375}};
    (void)state;
    compare_tests(beyond, 44);
}

/* States that the view has shown, in cycles, and the counts in the first of these cycles. */
struct seen {
    uint64_t cycles[LEVELS][UNIT_STATES], before[LEVELS][UNIT_STATES];
    bool begun;
};

/* Counts the states that the view shows. Checks that its counts contain all earlier cycles. */
static void
count_states(void *data, uint64_t now)
{
    const struct rig *rig = data;
    struct seen *seen = rig->data;
    const struct module *fraggen = &rig_machine(rig)->fraggen->module;
    module_view(fraggen, now);
    assert_int_equal(fraggen->part_count, LEVELS);
    for (uint32_t level = 0; level < LEVELS; level++) {
        const struct module_part *part = &fraggen->parts[level];
        if (!seen->begun)
            memcpy(seen->before[level], part->cycles, sizeof part->cycles);
        for (uint32_t s = 0; s < UNIT_STATES; s++)
            assert_int_equal(part->cycles[s], seen->before[level][s] + seen->cycles[level][s]);
        seen->cycles[level][part->state]++;
    }
    seen->begun = true;
}

/* The states that the view shows in each cycle add up to the counts at the end of the frame. The
 * tiles leave late, because only one quad per cycle is tested, so the levels wait. */
static void
states_of_each_cycle(void **state)
{
    static const struct corner corners[3] = {{1.125, 1.375}, {60.125, 52.375}, {20.625, 63.125}};
    (void)state;
    for (uint32_t queue_size = 4; queue_size <= 16; queue_size *= 2) {
        struct rig *rig = rig_create();
        rig->params.RASTERIZER.Generator = GENERATOR_seven_level;
        rig->params.RASTERIZER.LevelQueueSize = queue_size;
        rig->params.RASTERIZER.StampsPerCycle = 1;
        rig_start(rig);
        struct seen *seen = rig->data = calloc(1, sizeof *seen);
        struct clock *clock = &rig_machine(rig)->clock;
        clock->sleepless = true; /* observers see all cycles */
        clock_observe(clock, (struct clock_observer){count_states, rig, 0, CYCLE_NEVER});
        draw(rig, corners);
        clock_unobserve(clock, rig);
        for (uint32_t level = 0; level < LEVELS; level++)
            for (uint32_t s = 0; s < UNIT_STATES; s++)
                assert_int_equal(seen->cycles[level][s],
                                 state_of_level(rig, level, unit_state_names[s]));
        assert_true(seen->cycles[4][UNIT_BLOCKED] > 0);
        rig_destroy(rig);
    }
}

/* One triangle covers the surface, and Hierarchical Z drops its tiles, so that no later unit limits
 * the rate. With queues of four squares, level 5 takes a tile every five cycles
 * (test_fixed_function_timing.c). So level 5 is idle for 4 cycles before each of its 64 tiles,
 * except the first. Level 4 takes a square one cycle after level 5 took the fourth tile of the
 * previous square, so every 20 cycles. Level 5 took the first tile one cycle after level 4 took its
 * first square. So level 4 is idle for 16 cycles before its second square, and for 19 cycles before
 * each of the other 14. A square arrives two cycles after a level took the last of four. So one of
 * the idle cycles is starved, once per four squares. The other idle cycles are blocked. */
static void
levels_without_room(void **state)
{
    (void)state;
    struct rig *rig = rig_create();
    rig->params.RASTERIZER.Generator = GENERATOR_seven_level;
    rig->params.RASTERIZER.LevelQueueSize = 4;
    rig_start(rig);
    rig_upload_corner(rig, 2 * SIZE, 0);
    rig_clear(rig, MASK_DEPTH, 0);
    rig_draw(rig, PRIM_TRIANGLES, 3, 0);
    rig_swap(rig);
    assert_states(rig, 4, 64);
    assert_int_equal(state_of_level(rig, 4, "blocked"), 63 * 4 - 15);
    assert_states(rig, 3, 16);
    assert_int_equal(state_of_level(rig, 3, "blocked"), 16 + 14 * 19 - 3);
    for (uint32_t level = 5; level < LEVELS; level++) {
        assert_states(rig, level, 256);
        assert_int_equal(state_of_level(rig, level, "blocked"), 0);
    }
    rig_destroy(rig);
}

/* Work of the other generators up to the scan tiles that they find. */
struct search {
    uint64_t split, tested, scan_tested, scan_tiles, fragments;
};

static void
test_scan_tile(struct walk *walk, uint32_t x, uint32_t y, uint32_t size, struct search *search)
{
    search->scan_tested++;
    if (!passes(walk, true, x, y, size))
        return;
    search->scan_tiles++;
    for (uint32_t py = y; py < y + size; py++)
        for (uint32_t px = x; px < x + size; px++)
            search->fragments += is_covered(walk, px, py);
}

static void
recurse(struct walk *walk, uint32_t x, uint32_t y, uint32_t size, uint32_t scan,
        struct search *search)
{
    if (size == scan) {
        test_scan_tile(walk, x, y, size, search);
        return;
    }
    search->split++;
    for (uint32_t child = 0; child < 4; child++) {
        const uint32_t cx = x + (child & 1) * size / 2, cy = y + (child >> 1) * size / 2;
        search->tested += size / 2 != scan;
        if (size / 2 == scan || passes(walk, true, cx, cy, size / 2))
            recurse(walk, cx, cy, size / 2, scan, search);
    }
}

static void
compare_search(struct walk *walk, uint32_t generator, uint32_t scan)
{
    struct search search = {0};
    struct rig *rig = rig_create();
    rig->params.RASTERIZER.Generator = generator;
    rig->params.RASTERIZER.ScanWidth = rig->params.RASTERIZER.ScanHeight = scan;
    rig_start(rig);
    const uint32_t x = (uint32_t)walk->first_x / scan * scan;
    const uint32_t y = (uint32_t)walk->first_y / scan * scan;
    if (generator == GENERATOR_scan) { /* tests all scan tiles of the box */
        for (uint32_t sy = y; sy <= walk->last_y; sy += scan)
            for (uint32_t sx = x; sx <= walk->last_x; sx += scan)
                test_scan_tile(walk, sx, sy, scan, &search);
    } else { /* starts with the smallest aligned square around the box */
        uint32_t size = scan;
        while ((uint32_t)walk->first_x / size != (uint32_t)walk->last_x / size ||
               (uint32_t)walk->first_y / size != (uint32_t)walk->last_y / size)
            size *= 2;
        recurse(walk, (uint32_t)walk->first_x / size * size, (uint32_t)walk->first_y / size * size,
                size, scan, &search);
    }
    draw(rig, walk->corners);
    rig_assert_figure(rig, "fraggen.squares_split", search.split);
    rig_assert_figure(rig, "fraggen.squares_tested", search.tested);
    rig_assert_figure(rig, "fraggen.scan_tiles_tested", search.scan_tested);
    rig_assert_figure(rig, "fraggen.scan_tiles", search.scan_tiles);
    rig_assert_figure(rig, "fraggen.fragments", search.fragments);
    rig_destroy(rig);
}

/* Returns an odd multiple of 1/8, below 64. */
static double
coordinate(uint32_t *random)
{
    *random = *random * 1664525 + 1013904223;
    return (*random >> 24) / 4.0 + 0.125;
}

/* Orders the corners so that the inside is positive, then compares. Returns false for a triangle
 * without pixels, or with an edge through a pixel center. */
static bool
compare_searches(struct corner corners[3])
{
    const double area = edge(&corners[0], &corners[1], corners[2].x, corners[2].y);
    if (area < 0) {
        const struct corner other = corners[1];
        corners[1] = corners[2];
        corners[2] = other;
    }
    struct walk walk = {.corners = corners, .size = SIZE};
    find_box(&walk);
    for (uint32_t y = 0; y < SIZE; y++)
        for (uint32_t x = 0; x < SIZE; x++)
            passes(&walk, true, x, y, 1);
    if (walk.ties || area == 0 || walk.last_x < walk.first_x || walk.last_y < walk.first_y)
        return false;
    for (uint32_t scan = 4; scan <= 16; scan *= 2) {
        compare_search(&walk, GENERATOR_scan, scan);
        compare_search(&walk, GENERATOR_recursive, scan);
    }
    return true;
}

/* Compares random triangles, every other one thin. The fixed triangles are thin, and the last
 * square that is split contains no pixel. */
static void
searches(void **state)
{
    enum { TRIANGLES = 60 };
    static const struct corner ends_empty[][3] = {
        {{0.875, 27.375}, {48.875, 39.875}, {48.375, 40.125}},
        {{56.125, 49.375}, {48.125, 22.125}, {49.125, 21.625}},
        {{47.625, 36.125}, {48.875, 7.125}, {49.375, 7.875}},
    };
    struct corner corners[3];
    uint32_t random = 1, compared = 0;
    (void)state;
    for (size_t t = 0; t < sizeof ends_empty / sizeof ends_empty[0]; t++) {
        memcpy(corners, ends_empty[t], sizeof corners);
        compared += compare_searches(corners);
    }
    for (uint32_t t = 0; t < TRIANGLES; t++) {
        for (uint32_t v = 0; v < 3; v++)
            corners[v] = (struct corner){coordinate(&random), coordinate(&random)};
        if (t % 2) {
            corners[2].x = corners[1].x > 60 ? corners[1].x - 1.5 : corners[1].x + 1.5;
            corners[2].y = corners[1].y > 60 ? corners[1].y - 0.75 : corners[1].y + 0.75;
        }
        compared += compare_searches(corners);
    }
    assert_true(compared > TRIANGLES / 2);
}

/* The other generators skip generation tiles that a triangle does not touch. In this scan tile of
 * 16x16 they skip three generation tiles. The triangle is in the one after them. */
static void
steps_of_a_scan_tile(void **state)
{
    static const uint32_t generators[] = {GENERATOR_scan, GENERATOR_recursive};
    static const float corners[3][4] = {{-1 + 9 / 32.0f, -1 + 9 / 32.0f, 0, 1},
                                        {-1 + 15 / 32.0f, -1 + 9 / 32.0f, 0, 1},
                                        {-1 + 9 / 32.0f, -1 + 15 / 32.0f, 0, 1}};
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        struct rig *rig = rig_create();
        rig->params.RASTERIZER.Generator = generators[i];
        rig_start(rig);
        rig_upload(rig, RES_VERTICES, corners, sizeof corners);
        rig_draw(rig, PRIM_TRIANGLES, 3, 0);
        rig_swap(rig);
        rig_assert_figure(rig, "fraggen.fragments", 5 * 6 / 2);
        rig_assert_figure(rig, "fraggen.steps", 1);
        rig_assert_figure(rig, "fraggen.steps_empty", 0);
        rig_destroy(rig);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slivers_and_others),
        cmocka_unit_test(triangle_beyond_the_surface),
        cmocka_unit_test(states_of_each_cycle),
        cmocka_unit_test(levels_without_room),
        cmocka_unit_test(searches),
        cmocka_unit_test(steps_of_a_scan_tile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
