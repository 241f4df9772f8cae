/* aetius topdown with real files of nvprof and ncu. Expected outputs are stored beside them
 * (tests/golden/profiler), and this file derives one kernel of each. */
#include "base/build.h"
#include "base/file.h"
#include "base/mem.h"
#include "report/run/csv.h"

#include "rigs/command.h"
#include "rigs/needs.h"
#include "rigs/folder.h"
#include "rigs/topdown_json.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>
#include <zlib.h>

#define FILES AETIUS_SOURCE_DIR "/tests/golden/profiler/"

static void
golden_outputs(void **state)
{
    static const char *const names[] = {
        "nvprof-metrics.csv", "nvprof-kernels.csv", "nvprof-events.csv", "nvprof-times.csv",
        "nvprof-text.txt",    "nvprof-text-x2.txt", "ncu-wide.csv",      "ncu-long.csv"};
    static struct command_result cmd;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[512], *text;
        size_t size;
        struct error err;
        snprintf(path, sizeof path, FILES "%s", names[i]);
        RUN(&cmd, "topdown", "--nvprof", path);
        assert_int_equal(cmd.status, 0);
        snprintf(path, sizeof path, FILES "%s.out", names[i]);
        assert_true(file_read(path, FILE_MOST_TEXT, &text, &size, &err));
        assert_string_equal(cmd.out, text);
        free(text);
    }
}

/* The .json files have the same members in the same order with the same values. */
static void
golden_json(void **state)
{
    static const char *const names[] = {
        "nvprof-metrics.csv", "nvprof-kernels.csv", "nvprof-events.csv", "nvprof-times.csv",
        "nvprof-text.txt",    "nvprof-text-x2.txt", "ncu-wide.csv",      "ncu-long.csv"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[512], *text;
        size_t size;
        struct error err;
        snprintf(path, sizeof path, FILES "%s", names[i]);
        cJSON *is = TOPDOWN_JSON("--nvprof", path, "--over-time");
        snprintf(path, sizeof path, FILES "%s.json", names[i]);
        assert_true(file_read(path, FILE_MOST_TEXT, &text, &size, &err));
        cJSON *was = cJSON_Parse(text);
        assert_non_null(was);
        free(text);
        char *of_is = cJSON_PrintUnformatted(is), *of_was = cJSON_PrintUnformatted(was);
        assert_string_equal(of_is, of_was);
        free(of_is);
        free(of_was);
        cJSON_Delete(is);
        cJSON_Delete(was);
    }
}

/* Lines fit the width of the terminal, except for the command that the user copies. */
static void
lines_fit(void **state)
{
    static const char *const names[] = {"nvprof-kernels.csv", "nvprof-text-x2.txt", "ncu-wide.csv",
                                        "ncu-long.csv"};
    static const char *const widths[] = {"60", "80", "120"};
    static struct command_result cmd;
    (void)state;
    for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++) {
        setenv("COLUMNS", widths[w], 1);
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
            char path[512];
            snprintf(path, sizeof path, FILES "%s", names[i]);
            for (uint32_t over_time = 0; over_time < 2; over_time++) {
                RUN(&cmd, "topdown", "--nvprof", path, over_time ? "--over-time" : "--all");
                assert_int_equal(cmd.status, 0);
                const size_t longest = longest_line(cmd.out);
                if (longest > strtoul(widths[w], NULL, 10))
                    fail_msg("%s: a line of %zu in %s columns\n%s", names[i], longest, widths[w],
                             cmd.out);
            }
        }
    }
    unsetenv("COLUMNS");
}

/* Tesla K40c: 8 instructions per cycle.
 *   retire  1.674301 x 0.99625428            = 1.66802954
 *   branch  1.674301 x 0.00374572            = 0.00627146
 *   replay  1.692668 - 1.674301              = 0.018367
 *   stall   8 - 1.692668                     = 6.307332
 *   T       3.563332 + 12.613387 + 29.832883 + 30.703132 + 0 + 2.276647 + 13.242865 + 0.001318 +
 *           0.028176                         = 92.26174
 *   fetch   6.307332 x  3.563332 / 92.26174  = 0.24360171
 *   decode  6.307332 x  2.276647 / 92.26174  = 0.15563947
 *   memory  6.307332 x 60.565509 / 92.26174  = 4.14046790
 *   core    6.307332 x 25.856252 / 92.26174  = 1.76762291 */
