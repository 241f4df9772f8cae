/* Unit states when one unit limits the machine. Earlier units are blocked, later units are starved,
 * and the unit itself is busy. The machine is ideal except for one rate. */
#include "rigs/ideal_rig.h"

enum { FEW = 4, SLOW = 16, CLIPPED = 100, SENT = 3 * TRIANGLES * 5, PAIRED_QUADS = QUADS / 2 };

static void
clipped_triangles(struct rig *rig)
{
    static const float vertices[3][4] = {{-1, -1, 0, 1}, {-0.8f, -1, 0, 1}, {-1, -0.8f, -2, 1}};
    rig_draw_triangles(rig, vertices, CLIPPED);
    rig_assert_figure(rig, "setup.triangles_out", 2 * CLIPPED);
}

/* The machine has two of each of these units. The expected cycles are per unit. */
#define PAIRS " shader texunit zstencil colorwrite "

struct expected {
    const char *unit, *state;
    uint64_t least, most;
};

/* For triangles without pixels these units handle only the end of the draw. */
#define NO_PIXELS                                                                                  \
    {"fraggen", "busy", 1, FEW}, {"hz", "busy", 1, FEW}, {"interpolator", "busy", 1, FEW},         \
        {"zstencil", "busy", 1, FEW}, {"colorwrite", "busy", 1, FEW},                              \
    {                                                                                              \
        "texunit", "busy", 0, 0                                                                    \
    }
/* After a few triangles the units at the front of the pipeline have no work. */
#define FRONT_IS_DONE(cycles)                                                                      \
    {"primasm", "starved", cycles, UINT64_MAX}, {"clipper", "starved", cycles, UINT64_MAX},        \
        {"setup", "starved", cycles, UINT64_MAX}, {"clipper", "busy", 1, FEW},                     \
        {"setup", "busy", 1, FEW},                                                                 \
    {                                                                                              \
        "streamer", "blocked", 0, 0                                                                \
    }

/* Queues and ports of the usual size. */
#define FEW_WAIT                                                                                   \
    "RASTERIZER.GeneratedStampQueueSize=256 RASTERIZER.EarlyZQueueSize=256 "                       \
    "RASTERIZER.EarlyZTestedStampQueueSize=32 RASTERIZER.TilesPerCycle=2 "                         \
    "RASTERIZER.ShaderInputQueueSize=128 RASTERIZER.ShadedStampQueueSize=640 "                     \
    "COLORWRITE.ColorCachePorts=1"

/* Short queues, which fill at once. */
#define SHORT_QUEUES                                                                               \
    FEW_WAIT " ZSTENCILTEST.ReadQueueSize=1 ZSTENCILTEST.OpQueueSize=1 "                           \
             "ZSTENCILTEST.WriteQueueSize=1 RASTERIZER.ShaderOutputQueueSize=1 "                   \
             "COLORWRITE.InputQueueSize=2 COLORWRITE.FetchQueueSize=1 "                            \
             "FRAGMENTSHADER.ExecutableThreads=64"

