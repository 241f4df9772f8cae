/* The study of compression: its plan, its sums against hand-made results, and the command over a
 * small trace: resumed after a kill, and against `aetius compress`. */
#include "analysis/chart.h"
#include "analysis/study.h"
#include "base/build.h"
#include "base/file.h"
#include "cmd/study_runs.h"

#include <cjson/cJSON.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#define WORKLOADS AETIUS_SOURCE_DIR "/tests/golden/workloads.trace"

static const char *aetius;

/* A plan in a file that is gone again when it is read. */
static bool
load(struct study_plan *plan, const char *text, struct error *err)
{
    char path[] = "/tmp/aetius-plan-XXXXXX";
    struct error writing;
    close(mkstemp(path));
    assert_true(file_write(path, text, strlen(text), &writing));
    const bool ok = study_plan_load(plan, path, err);
    unlink(path);
    return ok;
}

static void
test_plan(void **state)
{
    struct study_plan plan;
    struct error err;
    assert_true(load(&plan,
                     "[study]\npreset = reference-2008\nset = A.B=1\n"
                     "[configuration x0]\nset =\n[configuration x4]\nset = C.D=2\nset = E.F=3\n"
                     "[trace one]\nprogram = a b\n    c\nframes = 3-5\n"
                     "[trace two]\nprogram = d\nframes = 1-2,7\nwarm-up = 3\n"
                     "[trace three]\nfile = x.trace\n"
                     "[machine]\ntraces = one two-7\nconfigurations = x4\nz = ddpcm\n",
                     &err));
    assert_int_equal(plan.configurations.count, 2);
    assert_int_equal(plan.configurations.items[0].sets.count, 0);
    assert_string_equal(plan.configurations.items[1].sets.items[1], "E.F=3");
    assert_int_equal(plan.traces.count, 4);
    assert_string_equal(plan.traces.items[0].name, "one");
    assert_string_equal(plan.traces.items[1].name, "two-1");
    assert_string_equal(plan.traces.items[2].name, "two-7");
    assert_string_equal(plan.traces.items[3].file, "x.trace");
    assert_int_equal(plan.sources.items[0].program.count, 3);
    assert_string_equal(plan.sources.items[0].program.items[2], "c");
    assert_string_equal(plan.machine_codecs[COMPRESSION_COLOR], "best");
    assert_string_equal(plan.machine_codecs[COMPRESSION_DEPTH], "ddpcm");
    assert_true(study_plan_check(&plan, &err));

    assert_false(study_plan_narrow(&plan, "x0,x3", &err));
    assert_non_null(strstr(err.text, "x3"));
    assert_true(study_plan_narrow(&plan, "x0", &err));
    assert_int_equal(plan.configurations.count, 1);
    assert_int_equal(plan.machine_configurations.count, 0);

    const char *files[] = {"/a/first.trace", "second.aet", "third", "/b/fourth.x"};
    assert_true(study_plan_use_files(&plan, files, 4, &err));
    assert_string_equal(plan.traces.items[0].name, "first");
    assert_int_equal(plan.machine_traces.count, 3);
    const char *twins[] = {"/a/same.trace", "same.aet"};
    assert_false(study_plan_use_files(&plan, twins, 2, &err));
    assert_non_null(strstr(err.text, "same"));
    study_plan_fini(&plan);
}

