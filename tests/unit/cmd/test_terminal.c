/* Run summaries and their terminal layout: width and color. */
#include "base/build.h"
#include "base/mem.h"
#include "rigs/command.h"
#include "rigs/folder.h"

#include <ctype.h>
#include <fcntl.h>
#include <pty.h>

#define TRACE AETIUS_SOURCE_DIR "/tests/golden/tiny.trace" /* two frames of nine equal draws */

static struct command_result cmd;
static char dir[] = "/tmp/aetius-terminal-XXXXXX", run[64];

/* Runs aetius on a terminal of this width. cmd.out gets its output, without carriage returns. */
static void
on_terminal(unsigned short columns, const char *const *words)
{
    const struct winsize size = {.ws_row = 50, .ws_col = columns};
    char *argv[16] = {mem_strdup(aetius)};
    int fd;
    size_t n = 0;
    for (size_t i = 0; words[i]; i++)
        argv[i + 1] = mem_strdup(words[i]);
    const pid_t child = forkpty(&fd, NULL, NULL, &size);
    if (child == 0) {
        setenv("TERM", "xterm", 1);
        execv(aetius, argv);
        _exit(127);
    }
    for (char c; n + 1 < sizeof cmd.out && read(fd, &c, 1) == 1;)
        if (c != '\r')
            cmd.out[n++] = c;
    cmd.out[n] = '\0';
    close(fd);
    assert_int_equal(waitpid(child, &cmd.status, 0), child);
    for (size_t i = 0; argv[i]; i++)
        free(argv[i]);
}
#define TERMINAL(columns, ...) on_terminal(columns, (const char *const[]){__VA_ARGS__, NULL})

/* Removes escape sequences for color. */
static void
remove_color(char *text)
{
    char *to = text;
    for (const char *from = text; *from; from++)
        if (!strncmp(from, "\033[", 2))
            from += strcspn(from, "m");
        else
            *to++ = *from;
    *to = '\0';
}

static int
begin(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(dir));
    snprintf(run, sizeof run, "%s/run", dir);
    unsetenv("COLUMNS");
    unsetenv("NO_COLOR");
    RUN(&cmd, "sim", TRACE, "-o", run);
    assert_int_equal(cmd.status, 0);
    return 0;
}

static int
end(void **state)
{
    (void)state;
    return !remove_folder(dir);
}

/* Number of rows of the table with this title: the lines below its head. */
static uint32_t
rows_below(const char *text, const char *title)
{
    const char *at = strstr(text, title);
    uint32_t rows = 0;
    assert_non_null(at);
    for (at = strchr(at, '\n') + 1; !strncmp(at, "  ", 2); at = strchr(at, '\n') + 1)
        rows++;
    return rows - 1;
}

/* A summary starts with the verdict, followed by five draws and the next command. */
static void
check_summary(const char *next)
{
    char *line = mem_printf("\nnext: aetius %s", next);
    const char *draws = strstr(cmd.out, "\nmost expensive draws\n"), *last = strstr(cmd.out, line);
    assert_int_equal(cmd.status, 0);
    assert_int_equal(strncmp(cmd.out, "bound by ", 9), 0);
    assert_int_equal(rows_below(cmd.out, "most expensive draws"), 5);
    assert_true(draws && last && draws < last);
    free(line);
}

static void
summaries_lead_with_the_verdict(void **state)
{
    char *other = mem_printf("%s/other", dir);
    (void)state;
    RUN(&cmd, "sim", TRACE, "-o", other);
    check_summary("topdown ");
    assert_non_null(strstr(cmd.out, "2 frames of 128x128"));
    RUN(&cmd, "topdown", run);
    check_summary("topdown ");
    assert_non_null(strstr(cmd.out, " --prove\npage: aetius open "));
    assert_true(strstr(cmd.out, "\nnext: ") < strstr(cmd.out, "fragment_issue"));
    RUN(&cmd, "stats", run);
    check_summary("topdown ");
    RUN(&cmd, "topdown", run, "--draw", "0:4");
    assert_int_equal(strncmp(cmd.out, "bound by ", 9), 0);
    assert_null(strstr(cmd.out, "most expensive draws"));
    free(other);
}

/* `sim`, `stats` and `topdown` name the same resources that hide each other. */
static void
summaries_name_the_same_group(void **state)
{
    (void)state;
    static const char *const commands[] = {"stats", "topdown"};
    char *pace = mem_printf("%s/pace", dir);
    RUN(&cmd, "sim", AETIUS_SOURCE_DIR "/tests/golden/pace.trace", "--preset", "reference-2008",
        "--frames", "1", "-o", pace);
    const char *group = strstr(cmd.out, "\ntogether, ");
    assert_non_null(group);
    char *line = strndup(group, strcspn(group + 1, "\n") + 1);
    assert_non_null(strstr(line, " and ")); /* more than two */
    assert_non_null(strstr(strstr(line, ", ") + 2, ", "));
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        RUN(&cmd, commands[i], pace);
        assert_non_null(strstr(cmd.out, line));
    }
    free(line);
    free(pace);
}

