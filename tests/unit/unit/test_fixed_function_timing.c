/* Calculated cycles and counts of the fixed-function units. The tests cover one triangle through an
 * idle machine, the rates of the geometry units, index fetch, and vertex reuse. They also cover the
 * work of each fragment generator for a known triangle. The machine is reference-2005: one triangle
 * per cycle, two 8x8 tiles per cycle, scan tiles of 16x16. */
#include "rigs/rig.h"
#include "rigs/settings.h"
#include "unit/shader/setup_program.h"

#include <stdio.h>

enum watched { PRIMASM, CLIPPER, SETUP, FRAGGEN, HZ, WATCHED };

struct span { /* the cycles in which a unit was BUSY */
    uint64_t first, last, count;
};

static void
watch(void *data, uint64_t now)
{
    struct rig *rig = data;
    struct span *spans = rig->data;
    const struct machine *m = rig_machine(rig);
    const struct module *modules[WATCHED] = {&m->primasm->module, &m->clipper->module,
                                             &m->setup->module, &m->fraggen->module,
                                             &m->hz->module};
    for (uint32_t i = 0; i < WATCHED; i++) {
        struct span *span = &spans[i];
        if (modules[i]->state != UNIT_BUSY)
            continue;
        if (!span->count++)
            span->first = now;
        span->last = now;
    }
}

static void
start_watching(struct rig *rig)
{
    struct clock *clock = &rig_machine(rig)->clock;
    clock_observe(clock, (struct clock_observer){watch, rig, 0, UINT64_MAX});
    rig->data = calloc(WATCHED, sizeof(struct span));
}

static void
assert_span(const struct rig *rig, enum watched unit, const char *name, uint64_t first,
            uint64_t last, uint64_t count)
{
    const struct span *spans = rig->data, *span = &spans[unit];
    const uint64_t origin = spans[PRIMASM].first;
    if (span->first != origin + first || span->last != origin + last || span->count != count)
        fail_msg("%s is busy in cycles %llu to %llu, %llu in all, not %llu to %llu, %llu", name,
                 (unsigned long long)(span->first - origin),
                 (unsigned long long)(span->last - origin), (unsigned long long)span->count,
                 (unsigned long long)first, (unsigned long long)last, (unsigned long long)count);
}

static void
one_triangle(struct rig *rig)
{
    rig_start(rig);
    rig_upload_corner(rig, 8, 0);
    rig_clear(rig, MASK_COLOR0 | MASK_DEPTH, 1);
    start_watching(rig);
    rig_draw(rig, PRIM_TRIANGLES, 3, 0);
    clock_unobserve(&rig_machine(rig)->clock, rig);
    rig_swap(rig);
    rig_assert_figure(rig, "fraggen.fragments", 28); /* pixels with x + y <= 6 */
    rig_assert_figure(rig, "fraggen.quads", 10);
    rig_assert_figure(rig, "fraggen.tiles_out", 1);
    rig_assert_figure(rig, "setup.one_tile", 1);
}

/* In cycle 0 the first vertex arrives at primitive assembly.
 * - Vertices arrive one per cycle, in 0, 1 and 2, and the end of the draw in 3.
 * - The triangle reaches the clipper a cycle after its last vertex, in 3, and the end in 4.
 * - Clipper to setup: ExecLatency 6, TriangleInputLatency 2: 11 and 12.
 * - Setup to the fragment generator: SetupLatency 10, TriangleOutputLatency 2: 23 and 24.
 * - The generator walks the triangle in one cycle, because the triangle is in one tile. Then it
 *   handles the end. Both reach HZ a cycle later.
 * - HZ reads the far depths of the tile into its cache (HZAccessLatency 1). HZ sends the quads in
 *   the cycle after their arrival, since StampsPerCycle exceeds their number, ten. The end follows.
 */
static void
assert_geometry(const struct rig *rig)
{
    assert_span(rig, PRIMASM, "primitive assembly", 0, 3, 4);
    assert_span(rig, CLIPPER, "clipper", 3, 4, 2);
    assert_span(rig, SETUP, "setup", 11, 12, 2);
}

