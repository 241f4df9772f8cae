/* Runs the table effects.def. Every modelled parameter has an effect, which has the calculated
 * size. */
#include "base/build.h"
#include "base/file.h"
#include "base/mem.h"
#include "report/run/metrics.h"
#include "sim/simulation.h"
#include "trace/file.h"
#include "rigs/folder.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

/* Sanitizers take several times as long, so their build checks every third line. */
#ifdef SANITIZED
enum { STRIDE = 3 };
#else
enum { STRIDE = 1 };
#endif

#define WORKLOADS AETIUS_SOURCE_DIR "/tests/golden/workloads.trace"
#define PRESET    "reference-2008"
enum { MAX_RUNS = 2048, NAME_SIZE = 160, PROCESSES = 2, MAX_UNMODELLED = 25 };

enum kind { KIND_EFFECT, KIND_OUTPUT, KIND_PICTURE, KIND_REFUSED, KIND_ELSEWHERE };
enum direction { FALLS, RISES };

struct effect {
    enum kind kind;
    const char *section, *name, *from, *to, *machine;
    uint32_t frame;
    const char *formula; /* OUTPUT: name of the file; ELSEWHERE: name of the test */
    enum direction direction;
    const char *size; /* claims, separated by "; "; "" if there are none */
    const char *why;
};

