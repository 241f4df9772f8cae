/* Calculated scores of verdicts (report/compare/verdicts.h). The study of verdicts with a small
 * trace keeps finished runs, and repeats changed ones. */
#include "report/compare/verdicts.h"

#include "base/build.h"
#include "base/file.h"

#include "rigs/command.h" /* after the project's headers: cmocka.h defines a macro fail() */

#include <math.h>
#include <string.h>
#include <sys/stat.h>

#define TINY AETIUS_SOURCE_DIR "/tests/golden/tiny.trace"

static struct verdict_case
make_case(bool develops)
{
    struct verdict_case one = {.trace = "t", .machine = "m", .develops = develops};
    one.gains.cycles = 1000;
    for (uint32_t i = 0; i < IDEALS; i++)
        one.gained[i] = NAN;
    return one;
}

static void
put(struct verdict_case *one, uint32_t ideal, double most, double expected, double own,
    double gained)
{
    one->gains.most[ideal] = most;
    one->gains.expected[ideal] = expected;
    one->gains.own[ideal] = own;
    one->gained[ideal] = gained;
}

/* Four frames. The rule names shader for all except the third, for which it names memory.
 * - Frame 0, for development: shader gains 400 of 500 expected, so the rule is right. Own work
 *   names memory, which gains 390, less by one point: also right.
 * - Frame 1, judged: shader gains 100, and memory 121, more by two points and a tenth: wrong. Own
 *   work is right.
 * - Frame 2, judged: memory gains 300 and shader 100: right. Own work names shader: wrong, and so
 *   is the most frequent answer.
 * - Frame 3, judged: shader gains 50. Memory, with at most 40 and 30 expected, gains 60: right,
 *   because the difference is within two points. Gains below 5 % do not count in errors. Errors of
 *   the judged frames: 1: |300 - 100|, |110 - 121|; 2: |350 - 300|, |50 - 100|; 3: |200 - 50|. */
static void
scores(void **state)
{
    (void)state;
    struct verdict_case cases[4] = {make_case(true), make_case(false), make_case(false),
                                    make_case(false)};
    put(&cases[0], IDEAL_shader, 600, 500, 300, 400);
    put(&cases[0], IDEAL_memory, 200, 100, 350, 390);
    put(&cases[1], IDEAL_shader, 400, 300, 200, 100);
    put(&cases[1], IDEAL_memory, 200, 110, 250, 121);
    put(&cases[2], IDEAL_shader, 100, 50, 500, 100);
    put(&cases[2], IDEAL_memory, 500, 350, 250, 300);
    put(&cases[3], IDEAL_shader, 300, 200, 100, 50);
    put(&cases[3], IDEAL_memory, 40, 30, 50, 60);
    assert_int_equal(verdicts_commonest(cases, 4), IDEAL_shader);
    const struct verdict_score found = verdicts_score(cases, 4, true, NULL);
    assert_int_equal(found.frames, 1);
    assert_int_equal(found.right, 1);
    assert_int_equal(found.right_by_bounds, 1);
    const struct verdict_score judged = verdicts_score(cases, 4, false, NULL);
    assert_int_equal(judged.frames, 3);
    assert_int_equal(judged.right, 2);
    assert_int_equal(judged.right_by_bounds, 2);
    assert_int_equal(judged.right_by_commonest, 1);
    assert_int_equal(judged.causes, 5);
    assert_float_equal(judged.error, (0.2 + 0.011 + 0.05 + 0.05 + 0.15) / 5, 1e-9);
    assert_float_equal(judged.error_of_most, (0.3 + 0.079 + 0 + 0.2 + 0.25) / 5, 1e-9);
    assert_int_equal(verdicts_score(cases, 4, false, "n").frames, 0);
    /* the study tries the accused resource and every resource that an answer names */
    assert_true(verdict_tries(&cases[3], IDEAL_memory, IDEAL_z));
    assert_true(verdict_tries(&cases[3], IDEAL_z, IDEAL_z));
    assert_false(verdict_tries(&cases[3], IDEAL_z, IDEAL_shader));
}

/* Returns the number of complete runs. */
static uint32_t
count_runs(const char *dir)
{
    char command[128];
    uint32_t count = 0;
    snprintf(command, sizeof command, "ls -d %s/runs/*/ | wc -l >%s/count", dir, dir);
    assert_int_equal(system(command), 0);
    snprintf(command, sizeof command, "%s/count", dir);
    FILE *file = fopen(command, "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%u", &count), 1);
    fclose(file);
    return count;
}

static void
study_goes_on(void **state)
{
    (void)state;
    static struct command_result cmd;
    char dir[] = "/tmp/aetius-verdicts-XXXXXX", page[64], other[64], command[128];
    char *first, *second;
    size_t size, size_again;
    struct error err;
    assert_non_null(mkdtemp(dir));
    snprintf(page, sizeof page, "%s/verdicts.md", dir);
    RUN(&cmd, "study", "verdicts", TINY, "-o", dir, "--machines", "reference-2008", "--jobs", "2");
    assert_int_equal(cmd.status, 0);
    assert_non_null(strstr(cmd.out, "# Accuracy of the Top-Down verdicts"));
    assert_non_null(strstr(cmd.out, "1 of 1"));
    const uint32_t runs = count_runs(dir);
    assert_true(runs >= 2); /* the frame itself, and at least the ideal that the verdict names */
    assert_true(file_read(page, FILE_MOST_TEXT, &first, &size, &err));
    /* the same command again repeats no run */
    RUN(&cmd, "study", "verdicts", TINY, "-o", dir, "--machines", "reference-2008");
    assert_int_equal(cmd.status, 0);
    assert_int_equal(count_runs(dir), runs);
    /* the command repeats only the missing run */
    snprintf(command, sizeof command, "rm -r %s/logs/* $(ls -d %s/runs/*/ | head -n 1)", dir, dir);
    assert_int_equal(system(command), 0);
    RUN(&cmd, "study", "verdicts", TINY, "-o", dir, "--machines", "reference-2008");
    assert_int_equal(cmd.status, 0);
    snprintf(command, sizeof command, "[ $(ls %s/logs | wc -l) = 1 ]", dir);
    assert_int_equal(system(command), 0);
    assert_int_equal(count_runs(dir), runs);
    assert_true(file_read(page, FILE_MOST_TEXT, &second, &size_again, &err));
    assert_int_equal(size, size_again);
    assert_memory_equal(first, second, size);
    free(first);
    free(second);
    /* a different machine needs new runs */
    RUN(&cmd, "study", "verdicts", TINY, "-o", dir, "--machines", "reference-2008", "--set",
        "GPU.ClockMHz=501", "--json");
    assert_int_equal(cmd.status, 0);
    assert_non_null(strstr(cmd.out, "\"report\":{\"frames\":1"));
    assert_true(count_runs(dir) >= 2 * runs);
    snprintf(other, sizeof other, "rm -r %s", dir);
    assert_int_equal(system(other), 0);
    RUN(&cmd, "study", "verdict");
    assert_int_equal(cmd.status, 2);
}

int
main(int argc, char **argv)
{
    aetius = argc > 1 ? argv[1] : "build/aetius";
    const struct CMUnitTest tests[] = {cmocka_unit_test(scores), cmocka_unit_test(study_goes_on)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