/* Setup on the shader units replaces SetupLatency, 10 cycles.
 * - 11: Triangle Setup sends the triangle. 12: it arrives at the scheduler, and Triangle Setup
 * sends the end of the draw, with which the group leaves in 13. The group starts in 14.
 * - Its inputs are loaded in one cycle. The program takes 27 cycles (test_setup_program.c), from 15
 *   to 42.
 * - OutputLatency 11: the group arrives at the scheduler in 53. The scheduler sends the triangle in
 *   54. Triangle Setup sends it in 55, and the end of the draw in 56.
 * - TriangleOutputLatency 2: 57 and 58. */
static void
triangle_set_up_on_a_shader_unit(void **state)
{
    struct rig *rig = *state;
    rig->params.RASTERIZER.Generator = GENERATOR_scan;
    rig->params.RASTERIZER.TriangleSetupOnShader = true;
    settings_apply(&rig->params, NULL, NO_STAGES);
    one_triangle(rig);
    assert_span(rig, SETUP, "setup", 11, 56, 4);
    assert_span(rig, FRAGGEN, "fragment generator", 57, 58, 2);
    assert_span(rig, HZ, "HZ", 58, 60, 3);
    rig_assert_figure(rig, "shader.triangle_groups", 1);
    rig_assert_figure(rig, "shader.triangle_instructions", SETUP_INSTRUCTIONS);
}

/* The boxes of the triangles are two tiles in a row, two tiles in a column, and one tile. */
static void
bounding_boxes(void **state)
{
    static const float sizes[3][2] = {{16, 4}, {4, 16}, {4, 4}};
    struct rig *rig = *state;
    float vertices[9][4];
    for (uint32_t i = 0; i < 9; i++) {
        const float *size = sizes[i / 3];
        const float x = i % 3 == 1 ? size[0] : 0, y = i % 3 == 2 ? size[1] : 0;
        memcpy(vertices[i], (float[]){x / (SIZE / 2) - 1, y / (SIZE / 2) - 1, 0, 1},
               sizeof vertices[i]);
    }
    rig_start(rig);
    rig_upload(rig, RES_VERTICES, vertices, sizeof vertices);
    rig_draw(rig, PRIM_TRIANGLES, 9, 0);
    rig_swap(rig);
    rig_assert_figure(rig, "setup.triangles_out", 3);
    rig_assert_figure(rig, "setup.one_tile", 1);
}

static void
triangle_scanned(void **state)
{
    struct rig *rig = *state;
    rig->params.RASTERIZER.Generator = GENERATOR_scan;
    one_triangle(rig);
    assert_geometry(rig);
    assert_span(rig, FRAGGEN, "fragment generator", 23, 24, 2);
    assert_span(rig, HZ, "HZ", 24, 26, 3);
}

/* The batch of four triangles is incomplete until the end of the draw arrives in cycle 24. */
static void
triangle_in_a_batch(void **state)
{
    struct rig *rig = *state;
    rig->params.RASTERIZER.Generator = GENERATOR_recursive;
    one_triangle(rig);
    assert_geometry(rig);
    assert_span(rig, FRAGGEN, "fragment generator", 24, 25, 2);
    assert_span(rig, HZ, "HZ", 25, 27, 3);
}

/* Each of the seven levels takes a cycle, so the first 4x4 block is complete in cycle 23 + 7. The
 * second and third blocks follow one and two cycles later and complete the tile in 32. The triangle
 * does not touch the fourth block. */
static void
triangle_through_seven_levels(void **state)
{
    struct rig *rig = *state;
    rig->params.RASTERIZER.Generator = GENERATOR_seven_level;
    one_triangle(rig);
    assert_geometry(rig);
    assert_span(rig, FRAGGEN, "fragment generator", 23, 33, 3);
    assert_span(rig, HZ, "HZ", 33, 35, 3);
}

/* A group of four vertices is shaded together. With this parameter, primitive assembly takes two
 * vertices per cycle. It sends a point for each vertex, then the end of the draw. */
