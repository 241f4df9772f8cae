/* Functions of sweeps: hashes, plans and their expansion, keys, formulas over tables, estimates,
 * the ninja file, Pareto fronts and sensitivities. */
#include "base/build.h"
#include "base/file.h"
#include "sweep/database.h"
#include "sweep/engine.h"
#include "sweep/estimate.h"
#include "sweep/outputs.h"
#include "sweep/tradeoffs.h"
#include "sweep/work.h"

#include <math.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <cmocka.h>

#include "rigs/listen.h"

#define TINY AETIUS_SOURCE_DIR "/tests/golden/tiny.trace"

static bool
load(struct sweep_plan *plan, const char *text, struct error *err)
{
    char path[] = "/tmp/aetius-plan-XXXXXX";
    close(mkstemp(path));
    assert_true(file_write(path, text, strlen(text), err));
    const bool ok = sweep_plan_load(plan, path, err);
    unlink(path);
    return ok;
}

static void
a_plan_is_read(void **state)
{
    struct sweep_plan plan;
    struct error err;
    assert_true(
        load(&plan,
             "; a comment\n[sweep]\npreset = g70-like\noutputs = cycles frame_rate\n"
             "baseline = small\naxis GPU.ClockMHz = 100 200\n    300\n"
             "axis FRAGMENTSHADER.TextureCacheWays FRAGMENTSHADER.TextureCacheLines = 4,16\n"
             "    2,32\n"
             "[machine small]\n[machine large]\npreset = r580-like\nset = GPU.NumStampPipes=2\n"
             "set = GPU.ClockMHz=7\naxes = none\n"
             "[input one]\nfile = a/x.trace\nframes = 1-2\n"
             "[input two]\nprogram = glxgears -info\n    -x\nframes = 3,5-6\nwarm-up = 2\n"
             "[output both]\nformula = cycles\n    / frames\nby = run draw\nbetter = more\n"
             "[study]\ninputs = one\n    two-3\ncolor = best\n"
             "[sweep]\nblocks = keep\ngl = es3\n"
             "[table t]\nsql = SELECT 1,\n    2\ntitle = One\n"
             "[machine with-a-name-that-is-longer-than-fifty-characters-are-1]\naxes = none\n"
             "[machine with-a-name-that-is-longer-than-fifty-characters-are-2]\n",
             &err));
    assert_string_equal(plan.preset, "g70-like");
    assert_string_equal(plan.baseline, "small");
    assert_int_equal(plan.axes.count, 2);
    assert_int_equal(plan.axes.items[0].values.count, 3);
    assert_string_equal(plan.axes.items[0].values.items[2], "300");
    assert_int_equal(plan.axes.items[1].names.count, 2);
    assert_string_equal(plan.axes.items[1].values.items[3], "32");
    assert_int_equal(plan.machines.count, 4);
    assert_false(plan.machines.items[0].is_alone);
    assert_true(plan.machines.items[1].is_alone);
    assert_true(plan.machines.items[2].is_alone);
    assert_false(plan.machines.items[3].is_alone);
    assert_string_equal(plan.machines.items[3].name,
                        "with-a-name-that-is-longer-than-fifty-characters-are-2");
    assert_int_equal(plan.tables.count, 1);
    assert_string_equal(plan.tables.items[0].entries.items[1], "SELECT 1, 2");
    assert_string_equal(plan.tables.items[0].entries.items[3], "One");
    assert_string_equal(plan.machines.items[1].sets.items[1], "GPU.ClockMHz=7");
    assert_int_equal(plan.inputs.items[1].program.count, 3);
    assert_string_equal(plan.inputs.items[1].frames, "3,5-6");
    assert_int_equal(plan.outputs.count, 3);
    assert_string_equal(plan.outputs.items[2].formula, "cycles / frames");
    assert_int_equal(plan.outputs.items[2].by, SWEEP_BY_RUN | SWEEP_BY_DRAW);
    assert_true(plan.outputs.items[2].more_is_better);
    assert_string_equal(plan.outputs.items[1].formula, "frame_rate");
    assert_int_equal(plan.blocks, SWEEP_BLOCKS_KEEP);
    assert_int_equal(plan.offer, GL_OFFER_ES_3);
    assert_int_equal(sweep_plan_words(&plan, "inputs")->count, 2);
    assert_string_equal(sweep_plan_words(&plan, "inputs")->items[1], "two-3");
    assert_int_equal(sweep_plan_words(&plan, "machines")->count, 0);
    sweep_plan_fini(&plan);
}

