/* `aetius open` with a program, a trace or a run. Each test begins in an empty folder, and a stub
 * replaces xdg-open. */
#include "base/build.h"
#include "base/file.h"
#include "base/mem.h"
#include "report/run/run_json.h"
#include "trace/file.h"
#include "rigs/command.h"
#include "rigs/folder.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#define TRACE AETIUS_SOURCE_DIR "/tests/golden/tiny.trace"

static const char *tiny_program;   /* draws 2 frames */
static const char *frames_program; /* draws 128 frames */
static struct command_result cmd;
static char root[] = "/tmp/aetius-open-XXXXXX";

static int
begin_folder(void **state)
{
    (void)state;
    return chdir(root) || system("rm -rf work && mkdir work") || chdir("work");
}

/* Whether the standard output ends with this line. */
static bool
ends_with(const char *line)
{
    char *end = mem_printf("\n%s\n", line);
    const size_t n = strlen(cmd.out), m = strlen(end);
    const bool does =
        n + 1 == m ? !strcmp(cmd.out, end + 1) : n >= m && !strcmp(cmd.out + n - m, end);
    free(end);
    return does;
}

/* First frame in the program, and number of frames, of a trace. */
static void
check_trace(const char *path, uint32_t first, uint32_t count)
{
    struct trace_reader *reader;
    struct error err;
    assert_true(trace_reader_open(&reader, path, &err));
    assert_int_equal(trace_first_frame(reader), first);
    assert_int_equal(trace_frame_count(reader), count);
    trace_reader_close(reader);
}

static void
check_run(const char *dir, uint32_t first, uint32_t count)
{
    struct run_json run;
    struct error err;
    assert_true(run_json_read(&run, dir, &err));
    assert_true(run.is_complete);
    assert_int_equal(run.per_frame_count, count);
    assert_int_equal((uint32_t)run.per_frame[0].number, first);
    run_json_fini(&run);
}

static void
a_trace_becomes_a_page(void **state)
{
    (void)state;
    RUN(&cmd, "open", TRACE, "--preset", "g70-like");
    assert_int_equal(cmd.status, 0);
    assert_int_equal(strncmp(cmd.out, "bound by ", 9), 0);
    assert_true(ends_with("tiny.html"));
    assert_non_null(strstr(cmd.out, "\nnext: aetius topdown tiny.run\n"));
    check_run("tiny.run", 0, 2);
    assert_true(file_exists("tiny.run/maps/frame-0001-overdraw.png"));
    assert_true(file_exists("tiny.html"));
    /* a run of other frames, with a page of another name */
    RUN(&cmd, "open", TRACE, "--frames", "1", "-o", "other.html");
    assert_int_equal(cmd.status, 1);
    assert_non_null(strstr(cmd.err, "tiny.run already exists: `aetius open tiny.run` opens it"));
    RUN(&cmd, "open", TRACE, "--frames", "1", "-o", "other.html", "--force");
    assert_int_equal(cmd.status, 0);
    check_run("tiny.run", 1, 1);
    assert_true(ends_with("other.html"));
}

/* An existing page is opened if it is newer than the run. Otherwise it is kept without --force. */
static void
a_run_has_one_page(void **state)
{
    const struct timespec old[2] = {{1000, 0}, {1000, 0}};
    struct stat before, after;
    (void)state;
    RUN(&cmd, "sim", TRACE, "-o", "game.run");
    RUN(&cmd, "open", "game.run");
    assert_int_equal(cmd.status, 0);
    assert_string_equal(cmd.out, "game.html\n");
    assert_int_equal(stat("game.html", &before), 0);
    RUN(&cmd, "open", "game.run/");
    assert_int_equal(cmd.status, 0);
    assert_string_equal(cmd.out, "game.html\n");
    assert_non_null(strstr(cmd.err, "game.html is current"));
    assert_int_equal(stat("game.html", &after), 0);
    assert_true(before.st_ino == after.st_ino && before.st_mtim.tv_nsec == after.st_mtim.tv_nsec);
    assert_int_equal(utimensat(AT_FDCWD, "game.html", old, 0), 0);
    RUN(&cmd, "open", "game.run");
    assert_int_equal(cmd.status, 1);
    assert_non_null(strstr(cmd.err, "game.html already exists; --force overwrites it"));
    RUN(&cmd, "open", "game.run", "--force");
    assert_int_equal(cmd.status, 0);
    assert_int_equal(stat("game.html", &after), 0);
    assert_true(after.st_mtim.tv_sec > 1000);
}