static void
two_vertices_a_cycle(void **state)
{
    struct rig *rig = *state;
    rig->params.STREAMER.VerticesCycle = rig->params.PRIMITIVEASSEMBLY.VerticesCycle = 2;
    rig->params.PRIMITIVEASSEMBLY.TrianglesCycle = rig->params.CLIPPER.TrianglesCycle = 2;
    rig_start(rig);
    rig_upload_corner(rig, 8, 0);
    start_watching(rig);
    rig_draw(rig, PRIM_POINTS, 4, 0);
    clock_unobserve(&rig_machine(rig)->clock, rig);
    assert_span(rig, PRIMASM, "primitive assembly", 0, 2, 3);
}

struct sending {
    uint64_t sent, arrived; /* cycles of the first vertex */
};

static void
watch_sending(void *data, uint64_t now)
{
    struct rig *rig = data;
    struct sending *sending = rig->data;
    const struct machine *m = rig_machine(rig);
    if (m->streamer->stats.vertices_out && !sending->sent)
        sending->sent = now;
    if (m->primasm->module.state == UNIT_BUSY && !sending->arrived)
        sending->arrived = now;
}

static const char two_outputs_vs[] = "VERT\n"
                                     "DCL IN[0]\n"
                                     "DCL OUT[0], POSITION\n"
                                     "DCL OUT[1], GENERIC[0]\n"
                                     "  0: MOV OUT[0], IN[0]\n"
                                     "  1: MOV OUT[1], IN[0]\n"
                                     "  2: END\n";

/* Returns the cycles from the streamer's first vertex to its arrival in primitive assembly. */
static uint64_t
cycles_to_assembly(uint32_t attributes_per_cycle, uint32_t bus_latency)
{
    void *state = NULL;
    assert_int_equal(rig_set_up(&state), 0);
    struct rig *rig = state;
    rig->params.STREAMER.AttributesSentCycle = attributes_per_cycle;
    rig->params.PRIMITIVEASSEMBLY.InputBusLatency = bus_latency;
    rig_start(rig);
    rig_use_programs(rig, two_outputs_vs, rig_fs);
    rig_upload_corner(rig, 8, 0);
    struct sending *sending = rig->data = calloc(1, sizeof *sending);
    clock_observe(&rig_machine(rig)->clock,
                  (struct clock_observer){watch_sending, rig, 0, UINT64_MAX});
    rig_draw(rig, PRIM_TRIANGLES, 3, 0);
    clock_unobserve(&rig_machine(rig)->clock, rig);
    const uint64_t cycles = sending->arrived - sending->sent;
    assert_int_equal(rig_tear_down(&state), 0);
    return cycles;
}

/* A vertex with two attributes occupies a bus for one cycle at two attributes per cycle, and
 * for two cycles at one. It arrives after these cycles: the bus latency counts from the last. */
static void
vertex_arrives_after_its_last_attribute(void **state)
{
    assert_int_equal(cycles_to_assembly(2, 1), 1);
    assert_int_equal(cycles_to_assembly(1, 1), 2);
    assert_int_equal(cycles_to_assembly(2, 5), 5);
    assert_int_equal(cycles_to_assembly(1, 5), 6);
}

/* Each bus adds its latency: the result of the clipper arrives later by TriangleInputLatency. */
static void
latencies_add_up(void **state)
{
    struct rig *rig = *state;
    rig->params.RASTERIZER.Generator = GENERATOR_scan;
    rig->params.CLIPPER.ExecLatency = 3;
    rig->params.RASTERIZER.TriangleInputLatency = 5;
    rig->params.RASTERIZER.SetupLatency = 1;
    rig->params.RASTERIZER.TriangleOutputLatency = 4;
    one_triangle(rig);
    assert_span(rig, SETUP, "setup", 3 + 3 + 5, 4 + 3 + 5, 2);
    assert_span(rig, FRAGGEN, "fragment generator", 11 + 1 + 4, 12 + 1 + 4, 2);
}

enum { STRIP = 102 };

/* Draws a strip that repeats the same three vertices. Its STRIP - 2 triangles are between pixel
 * centers, so that no unit after setup limits the rate. */
