/* The seven-level generator (docs/design/rasterizer.md, Seven levels).
 *
 * Level 1 splits squares of 128x128 pixels into squares of 64x64, level 2 splits those into 32x32,
 * and so on. Level 5 splits 8x8 tiles into 4x4 blocks. Levels 6 and 7 compute the coverage of a
 * block. Every level takes one square (levels 6 and 7: one block) per cycle. It passes on the
 * children that the triangle may cover: no edge rejects the child by its corner. With the box test,
 * the bounding box must also touch the child.
 *
 * With StartByBox, a triangle starts with the smallest squares that are as large as its bounding
 * box, at the level that splits them. The box then touches at most 2x2 of them. Each of these
 * squares joins the queue before that level, whether or not the queue has room.
 *
 * With trivial accept, a child inside all edges is accepted. Later levels pass on all parts of an
 * accepted square without a test. With the box test, an accepted square must also be inside the
 * bounding box, which a scissor or the viewport may limit. Otherwise its parts still need that
 * test. An accepted square saves tests, but no cycles. Level 7 delivers one block per cycle, so the
 * levels before it must split the square anyway. Larrabee's rasterizer stops its descent at such a
 * square and bins it whole (Abrash, "Rasterization on Larrabee"). That saves instructions of a
 * program. Here it would save at most the latency of the levels.
 *
 * A level processes its squares in order of arrival. The cycle of each square therefore depends on
 * three conditions. Its parent must have been split. The level must be free. The queue after the
 * level (LevelQueueSize) must have room for all children. Level 7 keeps the blocks of a tile until
 * the tile leaves.
 *
 * Each level counts the children that it tested, passed without a test (accepted), and passed in
 * all. It also counts children passed in vain, which have no covered pixel.
 *
 * Each level is a part of the unit (struct module_part). A level is BUSY in the cycle in which it
 * takes a square, BLOCKED while its next square waits for room or for the previous tile to leave,
 * and STARVED otherwise. The generator computes cycles late: it searches the next tile when the
 * previous one has left. The view therefore continues the search on a copy, up to the cycle in
 * question. Events before that cycle do not depend on anything after it. */
#include "unit/raster/generator.h"

#include "base/mem.h"
#include "unit/watch.h"

#include <string.h>

/* RECORDS: number of squares per level whose cycles can still be corrected, because they come after
 * a view */
enum { LEVELS = WATCH_LEVELS, ROOT_SIZE = 128, RECORDS = 256 };

struct square { /* a square that is being split */
    int32_t x, y, size;
    uint32_t level, child; /* level that splits it; its next child */
    uint64_t cycle;        /* cycle in which its children left the level */
    bool covered;          /* at least one of its pixels is covered */
    bool accepted;         /* its children pass without a test */
};

/* A square that a level took. `idle` is the first cycle after the previous square. */
struct record {
    uint64_t idle, arrival, start;
};

struct levels {
    uint32_t box_levels; /* levels that test the bounding box; bit 0: level 1 */
    bool use_accept;     /* parts of a square inside all edges pass without a test */
    bool start_by_box;   /* the size of the first squares depends on the bounding box */
    const struct triangle *triangle;
    struct watch *watch;    /* NULL: the triangle is not followed */
    int32_t root_x, root_y; /* the next of the triangle's first squares */
    int32_t root_size;      /* their size, and the level that splits them */
    uint32_t root_level;
    struct square stack[LEVELS];
    uint32_t depth;
    /* cycle in which each level can take a square; [0] is unused */
    uint64_t free_cycle[LEVELS + 1];
    uint32_t queue_size;
    uint32_t ring_size;         /* number of the last squares that are kept per level */
    uint64_t taken[LEVELS + 1]; /* number of squares taken so far */
    uint64_t start_cycle;
    uint64_t horizon; /* squares that start in this cycle or later are not searched */
    /* cycles of each level up to its last square */
    uint64_t cycles[LEVELS + 1][UNIT_STATES];
    /* the current tile, which has a covered pixel */
    bool has_tile;
    int32_t tile_x, tile_y;
    uint64_t tile_cycle;     /* cycle in which its last 4x4 block is complete */
    struct record records[]; /* a ring per level */
};