static void
kepler_by_hand(void **state)
{
    cJSON *root = TOPDOWN_JSON("--nvprof", FILES "nvprof-metrics.csv");
    const cJSON *tree = cJSON_GetObjectItem(root, "tree");
    const cJSON *verdict = cJSON_GetObjectItem(root, "verdict");
    assert_float_equal(cJSON_GetObjectItem(root, "ipc_max")->valuedouble, 8, 0);
    topdown_check_sums(tree, 8);
    assert_float_equal(topdown_value(tree, "retire"), 1.66802954, 1e-7);
    assert_float_equal(topdown_value(tree, "branch"), 0.00627146, 1e-7);
    assert_float_equal(topdown_value(tree, "replay"), 0.018367, 1e-7);
    assert_float_equal(topdown_value(tree, "frontend"), 0.24360171 + 0.15563947, 1e-7);
    assert_float_equal(topdown_value(tree, "fetch"), 0.24360171, 1e-7);
    assert_float_equal(topdown_value(tree, "decode"), 0.15563947, 1e-7);
    assert_float_equal(topdown_value(tree, "backend"), 4.14046790 + 1.76762291, 1e-7);
    assert_float_equal(topdown_value(tree, "memory_bound"), 4.14046790, 1e-7);
    assert_float_equal(topdown_value(tree, "core_bound"), 1.76762291, 1e-7);
    /* 6.307332 x 30.703132 / 92.26174 is the largest value; its share is 1 / 8 of that */
    assert_float_equal(topdown_value(tree, "texture"), 2.09897, 1e-5);
    assert_string_equal(cJSON_GetObjectItem(verdict, "name")->valuestring, "texture");
    assert_float_equal(cJSON_GetObjectItem(verdict, "expected_gain")->valuedouble, 0.262371, 1e-6);
    /* weighted by elapsed_cycles_sm: 4 launches x 544435902 */
    assert_float_equal(cJSON_GetObjectItem(root, "time")->valuedouble, 4 * 544435902.0, 0);
    cJSON_Delete(root);
}

/* RTX 3060: 4 instructions per cycle, 32 of 32 threads, stall cycles of a warp per instruction.
 *   retire  0.220405, branch 0, replay 0.220427 - 0.220405 = 0.000022
 *   stall   4 - 0.220427                     = 3.779573
 *   T       0 + 0.499953 + 0.427799 + 1.603831 + 0.008887 + 0.350413 + 52.693047 + 0.689962 + 0 +
 *           0.101656 + 0.000109 + 0.442031 + 42.195047 + 0 + 14.095928 + 2.546638  = 115.655301
 *   fetch   0.442031 + 0.499953              = 0.941984  -> 0.03078369
 *   decode  0.427799 + 0.000109              = 0.427908  -> 0.01398388
 *   memory  52.693047 + 0.350413 + 14.095928 + 0.008887 + 1.603831 + 0.101656 + 42.195047
 *                                            = 111.048809 -> 3.62903452
 *   core    0.689962 + 2.546638              = 3.2366    -> 0.10577091 */
static void
ampere_by_hand(void **state)
{
    cJSON *root = TOPDOWN_JSON("--ncu", FILES "ncu-wide.csv");
    const cJSON *tree = cJSON_GetObjectItem(root, "tree");
    topdown_check_sums(tree, 4);
    assert_float_equal(topdown_value(tree, "retire"), 0.220405, 1e-9);
    assert_float_equal(topdown_value(tree, "branch"), 0, 1e-9);
    assert_float_equal(topdown_value(tree, "replay"), 0.000022, 1e-9);
    assert_float_equal(topdown_value(tree, "fetch"), 0.03078369, 1e-7);
    assert_float_equal(topdown_value(tree, "decode"), 0.01398388, 1e-7);
    assert_float_equal(topdown_value(tree, "memory_bound"), 3.62903452, 1e-7);
    assert_float_equal(topdown_value(tree, "core_bound"), 0.10577091, 1e-7);
    /* 3.779573 x (52.693047 + 0.350413 + 14.095928) / 115.655301 */
    assert_float_equal(topdown_value(tree, "l1"), 2.19409068, 1e-7);
    /* 3.779573 x 52.693047 / 115.655301 */
    assert_float_equal(topdown_value(tree, "long_scoreboard"), 1.72198953, 1e-7);
    /* 13.317280 ms */
    assert_float_equal(cJSON_GetObjectItem(root, "time")->valuedouble, 13317280, 1e-3);
    assert_string_equal(cJSON_GetObjectItem(root, "compute_capability")->valuestring, "8.6");
    cJSON_Delete(root);
}