/* Options replace the machines and the inputs of the plan. */
static void
a_plan_is_narrowed(void **state)
{
    static const char *const files[] = {TINY, AETIUS_SOURCE_DIR "/README.md"};
    static const char *const none[] = {"/nowhere/a.trace"};
    struct sweep_plan plan;
    struct error err;
    assert_true(
        load(&plan, "[machine a]\n[machine b]\n[machine c]\n[input x]\nfile = x.trace\n", &err));
    assert_false(sweep_plan_narrow(&plan, "a,d", &err));
    assert_non_null(strstr(err.text, "unknown machine 'd': expected one of a, b, c"));
    sweep_plan_fini(&plan);
    assert_true(
        load(&plan, "[machine a]\n[machine b]\n[machine c]\n[input x]\nfile = x.trace\n", &err));
    assert_true(sweep_plan_narrow(&plan, "c,a", &err));
    assert_int_equal(plan.machines.count, 2);
    assert_string_equal(plan.machines.items[1].name, "c");
    assert_true(sweep_plan_use_files(&plan, files, 2, &err));
    assert_int_equal(plan.inputs.count, 2);
    assert_string_equal(plan.inputs.items[0].name, "tiny");
    assert_string_equal(plan.inputs.items[1].name, "README");
    assert_false(sweep_plan_use_files(&plan, none, 1, &err));
    sweep_plan_fini(&plan);
}

/* Returns the inputs of a study that remain with one machine, as "a b c". */
static char *
inputs_left(const char *study, const char *machine)
{
    char *path = mem_printf("%s/studies/%s.ini", AETIUS_SOURCE_DIR, study);
    char *names = mem_strdup("");
    struct sweep_plan plan;
    struct error err;
    assert_true(sweep_plan_load(&plan, path, &err));
    assert_true(sweep_plan_narrow(&plan, machine, &err));
    for (size_t i = 0; i < plan.inputs.count; i++) {
        char *longer = mem_printf("%s%s%s", names, i ? " " : "", plan.inputs.items[i].name);
        free(names);
        names = longer;
    }
    sweep_plan_fini(&plan);
    free(path);
    return names;
}

/* If no machine uses an input, the input is not captured. Ranges of frames belong to one input. */
static void
a_machine_left_alone_keeps_its_inputs(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        {"model", "reference-2005", "sweeps"},
        {"model", "r580-like-one-rop", "columns"},
        {"model", "g70-like,reference-2008-one-rop", "columns sweeps"},
        {"shader", "in-turn", "openarena"},
        {"shader", "long", "openarena-opengl2"},
        {"shader", "fill", "fill"},
        {"shader", "separate",
         "openarena neverball-adventure neverball-demo1 neverball-demo2 neverball-title torcs "
         "colobot megaglest etr bunny buffer fill"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *names = inputs_left(cases[i][0], cases[i][1]);
        assert_string_equal(names, cases[i][2]);
        free(names);
    }
}

/* A machine has the name of its preset. Machines that become equal are merged. The merged machine
 * has the inputs of both. */
static void
another_preset_has_its_name(void **state)
{
    (void)state;
    static const char text[] =
        "[sweep]\nbaseline = g70-like\n"
        "[machine g70-like]\npreset = g70-like\ninputs = a\n"
        "[machine r580-like]\npreset = r580-like\ninputs = b\n"
        "[machine r580-like-slow]\npreset = r580-like\nset = GPU.ClockMHz=9\n"
        "[machine r580-likely]\npreset = r580-like\n"
        "[input a]\nfile = a\n[input b]\nfile = b\n[input c]\nfile = c\n";
    static const char *const names[] = {"nv40-like", "nv40-like-slow", "r580-likely"};
    struct sweep_plan plan;
    struct error err;
    assert_true(load(&plan, text, &err));
    assert_true(sweep_plan_use_preset(&plan, "nv40-like", &err));
    assert_int_equal(plan.machines.count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(plan.machines.items[i].name, names[i]);
        assert_null(plan.machines.items[i].preset);
    }
    assert_string_equal(plan.preset, "nv40-like");
    assert_string_equal(plan.baseline, "nv40-like");
    char *inputs = word_list_join(&plan.machines.items[0].inputs, " ");
    assert_string_equal(inputs, "a b");
    free(inputs);
    sweep_plan_fini(&plan);

    assert_true(load(&plan,
                     "[machine g70-like]\npreset = g70-like\n[machine r580-like]\n"
                     "preset = r580-like\nset = GPU.ClockMHz=9\n[input a]\nfile = a\n",
                     &err));
    assert_false(sweep_plan_use_preset(&plan, "nv40-like", &err));
    assert_non_null(strstr(err.text, "two machines have the name nv40-like"));
    sweep_plan_fini(&plan);
}