/* The generator's state, and the copy on which a view continues. */
struct search {
    struct levels *levels, *copy;
    size_t bytes; /* of each of the two */
    struct module_part parts[LEVELS];
};

static struct levels *
levels_of(const struct fraggen *fraggen)
{
    return ((const struct search *)fraggen->walk)->levels;
}

static struct record *
record_at(struct levels *levels, uint32_t level, uint64_t square)
{
    return &levels->records[(level - 1) * levels->ring_size + square % levels->ring_size];
}

static void
create(struct fraggen *fraggen, const struct params *params)
{
    const uint32_t size = params->RASTERIZER.LevelQueueSize, ring_size = size + RECORDS;
    const size_t bytes = sizeof(struct levels) + LEVELS * ring_size * sizeof(struct record);
    struct search *search = mem_alloc(sizeof *search + 2 * bytes);
    struct levels *levels = (struct levels *)(search + 1);
    search->levels = levels;
    search->copy = (struct levels *)((char *)levels + bytes);
    search->bytes = bytes;
    levels->box_levels =
        params->RASTERIZER.BoundingBoxTest ? params->RASTERIZER.BoundingBoxLevels : 0;
    levels->start_by_box = params->RASTERIZER.StartByBox;
    levels->use_accept = params->RASTERIZER.TrivialAccept;
    levels->queue_size = size;
    levels->ring_size = ring_size;
    levels->horizon = CYCLE_NEVER;
    for (uint32_t i = 0; i < LEVELS; i++) {
        snprintf(search->parts[i].name, sizeof search->parts[i].name, "level%u", i + 1);
        search->parts[i].depth = size;
    }
    fraggen->walk = search;
    fraggen->module.parts = search->parts;
    fraggen->module.part_count = LEVELS;
}

/* First cycle in which the queue before the level has room for `room` more squares. By then, the
 * level has taken all earlier squares except the last queue_size - room. */
static uint64_t
has_room(struct levels *levels, uint32_t level, uint32_t room)
{
    const uint64_t stay = levels->queue_size - room, taken = levels->taken[level];
    return taken > stay ? record_at(levels, level, taken - 1 - stay)->start + 1 : 0;
}

static uint64_t
later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Splits a square that arrived at `cycle`. Returns the cycle in which its children leave the
 * level. */
static uint64_t
split(struct levels *levels, uint32_t level, uint64_t cycle)
{
    const uint64_t room = level < LEVELS ? has_room(levels, level + 1, level < 6 ? 4 : 1) : 0;
    const uint64_t start = later(later(cycle, levels->free_cycle[level]), room);
    const uint64_t count = levels->taken[level]++;
    const uint64_t idle = count ? record_at(levels, level, count - 1)->start + 1 : 0;
    *record_at(levels, level, count) = (struct record){idle, cycle, start};
    levels->cycles[level][UNIT_STARVED] += later(cycle, idle) - idle;
    levels->cycles[level][UNIT_BLOCKED] += start - later(cycle, idle);
    levels->cycles[level][UNIT_BUSY]++;
    if (levels->watch)
        watch_level(levels->watch, level, start);
    return levels->free_cycle[level] = start + 1;
}

static enum square_coverage
test(const struct levels *levels, uint32_t level, int32_t x, int32_t y, int32_t size)
{
    const struct triangle *t = levels->triangle;
    if ((levels->box_levels >> (level - 1) & 1) && !raster_box_touches(t, x, y, size))
        return SQUARE_OUTSIDE;
    const enum square_coverage coverage = raster_square(t, x, y, size);
    const bool needs_box = levels->box_levels >> level; /* at a later level */
    const bool kept = levels->use_accept && (!needs_box || raster_box_contains(t, x, y, size));
    return coverage == SQUARE_INSIDE && !kept ? SQUARE_PARTIAL : coverage;
}

