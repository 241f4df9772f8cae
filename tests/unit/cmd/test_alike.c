/* All commands behave alike. An invalid command line causes exit status 2 and a two-line message:
 * the error and the usage. An unusable input file, an existing output or a full disk causes exit
 * status 1 and a one-line message that begins with "aetius: ". No output file remains, and an
 * existing one is unchanged. Each command of commands.def has at least one line in `uses`. */
#include "rigs/endings.h"
#include "rigs/needs.h"

#define BLOCKS AETIUS_SOURCE_DIR "/tests/golden/x0.blocks.color"
#define CSV    AETIUS_SOURCE_DIR "/tests/golden/model-points.csv"

enum {
    NEEDS_X = 1,        /* starts Xvfb */
    NEEDS_APITRACE = 2, /* runs apitrace */
    TAKES_EMPTY = 4,    /* an empty file is valid */
    TAKES_NONE = 8,     /* the command may have no arguments */
    NEEDS_GNUPLOT = 16, /* draws with gnuplot */
    NEEDS_BENCH = 64,   /* runs the micro-benchmarks of benchmarks/gl */
    PRINTS_TOO = 32,    /* prints a summary, also if its output cannot be written */
};

/* Word lists. FILE is the input, OUT is the output. */
static const struct use {
    const char *command;
    const char *reads;  /* fails if FILE is missing, a folder, empty or a PNG file; or NULL */
    const char *writes; /* overwrites OUT, a file, only with --force; or NULL */
    const char *prints; /* succeeds, and writes to standard output; or NULL */
    uint32_t flags;
} uses[] = {
    {"run", "--functional -- ./FILE", NULL, NULL, NEEDS_X},
    {"capture", "-o OUT -- ./FILE", "-o OUT -- true", NULL, NEEDS_X},
    {"import", "FILE -o OUT", NULL, NULL, NEEDS_APITRACE},
    {"info", "FILE", NULL, "info " TINY, 0},
    {"show", "FILE draw 0:0 -o OUT", NULL, "show " TINY " draw 0:0", 0},
    {"trim", "FILE --frames 0 -o OUT", TINY " --frames 0 -o OUT", NULL, 0},
    {"replay", "FILE -o OUT", NULL, NULL, 0},
    {"sim", "FILE -o OUT", NULL, "sim " TINY " --frames 0 -o printed --force", 0},
    {"sim", "FILE -o OUT --perfetto timeline", NULL, NULL, 0},
    {"sim", NULL, TINY " -o written --perfetto OUT", NULL, PRINTS_TOO},
    {"sim", NULL, TINY " -o written --cycles 1-9 --signals OUT", NULL, PRINTS_TOO},
    {"sim", TINY " -o OUT --config FILE", NULL, NULL, TAKES_EMPTY},
    {"sample", "FILE -o OUT", TINY " -o OUT", NULL, 0},
    {"draws", "FILE", NULL, "draws run", 0},
    {"verify", "FILE", NULL, "verify " TINY, 0},
    {"compare", "FILE run", NULL, "compare run run", 0},
    {"compare", "run FILE", NULL, NULL, 0},
    {"params", "--config FILE", NULL, "params", TAKES_EMPTY | TAKES_NONE},
    {"stats", "--sql FILE", NULL, "stats", TAKES_NONE},
    {"diagram", "--config FILE -o out.svg", NULL, "diagram", TAKES_EMPTY | TAKES_NONE},
    {"diagram", NULL, "--dot -o OUT", NULL, TAKES_NONE},
    {"explain", "FILE", NULL, "explain cycles", TAKES_EMPTY}, /* `empty` is a word */
    {"topdown", "FILE", NULL, "topdown run", 0},
    {"topdown", "FILE --nvprof", NULL, NULL, 0},
    {"topdown", NULL, "run --svg OUT", NULL, NEEDS_GNUPLOT | PRINTS_TOO},
    {"whatif", "FILE --front-to-back", NULL, "whatif " TINY " --front-to-back", 0},
    {"open", "FILE --no-browser", NULL, NULL, 0},
    {"report", "FILE -o OUT", NULL, NULL, 0},
    {"blocks", "FILE", "- -o OUT", "blocks " BLOCKS, 0},
    {"compress", "FILE", NULL, "compress " BLOCKS, 0},
    {"study", "compression --plan FILE -o OUT", NULL, NULL, 0},
    {"sweep", "FILE -o OUT", NULL, NULL, 0},
    {"sweep", "query FILE runs", NULL, NULL, 0},
    {"sweep", "status FILE", NULL, NULL, 0},
    {"doctor", NULL, NULL, NULL, TAKES_NONE},
    {"model", "fit FILE -o OUT", "fit " CSV " -o OUT", NULL, 0},
    {"model", "check FILE " CSV, NULL, "model check model " CSV, 0},
    {"model", "check model FILE", NULL, NULL, 0},
    {"model", "predict FILE", NULL, NULL, 0},
    {"model", NULL, "from-datasheet clock=1e9 pipes=4 -o OUT", NULL, 0},
    {"model", NULL, "template -o OUT", NULL, NEEDS_BENCH},
};