static void
bad_plans_are_refused_with_their_line(void **state)
{
#define INPUT "[input a]\nfile = b\n"
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "expected at least one [input NAME]"},
        {INPUT "colour = c\n", ":3: [input a] has no 'colour'"},
        {INPUT "[sweep]\nblocks = all\n", ":4: blocks = all: expected count or keep"},
        {INPUT "[sweep]\ngl = 4.6\n",
         ":4: --gl '4.6': expected one of 2.1, 3.0, 3.1, 3.2, 3.3, es2, es3"},
        {"[input a]\nprogram = b\nframes = x\n", "[input a]: "},
        {"[input a]\nprogram = b\nframes = 1\nsha256 = 0\n", "[input a] has a sha256, but no file"},
        {INPUT "[sweep]\naxis GPU.NoSuch = 1\n", ":4: unknown parameter GPU.NoSuch"},
        {INPUT "[sweep]\naxis GPU.ClockMHz =\n", "has no value"},
        {INPUT "[sweep]\naxis GPU.ClockMHz GPU.NumStampPipes = 1 2\n",
         ":4: '1': expected 2 values"},
        {INPUT "[sweep]\naxis GPU.ClockMHz = 9..3\n", "9..3 is not a range"},
        {INPUT "[sweep]\naxis GPU.ClockMHz = 7 9..12 10\n",
         "axis GPU.ClockMHz has the value 10 twice"},
        {INPUT "[machine m]\naxis GPU.ClockMHz GPU.NumStampPipes = 1,2 2,1 1,2\n",
         "axis GPU.ClockMHz has the value 1 twice"},
        {INPUT "[output run]\nformula = cycles\n",
         "the results already have a column of that name"},
        {INPUT "[sweep]\naxis GPU.ClockMHz = 1..9/0\n", "is not a range"},
        {INPUT "[sweep]\naxis GPU.ClockMHz = 0..4294967295\n", ":4: 0..4294967295: the axes have"},
        {INPUT
         "[sweep]\naxis GPU.ClockMHz = 1..600000\n[machine m]\naxis GPU.ClockMHz = 1..600000\n",
         ":6: 1..600000: the axes have more than 1000000 values"},
        {INPUT "[sweep]\nbaseline = a\nbaseline = b\n", ":5: 'baseline' is set twice"},
        {INPUT "[machine ../x]\n", ":3: [machine ../x]: a name consists of letters, digits"},
        {INPUT "[output x\ny]\n", "x"},
        {INPUT "[engine]\n", ":3: unknown section [engine]"},
        {INPUT "[output x]\nby = week\n", "expected run, frame or draw"},
        {INPUT "[output x]\nbetter = red\n", "expected less or more"},
        {INPUT "[machine m]\naxes = some\n", "expected none"},
        {"[input a]\nprogram = x\n", "requires a file, or a program and its frames"},
        {"[input a]\nprogram = x\nfile = y\nframes = 1\n", "has a file: remove its program"},
        {INPUT "nonsense\n", "expected [SECTION]"},
        {INPUT "[sweep]\noutputs = a b;DROP\n", "a name consists of"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct sweep_plan plan;
        struct error err = {""};
        if (load(&plan, cases[i].text, &err))
            fail_msg("'%s' is a plan", cases[i].text);
        if (!strstr(err.text, cases[i].message))
            fail_msg("'%s' does not say '%s'", err.text, cases[i].message);
    }
}

/* The tuples 1,2 and 2,1 contain the same values but are different machines. */
static void
values_that_differ_are_taken(void **state)
{
    struct sweep_plan plan;
    struct error err = {""};
    if (!load(&plan,
              INPUT "[sweep]\naxis GPU.ClockMHz GPU.NumStampPipes = 1,2 2,1 2,2\n"
                    "[output cycles]\nformula = cycles\n",
              &err))
        fail_msg("%s", err.text);
    assert_int_equal(plan.axes.items[0].values.count, 6);
    sweep_plan_fini(&plan);
}

/* Expands a plan over the tiny trace. `asked` is a setting for all machines, or NULL. */
static void
expand_asked(struct sweep *sweep, const char *text, const char *asked)
{
    struct sweep_plan plan;
    struct error err;
    char *whole = mem_printf("%s\n[input tiny]\nfile = %s\n", text, TINY);
    if (!load(&plan, whole, &err))
        fail_msg("%s", err.text);
    for (size_t i = 0; asked && i < plan.machines.count; i++)
        word_list_add(&plan.machines.items[i].asked, asked);
    sweep_init(sweep, "/nowhere", NULL);
    if (!sweep_add_trace(sweep, "tiny", TINY, NULL, &err) || !sweep_expand(sweep, &plan, &err))
        fail_msg("%s", err.text);
    sweep_plan_fini(&plan);
    free(whole);
}

static void
expand(struct sweep *sweep, const char *text)
{
    expand_asked(sweep, text, NULL);
}

/* Axes multiply, and the last one changes first. Parameters of one axis do not multiply. A machine
 * adds its axes to those of the plan. */
