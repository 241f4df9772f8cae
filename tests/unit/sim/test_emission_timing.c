/* Micro-benchmarks of geometry shading. The expected cycles are computed here; measured cycles may
 * differ by 3 %. */
#include "rigs/player.h"
#include "rigs/scene.h"
#include "rigs/settings.h"

#include <math.h>
#include <string.h>

enum { SIZE = 16, MOST = 2048, OBJ_GS = 140, OUTPUTS = 2, GROUP = 16, EMITTED = 4 };

/* Everything else is fast: instructions take one cycle, and memory has no latency. */
static const char *const fast[] = {
    "MEMORYCONTROLLER.MemorySize=4194304 SHADER.Mode=instant FRAGMENTSHADER.ThreadGroup=16 "
    "FRAGMENTSHADER.OutputsPerCycle=1024 FRAGMENTSHADER.InputsPerCycle=1024",
    "STREAMER.IndicesCycle=64 STREAMER.AttributesCycle=64 STREAMER.VerticesCycle=64 "
    "STREAMER.AttributesSentCycle=64 STREAMER.InputCachePortWidth=4096",
    "PRIMITIVEASSEMBLY.VerticesCycle=64 PRIMITIVEASSEMBLY.TrianglesCycle=64 "
    "PRIMITIVEASSEMBLY.AssemblyQueueSize=256 RASTERIZER.VertexInputQueueSize=1024 "
    "RASTERIZER.ShadedVertexQueueSize=1024",
    "RASTERIZER.GroupLinger=64 CLIPPER.ClipBufferSize=256 CLIPPER.TrianglesCycle=64 "
    "CLIPPER.ClipperUnits=64",
    "MEMORYCONTROLLER.MemoryControllerV2=TRUE MEMORYCONTROLLER.V2PerfectMemory=TRUE "
    "MEMORYCONTROLLER.V2MemoryChannels=64 MEMORYCONTROLLER.V2BurstElementsPerCycle=16",
};

/* One channel of 4 cycles per transaction: 64 bytes / (2 x 8 bytes per cycle). The bus changes its
 * direction in no time. */
#define ONE_CHANNEL                                                                                \
    "MEMORYCONTROLLER.MemoryControllerV2=FALSE MEMORYCONTROLLER.MemoryBuses=1 "                    \
    "MEMORYCONTROLLER.MemoryBusWidth=64 MEMORYCONTROLLER.BurstLength=8 "                           \
    "MEMORYCONTROLLER.PageOpenLatency=0 MEMORYCONTROLLER.WriteToReadLatency=0 "                    \
    "MEMORYCONTROLLER.ReadLatency=0 MEMORYCONTROLLER.WriteLatency=0"

/* All vertices are outside of the frustum, so the Clipper rejects what is emitted. */
static const char vs[] = "VERT\n"
                         "DCL IN[0]\n"
                         "DCL OUT[0], POSITION\n"
                         "DCL OUT[1], GENERIC[0]\n"
                         "  0: MOV OUT[0], IN[0]\n"
                         "  1: MOV OUT[1], IN[0]\n"
                         "  2: END\n";
static const char fs[] = "FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {1, 1, 1, 1}\n"
                         "  0: MOV OUT[0], IMM[0]\n  1: END\n";

enum { ITERATION = 5 }; /* instructions: FSGE, UIF, ENDIF, ADD and ENDLOOP */

/* Writes a program that emits `emitted` points after a loop of `iterations`. With `only_first`,
 * only primitive 0 enters the loop. */
static void
write_program(char *text, size_t capacity, uint32_t emitted, uint32_t iterations, bool only_first)
{
    size_t at = (size_t)snprintf(text, capacity,
                                 "GEOM\n"
                                 "PROPERTY GS_INPUT_PRIMITIVE POINTS\n"
                                 "PROPERTY GS_OUTPUT_PRIMITIVE POINTS\n"
                                 "PROPERTY GS_MAX_OUTPUT_VERTICES %u\n"
                                 "PROPERTY GS_INVOCATIONS 1\n"
                                 "DCL IN[][0], POSITION\n"
                                 "DCL IN[][1], PRIM_ID\n"
                                 "DCL OUT[0], POSITION\n"
                                 "DCL OUT[1], GENERIC[0]\n"
                                 "DCL TEMP[0..1]\n"
                                 "IMM[0] FLT32 {3, 1, 0, %u}\n"
                                 "IMM[1] UINT32 {0, 0, 0, 0}\n"
                                 "MOV TEMP[0], IMM[0].zzzz\n%s",
                                 (unsigned)EMITTED, iterations,
                                 only_first ? "USEQ TEMP[1].x, IN[1].xxxx, IMM[1].xxxx\n"
                                              "UIF TEMP[1].xxxx :9\n"
                                            : "");
    if (iterations)
        at += (size_t)snprintf(text + at, capacity - at,
                               "BGNLOOP :8\n"
                               "FSGE TEMP[1].x, TEMP[0].xxxx, IMM[0].wwww\n"
                               "UIF TEMP[1].xxxx :6\n"
                               "BRK\n"
                               "ENDIF\n"
                               "ADD TEMP[0], TEMP[0], IMM[0].yyyy\n"
                               "ENDLOOP :2\n%s",
                               only_first ? "ENDIF\n" : "");
    for (uint32_t i = 0; i < emitted; i++)
        at += (size_t)snprintf(text + at, capacity - at,
                               "MOV OUT[0], IMM[0].xxxy\nMOV OUT[1], TEMP[0]\nEMIT IMM[1].xxxx\n");
    assert_true(at + (size_t)snprintf(text + at, capacity - at, "END\n") < capacity);
}

