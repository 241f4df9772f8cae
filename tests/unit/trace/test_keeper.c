/* All processes that a program starts end with it. They may be in its group, in a separate session,
 * or without a parent. They also end if the process that started the program is killed. */
#include "base/mem.h"
#include "trace/virgl/vtest/keeper.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { MOST = 4, WAIT_MS = 10000 };

/* Each process writes its ID to NUMBER.NAME in the folder: the program, a process in its group, a
 * process in a separate session, and a daemon. The daemon has a separate session and no parent, and
 * ignores SIGTERM. */
static const char family[] =
    "sh -c 'echo $$ >group; exec sleep 1000' & setsid sh -c 'echo $$ >session; exec sleep 1000' &\n"
    "(setsid sh -c 'trap \"\" TERM; echo $$ >daemon; while :; do sleep 1; done' &)\n"
    "echo $$ >program; ";
static const char *const names[MOST] = {"program", "group", "session", "daemon"};

static char folder[] = "/tmp/aetius-keeper-XXXXXX";

static void
wait_a_little(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
}

/* Returns whether the process does not exist, or is a zombie. */
static bool
is_gone(int pid)
{
    char path[64], state = 'X';
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *file = fopen(path, "r");
    if (file) {
        if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
            state = 'X';
        fclose(file);
    }
    return state == 'X' || state == 'Z';
}

static int
read_pid(const char *name)
{
    int pid = 0;
    for (int waited = 0; waited < WAIT_MS && !pid; waited += 10) {
        FILE *file = fopen(name, "r");
        if (file) {
            if (fscanf(file, "%d", &pid) != 1)
                pid = 0;
            fclose(file);
        }
        wait_a_little();
    }
    assert_true(pid > 0);
    return pid;
}

static void
read_pids(int pids[MOST])
{
    for (int i = 0; i < MOST; i++) {
        pids[i] = read_pid(names[i]);
        unlink(names[i]);
    }
}

static void
assert_gone(const int pids[MOST], int first)
{
    for (int i = first; i < MOST; i++) {
        for (int waited = 0; waited < WAIT_MS && !is_gone(pids[i]); waited += 10)
            wait_a_little();
        if (!is_gone(pids[i]))
            fail_msg("%s goes on", names[i]);
    }
}

static bool
start(struct keeper *keeper, const char *ends, int end_signal, struct error *err)
{
    char sh[] = "sh", c[] = "-c", *text = mem_printf("%s%s", family, ends);
    char *argv[] = {sh, c, text, NULL};
    const bool ok = keeper_start(
        keeper, &(struct subprocess_setup){.argv = argv, .own_group = true}, end_signal, err);
    free(text);
    return ok;
}

static void
all_end(void **state)
{
    struct keeper keeper;
    struct error err;
    int pids[MOST];
    const int signals[] = {SIGTERM, SIGALRM};
    (void)state;
    for (int k = 0; k < 2; k++) {
        assert_true(start(&keeper, "exec sleep 1000", signals[k], &err));
        read_pids(pids);
        const int status = keeper_end(&keeper);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == signals[k]);
        for (int i = 0; i < MOST; i++)
            assert_true(is_gone(pids[i])); /* immediately, because the keeper waited for them */
    }
}

static void
all_end_when_this_is_killed(void **state)
{
    int pids[MOST];
    (void)state;
    const pid_t child = fork();
    if (child == 0) {
        struct keeper keeper;
        struct error err;
        if (start(&keeper, "exec sleep 1000", SIGTERM, &err))
            pause();
        _exit(1);
    }
    read_pids(pids);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_gone(pids, 0);
}

static int
await_end(struct keeper *keeper)
{
    int status = -1;
    for (int waited = 0; waited < WAIT_MS && !keeper_heard(keeper, &status); waited += 10)
        wait_a_little();
    return status;
}

/* The keeper reports the end of the program while its other processes still run. The caller may
 * then end them, or leave them running. */
static void
others_outlive_the_program(void **state)
{
    struct keeper keeper;
    struct error err;
    int pids[MOST], status;
    (void)state;
    for (int leave = 0; leave < 2; leave++) {
        assert_true(start(&keeper, "exit 7", SIGTERM, &err));
        read_pids(pids);
        status = await_end(&keeper);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
        for (int i = 1; i < MOST; i++)
            assert_false(is_gone(pids[i]));
        if (leave)
            keeper_leave(&keeper);
        else
            keeper_end(&keeper);
        for (int i = 1; i < MOST; i++) {
            assert_int_equal(is_gone(pids[i]), !leave);
            if (leave)
                kill(pids[i], SIGKILL);
        }
    }
}

static void
what_cannot_run_is_reported(void **state)
{
    struct keeper keeper;
    struct error err;
    char name[] = "./nothing";
    char *argv[] = {name, NULL};
    (void)state;
    assert_false(keeper_start(&keeper, &(struct subprocess_setup){.argv = argv, .own_group = true},
                              SIGTERM, &err));
    assert_string_equal(err.text, "cannot run ./nothing: No such file or directory");
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_end),
        cmocka_unit_test(all_end_when_this_is_killed),
        cmocka_unit_test(others_outlive_the_program),
        cmocka_unit_test(what_cannot_run_is_reported),
    };
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(folder);
    return failed;
}