static void
test_bad_plans(void **state)
{
#define START "[study]\npreset = p\n[configuration x0]\nset =\n"
    static const struct {
        const char *text, *says;
    } cases[] = {
        {START "[trace a]\nfile = b\ncolour = c\n", ":7: [trace a] has no 'colour'"},
        {START "[trace a]\nprogram = b\n", "wants program and frames"},
        {START "[trace a]\nprogram = b\nframes = x\n", "[trace a]"},
        {START "[trace a]\nprogram = b\nframes = 1\nfile = c\n", "a program and a file"},
        {START "nonsense\n", ":5: "},
        {START, "a trace are wanted"},
        {"[trace]\nfile = b\n", "has no 'file'"},
        {START "[trace ../../a]\nfile = b\n", ":6: [trace ../../a]: letters, digits"},
        {START "[trace /a]\nfile = b\n", "[trace /a]: letters"},
        {START "[trace ..]\nfile = b\n", "[trace ..]: letters"},
        {START "[trace .]\nfile = b\n", "[trace .]: letters"},
        {START "[trace a b]\nfile = b\n", "[trace a b]: letters"},
        {START "[configuration ../../../tmp/x/y]\nset =\n[trace a]\nfile = b\n",
         "[configuration ../../../tmp/x/y]: letters"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct study_plan plan;
        struct error err = {""};
        assert_false(load(&plan, cases[i].text, &err));
        if (!strstr(err.text, cases[i].says))
            fail_msg("'%s' does not say '%s'", err.text, cases[i].says);
    }
    struct study_plan plan;
    struct error err;
    assert_true(load(&plan, START "[trace a]\nfile = b\n[machine]\ntraces = c\n", &err));
    assert_false(study_plan_check(&plan, &err));
    study_plan_fini(&plan);
    assert_true(load(&plan, START "[trace a]\nfile = b\n[machine]\ncolor = hello\n", &err));
    assert_false(study_plan_check(&plan, &err));
    study_plan_fini(&plan);
}

/* The plan that comes with the program. */
static void
test_own_plan(void **state)
{
    struct study_plan plan;
    struct error err;
    assert_true(study_plan_load(&plan, AETIUS_SOURCE_DIR "/studies/compression.ini", &err));
    assert_true(study_plan_check(&plan, &err));
    assert_true(plan.traces.count >= 8);
    assert_int_equal(plan.configurations.count, 4);
    assert_int_equal(plan.machine_traces.count, 3);
    for (size_t i = 0; i < plan.sources.count; i++)
        for (uint32_t r = 0; r < plan.sources.items[i].ranges.count; r++)
            assert_true(plan.sources.items[i].ranges.ranges[r].last + 1 -
                            plan.sources.items[i].ranges.ranges[r].first >=
                        3);
    study_plan_fini(&plan);
}

/* Blocks that move: as many at 64 bytes as are said, the others raw, by every codec that applies.
 */
static void
set_blocks(struct study_result *result, uint32_t kind, uint64_t small, uint64_t raw, bool sampled)
{
    const enum codec_kind applies = kind == COMPRESSION_COLOR ? CODEC_COLOR : CODEC_DEPTH;
    for (uint32_t bus = 0; bus < CODEC_BUSES; bus++) {
        struct compression_kind *tally = &result->buses[bus].kinds[kind];
        result->buses[bus].bus = bus;
        tally->transfers = small + raw + 5;
        tally->cleared = 5;
        tally->sampled = sampled ? tally->transfers : 0;
        for (uint32_t c = 0; c < CODEC_COUNT; c++)
            for (uint32_t l = 0; l < codecs[c]->levels[bus].count; l++)
                if ((codecs[c]->applies & applies) && codecs[c]->levels[bus].bytes[l] == 64) {
                    tally->fits[c][l] = small;
                    tally->raw[c] = raw;
                    break;
                }
    }
}

/* hilo fits nothing. */
static void
fit_nothing(struct study_result *result, uint32_t kind)
{
    struct compression_kind *tally = &result->buses[0].kinds[kind];
    tally->raw[CODEC_ID_hilo] += tally->fits[CODEC_ID_hilo][0];
    tally->fits[CODEC_ID_hilo][0] = 0;
}

static void
test_means(void **state)
{
    struct study_plan plan;
    struct error err;
    assert_true(load(&plan,
                     START "[configuration x4]\nset =\n[trace a]\nfile = a\n[trace b]\nfile = b\n"
                           "[machine]\nconfigurations = x0\n",
                     &err));
    struct study_result plain[4], machine[4];
    memset(plain, 0, sizeof plain);
    memset(machine, 0, sizeof machine);
    struct study study = {.plan = &plan, .plain = plain, .machine = machine};
    /* a at x0: 8 blocks of 64 bytes of 8: ratio 4; b: none of 8: 1. At x4 all of both: 4. */
    set_blocks(&plain[0], COMPRESSION_COLOR, 8, 0, false);
    set_blocks(&plain[2], COMPRESSION_COLOR, 0, 8, false);
    set_blocks(&plain[1], COMPRESSION_COLOR, 8, 0, true);
    set_blocks(&plain[3], COMPRESSION_COLOR, 8, 0, true);
    fit_nothing(&plain[1], COMPRESSION_COLOR);
    const uint32_t color = COMPRESSION_COLOR, comp = CODEC_ID_comp, hilo = CODEC_ID_hilo;
    assert_float_equal(study_ratio(&study, 0, 0, CODEC_BUS_64, color, comp), 4, 1e-9);
    assert_float_equal(study_geometric(&study, 0, CODEC_BUS_64, color, comp), 2, 1e-9);
    assert_float_equal(study_arithmetic(&study, 0, CODEC_BUS_64, color, comp), 2.5, 1e-9);
    assert_float_equal(study_geometric(&study, 1, CODEC_BUS_64, color, comp), 4, 1e-9);
    assert_float_equal(study_overall(&study, CODEC_BUS_64, color, comp), sqrt(8), 1e-9);
    /* hilo at x4: 1 and 4 */
    assert_float_equal(study_geometric(&study, 1, CODEC_BUS_64, color, hilo), 2, 1e-9);
    assert_int_equal(study_place(&study, 1, CODEC_BUS_64, color, comp), 1);
    assert_int_equal(study_place(&study, 1, CODEC_BUS_64, color, hilo), 10);
    assert_int_equal(study_place(&study, 0, CODEC_BUS_64, color, hilo), 1);
    /* made for several samples: null at one, and behind all others in the whole */
    assert_float_equal(study_ratio(&study, 0, 0, CODEC_BUS_64, color, CODEC_ID_msaa), 0, 0);
    assert_float_equal(study_geometric(&study, 1, CODEC_BUS_64, color, CODEC_ID_msaa), 4, 1e-9);
    uint32_t codec_of[CODEC_COUNT];
    const uint32_t count = study_rank(&study, CODEC_BUS_64, color, codec_of);
    assert_int_equal(codec_of[count - 1], CODEC_ID_msaa);
    assert_int_equal(codec_of[count - 2], CODEC_ID_hilo);
    /* no z moved: null for all */
    assert_float_equal(study_geometric(&study, 0, CODEC_BUS_64, COMPRESSION_DEPTH, hilo), 0, 0);
    study_choose(&study, study_codec_fits);
    assert_non_null(study.chosen[COMPRESSION_COLOR]);
    assert_null(study.chosen[COMPRESSION_DEPTH]);
    study_plan_fini(&plan);
}

static void
test_result_file(void **state)
{
    char path[] = "/tmp/aetius-result-XXXXXX";
    struct study_result result = {.frames = 3, .cycles = 1000, .frame_rate = 2.5}, back;
    struct error err;
    close(mkstemp(path));
    set_blocks(&result, COMPRESSION_COLOR, 6, 2, true);
    set_blocks(&result, COMPRESSION_DEPTH, 1, 0, true);
    result.bytes[STUDY_COLOR] = 8 * 256;
    result.bytes[STUDY_Z] = 256;
    assert_true(study_result_write(&result, path, "this", &err));
    assert_true(study_result_read(&back, path, "this", &err));
    assert_true(back.is_there);
    assert_int_equal(back.cycles, 1000);
    assert_memory_equal(back.bytes, result.bytes, sizeof result.bytes);
    assert_memory_equal(back.buses[1].kinds, result.buses[1].kinds, sizeof back.buses[1].kinds);
    assert_true(study_result_read(&back, path, "that", &err));
    assert_false(back.is_there);

    /* 8 raw blocks of color; by comp 6 of them of 64 bytes */
    const struct codec *none[COMPRESSION_KINDS] = {NULL}, *comp[] = {&codec_comp, NULL};
    assert_true(study_result_check(&result, none, &err));
    assert_false(study_result_check(&result, comp, &err));
    result.bytes[STUDY_COLOR] = 6 * 64 + 2 * 256;
    assert_true(study_result_check(&result, comp, &err));
    result.bytes[STUDY_Z] += 64;
    assert_false(study_result_check(&result, comp, &err));
    assert_non_null(strstr(err.text, "z"));

    assert_int_equal(truncate(path, 300), 0);
    assert_true(study_result_read(&back, path, "this", &err));
    assert_false(back.is_there);
    unlink(path);
}

/* Heights are in proportion to values, names are escaped. */
static void
test_chart(void **state)
{
    char path[] = "/tmp/aetius-chart-XXXXXX", *text;
    struct chart chart;
    struct error err;
    size_t size;
    close(mkstemp(path));
    chart_init(&chart, "a < b", "MB", false);
    chart.series[chart.series_count++] = "one & two";
    chart_add(&chart, "first", (double[]){8});
    chart_add(&chart, "second", (double[]){4});
    chart_add(&chart, "third", (double[]){-1});
    assert_true(chart_write(&chart, path, &err));
    assert_true(file_read(path, SIZE_MAX, &text, &size, &err));
    assert_non_null(strstr(text, "a &lt; b"));
    assert_non_null(strstr(text, "one &amp; two"));
    assert_non_null(strstr(text, "null"));
    double heights[2] = {0};
    uint32_t bars = 0;
    for (const char *at = text; (at = strstr(at, "height=\"")); at++) {
        const char *end = strchr(at, '>');
        if (strncmp(end, "><title>", 8) == 0 && bars < 2)
            heights[bars++] = atof(at + 8);
    }
    assert_int_equal(bars, 2);
    assert_float_equal(heights[0], 2 * heights[1], 0.11);
    free(text);
    chart_fini(&chart);
    unlink(path);
}

/* aetius in a process of its own, its output in a file. */
static pid_t
start(const char *const *words, const char *out)
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        const int file = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0666);
        dup2(file, STDOUT_FILENO);
        if (!freopen("/dev/null", "w", stderr))
            _exit(127);
        execv(aetius, (char *const *)words);
        _exit(127);
    }
    return child;
}

