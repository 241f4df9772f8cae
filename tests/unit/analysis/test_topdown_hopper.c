/* Output of ncu 2025.3 on an NVIDIA H200 (tests/golden/profiler/h200): trees of three launches,
 * computed manually, and the trees of all programs, computed here from the columns of the files. */
#include "base/build.h"
#include "base/file.h"

#include "rigs/command.h"
#include "rigs/topdown_json.h"

#include <dirent.h>
#include <math.h>
#include <string.h>

#define FILES AETIUS_SOURCE_DIR "/tests/golden/profiler/h200/"
#define STALL "smsp__average_warps_issue_stalled_%s_per_issue_active.ratio"

enum { MOST_COLUMNS = 64, SMS = 132, IPC_MAX = 4 };

/* Sums of a file's launches, each multiplied by its time. */
struct sums {
    double time, retire, divergence, frontend, memory, core;
    uint32_t launches;
};

/* Splits a row whose fields are all quoted. Returns the number of fields. */
static uint32_t
split_row(char *row, char **fields)
{
    uint32_t count = 0;
    char *end;
    for (char *at = strchr(row, '"'); at; at = end && end[1] == ',' ? end + 2 : NULL) {
        assert_true(count < MOST_COLUMNS);
        fields[count++] = at + 1;
        end = strchr(at + 1, '"');
        if (end)
            *end = '\0';
    }
    return count;
}

/* The number in the column with this name; 1,980 is 1980. */
static double
number(char *const *names, char *const *fields, uint32_t count, const char *name)
{
    char digits[64];
    size_t length = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(names[i], name) != 0)
            continue;
        for (const char *c = fields[i]; *c && length + 1 < sizeof digits; c++)
            if (*c != ',')
                digits[length++] = *c;
        digits[length] = '\0';
        return strtod(digits, NULL);
    }
    fail_msg("no column %s", name);
    return NAN;
}

static double
stalls(char *const *names, char *const *fields, uint32_t count, const char *const *reasons)
{
    double sum = 0;
    for (; *reasons; reasons++) {
        char name[128];
        snprintf(name, sizeof name, STALL, *reasons);
        sum += number(names, fields, count, name);
    }
    return sum;
}

/* Adds a launch. */
static void
add_launch(char *const *names, char *const *fields, uint32_t count, struct sums *sums)
{
    static const char *const frontend[] = {
        "no_instruction",   "barrier",        "membar", "sleeping",
        "branch_resolving", "dispatch_stall", "misc",   NULL};
    static const char *const memory[] = {"long_scoreboard",  "lg_throttle", "tex_throttle",
                                         "imc_miss",         "drain",       "mio_throttle",
                                         "short_scoreboard", NULL};
    static const char *const core[] = {"math_pipe_throttle", "wait", "gmma", NULL};
    const double ipc = number(names, fields, count, "sm__inst_executed.sum.per_cycle_active") / SMS;
    const double issued =
        number(names, fields, count, "sm__inst_issued.sum.per_cycle_active") / SMS;
    const double used = issued > ipc ? issued : ipc;
    const double threads =
        number(names, fields, count, "smsp__thread_inst_executed_per_inst_executed.ratio");
    const double time = number(names, fields, count, "gpu__time_duration.sum");
    const double parts[] = {stalls(names, fields, count, frontend),
                            stalls(names, fields, count, memory),
                            stalls(names, fields, count, core)};
    const double each = time * (IPC_MAX - used) / (parts[0] + parts[1] + parts[2]);
    sums->time += time;
    sums->retire += time * ipc * threads / 32;
    sums->divergence += time * (ipc * (1 - threads / 32) + used - ipc);
    sums->frontend += each * parts[0];
    sums->memory += each * parts[1];
    sums->core += each * parts[2];
    sums->launches++;
}

static void
read_file(const char *path, struct sums *sums)
{
    char *text, *save, *names[MOST_COLUMNS], *fields[MOST_COLUMNS];
    size_t size;
    struct error err;
    assert_true(file_read(path, 1 << 20, &text, &size, &err));
    char *row = strtok_r(text, "\n", &save);
    const uint32_t count = split_row(row, names);
    assert_non_null(strtok_r(NULL, "\n", &save)); /* units: ns and ratios */
    while ((row = strtok_r(NULL, "\n", &save))) {
        assert_int_equal(split_row(row, fields), count);
        add_launch(names, fields, count, sums);
    }
    free(text);
}

static void
check_file(const char *path)
{
    struct sums sums = {0};
    read_file(path, &sums);
    cJSON *root = TOPDOWN_JSON("--ncu", path);
    const cJSON *tree = cJSON_GetObjectItem(root, "tree"), *kernel;
    double launches = 0;
    topdown_check_sums(tree, IPC_MAX);
    assert_float_equal(topdown_value(tree, "retire"), sums.retire / sums.time, 1e-7);
    assert_float_equal(topdown_value(tree, "divergence"), sums.divergence / sums.time, 1e-7);
    assert_float_equal(topdown_value(tree, "frontend"), sums.frontend / sums.time, 1e-7);
    assert_float_equal(topdown_value(tree, "memory_bound"), sums.memory / sums.time, 1e-7);
    assert_float_equal(topdown_value(tree, "core_bound"), sums.core / sums.time, 1e-7);
    cJSON_ArrayForEach(kernel, cJSON_GetObjectItem(root, "kernels")) launches +=
        cJSON_GetObjectItem(kernel, "launches")->valuedouble;
    assert_float_equal(launches, sums.launches, 0);
    cJSON_Delete(root);
}

