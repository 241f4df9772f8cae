/* What `aetius topdown` prints of real files of nvprof and ncu beside the trees: the measured
 * values and the GPU; and parts of the trees: one level, one branch, the published equations. */
#include "base/build.h"
#include "base/file.h"
#include "base/mem.h"

#include "rigs/command.h"
#include "rigs/topdown_json.h"

#include <math.h>
#include <string.h>

#define FILES AETIUS_SOURCE_DIR "/tests/golden/profiler/"

/* The same kernel by the published equations, a part being STALL / 100 x IPC_STALL: 6.307332 x
 * 0.03563332 in fetch, x 0.02276647 in decode. Memory has 29.832883 + 0.001318 + 0.028176 =
 * 29.862377 %, without texture; core 13.242865 + 12.613387 = 25.856252 %. The rest of 100 % is
 * 38.441392. */
static void
kepler_as_published(void **state)
{
    static struct command_result cmd;
    cJSON *root = TOPDOWN_JSON("--nvprof", FILES "nvprof-metrics.csv", "--published");
    const cJSON *tree = cJSON_GetObjectItem(root, "tree");
    topdown_check_sums(tree, 8);
    assert_float_equal(topdown_value(tree, "retire"), 1.66802954, 1e-7);
    assert_float_equal(topdown_value(tree, "fetch"), 6.307332 * 0.03563332, 1e-7);
    assert_float_equal(topdown_value(tree, "decode"), 6.307332 * 0.02276647, 1e-7);
    assert_float_equal(topdown_value(tree, "memory_bound"), 6.307332 * 0.29862377, 1e-7);
    assert_float_equal(topdown_value(tree, "core_bound"), 6.307332 * 0.25856252, 1e-7);
    assert_float_equal(topdown_value(tree, "unlisted"), 6.307332 * 0.38441392, 1e-7);
    assert_null(topdown_child(tree, "texture"));
    cJSON_Delete(root);
    /* ncu: ratios, relative to all reasons, which include `selected` and `not_selected`: 115.655301
     * + 1.000002 + 0.977514. Core has only math_pipe_throttle; memory lacks MIO. */
    root = TOPDOWN_JSON("--ncu", FILES "ncu-wide.csv", "--published", "--level", "2");
    tree = cJSON_GetObjectItem(root, "tree");
    topdown_check_sums(tree, 4);
    assert_float_equal(topdown_value(tree, "core_bound"), 3.779573 * 0.689962 / 117.632817, 1e-7);
    assert_float_equal(
        topdown_value(tree, "memory_bound"),
        3.779573 * (52.693047 + 0.350413 + 14.095928 + 0.008887 + 1.603831) / 117.632817, 1e-7);
    cJSON_Delete(root);
    /* the reasons that are listed cannot be derived from a rest */
    RUN(&cmd, "topdown", "--print-command", "--cc", "6.1", "--published", "--level", "1");
    assert_non_null(strstr(cmd.out, "stall_pipe_busy"));
}

/* The tool of the study of 2021 printed for this file (commit 5e34704 of its repository,
 * tests/rodinia_3.1/cuda/hotspot/results_topdown.txt), with IPC_MAX = 2: IPC 0.432;
 * divergence 1.421 % of 2; of the stalls 31.185 % in the frontend. Level 2, which it does not
 * normalize: memory 61.29 % of the stalls. */
static void
turing_by_the_study(void **state)
{
    const char *const file = FILES "ncu-text-rtx4000.txt";
    cJSON *root = TOPDOWN_JSON("--ncu", file, "--cc", "7.5");
    const cJSON *tree = cJSON_GetObjectItem(root, "tree");
    const double frontend = topdown_value(tree, "frontend");
    assert_float_equal(topdown_value(tree, "retire"), 0.432, 0.0005);
    assert_float_equal(topdown_value(tree, "divergence"), 0.01421 * 2, 0.00001);
    assert_float_equal(frontend / (frontend + topdown_value(tree, "backend")), 0.31185, 0.000005);
    assert_float_equal(cJSON_GetObjectItem(root, "passes")->valuedouble, 8, 0);
    cJSON_Delete(root);
    root = TOPDOWN_JSON("--ncu", file, "--cc", "7.5", "--published");
    tree = cJSON_GetObjectItem(root, "tree");
    assert_float_equal(topdown_value(tree, "memory_bound") / (4 - 0.46), 0.6129, 1e-9);
    cJSON_Delete(root);
}

