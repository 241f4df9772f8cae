/* Every rate and every width of the machine belongs to a limit of a resource (src/ideals.def), or
 * is listed here with the reason why no limit lifts it. Each limit can bound a frame. */
#include "report/run/metrics.h"
#include "rigs/ideal_rig.h"

#include <math.h>

#define UNITS "number of units: an ideal resource raises the rate of each unit instead"
#define CLOCK "length of a cycle: the same for all resources"

/* Rates and widths that no limit lifts. */
static const struct {
    const char *parameter, *why;
} exceptions[] = {
    {"GPU.NumVertexShaders", UNITS},
    {"GPU.NumFragmentShaders", UNITS},
    {"GPU.NumStampPipes", UNITS},
    {"FRAGMENTSHADER.TextureUnits", UNITS},
    {"GPU.ClockMHz", CLOCK},
    {"MEMORYCONTROLLER.MemoryClockMultiplier", "clock of the simple memory model, whose bus "
                                               "width and number of channels are lifted"},
    {"MEMORYCONTROLLER.MemoryFrequency", "as MemoryClockMultiplier"},
    {"RASTERIZER.MSAASamplesCycle", "shared by the generator and all ROPs, which belong to three "
                                    "resources: each of them processes more quads per cycle "
                                    "instead"},
    {"DAC.BytesPerPixel", "not modelled"},
    {"DAC.BlocksUpdatedPerCycle", "the display has no resource: no other work depends on it"},
    {"DAC.RefreshRate", "interval between images: a demand, not a rate of the machine"},
};

static const char *
exception_of(const char *parameter)
{
    for (size_t i = 0; i < sizeof exceptions / sizeof exceptions[0]; i++)
        if (!strcmp(exceptions[i].parameter, parameter))
            return exceptions[i].why;
    return NULL;
}

/* Whether the settings contain the parameter "SECTION.Name". */
static bool
sets(const char *settings, const char *parameter)
{
    const size_t length = strlen(parameter);
    for (const char *at = settings; (at = strstr(at, parameter)); at += length)
        if (at[length] == '=' && (at == settings || at[-1] == ' '))
            return true;
    return false;
}

/* Number of limits that lift the parameter. */
static uint32_t
limits_of(const char *parameter)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < LIMITS; i++)
        count += sets(limits[i].settings, parameter);
    return count;
}

static void
rates_and_widths_have_limits(void **state)
{
    size_t count;
    const struct param_info *infos = param_infos(&count);
    (void)state;
    for (size_t i = 0; i < count; i++) {
        char name[96];
        snprintf(name, sizeof name, "%s.%s", infos[i].section, infos[i].name);
        const bool limits_rate = infos[i].kind == PARAM_RATE || infos[i].kind == PARAM_WIDTH;
        const char *why = exception_of(name);
        if (limits_rate && limits_of(name) != (why ? 0 : 1))
            fail_msg("%s is a %s: it needs one limit in src/ideals.def, or an exception with a "
                     "reason here",
                     name, param_kind_name(infos[i].kind));
        if (!limits_rate && why)
            fail_msg("%s is a %s and needs no exception", name, param_kind_name(infos[i].kind));
    }
}

/* Each exception names a parameter and has a reason. */
static void
exceptions_are_parameters(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof exceptions / sizeof exceptions[0]; i++) {
        char section[32];
        const char *name = strchr(exceptions[i].parameter, '.');
        snprintf(section, sizeof section, "%.*s", (int)(name - exceptions[i].parameter),
                 exceptions[i].parameter);
        if (!param_find(section, name + 1))
            fail_msg("no parameter %s", exceptions[i].parameter);
        assert_true(strlen(exceptions[i].why) > 0);
    }
}