struct program_shape {
    uint32_t emitted, iterations;
    bool only_first;
};

struct figures {
    double cycles, order, buffer, entries, memory, overflow;
    double written, read;
};

static void
prepare(struct player *player, const struct program_shape *shape)
{
    static float positions[MOST][4];
    char gs[2048];
    write_program(gs, sizeof gs, shape->emitted, shape->iterations, shape->only_first);
    struct stream s = {0};
    for (uint32_t i = 0; i < MOST; i++)
        memcpy(positions[i], (float[]){2, 2, 2, 1}, sizeof positions[i]);
    player_scene(player, &s, vs, fs, positions, sizeof positions, SIZE);
    stream_shader(&s, OBJ_GS, VSTAGE_GEOMETRY, gs);
    stream_bind_shader(&s, OBJ_GS, VSTAGE_GEOMETRY);
    player_submit(player, &s);
}

static struct figures
run(const char *settings, const struct program_shape *shape, uint32_t points)
{
    struct player player = {0};
    struct params params;
    struct error err = {""};
    struct stream s = {0};
    assert_true(params_load_preset(&params, "reference-2008", &err));
    for (size_t i = 0; i < sizeof fast / sizeof fast[0]; i++)
        settings_apply(&params, NULL, fast[i]);
    settings_apply(&params, NULL, settings);
    player_start(&player, &params, true, NULL);
    prepare(&player, shape);
    stream_draw(&s, PRIM_POINTS, 0, points);
    player_submit(&player, &s);
    /* a readback waits for the draw */
    uint32_t pixels[SIZE * SIZE];
    player_get(&player, RES_COLOR, SIZE, SIZE, pixels);
    const struct machine *m = player.sim.machine;
    const struct geomasm_stats *stats = &m->geomasm->stats;
    assert_int_equal(stats->primitives_in, points);
    assert_int_equal(stats->vertices, points * shape->emitted);
    const struct figures f = {.cycles = (double)m->accounting.stats.cycles[WORK_DRAW],
                              .order = (double)stats->cycles_order,
                              .buffer = (double)stats->cycles_buffer,
                              .entries = (double)stats->cycles_entries,
                              .memory = (double)stats->cycles_memory,
                              .overflow = (double)stats->overflow_primitives,
                              .written =
                                  (double)m->memctl->stats.client_bytes_written[CLIENT_emission],
                              .read = (double)m->memctl->stats.client_bytes_read[CLIENT_emission]};
    player_end(&player);
    return f;
}

static void
assert_near(const char *what, double measured, double expected)
{
    if (fabs(measured - expected) > 0.03 * expected)
        fail_msg("%s: %.0f, not %.0f", what, measured, expected);
}

#define IN_MEMORY "GEOMETRYASSEMBLY.OnChipPrimitives=65536 "
#define ON_CHIP   "GEOMETRYASSEMBLY.OnChipPrimitives=0 "

enum {
    ITERATIONS = 400,
    CHAIN = ITERATIONS * ITERATION,
    PRIMITIVE_BYTES = EMITTED * OUTPUTS * 16,
    HALF = MOST / 2,
    GROUP_REQUESTS = GROUP * 2 * PRIMITIVE_BYTES / 64
};

/* Doubling the number of primitives adds this many cycles. Each case has one limit:
 * - Rate: the emitted vertices, or the primitives, divided by the parameter.
 * - Capacity: the buffer, the entries or the ring in memory hold one group at a time. A group takes
 *   CHAIN instructions of one cycle. A primitive reserves room for EMITTED vertices even if it
 *   emits fewer. A group in memory is also written and read.
 * - Memory traffic: each primitive in memory has PRIMITIVE_BYTES, which are written and later read
 *   in transactions of 64 bytes. The unit sends one request per cycle. On one channel, a
 *   transaction takes 4 cycles, and the vertices of four points take one more transaction. */