/* Returns a member of the measure with this name, NAN if there is none or if it is null. */
static double
measured(const cJSON *part, const char *name, const char *member)
{
    const cJSON *measure;
    cJSON_ArrayForEach(measure, cJSON_GetObjectItem(part, "measured"))
    {
        const cJSON *found = cJSON_GetObjectItem(measure, member);
        if (!strcmp(cJSON_GetObjectItem(measure, "name")->valuestring, name))
            return cJSON_IsNumber(found) ? found->valuedouble : NAN;
    }
    return NAN;
}

/* Values of the files, in JSON, CSV and text. The shares are those of kepler_by_hand() and
 * ampere_by_hand(). */
static void
measures_by_hand(void **state)
{
    static struct command_result cmd;
    cJSON *root = TOPDOWN_JSON("--nvprof", FILES "nvprof-metrics.csv", "--over-time");
    assert_float_equal(measured(root, "ipc", "value"), 1.674301, 1e-9);
    assert_float_equal(measured(root, "issued_ipc", "value"), 1.692668, 1e-9);
    assert_float_equal(measured(root, "warp_execution_efficiency", "value"), 99.625428, 1e-9);
    assert_float_equal(measured(root, "issue_slots_used", "value"), 100 * 1.692668 / 8, 1e-9);
    assert_float_equal(measured(root, "stall_texture", "value"), 30.703132, 1e-9);
    assert_float_equal(measured(root, "stall_texture", "share"), 30.703132 / 92.26174, 1e-7);
    assert_float_equal(measured(root, "stall_not_selected", "value"), 7.738261, 1e-9);
    assert_true(isnan(measured(root, "stall_not_selected", "share")));
    assert_true(isnan(measured(root, "stall_long_scoreboard", "value")));
    assert_float_equal(measured(cJSON_GetArrayItem(cJSON_GetObjectItem(root, "kernels"), 0),
                                "stall_texture", "value"),
                       30.703132, 1e-9);
    cJSON_Delete(root);
    root = TOPDOWN_JSON("--ncu", FILES "ncu-wide.csv", "--over-time");
    const cJSON *launch = cJSON_GetArrayItem(cJSON_GetObjectItem(root, "launches"), 0);
    assert_float_equal(measured(launch, "stall_long_scoreboard", "value"), 52.693047, 1e-9);
    assert_float_equal(measured(launch, "stall_long_scoreboard", "share"), 52.693047 / 115.655301,
                       1e-9);
    cJSON_Delete(root);
    RUN(&cmd, "topdown", "--ncu", FILES "ncu-wide.csv", "--csv");
    assert_non_null(strstr(cmd.out, ",stall_long_scoreboard,,52.693047,0.455604252848,cycles per "
                                    "issued instruction,,measured\n"));
    RUN(&cmd, "topdown", "--ncu", FILES "ncu-wide.csv");
    assert_non_null(strstr(cmd.out,
                           "measured in 38 passes per launch: ipc 0.2204, issued_ipc 0.2204, "
                           "warp_execution_efficiency 100.0 %, issue_slots_used 5.5 %"));
    assert_non_null(strstr(cmd.out, "long_scoreboard 52.69 (45.6 %)"));
    assert_null(strstr(cmd.out, "barrier 0.00"));
    RUN(&cmd, "topdown", "--ncu", FILES "ncu-wide.csv", "--all");
    assert_non_null(strstr(cmd.out, "barrier 0.00"));
    /* issued is reported as measured, though the equations assume that nothing is replayed */
    root = TOPDOWN_JSON("--nvprof", FILES "nvprof-text-x2.txt", "--kernel", "addMatrix2");
    assert_true(measured(root, "issued_ipc", "value") < measured(root, "ipc", "value"));
    cJSON_Delete(root);
}