static const struct effect effects[] = {
#define EFFECT(section, name, from, to, machine, frame, formula, direction, size, why)             \
    {KIND_EFFECT, #section, #name, from, to, machine, frame, formula, direction, size, why},
#define OUTPUT(section, name, from, to, machine, frame, file, direction, size, why)                \
    {KIND_OUTPUT, #section, #name, from, to, machine, frame, file, direction, size, why},
#define PICTURE(section, name, from, to, machine, frame, why)                                      \
    {KIND_PICTURE, #section, #name, from, to, machine, frame, "", RISES, "", why},
#define REFUSED(section, name, value, machine, frame, why)                                         \
    {KIND_REFUSED, #section, #name, value, value, machine, frame, "", RISES, "", why},
#define ELSEWHERE(section, name, test, why)                                                        \
    {KIND_ELSEWHERE, #section, #name, "", "", "", 0, test, RISES, "", why},
#include "effects.def"
};

/* Facts about the frames, which hold for every machine. */
static const struct fact {
    const char *name;
    double value;
} facts[] = {
#define FACT(name, value, why) {#name, value},
#include "effects.def"
};

enum { EFFECT_COUNT = sizeof effects / sizeof effects[0] };

/* A frame simulated on one machine. */
struct run {
    struct params params;
    char *machine; /* all parameters as text; with `frame` this is the key */
    uint32_t frame;
    uint64_t picture; /* hash of the picture */
    bool refused;
    uint32_t count;
    const char **names;
    double *values;
    struct simulation sim;
};

static struct run *runs[MAX_RUNS];
static uint32_t run_count;
static const char *aetius; /* path of the program, from the command line */

static uint64_t
hash_bytes(const uint8_t *bytes, size_t count)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ bytes[i]) * 1099511628211u;
    return hash;
}

static bool
take_frame(void *data, const struct simulation_frame *frame, struct error *err)
{
    struct run *run = data;
    if (!frame->timed)
        return true;
    const struct stat_set *set = &run->sim.machine->stats;
    uint64_t *values = mem_array(set->count, sizeof *values);
    stat_set_snapshot(set, values);
    run->picture = hash_bytes(frame->picture->rgba,
                              (size_t)frame->picture->width * frame->picture->height * 4);
    run->count = set->count + 1;
    run->names = mem_array(run->count, sizeof *run->names);
    run->values = mem_array(run->count, sizeof *run->values);
    for (uint32_t i = 0; i < set->count; i++) {
        run->names[i] = mem_strdup(set->entries[i].name);
        run->values[i] = (double)values[i];
    }
    free(values);
    run->names[set->count] = mem_strdup("frames");
    run->values[set->count] = 1;
    run->sim.stopped = true;
    return true;
}

static void
play(struct run *run)
{
    struct executor_sink sink;
    struct trace_reader *reader;
    struct error err;
    if (!trace_reader_open(&reader, WORKLOADS, &err))
        fail_msg("%s", err.text);
    executor_sink_init(&sink, &run->sim.executor);
    struct message message;
    bool end = false;
    while (!end && !run->sim.stopped) {
        if (!trace_reader_next(reader, &message, &end, &err))
            fail_msg("%s", err.text);
        run->refused = !end && !sink.sink.take(sink.sink.data, &message, NULL, 0, &err);
        end |= run->refused;
    }
    executor_sink_fini(&sink);
    trace_reader_close(reader);
}

/* Applies settings of the form "A.B=v C.D=w". */
static void
set_all(struct params *params, const char *settings)
{
    char text[1024], *rest = text;
    struct error err;
    snprintf(text, sizeof text, "%s", settings);
    for (char *one; (one = strsep(&rest, " "));)
        if (*one && !params_set(params, one, &err))
            fail_msg("%s: %s", settings, err.text);
}

/* Returns the frame on that machine, and simulates it on first use. */
static const struct run *
simulate(const char *settings, uint32_t frame)
{
    struct run *run = mem_alloc(sizeof *run);
    struct frame_set frames;
    struct error err;
    char range[16];
    snprintf(range, sizeof range, "%u", frame);
    if (!params_load_preset(&run->params, PRESET, &err) || !frame_set_parse(&frames, range, &err))
        fail_msg("%s", err.text);
    set_all(&run->params, settings);
    run->machine = params_to_ini(&run->params, NULL);
    run->frame = frame;
    for (uint32_t i = 0; i < run_count; i++) {
        if (runs[i]->frame == frame && !strcmp(runs[i]->machine, run->machine)) {
            free(run->machine);
            free(run);
            return runs[i];
        }
    }
    assert_true(run_count < MAX_RUNS);
    runs[run_count++] = run;
    struct simulation_listener listener = {.data = run, .frame = take_frame};
    run->refused = !simulation_init(&run->sim, &run->params, &frames, &listener, &err);
    if (run->refused)
        return run;
    play(run);
    simulation_fini(&run->sim);
    return run;
}

/* Values of the names in formulas and claims of an effect. */
struct known {
    const struct run *run, *first; /* names that begin with "from." use `first`; NULL: none */
    double from, to;
};

static bool
statistic(const struct run *run, const char *name, double *value)
{
    struct params params = run->params;
    struct totals totals = {run->names, run->values, run->count, &params, NULL};
    return totals_lookup(&totals, name, value);
}

static bool
look_up(void *data, const char *name, double *value)
{
    const struct known *known = data;
    if (known->first && (!strcmp(name, "from") || !strcmp(name, "to"))) {
        *value = name[0] == 'f' ? known->from : known->to;
        return true;
    }
    if (known->first && !strncmp(name, "from.", 5))
        return statistic(known->first, name + 5, value);
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        if (!strcmp(name, facts[i].name)) {
            *value = facts[i].value;
            return true;
        }
    return statistic(known->run, name, value);
}

static double
evaluate(const struct effect *effect, const char *formula, struct known *known)
{
    struct error err;
    double value = 0;
    if (!formula_evaluate(formula, look_up, known, &value, &err))
        fail_msg("%s.%s: %s", effect->section, effect->name, err.text);
    return value;
}

/* Evaluates a claim of the form "A = B", "A <= B" or "A >= B". */
static bool
holds(const struct effect *effect, const char *claim, struct known *known)
{
    char left[256];
    const size_t n = strcspn(claim, "<>=");
    if (!claim[n] || n >= sizeof left)
        fail_msg("%s.%s: '%s' is no claim", effect->section, effect->name, claim);
    snprintf(left, sizeof left, "%.*s", (int)n, claim);
    const char sign = claim[n];
    const double a = evaluate(effect, left, known);
    const double b = evaluate(effect, claim + n + (sign == '=' ? 1 : 2), known);
    return sign == '<' ? a <= b : sign == '>' ? a >= b : fabs(a - b) <= 1e-9 * fabs(b);
}

/* Prints those claims about the size that are false. Returns whether all are true. */
static bool
has_size(const struct effect *effect, struct known *known)
{
    char text[512], *rest = text;
    bool all = true;
    assert_true(strlen(effect->size) < sizeof text);
    snprintf(text, sizeof text, "%s", effect->size);
    for (char *claim; (claim = strsep(&rest, ";"));) {
        if (!*claim || holds(effect, claim, known))
            continue;
        print_message("%s.%s: not%s%s\n", effect->section, effect->name, *claim == ' ' ? "" : " ",
                      claim);
        all = false;
    }
    return all;
}

/* Returns the number of lines of a table, the number of bytes of another file, or 0 if there is no
 * file. */
static double
size_of(const char *path)
{
    struct stat facts_of;
    double lines = 0;
    char part[4096];
    if (stat(path, &facts_of))
        return 0;
    if (!strstr(path, ".gz"))
        return (double)facts_of.st_size;
    gzFile file = gzopen(path, "rb");
    assert_non_null(file);
    for (int n; (n = gzread(file, part, sizeof part)) > 0;)
        for (int i = 0; i < n; i++)
            lines += part[i] == '\n';
    gzclose(file);
    return lines;
}

/* Returns the size of the file that `aetius sim` writes with these settings, or 0 if it writes
 * none. */
static double
output_size(const struct effect *effect, const char *settings)
{
    char folder[] = "/tmp/effects-XXXXXX", path[256], text[512], *rest = text;
    assert_non_null(mkdtemp(folder));
    snprintf(text, sizeof text, "%s", settings);
    char frame[16];
    snprintf(frame, sizeof frame, "%u", effect->frame);
    const char *argv[64] = {aetius,     "sim", WORKLOADS, "--preset", PRESET,
                            "--frames", frame, "--force", "-o",       folder};
    uint32_t argc = 10;
    for (char *one; (one = strsep(&rest, " "));) {
        if (!*one)
            continue;
        argv[argc++] = "--set";
        argv[argc++] = one;
    }
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        if (!freopen("/dev/null", "w", stderr) || !freopen("/dev/null", "w", stdout))
            _exit(127);
        execv(aetius, (char *const *)argv);
        _exit(127);
    }
    int status;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status))
        print_message("%s.%s: aetius sim with %s fails\n", effect->section, effect->name, settings);
    snprintf(path, sizeof path, "%s/%s", folder, effect->formula);
    const double size = size_of(path);
    assert_true(remove_folder(folder));
    return size;
}