/* Tesla K20c, __kernel___forma_kernel__3__. The file has replays per instruction instead of ipc.
 *   ipc     1.850640 / (1 + 0.010026)        = 1.83226966
 *   retire  1.83226966 x 0.94424116          = 1.73010443
 *   branch  1.83226966 x 0.05575884          = 0.10216523
 *   replay  1.850640 - 1.83226966            = 0.01837034
 *   stall   8 - 1.850640                     = 6.14936, of which some reasons are missing */
static void
kepler_without_ipc_by_hand(void **state)
{
    cJSON *root = TOPDOWN_JSON("--nvprof", FILES "nvprof-kernels.csv", "--kernel",
                               "__kernel___forma_kernel__3__");
    const cJSON *kernels = cJSON_GetObjectItem(root, "kernels");
    assert_int_equal(cJSON_GetArraySize(kernels), 1);
    const cJSON *tree = cJSON_GetObjectItem(cJSON_GetArrayItem(kernels, 0), "tree");
    topdown_check_sums(tree, 8);
    assert_float_equal(topdown_value(tree, "retire"), 1.73010443, 1e-7);
    assert_float_equal(topdown_value(tree, "branch"), 0.10216523, 1e-7);
    assert_float_equal(topdown_value(tree, "replay"), 0.01837034, 1e-7);
    assert_float_equal(topdown_value(tree, "stall"), 6.14936, 1e-7);
    assert_null(topdown_child(tree, "backend"));
    const cJSON *missing = cJSON_GetObjectItem(cJSON_GetArrayItem(kernels, 0), "missing");
    assert_string_equal(cJSON_GetArrayItem(missing, 0)->valuestring, "stall_inst_fetch");
    assert_non_null(strstr(cJSON_GetObjectItem(root, "command")->valuestring, "stall_inst_fetch"));
    cJSON_Delete(root);
}

/* Tegra X2, addMatrix: all threads active.
 *   replay  1.541242 - 0.957812 = 0.58343 (0.00005 by inst_replay_overhead; a note says so)
 *   T       1.11 + 6.21 + 89.41 + 0 + 0 + 2.09 + 0.02 + 0.12 + 0.32 = 99.28
 *   memory  (8 - 1.541242) x 89.75 / 99.28 = 5.83877 */
static void
pascal_by_hand(void **state)
{
    static struct command_result cmd;
    cJSON *root = TOPDOWN_JSON("--nvprof", FILES "nvprof-text-x2.txt", "--kernel", "addMatrix");
    const cJSON *tree = cJSON_GetObjectItem(root, "tree");
    topdown_check_sums(tree, 8);
    assert_float_equal(topdown_value(tree, "retire"), 0.957812, 1e-9);
    assert_float_equal(topdown_value(tree, "replay"), 0.58343, 1e-9);
    assert_float_equal(topdown_value(tree, "memory_bound"), 6.458758 * 89.75 / 99.28, 1e-9);
    cJSON_Delete(root);
    RUN(&cmd, "topdown", "--nvprof", FILES "nvprof-text-x2.txt");
    assert_non_null(strstr(cmd.out, "with inconsistent measurement passes, e.g. addMatrix(int*"));
    assert_non_null(strstr(cmd.out, "fewer issued than executed instructions, e.g. addMatrix2"));
}

/* The other files lack counters of the tree. The command that collects them uses the metric names
 * of the chip. */