static const char *const commands[] = {
#define COMMAND(name, function, summary) #name,
#include "cmd/commands.def"
#undef COMMAND
};

enum { USES = sizeof uses / sizeof *uses, COMMANDS = sizeof commands / sizeof *commands };

static bool
has_bench(void)
{
    const char *slash = strrchr(aetius, '/');
    char *path = mem_printf("%.*s/benchmarks/gl/model", (int)(slash - aetius), aetius);
    const bool has = file_exists(path);
    free(path);
    return has;
}

static bool
can_run(const struct use *use)
{
    return (!(use->flags & NEEDS_X) || has_program("Xvfb")) &&
           (!(use->flags & NEEDS_APITRACE) || has_program("apitrace")) &&
           (!(use->flags & NEEDS_BENCH) || has_bench()) &&
           (!(use->flags & NEEDS_GNUPLOT) || has_program("gnuplot"));
}

/* Runs the command with the words of `text`, in which `file` replaces FILE. Returns the status. */
static int
run_words(const char *command, const char *text, const char *file)
{
    const char *words[WORDS] = {command};
    uint32_t count = 1;
    char *copy = mem_strdup(text), *rest = copy;
    for (char *word; count + 1 < WORDS && (word = strsep(&rest, " "));)
        if (*word) {
            char *at = strstr(word, "FILE");
            words[count++] = at ? mem_printf("%.*s%s", (int)(at - word), word, file)
                                : mem_strdup(strcmp(word, "OUT") ? word : "out-file");
        }
    const int status = await(start(words, 0), 60000);
    for (uint32_t i = 1; i < count; i++)
        free((char *)words[i]);
    free(copy);
    return status;
}

/* Checks the status, and that standard error has `lines` lines, the first of which begins with
 * `head`. Standard output must be empty. */
static void
expect(int status, int expected, uint32_t lines, const char *head, const char *what,
       const char *file)
{
    char *err = file_text("err"), *out = file_text("out");
    uint32_t count = 0;
    for (const char *at = err; (at = strchr(at, '\n')); at++)
        count++;
    if (status != expected || count != lines || strncmp(err, head, strlen(head)) || *out)
        fail_msg("%s (%s): status %d, standard error '%s', standard output '%.80s'", what, file,
                 status, err, out);
    free(err);
    free(out);
}

static int
set_up(void **state)
{
    struct error err;
    uint8_t white[16];
    struct picture picture = {2, 2, false, white};
    (void)state;
    memset(white, 255, sizeof white);
    char *png = in_dir("png"), *folder = in_dir("folder"), *full = in_dir("full");
    assert_true(picture_write_png(&picture, png, &err));
    put_text("empty", "");
    assert_true(dir_create(folder, &err));
    assert_int_equal(symlink("/dev/full", full), 0);
    assert_int_equal(RUN("sim", TINY, "--frames", "0", "-o", "run"), 0);
    assert_int_equal(RUN("model", "fit", CSV, "-o", "model"), 0);
    free(png);
    free(folder);
    free(full);
    return 0;
}

static void
each_command_has_a_use(void **state)
{
    (void)state;
    for (uint32_t c = 0; c < COMMANDS; c++) {
        bool found = false;
        for (uint32_t u = 0; u < USES; u++)
            found = found || !strcmp(uses[u].command, commands[c]);
        if (!found)
            fail_msg("%s is not in the table `uses`", commands[c]);
    }
}

static void
wrong_options_are_usage_errors(void **state)
{
    (void)state;
    for (uint32_t u = 0; u < USES; u++) {
        char *head = mem_printf("aetius %s: ", uses[u].command);
        expect(run_words(uses[u].command, "--no-such-option", ""), 2, 2, head, uses[u].command,
               "unknown option");
        if (!(uses[u].flags & TAKES_NONE))
            expect(run_words(uses[u].command, "", ""), 2, 2, head, uses[u].command, "no arguments");
        free(head);
    }
}