/* Returns whether the named test mentions the parameter. */
static bool
is_elsewhere(const struct effect *effect)
{
    char pattern[512], line[256], parameter[NAME_SIZE];
    glob_t found_files;
    snprintf(pattern, sizeof pattern, "%s/tests/unit/*/test_%s.c", AETIUS_SOURCE_DIR,
             effect->formula);
    assert_int_equal(glob(pattern, 0, NULL, &found_files), 0);
    snprintf(parameter, sizeof parameter, "%s.%s", effect->section, effect->name);
    FILE *file = fopen(found_files.gl_pathv[0], "r");
    assert_non_null(file);
    globfree(&found_files);
    bool found = false;
    while (!found && fgets(line, sizeof line, file))
        found = strstr(line, parameter) != NULL;
    fclose(file);
    if (!found)
        print_message("%s is not in %s\n", parameter, pattern);
    return found;
}

/* Settings that make a condition of params.def false. */
static const struct breaker {
    const char *condition, *settings;
} breakers[] = {
    {"SIMULATOR.Statistics=TRUE", "SIMULATOR.Statistics=FALSE"},
    {"SIMULATOR.PerFrameStatistics=TRUE", "SIMULATOR.PerFrameStatistics=FALSE"},
    {"SIMULATOR.PerBatchStatistics=TRUE", "SIMULATOR.PerBatchStatistics=FALSE"},
    {"SIMULATOR.DumpSignalTrace=TRUE", "SIMULATOR.DumpSignalTrace=FALSE"},
    {"SIMULATOR.SignalDumpCycles above 0", "SIMULATOR.SignalDumpCycles=0"},
    {"SIMULATOR.GenerateFragmentMap=TRUE", "SIMULATOR.GenerateFragmentMap=FALSE"},
    {"SIMULATOR.ForceMSAA=TRUE", "SIMULATOR.ForceMSAA=FALSE"},
    {"GPU.UnifiedShader=FALSE", "GPU.UnifiedShader=TRUE"},
    {"COMMANDPROCESSOR.PipelinedBatchRendering=TRUE",
     "COMMANDPROCESSOR.PipelinedBatchRendering=FALSE"},
    {"MEMORYCONTROLLER.SystemMemory=TRUE", "MEMORYCONTROLLER.SystemMemory=FALSE"},
    {"MEMORYCONTROLLER.MemoryControllerV2=FALSE", "MEMORYCONTROLLER.MemoryControllerV2=TRUE"},
    {"MEMORYCONTROLLER.MemoryControllerV2=TRUE", "MEMORYCONTROLLER.MemoryControllerV2=FALSE"},
    {"MEMORYCONTROLLER.SharedBanks=FALSE", "MEMORYCONTROLLER.SharedBanks=TRUE"},
    {"MEMORYCONTROLLER.PageOpenLatency above 0", "MEMORYCONTROLLER.PageOpenLatency=0"},
    {"MEMORYCONTROLLER.V2PerfectMemory=FALSE", "MEMORYCONTROLLER.V2PerfectMemory=TRUE"},
    {"MEMORYCONTROLLER.V2Memory=gddr3", "MEMORYCONTROLLER.V2Memory=gddr5"},
    {"MEMORYCONTROLLER.MemoryControllerV2=FALSE, or V2ChannelScheduler above 0 with "
     "V2PerfectMemory=FALSE",
     "MEMORYCONTROLLER.V2ChannelScheduler=0"},
    {"MEMORYCONTROLLER.MemoryControllerV2=FALSE, or V2ChannelScheduler above 0 with "
     "V2PerfectMemory=FALSE",
     "MEMORYCONTROLLER.V2PerfectMemory=TRUE"},
    {"VERTEXSHADER.LockedExecutionMode=TRUE", "VERTEXSHADER.LockedExecutionMode=FALSE"},
    {"VERTEXSHADER.FetchRate above 1", "VERTEXSHADER.FetchRate=1"},
    {"RASTERIZER.TriangleSetupOnShader=TRUE", "RASTERIZER.TriangleSetupOnShader=FALSE"},
    {"RASTERIZER.TriangleSetupOnShader=FALSE", "RASTERIZER.TriangleSetupOnShader=TRUE"},
    {"RASTERIZER.Generator=auto", "RASTERIZER.Generator=scan"},
    {"RASTERIZER.Generator=auto", "RASTERIZER.Generator=seven-level"},
    {"RASTERIZER.Generator=scan, or auto with RecursiveMode=FALSE",
     "RASTERIZER.Generator=auto RASTERIZER.RecursiveMode=TRUE"},
    {"RASTERIZER.Generator=scan, or auto with RecursiveMode=FALSE",
     "RASTERIZER.Generator=seven-level"},
    {"RASTERIZER.Generator=recursive, or auto with RecursiveMode=TRUE",
     "RASTERIZER.Generator=auto RASTERIZER.RecursiveMode=FALSE"},
    {"RASTERIZER.Generator=recursive, or auto with RecursiveMode=TRUE",
     "RASTERIZER.Generator=seven-level"},
    {"RASTERIZER.Generator=seven-level", "RASTERIZER.Generator=scan"},
    {"RASTERIZER.Generator=seven-level", "RASTERIZER.Generator=recursive"},
    {"RASTERIZER.BoundingBoxTest=TRUE", "RASTERIZER.BoundingBoxTest=FALSE"},
    {"RASTERIZER.Generator other than seven-level", "RASTERIZER.Generator=seven-level"},
    {"RASTERIZER.DisableHZ=FALSE", "RASTERIZER.DisableHZ=TRUE"},
    {"RASTERIZER.TiledShaderDistribution=FALSE", "RASTERIZER.TiledShaderDistribution=TRUE"},
    {"FRAGMENTSHADER.LockedExecutionMode=TRUE", "FRAGMENTSHADER.LockedExecutionMode=FALSE"},
    {"FRAGMENTSHADER.FetchRate above 1", "FRAGMENTSHADER.FetchRate=1"},
    {"FRAGMENTSHADER.TextureUnits above 1", "FRAGMENTSHADER.TextureUnits=1"},
    {"FRAGMENTSHADER.PerfectTextures=FALSE", "FRAGMENTSHADER.PerfectTextures=TRUE"},
    {"FRAGMENTSHADER.TwoLevelTextureCache=TRUE", "FRAGMENTSHADER.TwoLevelTextureCache=FALSE"},
    {"SHADER.PerfectConstants=FALSE", "SHADER.PerfectConstants=TRUE"},
    {"GEOMETRYASSEMBLY.OnChipPrimitives above 0", "GEOMETRYASSEMBLY.OnChipPrimitives=0"},
    {"SHADER.Mode=timed", "SHADER.Mode=instant"},
    {"FRAGMENTSHADER.FetchRate above 1, or VERTEXSHADER.FetchRate with GPU.UnifiedShader=FALSE",
     "FRAGMENTSHADER.FetchRate=1 GPU.UnifiedShader=FALSE VERTEXSHADER.FetchRate=1"},
    {"FRAGMENTSHADER.FetchRate above 1, or VERTEXSHADER.FetchRate with GPU.UnifiedShader=FALSE",
     "FRAGMENTSHADER.FetchRate=1 GPU.UnifiedShader=TRUE VERTEXSHADER.FetchRate=2"},
    {"ZSTENCILTEST.DisableCompression=FALSE", "ZSTENCILTEST.DisableCompression=TRUE"},
    {"ZSTENCILTEST.CompressionAlgorithm other than none", "ZSTENCILTEST.CompressionAlgorithm=none"},
    {"COLORWRITE.DisableCompression=FALSE", "COLORWRITE.DisableCompression=TRUE"},
    {"COLORWRITE.CompressionAlgorithm other than none", "COLORWRITE.CompressionAlgorithm=none"},
    {"DAC.RefreshFrame=TRUE", "DAC.RefreshFrame=FALSE"},
    {"DAC.SynchedRefresh=TRUE", "DAC.SynchedRefresh=FALSE"},
    {"DAC.SynchedRefresh=FALSE", "DAC.SynchedRefresh=TRUE"},
};
enum { BREAKER_COUNT = sizeof breakers / sizeof breakers[0] };

