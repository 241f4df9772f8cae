/* Programs as inputs of a sweep. One program draws three frames (tests/gl/labels.c). The sweep
 * captures it once and extracts the frames of the plan. The simulation equals that of the whole
 * capture. */
#include "rigs/endings.h"

#include <cjson/cJSON.h>

static const char *program;

static void
write_plan(const char *words, const char *rest)
{
    char *text = mem_printf("[input all]\nprogram = %s\n%s", words, rest);
    put_text("p.ini", text);
    free(text);
}

static ino_t
inode_of(const char *name)
{
    struct stat st;
    char *path = in_dir(name);
    assert_int_equal(stat(path, &st), 0);
    free(path);
    return st.st_ino;
}

static double
cycles_of_sim(const char *frames)
{
    assert_int_equal(
        RUN("sim", "@whole.trace", "--frames", frames, "-o", "@sim", "--force", "--json"), 0);
    char *text = file_text("out");
    cJSON *root = cJSON_Parse(text);
    const double cycles = cJSON_GetNumberValue(cJSON_GetObjectItem(root, "cycles"));
    cJSON_Delete(root);
    free(text);
    return cycles;
}

static void
programs_are_captured_once(void **state)
{
    write_plan("./labels", "frames = 0,1-2\nwarm-up = 1\n"); /* in the folder of the plan */
    char *link = in_dir("labels");
    assert_int_equal(symlink(program, link), 0);
    free(link);
    assert_int_equal(RUN("sweep", "p.ini", "-n", "-o", "@s"), 0);
    assert_true(reports("[input all] is not captured yet"));
    assert_false(is_there("s"));
    assert_int_equal(RUN("sweep", "p.ini", "-o", "@s"), 0);
    assert_int_equal(RUN("capture", "-o", "@whole.trace", "--", program), 0);
    assert_int_equal(RUN("sweep", "query", "@s", "SELECT input, cycles FROM results", "--csv"), 0);
    char *text = file_text("out");
    const double first = cycles_of_sim("0"), second = cycles_of_sim("1-2");
    char *want = mem_printf("input,cycles\nall-0,%.1f\nall-1,%.1f\n", first, second);
    assert_true(first > 0 && second > 0);
    assert_string_equal(text, want);
    free(want);
    free(text);
    assert_false(is_there("s/traces/all.whole"));
    assert_false(is_there("s/traces/all.home"));
    /* the program is captured again only if the plan changes the capture */
    const ino_t made = inode_of("s/traces/all-1.trace");
    assert_int_equal(RUN("sweep", "p.ini", "-o", "@s"), 0);
    assert_int_equal(inode_of("s/traces/all-1.trace"), made);
    write_plan("./labels", "frames = 0,1-2\n");
    assert_int_equal(RUN("sweep", "p.ini", "-o", "@s"), 0);
    assert_int_not_equal(inode_of("s/traces/all-1.trace"), made);
}

/* Frames 0 and 2 of the capture: without the frame between, the third is timed as in `sim`. */
static void
part_of_a_capture_is_simulated(void **state)
{
    write_plan(program, "frames = 0-2\nsimulate = 0-2/2\n");
    assert_int_equal(RUN("sweep", "p.ini", "-o", "@s"), 0);
    assert_int_equal(RUN("sweep", "query", "@s", "SELECT input, cycles FROM results", "--csv"), 0);
    char *text = file_text("out");
    assert_int_equal(RUN("capture", "-o", "@whole.trace", "--", program), 0);
    char *want = mem_printf("input,cycles\nall,%.1f\n", cycles_of_sim("0,2"));
    assert_string_equal(text, want);
    free(want);
    free(text);
    write_plan(program, "frames = 0-2\nsimulate = 2-0\n");
    assert_int_equal(RUN("sweep", "p.ini", "-o", "@s"), 1);
    assert_true(reports("[input all]: frames '2-0': the range 2-0 has no frame"));
}

/* Other inputs are complete, and the same command continues. */
static void
failed_captures_are_reported(void **state)
{
    write_plan(program, "frames = 0\n[input none]\nprogram = /nowhere/program\nframes = 3\n");
    assert_int_equal(RUN("sweep", "p.ini", "-o", "@s", "--keep-going", "--jobs", "1"), 1);
    assert_true(reports("not installed: /nowhere/program"));
    assert_true(reports("[input none] is not captured"));
    assert_true(reports("1 of 1 run\n") && reports("1 input is omitted"));
    const ino_t made = inode_of("s/traces/all.trace");
    write_plan(program, "frames = 0\n");
    assert_int_equal(RUN("sweep", "p.ini", "-o", "@s"), 0);
    assert_int_equal(inode_of("s/traces/all.trace"), made);
    /* frames that the program does not draw */
    write_plan(program, "frames = 7\n");
    assert_int_equal(RUN("sweep", "p.ini", "-o", "@s"), 1);
    assert_true(reports("[input all] was not captured"));
    assert_int_equal(RUN("sweep", "capture", "@s", "other", "--plan", "p.ini"), 1);
    assert_true(reports("has no input other with a program"));
}

/* Ctrl-C ends the programs during their capture. Otherwise they would run for two minutes. */
static void
captures_are_interrupted(void **state)
{
    const char *const words[] = {"sweep", "p.ini", "-o", "@s", NULL};
    write_plan("/bin/sleep 120", "frames = 0\n");
    const pid_t sweep = start(words, 0);
    for (int waited = 0; !is_there("s/traces/all.home") && waited < 20000; waited += 20)
        pause_ms(20);
    assert_true(is_there("s/traces/all.home"));
    pause_ms(500);
    kill(sweep, SIGINT);
    assert_int_equal(await(sweep, 30000), 130);
    assert_true(reports("interrupted"));
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(programs_are_captured_once, clean),
        cmocka_unit_test_teardown(part_of_a_capture_is_simulated, clean),
        cmocka_unit_test_teardown(failed_captures_are_reported, clean),
        cmocka_unit_test_teardown(captures_are_interrupted, clean),
    };
    if (argc != 3) {
        fprintf(stderr, "usage: test_sweep_programs AETIUS LABELS\n");
        return EXIT_FAILURE;
    }
    program = realpath(argv[2], NULL);
    setenv("EGL_PLATFORM", "surfaceless", 1);
    return endings_main(2, argv, tests, sizeof tests / sizeof tests[0]);
}
