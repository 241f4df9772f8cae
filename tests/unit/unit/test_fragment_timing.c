/* Calculated cycles of the units after Hierarchical Z. An item arrives at the next unit after the
 * latency of the queue between the units (src/machine.def). The scenes have one tile, whose quads
 * all belong to ROP 0. Further tests check the counters of these units per client. */
#include "rigs/watched.h"

#include <stdio.h>

static struct rig *
rig_with(bool has_depth)
{
    struct rig *rig = rig_create();
    rig->has_depth = has_depth;
    return rig;
}

/* Binds programs with `count` varyings, of which the fragment program uses the first. */
static void
use_varyings(struct rig *rig, uint32_t count)
{
    char vs[2048], fs[2048];
    int v = snprintf(vs, sizeof vs, "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\n");
    int f = snprintf(fs, sizeof fs, "FRAG\nDCL OUT[0], COLOR\n");
    for (uint32_t i = 0; i < count; i++) {
        v += snprintf(vs + v, sizeof vs - (size_t)v, "DCL OUT[%u], GENERIC[%u]\n", i + 1, i);
        f +=
            snprintf(fs + f, sizeof fs - (size_t)f, "DCL IN[%u], GENERIC[%u], PERSPECTIVE\n", i, i);
    }
    for (uint32_t i = 0; i <= count; i++)
        v += snprintf(vs + v, sizeof vs - (size_t)v, "  %u: MOV OUT[%u], IN[0]\n", i, i);
    snprintf(vs + v, sizeof vs - (size_t)v, "  %u: END\n", count + 1);
    snprintf(fs + f, sizeof fs - (size_t)f, "  0: MOV OUT[0], IN[0]\n  1: END\n");
    rig_use_programs(rig, vs, fs);
}

/* A quad without a depth test enters the z test when it arrives, one cycle after it was sent. The
 * quad leaves in the last of ZALULatency cycles, and the interpolator forwards it in the next
 * cycle. The n attributes take k = n / NumInterpolators cycles, rounded up. The quad reaches the
 * scheduler after k + 1 cycles, or after k if k is 8 or more. A group of one quad leaves the
 * scheduler at once. */
static void
one_quad(void **state)
{
    static const struct {
        uint32_t varyings, a_cycle, latency;
    } cases[] = {{1, 1, 2}, {2, 2, 2}, {2, 1, 3}, {3, 1, 4}, {3, 2, 3},
                 {6, 1, 7}, {7, 1, 8}, {8, 1, 8}, {9, 1, 9}, {9, 4, 4}};
    (void)state;
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rig *rig = rig_with(false);
        rig->params.RASTERIZER.NumInterpolators = cases[i].a_cycle;
        rig->params.ZSTENCILTEST.ZALULatency = 2 + i;
        rig_start(rig);
        use_varyings(rig, cases[i].varyings);
        rig_upload_corner(rig, 1.5f, 0);
        const struct watched *early = watch(rig, "early_quads[0]");
        const struct watched *tested = watch(rig, "tested_quads[0]");
        const struct watched *interpolated = watch(rig, "interpolated_quads");
        const struct watched *groups[2] = {watch(rig, "groups[0]"), watch(rig, "groups[1]")};
        rig_draw(rig, PRIM_TRIANGLES, 3, 0);
        const uint64_t start = early->cycles[0];
        assert_sent(tested, 0, start + 2 + i);
        assert_sent(interpolated, 0, start + 2 + i + 1);
        const struct watched *group = groups[groups[1]->count > groups[0]->count];
        assert_sent(group, group->count - 1, start + 2 + i + 1 + cases[i].latency);
        rig_destroy(rig);
    }
}

/* Ten quads arrive at the interpolator one per cycle and take three cycles each. Quads of one ROP
 * start one after another. */