static void
what_files_lack(void **state)
{
    static const struct {
        const char *path, *lacks, *command;
    } cases[] = {
        {FILES "nvprof-events.csv", "ipc", "nvprof --csv"},
        {FILES "nvprof-text.txt", "issued_ipc", "nvprof --csv"},
        {FILES "ncu-long.csv", "sm__inst_issued.avg.per_cycle_active", "ncu --csv --page raw"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cJSON *root = TOPDOWN_JSON("--nvprof", cases[i].path);
        const cJSON *kernel = cJSON_GetArrayItem(cJSON_GetObjectItem(root, "kernels"), 0), *name;
        const char *command = cJSON_GetObjectItem(root, "command")->valuestring;
        bool is_named = false;
        assert_true(cJSON_IsNull(cJSON_GetObjectItem(root, "tree")));
        cJSON_ArrayForEach(name, cJSON_GetObjectItem(kernel, "missing"))
        {
            is_named = is_named || !strcmp(name->valuestring, cases[i].lacks);
            assert_non_null(strstr(command, name->valuestring));
        }
        assert_true(is_named);
        assert_memory_equal(command, cases[i].command, strlen(cases[i].command));
        cJSON_Delete(root);
    }
    /* three launches of 16.042731 ms without a device: topdown cannot suggest a command */
    cJSON *root = TOPDOWN_JSON("--nvprof", FILES "nvprof-times.csv");
    const cJSON *kernel = cJSON_GetArrayItem(cJSON_GetObjectItem(root, "kernels"), 0);
    assert_float_equal(cJSON_GetObjectItem(kernel, "time")->valuedouble, 48128193, 1e-3);
    assert_float_equal(cJSON_GetObjectItem(kernel, "launches")->valuedouble, 3, 0);
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(root, "command")));
    cJSON_Delete(root);
}

/* Forms of the output: levels, thresholds, side by side, over time, CSV. */
static void
forms(void **state)
{
    static struct command_result cmd;
    RUN(&cmd, "topdown", "--ncu", FILES "ncu-wide.csv", "--level", "1");
    assert_null(strstr(cmd.out, "    memory_bound"));
    RUN(&cmd, "topdown", "--ncu", FILES "ncu-wide.csv");
    assert_non_null(strstr(cmd.out, "    memory_bound"));
    assert_null(strstr(cmd.out, "    fetch")); /* 0.8 % */
    assert_null(strchr(cmd.out, '\033'));
    RUN(&cmd, "topdown", "--ncu", FILES "ncu-wide.csv", "--all");
    assert_non_null(strstr(cmd.out, "    fetch"));
    cJSON *root = TOPDOWN_JSON("--nvprof", "one=" FILES "nvprof-metrics.csv",
                               "two=" FILES "ncu-wide.csv", "--over-time", "--level", "2");
    const cJSON *applications = cJSON_GetObjectItem(root, "applications");
    assert_int_equal(cJSON_GetArraySize(applications), 2);
    const cJSON *two = cJSON_GetArrayItem(applications, 1);
    assert_string_equal(cJSON_GetObjectItem(two, "name")->valuestring, "two");
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(two, "launches")), 1);
    assert_null(topdown_child(cJSON_GetObjectItem(two, "tree"), "long_scoreboard"));
    cJSON_Delete(root);
    RUN(&cmd, "topdown", "--nvprof", FILES "nvprof-text-x2.txt", "--csv", "--level", "1");
    /* the header, then 5 nodes for each of: the whole, two kernels */
    size_t lines = 0, measures = 0;
    for (const char *at = cmd.out; (at = strchr(at, '\n')); at++) {
        lines++;
        measures += !strncmp(at - strlen(",measured"), ",measured", strlen(",measured"));
    }
    assert_int_equal(lines - measures, 1 + 3 * 5);
    assert_non_null(strstr(cmd.out, "\"addMatrix(int*, int*, int*, int)\",,1,launches,retire,1,"));
    RUN(&cmd, "topdown", "--ncu", FILES "ncu-wide.csv", "--level", "0");
    assert_int_equal(cmd.status, 2);
    RUN(&cmd, "topdown", "--ncu", FILES "ncu-wide.csv", "--cc", "2.1");
    assert_int_equal(cmd.status, 1);
    RUN(&cmd, "topdown", FILES "ncu-wide.csv");
    assert_int_equal(cmd.status, 1);
    assert_non_null(strstr(cmd.err, "--nvprof or --ncu"));
    RUN(&cmd, "topdown");
    assert_int_equal(cmd.status, 2);
    RUN(&cmd, "topdown", "--ncu", "/nowhere.csv");
    assert_int_equal(cmd.status, 1);
    /* nvprof lists each launch only in a trace, ncu always */
    RUN(&cmd, "topdown", "--print-command", "--cc", "6.1", "--over-time", "--", "a");
    assert_non_null(strstr(cmd.out, " --print-gpu-trace "));
    RUN(&cmd, "topdown", "--print-command", "--cc", "6.1", "--", "a");
    assert_null(strstr(cmd.out, "trace"));
    RUN(&cmd, "topdown", "--nvprof", FILES "nvprof-kernels.csv", "--over-time");
    assert_non_null(strstr(cmd.out, "  nvprof --csv --print-gpu-trace --log-file"));
    RUN(&cmd, "topdown", "--print-command", "--cc", "9.0", "--over-time", "--", "a");
    assert_null(strstr(cmd.out, "trace"));
    RUN(&cmd, "topdown", "--print-command", "--cc", "9.0", "--level", "3", "--", "a", "b c");
    assert_int_equal(cmd.status, 0);
    assert_memory_equal(cmd.out, "ncu --csv --page raw --log-file topdown.csv --metrics ", 54);
    assert_string_equal(strrchr(cmd.out, ' ') - 4, "a 'b c'\n");
}

