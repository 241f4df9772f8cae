/* Limits on regressions: their exact meaning, and the result of a comparison. */
#include "report/compare/regression_limits.h"

#include "base/build.h"
#include "base/file.h"
#include "rigs/needs.h"

#include "rigs/command.h" /* after the project's headers: cmocka.h defines a macro fail() */
#include "report/run/run_json.h"
#include "rigs/folder.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define TINY      AETIUS_SOURCE_DIR "/tests/golden/tiny.trace"
#define WORKLOADS AETIUS_SOURCE_DIR "/tests/golden/workloads.trace"

static char dir[] = "/tmp/aetius-gate-XXXXXX";

/* Counts down calls that change a folder. The process exits before the last one, as if killed. */
enum { KILLED = 99 };
static int steps_left; /* 0: no limit */

static void
step(void)
{
    if (steps_left && --steps_left == 0)
        _exit(KILLED);
}

int
rename(const char *from, const char *to)
{
    step();
    return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

int
unlink(const char *path)
{
    step();
    return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

int
unlinkat(int dir_fd, const char *path, int flags)
{
    step();
    return (int)syscall(SYS_unlinkat, dir_fd, path, flags);
}

int
mkdir(const char *path, mode_t mode)
{
    step();
    return mkdirat(AT_FDCWD, path, mode);
}

int
rmdir(const char *path)
{
    step();
    return (int)syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR);
}

static struct run_comparison
runs_of(double a, double b)
{
    static struct stat_move moves[1];
    moves[0] = (struct stat_move){"unit.things", (uint64_t)a, (uint64_t)b, 0};
    return (struct run_comparison){.moves = moves,
                                   .move_count = 1,
                                   .cycles_a = a,
                                   .cycles_b = b,
                                   .frames_a = 2,
                                   .frames_b = 2,
                                   .complete_a = true,
                                   .complete_b = true};
}

/* A value equal to a limit is permitted; only a larger one exceeds it. */
static void
test_limits(void **state)
{
    static const struct {
        const char *limit;
        double a, b;
        uint64_t pixels;
        bool exceeded;
    } cases[] = {
        {"cycles=2%", 100, 102, 0, false},      {"cycles=2%", 100, 103, 0, true},
        {"cycles=2%", 1000, 1021, 0, true},     {"cycles=0%", 100, 100, 0, false},
        {"cycles=0%", 100, 101, 0, true},       {"cycles=2%", 100, 50, 0, false},
        {"cycles=3", 100, 103, 0, false},       {"cycles=3", 100, 104, 0, true},
        {"cycles=5%", 0, 0, 0, false},          {"cycles=5%", 0, 1, 0, true},
        {"unit.things=1%", 200, 202, 0, false}, {"unit.things=1%", 200, 203, 0, true},
        {"pictures=0", 1, 1, 0, false},         {"pictures=0", 1, 1, 1, true},
        {"pictures=5", 1, 1, 5, false},         {"cycles=50%,pictures=0", 100, 140, 2, true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct run_comparison runs = runs_of(cases[i].a, cases[i].b);
        const struct regression_pictures pictures = {cases[i].pixels, 2, 0};
        struct regression_limits regression = {0};
        struct error err;
        assert_true(regression_limits_parse(&regression, cases[i].limit, &err));
        assert_true(regression_limits_check_runs(&regression, &runs, &pictures, &err));
        if ((regression.exceeded > 0) != cases[i].exceeded)
            fail_msg("%s: %g to %g, %u pixels", cases[i].limit, cases[i].a, cases[i].b,
                     (unsigned)cases[i].pixels);
        regression_limits_fini(&regression);
    }
}

static void
test_wrong_limits(void **state)
{
    static const char *const wrong[] = {"",           "cycles",      "cycles=",    "=2%",
                                        "cycles=x",   "cycles=2%%",  "cycles=-1%", "cycles=nan",
                                        "cycles=2%,", "pictures=1%", "cycles=inf"};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct regression_limits regression = {0};
        struct error err;
        if (regression_limits_parse(&regression, wrong[i], &err))
            fail_msg("'%s' is taken for a limit", wrong[i]);
    }
}

/* A comparison of runs that cannot be compared fails. */
static void
test_not_comparable(void **state)
{
    const struct regression_pictures none = {0}, all = {0, 2, 0}, one = {0, 1, 1};
    struct run_comparison runs = runs_of(100, 100);
    struct regression_limits regression = {0};
    struct error err;
    (void)state;
    assert_true(regression_limits_parse(&regression, "cycles=1%,pictures=0", &err));
    assert_false(regression_limits_check_runs(&regression, &runs, &one, &err));
    assert_non_null(strstr(err.text, "only in one"));
    assert_false(regression_limits_check_runs(&regression, &runs, &none, &err));
    assert_non_null(strstr(err.text, "no pictures"));
    snprintf(runs.unlike, sizeof runs.unlike, "of the programs a and b");
    assert_false(regression_limits_check_runs(&regression, &runs, &all, &err));
    assert_non_null(strstr(err.text, "of the programs a and b"));
    regression.across = true;
    assert_true(regression_limits_check_runs(&regression, &runs, &all, &err));
    runs.complete_b = false;
    assert_false(regression_limits_check_runs(&regression, &runs, &all, &err));
    regression_limits_fini(&regression);
    runs = runs_of(100, 100);
    assert_true(regression_limits_parse(&regression, "unit.nothing=1%", &err));
    assert_false(regression_limits_check_runs(&regression, &runs, &none, &err));
    assert_non_null(strstr(err.text, "unit.nothing"));
    regression_limits_fini(&regression);
}

static char *
path_of(const char *name)
{
    return mem_printf("%s/%s", dir, name);
}

/* Checks the exit status and the reports of the command, and that a baseline is kept and renewed.
 */
static void
test_command(void **state)
{
    static struct command_result cmd;
    char *a = path_of("a"), *b = path_of("b"), *base = path_of("base"), *xml = path_of("gate.xml");
    char *markdown = path_of("gate.md"), *text;
    size_t size;
    struct error err;
    (void)state;
    RUN(&cmd, "sim", TINY, "-o", a);
    RUN(&cmd, "sim", TINY, "--set", "GPU.NumFragmentShaders=1", "-o", b);
    assert_int_equal(cmd.status, 0);
    RUN(&cmd, "compare", a, a, "--fail-over", "cycles=0,pictures=0", "--per-draw");
    assert_int_equal(cmd.status, 0);
    RUN(&cmd, "compare", base, a, "--renew");
    assert_int_equal(cmd.status, 0);
    assert_non_null(strstr(cmd.err, "the baseline is now a copy of"));
    RUN(&cmd, "compare", base, b, "--fail-over", "cycles=1%,pictures=0", "--per-draw", "--junit",
        xml, "--markdown", markdown, "--json");
    assert_int_equal(cmd.status, 3);
    cJSON *json = cJSON_Parse(cmd.out);
    assert_non_null(json);
    const cJSON *regression = cJSON_GetObjectItem(json, "gate");
    assert_true(cJSON_IsTrue(cJSON_GetObjectItem(regression, "exceeded")));
    /* the cycles and pictures of the runs, and the cycles of the 18 draws in both */
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(regression, "checks")), 2 + 18);
    assert_true(cJSON_GetArraySize(cJSON_GetObjectItem(json, "statistics")) > 500);
    cJSON_Delete(json);
    assert_true(file_read(xml, SIZE_MAX, &text, &size, &err));
    assert_non_null(strstr(text, "tests=\"20\""));
    assert_non_null(strstr(text, "<failure message="));
    free(text);
    assert_true(file_read(markdown, SIZE_MAX, &text, &size, &err));
    assert_non_null(strstr(text, "| **exceeded** | `cycles` "));
    free(text);
    RUN(&cmd, "compare", base, b, "--renew");
    assert_int_equal(cmd.status, 0);
    RUN(&cmd, "compare", base, b, "--fail-over", "cycles=0,pictures=0", "--per-draw");
    assert_int_equal(cmd.status, 0);
    RUN(&cmd, "compare", "--help");
    assert_non_null(strstr(cmd.out, "2 usage error, 3 --fail-over limit exceeded;"));
    RUN(&cmd, "compare", a, b, "--fail-over", "nothing=1%");
    assert_int_equal(cmd.status, 1);
    RUN(&cmd, "compare", a, b, "--fail-over", "memctl.byte_read=1%");
    assert_int_equal(cmd.status, 1);
    assert_non_null(strstr(cmd.err, "did you mean memctl.bytes_read?"));
    RUN(&cmd, "compare", a, b, "--fail-over", "cycels=1%");
    assert_non_null(strstr(cmd.err, "did you mean cycles?"));
    RUN(&cmd, "compare", dir, b, "--fail-over", "cycles=1%");
    assert_int_equal(cmd.status, 1);
    assert_non_null(strstr(cmd.err, "is not a run folder"));
    RUN(&cmd, "compare", a, a, "--fail-over", "cycles=1%");
    assert_non_null(strstr(cmd.out, "frame-0001.png"));
    assert_non_null(strstr(cmd.out, "18 before, 18 now; 18 the same, 0 changed, 0 new, 0 gone"));
    assert_true(strstr(cmd.out, "gate: held") > strstr(cmd.out, "frame-0001.png"));
    assert_string_equal(cmd.out + strlen(cmd.out) - 11, "gate: held\n"); /* the last line */
    RUN(&cmd, "compare", a, b, "--fail-over", "cycles");
    assert_int_equal(cmd.status, 2);
    assert_non_null(strstr(cmd.err, "expected NAME=NUMBER"));
    /* a figure that is invalid in both runs is not "unchanged" */
    static const char *const facts[][2] = {
        {"{\"cycles\":1e999,\"frames\":1}", "cycles is not a number"},
        {"{\"cycles\":\"1\",\"frames\":1}", "cycles is not a number"},
        {"{\"cycles\":1}", "frames is not a number"},
        {"{\"cycles\":1,\"frames\":1,\"metrics\":{\"time\":\"0x10\"}}", "time is not a number"},
        {"{\"cycles\":1,\"frames\":1,\"metrics\":{\"time\":-1e999}}", "time is not a number"},
    };
    char *odd = path_of("odd"), *of_odd = path_of("odd/run.json");
    assert_true(dir_create(odd, &err));
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        assert_true(file_write(of_odd, facts[i][0], strlen(facts[i][0]), &err));
        RUN(&cmd, "compare", b, odd);
        assert_int_equal(cmd.status, 1);
        assert_non_null(strstr(cmd.err, facts[i][1]));
    }
    free(odd);
    free(of_odd);
    /* a folder with other files is refused as a baseline */
    char *mine = path_of("mine"), *file = path_of("mine/thesis.tex");
    assert_true(dir_create(mine, &err) && file_write(file, "x", 1, &err));
    RUN(&cmd, "compare", mine, b, "--renew");
    assert_int_equal(cmd.status, 1);
    free(mine);
    free(file);
    free(a);
    free(b);
    free(base);
    free(xml);
    free(markdown);
}

