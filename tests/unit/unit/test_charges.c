/* Each cause of the critical path separately. The machine is ideal (ideals.def), except for one
 * rate or latency that determines the cycles of a scene. The calculated cycles are charged to that
 * cause. A few other cycles are charged to the arrival of the first item and the departure of the
 * last one. */
#include "rigs/ideal_rig.h"

#include <math.h>

static const struct {
    int real; /* enum ideal_number of the resource that is not ideal, or ALL_IDEAL */
    const char *settings, *cause;
    uint64_t cycles;
    void (*scene)(struct rig *rig);
} cases[] = {
    {ALL_IDEAL, "STREAMER.IndicesCycle=1", "streamer", 3 * TRIANGLES, frame_unseen_triangles},
    /* an attribute has 16 bytes */
    {ALL_IDEAL, "STREAMER.AttributesCycle=1 STREAMER.InputCachePortWidth=4", "streamer",
     VERTICES * 16 / 4, frame_vertices},
    {ALL_IDEAL, "STREAMER.AttributesCycle=1", "streamer", VERTICES, frame_vertices},
    {ALL_IDEAL, "STREAMER.VerticesCycle=1 STREAMER.AttributesSentCycle=1", "streamer",
     3 * TRIANGLES * 5, frame_outputs},
    /* the shader is faster than the transfer of its outputs */
    {IDEAL_shader, "STREAMER.VerticesCycle=1 STREAMER.AttributesSentCycle=1", "streamer",
     VERTICES * 5, frame_varied_vertices},
    /* one quad at a time */
    {ALL_IDEAL, "ZSTENCILTEST.OpQueueSize=1 ZSTENCILTEST.ZALULatency=10", "test", QUADS / 2 * 10,
     frame_layers},
    {ALL_IDEAL, "COLORWRITE.OpQueueSize=1 COLORWRITE.BlendALULatency=10", "blend", QUADS / 2 * 10,
     frame_layers},
    {ALL_IDEAL, "PRIMITIVEASSEMBLY.TrianglesCycle=1", "assembly", TRIANGLES,
     frame_unseen_triangles},
    {ALL_IDEAL, "CLIPPER.ClipperUnits=1 CLIPPER.StartLatency=4", "clip", 4 * TRIANGLES,
     frame_unseen_triangles},
    {ALL_IDEAL, "RASTERIZER.TrianglesCycle=1", "setup", TRIANGLES, frame_unseen_triangles},
    {ALL_IDEAL, "RASTERIZER.SetupUnits=1 RASTERIZER.SetupStartLatency=4", "setup", 4 * TRIANGLES,
     frame_unseen_triangles},
    {ALL_IDEAL, "RASTERIZER.StampsPerCycle=1", "generate", QUADS, frame_layers},
    /* two quads at a time, four attributes each */
    {ALL_IDEAL, "RASTERIZER.NumInterpolators=1 RASTERIZER.InterpolatedStampsPerCycle=0",
     "interpolate", QUADS / 2 * 4, frame_varyings},
    /* two units; a quad is four threads */
    {ALL_IDEAL, IN_TURN " FRAGMENTSHADER.InputsPerCycle=1", "load", QUADS / 2 * 4, frame_layers},
    {ALL_IDEAL, IN_TURN " FRAGMENTSHADER.OutputsPerCycle=1", "load", QUADS / 2 * 4, frame_layers},
    {IDEAL_shader, "", "fragment_issue", PIXELS / 4 / 2 * INSTRUCTIONS, frame_long_fragments},
    {IDEAL_shader, "", "fragment_issue", 2 * (PIXELS / 4 / 2 * INSTRUCTIONS),
     frame_two_with_constants},
    /* the four threads of a vertex group issue in one cycle */
    {IDEAL_shader, "", "vertex_issue", VERTICES / 4 / 2 * INSTRUCTIONS, frame_long_vertices},
    {IDEAL_shader, "", "result", (INSTRUCTIONS - 1) * (ADD_LATENCY - 1), frame_chain},
    /* one bilinear sample of a quad per cycle */
    {ALL_IDEAL,
     IN_TURN " FRAGMENTSHADER.PerfectTextures=FALSE FRAGMENTSHADER.TextureSamplesPerCycle=1",
     "filter", PIXELS / 4 * 2 / 2 * TEXELS, frame_texels},
    /* a pixel of 4 bytes takes two cycles at BytesPerPixel = 2 */
    {ALL_IDEAL, "ZSTENCILTEST.StampsPerCycle=1 ZSTENCILTEST.BytesPerPixel=2", "test", QUADS / 2 * 2,
     frame_layers},
    {ALL_IDEAL, "COLORWRITE.StampsPerCycle=1 COLORWRITE.BytesPerPixel=2", "blend", QUADS / 2 * 2,
     frame_layers},
    {ALL_IDEAL, "ZSTENCILTEST.ZALULatency=16", "test_place", (TRIANGLES - 1) * 16,
     frame_quad_many_times},
    {ALL_IDEAL, "COLORWRITE.BlendALULatency=16", "blend_place", (TRIANGLES - 1) * 16,
     frame_quad_many_times},
    /* each layer reads and writes the whole surface at 16 bytes per cycle */
    {IDEAL_memory,
     "MEMORYCONTROLLER.MemoryBuses=1 RASTERIZER.RasterizationBatchSize=1 "
     "COLORWRITE.ColorCacheWays=1 COLORWRITE.ColorCacheLines=4",
     "bandwidth_color", LAYERS * 2 * PIXELS * 4 / 16, frame_layers},
    {IDEAL_memory,
     "MEMORYCONTROLLER.MemoryBuses=1 RASTERIZER.RasterizationBatchSize=1 "
     "ZSTENCILTEST.ZCacheWays=1 ZSTENCILTEST.ZCacheLines=4 ZSTENCILTEST.DisableCompression=TRUE",
     "bandwidth_z", LAYERS * 2 * PIXELS * 4 / 16, frame_layers},
    {IDEAL_memory, "MEMORYCONTROLLER.MemoryBuses=1", "bandwidth_command", 16 * 4096 / 16,
     frame_uploads},
    {IDEAL_memory, "MEMORYCONTROLLER.MemoryBuses=1", "bandwidth_blit", 2 * PIXELS * 4 / 16,
     frame_blit},
    /* one slice per ROP */
    {ALL_IDEAL, "BLITTER.SamplesCycle=1", "blit", PIXELS / 2, frame_blit},
    {ALL_IDEAL, "MEMORYCONTROLLER.CommandProcessorBusWidth=8", "bus", 16 * 4096 / 8, frame_uploads},
    {ALL_IDEAL, "", "show", PIXELS * 4 / 64, frame_swap_alone},
    /* with one quad in flight latencies add up */
    {ALL_IDEAL, "FRAGMENTSHADER.AddressALULatency=50", "address", TEXELS * 50, frame_texel_chain},
    {ALL_IDEAL, "FRAGMENTSHADER.FilterALULatency=50", "filter", TEXELS * 50, frame_texel_chain},
    {ALL_IDEAL, "FRAGMENTSHADER.OutputLatency=200 VERTEXSHADER.OutputLatency=200", "load", 400,
     frame_quad},
    {IDEAL_memory, "MEMORYCONTROLLER.ReadLatency=1000", "latency_z", 1000, frame_quad},
    {IDEAL_memory, "MEMORYCONTROLLER.ReadLatency=1000", "latency_color", 1000, frame_quad},
    {IDEAL_memory, "MEMORYCONTROLLER.ReadLatency=1000", "latency_index", 1000, frame_quad},
    {IDEAL_memory, "MEMORYCONTROLLER.ReadLatency=1000", "latency_attribute", 1000, frame_quad},
    /* two lines of vertices in flight at a time */
    {IDEAL_memory,
     "MEMORYCONTROLLER.ReadLatency=400 STREAMER.InputCacheInputQueueSize=2 "
     "STREAMER.InputCacheLineSize=64 STREAMER.InputRequestQueueSize=512",
     "latency_attribute", VERTICES * 16 / 64 / 2 * 400, frame_vertices},
    {IDEAL_memory,
     "MEMORYCONTROLLER.ReadLatency=1000 FRAGMENTSHADER.PerfectTextures=FALSE "
     "FRAGMENTSHADER.TextureSamplesPerCycle=1",
     "latency_texture", 1000, frame_texel_chain},
    {ALL_IDEAL, "RASTERIZER.GroupLinger=500", "gather", 500, frame_quad},
    {ALL_IDEAL, "RASTERIZER.HZAccessLatency=500", "hierarchy", 500, frame_quad},
};