static void
interpolator_rate(void **state)
{
    (void)state;
    struct rig *rig = rig_with(false);
    rig->params.RASTERIZER.NumInterpolators = 1;
    rig_start(rig);
    assert_int_equal(rig->params.GPU.NumStampPipes, 2);
    use_varyings(rig, 3);
    rig_upload_corner(rig, 8, 0);
    const struct watched *tested = watch(rig, "tested_quads[0]");
    const struct watched *interpolated = watch(rig, "interpolated_quads");
    rig_draw(rig, PRIM_TRIANGLES, 3, 0);
    for (uint32_t q = 0; q < 10; q++) {
        assert_sent(tested, q, tested->cycles[0] + q);
        assert_sent(interpolated, q, tested->cycles[0] + 1 + 3 * q);
    }
    rig_swap(rig);
    rig_assert_figure(rig, "interpolator.attributes", 3 * 10);
    rig_assert_figure(rig, "interpolator.fragments", 28);
    rig_destroy(rig);
}

/* Uploads two triangles at the same pixel. The second one is nearer. */
static void
upload_twice(struct rig *rig)
{
    static const float far = 1.5f / (SIZE / 2) - 1;
    static const float vertices[6][4] = {{-1, -1, 0.5f, 1},   {far, -1, 0.5f, 1},
                                         {-1, far, 0.5f, 1},  {-1, -1, -0.5f, 1},
                                         {far, -1, -0.5f, 1}, {-1, far, -0.5f, 1}};
    rig_upload(rig, RES_VERTICES, vertices, sizeof vertices);
}

/* Draws ten quads of a tile, whose test or write is slower than their arrival. Returns the cycles
 * of the draw, which ends after the tenth quad. */
static uint64_t
cycles_at_rates(uint32_t z_rate, uint32_t color_rate)
{
    struct rig *rig = rig_with(true);
    rig->params.ZSTENCILTEST.ZALUTestRate = z_rate;
    rig->params.COLORWRITE.BlendALURate = color_rate;
    rig_start(rig);
    rig_upload_corner(rig, 8, 0);
    rig_clear(rig, MASK_DEPTH | MASK_COLOR0, 1);
    const struct watched *tested = watch(rig, "tested_quads[0]");
    const uint64_t began = rig_machine(rig)->clock.now;
    rig_draw(rig, PRIM_TRIANGLES, 3, 0);
    const uint64_t cycles = rig_machine(rig)->clock.now - began;
    if (z_rate > color_rate)
        assert_sent(tested, 9, tested->cycles[0] + 9 * z_rate);
    rig_destroy(rig);
    return cycles;
}

static void
rates_of_rops(void **state)
{
    (void)state;
    assert_int_equal(cycles_at_rates(30, 1) - cycles_at_rates(20, 1), 10 * 10);
    assert_int_equal(cycles_at_rates(1, 30) - cycles_at_rates(1, 20), 10 * 10);
}

static void
one_port(struct rig *rig, uint32_t width, bool color)
{
    rig->params.ZSTENCILTEST.ZCacheExtraReadPort = false;
    rig->params.ZSTENCILTEST.ZCacheExtraWritePort = false;
    rig->params.COLORWRITE.ColorCacheExtraReadPort = false;
    rig->params.COLORWRITE.ColorCacheExtraWritePort = false;
    if (color)
        rig->params.COLORWRITE.ColorCachePortWidth = width;
    else
        rig->params.ZSTENCILTEST.ZCachePortWidth = width;
}

/* Ten quads of one line have 16 bytes each. Each quad occupies the read port and the write port of
 * a cache for 16 / width cycles, rounded up. Before that, the line is filled from a clear and
 * occupies the write port for 256 / width. The z test sends a quad when the next one has the read
 * port. The draw ends when the tenth color takes the write port, after the line and nine other
 * quads. */