static void
axes_multiply_the_machines(void **state)
{
    struct sweep sweep;
    expand(&sweep, "[sweep]\naxis GPU.NumFragmentShaders = 1 2\n"
                   "axis GPU.ClockMHz SHADER.Mode = 100,timed 200,instant\n"
                   "[machine a]\n[machine b]\naxes = none\nset = GPU.ClockMHz = 77\n"
                   "[machine c]\naxes = none\naxis GPU.ClockMHz = 8..64/28\n");
    static const char *const names[] = {
        "a,GPU.NumFragmentShaders=1,GPU.ClockMHz=100,SHADER.Mode=timed",
        "a,GPU.NumFragmentShaders=1,GPU.ClockMHz=200,SHADER.Mode=instant",
        "a,GPU.NumFragmentShaders=2,GPU.ClockMHz=100,SHADER.Mode=timed",
        "a,GPU.NumFragmentShaders=2,GPU.ClockMHz=200,SHADER.Mode=instant",
        "b",
        "c,GPU.ClockMHz=8",
        "c,GPU.ClockMHz=36",
        "c,GPU.ClockMHz=64",
    };
    assert_int_equal(sweep.runs.count, sizeof names / sizeof names[0]);
    for (size_t i = 0; i < sweep.runs.count; i++)
        assert_string_equal(sweep.runs.items[i].machine, names[i]);
    assert_int_equal(sweep.runs.items[4].sets.count, 1);
    assert_string_equal(sweep.runs.items[4].sets.items[0], "GPU.ClockMHz=77");
    assert_int_equal(sweep.traces.items[0].frame_count, 2);
    assert_string_equal(sweep.traces.items[0].frames, "0-1");
    sweep_fini(&sweep);
}

/* A machine runs the inputs that it names, or all inputs. */
static void
machines_have_inputs(void **state)
{
    static const char text[] = "[machine a]\ninputs = two\n[machine b]\n[machine c]\n"
                               "inputs = %s\n" INPUT "[input two]\nfile = two.trace\n";
    static const char *const names[] = {"a", "b", "b", "c"};
    for (uint32_t known = 0; known < 2; known++) {
        char *plan_text = mem_printf(text, known ? "two" : "two three");
        struct sweep_plan plan;
        struct sweep sweep;
        struct error err;
        assert_true(load(&plan, plan_text, &err));
        sweep_init(&sweep, "/nowhere", NULL);
        assert_true(sweep_add_trace(&sweep, "tiny", TINY, NULL, &err) &&
                    sweep_add_trace(&sweep, "two", TINY, NULL, &err));
        assert_int_equal(sweep_expand(&sweep, &plan, &err), known);
        if (!known)
            assert_non_null(strstr(err.text, "[machine c] inputs: unknown input 'three'"));
        for (size_t i = 0; known && i < sizeof names / sizeof names[0]; i++)
            assert_string_equal(sweep.runs.items[i].machine, names[i]);
        assert_true(!known || (sweep.runs.count == 4 && sweep.runs.items[0].trace == 1));
        sweep_fini(&sweep);
        sweep_plan_fini(&plan);
        free(plan_text);
    }
}

/* Expansion counts the runs before it creates them, so the refusal is immediate. */
static void
a_plan_has_an_end(void **state)
{
    static const char text[] =
        "[sweep]\naxis GPU.ClockMHz = 1..1000\naxis FRAGMENTSHADER.TextureUnits = "
        "1..8\naxis MEMORYCONTROLLER.MemorySize = 1..1000\n[machine m]\n" INPUT;
    struct sweep_plan plan;
    struct sweep sweep;
    struct error err;
    assert_true(load(&plan, text, &err));
    sweep_init(&sweep, "/nowhere", NULL);
    assert_false(sweep_expand(&sweep, &plan, &err));
    assert_non_null(strstr(err.text, "[machine m]: the plan has more than 1000000 runs"));
    assert_int_equal(sweep.runs.count, 0);
    sweep_fini(&sweep);
    sweep_plan_fini(&plan);
}

static struct sweep_run
only_run(struct sweep *sweep, const char *text)
{
    expand(sweep, text);
    assert_int_equal(sweep->runs.count, 1);
    return sweep->runs.items[0];
}

/* The key depends on the machine, not on the plan's description of it. Every parameter that changes
 * a result changes the key. */
