/* Child processes: start, output, signals and reaping. */
#include "base/subprocess.h"

#include "base/interrupt.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { MOST = 1 << 20, WAIT_MS = 10000 };

/* Returns standard output and error of a shell command, and its wait status. */
static char *
output_of(const char *command, struct subprocess_setup setup, int *status)
{
    char sh[] = "sh", c[] = "-c", *text = NULL;
    char *words[] = {sh, c, (char *)(uintptr_t)command, NULL};
    struct subprocess child;
    struct error err = {""};
    size_t size = 0;
    setup.argv = words;
    if (setup.output == SUBPROCESS_AS_OURS)
        setup.output = SUBPROCESS_PIPE;
    if (!subprocess_start(&child, &setup, &err) ||
        !subprocess_collect(&child, MOST, &text, &size, status, &err))
        fail_msg("%s", err.text);
    assert_int_equal(strlen(text), size);
    return text;
}

static void
assert_output(const char *command, struct subprocess_setup setup, const char *expected)
{
    int status;
    char *text = output_of(command, setup, &status);
    assert_int_equal(status, 0);
    assert_string_equal(text, expected);
    free(text);
}

/* Asserts that no child process is left. */
static void
assert_no_child(void)
{
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

static void
setups_are_as_asked(void **state)
{
    (void)state;
    static const char *const environment[] = {"AETIUS_TEST=a=b", "HOME", NULL};
    assert_output("echo out; echo err >&2", (struct subprocess_setup){0}, "out\nerr\n");
    assert_output("echo out; exec 2>/dev/null; echo err >&2",
                  (struct subprocess_setup){.output = SUBPROCESS_PIPE_STDOUT}, "out\n");
    assert_output("pwd", (struct subprocess_setup){.folder = "/usr"}, "/usr\n");
    assert_output("echo \"$AETIUS_TEST ${HOME-none}\"",
                  (struct subprocess_setup){.environment = environment}, "a=b none\n");
    assert_output("cat", (struct subprocess_setup){.no_input = true}, "");
    char path[] = "/tmp/aetius-subprocess-XXXXXX";
    const int file = mkstemp(path);
    assert_int_equal(write(file, "from a file", 11), 11);
    assert_int_equal(lseek(file, 0, SEEK_SET), 0);
    assert_output("cat", (struct subprocess_setup){.in_fd = file}, "from a file");
    close(file);
    unlink(path);
    assert_no_child();
}

/* All descriptors of the program are close-on-exec. A child does not inherit them, except the one
 * that is kept. */
static void
descriptors_are_not_inherited(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    char *list = mem_printf("for i in %d %d; do [ -e /proc/self/fd/$i ] && echo $i; done; true",
                            ends[0], ends[1]);
    char *kept = mem_printf("%d\n", ends[1]);
    assert_output(list, (struct subprocess_setup){0}, "");
    assert_output(list, (struct subprocess_setup){.kept_fd = ends[1]}, kept);
    free(kept);
    free(list);
    close(ends[0]);
    close(ends[1]);
}

static void
failed_starts_name_the_reason(void **state)
{
    (void)state;
    char nothing[] = "aetius-no-such-program", sh[] = "sh";
    char *words[] = {nothing, NULL}, *shell[] = {sh, NULL};
    struct subprocess child;
    struct error err;
    assert_false(subprocess_start(&child, &(struct subprocess_setup){.argv = words}, &err));
    assert_string_equal(err.text, "cannot run aetius-no-such-program: No such file or directory");
    assert_true(child.not_found);
    assert_false(subprocess_start(
        &child, &(struct subprocess_setup){.argv = words, .package = "some-package"}, &err));
    assert_string_equal(err.text, "aetius-no-such-program is not installed (Debian: some-package)");
    assert_false(subprocess_start(
        &child, &(struct subprocess_setup){.argv = shell, .folder = "/nowhere/at/all"}, &err));
    assert_no_child();
}

static void
ends_are_described(void **state)
{
    (void)state;
    struct error err;
    int status;
    free(output_of("exit 3", (struct subprocess_setup){0}, &status));
    assert_false(subprocess_check(status, "it", &err));
    assert_string_equal(err.text, "it ended with exit status 3");
    free(output_of("kill -SEGV $$", (struct subprocess_setup){0}, &status));
    assert_false(subprocess_check(status, "it", &err));
    assert_string_equal(err.text, "it ended with signal 11 (Segmentation fault)");
    assert_true(subprocess_check(0, "it", &err));
}

/* A child that writes more than the limit is ended, not awaited. */
static void
output_has_an_end(void **state)
{
    (void)state;
    char yes[] = "yes", *words[] = {yes, NULL}, *text;
    struct subprocess child;
    struct error err;
    size_t size;
    int status;
    assert_true(subprocess_start(
        &child, &(struct subprocess_setup){.argv = words, .output = SUBPROCESS_PIPE}, &err));
    assert_true(subprocess_collect(&child, 10000, &text, &size, &status, &err));
    assert_int_equal(size, 10000);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE);
    free(text);
    assert_no_child();
}

