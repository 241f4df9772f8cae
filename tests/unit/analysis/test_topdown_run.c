/* The command `aetius topdown` with simulated runs: width of lines, modified tables, a single draw,
 * the summary of a run, and lost slots of shaders. */
#include "base/build.h"

#include "rigs/topdown_json.h"
#include "rigs/command.h" /* after the project's headers: cmocka.h defines a macro fail() */

#include <stdlib.h>
#include <string.h>

#define GOLDEN    AETIUS_SOURCE_DIR "/tests/golden/"
#define WORKLOADS GOLDEN "workloads.trace"
#define BOUND     GOLDEN "bound.trace"

static char dir[] = "/tmp/aetius-topdown-XXXXXX";
static struct command_result cmd;

static void
simulate(const char *trace, const char *frames, const char *run, const char *setting)
{
    char path[64];
    snprintf(path, sizeof path, "%s/%s", dir, run);
    RUN(&cmd, "sim", trace, "--frames", frames, "-o", path, "--set", setting);
    assert_int_equal(cmd.status, 0);
}

/* Runs topdown on the run. */
static void
ask(const char *run, const char *a, const char *b)
{
    char path[64];
    snprintf(path, sizeof path, "%s/%s", dir, run);
    RUN(&cmd, "topdown", path, a, b);
}

static void
lines_fit(void **state)
{
    static const char *const widths[] = {"60", "80", "120"};
    static const char *const options[] = {"--all", "--over-time", "--draws", "--diff"};
    char other[64];
    (void)state;
    snprintf(other, sizeof other, "%s/branch", dir);
    for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++) {
        setenv("COLUMNS", widths[w], 1);
        for (size_t o = 0; o < sizeof options / sizeof options[0]; o++) {
            ask("mixed", options[o], !strcmp(options[o], "--diff") ? other : NULL);
            assert_int_equal(cmd.status, 0);
            const size_t longest = longest_line(cmd.out);
            if (longest > strtoul(widths[w], NULL, 10))
                fail_msg("%s: a line of %zu in %s columns\n%s", options[o], longest, widths[w],
                         cmd.out);
        }
    }
    /* a note lists omitted columns; important columns are never omitted */
    setenv("COLUMNS", "60", 1);
    ask("mixed", "--over-time", NULL);
    assert_non_null(strstr(cmd.out, "bound by"));
    assert_non_null(strstr(cmd.out, "omitted because the terminal is too narrow"));
    unsetenv("COLUMNS");
    ask("mixed", "--over-time", NULL);
    assert_null(strstr(cmd.out, "left out"));
}

/* Increments a cell in the first row of the table, and runs topdown on the changed run. */
static void
change(const char *table, const char *column)
{
    run_shell("rm -rf %s/changed && cp -r %s/mixed %s/changed", dir, dir, dir);
    run_shell(
        "gzip -dc %s/mixed/%s | awk -F, -v OFS=, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "
        "\"%s\") c = i; if (!c) exit 1 } NR == 2 { $c++ } { print }' | gzip >%s/changed/%s",
        dir, table, column, dir, table);
    ask("changed", NULL, NULL);
}

