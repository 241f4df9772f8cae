/* Stream output on the timed machine. Expected bytes and cycles are computed here. */
#include "rigs/near.h"
#include "rigs/player.h"
#include "rigs/scene.h"
#include "rigs/settings.h"

#include <string.h>

enum { SIZE = 16, POINTS = 300, RES_STREAM = 30, RES_SECOND, OBJ_STREAM = 140 };

/* One channel without pages: 64 bytes / (2 x 8 bytes per cycle) = 4 cycles per transaction. */
#define MACHINE                                                                                    \
    "MEMORYCONTROLLER.MemorySize=1048576 MEMORYCONTROLLER.MemoryControllerV2=FALSE "               \
    "MEMORYCONTROLLER.MemoryBuses=1 MEMORYCONTROLLER.MemoryBusWidth=64 "                           \
    "MEMORYCONTROLLER.BurstLength=8 MEMORYCONTROLLER.PageOpenLatency=0"

/* Each vertex stores its position and index: 8 values in one buffer, and 1 value in another. */
static const char vs[] = "VERT\n"
                         "DCL SV[0], VERTEXID\n"
                         "DCL IN[0]\n"
                         "DCL OUT[0], POSITION\n"
                         "DCL OUT[1], GENERIC[0]\n"
                         "DCL OUT[2], GENERIC[1]\n"
                         "  0: MOV OUT[0], IN[0]\n"
                         "  1: MOV OUT[1], SV[0].xxxx\n"
                         "  2: MOV OUT[2], SV[0].xxxx\n"
                         "  3: END\n";
/* Emits each point unchanged. */
static const char gs[] = "GEOM\n"
                         "PROPERTY GS_INPUT_PRIMITIVE POINTS\n"
                         "PROPERTY GS_OUTPUT_PRIMITIVE POINTS\n"
                         "PROPERTY GS_MAX_OUTPUT_VERTICES 1\n"
                         "PROPERTY GS_INVOCATIONS 1\n"
                         "DCL IN[][0], POSITION\n"
                         "DCL IN[][1], GENERIC[0]\n"
                         "DCL IN[][2], GENERIC[1]\n"
                         "DCL OUT[0], POSITION\n"
                         "DCL OUT[1], GENERIC[0]\n"
                         "DCL OUT[2], GENERIC[1]\n"
                         "IMM[0] UINT32 {0, 0, 0, 0}\n"
                         "MOV OUT[0], IN[0][0]\n"
                         "MOV OUT[1], IN[0][1]\n"
                         "MOV OUT[2], IN[0][2]\n"
                         "EMIT IMM[0].xxxx\n"
                         "END\n";
static const char fs[] = "FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {1, 1, 1, 1}\n"
                         "  0: MOV OUT[0], IMM[0]\n  1: END\n";

enum { VALUES = 8, STORED = POINTS * (VALUES + 1) };

