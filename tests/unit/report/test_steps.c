/* Expected gains of steps of parameters (report/compare/steps.h): computed for rows of known
 * causes, and compared with simulations of the frames of tests/golden on four machines. */
#include "base/build.h"
#include "base/mem.h"
#include "report/compare/steps.h"
#include "rigs/columns.h"
#include "rigs/folder.h"
#include "rigs/topdown_json.h"

#include "rigs/command.h" /* after the project's headers: cmocka.h defines a macro fail() */

#include <stdlib.h>
#include <string.h>

/* ---- rows of known causes ---- */

enum { COLUMNS = 640, CYCLES = 1000 };

/* A table of one row, all 0. */
struct row {
    char *names[COLUMNS];
    bool is_number[COLUMNS];
    uint64_t values[COLUMNS];
    struct csv_table table;
};

static void
add_column(void *to, const char *name)
{
    struct row *row = to;
    const uint32_t column = row->table.columns++;
    assert_true(column < COLUMNS);
    row->names[column] = mem_strdup(name);
    row->is_number[column] = true;
}

static void
row_init(struct row *row)
{
    *row = (struct row){.table = {.rows = 1}};
    columns_add(add_column, row);
    row->table.names = row->names;
    row->table.is_number = row->is_number;
    row->table.values = row->values;
}

/* Sets columns from "NAME=NUMBER ...". The cycles of no cause are transit. */
static void
row_set(struct row *row, const char *values)
{
    char *copy = mem_strdup(values), *rest = NULL;
    uint64_t causes = 0;
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        char *equals = strchr(word, '=');
        assert_non_null(equals);
        *equals = '\0';
        const int32_t column = csv_column(&row->table, word);
        if (column < 0)
            fail_msg("no column %s", word);
        row->values[column] = strtoull(equals + 1, NULL, 10);
        causes += strncmp(word, "lost.", 5) ? 0 : row->values[column];
    }
    row->values[csv_column(&row->table, "cycles")] = CYCLES;
    row->values[csv_column(&row->table, "lost.transit")] = CYCLES - causes;
    free(copy);
}

static void
row_fini(struct row *row)
{
    for (uint32_t c = 0; c < row->table.columns; c++)
        free(row->names[c]);
}

/* Steps of a row. "-": none is expected to gain enough. Otherwise the best step, and its gain in
 * cycles. */
