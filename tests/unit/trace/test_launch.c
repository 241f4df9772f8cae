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

/* Returns the messages about a result, until the next call. */
static const char *
messages(const struct launch_result *result, const char *program)
{
    static char text[2048];
    char path[] = "/tmp/aetius-launch-XXXXXX";
    const int file = mkstemp(path), kept = dup(STDERR_FILENO);
    memset(text, 0, sizeof text);
    fflush(stderr);
    dup2(file, STDERR_FILENO);
    const int status = launch_conclude(result, program);
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    assert_true(pread(file, text, sizeof text - 1, 0) >= 0);
    close(kept);
    close(file);
    unlink(path);
    assert_int_equal(status, result->failed || !result->connections ? EXIT_FAILED : EXIT_WELL);
    return text;
}

static bool
warns_of_shared_memory(const struct launch_result *result)
{
    const char *text = messages(result, "game");
    assert_int_equal(strstr(text, "game ended with signal 11") != NULL, result->failed);
    return strstr(text, "MIT-SHM") != NULL;
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

/* Only a Wine program that opened no window may have joined the desktop of a running Wine. */
static void
a_program_of_wine_without_a_window(void **state)
{
    const struct launch_result none = {.failed = true, .how = "exit status 1"};
    const struct launch_result drew = {.failed = true, .how = "exit status 1", .connections = 1};
    static const char hint[] = "wineserver --wait";
    (void)state;
    assert_non_null(strstr(messages(&none, "wine"), hint));
    assert_non_null(strstr(messages(&none, "/usr/bin/wine64"), hint));
    assert_null(strstr(messages(&none, "/opt/wine/game"), hint));
    assert_null(strstr(messages(&drew, "wine"), hint));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_crash_on_the_users_server),
        cmocka_unit_test(a_program_of_wine_without_a_window),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