/* The browser is only started on a desktop. It gets the full path. */
static void
a_browser_needs_a_desktop(void **state)
{
    char *text = NULL, here[128];
    struct error err;
    size_t size;
    (void)state;
    assert_non_null(getcwd(here, sizeof here));
    char *page = mem_printf("%s/game.html\n", here);
    RUN(&cmd, "sim", TRACE, "-o", "game.run");
    RUN(&cmd, "open", "game.run");
    assert_string_equal(cmd.out, "game.html\n");
    setenv("DISPLAY", ":9", 1);
    RUN(&cmd, "open", "game.run", "--no-browser");
    assert_string_equal(cmd.out, "game.html\n");
    assert_false(file_exists("opened"));
    RUN(&cmd, "open", "game.run");
    assert_int_equal(cmd.status, 0);
    assert_string_equal(cmd.out, "");
    for (uint32_t i = 0; i < 100 && !file_exists("opened"); i++)
        usleep(50000);
    assert_true(file_read("opened", 1000, &text, &size, &err));
    assert_string_equal(text, page);
    free(text);
    free(page);
    /* no xdg-open */
    char *path = mem_strdup(getenv("PATH"));
    setenv("PATH", "/nowhere", 1);
    RUN(&cmd, "open", "game.run");
    assert_string_equal(cmd.out, "game.html\n");
    setenv("PATH", path, 1);
    free(path);
    unsetenv("DISPLAY");
}

/* From a program: frames 120 to 122, or its last frames if it has fewer. */
static void
a_program_becomes_a_page(void **state)
{
    (void)state;
    RUN(&cmd, "open", "--", frames_program);
    if (cmd.status)
        fail_msg("%s", cmd.err);
    check_trace("frames.trace", 120, 3);
    check_run("frames.run", 0, 3);
    assert_true(ends_with("frames.html"));
    RUN(&cmd, "open", "--", frames_program);
    assert_int_equal(cmd.status, 1);
    assert_non_null(strstr(cmd.err, "frames.trace already exists: `aetius open frames.trace`"));
    RUN(&cmd, "open", "--", tiny_program);
    assert_int_equal(cmd.status, 0);
    check_trace("tiny.trace", 0, 2);
    RUN(&cmd, "open", "--frames", "1", "--force", "--", tiny_program);
    assert_int_equal(cmd.status, 0);
    check_trace("tiny.trace", 1, 1);
    RUN(&cmd, "open", "--frames", "5", "--force", "--", tiny_program);
    assert_int_equal(cmd.status, 1);
    assert_non_null(strstr(cmd.err, "ended after 2 frames: there is no frame 5"));
}

/* Of a trace with more than 8 frames, the 3 frames in the middle. */
static void
long_traces_are_sampled(void **state)
{
    (void)state;
    RUN(&cmd, "capture", "-o", "long.trace", "--frames", "0-19", "--stop", "--", frames_program);
    assert_int_equal(cmd.status, 0);
    RUN(&cmd, "open", "long.trace");
    assert_int_equal(cmd.status, 0);
    assert_non_null(strstr(cmd.err, "long.trace has 20 frames: simulating frames 8 to 10"));
    check_run("long.run", 8, 3);
}

static void
inputs_are_checked(void **state)
{
    static const struct {
        const char *words[6];
        int status;
        const char *word;
    } cases[] = {
        {{"open"}, 2, "expected PROGRAM after `--`, or one TRACE or RUN"},
        {{"open", "--"}, 2, "expected PROGRAM"},
        {{"open", TRACE, "--", "game"}, 2, "expected PROGRAM"},
        {{"open", "game"},
         1,
         "game does not exist (a program must follow --: aetius open -- game)"},
        {{"open", "/bin/sh"}, 1, "/bin/sh is a program: aetius open -- /bin/sh"},
        {{"open", "."}, 1, "it has no run.json"},
        {{"open", "--frames", "1,3", "--", "game"}, 2, "one range"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        run_within(&cmd, 0, cases[i].words);
        if (cmd.status != cases[i].status || !strstr(cmd.err, cases[i].word))
            fail_msg("%zu: %d %s", i, cmd.status, cmd.err);
    }
}

static int
begin(void **state)
{
    static const char stub[] = "#!/bin/sh\necho \"$*\" >opened.part && mv opened.part opened\n";
    struct error err;
    (void)state;
    assert_non_null(mkdtemp(root));
    char *folder = mem_printf("%s/bin", root), *program = mem_printf("%s/xdg-open", folder);
    char *path = mem_printf("%s:%s", folder, getenv("PATH"));
    assert_int_equal(mkdir(folder, 0777), 0);
    assert_true(file_write(program, stub, strlen(stub), &err));
    assert_int_equal(chmod(program, 0755), 0);
    setenv("PATH", path, 1);
    unsetenv("DISPLAY");
    unsetenv("WAYLAND_DISPLAY");
    free(folder);
    free(program);
    free(path);
    return 0;
}

static int
end(void **state)
{
    (void)state;
    return chdir("/") || !remove_folder(root);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_trace_becomes_a_page, begin_folder),
        cmocka_unit_test_setup(a_run_has_one_page, begin_folder),
        cmocka_unit_test_setup(a_browser_needs_a_desktop, begin_folder),
        cmocka_unit_test_setup(a_program_becomes_a_page, begin_folder),
        cmocka_unit_test_setup(long_traces_are_sampled, begin_folder),
        cmocka_unit_test_setup(inputs_are_checked, begin_folder),
    };
    if (argc != 4)
        return 1;
    aetius = argv[1];
    tiny_program = argv[2];
    frames_program = argv[3];
    return cmocka_run_group_tests(tests, begin, end);
}
