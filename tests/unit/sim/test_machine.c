/* The whole timed machine with the tiny trace. Its picture equals that of the functional renderer
 * on every kind of machine. Its results do not depend on the clocking order, on previous frames, or
 * on previous runs. The states of its units add up. */
#include "rigs/tiny_run.h"

#include <stdarg.h>
#include <stdio.h>

#include <setjmp.h>

#include <cmocka.h>

enum { SHUFFLES = 20 };

struct pair {
    struct tiny_run functional, timed;
};

static void
go(struct tiny_run *run)
{
    tiny_go(run, false);
    if (!run->ok)
        fail_msg("%s", run->err.text);
    assert_int_equal(run->frame_count, TINY_FRAMES);
}

static int
set_up(void **state)
{
    struct pair *pair = mem_alloc(sizeof *pair);
    tiny_init(&pair->functional);
    pair->functional.functional = true;
    go(&pair->functional);
    tiny_init(&pair->timed);
    go(&pair->timed);
    *state = pair;
    return 0;
}

static int
tear_down(void **state)
{
    struct pair *pair = *state;
    tiny_fini(&pair->functional);
    tiny_fini(&pair->timed);
    free(pair);
    return 0;
}

static void
timed_is_functional(void **state)
{
    const struct pair *pair = *state;
    assert_true(tiny_same_pictures(&pair->functional, &pair->timed));
}

/* Compares every statistic of a frame. `what` names the second run. */
static void
assert_same_frame(const struct tiny_run *a, const struct tiny_run *b, uint32_t frame,
                  const char *what)
{
    struct simulation sim;
    struct error err;
    struct frame_set all = {0};
    assert_int_equal(a->values_count, b->values_count);
    if (!memcmp(a->frame[frame].values, b->frame[frame].values, a->values_count * sizeof(uint64_t)))
        return;
    /* the test needs only the names of the statistics */
    assert_true(simulation_init(&sim, &a->params, &all, NULL, &err));
    char text[512];
    for (uint32_t i = 0; i < a->values_count; i++) {
        if (a->frame[frame].values[i] == b->frame[frame].values[i])
            continue;
        snprintf(text, sizeof text, "%s, frame %u: %s is %llu, not %llu", what, frame,
                 sim.machine->stats.entries[i].name, (unsigned long long)b->frame[frame].values[i],
                 (unsigned long long)a->frame[frame].values[i]);
        if (getenv("AETIUS_ALL"))
            puts(text);
    }
    simulation_fini(&sim);
    fail_msg("%s", text);
}

static void
assert_same(const struct tiny_run *a, const struct tiny_run *b, const char *what)
{
    assert_true(tiny_same_pictures(a, b));
    for (uint32_t frame = 0; frame < TINY_FRAMES; frame++)
        assert_same_frame(a, b, frame, what);
}

static void
shuffle(struct tiny_run *run)
{
    clock_shuffle(&run->sim.machine->clock, *(uint32_t *)run->data);
}

static void
clocking_order_carries_no_weight(void **state)
{
    const struct pair *pair = *state;
    for (uint32_t seed = 1; seed <= SHUFFLES; seed++) {
        struct tiny_run run;
        tiny_init(&run);
        run.prepare = shuffle;
        run.data = &seed;
        go(&run);
        assert_same(&pair->timed, &run, "shuffled");
        tiny_fini(&run);
    }
}

static void
make_sleepless(struct tiny_run *run)
{
    run->sim.machine->clock.sleepless = true;
}

static void
sleep_changes_nothing(void **state)
{
    const struct pair *pair = *state;
    struct tiny_run run;
    tiny_init(&run);
    run.prepare = make_sleepless;
    go(&run);
    assert_same(&pair->timed, &run, "sleepless");
    tiny_fini(&run);
}

static void
second_run_is_the_same(void **state)
{
    const struct pair *pair = *state;
    struct tiny_run run;
    tiny_init(&run);
    go(&run);
    assert_same(&pair->timed, &run, "second run");
    tiny_fini(&run);
}