/* Programs with many draws are named below the most expensive draws: two frames of four textured
 * draws. */
static void
large_groups_are_named(void **state)
{
    (void)state;
    RUN(&cmd, "draws", run, "--group", "program", "--csv");
    char programs[64] = "";
    unsigned count = 0;
    double share = 0;
    /* schema,work,name,count,frame,draw,hash,cycles,share */
    const char *row = strchr(cmd.out, '\n') + 1;
    assert_int_equal(
        sscanf(row, "%*d,draw,%63[^,],%u,%*d,%*d,%*[^,],%*f,%lf", programs, &count, &share), 3);
    char *line = mem_printf("\n%u draws with programs %s: %.1f %% of the cycles (`aetius draws %s ",
                            count, programs, share, run);
    RUN(&cmd, "stats", run);
    if (!strstr(cmd.out, line))
        fail_msg("'%s' is not in\n%s", line, cmd.out);
    free(line);
}

/* The states of the units are printed only on request. The percentages of a unit's states add up to
 * 100 %. */
static void
units_are_printed_on_request(void **state)
{
    char *other = mem_printf("%s/units", dir);
    double shares[4];
    (void)state;
    RUN(&cmd, "stats", run);
    assert_null(strstr(cmd.out, "starved"));
    RUN(&cmd, "sim", TRACE, "-o", other, "--units");
    char *units = strstr(cmd.out, "% of cycles");
    assert_non_null(units);
    assert_non_null(strstr(cmd.out, "hits: vertex cache "));
    assert_int_equal(sscanf(strstr(units, "clipper") + 7, "%lf%lf%lf%lf", &shares[0], &shares[1],
                            &shares[2], &shares[3]),
                     4);
    RUN(&cmd, "stats", run, "--units");
    units = strstr(cmd.out, "% of cycles");
    assert_non_null(units);
    for (uint32_t i = 0; i < 4; i++) {
        double same = -1;
        char *end_of_name = strstr(units, "clipper") + 7;
        for (uint32_t k = 0; k <= i; k++)
            same = strtod(end_of_name, &end_of_name);
        assert_true(same == shares[i]);
    }
    assert_true(shares[0] + shares[1] + shares[2] + shares[3] > 99.7);
    RUN(&cmd, "stats", "--units");
    assert_int_equal(cmd.status, 2);
    RUN(&cmd, "stats", run, "--preset", "g70-like");
    assert_int_equal(cmd.status, 2);
    free(other);
}

/* The sum of a column over the draws of a CSV list, and the number of draws. */
static double
sum_of_draws(const char *csv, const char *hash, uint32_t *count)
{
    double sum = 0;
    *count = 0;
    for (const char *at = strchr(csv, '\n'); at && at[1]; at = strchr(at + 1, '\n')) {
        double cycles;
        char *line = mem_printf("%.*s", (int)strcspn(at + 1, "\n"), at + 1);
        if (strstr(line, hash) && sscanf(line, "%*d,%*d,%*d,draw,%lf", &cycles) == 1) {
            sum += cycles;
            ++*count;
        }
        free(line);
    }
    return sum;
}

/* In text output, identical draws from several frames share one row. CSV, and --group draw, list
 * each draw. */
static void
draws_of_frames_are_grouped(void **state)
{
    char hash[17] = "";
    uint32_t count, frames = 0;
    double cycles = 0;
    (void)state;
    RUN(&cmd, "draws", run, "--csv");
    /* the draw of points occurs once in each frame */
    const char *points = strstr(cmd.out, ",points,");
    while (points > cmd.out && points[-1] != '\n')
        points--;
    assert_int_equal(sscanf(points, "%*d,%*d,%*d,draw,%*f,%*f,%*f,%*f,%*f,%*f,%*[a-z],%16s", hash),
                     1);
    hash[16] = '\0';
    const double sum = sum_of_draws(cmd.out, hash, &count);
    assert_int_equal(count, 2);
    RUN(&cmd, "draws", run);
    const char *row = strstr(cmd.out, "  points 128");
    assert_non_null(row);
    assert_null(strstr(row + 1, "  points 128"));
    while (row > cmd.out && row[-1] != '\n')
        row--;
    assert_int_equal(sscanf(row, " %*u:%*u %u %lf", &frames, &cycles), 2);
    assert_int_equal(frames, 2);
    assert_true(cycles == sum);
    assert_int_equal(rows_below(cmd.out, "") + 1, 9 + 5); /* draws; work between draws, total */
    RUN(&cmd, "draws", run, "--frame", "1");
    assert_null(strstr(cmd.out, "frames"));
    assert_non_null(strstr(cmd.out, "\n  1:8 "));
    RUN(&cmd, "draws", run, "--group", "draw");
    assert_non_null(strstr(cmd.out, "\n  0:8 "));
    assert_non_null(strstr(cmd.out, "\n  1:8 "));
    RUN(&cmd, "draws", run, "--group", "hash");
    assert_int_equal(cmd.status, 2);
}

