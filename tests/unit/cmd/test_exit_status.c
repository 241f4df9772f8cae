/* Every command has the exit statuses that its --help lists. test_signals checks those after
 * signals. */
#include "base/build.h"
#include "base/mem.h"
#include "rigs/command.h"
#include "rigs/folder.h"

#define TINY AETIUS_SOURCE_DIR "/tests/golden/tiny.trace"
#define ROWS AETIUS_SOURCE_DIR "/tests/golden/model-points.csv"

static char dir[] = "/tmp/aetius-exit-XXXXXX";

static const char *const commands[] = {
#define COMMAND(name, function, summary) #name,
#include "cmd/commands.def"
#undef COMMAND
};

/* Checks that --help succeeds, and that it lists status 3 if and only if the command has
 * --fail-over. */
static void
check_help(struct command_result *cmd, const char *name, const char *part)
{
    if (part)
        RUN(cmd, name, part, "--help");
    else
        RUN(cmd, name, "--help");
    assert_int_equal(cmd->status, 0);
    assert_non_null(strstr(cmd->out, "Exit status: 0 success, 1 failure, 2 usage error"));
    assert_non_null(strstr(cmd->out, "130 and 143 after SIGINT and SIGTERM"));
    if (!strstr(cmd->out, "--fail-over ") != !strstr(cmd->out, "2 usage error, 3 "))
        fail_msg("%s %s: --fail-over and exit status 3 are not both in --help", name,
                 part ? part : "");
}

static void
help_lists_status_3_with_limits(void **state)
{
    struct command_result *cmd = *state;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        check_help(cmd, commands[i], NULL);
    check_help(cmd, "model", "check");
    check_help(cmd, "model", "fit");
    check_help(cmd, "sweep", "query");
}

static void
unknown_options_are_usage_errors(void **state)
{
    struct command_result *cmd = *state;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        RUN(cmd, commands[i], "--no-such-option");
        if (cmd->status != 2)
            fail_msg("%s --no-such-option: exit status %d", commands[i], cmd->status);
    }
    RUN(cmd, "no-such-command");
    assert_int_equal(cmd->status, 2);
}

static void
missing_files_are_failures(void **state)
{
    static const char none[] = "/aetius-is-not-there";
    static const char *const words[][6] = {
        {"info", none},
        {"show", none, "draw", "0:0"},
        {"trim", none, "--frames=0", "-o", none},
        {"verify", none},
        {"draws", none},
        {"compare", none, none},
        {"topdown", none},
        {"compress", none},
        {"blocks", none},
        {"params", "--config", none},
        {"sweep", none},
        {"sweep", "status", none},
        {"model", "check", none, none},
    };
    struct command_result *cmd = *state;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        RUN(cmd, words[i][0], words[i][1], words[i][2], words[i][3], words[i][4]);
        if (cmd->status != 1)
            fail_msg("%s without its file: exit status %d", words[i][0], cmd->status);
    }
}

static void
exceeded_limits_have_status_3(void **state)
{
    struct command_result *cmd = *state;
    char *wide = mem_printf("%s/wide", dir), *narrow = mem_printf("%s/narrow", dir);
    char *model = mem_printf("%s/fit.model", dir);
    RUN(cmd, "sim", TINY, "-o", wide);
    assert_int_equal(cmd->status, 0);
    RUN(cmd, "sim", TINY, "-o", narrow, "--set", "GPU.NumFragmentShaders=1");
    RUN(cmd, "compare", wide, narrow, "--fail-over", "cycles=1%");
    assert_int_equal(cmd->status, 3);
    RUN(cmd, "compare", wide, wide, "--fail-over", "cycles=0");
    assert_int_equal(cmd->status, 0);
    RUN(cmd, "model", "fit", ROWS, "-o", model);
    assert_int_equal(cmd->status, 0);
    RUN(cmd, "model", "check", model, ROWS, "--fail-over", "0.0001");
    assert_int_equal(cmd->status, 3);
    free(model);
    free(narrow);
    free(wide);
}

int
main(int argc, char **argv)
{
    static struct command_result cmd;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(help_lists_status_3_with_limits, &cmd),
        cmocka_unit_test_prestate(unknown_options_are_usage_errors, &cmd),
        cmocka_unit_test_prestate(missing_files_are_failures, &cmd),
        cmocka_unit_test_prestate(exceeded_limits_have_status_3, &cmd),
    };
    aetius = argc > 1 ? argv[1] : "build/aetius";
    assert_non_null(mkdtemp(dir));
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    const bool removed = remove_folder(dir);
    return failed || !removed;
}
