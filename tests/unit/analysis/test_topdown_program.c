/* The shader profile of `aetius sim --shader-profile`: its sums are the statistics of the run, on
 * several machines; and the command `aetius topdown RUN --program`. */
#include "base/build.h"
#include "base/mem.h"
#include "report/run/csv.h"
#include "report/run/profile_table.h"
#include "rigs/topdown_json.h"

#include "rigs/command.h" /* after the project's headers: cmocka.h defines a macro fail() */

#include <stdlib.h>
#include <string.h>

#define GOLDEN    AETIUS_SOURCE_DIR "/tests/golden/"
#define WORKLOADS GOLDEN "workloads.trace"

static char dir[] = "/tmp/aetius-program-XXXXXX";
static char run[64];
static struct command_result cmd;

static void
read_table(struct csv_table *table, const char *folder, const char *name)
{
    struct error err;
    char *path = mem_printf("%s/%s", folder, name);
    if (!csv_read(table, path, &err))
        fail_msg("%s", err.text);
    free(path);
}

static bool
is_same_row(const struct csv_table *a, uint32_t i, const struct csv_table *b, uint32_t j)
{
    static const char *const numbers[] = {"frame", "draw", "nth"};
    for (size_t k = 0; k < 3; k++)
        if (csv_value(a, i, csv_column(a, numbers[k])) !=
            csv_value(b, j, csv_column(b, numbers[k])))
            return false;
    return !strcmp(csv_field(a, i, csv_column(a, "work")), csv_field(b, j, csv_column(b, "work")));
}

/* Checks for each row of the draw table, and for each statistic of slots, lanes and instructions,
 * that the rows of the profile add up to it. Returns the number of slots. */
static double
check_sums(const char *folder)
{
    struct csv_table draws, profile;
    uint32_t statistics = 0;
    double slots = 0;
    read_table(&draws, folder, "stats.draws.csv.gz");
    read_table(&profile, folder, PROFILE_FILE);
    for (uint32_t c = 0; c < draws.columns; c++) {
        const char *name = draws.names[c];
        if (strncmp(name, "shader.slots_", 13) != 0 && strncmp(name, "shader.lanes_", 13) != 0 &&
            strcmp(name, "shader.instructions") != 0)
            continue;
        const int32_t column = csv_column(&profile, name);
        if (column < 0)
            fail_msg("the profile lacks %s", name);
        statistics++;
        uint32_t at = 0;
        for (uint32_t r = 0; r < draws.rows; r++) {
            double sum = 0;
            for (; at < profile.rows && is_same_row(&draws, r, &profile, at); at++)
                sum += csv_value(&profile, at, column);
            if (sum != csv_value(&draws, r, (int32_t)c))
                fail_msg("%s: row %u: %s adds up to %.0f instead of %.0f", folder, r, name, sum,
                         csv_value(&draws, r, (int32_t)c));
            slots += !strncmp(name, "shader.slots_", 13) ? sum : 0;
        }
        assert_int_equal(at, profile.rows);
    }
    assert_int_equal(statistics, PROFILE_COUNTS);
    csv_table_fini(&draws);
    csv_table_fini(&profile);
    return slots;
}

static void
sums_are_the_statistics(void **state)
{
    static const char *const machines[][2] = {
        {"reference-2008", "SHADER.Replay=TRUE"},
        {"reference-2005", "COMMANDPROCESSOR.PipelinedBatchRendering=TRUE"},
        {"g70-like", "FRAGMENTSHADER.SwapOnBlock=TRUE"},
        {"r580-like", "FRAGMENTSHADER.ThreadWindow=FALSE"},
        {"reference-2008", "RASTERIZER.TriangleSetupOnShader=TRUE"},
        {"reference-2008", "SHADER.Mode=instant"},
    };
    char folder[64];
    (void)state;
    snprintf(folder, sizeof folder, "%s/machine", dir);
    for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++) {
        RUN(&cmd, "sim", WORKLOADS, "--frames", "3-5", "--force", "-o", folder, "--shader-profile",
            "--preset", machines[i][0], "--set", machines[i][1]);
        if (cmd.status != 0)
            fail_msg("%s", cmd.err);
        assert_true(check_sums(folder) > 0);
    }
}