/* Frame 1 takes the same cycles after a functional frame 0 as after a timed one. */
static void
frames_start_drained(void **state)
{
    const struct pair *pair = *state;
    struct tiny_run run;
    struct error err;
    tiny_init(&run);
    assert_true(frame_set_parse(&run.frames, "1", &err));
    go(&run);
    assert_null(run.frame[0].rgba); /* skipped, because no requested frame needs its picture */
    assert_int_equal(run.frame[1].bytes, pair->timed.frame[1].bytes);
    assert_memory_equal(run.frame[1].rgba, pair->timed.frame[1].rgba, run.frame[1].bytes);
    assert_int_equal(run.frame[1].cycles, pair->timed.frame[1].cycles);
    assert_same_frame(&pair->timed, &run, 1, "frame 1 alone");
    tiny_fini(&run);
}

/* The same for memory cycles that differ from GPU cycles: 3 GPU cycles are 7 cycles of the memory's
 * reference clock. Frame 0 does not end at a memory cycle. */
static void
frames_start_with_a_memory_cycle(void **state)
{
    struct tiny_run both, alone;
    struct error err;
    (void)state;
    tiny_init(&both);
    both.params.MEMORYCONTROLLER.MemoryFrequency = 7;
    both.params.MEMORYCONTROLLER.MemoryClockMultiplier = 3;
    tiny_init(&alone);
    alone.params = both.params;
    assert_true(frame_set_parse(&alone.frames, "1", &err));
    go(&both);
    go(&alone);
    assert_int_equal(both.frame[1].cycles, alone.frame[1].cycles);
    assert_same_frame(&both, &alone, 1, "frame 1 alone, slow memory");
    tiny_fini(&both);
    tiny_fini(&alone);
}

/* The states of each unit add up to its cycles over all frames. The test finds units by the names
 * of statistics. */
static void
states_are_cycles(void **state)
{
    const struct pair *pair = *state;
    struct tiny_run run;
    tiny_init(&run);
    tiny_go(&run, true);
    assert_true(run.ok);
    const struct clock *clock = &run.sim.machine->clock;
    assert_true(clock->module_count > 10);
    for (uint32_t i = 0; i < clock->module_count; i++) {
        uint64_t sum = 0;
        for (uint32_t s = 0; s < UNIT_STATES; s++)
            sum += clock->modules[i]->cycles[s];
        assert_int_equal(sum, clock->now);
    }
    /* the end of the client after the last swap takes a few more orders */
    uint64_t frames = pair->timed.frame[0].cycles + pair->timed.frame[1].cycles;
    assert_in_range(clock->now - frames, 0, 100);
    simulation_fini(&run.sim);
    tiny_fini(&run);
}