/* Determines whether a level passes on a child. Returns SQUARE_INSIDE for an accepted child. */
static enum square_coverage
pass_child(const struct levels *levels, struct fraggen_stats *stats, uint32_t level, bool accepted,
           int32_t x, int32_t y, int32_t size)
{
    const enum square_coverage coverage =
        accepted ? SQUARE_INSIDE : test(levels, level, x, y, size);
    stats->level_accepted[level - 1] += accepted;
    stats->level_tested[level - 1] += !accepted;
    stats->level_passed[level - 1] += coverage != SQUARE_OUTSIDE;
    return coverage;
}

static void
push(struct levels *levels, int32_t x, int32_t y, int32_t size, uint32_t level, uint64_t cycle,
     bool accepted)
{
    const uint64_t left = split(levels, level, cycle);
    if (left <= levels->horizon)
        levels->stack[levels->depth++] =
            (struct square){x, y, size, level, 0, left, false, accepted};
}

/* Runs levels 6 and 7 on a 4x4 block. Returns whether one of its pixels is covered. */
static bool
cover_block(const struct levels *levels, struct fraggen_stats *stats, int32_t x, int32_t y,
            bool accepted, uint64_t mask)
{
    bool covered = false;
    for (int32_t q = 0; q < 4; q++) {
        int32_t qx = x + (q & 1) * 2, qy = y + (q >> 1) * 2;
        const enum square_coverage quad = pass_child(levels, stats, 6, accepted, qx, qy, 2);
        if (quad == SQUARE_OUTSIDE)
            continue;
        uint32_t bits = (uint32_t)(mask >> morton8((uint32_t)qx, (uint32_t)qy) & 15);
        stats->level_in_vain[6 - 1] += bits == 0;
        covered |= bits != 0;
        for (int32_t p = 0; p < 4; p++)
            if (pass_child(levels, stats, 7, quad == SQUARE_INSIDE, qx + (p & 1), qy + (p >> 1),
                           1) != SQUARE_OUTSIDE)
                stats->level_in_vain[7 - 1] += !(bits >> p & 1);
    }
    return covered;
}

/* Runs levels 5 to 7 on a tile. Sets *cycle to the end of the last block. Returns whether a pixel
 * is covered. */
static bool
cover_tile(struct levels *levels, struct fraggen_stats *stats, int32_t x, int32_t y, bool accepted,
           uint64_t *cycle)
{
    uint64_t samples[MAX_SAMPLES];
    uint64_t mask = raster_tile_samples(levels->triangle, x, y, samples);
    const uint64_t left = split(levels, 5, *cycle);
    bool covered = false;
    for (int32_t b = 0; b < 4 && left <= levels->horizon; b++) {
        int32_t bx = x + (b & 1) * 4, by = y + (b >> 1) * 4;
        const enum square_coverage found = pass_child(levels, stats, 5, accepted, bx, by, 4);
        if (found == SQUARE_OUTSIDE)
            continue;
        bool block = cover_block(levels, stats, bx, by, found == SQUARE_INSIDE, mask);
        stats->level_in_vain[5 - 1] += !block;
        covered |= block;
        *cycle = split(levels, 7, split(levels, 6, left));
    }
    return covered;
}

/* Removes a finished square and updates its parent. */
static void
pop(struct levels *levels, struct fraggen_stats *stats)
{
    const bool covered = levels->stack[--levels->depth].covered;
    if (!levels->depth)
        return;
    struct square *parent = &levels->stack[levels->depth - 1];
    stats->level_in_vain[parent->level - 1] += !covered;
    parent->covered |= covered;
}

/* Makes a tile the current one if it has a covered pixel. Returns whether it has. */
static bool
take_tile(struct levels *levels, struct fraggen_stats *stats, int32_t x, int32_t y, bool accepted,
          uint64_t cycle)
{
    if (!cover_tile(levels, stats, x, y, accepted, &cycle))
        return false;
    levels->tile_x = x;
    levels->tile_y = y;
    levels->tile_cycle = cycle;
    return true;
}