/* Charging at intervals follows the path of the item that left last. So each interval may charge
 * some latency of that item to other causes. */
enum { INTERVAL = 2000, ON_ITS_WAY = 100 };
/* An order takes a cycle. There are at most 16 uploads, a draw and a swap. */
enum { ORDERS = 18 };
/* The bus moves 64 bytes per cycle: 3600 bytes of indices, and the vertices. */
enum { BUS = (3600 + VERTICES * 16) / 64 };
static void
end_interval(void *data, uint64_t now)
{
    struct clock *clock = data;
    clock_charge_so_far(clock);
    clock->sample_cycle = now + INTERVAL;
}

static void
charge_in_intervals(struct rig *rig)
{
    struct clock *clock = &rig_machine(rig)->clock;
    clock->sample = end_interval;
    clock->sample_data = clock;
    clock->sample_cycle = INTERVAL;
}

static void
check(size_t i, bool intervals)
{
    char name[64];
    struct rig *rig = rig_create_ideal(cases[i].real, cases[i].settings);
    if (intervals)
        charge_in_intervals(rig);
    cases[i].scene(rig);
    snprintf(name, sizeof name, "lost.%s", cases[i].cause);
    const double charged = (double)rig_figure(rig, name), cycles = (double)cases[i].cycles;
    const double last = 6 + (intervals ? cycles / INTERVAL * ON_ITS_WAY : 0);
    if (fabs(charged - cycles) > last + cycles / 40)
        fail_msg("%s%s: %.0f cycles are charged to %s, not %.0f", cases[i].settings,
                 intervals ? ", in intervals" : "", charged, name, cycles);
    if (!intervals && rig_figure(rig, "lost.orders") > ORDERS)
        fail_msg("%s: %llu cycles are charged to orders", cases[i].settings,
                 (unsigned long long)rig_figure(rig, "lost.orders"));
    if (!intervals && strcmp(cases[i].cause, "bus") && rig_figure(rig, "lost.bus") > BUS)
        fail_msg("%s: %llu cycles are charged to the bus", cases[i].settings,
                 (unsigned long long)rig_figure(rig, "lost.bus"));
    rig_destroy(rig);
}