/* If the runs cannot be compared, the reports contain the reason. Otherwise an older report could
 * be mistaken for the new one. */
static void
test_reports_of_failure(void **state)
{
    static struct command_result cmd;
    char *run = path_of("there"), *none = path_of("no<n>e"), *text;
    char *xml = path_of("older.xml"), *markdown = path_of("older.md");
    size_t size;
    struct error err;
    (void)state;
    RUN(&cmd, "sim", TINY, "-o", run);
    RUN(&cmd, "compare", run, run, "--fail-over", "cycles=0", "--junit", xml, "--markdown",
        markdown);
    assert_int_equal(cmd.status, 0);
    RUN(&cmd, "compare", run, none, "--fail-over", "cycles=0", "--junit", xml, "--markdown",
        markdown);
    assert_int_equal(cmd.status, 1);
    assert_non_null(strstr(cmd.err, " does not exist"));
    assert_true(file_read(xml, SIZE_MAX, &text, &size, &err));
    assert_non_null(strstr(text, "errors=\"1\""));
    assert_non_null(strstr(text, "<error message=\""));
    assert_non_null(strstr(text, "no&lt;n&gt;e does not exist\"/></testcase>"));
    free(text);
    assert_true(file_read(markdown, SIZE_MAX, &text, &size, &err));
    assert_non_null(strstr(text, " does not exist"));
    free(text);
    free(run);
    free(none);
    free(xml);
    free(markdown);
}