static void
ports_of_rops(void **state)
{
    static const struct {
        uint32_t width, quad, line; /* bytes; cycles per quad; cycles per line */
    } cases[] = {{8, 2, 32}, {12, 2, 22}, {15, 2, 18}, {7, 3, 37},  {6, 3, 43},
                 {5, 4, 52}, {4, 4, 64},  {3, 6, 86},  {2, 8, 128}, {1, 16, 256}};
    uint64_t first_end = 0;
    (void)state;
    for (uint32_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        const bool color = i % 2;
        const uint32_t quad = cases[i / 2].quad, line = cases[i / 2].line;
        struct rig *rig = rig_with(!color);
        one_port(rig, cases[i / 2].width, color);
        rig_start(rig);
        rig_upload_corner(rig, 8, 0);
        rig_clear(rig, MASK_DEPTH | MASK_COLOR0, 1);
        const struct watched *tested = watch(rig, "tested_quads[0]");
        const uint64_t began = rig_machine(rig)->clock.now;
        rig_draw(rig, PRIM_TRIANGLES, 3, 0);
        const uint64_t end = rig_machine(rig)->clock.now - began;
        for (uint32_t q = 0; q < 10 && !color; q++)
            assert_sent(tested, q, tested->cycles[0] + q * quad);
        if (color && !first_end)
            first_end = end - line - 9 * quad;
        if (color)
            assert_int_equal(end, first_end + line + 9 * quad);
        rig_destroy(rig);
    }
}

/* The z of the first quad is written in the last cycle of its test. The second quad may read it in
 * the next cycle. Without the conflict the second quad would follow one cycle after the first. So
 * it stalls for all other cycles of the test. */
static void
same_depth(void **state)
{
    (void)state;
    for (uint32_t latency = 2; latency <= 10; latency += 4) {
        struct rig *rig = rig_with(true);
        rig->params.ZSTENCILTEST.ZALULatency = latency;
        rig_start(rig);
        upload_twice(rig);
        rig_clear(rig, MASK_DEPTH, 1);
        const struct watched *tested = watch(rig, "tested_quads[0]");
        rig_draw(rig, PRIM_TRIANGLES, 6, 0);
        assert_sent(tested, 1, tested->cycles[0] + latency);
        rig_swap(rig);
        rig_assert_figure(rig, "zstencil.same_place_stalls", latency - 1);
        rig_assert_figure(rig, "colorwrite.same_place_stalls", 0);
        rig_destroy(rig);
    }
}

/* The same for color with blending. Without blending no quad waits for another. */
static void
same_color(void **state)
{
    enum { OBJ_ADD = 300 };
    (void)state;
    for (uint32_t blends = 0; blends < 2; blends++) {
        struct rig *rig = rig_with(false);
        rig->params.COLORWRITE.BlendALULatency = 9;
        rig_start(rig);
        stream_blend(&rig->stream, OBJ_ADD,
                     blends ? blend_of(FACTOR_ONE, FACTOR_ONE) : BLEND_WRITES);
        stream_bind(&rig->stream, VOBJ_BLEND, OBJ_ADD);
        upload_twice(rig);
        rig_clear(rig, MASK_COLOR0, 0);
        rig_draw(rig, PRIM_TRIANGLES, 6, 0);
        rig_swap(rig);
        rig_assert_figure(rig, "colorwrite.same_place_stalls", blends ? 9 - 1 : 0);
        rig_assert_figure(rig, "zstencil.same_place_stalls", 0);
        rig_destroy(rig);
    }
}

/* 64 blocks belong to 2 ROPs. An order arrives in the next cycle. Each ROP writes the states of its
 * 32 blocks, BlocksClearedPerCycle per cycle, then answers. Hierarchical Z has 64 entries and
 * answers after it has written them, HZBlocksClearedPerCycle per cycle. */