static void
draw_strip(struct rig *rig)
{
    uint8_t indices[STRIP];
    const float x = 2.0f / SIZE * 0.25f;
    const float vertices[3][4] = {{0, 0, 0, 1}, {x, 0, 0, 1}, {0, x, 0, 1}};
    for (uint32_t i = 0; i < STRIP; i++)
        indices[i] = (uint8_t)(i % 3);
    rig_start(rig);
    rig_upload(rig, RES_VERTICES, vertices, sizeof vertices);
    rig_upload(rig, RES_INDICES, indices, sizeof indices);
    start_watching(rig);
    rig_draw(rig, PRIM_TRIANGLE_STRIP, STRIP, 1);
    clock_unobserve(&rig_machine(rig)->clock, rig);
    rig_swap(rig);
    rig_assert_figure(rig, "primasm.triangles", STRIP - 2);
    rig_assert_figure(rig, "setup.culled_no_pixel", STRIP - 2);
    rig_assert_figure(rig, "setup.triangles_out", 0);
}

/* The rates are one index, one vertex and one triangle per cycle. The first triangle goes to the
 * clipper two cycles after the first vertex. Then one triangle follows per cycle, and the end of
 * the draw follows the last triangle. */
static void
one_triangle_a_cycle(void **state)
{
    struct rig *rig = *state;
    draw_strip(rig);
    assert_span(rig, PRIMASM, "primitive assembly", 0, STRIP, STRIP + 1);
    assert_span(rig, CLIPPER, "clipper", 3, STRIP + 1, STRIP - 1);
    assert_span(rig, SETUP, "setup", 11, 11 + STRIP - 2, STRIP - 1);
    rig_assert_figure(rig, "streamer.vertices_shaded", 3);
    rig_assert_figure(rig, "streamer.vertices_reused", STRIP - 3);
}

/* One unit starts a triangle every fourth cycle: 100 triangles take 99 * 4 + 1 cycles. The end of
 * the draw arrives in the cycle of the last triangle or in the next one. */
static void
setup_starts_every_fourth_cycle(void **state)
{
    struct rig *rig = *state;
    rig->params.RASTERIZER.SetupStartLatency = 4;
    draw_strip(rig);
    assert_span(rig, SETUP, "setup", 11, 11 + 99 * 4 + 1, STRIP - 1);
}

/* Four units together start a triangle in each cycle. */
static void
four_setup_units(void **state)
{
    struct rig *rig = *state;
    rig->params.RASTERIZER.SetupStartLatency = 4;
    rig->params.RASTERIZER.SetupUnits = 4;
    draw_strip(rig);
    assert_span(rig, SETUP, "setup", 11, 11 + STRIP - 2, STRIP - 1);
}

/* The clipper has one test unit, which starts every third cycle. */
static void
clipper_starts_every_third_cycle(void **state)
{
    struct rig *rig = *state;
    rig->params.CLIPPER.StartLatency = 3;
    draw_strip(rig);
    assert_span(rig, CLIPPER, "clipper", 3, 3 + 99 * 3 + 1, STRIP - 1);
}

/* Draws two triangles with four vertices and six indices. */
static void
draw_two_triangles(struct rig *rig)
{
    static const uint8_t indices[6] = {0, 1, 2, 2, 1, 3};
    static const float corners[4][4] = {{-1, -1, 0, 1}, {1, -1, 0, 1}, {-1, 1, 0, 1}, {1, 1, 0, 1}};
    rig_start(rig);
    rig_upload(rig, RES_VERTICES, corners, sizeof corners);
    rig_upload(rig, RES_INDICES, indices, sizeof indices);
    rig_draw(rig, PRIM_TRIANGLES, 6, 1);
    rig_swap(rig);
    rig_assert_figure(rig, "streamer.indices", 6);
    rig_assert_figure(rig, "streamer.vertices_out", 6);
}

static void
vertices_are_reused(void **state)
{
    struct rig *rig = *state;
    draw_two_triangles(rig);
    rig_assert_figure(rig, "streamer.vertices_shaded", 4);
    rig_assert_figure(rig, "streamer.vertices_reused", 2);
    rig_assert_figure(rig, "streamer.attributes", 4);
    /* all 64 bytes of vertices are in one line of 256 bytes */
    rig_assert_figure(rig, "streamer.cache_misses", 1);
    rig_assert_figure(rig, "streamer.cache_hits", 3);
}

/* The cache keeps only the last vertex. In 0 1 2 2 1 3 the second 2 hits, and the second 1 misses.
 */