static void
edit(const char *path, const char *from, const char *to)
{
    struct error err;
    char *text;
    size_t size;
    assert_true(file_read(path, SIZE_MAX, &text, &size, &err));
    char *at = strstr(text, from);
    assert_non_null(at);
    char *edited = mem_printf("%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    assert_true(file_write(path, edited, strlen(edited), &err));
    free(edited);
    free(text);
}

/* Some runs are compared only on request: runs of two programs, of different frames, of different
 * modes, or with no draw in common. */
static void
test_runs_that_are_not_alike(void **state)
{
    static const struct {
        const char *from, *to, *message;
    } edits[] = {
        {"\"program\":\t\"", "\"program\":\t\"other-", "of the programs "},
        {"\"frame\":\t0", "\"frame\":\t3", "of different frames, e.g. 0 and 3"},
        {"\"frames\":\t2", "\"frames\":\t1", "of 2 and 1 frames"},
        {"\"width\":\t", "\"width\":\t9", "of frames of "},
        {"\"timed\"", "\"functional\"", "timed and functional"},
    };
    static struct command_result cmd;
    char *a = path_of("like"), *b = path_of("unlike"), *json = path_of("unlike/run.json");
    char *frames = path_of("unlike/frames"), *away = path_of("frames-away");
    (void)state;
    RUN(&cmd, "sim", TINY, "-o", a);
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        RUN(&cmd, "sim", TINY, "-o", b, "--force");
        edit(json, edits[i].from, edits[i].to);
        RUN(&cmd, "compare", a, b, "--fail-over", "cycles=0");
        assert_int_equal(cmd.status, 1);
        assert_non_null(strstr(cmd.err, edits[i].message));
        assert_ptr_equal(strchr(cmd.err, '\n'), cmd.err + strlen(cmd.err) - 1);
        RUN(&cmd, "compare", a, b, "--fail-over", "cycles=0", "--across");
        assert_int_equal(cmd.status, 0);
    }
    /* the same program at another path */
    RUN(&cmd, "sim", TINY, "-o", b, "--force");
    edit(json, "\"program\":\t\"", "\"program\":\t\"/else/where/");
    RUN(&cmd, "compare", a, b, "--fail-over", "cycles=0,pictures=0");
    assert_int_equal(cmd.status, 0);
    /* only the limit of pictures needs pictures */
    assert_int_equal(rename(frames, away), 0);
    RUN(&cmd, "compare", a, b, "--fail-over", "cycles=0", "--per-draw");
    assert_int_equal(cmd.status, 0);
    RUN(&cmd, "compare", a, b, "--fail-over", "pictures=0");
    assert_int_equal(cmd.status, 1);
    RUN(&cmd, "sim", WORKLOADS, "--frames", "0", "-o", b, "--force");
    edit(json, "\"program\":\t\"workloads", "\"program\":\t\"tiny");
    RUN(&cmd, "compare", a, b, "--fail-over", "cycles=0");
    assert_int_equal(cmd.status, 1);
    free(a);
    free(b);
    free(json);
    free(frames);
    free(away);
}

