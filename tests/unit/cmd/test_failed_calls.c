/* Failures of allocations and of system calls, injected by a preloaded library
 * (rigs/failed_calls.c). A command ends with exit status 1 and one line, and leaves no temporary
 * file, or it succeeds with its usual output. */
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

/* Commands, and the file that they write (NULL: none). In a folder, the file may be complete
 * although the command fails. */
static const struct {
    const char *words[WORDS], *file;
    bool in_folder;
} calls[] = {
    {{"sim", TINY, "-o", "@g", "--force", "--frames", "0", "--capture-blocks", "--signals", "@s.gz",
      "--cycles", "1-99", "--perfetto", "@p"},
     "g/blocks.color",
     true},
    {{"trim", TINY, "--frames", "0", "-o", "@t", "--force"}, "t", false},
    {{"report", "@run", "-o", "@page", "--force"}, "page", false},
    {{"compare", "@base", "@run", "--renew"}, "base/run.json", false},
    {{"topdown", "@run", "--program", "all"}, NULL, false},
};

/* Returns the content of a file, or NULL. The caller frees it. */
static char *
content_of(const char *name, size_t *size)
{
    char *path = in_dir(name), *bytes = NULL;
    struct error err;
    if (!name || !file_read(path, FILE_MOST_TEXT, &bytes, size, &err))
        bytes = NULL;
    free(path);
    return bytes;
}

/* Runs the command with a fault. Returns its status. */
static int
check_call(size_t i, const char *fault, const char *usual, size_t usual_size)
{
    size_t size = 0;
    const int status = run_with(fault, calls[i].words);
    char *now = calls[i].file ? content_of(calls[i].file, &size) : NULL;
    if (status)
        check_one_line(status, calls[i].words[0], fault);
    if ((status == 0 || (now && !calls[i].in_folder)) && usual &&
        (!now || size != usual_size || memcmp(now, usual, size) != 0))
        fail_msg("%s, %s: status %d, but %s is %s", calls[i].words[0], fault, status, calls[i].file,
                 now ? "different" : "missing");
    free(now);
    return status;
}

/* An earlier complete output remains, or the new one is complete. */
static void
each_failed_call_is_one_line(void **state)
{
    static const char *const functions[] = {"write", "fclose", "rename", "fork",
                                            "open",  "mkdir",  "pipe"};
    unsigned failures = 0;
    (void)state;
    assert_int_equal(RUN("sim", TINY, "-o", "@run", "--force", "--shader-profile"), 0);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        size_t size = 0;
        assert_int_equal(await(start(calls[i].words, 0), 60000), 0);
        char *usual = calls[i].file ? content_of(calls[i].file, &size) : NULL;
        assert_true(usual || !calls[i].file);
        for (size_t f = 0; f < sizeof functions / sizeof *functions; f++)
            for (unsigned n = 1, successes = 0; successes < 2; n += 1 + n / 2) {
                char *fault = mem_printf("%s:%u", functions[f], n);
                const int status = check_call(i, fault, usual, size);
                failures += status != 0;
                successes = status ? 0 : successes + 1;
                free(fault);
            }
        free(usual);
    }
    assert_true(failures > 30);
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
        cmocka_unit_test(each_failed_call_is_one_line),
        cmocka_unit_test(no_temporary_file_remains),
    };
    if (argc < 3)
        return 2;
    library = argv[2];
    argv[2] = argv[3]; /* a pattern of test names, or NULL */
    return endings_main(argc - 1, argv, tests, sizeof tests / sizeof tests[0]);
}