static void
each_by_itself(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check(i, false);
}

static void
in_intervals(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check(i, true);
}

/* Scenes with one item in flight, which passes a latency `times` times. A longer latency adds
 * cycles to its cause and to no other. At the front of the pipeline the latency is a hop of the
 * queue after the unit. So the bus to a unit counts for the unit before it, except for the bus of
 * the vertices. */
enum { LONGER = 15 };
#define SLOW_MEMORY                                                                                \
    "MEMORYCONTROLLER.ReadLatency=700 MEMORYCONTROLLER.WriteLatency=500 "                          \
    "FRAGMENTSHADER.PerfectTextures=FALSE FRAGMENTSHADER.TextureSamplesPerCycle=1"
static const struct {
    const char *name, *causes; /* separated and surrounded by spaces */
    int times;
    void (*scene)(struct rig *rig);
} latencies[] = {
    {"PRIMITIVEASSEMBLY.InputBusLatency", " assembly ", 1, frame_quad},
    {"CLIPPER.ExecLatency", " clip ", 1, frame_quad},
    {"CLIPPER.StartLatency", " clip ", 0, frame_quad}, /* nothing follows the only triangle */
    {"RASTERIZER.TriangleInputLatency", " clip ", 1, frame_quad},
    {"RASTERIZER.SetupLatency", " setup ", 1, frame_quad},
    {"RASTERIZER.SetupStartLatency", " setup ", 0, frame_quad},
    {"RASTERIZER.TriangleOutputLatency", " setup ", 1, frame_quad},
    {"RASTERIZER.HZAccessLatency", " hierarchy ", 1, frame_quad},
    {"RASTERIZER.GroupLinger", " gather ", 1, frame_quad},
    /* the shaders are unified, so vertices and fragments both pass */
    {"FRAGMENTSHADER.OutputLatency", " load ", 2, frame_quad},
    {"FRAGMENTSHADER.AddressALULatency", " address ", TEXELS, frame_texel_chain},
    {"FRAGMENTSHADER.FilterALULatency", " filter ", TEXELS, frame_texel_chain},
    {"ZSTENCILTEST.ZALULatency", " test ", 1, frame_quad},
    {"COLORWRITE.BlendALULatency", " blend ", 1, frame_quad},
    {"MEMORYCONTROLLER.ReadLatency", " latency_blit ", 1, frame_small_blit},
    {"MEMORYCONTROLLER.WriteLatency", " latency_blit ", 1, frame_small_blit},
    /* the latency applies to commands, indices, attributes of the vertices, a line of depths and a
     * line of colors */
    {"MEMORYCONTROLLER.ReadLatency",
     " latency_command latency_index latency_attribute latency_z latency_color ", 1, frame_quad},
    {"MEMORYCONTROLLER.ReadLatency",
     " latency_command latency_index latency_attribute latency_z latency_color latency_texture ", 1,
     frame_texel_chain},
};