static const struct param_info *
info_of(const struct effect *effect)
{
    const struct param_info *info = param_find(effect->section, effect->name);
    assert_non_null(info);
    return info;
}

/* Returns whether no result of the machine depends on a parameter whose condition is false. */
static bool
is_idle(const struct effect *effect, const struct breaker *breaker)
{
    char from[1024], to[1024];
    const char *const both[] = {effect->from, effect->to};
    char *const settings[] = {from, to};
    for (uint32_t i = 0; i < 2; i++)
        snprintf(settings[i], sizeof from, "%s %s.%s=%s %s", effect->machine, effect->section,
                 effect->name, both[i], breaker->settings);
    const struct run *a = simulate(from, effect->frame), *b = simulate(to, effect->frame);
    const char *wrong = param_has_effect(info_of(effect), &a->params) ? "the condition" : NULL;
    if (!wrong && (a->refused || b->refused || a->picture != b->picture))
        wrong = "the picture";
    for (uint32_t v = 0; !wrong && v < a->count; v++)
        if (a->values[v] < b->values[v] || a->values[v] > b->values[v])
            wrong = a->names[v];
    if (wrong)
        print_message("%s.%s %s -> %s has an effect with %s: %s\n", effect->section, effect->name,
                      effect->from, effect->to, breaker->settings, wrong);
    return !wrong;
}