static void
begin_stage(struct player *player, const char *settings, bool timed, enum virgl_stage stage)
{
    static float positions[POINTS][4];
    static const uint32_t outputs[] = {STREAMED(0, 0, 4, 0, 0), 0, STREAMED(1, 0, 4, 0, 4), 0,
                                       STREAMED(2, 0, 1, 1, 0), 0};
    struct params params;
    struct error err = {""};
    struct stream s = {0};
    assert_true(params_load_preset(&params, "reference-2008", &err));
    settings_apply(&params, NULL, MACHINE);
    settings_apply(&params, NULL, settings);
    player_start(player, &params, timed, NULL);
    for (uint32_t i = 0; i < POINTS; i++)
        positions[i][0] = (float)i;
    player_create(player,
                  (struct resource_desc){RES_VERTICES, TARGET_BUFFER, FORMAT_R8_UNORM,
                                         BIND_VERTEX_BUFFER, sizeof positions, 1, 1, 1, 0, 0});
    player_create(player, (struct resource_desc){RES_COLOR, TARGET_2D, FORMAT_B8G8R8A8_UNORM,
                                                 BIND_RENDER_TARGET, SIZE, SIZE, 1, 1, 0, 0});
    for (uint32_t b = 0; b < 2; b++)
        player_create(player, (struct resource_desc){RES_STREAM + b, TARGET_BUFFER, FORMAT_R8_UNORM,
                                                     BIND_STREAM_OUTPUT, 1 << 16, 1, 1, 1, 0, 0});
    player_put(player, RES_VERTICES, positions, sizeof positions);
    scene_states(&s, 0);
    scene_shaders(&s, vs, fs);
    CREATE(&s, VOBJ_VERTEX_ELEMENTS, OBJ_ELEMENTS, 0, 0, 0, FORMAT_R32G32B32A32_FLOAT);
    scene_surfaces(&s, FORMAT_B8G8R8A8_UNORM, 0);
    scene_bind(&s);
    stream_storing_shader(&s, OBJ_STREAM, stage, stage == VSTAGE_GEOMETRY ? gs : vs,
                          (const uint32_t[]){VALUES, 1, 0, 0}, outputs, 3);
    CREATE(&s, VOBJ_STREAMOUT_TARGET, OBJ_STREAM + 1, RES_STREAM, 16, 1 << 15);
    CREATE(&s, VOBJ_STREAMOUT_TARGET, OBJ_STREAM + 2, RES_SECOND, 4, 2 * POINTS * 4);
    CREATE(&s, VOBJ_RASTERIZER, OBJ_STREAM + 3,
           RASTERIZER_DEPTH_CLIP | RASTERIZER_HALF_PIXEL_CENTER | RASTERIZER_DISCARD, float_bits(1),
           0, 0, float_bits(1), 0, 0, 0);
    stream_bind_shader(&s, OBJ_STREAM, stage);
    stream_bind(&s, VOBJ_RASTERIZER, OBJ_STREAM + 3);
    PACKET(&s, CMD_SET_VERTEX_BUFFERS, 16, 0, RES_VERTICES);
    scene_viewport(&s, SIZE, SIZE);
    PACKET(&s, CMD_SET_STREAMOUT_TARGETS, 0, OBJ_STREAM + 1, OBJ_STREAM + 2);
    player_submit(player, &s);
}

static void
begin(struct player *player, const char *settings, bool timed)
{
    begin_stage(player, settings, timed, VSTAGE_VERTEX);
}

static void
draw(struct player *player, enum primitive mode, uint32_t vertices)
{
    struct stream s = {0};
    stream_draw(&s, mode, 0, vertices);
    player_submit(player, &s);
}

/* Checks the stored values: x = index, 0, 0, 0 or 1, and four times the index as an integer. */
static void
check_values(struct player *player, uint32_t draws)
{
    const uint8_t *bytes = player->sim.device.memory.bytes;
    const uint32_t first = gpu_resource(&player->sim.device, 1, RES_STREAM)->address + 16;
    const uint32_t second = gpu_resource(&player->sim.device, 1, RES_SECOND)->address + 4;
    for (uint32_t i = 0; i < draws * POINTS; i++) {
        const uint32_t index = i % POINTS, at = first + i * VALUES * 4;
        float position[4];
        uint32_t numbers[4], number;
        memcpy(position, bytes + at, sizeof position);
        memcpy(numbers, bytes + at + 16, sizeof numbers);
        memcpy(&number, bytes + second + i * 4, sizeof number);
        assert_true(position[0] == (float)index);
        assert_int_equal(numbers[3], index);
        assert_int_equal(number, index);
    }
    uint32_t end;
    memcpy(&end, bytes + first + draws * POINTS * VALUES * 4, sizeof end);
    assert_int_equal(end, 0);
}

struct figures {
    uint64_t cycles, stored, written, stream_cycles;
    uint64_t store, bandwidth; /* cycles of the critical path */
};

static struct figures
run_vertices(const char *settings, enum primitive mode, uint32_t vertices)
{
    struct player player = {0};
    begin(&player, settings, true);
    draw(&player, mode, vertices);
    if (vertices == POINTS)
        check_values(&player, 1);
    const struct machine *m = player.sim.machine;
    const struct figures f = {m->accounting.stats.cycles[WORK_DRAW],
                              m->primasm->stats.stream_bytes,
                              m->memctl->stats.client_bytes_written[CLIENT_stream],
                              m->primasm->stats.stream_cycles,
                              m->clock.path.cycles[CAUSE_store],
                              m->clock.path.cycles[CAUSE_bandwidth_stream]};
    assert_int_equal(m->accounting.stats.cycles[WORK_FLUSH], 0);
    player_end(&player);
    return f;
}

static struct figures
run(const char *settings)
{
    return run_vertices(settings, PRIM_POINTS, POINTS);
}