/* The average of several launches is not a launch, and has no position in the order of launches. */
static void
launches_in_order(void **state)
{
    static const char text[] =
        "\"Process ID\",\"Kernel Name\",\"CC\",\"Invocations\",\"Metric Name\",\"Metric Unit\","
        "\"Minimum\",\"Maximum\",\"Average\"\n"
        "\"7\",\"f\",\"8.6\",\"%u\",\"sm__inst_executed.avg.per_cycle_active\",\"\",\"1\",\"1\","
        "\"1\"\n"
        "\"7\",\"f\",\"8.6\",\"%u\",\"smsp__thread_inst_executed_per_inst_executed.ratio\",\"\","
        "\"32\","
        "\"32\",\"32\"\n"
        "\"7\",\"g\",\"8.6\",\"1\",\"sm__inst_executed.avg.per_cycle_active\",\"\",\"1\",\"1\","
        "\"2\"\n"
        "\"7\",\"g\",\"8.6\",\"1\",\"smsp__thread_inst_executed_per_inst_executed.ratio\",\"\","
        "\"32\","
        "\"32\",\"32\"\n";
    static struct command_result cmd;
    for (uint32_t invocations = 1; invocations <= 3; invocations += 2) {
        char path[] = "/tmp/aetius-launches-XXXXXX",
             *rows = mem_printf(text, invocations, invocations);
        struct error err;
        const bool is_mean = invocations > 1;
        close(mkstemp(path));
        assert_true(file_write(path, rows, strlen(rows), &err));
        cJSON *root = TOPDOWN_JSON("--ncu", path, "--over-time");
        const cJSON *launches = cJSON_GetObjectItem(root, "launches");
        assert_int_equal(cJSON_GetArraySize(launches), is_mean ? 1 : 2);
        assert_string_equal(
            cJSON_GetObjectItem(cJSON_GetArrayItem(launches, is_mean ? 0 : 1), "kernel")
                ->valuestring,
            "g");
        const cJSON *notes = cJSON_GetObjectItem(root, "notes");
        assert_int_equal(cJSON_GetArraySize(notes), is_mean);
        if (is_mean)
            assert_non_null(strstr(cJSON_GetArrayItem(notes, 0)->valuestring, "3 launches"));
        cJSON_Delete(root);
        RUN(&cmd, "topdown", "--ncu", path, "--over-time", "--csv");
        assert_int_equal(strstr(cmd.out, ",f,0,") != NULL, !is_mean);
        assert_non_null(strstr(cmd.out, ",g,1,"));
        assert_int_equal(strstr(cmd.err, "3 launches") != NULL, is_mean);
        RUN(&cmd, "topdown", "--ncu", path, "--over-time");
        assert_int_equal(strstr(cmd.out, "3 launches are known only by their average") != NULL,
                         is_mean);
        /* kernel f has no values to plot over time */
        RUN(&cmd, "topdown", "--ncu", path, "--over-time", "--kernel", "f", "--svg", "/dev/null");
        assert_int_equal(cmd.status, is_mean || !has_program("gnuplot"));
        assert_int_equal(strstr(cmd.err, "3 launches") != NULL, is_mean);
        unlink(path);
        free(rows);
    }
}