static void
keys_distinguish_machines(void **state)
{
    static const struct {
        const char *text;
        bool same;
    } cases[] = {
        {"[machine other-name]\n", true},
        {"[sweep]\nset = GPU.ClockMHz = 501\nset = GPU.ClockMHz=500\n", true},
        {"[sweep]\naxis GPU.ClockMHz = 500\n", true},
        {"[sweep]\nset = GPU.ClockMHz=501\n", false},
        {"[sweep]\npreset = g70-like\n", false},
        {"[sweep]\nset = MEMORYCONTROLLER.MemorySize=268435456\n", false},
        {"[sweep]\nset = SIMULATOR.PerBatchStatistics=FALSE\n", false},
    };
    struct sweep base, other;
    const struct sweep_run run = only_run(&base, "");
    assert_true(sweep_key_is_one(run.key));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct sweep_run another = only_run(&other, cases[i].text);
        if (!strcmp(run.key, another.key) != cases[i].same)
            fail_msg("the key of '%s'", cases[i].text);
        sweep_fini(&other);
    }
    struct preset_cache presets = {0};
    struct params params;
    struct error err;
    char one[SWEEP_KEY_TEXT], two[SWEEP_KEY_TEXT];
    assert_true(machine_make(&presets, run.preset, &run.sets, &params, &err));
    sweep_key(one, &params, base.traces.items[0].hash, "0-1", SWEEP_BLOCKS_NONE);
    assert_string_equal(one, run.key);
    sweep_key(two, &params, base.traces.items[0].hash, "0", SWEEP_BLOCKS_NONE);
    assert_string_not_equal(one, two);
    char hash[SHA256_TEXT];
    memset(hash, '0', sizeof hash);
    hash[SHA256_TEXT - 1] = '\0';
    sweep_key(two, &params, hash, "0-1", SWEEP_BLOCKS_NONE);
    assert_string_not_equal(one, two);
    sweep_key(two, &params, base.traces.items[0].hash, "0-1", SWEEP_BLOCKS_COUNT);
    assert_string_not_equal(one, two);
    preset_cache_fini(&presets);
    sweep_fini(&base);
}

/* An axis or an option that has no effect in any run gives one warning. A setting in the plan may
 * be for specific machines, so it gives none. */
static void
idle_parameters_are_reported(void **state)
{
    static const struct {
        const char *plan, *asked, *warning;
    } cases[] = {
        {"[sweep]\naxis RASTERIZER.SquaresCycle = 1 2\n", NULL, ""},
        {"[sweep]\nset = RASTERIZER.Generator=scan\naxis RASTERIZER.SquaresCycle = 1 2\n", NULL,
         "aetius: warning: RASTERIZER.SquaresCycle has no effect: it requires "
         "RASTERIZER.Generator=recursive, or auto with RecursiveMode=TRUE\n"},
        {"[sweep]\naxis RASTERIZER.Generator = scan recursive\n"
         "axis RASTERIZER.SquaresCycle = 1 2\n",
         NULL, ""},
        {"[sweep]\nset = COMMANDPROCESSOR.BatchesInFlight=8\n[machine one]\n[machine two]\n", NULL,
         ""},
        {"[sweep]\n[machine one]\n[machine two]\n", "COMMANDPROCESSOR.BatchesInFlight=8",
         "aetius: warning: COMMANDPROCESSOR.BatchesInFlight has no effect: it requires "
         "COMMANDPROCESSOR.PipelinedBatchRendering=TRUE\n"},
        {"[sweep]\n[machine one]\n[machine two]\n"
         "set = COMMANDPROCESSOR.PipelinedBatchRendering=TRUE\n",
         "COMMANDPROCESSOR.BatchesInFlight=8", ""},
        {"[sweep]\n[machine one]\n", "DAC.RefreshRate=1000",
         "aetius: warning: DAC.RefreshRate has no effect: it requires DAC.RefreshFrame=TRUE and "
         "DAC.SynchedRefresh=FALSE\n"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct sweep sweep;
        struct listener listener;
        listen_begin(&listener);
        expand_asked(&sweep, cases[i].plan, cases[i].asked);
        assert_string_equal(listen_end(&listener), cases[i].warning);
        sweep_fini(&sweep);
    }
}

/* If the memory size is set, memory does not grow, unless growth is set after the size. The stored
 * description of a machine preserves both settings. */
static void
machines_come_back_from_their_differences(void **state)
{
    static const char *const sets[][2] = {
        {"MEMORYCONTROLLER.MemorySize=268435456", NULL},
        {"MEMORYCONTROLLER.MemorySize=268435456", "MEMORYCONTROLLER.MemoryGrows=TRUE"},
        {"MEMORYCONTROLLER.MemoryGrows=FALSE", NULL},
        {"SHADER.Mode=instant", "GPU.NumFragmentShaders=3"},
        {NULL, NULL},
    };
    struct preset_cache presets = {0};
    struct error err;
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
        struct params params, again;
        struct word_list written = {0};
        assert_true(preset_cache_get(&presets, "g70-like", &params, &err));
        for (uint32_t k = 0; k < 2 && sets[i][k]; k++)
            assert_true(params_set(&params, sets[i][k], &err));
        assert_true(machine_differences(&presets, "g70-like", &params, &written, &err));
        assert_true(machine_make(&presets, "g70-like", &written, &again, &err));
        char *a = params_to_ini(&params, NULL), *b = params_to_ini(&again, NULL);
        assert_string_equal(a, b);
        free(a);
        free(b);
        word_list_fini(&written);
    }
    preset_cache_fini(&presets);
}