/* A limit never makes a rate or a width smaller than the default, except an interval in cycles. */
static void
limits_raise_rates(void **state)
{
    size_t count;
    const struct param_info *infos = param_infos(&count);
    (void)state;
    for (uint32_t i = 0; i < LIMITS; i++)
        for (size_t k = 0; k < count; k++) {
            char name[96];
            struct params usual, lifted;
            struct error err;
            double before, after;
            snprintf(name, sizeof name, "%s.%s", infos[k].section, infos[k].name);
            if ((infos[k].kind != PARAM_RATE && infos[k].kind != PARAM_WIDTH) ||
                !sets(limits[i].settings, name))
                continue;
            params_init(&usual);
            lifted = usual;
            assert_true(limit_apply(&limits[i], &lifted, &err));
            assert_true(param_number(&usual, name, &before) && param_number(&lifted, name, &after));
            const bool interval = !strcmp(infos[k].unit, "cycles");
            /* 0 registers: unlimited */
            if (interval ? after > before : after < before && after != 0)
                fail_msg("%s lowers %s from %g to %g", limits[i].name, name, before, after);
        }
}

/* ---- each limit can bound a frame ---- */

static void
frame_clears(struct rig *rig)
{
    for (uint32_t i = 0; i < 32; i++)
        rig_clear(rig, CLEAR_ALL, i % 2 ? 1.0 : 0.5);
    rig_swap(rig);
}

/* Layers that Hierarchical Z tests. */
static void
frame_tested_layers(struct rig *rig)
{
    enum { OBJ_LESS = 330 };
    static const float corners[3][4] = {{-1, -1, -1, 1}, {3, -1, -1, 1}, {-1, 3, -1, 1}};
    rig_clear(rig, CLEAR_ALL, 1.0);
    stream_depth(&rig->stream, OBJ_LESS, FUNC_LESS);
    stream_bind(&rig->stream, VOBJ_DSA, OBJ_LESS);
    rig_draw_triangles(rig, corners, 32);
}

/* Each fragment enters two branches. */
static void
frame_branches(struct rig *rig)
{
    rig_use_programs(rig, rig_vs,
                     "FRAG\n"
                     "DCL OUT[0], COLOR\n"
                     "DCL TEMP[0]\n"
                     "IMM[0] FLT32 {1.0, 0.5, 0.25, 1.0}\n"
                     "  0: MOV TEMP[0], IMM[0]\n"
                     "  1: IF IMM[0].xxxx :3\n"
                     "  2: ADD TEMP[0], TEMP[0], IMM[0]\n"
                     "  3: ENDIF\n"
                     "  4: IF IMM[0].xxxx :6\n"
                     "  5: ADD TEMP[0], TEMP[0], IMM[0]\n"
                     "  6: ENDIF\n"
                     "  7: MOV OUT[0], TEMP[0]\n"
                     "  8: END\n");
    frame_layers(rig);
}

#define R2005 "reference-2005"
#define R2008 "reference-2008"
#define CLEARS                                                                                     \
    "ZSTENCILTEST.BlocksClearedPerCycle=1 COLORWRITE.BlocksClearedPerCycle=1 "                     \
    "RASTERIZER.HZBlocksClearedPerCycle=1"

/* For each limit, a preset with settings, and a frame that the limit bounds if all other resources
 * are ideal. */