/* The whole process group is ended, including processes that ignore SIGTERM. */
static void
a_group_is_ended(void **state)
{
    (void)state;
    char sh[] = "sh", c[] = "-c";
    char text[] = "sleep 1000 & trap '' TERM; echo $!; sleep 1000";
    char *words[] = {sh, c, text, NULL}, line[32] = "";
    struct subprocess child;
    struct error err;
    const struct subprocess_setup setup = {
        .argv = words, .output = SUBPROCESS_PIPE_STDOUT, .own_group = true};
    assert_true(subprocess_start(&child, &setup, &err));
    for (size_t n = 0; !strchr(line, '\n'); n++)
        assert_int_equal(read(child.output, line + n, 1), 1);
    const int status = subprocess_end(&child, 50);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    for (int waited = 0; !kill(atoi(line), 0) && waited < WAIT_MS; waited += 10)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    assert_int_equal(kill(atoi(line), 0), -1);
    assert_no_child();
}

static int
return_5(void *data)
{
    return *(const int *)data;
}

static void
a_copy_returns_its_status(void **state)
{
    (void)state;
    struct subprocess child;
    struct error err;
    int five = 5;
    char byte;
    assert_true(subprocess_fork(&child, return_5, &five, SIGKILL, &err));
    assert_int_equal(read(child.output, &byte, 1), 0);
    const int status = subprocess_wait(&child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 5);
    assert_no_child();
}

/* If the terminal of a session belongs to another group, a program that reads from the terminal is
 * not stopped. */
static void
the_terminal_stops_nothing(void **state)
{
    (void)state;
    const int controller = posix_openpt(O_RDWR | O_NOCTTY);
    if (controller < 0 || grantpt(controller) || unlockpt(controller))
        skip();
    const pid_t session = fork();
    if (session == 0) {
        setsid();
        const int terminal = open(ptsname(controller), O_RDWR);
        char sh[] = "sh", c[] = "-c", text[] = "read x || exit 9";
        char *words[] = {sh, c, text, NULL};
        struct subprocess child;
        struct error err;
        ioctl(terminal, TIOCSCTTY, 0);
        const struct subprocess_setup setup = {.argv = words, .in_fd = terminal, .own_group = true};
        _exit(subprocess_start(&child, &setup, &err) ? WEXITSTATUS(subprocess_wait(&child)) : 1);
    }
    int status = 0, waited = 0;
    while (waitpid(session, &status, WNOHANG) == 0 && waited++ < WAIT_MS / 10)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    if (waited >= WAIT_MS / 10) {
        kill(session, SIGKILL);
        waitpid(session, NULL, 0);
        fail_msg("the program was stopped");
    }
    close(controller);
    assert_int_equal(WEXITSTATUS(status), 9);
}

/* If SIGCHLD was ignored before exec(), exit statuses must still be available. */
static void
children_leave_a_status(void **state)
{
    (void)state;
    int status = -1;
    signal(SIGCHLD, SIG_IGN);
    interrupt_init();
    free(output_of("exit 3", (struct subprocess_setup){0}, &status));
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 3);
}

/* A signal to this process ends the child and the wait. This test is the last one, because the
 * program remembers the signal. */
static void
a_signal_ends_the_wait(void **state)
{
    (void)state;
    char sleeps[] = "sleep", long_time[] = "1000", *words[] = {sleeps, long_time, NULL}, *text;
    struct subprocess child;
    struct error err;
    size_t size;
    int status;
    interrupt_watch();
    assert_true(subprocess_start(
        &child, &(struct subprocess_setup){.argv = words, .output = SUBPROCESS_PIPE}, &err));
    raise(SIGTERM);
    assert_false(subprocess_collect(&child, MOST, &text, &size, &status, &err));
    assert_null(text);
    assert_no_child();
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(setups_are_as_asked),
        cmocka_unit_test(descriptors_are_not_inherited),
        cmocka_unit_test(failed_starts_name_the_reason),
        cmocka_unit_test(ends_are_described),
        cmocka_unit_test(output_has_an_end),
        cmocka_unit_test(a_group_is_ended),
        cmocka_unit_test(a_copy_returns_its_status),
        cmocka_unit_test(the_terminal_stops_nothing),
        cmocka_unit_test(children_leave_a_status),
        cmocka_unit_test(a_signal_ends_the_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