static const struct {
    int real; /* enum ideal_number of the resource that is not ideal, or ALL_IDEAL */
    const char *settings;
    void (*scene)(struct rig *rig);
    struct expected expected[24];
} cases[] = {
    /* a vertex takes the bus for five cycles; the third one completes a triangle */
    {ALL_IDEAL,
     "STREAMER.VerticesCycle=1 STREAMER.AttributesSentCycle=1",
     frame_outputs,
     {{"streamer", "waiting", SENT / 2, SENT},
      {"streamer", "blocked", 0, 0},
      {"primasm", "busy", 3 * TRIANGLES, 3 * TRIANGLES + FEW},
      {"primasm", "starved", SENT - 3 * TRIANGLES, UINT64_MAX},
      {"clipper", "busy", TRIANGLES, TRIANGLES + FEW},
      {"clipper", "starved", SENT - TRIANGLES, UINT64_MAX},
      {"setup", "busy", TRIANGLES, TRIANGLES + FEW},
      {"setup", "starved", SENT - TRIANGLES, UINT64_MAX},
      NO_PIXELS}},
    /* the unit starts one triangle every SLOW cycles and waits between them; the queues before it
     * have at most 256 places */
    {ALL_IDEAL,
     "CLIPPER.ClipperUnits=1 CLIPPER.StartLatency=16",
     frame_unseen_triangles,
     {{"clipper", "busy", TRIANGLES, TRIANGLES + FEW},
      {"clipper", "waiting", (TRIANGLES - 1) * (SLOW - 1), (TRIANGLES - 1) * (SLOW - 1)},
      {"clipper", "blocked", 0, 0},
      {"primasm", "blocked", TRIANGLES / 2 * SLOW, UINT64_MAX},
      {"primasm", "waiting", 0, 0},
      {"streamer", "blocked", TRIANGLES / 2 * SLOW, UINT64_MAX},
      {"setup", "busy", TRIANGLES, TRIANGLES + FEW},
      {"setup", "starved", (TRIANGLES - 1) * (SLOW - 1), UINT64_MAX},
      NO_PIXELS}},
    {ALL_IDEAL,
     "RASTERIZER.SetupUnits=1 RASTERIZER.SetupStartLatency=16",
     frame_unseen_triangles,
     {{"setup", "busy", TRIANGLES, TRIANGLES + FEW},
      {"setup", "waiting", (TRIANGLES - 1) * (SLOW - 1), (TRIANGLES - 1) * (SLOW - 1)},
      {"setup", "blocked", 0, 0},
      {"clipper", "blocked", TRIANGLES / 2 * SLOW, UINT64_MAX},
      {"clipper", "waiting", 0, 0},
      {"primasm", "blocked", TRIANGLES / 2 * SLOW, UINT64_MAX},
      {"streamer", "blocked", TRIANGLES / 2 * SLOW, UINT64_MAX},
      NO_PIXELS}},
    /* the near plane cuts each triangle in two */
    {ALL_IDEAL,
     "RASTERIZER.SetupUnits=1 RASTERIZER.SetupStartLatency=16",
     clipped_triangles,
     {{"setup", "busy", 2 * CLIPPED, 2 * CLIPPED + FEW},
      {"setup", "waiting", (2 * CLIPPED - 1) * (SLOW - 1), (2 * CLIPPED - 1) * (SLOW - 1)},
      {"setup", "blocked", 0, 0}}},
    /* four attributes take two cycles per quad */
    {ALL_IDEAL,
     "RASTERIZER.NumInterpolators=1 RASTERIZER.InterpolatedStampsPerCycle=0 " FEW_WAIT,
     frame_varyings,
     {{"interpolator", "busy", 2 * QUADS, 2 * QUADS + FEW},
      {"fraggen", "blocked", QUADS, UINT64_MAX},
      {"fraggen", "waiting", 0, 0},
      {"hz", "blocked", QUADS, UINT64_MAX},
      {"hz", "waiting", 0, 0},
      {"zstencil", "blocked", PAIRED_QUADS, UINT64_MAX},
      {"zstencil", "waiting", 0, QUADS / 50},
      {"sched", "blocked", 0, 0},
      {"colorwrite", "blocked", 0, 0},
      FRONT_IS_DONE(2 * QUADS)}},
    /* an element of four bytes takes four turns of a port */
    {ALL_IDEAL,
     "ZSTENCILTEST.StampsPerCycle=1 ZSTENCILTEST.BytesPerPixel=1 " FEW_WAIT,
     frame_layers,
     {{"zstencil", "busy", 4 * PAIRED_QUADS, 4 * PAIRED_QUADS + QUADS / 50},
      {"zstencil", "blocked", 0, 0},
      {"fraggen", "blocked", QUADS, UINT64_MAX},
      {"hz", "blocked", QUADS, UINT64_MAX},
      {"hz", "waiting", 0, 0},
      {"interpolator", "blocked", 0, 0},
      {"interpolator", "busy", QUADS / 2, QUADS + FEW},
      {"shader", "blocked", 0, 0},
      FRONT_IS_DONE(4 * PAIRED_QUADS)}},
    {ALL_IDEAL,
     "COLORWRITE.StampsPerCycle=1 COLORWRITE.BytesPerPixel=1 " SHORT_QUEUES,
     frame_layers,
     {/* the last quad leaves in the first cycle of its four passes */
      {"colorwrite", "busy", 4 * PAIRED_QUADS - 3, 4 * PAIRED_QUADS + QUADS / 50},
      {"colorwrite", "blocked", 0, 0},
      {"fraggen", "blocked", QUADS / 2, UINT64_MAX},
      {"hz", "blocked", QUADS / 2, UINT64_MAX},
      {"zstencil", "blocked", PAIRED_QUADS / 2, UINT64_MAX},
      {"zstencil", "busy", PAIRED_QUADS, 2 * PAIRED_QUADS},
      {"interpolator", "blocked", QUADS / 2, UINT64_MAX},
      {"interpolator", "waiting", 0, 0},
      {"sched", "blocked", QUADS / 2, UINT64_MAX},
      {"sched", "waiting", 0, QUADS / 50},
      FRONT_IS_DONE(4 * PAIRED_QUADS)}},
    /* With eight registers per thread, the registers suffice for twelve quads per unit. Each quad
     * waits for eight dependent texels, then executes the MOV. */
    {ALL_IDEAL,
     IN_TURN " FRAGMENTSHADER.ThreadResources=384 FRAGMENTSHADER.PerfectTextures=FALSE "
             "FRAGMENTSHADER.TextureSamplesPerCycle=1 "
             "RASTERIZER.ShadedStampsPerCycle=0 FRAGMENTSHADER.AddressALULatency=100",
     frame_texels,
     {{"shader", "busy", PIXELS / 4, PIXELS / 4 * (TEXELS + 1) + QUADS / 50},
      {"shader", "waiting", PIXELS / 4 * (TEXELS + 1), UINT64_MAX},
      {"shader", "blocked", 0, 0},
      {"texunit", "busy", PIXELS / 4 * TEXELS, PIXELS / 4 * (TEXELS + 2)},
      {"texunit", "blocked", 0, 0},
      {"sched", "waiting", PIXELS / 4 * 2 * (TEXELS + 1), UINT64_MAX},
      {"colorwrite", "starved", PIXELS / 4 * 2 * (TEXELS + 1), UINT64_MAX},
      FRONT_IS_DONE(PIXELS / 4 * 2 * (TEXELS + 1))}},
    /* Each of four transactions takes four cycles: request, arrival, write and end. Both slices
     * take the order. */
    {IDEAL_memory,
     "MEMORYCONTROLLER.ReadLatency=1000 MEMORYCONTROLLER.WriteLatency=1000",
     frame_small_blit,
     {{"blitter", "busy", 4 * 4 + 2, 4 * 4 + 2 + FEW},
      {"blitter", "waiting", 2 * 1000, 2 * 1000 + 50},
      {"blitter", "blocked", 0, 0}}},
    /* the quads of a unit issue one instruction per cycle */
    {IDEAL_shader,
     "RASTERIZER.InterpolatedStampQueueSize=16 " FEW_WAIT,
     frame_long_fragments,
     {{"shader", "busy", PIXELS / 8 * INSTRUCTIONS, PIXELS / 8 * INSTRUCTIONS + FEW},
      {"shader", "blocked", 0, 0},
      {"sched", "waiting", PIXELS / 8 * INSTRUCTIONS * 9 / 10, UINT64_MAX},
      {"sched", "blocked", 0, 0},
      {"interpolator", "blocked", PIXELS / 8 * INSTRUCTIONS / 2, UINT64_MAX},
      {"interpolator", "waiting", 0, 0},
      {"zstencil", "blocked", PIXELS / 8 * INSTRUCTIONS / 2, UINT64_MAX},
      {"colorwrite", "starved", PIXELS / 8 * INSTRUCTIONS * 9 / 10, UINT64_MAX},
      FRONT_IS_DONE(PIXELS / 8 * INSTRUCTIONS)}},
};

static uint64_t
cycles_of(const struct rig *rig, const char *unit, const char *state)
{
    char name[64], one[64];
    snprintf(name, sizeof name, "%s.%s_cycles", unit, state);
    snprintf(one, sizeof one, " %s ", unit);
    return rig_figure(rig, name) / (strstr(PAIRS, one) ? 2 : 1);
}

static void
one_has_the_work(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rig *rig = rig_create_ideal(cases[i].real, cases[i].settings);
        cases[i].scene(rig);
        for (const struct expected *e = cases[i].expected; e->unit; e++) {
            const uint64_t cycles = cycles_of(rig, e->unit, e->state);
            if (cycles < e->least || cycles > e->most)
                fail_msg("%s: %s is %s for %llu cycles, not %llu to %llu", cases[i].settings,
                         e->unit, e->state, (unsigned long long)cycles,
                         (unsigned long long)e->least, (unsigned long long)e->most);
        }
        rig_destroy(rig);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_has_the_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