static void
figures(void **state)
{
    static const char *const extra[][2] = {
        {"--over-time", NULL}, {"--level", "2"}, {"--level", "3"}, {FILES "ncu-wide.csv", NULL}};
    needs_program("gnuplot");
    /* the parts of one node: the chart has no other nodes */
    for (int over_time = 0; over_time < 2; over_time++) {
        static struct command_result cmd;
        char path[] = "/tmp/aetius-figure-XXXXXX", *text;
        size_t size;
        struct error err;
        close(mkstemp(path));
        RUN(&cmd, "topdown", "--ncu", FILES "ncu-wide.csv", "--node", "memory_bound", "--svg", path,
            "--force", over_time ? "--over-time" : NULL);
        assert_int_equal(cmd.status, 0);
        assert_true(file_read(path, FILE_MOST_TEXT, &text, &size, &err));
        unlink(path);
        assert_non_null(strstr(text, ">l1<"));
        assert_non_null(strstr(text, ">drain<"));
        assert_null(strstr(text, ">long\\_scoreboard<"));
        assert_null(strstr(text, ">retire<"));
        assert_null(strstr(text, ">wait<"));
        free(text);
    }
    for (size_t i = 0; i < sizeof extra / sizeof extra[0]; i++) {
        static struct command_result cmd;
        char path[] = "/tmp/aetius-figure-XXXXXX", *text;
        size_t size;
        struct error err;
        close(mkstemp(path));
        RUN(&cmd, "topdown", "--nvprof", FILES "nvprof-text-x2.txt", "--svg", path, "--force",
            extra[i][0], extra[i][1]);
        assert_int_equal(cmd.status, 0);
        assert_true(file_read(path, FILE_MOST_TEXT, &text, &size, &err));
        unlink(path);
        assert_memory_equal(text, "<?xml", 5);
        assert_non_null(strstr(text, "</svg>"));
        /* retire is plotted at every level */
        assert_non_null(strstr(text, ">retire<"));
        assert_int_equal(strstr(text, ">memory_dependency<") != NULL, i == 2);
        assert_int_equal(strstr(text, ">backend<") != NULL, i == 0 || i == 3);
        free(text);
    }
}

/* ---- a simulated run ---- */

/* Returns the sum of a statistic over the frames, and the number of frames. */
static double
sum_of(const char *dir, const char *name, uint32_t *frames)
{
    char path[128];
    struct csv_table table;
    struct error err;
    double sum = 0;
    snprintf(path, sizeof path, "%s/stats.frames.csv.gz", dir);
    assert_true(csv_read(&table, path, &err));
    const int32_t column = csv_column(&table, name);
    assert_true(column >= 0);
    for (uint32_t r = 0; r < table.rows; r++)
        sum += (double)table.values[r * table.columns + (uint32_t)column];
    *frames = table.rows;
    csv_table_fini(&table);
    return sum;
}

/* Checks the two trees of a run, or of a frame or draw. Returns the cycles. */
static double
check_view(const cJSON *view)
{
    const cJSON *shaders = cJSON_GetObjectItem(view, "shaders"), *resource, *branch;
    const double cycles = cJSON_GetObjectItem(view, "total")->valuedouble;
    const double slots = cJSON_GetObjectItem(shaders, "total")->valuedouble;
    assert_string_equal(cJSON_GetObjectItem(view, "unit")->valuestring, "cycles");
    assert_string_equal(cJSON_GetObjectItem(shaders, "unit")->valuestring, "slots");
    topdown_check_sums(cJSON_GetObjectItem(view, "tree"), cycles);
    topdown_check_sums(cJSON_GetObjectItem(shaders, "tree"), slots);
    /* no resource gains more than its maximum, and the verdict has the largest gain */
    const cJSON *verdict = cJSON_GetObjectItem(view, "verdict");
    const double most = cJSON_GetObjectItem(verdict, "expected_gain")->valuedouble;
    double charged = 0;
    cJSON_ArrayForEach(resource, cJSON_GetObjectItem(view, "resources"))
    {
        const double share = cJSON_GetObjectItem(resource, "share")->valuedouble;
        const double gain = cJSON_GetObjectItem(resource, "expected_gain")->valuedouble;
        assert_true(gain >= 0 && gain <= share + 1e-9 && gain <= most + 1e-9);
        charged += cJSON_GetObjectItem(resource, "charged")->valuedouble;
    }
    /* each cycle is charged once; cycles without a resource are in two branches of the tree */
    cJSON_ArrayForEach(branch, cJSON_GetObjectItem(cJSON_GetObjectItem(view, "tree"), "children"))
    {
        const char *name = cJSON_GetObjectItem(branch, "name")->valuestring;
        if (!strcmp(name, "display") || !strcmp(name, "pipeline"))
            charged += cJSON_GetObjectItem(branch, "share")->valuedouble;
    }
    assert_float_equal(charged, cycles > 0, 1e-9);
    return cycles;
}

