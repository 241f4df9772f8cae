/* Each limit that OpenGL reports is accepted, and the next value is refused (tests/gl/limits.c),
 * with and without timing, with OpenGL 3.1 and 3.3. */
#include "base/mem.h"
#include "rigs/command.h"
#include "rigs/folder.h"
#include "rigs/needs.h"

static const char *program;
static char dir[] = "/tmp/aetius-limits-XXXXXX";

static void
limits_hold(void **state)
{
    static const char *const modes[] = {"--functional", "--preset=reference-2008"};
    static const struct {
        const char *gl, *report;
    } offers[] = {{"3.1", "all 21 limits hold"}, {"3.3", "all 25 limits hold"}};
    static struct command_result cmd;
    (void)state;
    if (!has_program("Xvfb"))
        skip();
    for (size_t i = 0; i < 4; i++) {
        RUN(&cmd, "run", modes[i / 2], "--gl", offers[i % 2].gl, "--", program);
        if (cmd.status || !strstr(cmd.out, offers[i % 2].report))
            fail_msg("%s, %s: %s%s", modes[i / 2], offers[i % 2].gl, cmd.out, cmd.err);
    }
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(limits_hold)};
    if (argc != 3 || !mkdtemp(dir)) {
        fprintf(stderr, "usage: test_limits AETIUS LIMITS\n");
        return 2;
    }
    aetius = argv[1];
    program = argv[2];
    const int failed = cmocka_run_group_tests_name("limits", tests, NULL, NULL);
    return failed || !remove_folder(dir);
}