/* A run.json may contain a value that is not an object. */
static void
test_no_object(void **state)
{
    static struct command_result cmd;
    struct error err = {""};
    char *run = path_of("list"), *json = path_of("list/run.json"), *page = path_of("list.html");
    (void)state;
    RUN(&cmd, "sim", TINY, "-o", run);
    assert_true(file_write(json, "[]", 2, &err));
    for (uint32_t i = 0; i < 2; i++) {
        if (i)
            RUN(&cmd, "compare", run, run);
        else
            RUN(&cmd, "report", run, "-o", page);
        assert_int_equal(cmd.status, 1);
        assert_non_null(strstr(cmd.err, "run.json does not describe a run"));
    }
    assert_false(file_exists(page));
    free(run);
    free(json);
    free(page);
}

/* A run of a later version is refused. */
static void
test_later_schema(void **state)
{
    static struct command_result cmd;
    char *run = path_of("later"), *json = path_of("later/run.json"), *is = path_of("earlier");
    (void)state;
    RUN(&cmd, "sim", TINY, "-o", run);
    RUN(&cmd, "sim", TINY, "-o", is);
    edit(json, "\"schema\":\t", "\"schema\":\t99");
    for (uint32_t i = 0; i < 3; i++) {
        if (i == 0)
            RUN(&cmd, "compare", run, is);
        else if (i == 1)
            RUN(&cmd, "compare", is, run, "--fail-over", "cycles=0");
        else
            RUN(&cmd, "compare", is, run, "--renew");
        assert_int_equal(cmd.status, 1);
        assert_non_null(strstr(cmd.err, "this aetius reads schemas up to"));
        assert_ptr_equal(strchr(cmd.err, '\n'), cmd.err + strlen(cmd.err) - 1);
    }
    free(run);
    free(json);
    free(is);
}