/* Several processes write the same profile as one. The profile changes no other result. */
static void
profile_changes_nothing(void **state)
{
    char parts[64], plain[64];
    (void)state;
    snprintf(parts, sizeof parts, "%s/parts", dir);
    snprintf(plain, sizeof plain, "%s/plain", dir);
    RUN(&cmd, "sim", WORKLOADS, "--frames", "3-5", "-o", parts, "--shader-profile", "--jobs", "2");
    assert_int_equal(cmd.status, 0);
    run_shell("diff -r -x run.json %s %s", run, parts);
    RUN(&cmd, "sim", WORKLOADS, "--frames", "3-5", "-o", plain);
    assert_int_equal(cmd.status, 0);
    run_shell("diff -r -x run.json -x " PROFILE_FILE " -x " PROGRAMS_FOLDER " %s %s", run, plain);
    RUN(&cmd, "topdown", plain, "--program", "all");
    assert_int_equal(cmd.status, 1);
    assert_non_null(strstr(cmd.err, "has no shader profile: simulate with --shader-profile"));
    /* --force removes the files of the profile */
    RUN(&cmd, "sim", WORKLOADS, "--frames", "3", "-o", parts, "--force");
    assert_int_equal(cmd.status, 0);
    run_shell("! ls %s/" PROFILE_FILE " %s/" PROGRAMS_FOLDER " 2>/dev/null", parts, parts);
}

static double
number(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItem(object, name)->valuedouble;
}

static double
sum_of(const cJSON *object)
{
    double sum = 0;
    const cJSON *item;
    cJSON_ArrayForEach(item, object) sum += item->valuedouble;
    return sum;
}

/* In JSON, the instructions add up to their program, causes to the slots, and programs, with the
 * slots without a group, to the slots of the shaders' tree. */
static void
instructions_add_up(void **state)
{
    double slots = 0;
    (void)state;
    cJSON *tree = TOPDOWN_JSON(run), *json = TOPDOWN_JSON(run, "--program", "all");
    const cJSON *program, *instruction;
    cJSON_ArrayForEach(program, cJSON_GetObjectItem(json, "programs"))
    {
        double all = 0, issues = 0;
        cJSON_ArrayForEach(instruction, cJSON_GetObjectItem(program, "instructions"))
        {
            const cJSON *causes = cJSON_GetObjectItem(instruction, "causes");
            assert_true(sum_of(causes) == number(instruction, "slots"));
            all += number(instruction, "slots");
            issues += number(instruction, "issues");
        }
        assert_true(all == number(program, "slots") && all > 0);
        assert_true(issues == number(program, "issues"));
        /* 4 units of 2 slots per cycle */
        assert_true(all == 2 * number(program, "cycles"));
        slots += all;
    }
    const cJSON *shaders = cJSON_GetObjectItem(tree, "shaders");
    const double starved = topdown_value(cJSON_GetObjectItem(shaders, "tree"), "starved");
    assert_true(number(json, "total") == number(shaders, "total"));
    assert_true(slots + starved == number(shaders, "total") && starved > 0);
    cJSON_Delete(json);
    cJSON_Delete(tree);
}

/* Program 353682d5 has no branch, so its three instructions issue equally often, and END never. */
static void
text_has_the_program(void **state)
{
    (void)state;
    RUN(&cmd, "topdown", run, "--program", "353682d5");
    assert_int_equal(cmd.status, 0);
    assert_non_null(strstr(cmd.out, "fragment program 353682d53bf9a433: "));
    assert_non_null(strstr(cmd.out, "DCL SVIEW[0], 2D, FLOAT\n"));
    assert_non_null(strstr(cmd.out, "<==    1: TXP TEMP[1], TEMP[0], SAMP[0], 2D\n"));
    assert_null(strstr(cmd.out, "<==    3: END"));
    /* in CSV, the issues are the fifth field from the end */
    RUN(&cmd, "topdown", run, "--program", "353682d5", "--csv");
    unsigned long issues[4];
    char *line = cmd.out;
    for (uint32_t i = 0; i < 4; i++) {
        char *end = strchr(line = strchr(line, '\n') + 1, '\n');
        for (uint32_t commas = 0; commas < 5; commas += *end == ',')
            end--;
        issues[i] = strtoul(end + 1, NULL, 10);
    }
    assert_true(issues[0] > 0 && issues[1] == issues[0] && issues[2] == issues[0]);
    assert_int_equal(issues[3], 0);
    RUN(&cmd, "topdown", run, "--program", "all");
    assert_int_equal(cmd.status, 0);
    assert_non_null(strstr(cmd.out, "353682d53bf9a433  fragment"));
    setenv("COLUMNS", "60", 1);
    RUN(&cmd, "topdown", run, "--program", "all");
    assert_true(longest_line(cmd.out) <= 60);
    unsetenv("COLUMNS");
}