/* Launches of 1 and 3 us: (1 x 1 + 2 x 3) / 4 = 1.75, (2 x 1 + 6 x 3) / 4 = 5. */
static void
measures_are_weighted_by_time(void **state)
{
    static const char text[] = "\"ID\",\"Kernel Name\",\"CC\",\"gpu__time_duration.sum\","
                               "\"sm__inst_executed.avg.per_cycle_active\","
                               "\"smsp__thread_inst_executed_per_inst_executed.ratio\","
                               "\"smsp__average_warps_issue_stalled_wait_per_issue_active.ratio\"\n"
                               "\"\",\"\",\"\",\"usecond\",\"inst/cycle\",\"\",\"inst\"\n"
                               "\"0\",\"f\",\"8.6\",\"1\",\"1\",\"32\",\"2\"\n"
                               "\"1\",\"f\",\"8.6\",\"3\",\"2\",\"16\",\"6\"\n";
    char path[] = "/tmp/aetius-measures-XXXXXX";
    struct error err;
    close(mkstemp(path));
    assert_true(file_write(path, text, strlen(text), &err));
    cJSON *root = TOPDOWN_JSON("--ncu", path);
    const cJSON *kernel = cJSON_GetArrayItem(cJSON_GetObjectItem(root, "kernels"), 0);
    const cJSON *const parts[] = {root, kernel};
    for (size_t i = 0; i < 2; i++) {
        assert_float_equal(measured(parts[i], "ipc", "value"), 1.75, 1e-9);
        assert_float_equal(measured(parts[i], "stall_wait", "value"), 5, 1e-9);
        assert_float_equal(measured(parts[i], "warp_execution_efficiency", "value"), 62.5, 1e-9);
        assert_true(isnan(measured(parts[i], "issued_ipc", "value")));
    }
    cJSON_Delete(root);
    root = TOPDOWN_JSON("--ncu", path, "--launches", "1", "--over-time");
    assert_float_equal(measured(root, "ipc", "value"), 1, 1e-9);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(root, "launches")), 1);
    cJSON_Delete(root);
    unlink(path);
}

/* A file with the metrics of level 1 has a tree of level 1; deeper levels lack metrics. */
static void
level_1_file(void **state)
{
    static struct command_result cmd;
    char path[] = "/tmp/aetius-level-XXXXXX";
    struct error err;
    static const char *const names[] = {"inst_fetch", "sync", "other", "not_selected"};
    char *text = mem_strdup("\"Device\",\"Kernel\",\"Invocations\",\"Metric Name\",\"Min\","
                            "\"Max\",\"Avg\"\n");
    for (size_t i = 0; i < 7; i++) {
        char *more = i < 3
                         ? mem_printf("%s\"GeForce GTX 1070 (0)\",\"f\",1,\"%s\",1,1,%s\n", text,
                                      i == 0   ? "ipc"
                                      : i == 1 ? "issued_ipc"
                                               : "warp_execution_efficiency",
                                      i == 2 ? "100%" : "2")
                         : mem_printf("%s\"GeForce GTX 1070 (0)\",\"f\",1,\"stall_%s\",1,1,10%%\n",
                                      text, names[i - 3]);
        free(text);
        text = more;
    }
    close(mkstemp(path));
    assert_true(file_write(path, text, strlen(text), &err));
    free(text);
    /* stall = 8 - 2 = 6; of 90 % that are stalls, 30 are the frontend's */
    cJSON *root = TOPDOWN_JSON("--nvprof", path, "--level", "1");
    assert_float_equal(topdown_value(cJSON_GetObjectItem(root, "tree"), "frontend"), 6.0 * 30 / 90,
                       1e-9);
    assert_float_equal(topdown_value(cJSON_GetObjectItem(root, "tree"), "backend"), 6.0 * 60 / 90,
                       1e-9);
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(root, "command")));
    cJSON_Delete(root);
    RUN(&cmd, "topdown", "--nvprof", path, "--level", "1");
    assert_null(strstr(cmd.out, "lacks"));
    RUN(&cmd, "topdown", "--nvprof", path);
    assert_non_null(strstr(cmd.out, "1 of 1 kernel lacks counters"));
    assert_non_null(strstr(cmd.out, "stall_pipe_busy"));
    unlink(path);
}