/* The cycles and values of the frames or draws add up to those of the whole run. */
static void
check_parts(const cJSON *root, const char *name, uint32_t count)
{
    const cJSON *part, *list = cJSON_GetObjectItem(root, name);
    double sum = 0;
    if (count)
        assert_int_equal(cJSON_GetArraySize(list), count);
    assert_true(cJSON_GetArraySize(list) >= 2);
    cJSON_ArrayForEach(part, list) sum += check_view(part);
    const double total = cJSON_GetObjectItem(root, "total")->valuedouble;
    assert_true(sum == total);
}

static void
simulated_run(void **state)
{
    static struct command_result cmd;
    char dir[] = "/tmp/aetius-run-XXXXXX";
    uint32_t frames;
    assert_non_null(mkdtemp(dir));
    RUN(&cmd, "sim", AETIUS_SOURCE_DIR "/tests/golden/tiny.trace", "-o", dir, "--force");
    assert_int_equal(cmd.status, 0);
    cJSON *root = TOPDOWN_JSON(dir, "--over-time");
    assert_true(check_view(root) == sum_of(dir, "cycles", &frames));
    assert_true(cJSON_GetObjectItem(cJSON_GetObjectItem(root, "shaders"), "total")->valuedouble ==
                sum_of(dir, "shader.slots", &frames));
    check_parts(root, "frames", frames);
    cJSON *draws = TOPDOWN_JSON(dir, "--draws");
    check_parts(draws, "draws", 0);
    /* the first frame alone equals the first entry of the list */
    const cJSON *frame = cJSON_GetArrayItem(cJSON_GetObjectItem(root, "frames"), 0);
    cJSON *first = TOPDOWN_JSON(dir, "--frame", "0");
    assert_true(cJSON_Compare(cJSON_GetObjectItem(first, "tree"),
                              cJSON_GetObjectItem(frame, "tree"), true));
    /* the same for its first draw */
    cJSON *one = TOPDOWN_JSON(dir, "--frame", "0", "--draw", "0");
    const cJSON *draw = NULL, *at;
    cJSON_ArrayForEach(
        at, cJSON_GetObjectItem(
                draws, "draws")) if (!strcmp(cJSON_GetObjectItem(at, "draw")->valuestring, "0:0"))
        draw = at;
    assert_non_null(draw);
    assert_true(
        cJSON_Compare(cJSON_GetObjectItem(one, "tree"), cJSON_GetObjectItem(draw, "tree"), true));
    cJSON_Delete(one);
    cJSON_Delete(first);
    cJSON_Delete(draws);
    cJSON_Delete(root);
    /* a run does not differ from itself */
    RUN(&cmd, "topdown", dir, "--diff", dir);
    assert_int_equal(cmd.status, 0);
    for (const char *sign = strstr(cmd.out, "\n\n"); (sign = strpbrk(sign, "+-")); sign++)
        assert_true(!strncmp(sign, "+0", 2));
    RUN(&cmd, "topdown", dir, "--frame", "99");
    assert_int_equal(cmd.status, 1);
    RUN(&cmd, "topdown", dir, "--draw", "0"); /* --draw without --frame */
    assert_int_equal(cmd.status, 1);
    RUN(&cmd, "topdown", dir, "--prove", "--trace", "/nowhere");
    assert_int_equal(cmd.status, 1);
    RUN(&cmd, "topdown", "/nowhere");
    assert_int_equal(cmd.status, 1);
    RUN(&cmd, "topdown", dir, "--cc", "8.6");
    assert_int_equal(cmd.status, 2);
    RUN(&cmd, "topdown", dir, "--launches", "1");
    assert_int_equal(cmd.status, 2);
    RUN(&cmd, "topdown", dir, "--jobs", "2");
    assert_int_equal(cmd.status, 2);
    assert_true(remove_folder(dir));
}

int
main(int argc, char **argv)
{
    unsetenv("COLUMNS"); /* output to a file has no line width */
    aetius = argc > 1 ? argv[1] : "build/aetius";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_outputs), cmocka_unit_test(golden_json),
        cmocka_unit_test(lines_fit),      cmocka_unit_test(kepler_by_hand),
        cmocka_unit_test(ampere_by_hand), cmocka_unit_test(kepler_without_ipc_by_hand),
        cmocka_unit_test(pascal_by_hand), cmocka_unit_test(what_files_lack),
        cmocka_unit_test(forms),          cmocka_unit_test(launches_in_order),
        cmocka_unit_test(figures),

        cmocka_unit_test(simulated_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