/* Both runs have draws, but no draw matches a draw of the other run. */
static void
test_draws_without_partner(void **state)
{
    const struct draws_join apart = {.draws_a = 3, .draws_b = 4, .only_a = 3, .only_b = 4};
    const struct draws_join one = {
        .draws_a = 3, .draws_b = 4, .changed = 1, .only_a = 2, .only_b = 3};
    const struct draws_join empty = {.draws_a = 0, .draws_b = 4, .only_b = 4};
    struct regression_limits regression = {0};
    struct error err;
    (void)state;
    assert_false(regression_limits_check_join(&regression, &apart, &err));
    assert_true(regression_limits_check_join(&regression, &one, &err));
    assert_true(regression_limits_check_join(&regression, &empty, &err));
    regression.across = true;
    assert_true(regression_limits_check_join(&regression, &apart, &err));
}

static char *
printed(const struct regression_limits *regression, const struct draws_join *join,
        void (*print)(const struct regression_limits *, const struct draws_join *, FILE *))
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    print(regression, join, out);
    fclose(out);
    return text;
}

static void
as_text(const struct regression_limits *regression, const struct draws_join *join, FILE *out)
{
    (void)join;
    regression_limits_print(regression, out);
}

static void
as_markdown(const struct regression_limits *regression, const struct draws_join *join, FILE *out)
{
    const struct run_comparison runs = {0};
    regression_limits_print_markdown(regression, &runs, join, out);
}

static void
as_junit(const struct regression_limits *regression, const struct draws_join *join, FILE *out)
{
    (void)join;
    regression_limits_print_junit(regression, out);
}

/* Every report contains the labels of draws and escapes special characters in them. */
static void
test_labels_in_reports(void **state)
{
    struct regression_limit limit = {"cycles", 1, true};
    struct regression_check check = {.limit = &limit,
                                     .where = "0:1 ab",
                                     .label = "a|b <i> `x` *y*\nz & \"q\"",
                                     .exceeded = true};
    const struct regression_limits regression = {.checks = {&check, 1, 1}, .exceeded = 1};
    const struct draw_row row = {.hash = "h",
                                 .vertex_program = "v",
                                 .fragment_program = "f",
                                 .label = "sky|box",
                                 .program_name = "<b>`p`"};
    struct draws_pair pair = {NULL, &row};
    const struct draws_join join = {.pairs = {&pair, 1, 1}, .draws_b = 1, .only_b = 1};
    (void)state;
    char *text = printed(&regression, &join, as_text), *xml = printed(&regression, &join, as_junit);
    char *markdown = printed(&regression, &join, as_markdown);
    assert_non_null(strstr(text, "draw 0:1 ab a|b <i>"));
    assert_non_null(
        strstr(xml, "name=\"cycles 0:1 ab a|b &lt;i&gt; `x` *y* z &amp; &quot;q&quot;\""));
    assert_non_null(
        strstr(markdown, "| draw 0:1 ab a\\|b &lt;i&gt; \\`x\\` \\*y\\* z &amp; \"q\" |\n"));
    assert_non_null(strstr(markdown, "| `v` `f`  | sky\\|box &lt;b&gt;\\`p\\` |\n"));
    free(text);
    free(xml);
    free(markdown);
}