/* A misspelled option gets the nearest name. A missing value is described. */
static void
options_are_suggested(void **state)
{
    (void)state;
    expect(run_words("sim", TINY " --preste=g70-like", ""), 2, 2,
           "aetius sim: unknown option '--preste=g70-like'; did you mean --preset?\n", "sim",
           "--preste");
    expect(run_words("sim", TINY " --map", ""), 2, 2,
           "aetius sim: --map requires a value: MODE,... (write fragment maps", "sim", "--map");
    assert_true(reports("color, overdraw, latency, shader, culled"));
}

/* An option that would have no effect is refused. */
static void
idle_options_are_usage_errors(void **state)
{
    static const char *const idle[][2] = {{"diagram", "--codec hilo --preset g70-like"},
                                          {"compress", BLOCKS " --samples 4"},
                                          {"blocks", BLOCKS " --z"},
                                          {"compare", "run run --force"}};
    (void)state;
    for (size_t i = 0; i < sizeof idle / sizeof *idle; i++) {
        char *head = mem_printf("aetius %s: ", idle[i][0]);
        expect(run_words(idle[i][0], idle[i][1], ""), 2, 2, head, idle[i][0], idle[i][1]);
        free(head);
    }
}

static void
bad_inputs_are_refused(void **state)
{
    static const char *const files[] = {"missing", "folder", "empty", "png"};
    (void)state;
    for (uint32_t u = 0; u < USES; u++)
        for (uint32_t f = 0; f < sizeof files / sizeof *files; f++) {
            const bool is_valid = uses[u].flags & TAKES_EMPTY && !strcmp(files[f], "empty");
            if (!uses[u].reads || is_valid || !can_run(&uses[u]))
                continue;
            expect(run_words(uses[u].command, uses[u].reads, files[f]), 1, 1,
                   "aetius: ", uses[u].reads, files[f]);
            assert_false(is_there("out-file") || is_there("out.svg") || is_there("timeline"));
            assert_false(is_there("out-file.part") || is_there("out-file.unfinished"));
        }
}

/* Files that parse, but contain nothing to show. */
static void
empty_tables_are_refused(void **state)
{
    static const char *const tables[][2] = {{"header", "a,b\n"}, {"list", "[1,2]\n"}};
    (void)state;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        put_text(tables[i][0], tables[i][1]);
        expect(run_words("report", "FILE -o OUT", tables[i][0]), 1, 1,
               "aetius: ", "report FILE -o OUT", tables[i][0]);
        assert_false(is_there("out-file"));
    }
}

/* A message has each location once. */
static void
locations_appear_once(void **state)
{
    (void)state;
    expect(run_words("replay", TINY " --memory 280K -o out-file", ""), 1, 1,
           "aetius: frame 0, message 10 of client 1: PUT at dword 0: ", "replay", "little memory");
    assert_false(is_there("out-file"));
}

/* Every command that reads a run refuses one whose run.json is truncated. */
static void
truncated_runs_are_refused(void **state)
{
    static const char *const readers[][2] = {{"topdown", "FILE"},       {"draws", "FILE"},
                                             {"stats", "FILE"},         {"report", "FILE -o OUT"},
                                             {"show", "FILE draw 0:0"}, {"compare", "run FILE"}};
    (void)state;
    assert_int_equal(RUN("sim", TINY, "--frames", "0", "-o", "half"), 0);
    char *json = in_dir("half/run.json");
    assert_int_equal(truncate(json, 300), 0);
    free(json);
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        expect(run_words(readers[i][0], readers[i][1], "half"), 1, 1, "aetius: ", readers[i][0],
               "truncated run.json");
    assert_false(is_there("out-file"));
}

static void
existing_outputs_are_kept(void **state)
{
    (void)state;
    for (uint32_t u = 0; u < USES; u++) {
        if (!uses[u].writes || !can_run(&uses[u]))
            continue;
        put_text("out-file", "mine");
        expect(run_words(uses[u].command, uses[u].writes, ""), 1, 1, "aetius: ", uses[u].writes,
               "existing output");
        assert_true(reports("already exists"));
        assert_true(reports("--force overwrites it"));
        char *text = file_text("out-file"), *path = in_dir("out-file");
        assert_string_equal(text, "mine");
        unlink(path);
        free(path);
        free(text);
    }
}