static void
a_vertex_cache_of_one(void **state)
{
    struct rig *rig = *state;
    rig->params.STREAMER.OutputMemorySize = 1;
    draw_two_triangles(rig);
    rig_assert_figure(rig, "streamer.vertices_shaded", 5);
    rig_assert_figure(rig, "streamer.vertices_reused", 1);
}

/* Fetches 256 indices of 0, 1, 2. An index of n bytes needs 4 n transactions of 64 bytes. */
static void
fetch_indices(struct rig *rig, uint32_t index_bytes)
{
    uint8_t indices[256 * 4] = {0};
    for (uint32_t i = 0; i < 256; i++)
        indices[i * index_bytes] = (uint8_t)(i % 3);
    rig_start(rig);
    rig_upload_corner(rig, 1, 0);
    rig_upload(rig, RES_INDICES, indices, 256 * index_bytes);
    rig_draw(rig, PRIM_TRIANGLE_STRIP, 256, index_bytes);
    rig_swap(rig);
    rig_assert_figure(rig, "streamer.indices", 256);
    rig_assert_figure(rig, "streamer.vertices_shaded", 3);
    rig_assert_figure(rig, "memctl.index_bytes_read", 256 * index_bytes);
}

static void
indices_of_one_byte(void **state)
{
    fetch_indices(*state, 1);
}

static void
indices_of_two_bytes(void **state)
{
    fetch_indices(*state, 2);
}

static void
indices_of_four_bytes(void **state)
{
    fetch_indices(*state, 4);
}

/* One triangle covers the whole surface. The triangle passes the seven levels, and Hierarchical Z
 * drops every tile, so that no later unit limits the rate. Returns the cycles from the first tile
 * to the end of the draw. */
static uint64_t
cycles_of_levels(uint32_t queue_size)
{
    struct rig *rig = rig_create();
    rig->params.RASTERIZER.Generator = GENERATOR_seven_level;
    rig->params.RASTERIZER.LevelQueueSize = queue_size;
    rig_start(rig);
    rig_upload_corner(rig, 2 * SIZE, 0);
    rig_clear(rig, MASK_DEPTH, 0);
    start_watching(rig);
    rig_draw(rig, PRIM_TRIANGLES, 3, 0);
    const struct span *span = &((const struct span *)rig->data)[HZ];
    const uint64_t cycles = span->last - span->first;
    rig_swap(rig);
    rig_assert_figure(rig, "hz.tiles_culled", 64);
    rig_destroy(rig);
    return cycles;
}

/* 256 blocks leave level 7, one per cycle. The last block of the last tile follows the last block
 * of the first tile by 252 cycles. The end of the draw follows a cycle later. With four places, a
 * level takes its next square one cycle after the last child of the previous square is taken. The
 * children of that square arrive two cycles later, so a level works in four of five cycles. Eight
 * places suffice for the full rate. */
static void
queues_between_levels(void **state)
{
    (void)state;
    assert_int_equal(cycles_of_levels(4), 253 + 63);
    assert_int_equal(cycles_of_levels(8), 253);
    assert_int_equal(cycles_of_levels(64), 253);
}

/* Vertices begin at byte 8, so vertex 15 crosses from one line of 256 bytes into the next. Vertex
 * 16 is fetched first and has already loaded the next line into the first place of the cache. */
static void
an_attribute_in_two_lines(void **state)
{
    static const uint8_t indices[3] = {16, 15, 17};
    static float vertices[2 + 18 * 4];
    static const float corners[3][4] = {{-1, -1, 0, 1}, {-.75f, -1, 0, 1}, {-1, -.75f, 0, 1}};
    struct rig *rig = *state;
    rig_start(rig);
    for (uint32_t i = 0; i < 3; i++)
        memcpy(&vertices[2 + indices[i] * 4], corners[i], sizeof corners[i]);
    rig_upload(rig, RES_VERTICES, vertices, sizeof vertices);
    rig_upload(rig, RES_INDICES, indices, sizeof indices);
    PACKET(&rig->stream, CMD_SET_VERTEX_BUFFERS, 16, 8, RES_VERTICES);
    rig_draw(rig, PRIM_TRIANGLES, 3, 1);
    rig_swap(rig);
    rig_assert_figure(rig, "fraggen.fragments", 28); /* pixels with x + y <= 6 */
    rig_assert_figure(rig, "streamer.cache_misses", 2);
    rig_assert_figure(rig, "streamer.cache_hits", 2);
}