/* Each line is one machine. Each machine must finish and draw the same picture. */
static const char *const machines[] = {
    "FRAGMENTSHADER.ThreadGroup=4",
    "FRAGMENTSHADER.ThreadGroup=16",
    "FRAGMENTSHADER.ThreadGroup=64 FRAGMENTSHADER.ExecutableThreads=256",
    "GPU.NumFragmentShaders=1",
    "GPU.NumFragmentShaders=3",
    "GPU.NumFragmentShaders=4 FRAGMENTSHADER.ThreadGroup=16",
    "GPU.NumStampPipes=1",
    "GPU.NumStampPipes=4",
    "GPU.NumStampPipes=4 GPU.NumFragmentShaders=1 FRAGMENTSHADER.ThreadGroup=64",
    "MEMORYCONTROLLER.MemoryBuses=1",
    "MEMORYCONTROLLER.MemoryBuses=2 GPU.NumStampPipes=1",
    "MEMORYCONTROLLER.MemoryBuses=8",
    "ZSTENCILTEST.ZCacheLines=1 ZSTENCILTEST.ZCacheWays=1",
    "COLORWRITE.ColorCacheLines=1 COLORWRITE.ColorCacheWays=1",
    "FRAGMENTSHADER.TextureCacheLines=1 FRAGMENTSHADER.TextureCacheWays=4",
    "FRAGMENTSHADER.TextureCacheLines=1 FRAGMENTSHADER.TextureCacheWays=1",
    "RASTERIZER.Generator=scan",
    "RASTERIZER.Generator=recursive",
    "RASTERIZER.DisableHZ=TRUE",
    "RASTERIZER.SetupFIFOSize=1 RASTERIZER.TriangleOutputQueueSize=1 CLIPPER.ClipBufferSize=1",
    "RASTERIZER.TriangleSetupOnShader=TRUE",
    "RASTERIZER.TriangleSetupOnShader=TRUE RASTERIZER.TriangleShaderQueueSize=1 "
    "RASTERIZER.TriangleInputQueueSize=1 RASTERIZER.TriangleOutputQueueSize=1",
    "RASTERIZER.TriangleSetupOnShader=TRUE RASTERIZER.ShadedVertexQueueSize=1 "
    "FRAGMENTSHADER.ExecutableThreads=4 FRAGMENTSHADER.InputBuffers=0 GPU.NumFragmentShaders=1 "
    "COMMANDPROCESSOR.PipelinedBatchRendering=TRUE",
    "RASTERIZER.EarlyZQueueSize=1 RASTERIZER.InterpolatedStampQueueSize=1",
    "RASTERIZER.ShaderOutputQueueSize=1 RASTERIZER.EarlyZTestedStampQueueSize=1",
    "RASTERIZER.VertexInputQueueSize=1 RASTERIZER.ShadedVertexQueueSize=1",
    "PRIMITIVEASSEMBLY.AssemblyQueueSize=4",
    "MEMORYCONTROLLER.ServiceQueueSize=1",
    "MEMORYCONTROLLER.RequestQueueSize=1",
    "MEMORYCONTROLLER.ReadBufferLines=1 MEMORYCONTROLLER.WriteBufferLines=1",
    "MEMORYCONTROLLER.SharedBanks=TRUE",
    "MEMORYCONTROLLER.MemoryClockMultiplier=3 MEMORYCONTROLLER.MemoryFrequency=2",
    "MEMORYCONTROLLER.MemoryClockMultiplier=2 MEMORYCONTROLLER.MemoryFrequency=5",
    "COMMANDPROCESSOR.PipelinedBatchRendering=TRUE",
    "COMMANDPROCESSOR.PipelinedBatchRendering=TRUE GPU.UnifiedShader=FALSE",
    "COMMANDPROCESSOR.PipelinedBatchRendering=TRUE GPU.NumStampPipes=4 GPU.NumFragmentShaders=3",
};

static void
change(struct params *params, const char *changes)
{
    struct error err;
    char text[256], *rest = text;
    snprintf(text, sizeof text, "%s", changes);
    for (char *word; (word = strsep(&rest, " "));)
        if (*word && !params_set(params, word, &err))
            fail_msg("%s", err.text);
}

static void
run_machine(struct tiny_run *run, const char *preset, const char *changes)
{
    struct error err;
    assert_true(params_load_preset(&run->params, preset, &err));
    run->params.MEMORYCONTROLLER.MemorySize = TINY_MEMORY;
    change(&run->params, changes);
    tiny_go(run, false);
    if (!run->ok)
        fail_msg("%s %s: %s", preset, changes, run->err.text);
}

/* Checks a machine. The results must also be the same if units never sleep. */
static void
check_machine(const struct pair *pair, const char *preset, const char *changes)
{
    struct tiny_run run, sleepless;
    tiny_init(&run);
    run_machine(&run, preset, changes);
    if (!tiny_same_pictures(&pair->functional, &run))
        fail_msg("%s %s: another picture", preset, changes);
    tiny_init(&sleepless);
    sleepless.prepare = make_sleepless;
    run_machine(&sleepless, preset, changes);
    assert_same(&run, &sleepless, changes);
    tiny_fini(&sleepless);
    tiny_fini(&run);
}

static void
every_machine_draws_the_same(void **state)
{
    for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++)
        check_machine(*state, "reference-2005", machines[i]);
    check_machine(*state, "reference-2008", "");
}