/* Tables fit the terminal. Other lines also fit, except lines without spaces. */
static void
tables_fit_the_terminal(void **state)
{
    static const unsigned short widths[] = {80, 120, 200};
    char *other = mem_printf("%s/width", dir);
    const char *const commands[][7] = {{"draws", run},
                                       {"stats", run, "--units"},
                                       {"topdown", run},
                                       {"sim", TRACE, "-o", other, "--force", "--units"},
                                       {"draws", run, "--group", "program"}};
    (void)state;
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
        for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
            on_terminal(widths[w], commands[i]);
            assert_int_equal(cmd.status, 0);
            remove_color(cmd.out);
            if (longest_line(cmd.out) > widths[w])
                fail_msg("%s: a line of %zu in %u\n%s", commands[i][0], longest_line(cmd.out),
                         widths[w], cmd.out);
            if (strstr(cmd.out, "most expensive draws")) /* each in one line */
                assert_int_equal(rows_below(cmd.out, "most expensive draws"), 5);
            assert_non_null(strstr(cmd.out, i == 4 ? "group" : "0:4 "));
        }
    free(other);
    TERMINAL(80, "draws", run);
    assert_non_null(strstr(cmd.out, "omitted because the terminal is too narrow"));
    TERMINAL(200, "draws", run);
    assert_null(strstr(cmd.out, "omitted"));
    assert_non_null(strstr(cmd.out, "tex miss"));
}

/* Lists of a trace, of parameters and of statistics fit narrow terminals: 80 columns, and 60. */
static void
lists_fit_narrow_terminals(void **state)
{
    static const unsigned short widths[] = {80, 60};
    static const char *const commands[][5] = {{"params"},
                                              {"stats"},
                                              {"info", TRACE, "--draws"},
                                              {"info", TRACE, "--commands"},
                                              {"show", TRACE, "program"},
                                              {"show", TRACE, "program", "330a"},
                                              {"explain", "cycles"}};
    (void)state;
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
        for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
            on_terminal(widths[w], commands[i]);
            assert_int_equal(cmd.status, 0);
            remove_color(cmd.out);
            if (longest_line(cmd.out) > widths[w])
                fail_msg("%s: a line of %zu in %u\n%s", commands[i][0], longest_line(cmd.out),
                         widths[w], cmd.out);
        }
}

/* Color is used only on a terminal, and only if NO_COLOR is not set. The verdict is red. */
static void
color_is_for_terminals(void **state)
{
    (void)state;
    TERMINAL(100, "stats", run);
    assert_int_equal(strncmp(cmd.out, "\033[1;31mbound by ", 16), 0);
    TERMINAL(100, "topdown", run);
    assert_int_equal(strncmp(cmd.out, "\033[1;31mbound by ", 16), 0);
    TERMINAL(100, "stats", "/nowhere");
    assert_int_equal(strncmp(cmd.out, "\033[1;31maetius: \033[0m/nowhere", 24), 0);
    setenv("NO_COLOR", "1", 1);
    TERMINAL(100, "stats", run);
    assert_int_equal(strncmp(cmd.out, "bound by ", 9), 0);
    assert_null(strchr(cmd.out, '\033'));
    TERMINAL(100, "topdown", run);
    assert_null(strchr(cmd.out, '\033'));
    unsetenv("NO_COLOR");
    RUN(&cmd, "topdown", run);
    assert_null(strchr(cmd.out, '\033'));
    RUN(&cmd, "stats", "/nowhere");
    assert_null(strchr(cmd.err, '\033'));
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(summaries_lead_with_the_verdict),
        cmocka_unit_test(units_are_printed_on_request),
        cmocka_unit_test(draws_of_frames_are_grouped),
        cmocka_unit_test(summaries_name_the_same_group),
        cmocka_unit_test(large_groups_are_named),
        cmocka_unit_test(tables_fit_the_terminal),
        cmocka_unit_test(lists_fit_narrow_terminals),
        cmocka_unit_test(color_is_for_terminals),
    };
    aetius = argc > 1 ? argv[1] : "build/aetius";
    return cmocka_run_group_tests(tests, begin, end);
}