/* A report can be written to an existing FIFO or device, which is not replaced. */
static void
test_reports_into_nodes(void **state)
{
    static struct command_result cmd;
    char *run = path_of("noded"), *fifo = path_of("fifo"), *null = path_of("null");
    char *full = path_of("full"), start[6] = "";
    const struct {
        const char *option, *start;
    } into[] = {{"--junit", "<?xml"}, {"--markdown", "### A"}, {"--svg", "<?xml"}};
    struct stat st;
    (void)state;
    RUN(&cmd, "sim", TINY, "-o", run);
    assert_int_equal(mkfifo(fifo, 0600) | symlink("/dev/null", null), 0);
    assert_int_equal(symlink("/dev/full", full), 0);
    for (size_t i = 0; i < sizeof into / sizeof *into; i++) {
        const char *const paths[] = {fifo, null};
        if (!strcmp(into[i].option, "--svg") && !has_program("gnuplot"))
            continue;
        const int reader = open(fifo, O_RDWR | O_NONBLOCK);
        assert_int_equal(fcntl(reader, F_SETPIPE_SZ, 1 << 18) < 1 << 18, 0);
        for (size_t p = 0; p < 2; p++) {
            if (!strcmp(into[i].option, "--svg"))
                RUN(&cmd, "topdown", run, into[i].option, paths[p]);
            else
                RUN(&cmd, "compare", run, run, "--fail-over", "cycles=0", into[i].option, paths[p]);
            assert_int_equal(cmd.status, 0);
        }
        assert_int_equal(read(reader, start, 5), 5);
        assert_string_equal(start, into[i].start);
        close(reader);
        assert_true(!lstat(fifo, &st) && S_ISFIFO(st.st_mode));
        assert_true(!lstat(null, &st) && S_ISLNK(st.st_mode));
    }
    RUN(&cmd, "compare", run, run, "--fail-over", "cycles=0", "--junit", full);
    assert_int_equal(cmd.status, 1);
    free(run);
    free(fifo);
    free(null);
    free(full);
}

static bool
same_files(const char *a, const char *b)
{
    char *command = mem_printf("cmp -s %s %s", a, b);
    const bool same = !system(command);
    free(command);
    return same;
}

/* A renewal that fails leaves both folders unchanged. */
static void
test_renewal_keeps_what_it_cannot_replace(void **state)
{
    static struct command_result cmd;
    char *run = path_of("own"), *link = path_of("link"), *base = path_of("kept");
    char *picture = path_of("own/frames/frame-0000.png"), *kept = path_of("kept.png");
    char *old = path_of("kept/frames/frame-0000.png"), *table = path_of("own/stats.frames.csv.gz");
    char *frames = path_of("kept/frames"), *away = path_of("away");
    char *part = path_of("kept/renewal.part");
    struct error err;
    (void)state;
    RUN(&cmd, "sim", TINY, "-o", run);
    RUN(&cmd, "compare", base, run, "--renew");
    assert_int_equal(cmd.status, 0);
    char *bytes;
    size_t size;
    assert_true(file_read(picture, SIZE_MAX, &bytes, &size, &err) &&
                file_write(kept, bytes, size, &err));
    free(bytes);
    RUN(&cmd, "compare", run, run, "--renew");
    assert_int_equal(cmd.status, 1);
    assert_non_null(strstr(cmd.err, "are the same folder"));
    assert_int_equal(symlink(run, link), 0);
    RUN(&cmd, "compare", link, run, "--renew");
    assert_int_equal(cmd.status, 1);
    assert_true(same_files(picture, kept));
    /* the last file to copy is missing, so nothing has been replaced yet */
    assert_true(file_write(picture, "x", 1, &err) && !unlink(table));
    RUN(&cmd, "compare", base, run, "--renew");
    assert_int_equal(cmd.status, 1);
    assert_true(same_files(old, kept));
    /* a symbolic link must not make the command write outside the baseline */
    assert_int_equal(rename(frames, away), 0);
    assert_int_equal(symlink(away, frames), 0);
    RUN(&cmd, "compare", base, run, "--renew");
    assert_int_equal(cmd.status, 1);
    assert_non_null(strstr(cmd.err, "kept/frames is not a folder"));
    assert_int_equal(unlink(frames), 0);
    assert_int_equal(rename(away, frames), 0);
    /* a symbolic link in place of the copy is removed, not followed */
    RUN(&cmd, "sim", TINY, "-o", run, "--force");
    assert_int_equal(mkdir(away, 0777), 0);
    assert_int_equal(symlink(away, part), 0);
    RUN(&cmd, "compare", base, run, "--renew");
    assert_int_equal(cmd.status, 0);
    assert_int_equal(rmdir(away), 0); /* empty */
    free(part);
    free(run);
    free(link);
    free(base);
    free(picture);
    free(kept);
    free(old);
    free(table);
    free(frames);
    free(away);
}