/* Takes the next square of the bounding box, which is a tile or is pushed. Returns whether it is a
 * tile with a covered pixel. */
static bool
take_root(struct levels *levels, struct fraggen_stats *stats)
{
    const struct triangle *t = levels->triangle;
    const int32_t x = levels->root_x, y = levels->root_y, size = levels->root_size;
    levels->root_x += size;
    if (levels->root_x > t->max_x) {
        levels->root_x = t->min_x / size * size;
        levels->root_y += size;
    }
    if (size == TILE_SIZE)
        return take_tile(levels, stats, x, y, false, levels->start_cycle);
    push(levels, x, y, size, levels->root_level, levels->start_cycle, false);
    return false;
}

/* Takes the next child of the last square. Returns whether it is a tile with a covered pixel. */
static bool
take_child(struct levels *levels, struct fraggen_stats *stats, struct square *square)
{
    const int32_t half = square->size / 2;
    const int32_t x = square->x + (int32_t)(square->child & 1) * half;
    const int32_t y = square->y + (int32_t)(square->child >> 1) * half;
    square->child++;
    const enum square_coverage found =
        pass_child(levels, stats, square->level, square->accepted, x, y, half);
    if (found == SQUARE_OUTSIDE)
        return false;
    const bool accepted = found == SQUARE_INSIDE;
    if (half > TILE_SIZE) {
        push(levels, x, y, half, square->level + 1, square->cycle, accepted);
        return false;
    }
    const bool covered = take_tile(levels, stats, x, y, accepted, square->cycle);
    stats->level_in_vain[square->level - 1] += !covered;
    square->covered |= covered;
    return covered;
}

/* Finds the next 8x8 tile with a covered pixel. Returns false if the triangle is finished. */
static bool
next_tile(struct levels *levels, struct fraggen_stats *stats)
{
    while (levels->depth || levels->root_y <= levels->triangle->max_y) {
        struct square *square = levels->depth ? &levels->stack[levels->depth - 1] : NULL;
        if (square && square->child == 4)
            pop(levels, stats);
        else if (square ? take_child(levels, stats, square) : take_root(levels, stats))
            return true;
    }
    return false;
}

/* Sets the size of the triangle's first squares. */
static void
find_root_size(struct levels *levels)
{
    const struct triangle *t = levels->triangle;
    const int32_t width = t->max_x - t->min_x + 1, height = t->max_y - t->min_y + 1;
    const int32_t side = width > height ? width : height;
    levels->root_size = ROOT_SIZE;
    levels->root_level = 1;
    while (levels->start_by_box && levels->root_size > TILE_SIZE && levels->root_size / 2 >= side) {
        levels->root_size /= 2;
        levels->root_level++;
    }
}

/* Starts triangle `n`. Its first level takes it as soon as the level is free. */
static void
start_triangle(struct levels *levels, const struct fraggen *fraggen, uint32_t n,
               struct fraggen_stats *stats)
{
    const struct triangle *triangle = fraggen_triangle(fraggen, n);
    levels->triangle = triangle;
    find_root_size(levels);
    levels->root_x = triangle->min_x / levels->root_size * levels->root_size;
    levels->root_y = triangle->min_y / levels->root_size * levels->root_size;
    levels->depth = 0;
    levels->start_cycle = fraggen_arrival(fraggen, n);
    levels->has_tile = next_tile(levels, stats);
}

static void
generator_seven_level_begin(struct fraggen *fraggen)
{
    struct levels *levels = levels_of(fraggen);
    const struct triangle_item *item = &fraggen->waiting[ring_at(&fraggen->ring, 0)].item;
    levels->watch = watch_of(fraggen->pools->watch, item->draw, item->triangle);
    start_triangle(levels, fraggen, 0, &fraggen->stats);
}