static int
run(const char *const *words, const char *out)
{
    int status;
    waitpid(start(words, out), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int64_t
changed_at(const char *dir, const char *run_name)
{
    char path[256];
    struct stat facts;
    snprintf(path, sizeof path, "%s/runs/%s/result.json", dir, run_name);
    return stat(path, &facts) ? 0 : facts.st_mtim.tv_sec * 1000000000ll + facts.st_mtim.tv_nsec;
}

static char *
read_file(const char *dir, const char *name)
{
    char path[256], *text;
    struct error err;
    size_t size;
    snprintf(path, sizeof path, "%s/%s", dir, name);
    assert_true(file_read(path, SIZE_MAX, &text, &size, &err));
    return text;
}

static double
number_at(const cJSON *object, const char *a, const char *b)
{
    const cJSON *number = cJSON_GetObjectItemCaseSensitive(object, a);
    number = b ? cJSON_GetObjectItemCaseSensitive(number, b) : number;
    assert_true(cJSON_IsNumber(number));
    return number->valuedouble;
}

/* The blocks that a run left, by `aetius compress`: its codec's bytes are those counted. */
static void
compare_with_compress(const char *dir, const char *run_name, const cJSON *of)
{
    char folder[256], out[256];
    snprintf(folder, sizeof folder, "%s/runs/%s", dir, run_name);
    snprintf(out, sizeof out, "%s/compress.json", dir);
    assert_int_equal(run((const char *[]){aetius, "compress", "--json", folder, NULL}, out), 0);
    char *text = read_file(dir, "compress.json");
    cJSON *root = cJSON_Parse(text);
    free(text);
    static const char *const kinds[] = {"color", "z"};
    for (uint32_t k = 0; k < 2; k++) {
        char name[32];
        double bytes = number_at(root, kinds[k], "bytes_in");
        snprintf(name, sizeof name, "%s_codec", kinds[k]);
        const char *codec = cJSON_GetObjectItemCaseSensitive(of, name)->valuestring;
        const cJSON *one;
        snprintf(name, sizeof name, "%s_bytes", kinds[k]);
        cJSON_ArrayForEach(one, cJSON_GetObjectItemCaseSensitive(root, "codecs"))
        {
            if (!strcmp(cJSON_GetObjectItemCaseSensitive(one, "name")->valuestring, codec))
                bytes = number_at(one, name, NULL);
        }
        assert_true(bytes > 0);
        assert_float_equal(bytes, number_at(of, "bytes", kinds[k]), 0);
    }
    cJSON_Delete(root);
}

/* Killed when the first run is done; the same command then goes on, and does that one not again. */
static void
test_command(void **state)
{
    char dir[] = "/tmp/aetius-study-XXXXXX", out[64], removal[64];
    assert_non_null(mkdtemp(dir));
    snprintf(out, sizeof out, "%s/out", dir);
    const char *const words[] = {
        aetius, "study",  "compression", WORKLOADS,          "-o",    dir,      "--frames",
        "0-1",  "--jobs", "1",           "--configurations", "x0,x4", "--json", "--keep-blocks",
        NULL};
    const pid_t child = start(words, out);
    int status;
    int64_t first;
    while (!(first = changed_at(dir, "workloads.x0")) && !waitpid(child, &status, WNOHANG))
        usleep(2000);
    assert_true(first != 0);
    assert_int_equal(kill(child, SIGKILL), 0);
    waitpid(child, &status, 0);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(changed_at(dir, "workloads.x4"), 0);

    assert_int_equal(run(words, out), 0);
    assert_true(changed_at(dir, "workloads.x0") == first);
    char *json = read_file(dir, "compression.json"), *printed = read_file(dir, "out");
    assert_int_equal(strncmp(json, printed, strlen(json)), 0);
    cJSON *root = cJSON_Parse(json), *machine = cJSON_GetObjectItem(root, "machine");
    const cJSON *runs = cJSON_GetObjectItem(root, "runs");
    assert_int_equal(cJSON_GetArraySize(runs), 2);
    assert_int_equal(cJSON_GetArraySize(machine), 2);
    compare_with_compress(dir, "workloads.x0", cJSON_GetArrayItem(runs, 0));
    compare_with_compress(dir, "workloads.x4", cJSON_GetArrayItem(runs, 1));
    compare_with_compress(dir, "workloads.x0.machine", cJSON_GetArrayItem(machine, 0));
    compare_with_compress(dir, "workloads.x4.machine", cJSON_GetArrayItem(machine, 1));
    /* four samples move more than one, and less with the codecs */
    const double x0 = number_at(cJSON_GetArrayItem(runs, 0), "bytes", "color");
    const double x4 = number_at(cJSON_GetArrayItem(runs, 1), "bytes", "color");
    assert_true(x4 > 2 * x0);
    assert_true(number_at(cJSON_GetArrayItem(machine, 1), "bytes", "color") < x4);
    cJSON_Delete(root);

    /* all is there: nothing is done again, and the same is written */
    const int64_t last = changed_at(dir, "workloads.x4.machine");
    assert_int_equal(run(words, out), 0);
    assert_true(changed_at(dir, "workloads.x4.machine") == last);
    char *again = read_file(dir, "compression.json");
    assert_string_equal(again, json);
    free(again);
    free(json);
    free(printed);
    static const char *const left[] = {"tables.md",        "traffic.csv",        "levels.csv",
                                       "ratios.csv",       "traffic.svg",        "ratios-z-32.svg",
                                       "machine-gain.svg", "levels-color-64.svg"};
    for (size_t i = 0; i < sizeof left / sizeof left[0]; i++)
        free(read_file(dir, left[i]));

    /* other frames are another run */
    const char *const other[] = {aetius,     "study", "compression",      WORKLOADS, "-o", dir,
                                 "--frames", "0",     "--configurations", "x0",      NULL};
    assert_int_equal(run(other, out), 0);
    assert_true(changed_at(dir, "workloads.x0") != first);
    snprintf(removal, sizeof removal, "rm -r %s", dir);
    assert_int_equal(system(removal), 0);
}

static void
test_arguments(void **state)
{
    static const struct {
        const char *words[8];
        int status;
    } cases[] = {
        {{"study"}, 2},
        {{"study", "--help"}, 0},
        {{"study", "depth"}, 2},
        {{"study", "compression", "--frames", "x"}, 2},
        {{"study", "compression", "--jobs", "0"}, 2},
        {{"study", "compression", "--configurations", "x3"}, 2},
        {{"study", "compression", "--plan", "/nowhere.ini"}, 2},
        {{"study", "compression", "/nowhere.trace", "-o", "/tmp/aetius-no-study"}, 1},
        {{"study", "compression", WORKLOADS, "-o", "/tmp/aetius-no-study", "--set", "A.B=1"}, 1},
        {{"study", "compression", WORKLOADS, "-o", "/dev/null/study"}, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *words[16] = {aetius};
        for (size_t w = 0; w < 8 && cases[i].words[w]; w++)
            words[w + 1] = cases[i].words[w];
        const int status = run(words, "/dev/null");
        if (status != cases[i].status)
            fail_msg("case %zu: exit status %d, not %d", i, status, cases[i].status);
    }
    assert_int_not_equal(access("/tmp/aetius-no-study", F_OK), 0);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plan),        cmocka_unit_test(test_bad_plans),
        cmocka_unit_test(test_own_plan),    cmocka_unit_test(test_means),
        cmocka_unit_test(test_result_file), cmocka_unit_test(test_chart),
        cmocka_unit_test(test_command),     cmocka_unit_test(test_arguments),
    };
    aetius = argc > 1 ? argv[1] : "build/aetius";
    return cmocka_run_group_tests(tests, NULL, NULL);
}