static struct rig *
run_latency(size_t i, const char *settings, uint32_t more)
{
    char section[64], value[96];
    struct rig *rig = rig_create();
    rig_make_ideal(rig, *settings ? IDEAL_memory : ALL_IDEAL);
    rig_set(rig, "DAC.RefreshFrame=FALSE");
    rig_set(rig, settings);
    const uint32_t length = (uint32_t)strcspn(latencies[i].name, ".");
    snprintf(section, sizeof section, "%.*s", (int)length, latencies[i].name);
    param_format(param_find(section, latencies[i].name + length + 1), &rig->params, value,
                 sizeof value);
    const uint32_t before = (uint32_t)atoi(value);
    snprintf(value, sizeof value, "%s=%u", latencies[i].name, before + more);
    rig_set(rig, value);
    rig_start(rig);
    latencies[i].scene(rig);
    return rig;
}

static void
check_latency(size_t i, const char *settings)
{
    struct rig *rigs[2];
    char cause[64];
    for (uint32_t r = 0; r < 2; r++)
        rigs[r] = run_latency(i, settings, r * LONGER);
    const struct stat_set *stats = &rig_machine(rigs[0])->stats;
    for (uint32_t v = 0; v < stats->count; v++) {
        const char *name = stats->entries[v].name;
        if (strncmp(name, "lost.", 5))
            continue;
        const int64_t more = (int64_t)(rigs[1]->values[v] - rigs[0]->values[v]);
        snprintf(cause, sizeof cause, " %s ", name + strlen("lost."));
        const int64_t expected =
            strstr(latencies[i].causes, cause) ? latencies[i].times * LONGER : 0;
        if (more != expected)
            fail_msg("%s, %s: %lld cycles more are charged to %s, not %lld", settings,
                     latencies[i].name, (long long)more, name, (long long)expected);
    }
    for (uint32_t r = 0; r < 2; r++)
        rig_destroy(rigs[r]);
}

static void
longer_latencies(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof latencies / sizeof latencies[0]; i++) {
        /* an ideal memory has no such latency */
        if (strncmp(latencies[i].name, "MEMORYCONTROLLER.", 17))
            check_latency(i, "");
        check_latency(i, SLOW_MEMORY);
    }
}

/* Counters are current in any cycle after clock_settle(): a cycle counter grows by at most the
 * elapsed cycles. The counters in `others` are exceptions. They are settled only at the end of a
 * row, add up over channels, or include future waiting. */
