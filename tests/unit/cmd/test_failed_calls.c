/* Failures of allocations and ftruncate(), injected by a preloaded library (rigs/failed_calls.c). A
 * command ends with exit status 1 and one line, and leaves no temporary file. */
#include "rigs/endings.h"

static const char *library;

/* Runs aetius with the Nth call failing: "malloc:17". */
static int
run_with(const char *fault, const char *const *words)
{
    setenv("AETIUS_FAULT", fault, 1);
    setenv("LD_PRELOAD", library, 1);
    const pid_t child = start(words, 0);
    unsetenv("LD_PRELOAD");
    unsetenv("AETIUS_FAULT");
    return await(child, 60000);
}

static void
check_one_line(int status, const char *command, const char *fault)
{
    char *err = file_text("err"), *end = strchr(err, '\n');
    if (status != 1 || strncmp(err, "aetius: ", 8) || !end || end[1])
        fail_msg("%s, %s: status %d, '%s'", command, fault, status, err);
    free(err);
}

/* A library can do without some allocations, for example without the buffer of a stream. More
 * successes in a row show that the command makes fewer calls. */
enum { TOLERATED = 4 };

/* Later calls are tested in larger steps. */
static void
each_failed_allocation_is_one_line(void **state)
{
    static const char *const commands[][WORDS] = {
        {"sim", TINY, "-o", "@simulated", "--force"},
        {"open", TINY, "--no-browser", "--force", "-o", "@opened.html", "--jobs", "1"},
        {"report", "@run", "-o", "@page.html", "--force"},
        {"show", TINY, "draw", "0:0", "-o", "@shown", "--force"},
        {"show", TINY, "program"},
        {"topdown", "@run"},
        {"draws", "@run"},
    };
    (void)state;
    assert_int_equal(RUN("sim", TINY, "-o", "@run"), 0);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        unsigned failures = 0, successes = 0;
        for (unsigned n = 1; successes < TOLERATED; n += 1 + n / 6) {
            char *fault = mem_printf("malloc:%u", n);
            const int status = run_with(fault, commands[i]);
            if (status)
                check_one_line(status, commands[i][0], fault);
            failures += status != 0;
            successes = status ? 0 : successes + 1;
            free(fault);
        }
        assert_true(failures > 20);
    }
}

static void
no_temporary_file_remains(void **state)
{
    static const char *const writers[][WORDS] = {
        {"trim", TINY, "--frames", "0", "-o", "@cut"},
        {"report", "@run", "-o", "@cut"},
        {"model", "from-datasheet", "clock=1e9", "pipes=4", "-o", "@cut"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
        check_one_line(run_with("ftruncate:1", writers[i]), writers[i][0], "ftruncate");
        assert_true(reports("Disk quota exceeded"));
        assert_false(is_there("cut") || is_there("cut.part") || is_there("cut.unfinished"));
    }
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_failed_allocation_is_one_line),
        cmocka_unit_test(no_temporary_file_remains),
    };
    if (argc != 3)
        return 2;
    library = argv[2];
    return endings_main(2, argv, tests, sizeof tests / sizeof tests[0]);
}