static const struct {
    const char *preset, *settings;
    void (*frame)(struct rig *rig);
    bool alone; /* the resource has its other limits, too */
    /* frame NULL: the test that has such a frame, or the reason why no program can reach the limit
     */
    const char *test, *why;
} bounds[LIMITS] = {
    [LIMIT_bandwidth] = {.preset = R2005, .settings = "", .frame = frame_blit},
    [LIMIT_turns] = {.preset = R2005,
                     .settings =
                         "MEMORYCONTROLLER.MemoryBuses=1 MEMORYCONTROLLER.WriteToReadLatency=200",
                     .frame = frame_blit,
                     .alone = true},
    [LIMIT_rows] = {.preset = R2005,
                    .settings =
                        "MEMORYCONTROLLER.MemoryBuses=1 MEMORYCONTROLLER.PageOpenLatency=200",
                    .frame = frame_blit,
                    .alone = true},
    [LIMIT_memory_latency] = {.preset = R2005,
                              .settings = "MEMORYCONTROLLER.ReadLatency=200",
                              .frame = frame_blit,
                              .alone = true},
    [LIMIT_memory_queues] = {.preset = R2008,
                             .settings = "MEMORYCONTROLLER.ServiceQueueSize=1",
                             .frame = frame_blit,
                             .alone = true},
    [LIMIT_client_buses] = {.why = "a client sends one request of 64 bytes per cycle, and each bus "
                                   "returns at least 64 bytes per cycle"},
    [LIMIT_system_bus] = {.preset = R2005,
                          .settings = "MEMORYCONTROLLER.SystemMemory=TRUE",
                          .frame = frame_vertices},
    [LIMIT_vertex_issue] = {.preset = R2005,
                            .settings = "GPU.UnifiedShader=FALSE",
                            .frame = frame_long_vertices},
    [LIMIT_fragment_issue] = {.preset = R2005, .settings = "", .frame = frame_long_fragments},
    [LIMIT_issue_width] = {.preset = R2005, .settings = "", .frame = frame_long_fragments},
    [LIMIT_registers] = {.preset = R2005,
                         .settings = "SHADER.ReadPorts=1",
                         .frame = frame_long_fragments},
    [LIMIT_flow_control] = {.preset = R2005,
                            .settings = "SHADER.IfCost=8",
                            .frame = frame_branches},
    [LIMIT_constant_rate] = {.test = "uniform_blocks"},
    [LIMIT_dispatch] = {.preset = R2005, .settings = "", .frame = frame_layers},
    [LIMIT_load] = {.preset = R2005, .settings = "", .frame = frame_layers},
    [LIMIT_address] = {.preset = R2008, .settings = "", .frame = frame_texels},
    [LIMIT_filter] = {.preset = R2008, .settings = "", .frame = frame_texels},
    [LIMIT_texture_cache] =
        {.preset = R2008,
         .settings = "FRAGMENTSHADER.TextureCacheWays=1 FRAGMENTSHADER.TextureCacheLines=1",
         .frame = frame_texels},
    [LIMIT_z_rate] = {.preset = R2005, .settings = "", .frame = frame_layers},
    [LIMIT_z_cache] = {.preset = R2005, .settings = "", .frame = frame_layers},
    [LIMIT_z_clear] = {.preset = R2005, .settings = CLEARS, .frame = frame_clears},
    [LIMIT_color_rate] = {.preset = R2005, .settings = "", .frame = frame_layers},
    [LIMIT_color_cache] = {.preset = R2005, .settings = "", .frame = frame_layers},
    [LIMIT_color_clear] = {.preset = R2005, .settings = CLEARS, .frame = frame_clears},
    [LIMIT_generation] = {.preset = R2008, .settings = "", .frame = frame_layers},
    [LIMIT_hierarchy] = {.preset = R2005,
                         .settings = "RASTERIZER.HZAccessLatency=16 RASTERIZER.HZCacheLines=1 "
                                     "RASTERIZER.HZCacheLineSize=1",
                         .frame = frame_tested_layers},
    [LIMIT_interpolation] = {.preset = R2005, .settings = "", .frame = frame_layers},
    [LIMIT_vertex_fetch] = {.preset = R2005, .settings = "", .frame = frame_outputs},
    [LIMIT_stream_output] = {.test = "stream_output"},
    [LIMIT_emission] = {.test = "emission_timing"},
    [LIMIT_assembly] = {.preset = R2005, .settings = "", .frame = frame_outputs},
    [LIMIT_clipping] = {.preset = R2005, .settings = "", .frame = frame_outputs},
    [LIMIT_setup] = {.preset = R2005, .settings = "", .frame = frame_outputs},
    [LIMIT_command_bus] = {.preset = R2005, .settings = "", .frame = frame_uploads},
    [LIMIT_blit_rate] = {.preset = R2005, .settings = "", .frame = frame_blit},
};