/* The attributes of the file: clocks in kHz, sizes in bytes. */
static void
gpu_of_the_file(void **state)
{
    static const struct {
        const char *name;
        double value;
    } members[] = {{"sms", 30},
                   {"clock_hz", 1282e6},
                   {"memory_clock_hz", 6001e6},
                   {"bus_bits", 192},
                   {"memory_bytes", 6117916672},
                   {"l2_bytes", 3145728},
                   {"schedulers_per_sm", 4},
                   {"cores_per_sm", 128}};
    static struct command_result cmd;
    cJSON *root = TOPDOWN_JSON("--ncu", FILES "ncu-wide.csv");
    const cJSON *gpu = cJSON_GetObjectItem(root, "gpu");
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
        assert_float_equal(cJSON_GetObjectItem(gpu, members[i].name)->valuedouble, members[i].value,
                           0);
    cJSON_Delete(root);
    RUN(&cmd, "topdown", "--ncu", FILES "ncu-wide.csv");
    assert_non_null(strstr(cmd.out, "\nGPU: 30 SMs with 4 schedulers and 128 cores each, 1282 MHz; "
                                    "memory: 6.1 GB, 192 bits at 6001 MHz; L2: 3.0 MiB\n"));
    /* nvprof does not report the GPU's attributes */
    RUN(&cmd, "topdown", "--nvprof", FILES "nvprof-metrics.csv");
    assert_non_null(strstr(cmd.out, "\nGPU: SMs with 4 schedulers and 192 cores each\n"));
}

/* --node shows one branch. */
static void
one_branch(void **state)
{
    static struct command_result cmd;
    RUN(&cmd, "topdown", "--ncu", FILES "ncu-wide.csv", "--node", "frontend");
    assert_int_equal(cmd.status, 0);
    assert_non_null(strstr(cmd.out, "\n  frontend "));
    assert_non_null(strstr(cmd.out, "\n    fetch "));
    assert_null(strstr(cmd.out, "\n  retire "));
    RUN(&cmd, "topdown", "--ncu", FILES "ncu-wide.csv", "--node", "frontend", "--over-time");
    assert_non_null(strstr(cmd.out, "frontend  fetch  decode  "));
    assert_null(strstr(cmd.out, "retire"));
    RUN(&cmd, "topdown", "--ncu", FILES "ncu-wide.csv", "--node", "backend", "--over-time");
    assert_non_null(strstr(cmd.out, "backend  memory_bound  core_bound  "));
    RUN(&cmd, "topdown", "--ncu", FILES "ncu-wide.csv", "--node", "tunnel");
    assert_int_equal(cmd.status, 2);
    RUN(&cmd, "topdown", "--ncu", FILES "ncu-wide.csv", "--node", "l1", "--json");
    assert_int_equal(cmd.status, 2);
    RUN(&cmd, "topdown", "--nvprof", FILES "nvprof-metrics.csv", "--node", "l1", "--svg",
        "/tmp/aetius-none.svg");
    assert_int_equal(cmd.status, 1);
    assert_non_null(strstr(cmd.err, "no tree has the node l1"));
}

int
main(int argc, char **argv)
{
    unsetenv("COLUMNS"); /* output to a file has no line width */
    aetius = argc > 1 ? argv[1] : "build/aetius";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turing_by_the_study),
        cmocka_unit_test(measures_by_hand),
        cmocka_unit_test(measures_are_weighted_by_time),
        cmocka_unit_test(kepler_as_published),
        cmocka_unit_test(level_1_file),
        cmocka_unit_test(gpu_of_the_file),
        cmocka_unit_test(one_branch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
