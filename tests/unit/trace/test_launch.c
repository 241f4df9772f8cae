/* Messages printed after a program has failed. */
#include "base/args.h"
#include "trace/virgl/vtest/launch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static bool
warns_of_shared_memory(const struct launch_result *result)
{
    char path[] = "/tmp/aetius-launch-XXXXXX", cmd[2048] = "";
    const int file = mkstemp(path), kept = dup(STDERR_FILENO);
    fflush(stderr);
    dup2(file, STDERR_FILENO);
    const int status = launch_conclude(result, "game");
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    assert_true(pread(file, cmd, sizeof cmd - 1, 0) >= 0);
    close(kept);
    close(file);
    unlink(path);
    assert_int_equal(status, result->failed ? EXIT_FAILED : EXIT_WELL);
    assert_int_equal(strstr(cmd, "game ended with signal 11") != NULL, result->failed);
    return strstr(cmd, "MIT-SHM") != NULL;
}

/* The hint is printed only if a program that drew crashed on the user's X server. */
static void
a_crash_on_the_users_server(void **state)
{
    const struct launch_result all = {.failed = true,
                                      .segfault = true,
                                      .users_display = true,
                                      .how = "signal 11",
                                      .connections = 1};
    struct launch_result one = all;
    (void)state;
    assert_true(warns_of_shared_memory(&all));
    one.segfault = false;
    assert_false(warns_of_shared_memory(&one));
    one = all;
    one.users_display = false;
    assert_false(warns_of_shared_memory(&one));
    one = all;
    one.connections = 0;
    assert_false(warns_of_shared_memory(&one));
    assert_false(warns_of_shared_memory(&(struct launch_result){.connections = 1}));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_crash_on_the_users_server),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