static bool
shell(const char *format, ...)
{
    char command[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(command, sizeof command, format, args);
    va_end(args);
    return !system(command);
}

/* Runs a renewal in a child process. The child exits before call number `steps` that changes the
 * folder. Returns whether the renewal was complete before that. */
static bool
renew_until(const char *base, const char *run, int steps)
{
    const pid_t child = fork();
    int status = 0;
    if (child == 0) {
        struct error err;
        steps_left = steps;
        _exit(baseline_renew(base, run, true, &err) ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != KILLED)
        fail_msg("a renewal of %d steps ended with %d", steps, WEXITSTATUS(status));
    return WEXITSTATUS(status) == 0;
}

/* Returns whether the folder has exactly the files of the run. Before, the folder had a whole run
 * with all its tables. */
static bool
is_copy_of(const char *base, const char *run)
{
    return shell("cd %s && test \"$(find . -type f | sort)\" = \"$(cd %s && ls -d ./frames/*.png "
                 "./machine.ini "
                 "./run.json ./stats.draws.csv.gz ./stats.frames.csv.gz ./notes | sort)\" && "
                 "for f in frames/*.png run.json machine.ini stats.*.gz; "
                 "do cmp -s $f %s/$f || exit 1; done && test ! -e renewal.part -a ! -e frames.part",
                 base, run, run);
}

/* A renewal that is killed at any step leaves the old run, the new one, or a folder that no command
 * accepts as a run. The next renewal completes it. */
static void
test_renewal_that_is_killed(void **state)
{
    static struct command_result cmd;
    char *old = path_of("whole"), *run = path_of("fresh"), *base = path_of("killed");
    bool done = false;
    uint32_t neither = 0;
    (void)state;
    RUN(&cmd, "sim", TINY, "--map", "overdraw", "--set", "SIMULATOR.PerBatchStatistics=FALSE", "-o",
        old);
    assert_int_equal(cmd.status, 0);
    RUN(&cmd, "sim", TINY, "--set", "GPU.NumFragmentShaders=1", "-o", run);
    assert_int_equal(cmd.status, 0);
    assert_true(shell("echo mine >%s/notes && echo mine >%s/notes", old, run));
    for (int steps = 1; !done; steps++) {
        assert_true(shell("rm -rf %s && cp -r %s %s", base, old, base));
        done = renew_until(base, run, steps);
        const bool is_new = shell("cmp -s %s/run.json %s/run.json", base, run);
        if (!is_run_folder(base)) {
            neither++;
            RUN(&cmd, "compare", base, run, "--fail-over", "cycles=0");
            assert_int_equal(cmd.status, 1);
            assert_non_null(strstr(cmd.err, "run it again"));
        } else if (!is_new &&
                   !shell("diff -rq -x renewal.part -x frames.part %s %s >/dev/null", base, old)) {
            fail_msg("%d steps leave neither run", steps);
        }
        assert_true(is_new || !done);
        assert_true(renew_until(base, run, 0));
        assert_true(is_copy_of(base, run));
    }
    assert_true(neither > 5);
    free(old);
    free(run);
    free(base);
}

/* An incomplete run is refused as a baseline. */
static void
test_renewal_from_a_part(void **state)
{
    static struct command_result cmd;
    char *run = path_of("cut"), *base = path_of("uncut"), *json = path_of("cut/run.json");
    (void)state;
    RUN(&cmd, "sim", TINY, "-o", run);
    edit(json, "\"complete\":\ttrue", "\"complete\":\tfalse");
    RUN(&cmd, "compare", base, run, "--renew");
    assert_int_equal(cmd.status, 1);
    assert_non_null(strstr(cmd.err, "is an incomplete run"));
    assert_false(file_exists(base));
    free(run);
    free(base);
    free(json);
}

/* Several runs are columns of the table. A parameter without effect is marked. */
static void
test_columns(void **state)
{
    static struct command_result cmd;
    char *runs[] = {path_of("c0"), path_of("c1"), path_of("c2")};
    (void)state;
    RUN(&cmd, "sim", TINY, "-o", runs[0]);
    RUN(&cmd, "sim", TINY, "--set", "GPU.ClockMHz=777", "-o", runs[1]);
    RUN(&cmd, "sim", TINY, "--set", "GPU.NumFragmentShaders=1", "-o", runs[2]);
    RUN(&cmd, "compare", runs[0], runs[1], runs[2], "--json");
    assert_int_equal(cmd.status, 0);
    cJSON *json = cJSON_Parse(cmd.out);
    const cJSON *clock = cJSON_GetObjectItem(cJSON_GetObjectItem(json, "machine"), "GPU.ClockMHz");
    assert_int_equal(cJSON_GetArraySize(clock), 3);
    assert_string_equal(cJSON_GetArrayItem(clock, 1)->valuestring, "777");
    assert_string_equal(cJSON_GetArrayItem(clock, 0)->valuestring,
                        cJSON_GetArrayItem(clock, 2)->valuestring);
    const cJSON *cycles = cJSON_GetObjectItem(json, "cycles");
    assert_true(cJSON_GetArrayItem(cycles, 0)->valuedouble ==
                cJSON_GetArrayItem(cycles, 1)->valuedouble);
    assert_true(cJSON_GetArrayItem(cycles, 2)->valuedouble >
                cJSON_GetArrayItem(cycles, 0)->valuedouble);
    cJSON_Delete(json);
    RUN(&cmd, "compare", runs[0], runs[1], runs[2]);
    assert_non_null(strstr(cmd.out, "no effect: the machine of "));
    RUN(&cmd, "compare", runs[0], runs[1]);
    assert_non_null(strstr(cmd.out, "no effect: the machines differ"));
    RUN(&cmd, "compare", runs[0], runs[2]);
    assert_null(strstr(cmd.out, "no effect"));
    for (size_t i = 0; i < 3; i++)
        free(runs[i]);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_wrong_limits),
        cmocka_unit_test(test_not_comparable),
        cmocka_unit_test(test_command),
        cmocka_unit_test(test_reports_of_failure),
        cmocka_unit_test(test_runs_that_are_not_alike),
        cmocka_unit_test(test_no_object),
        cmocka_unit_test(test_later_schema),
        cmocka_unit_test(test_draws_without_partner),
        cmocka_unit_test(test_labels_in_reports),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_reports_into_nodes),
        cmocka_unit_test(test_renewal_keeps_what_it_cannot_replace),
        cmocka_unit_test(test_renewal_that_is_killed),
        cmocka_unit_test(test_renewal_from_a_part),
    };
    aetius = argc > 1 ? argv[1] : "aetius";
    if (!mkdtemp(dir))
        return 2;
    const int failed = cmocka_run_group_tests_name("regression_limits", tests, NULL, NULL);
    return failed || !remove_folder(dir);
}