/* Depth is cleared to a value in front of the triangle, so HZ drops all 36 tiles. The surface has
 * 64 entries in lines of 16, and the triangle touches all four lines. No quad reaches the z test.
 */
static void
hidden_triangle(void **state)
{
    struct rig *rig = *state;
    rig_start(rig);
    rig_upload_corner(rig, SIZE, 0); /* window depth .5 */
    rig_clear(rig, MASK_COLOR0 | MASK_DEPTH, 0.25);
    rig_draw(rig, PRIM_TRIANGLES, 3, 0);
    rig_swap(rig);
    rig_assert_figure(rig, "hz.blocks_cleared", 64);
    rig_assert_figure(rig, "hz.tiles_tested", 36);
    rig_assert_figure(rig, "hz.tiles_culled", 36);
    rig_assert_figure(rig, "hz.fragments_culled", 63 * 64 / 2);
    rig_assert_figure(rig, "hz.cache_accesses", 36);
    rig_assert_figure(rig, "hz.cache_misses", 4);
    rig_assert_figure(rig, "hz.fragments_out", 0);
    rig_assert_figure(rig, "zstencil.quads_in", 0);
}

/* HZ drops two hidden tiles per cycle, so 64 tiles take 32 cycles. HZ must also load the entries of
 * the first tile of each of the four lines. */
static void
hidden_tiles_two_a_cycle(void **state)
{
    struct rig *rig = *state;
    rig->params.RASTERIZER.Generator = GENERATOR_scan;
    rig_start(rig);
    rig_upload_corner(rig, 2 * SIZE, 0);
    rig_clear(rig, MASK_COLOR0 | MASK_DEPTH, 0.25);
    start_watching(rig);
    rig_draw(rig, PRIM_TRIANGLES, 3, 0);
    const struct span *span = &((const struct span *)rig->data)[HZ];
    const uint64_t cycles = span->last - span->first;
    clock_unobserve(&rig_machine(rig)->clock, rig);
    rig_swap(rig);
    rig_assert_figure(rig, "hz.tiles_culled", 64);
    assert_in_range(cycles, 32, 48);
}

/* With HZ blocks of one quad, a tile has 16 entries, which are one line of the cache. */
static void
hidden_triangle_by_quads(void **state)
{
    struct rig *rig = *state;
    rig->params.RASTERIZER.StampsPerHZBlock = 1;
    rig_start(rig);
    rig_upload_corner(rig, SIZE, 0);
    rig_clear(rig, MASK_COLOR0 | MASK_DEPTH, 0.25);
    rig_draw(rig, PRIM_TRIANGLES, 3, 0);
    rig_swap(rig);
    rig_assert_figure(rig, "hz.blocks_cleared", 64 * 16);
    rig_assert_figure(rig, "hz.tiles_culled", 36);
    rig_assert_figure(rig, "hz.cache_accesses", 36);
    rig_assert_figure(rig, "hz.cache_misses", 36);
    rig_assert_figure(rig, "hz.quads_culled", 32 * 33 / 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, rig_set_up, rig_tear_down)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(bounding_boxes),
        TEST(triangle_scanned),
        TEST(triangle_in_a_batch),
        TEST(triangle_through_seven_levels),
        TEST(triangle_set_up_on_a_shader_unit),
        TEST(latencies_add_up),
        TEST(two_vertices_a_cycle),
        cmocka_unit_test(vertex_arrives_after_its_last_attribute),
        TEST(one_triangle_a_cycle),
        TEST(setup_starts_every_fourth_cycle),
        TEST(four_setup_units),
        TEST(clipper_starts_every_third_cycle),
        TEST(vertices_are_reused),
        TEST(a_vertex_cache_of_one),
        TEST(indices_of_one_byte),
        TEST(indices_of_two_bytes),
        TEST(indices_of_four_bytes),
        cmocka_unit_test(queues_between_levels),
        TEST(an_attribute_in_two_lines),
        TEST(hidden_triangle),
        TEST(hidden_tiles_two_a_cycle),
        TEST(hidden_triangle_by_quads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
