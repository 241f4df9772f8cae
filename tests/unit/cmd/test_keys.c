/* Programs that wait for input, get no context or render no frame, and `aetius doctor`. The program
 * is tests/gl/keys.c: two frames, then one per key press or pointer movement. */
#include "rigs/endings.h"
#include "rigs/needs.h"

#include <cjson/cJSON.h>

static const char *program;

enum { SECONDS_OF_SILENCE = 10 };

static bool
can_press_keys(void)
{
    char *keys = mem_printf("%s", aetius), *slash = strrchr(keys, '/');
    assert_non_null(slash);
    *slash = '\0';
    char *helper = mem_printf("%s/aetius-keys", keys);
    const bool is_there = file_exists(helper) && has_program("Xvfb");
    free(helper);
    free(keys);
    return is_there;
}

/* Whether the file, "out" or "err", contains the text. */
static bool
holds(const char *file, const char *words)
{
    char *text = file_text(file);
    const bool found = strstr(text, words) != NULL;
    free(text);
    return found;
}

/* Whether the command or its program has printed the text. */
static bool
has_printed(const char *words)
{
    return holds("out", words);
}

static uint32_t
frames_of(const char *name)
{
    struct trace_reader *reader;
    struct error err;
    char *path = in_dir(name);
    if (!trace_reader_open(&reader, path, &err))
        fail_msg("%s", err.text);
    const uint32_t count = trace_frame_count(reader);
    trace_reader_close(reader);
    free(path);
    return count;
}

/* Each word has one effect. Key presses and pointer movements reach the window, although it is not
 * under the pointer at first. Two frames do not need input. */
static void
keys_are_pressed(void **state)
{
    (void)state;
    if (!can_press_keys())
        skip();
    assert_int_equal(RUN("capture", "-o", "@a.trace", "--keys",
                         "1s Down Return 40,20 +Up -Up 0.2s q", "--", program),
                     0);
    assert_true(has_printed("key Down\nkey Return\npointer 40,20\nkey Up\n"));
    assert_true(frames_of("a.trace") >= 6); /* and the movement to the window's middle */
    assert_int_equal(RUN("capture", "-o", "@b.trace", "--frames", "2-3", "--stop", "--keys",
                         "1s Down Return Return Return", "--", program),
                     0);
    assert_int_equal(frames_of("b.trace"), 2);
}

static void
wrong_keys_are_refused(void **state)
{
    static const char *const wrong[] = {"Dwon", "8m", "3,", "99999,1", "99999s", "+"};
    (void)state;
    if (!can_press_keys())
        skip();
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(RUN("capture", "-o", "@c.trace", "--keys", wrong[i], "--", "true"), 2);
        assert_true(reports("expected the name of a key"));
    }
}

/* A capture that waits for frames reports this once, and suggests how to continue. */
static void
a_wait_is_reported(void **state)
{
    (void)state;
    if (!has_program("Xvfb"))
        skip();
    const pid_t child = start((const char *const[]){"capture", "-o", "@d.trace", "--frames",
                                                    "20-21", "--", program, NULL},
                              0);
    pause_ms(1000 * (SECONDS_OF_SILENCE - 4));
    assert_false(holds("err", "so far"));
    for (int i = 0; i < 30 && !holds("err", "so far"); i++)
        pause_ms(500);
    assert_true(reports("2 frames so far, none for 10 s: if"));
    assert_true(reports("press keys with --keys"));
    kill(child, SIGINT);
    assert_int_equal(await(child, 20000), 130);
}

/* A program that ends without a context is reported with the version that it requested. */
static void
a_refused_context_is_named(void **state)
{
    (void)state;
    if (!has_program("Xvfb"))
        skip();
    assert_int_equal(RUN("run", "--gl", "3.1", "--functional", "--", program, "--core"), 1);
    assert_true(reports("wanted OpenGL 3.3 core, but 3.1 is offered: use --gl 3.3"));
    assert_int_equal(RUN("run", "--functional", "--", program, "--4.6"), 1);
    assert_true(reports("wanted OpenGL 4.6 core, but 3.3 is offered"));
    assert_false(reports("use --gl"));
    assert_int_equal(RUN("capture", "--gl", "3.1", "-o", "@e.trace", "--", program, "--core"), 1);
    assert_true(reports("wanted OpenGL 3.3 core, but 3.1 is offered"));
    assert_false(is_there("e.trace"));
    assert_int_equal(RUN("run", "--gl", "2.1", "--functional", "--", program, "--3.0"), 1);
    assert_true(reports("wanted OpenGL 3.0, but 2.1 is offered: use --gl 3.0"));
    assert_int_equal(RUN("run", "--gl", "3.1", "--functional", "--", program, "--core-or-exit"), 1);
    assert_true(reports("wanted OpenGL 3.3 core, but 3.1 is offered"));
}

static void
a_run_without_a_frame_fails(void **state)
{
    (void)state;
    if (!has_program("glxinfo") || !has_program("Xvfb"))
        skip();
    assert_int_equal(RUN("run", "--functional", "-o", "@run", "--", "glxinfo", "-B"), 1);
    assert_true(reports("glxinfo ended without a frame"));
    assert_true(has_printed("OpenGL renderer string: virgl"));
    assert_false(is_there("run/run.json"));
}

/* `aetius doctor` succeeds on a machine on which the other tests succeed. Without Xvfb, the capture
 * test fails, and the output names the package. */
static void
a_machine_is_examined(void **state)
{
    (void)state;
    if (!has_program("Xvfb"))
        skip();
    assert_int_equal(RUN("doctor"), 0);
    assert_true(has_printed("3.3 (Compatibility Profile) Mesa"));
    assert_true(has_printed("against those that the program read back"));
    assert_int_equal(RUN("doctor", "--json"), 0);
    char *text = file_text("out");
    cJSON *root = cJSON_Parse(text);
    assert_true(cJSON_IsTrue(cJSON_GetObjectItem(root, "ok")));
    assert_true(cJSON_GetArraySize(cJSON_GetObjectItem(root, "checks")) > 10);
    cJSON_Delete(root);
    free(text);
    char *path = mem_strdup(getenv("PATH"));
    setenv("PATH", "/nowhere", 1);
    const int status = RUN("doctor");
    setenv("PATH", path, 1);
    free(path);
    assert_int_equal(status, 1);
    assert_true(has_printed("not found (package xvfb)"));
    assert_true(has_printed("failed"));
    assert_true(reports("this machine lacks"));
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(keys_are_pressed, clean),
        cmocka_unit_test_teardown(wrong_keys_are_refused, clean),
        cmocka_unit_test_teardown(a_wait_is_reported, clean),
        cmocka_unit_test_teardown(a_refused_context_is_named, clean),
        cmocka_unit_test_teardown(a_run_without_a_frame_fails, clean),
        cmocka_unit_test_teardown(a_machine_is_examined, clean),
    };
    if (argc < 3) {
        fprintf(stderr, "usage: test_keys AETIUS KEYS\n");
        return EXIT_FAILURE;
    }
    program = realpath(argv[2], NULL);
    return endings_main(2, argv, tests, sizeof tests / sizeof tests[0]);
}