/* Tests each condition of the parameter with each setting that makes it false. */
static bool
is_idle_where_it_should(const struct effect *effect)
{
    const struct param_info *info = info_of(effect);
    bool ok = true;
    for (uint32_t n = 0; n < PARAM_NEEDS && info->needs[n]; n++)
        for (uint32_t b = 0; b < BREAKER_COUNT; b++)
            if (!strcmp(breakers[b].condition, param_condition(info->needs[n])->text))
                ok &= is_idle(effect, &breakers[b]);
    return ok;
}

static bool
check(const struct effect *effect)
{
    if (effect->kind == KIND_ELSEWHERE)
        return is_elsewhere(effect);
    char from[512], to[512];
    snprintf(from, sizeof from, "%s %s.%s=%s", effect->machine, effect->section, effect->name,
             effect->from);
    snprintf(to, sizeof to, "%s %s.%s=%s", effect->machine, effect->section, effect->name,
             effect->to);
    double before = 0, after = 1;
    const char *wrong = "";
    const struct run *a = simulate(from, effect->frame), *b = simulate(to, effect->frame);
    if (effect->kind == KIND_OUTPUT) {
        before = output_size(effect, from);
        after = output_size(effect, to);
    } else {
        bool refused = a->refused || b->refused;
        if (refused != (effect->kind == KIND_REFUSED))
            wrong = refused ? " (refused)" : " (not refused)";
        else if (!refused && (a->picture == b->picture) != (effect->kind != KIND_PICTURE))
            wrong = a->picture == b->picture ? " (the picture stays)" : " (another picture)";
        else if (!param_has_effect(info_of(effect), &a->params))
            wrong = " (its condition is false)";
        else if (!refused && !is_idle_where_it_should(effect))
            wrong = " (not idle)";
        if (effect->kind == KIND_EFFECT && !refused) {
            before = evaluate(effect, effect->formula, &(struct known){.run = a});
            after = evaluate(effect, effect->formula, &(struct known){.run = b});
        }
    }
    if (effect->direction == RISES ? after <= before : after >= before)
        wrong = " (the wrong way)";
    else if (!*wrong && !has_size(effect, &(struct known){b, a, before, after}))
        wrong = " (not as much)";
    if (getenv("AETIUS_ALL") || *wrong)
        print_message("%s.%s %s -> %s, frame %u, %s: %.6g -> %.6g%s\n", effect->section,
                      effect->name, effect->from, effect->to, effect->frame, effect->formula,
                      before, after, wrong);
    return !*wrong;
}