static void
frames_have_one_text(void **state)
{
    static const struct {
        const char *text, *made;
    } cases[] = {
        {"0-9", "0-4"}, {"3,1-2", "1-3"}, {"4,0", "0,4"}, {"2-2", "2"}, {"0,2,4", "0,2,4"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct frame_set set;
        struct error err;
        assert_true(frame_set_parse(&set, cases[i].text, &err));
        char *made = sweep_frames_text(&set, 5);
        assert_string_equal(made, cases[i].made);
        free(made);
    }
    struct sweep sweep;
    struct error err;
    sweep_init(&sweep, "/nowhere", NULL);
    assert_false(sweep_add_trace(&sweep, "a", TINY, "0-2", &err));
    assert_non_null(strstr(err.text, "has 2 frames, 0-1"));
    assert_false(sweep_add_trace(&sweep, "b", "/nowhere/x.trace", NULL, &err));
    sweep_fini(&sweep);
}

/* A loaded sweep equals the saved one, also if it has only one run. */
static void
a_sweep_is_saved_and_loaded(void **state)
{
    char dir[] = "/tmp/aetius-sweep-XXXXXX";
    struct sweep sweep, again;
    struct error err;
    assert_non_null(mkdtemp(dir));
    expand(&sweep, "[sweep]\naxis GPU.ClockMHz = 100 200\n");
    free(sweep.dir);
    sweep.dir = mem_strdup(dir);
    sweep.limit_seconds = 7;
    sweep.limit_bytes = 1 << 30;
    assert_true(sweep_save(&sweep, &err));
    assert_true(sweep_load(&again, dir, &err));
    assert_int_equal(again.runs.count, 2);
    assert_string_equal(again.store, "/nowhere/runs");
    assert_int_equal(again.limit_seconds, 7);
    assert_int_equal(again.limit_bytes, 1 << 30);
    assert_string_equal(again.traces.items[0].hash, sweep.traces.items[0].hash);
    assert_int_equal(again.traces.items[0].draws, sweep.traces.items[0].draws);
    assert_string_equal(again.runs.items[1].sets.items[0], "GPU.ClockMHz=200");
    sweep_fini(&again);
    assert_true(sweep_load_run(&again, dir, sweep.runs.items[1].key, &err));
    assert_int_equal(again.runs.count, 1);
    assert_string_equal(again.runs.items[0].key, sweep.runs.items[1].key);
    sweep_fini(&again);
    assert_false(sweep_load_run(&again, dir, "00000000000000000000000000000000", &err));
    sweep_fini(&sweep);
    assert_true(tree_remove(dir, &err));
    assert_false(sweep_load(&again, dir, &err));
    assert_non_null(strstr(err.text, "is not a sweep folder"));
}

/* The two rows have 30 + 10 cycles, 3 + 1 fragments, and at most 7 items in a queue. A rate is
 * derived from the counts. */
static void
outputs_are_worked_out_from_tables(void **state)
{
    static const char text[] =
        "schema,frame,cycles,fraggen.fragments,fraggen.quads_in.occupancy_peak,fragment_rate\n"
        "1,4,30,3,7,99\n1,5,10,1,2,99\n";
    static const struct {
        const char *formula;
        double run, second; /* value for both rows, and for the second row alone */
    } cases[] = {
        {"cycles", 40, 10},
        {"fraggen.fragments / cycles", 0.1, 0.1},
        {"fragment_rate", 0.1, 0.1}, /* neither 99 nor 198 */
        {"fraggen.quads_in.occupancy_peak", 7, 2},
        {"frames", 2, 1},
        {"cycles / frames + GPU.ClockMHz * (2 - 1)", 520, 510},
        {"1 / (cycles - cycles)", (double)NAN, (double)NAN},
    };
    char path[] = "/tmp/aetius-table-XXXXXX";
    struct csv_table table;
    struct params params;
    struct error err;
    close(mkstemp(path));
    gzFile file = gzopen(path, "wb");
    assert_int_equal(gzwrite(file, text, sizeof text - 1), sizeof text - 1);
    gzclose(file);
    assert_true(csv_read(&table, path, &err));
    unlink(path);
    params_init(&params);
    struct row_formulas *rows = row_formulas_create(&table, &params);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (!row_formulas_add(rows, cases[i].formula, &err))
            fail_msg("%s", err.text);
    assert_false(row_formulas_add(rows, "no.such.thing", &err));
    assert_non_null(strstr(err.text, "unknown name no.such.thing"));
    assert_false(row_formulas_add(rows, "cycles +", &err));
    for (uint32_t part = 0; part < 2; part++) {
        row_formulas_load(rows, part, part ? 1 : 2, part ? 1 : 2);
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            const double want = part ? cases[i].second : cases[i].run;
            const double value = row_formulas_value(rows, i);
            if (isnan(want) ? !isnan(value) : fabs(value - want) > 1e-12)
                fail_msg("%s is %g, not %g", cases[i].formula, value, want);
        }
    }
    row_formulas_destroy(rows);
    csv_table_fini(&table);
}