static void
clears_take_time(void **state)
{
    static const uint32_t rates[] = {1, 3, 8, 32, 1024};
    (void)state;
    for (uint32_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        struct rig *rig = rig_with(true);
        rig->params.COLORWRITE.BlocksClearedPerCycle = rates[i];
        rig->params.ZSTENCILTEST.BlocksClearedPerCycle = rates[i];
        rig->params.RASTERIZER.HZBlocksClearedPerCycle = rates[i];
        rig_start(rig);
        const struct watched *orders[2] = {watch(rig, "zstencil_orders[1]"),
                                           watch(rig, "colorwrite_orders[1]")};
        const struct watched *done[2] = {watch(rig, "zstencil_done[1]"),
                                         watch(rig, "colorwrite_done[1]")};
        const struct watched *hz = watch(rig, "hz_orders"), *hz_done = watch(rig, "hz_done");
        rig_clear(rig, MASK_DEPTH | MASK_STENCIL,
                  1); /* stencil too: otherwise a part of each element stays */
        rig_clear(rig, MASK_COLOR0, 0);
        for (uint32_t k = 0; k < 2; k++)
            assert_sent(done[k], 0, orders[k]->cycles[0] + 1 + 1 + 32 / rates[i]);
        assert_sent(hz_done, 0, hz->cycles[0] + 1 + (64 + rates[i] - 1) / rates[i]);
        rig_destroy(rig);
    }
}

/* The DAC receives the states of 64 blocks after those of both ROPs have arrived. It takes
 * BlocksUpdatedPerCycle per cycle. If the DAC reads nothing, it answers in the next cycle. */
static void
states_are_taken_over(void **state)
{
    static const uint32_t cases[][2] = {/* blocks per cycle; cycles */
                                        {1, 64}, {3, 22}, {32, 2}, {63, 2}, {64, 1}, {65, 1}};
    enum { LATENCY = 7 };
    (void)state;
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rig *rig = rig_with(false);
        rig->params.DAC.RefreshFrame = false;
        rig->params.DAC.BlocksUpdatedPerCycle = cases[i][0];
        rig->params.DAC.BlockUpdateLatency = LATENCY;
        rig_start(rig);
        assert_int_equal(rig->params.GPU.NumStampPipes, 2);
        const struct watched *states[2] = {watch(rig, "block_states[0]"),
                                           watch(rig, "block_states[1]")};
        const struct watched *done = watch(rig, "dac_done");
        rig_swap(rig);
        assert_sent(states[1], 0, states[0]->cycles[0]);
        assert_sent(done, 0, states[0]->cycles[0] + LATENCY + cases[i][1] + 1);
        rig_destroy(rig);
    }
}

/* Row hits and misses belong to the client that made the request. Here only color and the display
 * access memory, so other clients have none. */
static void
rows_by_client(void **state)
{
    static const char *const others[] = {"z", "texture", "index"};
    (void)state;
    struct rig *rig = rig_with(false);
    rig->params.MEMORYCONTROLLER.MemoryControllerV2 = true;
    rig_start(rig);
    rig_upload_corner(rig, 2 * SIZE, 0);
    rig_draw(rig, PRIM_TRIANGLES, 3, 0);
    rig_swap(rig);
    rig_assert_figure(rig, "memctl.color_bytes_written", SIZE * SIZE * 4);
    const uint64_t color = SIZE * SIZE * 4 / 64;
    rig_assert_figure(rig, "color_memory_requests.items_in", color);
    assert_int_equal(rig_figure(rig, "memctl.color_row_hits") +
                         rig_figure(rig, "memctl.color_row_misses"),
                     color);
    assert_int_equal(
        rig_figure(rig, "memctl.dac_row_hits") + rig_figure(rig, "memctl.dac_row_misses"), color);
    assert_true(rig_figure(rig, "memctl.color_row_hits") > 0);
    assert_true(rig_figure(rig, "memctl.color_row_misses") > 0);
    for (uint32_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        char name[40];
        snprintf(name, sizeof name, "memctl.%s_row_hits", others[i]);
        rig_assert_figure(rig, name, 0);
        snprintf(name, sizeof name, "memctl.%s_row_misses", others[i]);
        rig_assert_figure(rig, name, 0);
    }
    rig_destroy(rig);
}

/* Address and filter latencies equal their parameters, because they are the latencies of the queues
 * to and from the Texture Unit. test_texture_timing.c tests the cycles inside the unit. */
static void
latencies_of_texturing(void **state)
{
    (void)state;
    struct rig *rig = rig_with(false);
    rig->params.FRAGMENTSHADER.AddressALULatency = 7;
    rig->params.FRAGMENTSHADER.FilterALULatency = 5;
    rig_start(rig);
    assert_int_equal(watch(rig, "texture_requests[0]")->queue->latency, 7);
    assert_int_equal(watch(rig, "texels[0]")->queue->latency, 5);
    rig_destroy(rig);
}