/* Tests the effects of every PROCESSES-th frame. Exits with 1 if an effect is missing. */
static void
check_share(uint32_t process)
{
    uint32_t failures = 0;
    const char *only = getenv("AETIUS_PARAMETER"); /* SECTION.Name, or a prefix */
    for (uint32_t i = 0; i < EFFECT_COUNT; i += STRIDE) {
        char name[NAME_SIZE];
        snprintf(name, sizeof name, "%s.%s", effects[i].section, effects[i].name);
        if (effects[i].frame % PROCESSES == process &&
            (!only || !strncmp(only, name, strlen(only))))
            failures += !check(&effects[i]);
    }
    fflush(NULL);
    _exit(failures > 0);
}

static void
each_effect_is_seen(void **state)
{
    (void)state;
    fflush(NULL);
    for (uint32_t process = 0; process < PROCESSES; process++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (!child)
            check_share(process);
    }
    uint32_t failures = 0;
    for (int status; wait(&status) > 0;)
        failures += !WIFEXITED(status) || WEXITSTATUS(status);
    assert_int_equal(failures, 0);
}

/* Each condition of a parameter has a setting that makes it false. */
static void
each_condition_has_a_breaker(void **state)
{
    size_t count;
    const struct param_info *infos = param_infos(&count);
    (void)state;
    for (size_t p = 0; p < count; p++)
        for (uint32_t n = 0; n < PARAM_NEEDS && infos[p].needs[n]; n++) {
            const char *text = param_condition(infos[p].needs[n])->text;
            uint32_t b = 0;
            while (b < BREAKER_COUNT && strcmp(breakers[b].condition, text))
                b++;
            if (b == BREAKER_COUNT)
                fail_msg("%s is not broken", text);
        }
}

static void
each_modelled_parameter_has_a_line(void **state)
{
    size_t count;
    const struct param_info *infos = param_infos(&count);
    uint32_t failures = 0, unmodelled = 0;
    (void)state;
    for (size_t p = 0; p < count; p++) {
        bool found = false;
        unmodelled += infos[p].unmodelled != NULL;
        for (uint32_t i = 0; i < EFFECT_COUNT && !found; i++)
            found = !strcmp(effects[i].section, infos[p].section) &&
                    !strcmp(effects[i].name, infos[p].name);
        if (found != !infos[p].unmodelled) {
            print_message("%s.%s is %s\n", infos[p].section, infos[p].name,
                          found ? "not modelled but has a line" : "modelled without a line");
            failures++;
        }
    }
    assert_true(unmodelled <= MAX_UNMODELLED);
    assert_int_equal(failures, 0);
}

/* If an effect has no size, the table states the reason. */
static void
effects_have_sizes(void **state)
{
    uint32_t sized = 0, all = 0, failures = 0;
    (void)state;
    for (uint32_t i = 0; i < EFFECT_COUNT; i++) {
        const struct effect *effect = &effects[i];
        if (effect->kind != KIND_EFFECT && effect->kind != KIND_OUTPUT)
            continue;
        const bool has_reason = strstr(effect->why, "no size: ") != NULL;
        all++;
        sized += *effect->size != '\0';
        if (has_reason == (*effect->size != '\0')) {
            print_message("%s.%s has %s\n", effect->section, effect->name,
                          has_reason ? "a size and a reason for none" : "no size and no reason");
            failures++;
        }
    }
    assert_int_equal(failures, 0);
    assert_true(3 * sized >= 2 * all);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_condition_has_a_breaker),
        cmocka_unit_test(each_modelled_parameter_has_a_line),
        cmocka_unit_test(effects_have_sizes),
        cmocka_unit_test(each_effect_is_seen),
    };
    aetius = argc > 1 ? argv[1] : "build/aetius";
    return cmocka_run_group_tests(tests, NULL, NULL);
}