static const struct row_case {
    const char *preset, *setting, *values, *step;
    double expected;
} row_cases[] = {
    /* Half of the cycles of the bus, whose work is 75 x 64 / 8 = 600 cycles, or 300. */
    {"reference-2008", "", "lost.bus=600 cmdproc.transactions=75",
     "MEMORYCONTROLLER.CommandProcessorBusWidth=16", 300},
    /* The threshold is 5 % of the cycles. */
    {"reference-2008", "", "lost.bus=101", "MEMORYCONTROLLER.CommandProcessorBusWidth=16", 50.5},
    {"reference-2008", "", "lost.bus=99", "-", 0},
    /* The range ends at 1024 bytes. */
    {"reference-2008", "MEMORYCONTROLLER.CommandProcessorBusWidth=768", "lost.bus=800",
     "MEMORYCONTROLLER.CommandProcessorBusWidth=1024", 200},
    {"reference-2008", "MEMORYCONTROLLER.CommandProcessorBusWidth=1024", "lost.bus=800", "-", 0},
    /* The channels of the model that the machine uses, 8 or 4. All of them transfer at once. */
    {"reference-2008", "",
     "lost.bandwidth_color=400 lost.rows=200 memctl.burst_cycles=4800 memctl.busy_cycles=600",
     "MEMORYCONTROLLER.V2MemoryChannels=16", 300},
    {"reference-2005", "",
     "lost.bandwidth_color=400 lost.rows=200 memctl.burst_cycles=2400 memctl.busy_cycles=600",
     "MEMORYCONTROLLER.MemoryBuses=8", 300},
    /* On average, half of the channels transfer while any does. */
    {"reference-2008", "",
     "lost.bandwidth_color=400 lost.rows=200 memctl.burst_cycles=2400 memctl.busy_cycles=600",
     "MEMORYCONTROLLER.V2MemoryChannels=16", 150},
    /* Work of another resource hides the gain: of the shaders' 2800 / 4 = 700 cycles, 500 overlap
     * with the remaining 500 cycles. */
    {"reference-2008", "MEMORYCONTROLLER.CommandProcessorBusWidth=1",
     "lost.bus=1000 shader.own_cycles=2800", "MEMORYCONTROLLER.CommandProcessorBusWidth=2", 300},
    {"reference-2008", "MEMORYCONTROLLER.CommandProcessorBusWidth=1",
     "lost.bus=1000 shader.own_cycles=2000", "MEMORYCONTROLLER.CommandProcessorBusWidth=2", 500},
    /* Of the 700 hidden cycles, 560 fall into the 800 cycles of the bus. Of these, 400 overlap with
       the remaining 400 cycles. */
    {"reference-2008", "MEMORYCONTROLLER.CommandProcessorBusWidth=1",
     "lost.bus=800 shader.own_cycles=2800", "MEMORYCONTROLLER.CommandProcessorBusWidth=2",
     400 - 160},
    /* Each index is a vertex that is sent. Raising only one of the rates gains nothing, because the
       other is just as limiting. */
    {"reference-2005", "", "lost.streamer=1000 streamer.indices=1000 streamer.vertices_out=1000",
     "STREAMER.IndicesCycle=2 STREAMER.VerticesCycle=2 PRIMITIVEASSEMBLY.VerticesCycle=2", 500},
    /* Only the indices limit. */
    {"reference-2005", "", "lost.streamer=1000 streamer.indices=1000", "STREAMER.IndicesCycle=2",
     500},
    /* 8 groups on 4 units are 2 rounds. On 8 units it may be 2, since a unit may start with a group
     * that is partly filled. A group that executes twice as fast gains in any case. */
    {"reference-2008", "", "lost.lookup=800 shader.fragment_groups=8",
     "FRAGMENTSHADER.TextureUnits=2", 400},
    {"reference-2008", "", "lost.fragment_issue=800 shader.fragment_groups=8",
     "FRAGMENTSHADER.ThreadRate=8", 400},
    /* 16 rounds become 8 + 1. All work of the unit is divided. */
    {"reference-2008", "", "lost.fragment_issue=480 lost.load=480 shader.fragment_groups=64",
     "GPU.NumFragmentShaders=8", 960 * 7 / 16.},
    /* Separate units execute vertices. 160 vertices on 8 units are 20 rounds, or 10 + 1. */
    {"g70-like", "", "lost.vertex_issue=1000 shader.vertex_groups=160", "GPU.NumVertexShaders=16",
     450},
    {"reference-2008", "", "lost.setup=500", "RASTERIZER.SetupUnits=4", 250},
    {"reference-2008", "", "lost.generate=500", "RASTERIZER.StampsPerCycle=8", 250},
    {"reference-2008", "", "lost.test=500", "ZSTENCILTEST.StampsPerCycle=2", 250},
    {"reference-2008", "", "lost.blend=500", "COLORWRITE.StampsPerCycle=2", 250},
    {"reference-2008", "", "lost.blit=500", "BLITTER.SamplesCycle=8", 250},
    /* Color writes take 3840 / 4 = 960 cycles: the 500 that are charged to them, and 460 while
     * memory works. Twice as fast, they take 250 and 230: no more are hidden than before. */
    {"reference-2008", "", "lost.blend=500 lost.latency_color=500 colorwrite.passes=3840",
     "COLORWRITE.StampsPerCycle=2", 250},
};

static void
gains_are_derived(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof row_cases / sizeof *row_cases; i++) {
        const struct row_case *one = &row_cases[i];
        const struct frame_set every = {0};
        struct row row;
        struct params params;
        struct ideal_gains gains;
        struct steps steps;
        struct error err;
        row_init(&row);
        row_set(&row, one->values);
        const struct ideal_rows rows = {&row.table, &every, -1};
        assert_true(params_load_preset(&params, one->preset, &err));
        assert_true(!*one->setting || params_set(&params, one->setting, &err));
        assert_true(ideals_predict(&rows, &params, &gains, &err));
        assert_true(steps_predict(&rows, &params, &gains, &steps, &err));
        const struct step *best = steps_best(&steps);
        char *text = best ? step_text(best, " ") : mem_strdup("-");
        if (strcmp(text, one->step) != 0)
            fail_msg("%s, %s: %s", one->preset, one->values, text);
        if (best)
            assert_float_equal(best->expected, one->expected, 1e-9);
        free(text);
        steps_fini(&steps);
        row_fini(&row);
    }
}

/* Every line of steps.def names parameters, causes and statistics that exist: a step of each line
 * is found if all causes have cycles. */
static void
parameters_are_doubled_within_their_range(void **state)
{
    static const char *const presets[] = {"reference-2008", "reference-2005", "nv40-like",
                                          "g70-like",       "r420-like",      "r580-like"};
    (void)state;
    for (size_t p = 0; p < sizeof presets / sizeof *presets; p++) {
        const struct frame_set every = {0};
        struct row row;
        struct params params;
        struct ideal_gains gains;
        struct steps steps;
        struct error err;
        row_init(&row);
        row_set(&row,
                "lost.bus=150 lost.streamer=150 lost.clip=150 lost.setup=150 lost.generate=150 "
                "lost.interpolate=150");
        const struct ideal_rows rows = {&row.table, &every, -1};
        assert_true(params_load_preset(&params, presets[p], &err));
        assert_true(ideals_predict(&rows, &params, &gains, &err));
        assert_true(steps_predict(&rows, &params, &gains, &steps, &err));
        assert_true(steps.items.count >= 6);
        for (size_t s = 0; s < steps.items.count; s++) {
            const struct step *step = &steps.items.items[s];
            struct params after = params;
            assert_true(step_apply(step, &after, &err));
            for (uint32_t i = 0; i < step->count; i++) {
                assert_true(step->settings[i].to <= step->settings[i].info->max);
                assert_true(step->settings[i].to > step->settings[i].from);
                assert_true(param_has_effect(step->settings[i].info, &params));
            }
        }
        steps_fini(&steps);
        row_fini(&row);
    }
}