/* The Streamer's cache can have as many lines in flight as it has places. Each line is one
 * transaction, and 48 vertices of 16 bytes are 12 transactions. */
static void
lines_of_the_streamer(void **state)
{
    float vertices[48][4];
    (void)state;
    for (uint32_t v = 0; v < 48; v++) {
        vertices[v][0] = vertices[v][1] = -1;
        vertices[v][2] = 0;
        vertices[v][3] = 1;
    }
    for (uint32_t limit = 1; limit <= 4; limit++) {
        struct rig *rig = rig_with(false);
        rig->params.STREAMER.InputCacheLineSize = 64;
        rig->params.STREAMER.InputCacheInputQueueSize = limit;
        rig->params.MEMORYCONTROLLER.ReadLatency = 60;
        rig_start(rig);
        rig_upload(rig, RES_VERTICES, vertices, sizeof vertices);
        const struct watched *requests = watch(rig, "attribute_memory_requests");
        const struct watched *replies = watch(rig, "attribute_memory_replies");
        rig_draw(rig, PRIM_TRIANGLES, 48, 0);
        assert_int_equal(requests->count, 12);
        for (uint32_t n = 0; n < 12; n++) {
            /* the first `limit` requests follow one another; each later request waits for a reply
             */
            if (n >= limit)
                assert_true(requests->cycles[n] >= replies->taken[n - limit]);
            else if (n)
                assert_true(requests->cycles[n] < replies->taken[0]);
        }
        rig_destroy(rig);
    }
}

/* A group of one quad leaves its unit in one cycle and reaches the scheduler OutputLatency cycles
 * later. The scheduler takes it at once. The group occupies a place during this time. There are
 * ShaderOutputQueueSize places, counted in groups, but at least two. The unit can use a freed place
 * in the next cycle. So a group leaves 1 + OutputLatency cycles after the group whose place it
 * takes. */
static void
outputs_have_places(void **state)
{
    enum { LATENCY = 11 };
    static const struct {
        uint32_t threads, places;
    } cases[] = {{1, 2}, {8, 2}, {12, 3}, {15, 3}, {32, 8}};
    (void)state;
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rig *rig = rig_with(false);
        rig->params.GPU.NumFragmentShaders = 1;
        rig->params.FRAGMENTSHADER.ThreadGroup = rig->params.FRAGMENTSHADER.OutputsPerCycle = 4;
        rig->params.FRAGMENTSHADER.OutputLatency = LATENCY;
        rig->params.RASTERIZER.ShaderOutputQueueSize = cases[i].threads;
        rig_start(rig);
        rig_upload_corner(rig, SIZE, 0);
        const struct watched *finished = watch(rig, "finished_groups");
        rig_draw(rig, PRIM_TRIANGLES, 3, 0);
        assert_int_equal(finished->count, MAX_SENT);
        for (uint32_t n = MAX_SENT / 2; n < MAX_SENT; n++) {
            assert_sent(finished, n, finished->cycles[n - cases[i].places] + 1 + LATENCY);
            assert_int_equal(finished->taken[n - cases[i].places],
                             finished->cycles[n - cases[i].places] + LATENCY);
        }
        rig_swap(rig);
        rig_assert_figure(rig, "finished_groups.occupancy_peak", cases[i].places);
        rig_destroy(rig);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_quad),
        cmocka_unit_test(interpolator_rate),
        cmocka_unit_test(rates_of_rops),
        cmocka_unit_test(ports_of_rops),
        cmocka_unit_test(same_depth),
        cmocka_unit_test(same_color),
        cmocka_unit_test(clears_take_time),
        cmocka_unit_test(states_are_taken_over),
        cmocka_unit_test(rows_by_client),
        cmocka_unit_test(latencies_of_texturing),
        cmocka_unit_test(lines_of_the_streamer),
        cmocka_unit_test(outputs_have_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