/* Cycles of the frame of a limit, with or without the limit. */
static double
cycles_of(uint32_t n, bool lifted)
{
    const enum ideal_number resource = limits[n].ideal;
    struct rig *rig = rig_create();
    struct error err;
    assert_true(params_load_preset(&rig->params, bounds[n].preset, &err));
    rig_set(rig, "MEMORYCONTROLLER.MemorySize=8388608");
    rig_set(rig, bounds[n].settings);
    for (uint32_t i = 0; i < IDEALS; i++)
        if (i != resource && i != IDEAL_drain)
            assert_true(ideal_apply(&ideals[i], &rig->params, &err));
    for (uint32_t i = 0; i < LIMITS; i++)
        if (limits[i].ideal == resource && (i == n ? lifted : !bounds[n].alone))
            assert_true(limit_apply(&limits[i], &rig->params, &err));
    rig_start(rig);
    bounds[n].frame(rig);
    const double cycles = (double)rig_figure(rig, "cycles");
    rig_destroy(rig);
    return cycles;
}

/* Each limit that a program can reach gains at least 20 % if it is removed. */
static void
limits_bound_frames(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < LIMITS; i++) {
        if (!bounds[i].frame) {
            assert_true((bounds[i].why != NULL) != (bounds[i].test != NULL));
            continue;
        }
        const double with = cycles_of(i, false), without = cycles_of(i, true);
        if (without > 0.8 * with)
            fail_msg("%s: %.0f cycles with the limit, %.0f without it", limits[i].name, with,
                     without);
    }
}

/* ---- what remains if all resources are ideal ---- */

enum {
    TRANSACTION = 64,
    SHORT = 24,
    UPLOADS = 16,
    UPLOAD_BYTES = 4096,
    UNITS_2005 = 2, /* shader units of reference-2005 */
    GROUPS_2005 =
        128 / 4 /* thread groups in each: ExecutableThreads + InputBuffers, by ThreadGroup */
};

/* What remains is attributed to a cause, and follows from arithmetic:
 * - show: the DAC reads the image, one transaction of 64 bytes per cycle.
 * - bus: the command processor sends one transaction of an upload per cycle.
 * - blend_place: quads at the same position follow each other, one per cycle.
 * - fragment_issue: each instruction of a chain takes a cycle. The groups that fit into the shader
 *   units run together, and the next groups after them.
 * - lookup: a shader unit sends one texture instruction of one group per cycle. */
static void
remainder_has_a_name(void **state)
{
    static const struct {
        void (*frame)(struct rig *rig);
        const char *cause;
        double cycles;
    } cases[] = {
        {frame_swap_alone, "lost.show", PIXELS * 4 / TRANSACTION},
        {frame_uploads, "lost.bus", UPLOADS * UPLOAD_BYTES / TRANSACTION},
        {frame_quad_many_times, "lost.blend_place", TRIANGLES - 1},
        {frame_chain, "lost.fragment_issue", INSTRUCTIONS},
        {frame_long_fragments, "lost.fragment_issue",
         PIXELS / 4 / (UNITS_2005 * GROUPS_2005) * INSTRUCTIONS},
        {frame_texels, "lost.lookup", 2 * PIXELS / 4 * TEXELS / UNITS_2005},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rig *rig = rig_create_ideal(ALL_IDEAL, "");
        cases[i].frame(rig);
        const double cycles = (double)rig_figure(rig, cases[i].cause);
        rig_destroy(rig);
        if (fabs(cycles - cases[i].cycles) > SHORT + cases[i].cycles / 32)
            fail_msg("%.0f cycles are attributed to %s, not %.0f", cycles, cases[i].cause,
                     cases[i].cycles);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_and_widths_have_limits), cmocka_unit_test(exceptions_are_parameters),
        cmocka_unit_test(limits_raise_rates),           cmocka_unit_test(limits_bound_frames),
        cmocka_unit_test(remainder_has_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