/* ---- simulations ---- */

#define GOLDEN AETIUS_SOURCE_DIR "/tests/golden/"

static struct command_result cmd;

/* Frames that are simulated, with draws of all kinds of work. */
static const struct {
    const char *trace;
    uint32_t first, last;
} inputs[] = {
    {GOLDEN "bound.trace", 1, 7}, {GOLDEN "workloads.trace", 0, 6}, {GOLDEN "faults.trace", 5, 9}};
static const char *const machines[] = {"reference-2005", "reference-2008", "g70-like", "r580-like"};

static double
cycles_of(const char *dir)
{
    struct error err;
    double cycles;
    char *path = mem_printf("%s/stats.frames.csv.gz", dir);
    if (!csv_read_sum(path, "cycles", &cycles, &err))
        fail_msg("%s", err.text);
    free(path);
    return cycles;
}

/* Simulates a frame with the settings "A=1 B=2". Returns its cycles. */
static double
simulate(const char *trace, const char *frame, const char *machine, const char *settings,
         const char *dir)
{
    const char *words[24] = {"sim",   trace, "--frames", frame,    "--preset",
                             machine, "-o",  dir,        "--force"};
    size_t count = 9;
    char *copy = mem_strdup(settings), *rest = NULL;
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        words[count++] = "--set";
        words[count++] = word;
    }
    run_within(&cmd, 0, words);
    if (cmd.status)
        fail_msg("%s %s: %s", machine, settings, cmd.err);
    free(copy);
    return cycles_of(dir);
}

/* Simulates the step of the verdict. It must gain. Returns whether there is a step. */
static bool
try_verdict(const char *trace, const char *frame, const char *machine, const char *dir)
{
    const double before = simulate(trace, frame, machine, "", dir);
    cJSON *root = TOPDOWN_JSON(dir);
    const cJSON *step = cJSON_GetObjectItem(cJSON_GetObjectItem(root, "verdict"), "step");
    const bool is_there = cJSON_IsObject(step);
    if (is_there) {
        const char *settings = cJSON_GetObjectItem(step, "settings")->valuestring;
        const double after = simulate(trace, frame, machine, settings, dir);
        if (!(after <= 0.99 * before))
            fail_msg("%s frame %s on %s: %s takes %.0f instead of %.0f cycles", trace, frame,
                     machine, settings, after, before);
    }
    cJSON_Delete(root);
    return is_there;
}

/* The advised step gains at least 1 % of the cycles. Most frames have one. */
static void
advised_steps_gain(void **state)
{
    char dir[] = "/tmp/aetius-steps-XXXXXX";
    uint32_t frames = 0, steps = 0;
    (void)state;
#ifdef SANITIZED /* sanitizers take several times as long */
    const size_t count = 1;
#else
    const size_t count = sizeof machines / sizeof *machines;
#endif
    assert_non_null(mkdtemp(dir));
    for (size_t m = 0; m < count; m++)
        for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
            for (uint32_t f = inputs[i].first; f <= inputs[i].last; f++) {
                char frame[16];
                snprintf(frame, sizeof frame, "%u", f);
                frames++;
                steps += try_verdict(inputs[i].trace, frame, machines[m], dir);
            }
    assert_true(2 * steps > frames);
    assert_true(remove_folder(dir));
}

static void
proofs_have_steps(void **state)
{
    char dir[] = "/tmp/aetius-steps-XXXXXX";
    (void)state;
    assert_non_null(mkdtemp(dir));
    simulate(GOLDEN "bound.trace", "7", "reference-2008", "", dir);
    RUN(&cmd, "topdown", dir);
    assert_non_null(strstr(cmd.out, "\n  step: MEMORYCONTROLLER.CommandProcessorBusWidth=16; "));
    RUN(&cmd, "topdown", dir, "--csv");
    assert_non_null(strstr(cmd.out, "\n,step.MEMORYCONTROLLER.CommandProcessorBusWidth=16,,"));
    RUN(&cmd, "topdown", dir, "--prove", "--jobs", "2");
    assert_int_equal(cmd.status, 0);
    assert_non_null(strstr(cmd.out, "expected  gained\n  MEMORYCONTROLLER.CommandProcessorBusWidth"
                                    "=16"));
    assert_true(remove_folder(dir));
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gains_are_derived),
        cmocka_unit_test(parameters_are_doubled_within_their_range),
        cmocka_unit_test(advised_steps_gain),
        cmocka_unit_test(proofs_have_steps),
    };
    aetius = argc > 1 ? argv[1] : "build/aetius";
    return cmocka_run_group_tests(tests, NULL, NULL);
}