/* Takes the next tile after the current one has left in cycle `now`. */
static void
leave_tile(struct levels *levels, struct fraggen_stats *stats, uint64_t now)
{
    levels->free_cycle[LEVELS] = later(levels->free_cycle[LEVELS], now);
    levels->has_tile = next_tile(levels, stats);
}

/* Sends the current tile when its last block is complete, then finds the next tile. */
static bool
seven_level_step(struct fraggen *fraggen, uint64_t now, enum unit_state *why)
{
    struct levels *levels = levels_of(fraggen);
    if (!levels->has_tile)
        return false;
    if (levels->tile_cycle > now) {
        module_wake_at(&fraggen->module, levels->tile_cycle);
        *why = UNIT_WAITING;
        return false;
    }
    if (!queue_space(fraggen->out, now)) {
        *why = UNIT_BLOCKED;
        return false;
    }
    const uint32_t quads =
        fraggen_give(fraggen, 0, levels->tile_x, levels->tile_y, ~UINT64_C(0), now);
    /* The tile's blocks have arrived, one per cycle, during the first pass. */
    const uint32_t cycles = quads ? fraggen_passes(fraggen, 0) : 1;
    fraggen->stats.passes += quads ? (uint64_t)cycles * fraggen->quads_cycle : 0;
    fraggen->free_cycle = now + cycles;
    leave_tile(levels, &fraggen->stats, now);
    return true;
}

static bool
is_done(const struct fraggen *fraggen)
{
    return !levels_of(fraggen)->has_tile;
}

/* Continues the search on the copy with all squares that start before the horizon. No tile leaves
 * before the horizon, except those that have already left. */
static void
search_ahead(const struct fraggen *fraggen, struct levels *levels)
{
    struct fraggen_stats unused = {0};
    for (uint32_t n = 0; n < fraggen->ring.count; n++) {
        if (n >= fraggen->batch)
            start_triangle(levels, fraggen, n, &unused);
        while (levels->has_tile)
            leave_tile(levels, &unused, levels->horizon);
        if (levels->free_cycle[1] > levels->horizon)
            return;
    }
}

static uint64_t
cycles_from(uint64_t now, uint64_t first, uint64_t end)
{
    return end > now ? end - later(first, now) : 0;
}

/* Sets the state of a level in cycle `now`, and its cycles before it. */
static void
view_level(struct levels *levels, uint32_t level, struct module_part *part, uint64_t now)
{
    const uint64_t taken = levels->taken[level];
    uint64_t *cycles = levels->cycles[level], sum = 0;
    part->state = UNIT_STARVED;
    for (uint64_t i = taken; i > 0 && taken - i < levels->ring_size; i--) {
        const struct record *square = record_at(levels, level, i - 1);
        if (square->start < now)
            break;
        const uint64_t waits = later(square->arrival, square->idle);
        cycles[UNIT_STARVED] -= cycles_from(now, square->idle, waits);
        cycles[UNIT_BLOCKED] -= cycles_from(now, waits, square->start);
        cycles[UNIT_BUSY]--;
        part->state = square->start == now ? UNIT_BUSY : waits <= now ? UNIT_BLOCKED : UNIT_STARVED;
    }
    for (uint32_t state = 0; state < UNIT_STATES; state++)
        sum += cycles[state];
    if (sum < now)
        cycles[UNIT_STARVED] += now - sum;
    else /* more than a ring of squares without a pixel, after the last tile of a triangle */
        cycles[UNIT_BUSY] -= sum - now;
    memcpy(part->cycles, cycles, sizeof part->cycles);
}

static void
view(struct fraggen *fraggen, uint64_t now)
{
    struct search *search = fraggen->walk;
    struct levels *copy = search->copy;
    memcpy(copy, search->levels, search->bytes);
    copy->watch = NULL;
    copy->horizon = now + 1;
    search_ahead(fraggen, copy);
    for (uint32_t level = 1; level <= LEVELS; level++)
        view_level(copy, level, &search->parts[level - 1], now);
}

const struct generator generator_seven_level = {create, generator_seven_level_begin,
                                                seven_level_step, is_done, view};