/* The same with several samples per pixel, where a quad may write only a part of a line. */
static void
samples_draw_the_same(void **state)
{
    (void)state;
    for (uint32_t samples = 2; samples <= 8; samples *= 2) {
        struct pair pair;
        tiny_init(&pair.functional);
        pair.functional.functional = true;
        tiny_init(&pair.timed);
        struct tiny_run *const runs[] = {&pair.functional, &pair.timed};
        for (uint32_t i = 0; i < 2; i++) {
            runs[i]->params.SIMULATOR.ForceMSAA = true;
            runs[i]->params.SIMULATOR.MSAASamples = samples;
            runs[i]->params.MEMORYCONTROLLER.MemorySize = 2 * TINY_MEMORY;
            go(runs[i]);
        }
        if (!tiny_same_pictures(&pair.functional, &pair.timed))
            fail_msg("%u samples: another picture", samples);
        tiny_fini(&pair.functional);
        tiny_fini(&pair.timed);
    }
}

/* The machine has exactly as many units as the parameters set. */
static void
unit_counts_match_parameters(void **state)
{
    static const struct {
        const char *changes, *unit;
        uint32_t count;
    } units[] = {
        {"GPU.NumFragmentShaders=3", "shader", 3},
        {"GPU.NumFragmentShaders=3 GPU.NumVertexShaders=2 GPU.UnifiedShader=FALSE", "shader", 5},
        {"GPU.NumFragmentShaders=3 FRAGMENTSHADER.TextureUnits=2", "texunit", 6},
        {"GPU.NumStampPipes=4", "zstencil", 4},
        {"GPU.NumStampPipes=4", "colorwrite", 4},
        {"GPU.NumStampPipes=4", "blitter", 4},
    };
    (void)state;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        struct tiny_run run;
        struct simulation sim;
        struct error err;
        const struct frame_set all = {0};
        char name[64];
        tiny_init(&run);
        change(&run.params, units[i].changes);
        assert_true(simulation_init(&sim, &run.params, &all, NULL, &err));
        for (uint32_t n = 0; n <= units[i].count; n++) {
            snprintf(name, sizeof name, "%s[%u].busy_cycles", units[i].unit, n);
            if ((stat_set_find(&sim.machine->stats, name) != NULL) != (n < units[i].count))
                fail_msg("%s: %s", units[i].changes, name);
        }
        simulation_fini(&sim);
        tiny_fini(&run);
    }
}

/* Buses deliver the configured number of transactions of 64 bytes per cycle. */
static void
bus_widths_match_parameters(void **state)
{
    (void)state;
    struct tiny_run run;
    struct error err;
    struct simulation sim;
    const struct frame_set all = {0};
    tiny_init(&run);
    struct params *p = &run.params;
    p->MEMORYCONTROLLER.StreamerFetchBusWidth = 128;
    p->MEMORYCONTROLLER.StreamerLoaderBusWidth = 192;
    p->MEMORYCONTROLLER.ZStencilBusWidth = 256;
    p->MEMORYCONTROLLER.ColorWriteBusWidth = 320;
    p->MEMORYCONTROLLER.TextureUnitBusWidth = 512;
    p->MEMORYCONTROLLER.DACBusWidth = 1024;
    assert_true(simulation_init(&sim, p, &all, NULL, &err));
    assert_int_equal(sim.machine->index_memory_replies->width, 2);
    assert_int_equal(sim.machine->attribute_memory_replies->width, 3);
    assert_int_equal(sim.machine->zstencil_memory_replies->width, 4);
    assert_int_equal(sim.machine->color_memory_replies->width, 5);
    assert_int_equal(sim.machine->texture_memory_replies->width, 8);
    assert_int_equal(sim.machine->dac_memory_replies->width, 16);
    simulation_fini(&sim);
    tiny_fini(&run);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(timed_is_functional),
        cmocka_unit_test(second_run_is_the_same),
        cmocka_unit_test(states_are_cycles),
        cmocka_unit_test(frames_start_drained),
        cmocka_unit_test(frames_start_with_a_memory_cycle),
        cmocka_unit_test(sleep_changes_nothing),
        cmocka_unit_test(clocking_order_carries_no_weight),
        cmocka_unit_test(every_machine_draws_the_same),
        cmocka_unit_test(samples_draw_the_same),
        cmocka_unit_test(unit_counts_match_parameters),
        cmocka_unit_test(bus_widths_match_parameters),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