/* A point has 9 values. At 1 value per cycle, 300 points take 2700 cycles; at 2, 1350. */
static void
rate_bounds(void **state)
{
    (void)state;
    const struct figures one = run("PRIMITIVEASSEMBLY.StreamOutputRate=1");
    const struct figures two = run("PRIMITIVEASSEMBLY.StreamOutputRate=2");
    assert_int_equal(one.stored, STORED * 4);
    assert_int_equal(one.written, STORED * 4);
    assert_int_equal(one.stream_cycles, STORED);
    assert_int_equal(two.stream_cycles, STORED / 2);
    assert_near(one.cycles - two.cycles, STORED - STORED / 2);
    assert_near(one.store, STORED);
}

/* A triangle has 27 values, 9 cycles. Its first two vertices arrive while those of the previous
 * triangle are stored. */
static void
vertices_arrive_meanwhile(void **state)
{
    (void)state;
    const char *three = "PRIMITIVEASSEMBLY.StreamOutputRate=3 MEMORYCONTROLLER.MemoryBuses=4";
    assert_near(run_vertices(three, PRIM_TRIANGLES, POINTS).cycles -
                    run_vertices(three, PRIM_TRIANGLES, POINTS / 2).cycles,
                POINTS / 6 * 9);
}

/* The first buffer holds 300 x 32 bytes starting at offset 16, the second 300 x 4 bytes starting at
 * offset 4: 151 and 19 transactions. The vertices have 300 x 16 bytes, 19 lines of 4 transactions.
 * With a memory clock of half the rate, each transaction takes 32 cycles more. */
static void
bandwidth_bounds(void **state)
{
    (void)state;
#define NARROW "PRIMITIVEASSEMBLY.StreamOutputRate=64 MEMORYCONTROLLER.MemoryBusWidth=8 "
    const struct figures two = run(NARROW "MEMORYCONTROLLER.MemoryFrequency=2 "
                                          "MEMORYCONTROLLER.BurstLength=64");
    const struct figures one = run(NARROW "MEMORYCONTROLLER.BurstLength=64");
    assert_near(two.cycles - one.cycles, (151 + 19 + 19 * 4) * 32);
    assert_near(two.bandwidth - one.bandwidth, (151 + 19) * 32);
}

/* The second draw continues the buffers. Both renderers store the same values. */
static void
draws_continue(void **state)
{
    (void)state;
    for (int timed = 0; timed < 2; timed++) {
        struct player player = {0};
        begin(&player, "PRIMITIVEASSEMBLY.StreamOutputRate=4", timed);
        draw(&player, PRIM_POINTS, POINTS);
        draw(&player, PRIM_POINTS, POINTS);
        check_values(&player, 2);
        player_end(&player);
    }
}

/* A geometry program stores the same values at the same rate, and through its own port. */
static void
geometry_programs_store(void **state)
{
    uint64_t cycles[2];
    (void)state;
    for (uint32_t rate = 1; rate <= 2; rate++) {
        struct player player = {0};
        begin_stage(&player, settings("PRIMITIVEASSEMBLY.StreamOutputRate=%u", rate), true,
                    VSTAGE_GEOMETRY);
        draw(&player, PRIM_POINTS, POINTS);
        check_values(&player, 1);
        draw(&player, PRIM_POINTS, POINTS);
        check_values(&player, 2);
        const struct machine *m = player.sim.machine;
        assert_int_equal(m->geomasm->stats.stream_bytes, 2 * STORED * 4);
        assert_int_equal(m->memctl->stats.client_bytes_written[CLIENT_emitted_stream],
                         2 * STORED * 4);
        assert_int_equal(m->geomasm->stats.stream_cycles, 2 * STORED / rate);
        assert_int_equal(m->primasm->stats.stream_bytes, 0);
        cycles[rate - 1] = m->accounting.stats.cycles[WORK_DRAW];
        player_end(&player);
    }
    assert_near(cycles[0] - cycles[1], STORED);
}

/* Without timing, the same geometry program stores the same values. */
static void
geometry_programs_store_without_timing(void **state)
{
    struct player player = {0};
    (void)state;
    begin_stage(&player, "PRIMITIVEASSEMBLY.StreamOutputRate=4", false, VSTAGE_GEOMETRY);
    draw(&player, PRIM_POINTS, POINTS);
    check_values(&player, 1);
    player_end(&player);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rate_bounds),
                                       cmocka_unit_test(vertices_arrive_meanwhile),
                                       cmocka_unit_test(bandwidth_bounds),
                                       cmocka_unit_test(draws_continue),
                                       cmocka_unit_test(geometry_programs_store),
                                       cmocka_unit_test(geometry_programs_store_without_timing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