static void
changed_tables_are_refused(void **state)
{
    static const struct {
        const char *table, *column, *message;
    } cells[] = {
        {"stats.frames.csv.gz", "cycles", "cycles is"},
        {"stats.frames.csv.gz", "shader.issue_cycles", "shader.issue_cycles is"},
        {"stats.frames.csv.gz", "lost.show", "lost.show is"},
        {"stats.draws.csv.gz", "lost.show", "lost.show is"},
        {"stats.draws.csv.gz", "zstencil.passes", "zstencil.passes is"},
        {"stats.draws.csv.gz", "cycles", "in its tables"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
        change(cells[i].table, cells[i].column);
        if (cmd.status != 1 || !strstr(cmd.err, cells[i].message) || *cmd.out ||
            strchr(cmd.err, '\n') != cmd.err + strlen(cmd.err) - 1)
            fail_msg("%s of %s: %d\n%s%s", cells[i].column, cells[i].table, cmd.status, cmd.out,
                     cmd.err);
    }
    /* without a table of draws, topdown checks against run.json */
    run_shell("rm %s/mixed/stats.draws*", dir);
    ask("mixed", NULL, NULL);
    assert_int_equal(cmd.status, 0);
    change("stats.frames.csv.gz", "shader.issue_cycles");
    assert_int_equal(cmd.status, 1);
    assert_non_null(strstr(cmd.err, "bound_shader is"));
    change("stats.frames.csv.gz", "cycles");
    assert_int_equal(cmd.status, 1);
    assert_non_null(strstr(cmd.err, "frame 5 has"));
}

/* The end of an interval cuts the critical path, so short intervals give a note. */
static void
short_intervals_are_reported(void **state)
{
    (void)state;
    simulate(BOUND, "2", "short", "SIMULATOR.StatisticsRate=1000");
    ask("short", NULL, NULL);
    assert_non_null(strstr(cmd.out, "intervals of 1000 cycles split work in flight"));
    ask("branch", NULL, NULL);
    assert_null(strstr(cmd.out, "split work in flight"));
}

/* topdown accepts the names of draws that `aetius draws` prints. */
static void
draws_have_places(void **state)
{
    (void)state;
    ask("mixed", "--draw", "6:3");
    assert_int_equal(cmd.status, 0);
    assert_non_null(strstr(cmd.out, "cycles in a draw of 1 frame\n"));
    ask("mixed", "--draw", "8");
    assert_int_equal(cmd.status, 0); /* frame 5 has no such draw */
    ask("mixed", "--draw", "1");
    assert_int_equal(cmd.status, 1);
    assert_non_null(strstr(cmd.err, "several frames have a draw 1"));
    ask("mixed", "--draw", "7:3");
    assert_int_equal(cmd.status, 1);
    ask("mixed", "--draw", "6:");
    assert_int_equal(cmd.status, 1);
    assert_non_null(strstr(cmd.err, "expected FRAME:DRAW"));
}

/* The summary of the run equals the output of topdown, by draw and by frame. */
static void
summary_agrees(void **state)
{
    static const char *const settings[] = {"SIMULATOR.PerBatchStatistics=TRUE",
                                           "SIMULATOR.PerBatchStatistics=FALSE"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        char first[128] = "", pair[128] = "";
        simulate(WORKLOADS, "4-6", i ? "by-frame" : "by-draw", settings[i]);
        const char *line = strstr(cmd.out, "bound by ");
        assert_non_null(line);
        snprintf(first, sizeof first, "%.*s", (int)(strstr(line, " without") - line), line);
        assert_non_null(line = strstr(cmd.out, "\ntogether, "));
        snprintf(pair, sizeof pair, "%.*s", (int)(strstr(line, " without") - line), line);
        ask(i ? "by-frame" : "by-draw", NULL, NULL);
        if (!strstr(cmd.out, first) || !strstr(cmd.out, pair))
            fail_msg("the summary says: %s%s\n%s", first, pair, cmd.out);
    }
}

/* Returns the share before the first "%" in the line that begins with `what`, or -1 if there is no
 * such line. */
static double
share_after(const char *text, const char *what)
{
    const char *line = strstr(text, what), *end = line ? strchr(line, '%') : NULL;
    if (!end)
        return -1;
    for (end -= 2; end > line && end[-1] != ' '; end--)
        ;
    return strtod(end, NULL);
}

/* The charge of a resource equals the value of its branch in the tree. This also holds if the
 * resource removes causes of another resource, or has no causes. */
static void
charges_are_those_of_the_tree(void **state)
{
    (void)state;
    simulate(BOUND, "1", "texels", "SHADER.Mode=timed");
    ask("texels", NULL, NULL);
    assert_non_null(strstr(cmd.out, "bound by texture: "));
    assert_true(share_after(cmd.out, "\n  texture ") > 0);
    assert_true(share_after(cmd.out, "\n    bandwidth ") > 0);
    assert_true(share_after(cmd.out, "bound by texture: ") == share_after(cmd.out, "\n  texture "));
    assert_non_null(strstr(cmd.out, "% at most"));
    simulate(WORKLOADS, "4", "drained", "SHADER.Mode=timed");
    ask("drained", NULL, NULL);
    assert_non_null(strstr(cmd.out, "bound by drain: no cycle is attributed to it; "));
}

/* Lost slots of a program with divergent lanes, and of one that waits for texels. */
static void
slots_have_verdicts(void **state)
{
    (void)state;
    ask("branch", NULL, NULL);
    assert_non_null(strstr(cmd.out, "largest loss in divergence > branch > diverged"));
    simulate(BOUND, "1", "chase", "SHADER.Mode=timed");
    ask("chase", NULL, NULL);
    assert_non_null(strstr(cmd.out, "largest loss in backend > memory_bound > texels"));
}

/* The mark in the tree is explained if the verdict is another resource, and only then. */
static void
mark_is_explained(void **state)
{
    (void)state;
    ask("drained", NULL, NULL);
    assert_non_null(strstr(cmd.out,
                           "the largest cause in the largest branch; the verdict is drain, "
                           "the resource with the largest expected gain\n"));
    ask("branch", NULL, NULL);
    assert_non_null(strstr(cmd.out, "bound by shader: "));
    assert_non_null(strstr(cmd.out, "<=="));
    assert_null(strstr(cmd.out, "<== marks"));
}

/* Value of a cause in a run, or in one of its draws. */
static double
cause_in(const char *run, const char *draw, const char *cause)
{
    char path[64];
    snprintf(path, sizeof path, "%s/%s", dir, run);
    cJSON *json = draw ? TOPDOWN_JSON(path, "--draw", draw) : TOPDOWN_JSON(path);
    const double value = topdown_value(cJSON_GetObjectItem(json, "tree"), cause);
    cJSON_Delete(json);
    return value;
}

/* The grown causes and draws have the differences of their values, largest first. */
static void
check_growth(const char *run_a, const char *run_b)
{
    char a[64], b[64];
    double last = 1e18;
    snprintf(a, sizeof a, "%s/%s", dir, run_a);
    snprintf(b, sizeof b, "%s/%s", dir, run_b);
    cJSON *json = TOPDOWN_JSON(a, "--diff", b);
    const cJSON *grew = cJSON_GetObjectItem(json, "grew"), *cause, *draw;
    assert_true(cJSON_GetArraySize(grew) > 0);
    cJSON_ArrayForEach(cause, grew)
    {
        const char *name = cJSON_GetObjectItem(cause, "name")->valuestring;
        const double cycles = cJSON_GetObjectItem(cause, "cycles")->valuedouble;
        assert_true(cycles > 0 && cycles <= last);
        assert_true(cycles == cause_in(run_b, NULL, name) - cause_in(run_a, NULL, name));
        last = cycles;
        double last_draw = 1e18;
        assert_true(cJSON_GetArraySize(cJSON_GetObjectItem(cause, "draws")) > 0);
        cJSON_ArrayForEach(draw, cJSON_GetObjectItem(cause, "draws"))
        {
            const char *at = cJSON_GetObjectItem(draw, "draw")->valuestring;
            const double more = cJSON_GetObjectItem(draw, "cycles")->valuedouble;
            assert_true(more > 0 && more <= last_draw);
            if (strchr(at, ':')) /* otherwise, several rows may have this name */
                assert_true(more == cause_in(run_b, at, name) - cause_in(run_a, at, name));
            last_draw = more;
        }
    }
    cJSON_Delete(json);
}

/* With two channels instead of eight, or without overlapping uploads. The latter has fewer rows
 * between draws. */
static void
growth_is_the_difference(void **state)
{
    char a[64], b[64];
    (void)state;
    simulate(WORKLOADS, "0-1", "wide", "MEMORYCONTROLLER.V2MemoryChannels=8");
    simulate(WORKLOADS, "0-1", "slow", "MEMORYCONTROLLER.V2MemoryChannels=2");
    simulate(WORKLOADS, "0-1", "serial", "COMMANDPROCESSOR.UploadsInFlight=0");
    check_growth("wide", "slow");
    check_growth("wide", "serial");
    snprintf(a, sizeof a, "%s/wide", dir);
    snprintf(b, sizeof b, "%s/slow", dir);
    RUN(&cmd, "topdown", a, "--diff", b);
    assert_non_null(strstr(cmd.out, "cycles more than a (+"));
    assert_non_null(strstr(cmd.out, "draws where it grew most"));
    assert_non_null(strstr(cmd.out, "\n  bandwidth_"));
    /* runs with another draw, or of other frames, have causes only */
    run_shell("cp -r %s/slow %s/other && gzip -dc %s/slow/stats.draws.csv.gz | awk -F, -v OFS=, '"
              "NR == 1 { for (i = 1; i <= NF; i++) if ($i == \"hash\") c = i } "
              "NR > 1 && $c && !n++ { $c = \"0000000000000000\" } { print }' | "
              "gzip >%s/other/stats.draws.csv.gz",
              dir, dir, dir, dir);
    static const char *const others[] = {"other", "branch"};
    for (size_t i = 0; i < 2; i++) {
        snprintf(b, sizeof b, "%s/%s", dir, others[i]);
        RUN(&cmd, "topdown", a, "--diff", b);
        assert_int_equal(cmd.status, 0);
        assert_non_null(strstr(cmd.out, "\n  cause "));
        assert_null(strstr(cmd.out, "draws where it grew most"));
    }
    /* a run has no growth over itself */
    RUN(&cmd, "topdown", a, "--diff", a);
    assert_non_null(strstr(cmd.out, "b takes 0 cycles more than a (+0.0 %); no cause grew\n"));
}

static int
begin(void **state)
{
    (void)state;
    unsetenv("COLUMNS"); /* output to a file has no line width */
    if (!mkdtemp(dir))
        return 1;
    simulate(WORKLOADS, "5-6", "mixed", "SHADER.Mode=timed");
    simulate(BOUND, "2", "branch", "SHADER.Mode=timed");
    return 0;
}

static int
end(void **state)
{
    (void)state;
    run_shell("rm -r %s", dir);
    return 0;
}

int
main(int argc, char **argv)
{
    aetius = argc > 1 ? argv[1] : "build/aetius";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_fit),
        cmocka_unit_test(draws_have_places),
        cmocka_unit_test(short_intervals_are_reported),
        cmocka_unit_test(changed_tables_are_refused),
        cmocka_unit_test(summary_agrees),
        cmocka_unit_test(slots_have_verdicts),
        cmocka_unit_test(charges_are_those_of_the_tree),
        cmocka_unit_test(mark_is_explained), /* reads a run of the test before */
        cmocka_unit_test(growth_is_the_difference),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
