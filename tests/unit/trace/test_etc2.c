/* The texels of ETC2 and EAC textures in a program of OpenGL ES 3.0, compared with a decoder by the
 * program (tests/gl/etc2.c), with and without timing. */
#include "rigs/command.h"

static const char *program;

static void
texels_agree(void **state)
{
    static const char *const modes[] = {"--functional", "--preset=reference-2008"};
    static struct command_result cmd;
    (void)state;
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        RUN(&cmd, "run", modes[i], "--gl", "es3", "--", program);
        if (cmd.status || !strstr(cmd.out, "all texels of 10 formats agree"))
            fail_msg("%s: %s%s", modes[i], cmd.out, cmd.err);
    }
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(texels_agree)};
    if (argc != 3) {
        fprintf(stderr, "usage: test_etc2 AETIUS ETC2\n");
        return 2;
    }
    aetius = argv[1];
    program = argv[2];
    return cmocka_run_group_tests_name("etc2", tests, NULL, NULL);
}