static void
estimates_are_means_or_by_the_draws(void **state)
{
    struct estimator estimator = {0};
    struct sweep_trace trace = {.frames = (char *)"0-1", .draws = 50};
    memset(trace.hash, 'a', sizeof trace.hash);
    assert_true(isnan(estimator_ask(&estimator, &trace).seconds));
    struct store_record other = {.frames = (char *)"0-1", .draws = 10, .bytes = 1000, .seconds = 2};
    estimator_add(&estimator, &other);
    struct store_record third = {.frames = (char *)"0", .draws = 30, .bytes = 7000, .seconds = 6};
    memset(third.trace, 'a', sizeof third.trace); /* the same trace, but not all of its frames */
    estimator_add(&estimator, &third);
    /* 40 draws take 8 s and 8000 bytes, so 50 draws take a quarter more */
    assert_float_equal(estimator_ask(&estimator, &trace).seconds, 10, 1e-9);
    assert_float_equal(estimator_ask(&estimator, &trace).bytes, 10000, 1e-6);
    struct store_record same = {.frames = (char *)"0-1", .draws = 50, .bytes = 40, .seconds = 3};
    memset(same.trace, 'a', sizeof same.trace);
    estimator_add(&estimator, &same);
    same.seconds = 5;
    estimator_add(&estimator, &same);
    assert_float_equal(estimator_ask(&estimator, &trace).seconds, 4, 1e-9);
    assert_float_equal(estimator_ask(&estimator, &trace).bytes, 40, 1e-9);
    estimator_fini(&estimator);
}

static void
the_ninja_file_has_no_path(void **state)
{
    struct sweep sweep;
    struct error err;
    struct ninja_work work = {.command = "run", .what = "runs"};
    expand(&sweep, "[sweep]\naxis GPU.ClockMHz = 100 200\n");
    free(sweep.dir);
    sweep.dir = mem_strdup("/tmp/a b$c:d\n'e");
    word_list_add(&work.names, sweep.runs.items[1].key);
    char *text = ninja_file(&work), *line = mem_printf("name = %s\n", sweep.runs.items[1].key);
    assert_non_null(strstr(text, line));
    assert_null(strstr(text, sweep.runs.items[0].key));
    assert_null(strstr(text, "/tmp"));
    char *word = shell_word("/tmp/a b$c\n'e");
    assert_string_equal(word, "'/tmp/a b$c\n'\\''e'");
    free(word);
    free(text);
    free(line);
    word_list_fini(&work.names);
    sweep_fini(&sweep);
    (void)err;
}

/* The expected front comes from comparing every point with every other one. */
static void
fronts_are_what_nothing_beats(void **state)
{
    enum { POINTS = 60 };
    uint32_t random = 12345;
    for (uint32_t round = 0; round < 40; round++) {
        double a[POINTS], b[POINTS];
        bool front[POINTS];
        const bool more_a = round & 1, more_b = round & 2;
        for (uint32_t i = 0; i < POINTS; i++) {
            a[i] = (random = random * 1664525 + 1013904223) >> 28;
            b[i] = (random = random * 1664525 + 1013904223) >> 28;
            if (i % 13 == 5)
                a[i] = (double)NAN;
        }
        pareto_front(a, b, POINTS, more_a, more_b, front);
        for (uint32_t i = 0; i < POINTS; i++) {
            bool beaten = isnan(a[i]);
            for (uint32_t k = 0; k < POINTS && !beaten; k++) {
                const double x = more_a ? a[k] - a[i] : a[i] - a[k];
                const double y = more_b ? b[k] - b[i] : b[i] - b[k];
                beaten = x >= 0 && y >= 0 && (x > 0 || y > 0);
            }
            assert_int_equal(front[i], !beaten);
        }
    }
}

/* X is 1 or 2 on the four machines, and Y and Z are both low or both high. X halves the cycles. Y
 * and Z add a tenth. */