static void
every_program_agrees_with_its_columns(void **state)
{
    static const char *const sets[] = {"rodinia", "altis"};
    uint32_t files = 0;
    for (size_t i = 0; i < 2; i++) {
        char dir[256], path[512];
        struct dirent *entry;
        snprintf(dir, sizeof dir, FILES "%s", sets[i]);
        DIR *folder = opendir(dir);
        assert_non_null(folder);
        while ((entry = readdir(folder))) {
            if (*entry->d_name == '.')
                continue;
            snprintf(path, sizeof path, "%s/%s", dir, entry->d_name);
            check_file(path);
            files++;
        }
        closedir(folder);
    }
    assert_int_equal(files, 33);
}

/* nn, one launch: 28.70 instructions per cycle are executed on 132 SMs, 30.93 are issued; 31.99 of
 * 32 threads are active. The stalls add up to 57.30. */
static void
nn_by_hand(void **state)
{
    cJSON *root = TOPDOWN_JSON("--ncu", FILES "rodinia/nn.csv", "--all");
    const cJSON *tree = cJSON_GetObjectItem(root, "tree");
    const double lost = 4 - 0.2343181818;
    assert_float_equal(topdown_value(tree, "retire"), 0.2173562973, 1e-9);
    assert_float_equal(topdown_value(tree, "branch"), 0.0000679451, 1e-9);
    assert_float_equal(topdown_value(tree, "replay"), 0.0168939394, 1e-9);
    assert_float_equal(topdown_value(tree, "long_scoreboard"), lost * 37.45 / 57.30, 1e-8);
    assert_float_equal(topdown_value(tree, "imc_miss"), lost * 6.34 / 57.30, 1e-8);
    assert_float_equal(topdown_value(tree, "fetch"), lost * 6.80 / 57.30, 1e-8);
    assert_float_equal(topdown_value(tree, "decode"), lost * 0.10 / 57.30, 1e-8);
    assert_float_equal(topdown_value(tree, "core_bound"), lost * 2.94 / 57.30, 1e-8);
    assert_float_equal(cJSON_GetObjectItem(root, "passes")->valuedouble, 8, 0);
    cJSON_Delete(root);
}

/* The first launch of SRAD: 353.45 executed, 353.48 issued, 30.04 threads. The stalls of the
 * frontend add up to 3.67, those of memory to 10.96, those of the core to 2.83. */
static void
srad_by_hand(void **state)
{
    cJSON *root = TOPDOWN_JSON("--ncu", FILES "altis/srad.csv", "--over-time");
    const cJSON *launches = cJSON_GetObjectItem(root, "launches");
    const cJSON *tree = cJSON_GetObjectItem(cJSON_GetArrayItem(launches, 0), "tree");
    const double lost = 4 - 353.48 / 132;
    assert_int_equal(cJSON_GetArraySize(launches), 200);
    assert_float_equal(topdown_value(tree, "retire"), 353.45 / 132 * 30.04 / 32, 1e-9);
    assert_float_equal(topdown_value(tree, "replay"), 0.03 / 132, 1e-9);
    assert_float_equal(topdown_value(tree, "frontend"), lost * 3.67 / 17.46, 1e-9);
    assert_float_equal(topdown_value(tree, "memory_bound"), lost * 10.96 / 17.46, 1e-9);
    assert_float_equal(topdown_value(tree, "core_bound"), lost * 2.83 / 17.46, 1e-9);
    cJSON_Delete(root);
}

/* hotspot with the metrics of level 1. A warp needs 16.45 cycles per issued instruction. It issues
 * in one of them, and could issue in 2.26. Of the other 13.19 cycles, 3.53 are the frontend's. */
static void
hotspot_of_level_1_by_hand(void **state)
{
    cJSON *root = TOPDOWN_JSON("--ncu", FILES "level1/hotspot.csv", "--level", "1");
    const cJSON *tree = cJSON_GetObjectItem(root, "tree");
    const double lost = 4 - 311.61 / 132;
    assert_float_equal(topdown_value(tree, "frontend"), lost * 3.53 / 13.19, 1e-9);
    assert_float_equal(topdown_value(tree, "backend"), lost * 9.66 / 13.19, 1e-9);
    assert_float_equal(cJSON_GetObjectItem(root, "passes")->valuedouble, 5, 0);
    cJSON_Delete(root);
}

/* ncu prints a mean IPC of 0.12 for the first launch. The counts are 2500 instructions in 20,280
 * cycles, 0.12327. */
static void
ipc_has_more_digits_than_the_mean(void **state)
{
    static const double instructions[] = {2500, 40980, 135000, 2500, 38248, 117600};
    static const double cycles[] = {20280, 350332, 385647, 19856, 323532, 349956};
    cJSON *root = TOPDOWN_JSON("--ncu", FILES "lud-counts.csv", "--over-time");
    const cJSON *launches = cJSON_GetObjectItem(root, "launches");
    assert_int_equal(cJSON_GetArraySize(launches), 6);
    for (int i = 0; i < 6; i++) {
        const cJSON *measured = cJSON_GetObjectItem(cJSON_GetArrayItem(launches, i), "measured");
        const cJSON *ipc = cJSON_GetArrayItem(measured, 0);
        assert_string_equal(cJSON_GetObjectItem(ipc, "name")->valuestring, "ipc");
        assert_float_equal(cJSON_GetObjectItem(ipc, "value")->valuedouble,
                           instructions[i] / cycles[i], 0.005 / SMS + 1e-9);
    }
    cJSON_Delete(root);
}

int
main(int argc, char **argv)
{
    aetius = argc > 1 ? argv[1] : "build/aetius";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_program_agrees_with_its_columns),
        cmocka_unit_test(nn_by_hand),
        cmocka_unit_test(srad_by_hand),
        cmocka_unit_test(hotspot_of_level_1_by_hand),
        cmocka_unit_test(ipc_has_more_digits_than_the_mean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