enum { GLANCE = 97 };
static void
glance(void *data, uint64_t now)
{
    static const char *const others[] = {"work.",
                                         "lost.",
                                         "memctl.",
                                         "channel[",
                                         "compressor_stalls",
                                         "port_wait_cycles",
                                         "latency",
                                         "bus_cycles",
                                         "issue_cycles",
                                         "overlap_cycles"};
    struct rig *rig = data;
    struct clock *clock = &rig_machine(rig)->clock;
    const struct stat_set *stats = &rig_machine(rig)->stats;
    uint64_t *before = rig->data;
    clock_settle(clock);
    for (uint32_t v = 0; v < stats->count; v++) {
        const struct stat_entry *entry = &stats->entries[v];
        const uint64_t value = *entry->value, more = value - before[v];
        bool other = strcmp(entry->measure, "cycles") != 0;
        for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
            other |= strstr(entry->name, others[i]) != NULL;
        if (!other && more > GLANCE)
            fail_msg("%s grows by %llu in %d cycles", entry->name, (unsigned long long)more,
                     GLANCE);
        before[v] = value;
    }
    clock->sample_cycle = now + GLANCE;
}

static void
assert_same(const struct rig *rig, const struct rig *other, const char *settings, const char *how)
{
    const struct stat_set *stats = &rig_machine(rig)->stats;
    for (uint32_t v = 0; v < stats->count; v++)
        if (other->values[v] != rig->values[v])
            fail_msg("%s, %s: %s is %llu, not %llu", settings, how, stats->entries[v].name,
                     (unsigned long long)other->values[v], (unsigned long long)rig->values[v]);
}

/* Results depend neither on the number of clock calls, nor on the order of modules, nor on
 * observers. Charges at intervals are independent of the clocking order, too. */
static void
when_clocked(void **state)
{
    enum { PLAIN, SLEEPLESS, SHUFFLED, LOOKED_AT, IN_INTERVALS, IN_INTERVALS_SHUFFLED, WAYS };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rig *rigs[WAYS];
        for (uint32_t r = 0; r < WAYS; r++) {
            rigs[r] = rig_create_ideal(cases[i].real, cases[i].settings);
            struct clock *clock = &rig_machine(rigs[r])->clock;
            clock->sleepless = r == SLEEPLESS;
            if (r == SHUFFLED || r == IN_INTERVALS_SHUFFLED)
                clock_shuffle(clock, i + 1);
            if (r >= IN_INTERVALS)
                charge_in_intervals(rigs[r]);
            if (r == LOOKED_AT) {
                rigs[r]->data = calloc(rig_machine(rigs[r])->stats.count, sizeof(uint64_t));
                clock->sample = glance;
                clock->sample_data = rigs[r];
                clock->sample_cycle = clock->now + GLANCE;
            }
            cases[i].scene(rigs[r]);
        }
        assert_same(rigs[PLAIN], rigs[SLEEPLESS], cases[i].settings, "sleepless");
        assert_same(rigs[PLAIN], rigs[SHUFFLED], cases[i].settings, "shuffled");
        assert_same(rigs[PLAIN], rigs[LOOKED_AT], cases[i].settings, "looked at");
        assert_same(rigs[IN_INTERVALS], rigs[IN_INTERVALS_SHUFFLED], cases[i].settings,
                    "shuffled, in intervals");
        for (uint32_t r = 0; r < WAYS; r++)
            rig_destroy(rigs[r]);
    }
}

/* Counts per thread are four times those per group, because groups contain four threads. */
static void
threads_of_groups(void **state)
{
    struct rig *rig = *state;
    rig_make_ideal(rig, IDEAL_shader);
    rig_start(rig);
    frame_long_fragments(rig);
    const double threads = (double)rig_figure(rig, "shader.thread_cycles");
    const double groups = (double)rig_figure(rig, "shader.group_cycles");
    assert_true(groups > PIXELS / 4 * INSTRUCTIONS);
    assert_true(threads > 3.9 * groups && threads <= 4 * groups);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(threads_of_groups, rig_set_up, rig_tear_down),
        cmocka_unit_test(each_by_itself),
        cmocka_unit_test(longer_latencies),
        cmocka_unit_test(in_intervals),
        cmocka_unit_test(when_clocked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