static void
sensitivities_are_of_one_parameter_alone(void **state)
{
    static const char sql[] =
        "CREATE TABLE definitions (name TEXT PRIMARY KEY, formula TEXT, better TEXT);"
        "CREATE TABLE runs (run INTEGER PRIMARY KEY, input TEXT, machine TEXT);"
        "CREATE TABLE params (run INTEGER, name TEXT, value);"
        "CREATE TABLE outputs (run, frame, draw, name TEXT, value REAL);"
        "INSERT INTO definitions VALUES ('cycles', 'cycles', 'less'), ('area', 'a', 'less');"
        "INSERT INTO runs VALUES (1, 'i', 'a'), (2, 'i', 'b'), (3, 'i', 'c'), (4, 'i', 'd'),"
        " (5, 'j', 'd');"
        "INSERT INTO params VALUES (1, 'X', 1), (2, 'X', 2), (3, 'X', 1), (4, 'X', 2), (5, 'X', 1),"
        " (1, 'Y', 8), (2, 'Y', 8), (3, 'Y', 9), (4, 'Y', 9), (5, 'Y', 9),"
        " (1, 'Z', 'FALSE'), (2, 'Z', 'FALSE'), (3, 'Z', 'TRUE'), (4, 'Z', 'TRUE'), (5, 'Z', "
        "'TRUE');"
        "INSERT INTO outputs VALUES (1, NULL, NULL, 'cycles', 100), (2, NULL, NULL, 'cycles', 50),"
        " (3, NULL, NULL, 'cycles', 110), (4, NULL, NULL, 'cycles', 44), (5, NULL, NULL, 'cycles', "
        "1),"
        " (1, NULL, NULL, 'area', 10), (2, NULL, NULL, 'area', 20), (3, NULL, NULL, 'area', 10),"
        " (4, NULL, NULL, 'area', 20), (5, NULL, NULL, 'area', 10), (1, 0, NULL, 'area', 77);";
    static const char *const cells[] = {
        "parameter",
        "from",
        "to",
        "pairs",
        "cycles",
        "area",
        /* 100 -> 50 and 110 -> 44: -50 % and -60 % */
        "X",
        "1",
        "2",
        "2",
        "-55.00 %",
        "+100.00 %",
        /* 100 -> 110 and 50 -> 44: +10 % and -12 % */
        "Y, Z",
        "8",
        "9",
        "2",
        "+-11.00 %",
        "0.00 %",
    };
    struct text_table rows = {0};
    struct error err;
    sqlite3 *db;
    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    assert_true(sql_do(db, sql, &err));
    assert_true(sensitivity_table(db, &rows, &err));
    assert_int_equal(rows.cells.count, sizeof cells / sizeof cells[0]);
    for (size_t i = 0; i < rows.cells.count; i++)
        assert_string_equal(rows.cells.items[i], cells[i]);
    text_table_fini(&rows);
    /* with one input; with two inputs, the geometric mean of machines that have both */
    size_t left_out;
    assert_true(pareto_table(db, "cycles", "area", "i", &rows, &left_out, &err));
    assert_int_equal(left_out, 0);
    static const char *const front[] = {"machine", "cycles", "area", "d", "44",
                                        "20",      "a",      "100",  "10"};
    assert_int_equal(rows.cells.count, sizeof front / sizeof front[0]);
    for (size_t i = 0; i < rows.cells.count; i++)
        assert_string_equal(rows.cells.items[i], front[i]);
    text_table_fini(&rows);
    assert_true(pareto_table(db, "cycles", "area", NULL, &rows, &left_out, &err));
    assert_int_equal(left_out, 3);
    assert_int_equal(rows.cells.count, 6);
    assert_string_equal(rows.cells.items[4], "6.63325"); /* the square root of 44 */
    text_table_fini(&rows);
    assert_false(pareto_table(db, "cycles", "depth", NULL, &rows, &left_out, &err));
    assert_non_null(strstr(err.text, "no output depth"));
    sqlite3_close(db);
}

/* The default number of jobs is the number of processors that the process may use. taskset and
 * cluster schedulers restrict these. */
static void
runs_at_a_time_are_the_processors_left(void **state)
{
    const struct work_options as_asked = {.jobs = 5}, of_default = {0};
    cpu_set_t all, one;
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    assert_int_equal(work_jobs(&of_default), CPU_COUNT(&all));
    CPU_ZERO(&one);
    for (int cpu = 0; cpu < CPU_SETSIZE && !CPU_COUNT(&one); cpu++)
        if (CPU_ISSET(cpu, &all))
            CPU_SET(cpu, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(work_jobs(&of_default), 1);
    assert_int_equal(work_jobs(&as_asked), 5);
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plan_is_read),
        cmocka_unit_test(a_plan_is_narrowed),
        cmocka_unit_test(a_machine_left_alone_keeps_its_inputs),
        cmocka_unit_test(another_preset_has_its_name),
        cmocka_unit_test(bad_plans_are_refused_with_their_line),
        cmocka_unit_test(values_that_differ_are_taken),
        cmocka_unit_test(axes_multiply_the_machines),
        cmocka_unit_test(a_plan_has_an_end),
        cmocka_unit_test(machines_have_inputs),
        cmocka_unit_test(keys_distinguish_machines),
        cmocka_unit_test(idle_parameters_are_reported),
        cmocka_unit_test(machines_come_back_from_their_differences),
        cmocka_unit_test(frames_have_one_text),
        cmocka_unit_test(a_sweep_is_saved_and_loaded),
        cmocka_unit_test(outputs_are_worked_out_from_tables),
        cmocka_unit_test(estimates_are_means_or_by_the_draws),
        cmocka_unit_test(the_ninja_file_has_no_path),
        cmocka_unit_test(fronts_are_what_nothing_beats),
        cmocka_unit_test(sensitivities_are_of_one_parameter_alone),
        cmocka_unit_test(runs_at_a_time_are_the_processors_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