/* A draw has the issues of its rows only. All draws and other rows add up to the frame. */
static void
a_draw_is_a_part(void **state)
{
    double issues = 0;
    (void)state;
    for (uint32_t d = 0; d < 48; d++) {
        char name[16];
        snprintf(name, sizeof name, "4:%u", d);
        RUN(&cmd, "topdown", run, "--draw", name, "--program", "all", "--json");
        if (cmd.status != 0)
            break;
        cJSON *json = cJSON_Parse(cmd.out);
        const cJSON *program;
        cJSON_ArrayForEach(program, cJSON_GetObjectItem(json, "programs")) issues +=
            number(program, "issues");
        cJSON_Delete(json);
    }
    cJSON *json = TOPDOWN_JSON(run, "--frame", "4", "--program", "all");
    const cJSON *program;
    cJSON_ArrayForEach(program, cJSON_GetObjectItem(json, "programs")) issues -=
        number(program, "issues");
    assert_true(issues == 0);
    cJSON_Delete(json);
}

static void
faults_are_named(void **state)
{
    char changed[64];
    (void)state;
    snprintf(changed, sizeof changed, "%s/changed", dir);
    RUN(&cmd, "topdown", run, "--program", "0123456789abcdef");
    assert_int_equal(cmd.status, 1);
    assert_non_null(strstr(cmd.err, "no instruction of a program 0123456789abcdef was profiled"));
    RUN(&cmd, "topdown", run, "--program", "xyz");
    assert_int_equal(cmd.status, 2);
    RUN(&cmd, "topdown", run, "--program", "all", "--draws");
    assert_int_equal(cmd.status, 2);
    RUN(&cmd, "sim", WORKLOADS, "--shader-profile", "-o", changed, "--signals", "x");
    assert_int_equal(cmd.status, 2);
    run_shell("cp -r %s %s && gzip -dc %s/" PROFILE_FILE
              " | awk -F, -v OFS=, 'NR == 2 { $NF = $NF + 1 } { print }' | gzip >%s/" PROFILE_FILE,
              run, changed, run, changed);
    RUN(&cmd, "topdown", changed, "--program", "all");
    assert_int_equal(cmd.status, 1);
    if (!strstr(cmd.err, "shader.lanes_empty adds up to"))
        fail_msg("%s", cmd.err);
    run_shell("cp %s/" PROFILE_FILE " %s && rm %s/" PROGRAMS_FOLDER "/353682d53bf9a433.tgsi", run,
              changed, changed);
    RUN(&cmd, "topdown", changed, "--program", "353682d5");
    assert_int_equal(cmd.status, 1);
    assert_non_null(strstr(cmd.err, "353682d53bf9a433.tgsi"));
}

static int
begin(void **state)
{
    (void)state;
    unsetenv("COLUMNS"); /* output to a file has no line width */
    if (!mkdtemp(dir))
        return 1;
    snprintf(run, sizeof run, "%s/run", dir);
    RUN(&cmd, "sim", WORKLOADS, "--frames", "3-5", "-o", run, "--shader-profile");
    return cmd.status;
}

static int
end(void **state)
{
    (void)state;
    run_shell("rm -r %s", dir);
    return 0;
}

int
main(int argc, char **argv)
{
    aetius = argc > 1 ? argv[1] : "build/aetius";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_the_statistics), cmocka_unit_test(profile_changes_nothing),
        cmocka_unit_test(instructions_add_up),     cmocka_unit_test(text_has_the_program),
        cmocka_unit_test(a_draw_is_a_part),        cmocka_unit_test(faults_are_named),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