/* Outputs that are folders. */
static void
existing_folders_are_kept(void **state)
{
    (void)state;
    assert_int_equal(RUN("show", TINY, "draw", "0:0", "-o", "shown"), 0);
    assert_int_equal(RUN("show", TINY, "draw", "0:1", "-o", "shown"), 1);
    assert_true(reports("shown/vertices.csv already exists; --force overwrites it"));
    assert_int_equal(RUN("show", TINY, "draw", "0:1", "-o", "shown", "-f"), 0);

    assert_int_equal(RUN("compare", "run", "run", "-o", "differences"), 0);
    assert_int_equal(RUN("compare", "run", "run", "-o", "differences"), 1);
    assert_true(reports("frame-0000.positive.png already exists; --force overwrites it"));
    assert_int_equal(RUN("compare", "run", "run", "-o", "differences", "-f"), 0);

    assert_int_equal(RUN("sim", TINY, "--frames", "1", "-o", "other"), 0);
    assert_int_equal(RUN("compare", "other", "run", "--renew"), 1);
    assert_true(reports("other is a run with all its tables, not a baseline; --force replaces it"));
    assert_true(is_there("other/stats.cycles.csv.gz"));
    assert_int_equal(RUN("compare", "other", "run", "--renew", "--force"), 0);
    assert_int_equal(RUN("compare", "other", "run", "--renew"), 0);
}

/* A full disk, at the output and at standard output. `full` is a link to /dev/full, which the
 * command must not replace. */
static void
full_disks_are_reported(void **state)
{
    char *full = in_dir("full");
    (void)state;
    for (uint32_t u = 0; u < USES; u++) {
        const struct use *use = &uses[u];
        struct stat st;
        if (use->writes && can_run(use) && strcmp(use->command, "capture") &&
            strcmp(use->command, "blocks")) {
            char *words = mem_strdup(use->writes), *at = strstr(words, "OUT");
            char *whole = mem_printf("%.*sfull --force", (int)(at - words), words);
            const int status = run_words(use->command, whole, "");
            if (use->flags & PRINTS_TOO)
                put_text("out", "");
            expect(status, 1, 1, "aetius: ", whole, "full disk");
            assert_true(!lstat(full, &st) && S_ISLNK(st.st_mode));
            free(whole);
            free(words);
        }
        if (use->prints) {
            char *command = mem_printf("cd %s && %s %s >/dev/full 2>err", dir, aetius, use->prints);
            const int status = system(command);
            assert_true(WIFEXITED(status));
            put_text("out", "");
            expect(WEXITSTATUS(status), 1, 1, "aetius: cannot write to standard output",
                   use->prints, "full standard output");
            free(command);
        }
    }
    assert_int_equal(RUN("sim", TINY, "-o", "run", "--force", "--perfetto", "full"), 1);
    assert_true(reports("cannot write full"));
    struct stat st;
    assert_true(!lstat(full, &st) && S_ISLNK(st.st_mode));
    free(full);
}

/* Under low shell limits, the message names the limit and the setting to change. */
static void
limits_are_named(void **state)
{
    (void)state;
#ifdef SANITIZED /* sanitizers use much more of both */
    skip();
#endif
    const struct {
        const char *limit, *says;
    } limits[] = {
        {"ulimit -v 2000000", "MEMORYCONTROLLER.MemoryGrows=FALSE reserves only the 192 MB"},
        {"ulimit -s 128", "at least 512 KB are required (`ulimit -s`)"},
    };
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        char *command = mem_printf("cd %s && %s && %s sim " TINY " -o limited 2>err", dir,
                                   limits[i].limit, aetius);
        const int status = system(command);
        assert_true(WIFEXITED(status));
        put_text("out", "");
        expect(WEXITSTATUS(status), 1, 1, "aetius: ", limits[i].limit, "sim");
        assert_true(reports(limits[i].says));
        free(command);
    }
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(each_command_has_a_use, set_up),
        cmocka_unit_test(wrong_options_are_usage_errors),
        cmocka_unit_test(options_are_suggested),
        cmocka_unit_test(idle_options_are_usage_errors),
        cmocka_unit_test(bad_inputs_are_refused),
        cmocka_unit_test(empty_tables_are_refused),
        cmocka_unit_test(locations_appear_once),
        cmocka_unit_test(truncated_runs_are_refused),
        cmocka_unit_test(existing_outputs_are_kept),
        cmocka_unit_test(existing_folders_are_kept),
        cmocka_unit_test(full_disks_are_reported),
        cmocka_unit_test(limits_are_named),
    };
    return endings_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