static void
rates_agree_with_arithmetic(void **state)
{
    static const struct {
        const char *settings;
        struct program_shape shape;
        uint32_t points;
        double cycles;
    } cases[] = {
        {"PRIMITIVEASSEMBLY.VerticesCycle=1", {.emitted = EMITTED}, HALF, HALF * EMITTED},
        {"PRIMITIVEASSEMBLY.VerticesCycle=2", {.emitted = EMITTED}, HALF, HALF * EMITTED / 2},
        {"PRIMITIVEASSEMBLY.TrianglesCycle=1", {.emitted = 0}, HALF, HALF},
        {"PRIMITIVEASSEMBLY.TrianglesCycle=2", {.emitted = 0}, HALF, HALF / 2},
        {ON_CHIP "GEOMETRYASSEMBLY.BufferSize=2048",
         {.emitted = EMITTED, .iterations = ITERATIONS},
         8 * GROUP,
         8 * CHAIN},
        {ON_CHIP "GEOMETRYASSEMBLY.BufferSize=2048",
         {.emitted = 1, .iterations = ITERATIONS},
         8 * GROUP,
         8 * CHAIN},
        {"GEOMETRYASSEMBLY.Entries=16",
         {.emitted = EMITTED, .iterations = ITERATIONS},
         8 * GROUP,
         8 * CHAIN},
        {IN_MEMORY "GEOMETRYASSEMBLY.OverflowSize=2048",
         {.emitted = EMITTED, .iterations = ITERATIONS},
         8 * GROUP,
         8 * (CHAIN + GROUP_REQUESTS)},
        {IN_MEMORY, {.emitted = EMITTED}, HALF, HALF * 2.0 * PRIMITIVE_BYTES / 64},
        {IN_MEMORY ONE_CHANNEL,
         {.emitted = EMITTED},
         HALF,
         HALF * (2.0 * PRIMITIVE_BYTES / 64 + 0.25) * 4},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct figures one = run(cases[i].settings, &cases[i].shape, cases[i].points);
        const struct figures two = run(cases[i].settings, &cases[i].shape, 2 * cases[i].points);
        assert_near(cases[i].settings, two.cycles - one.cycles, cases[i].cycles);
    }
}

/* The draw goes to memory only if the buffer has no room for 32 primitives. */
static void
large_draws_go_to_memory(void **state)
{
    const struct program_shape shape = {.emitted = EMITTED};
    (void)state;
    const struct figures fits = run("GEOMETRYASSEMBLY.BufferSize=4096", &shape, HALF);
    const struct figures large = run("GEOMETRYASSEMBLY.BufferSize=4095", &shape, HALF);
    assert_true(fits.overflow == 0 && fits.written == 0 && fits.read == 0 && fits.memory == 0);
    assert_true(large.overflow == HALF);
    assert_true(large.written == HALF * PRIMITIVE_BYTES && large.read == large.written);
    assert_true(large.memory > 0);
}

/* The loop of the first primitive delays the collection of all later primitives. */
static void
order_delays_later_primitives(void **state)
{
    const struct program_shape brief = {.emitted = 1, .iterations = 20, .only_first = true};
    const struct program_shape slow = {
        .emitted = 1, .iterations = 20 + ITERATIONS, .only_first = true};
    (void)state;
    const struct figures a = run("", &brief, 8 * GROUP), b = run("", &slow, 8 * GROUP);
    assert_near("cycles", b.cycles - a.cycles, CHAIN);
    assert_near("cycles of order", b.order - a.order, CHAIN);
}

/* While a group is shaded, the next primitive waits for room, or for an entry. */
static void
waiting_primitives_are_counted(void **state)
{
    const struct program_shape shape = {.emitted = EMITTED, .iterations = ITERATIONS};
    static const struct {
        const char *settings;
        double cycles;
    } buffers[] = {
        {ON_CHIP "GEOMETRYASSEMBLY.BufferSize=2048", 7 * CHAIN},
        {IN_MEMORY "GEOMETRYASSEMBLY.OverflowSize=2048", 7 * (CHAIN + GROUP_REQUESTS)},
    };
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const struct figures f = run(buffers[i].settings, &shape, 8 * GROUP);
        assert_near(buffers[i].settings, f.buffer, buffers[i].cycles);
        assert_true(f.entries == 0);
    }
    const struct figures f = run("GEOMETRYASSEMBLY.Entries=16", &shape, 8 * GROUP);
    assert_near("entries", f.entries, 8 * CHAIN); /* the end of the draw has an entry, too */
    assert_true(f.buffer == 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rates_agree_with_arithmetic),
                                       cmocka_unit_test(large_draws_go_to_memory),
                                       cmocka_unit_test(order_delays_later_primitives),
                                       cmocka_unit_test(waiting_primitives_are_counted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
