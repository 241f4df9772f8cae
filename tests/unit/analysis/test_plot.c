/* Plots (analysis/plot.h): the stored data and script, the picture that gnuplot makes of them, and
 * the files that remain without gnuplot. */
#include "analysis/plot.h"
#include "base/file.h"
#include "rigs/needs.h"

#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static char dir[] = "/tmp/aetius-plot-XXXXXX";

/* Is not inline, because gcc 12 would then warn that it returns an address on its stack. */
static __attribute__((noinline)) char *
read_text(const char *name)
{
    char *path = mem_printf("%s/%s", dir, name), *text = NULL;
    struct error err;
    size_t size;
    if (!file_read(path, FILE_MOST_FACTS, &text, &size, &err))
        fail_msg("%s", err.text);
    free(path);
    return text;
}

/* The title contains special characters of gnuplot and XML. */
static void
make(struct plot *plot, enum plot_kind kind)
{
    plot_init(plot, kind, "it's `date` < \"x\" & y\nz", "MB");
    plot_add_series(plot, "one & two_3");
    plot_add_series(plot, "a\tb");
    if (kind <= PLOT_STACKED) {
        plot_add(plot, "first\n\"'", (double[]){8, 1});
        plot_add(plot, "END", (double[]){4, (double)NAN});
    } else if (kind == PLOT_MAP) { /* gnuplot warns of missing values in a map */
        plot_add(plot, "low", (double[]){8, 1});
        plot_add(plot, "high", (double[]){4, 2});
    } else {
        plot_add_at(plot, 1.5, (double[]){8, 1});
        plot_add_at(plot, 3, (double[]){4, (double)NAN});
    }
}

/* Finds the heights of the filled boxes, which are polygons in gnuplot's output. */
static uint32_t
box_heights(const char *svg, double *heights, uint32_t most)
{
    uint32_t count = 0;
    for (const char *at = strstr(svg, "gnuplot_plot_1"); at && count < most;) {
        double x[4], y[4];
        at = strstr(at, "points = '");
        if (!at)
            break;
        at += strlen("points = '");
        if (sscanf(at, "%lf,%lf %lf,%lf %lf,%lf", &x[0], &y[0], &x[1], &y[1], &x[2], &y[2]) == 6)
            heights[count++] = fmax(fmax(y[0], y[1]), y[2]) - fmin(fmin(y[0], y[1]), y[2]);
    }
    return count;
}

static void
bars_are_drawn_to_scale(void **state)
{
    struct plot plot;
    struct error err;
    double heights[16];
    needs_program("gnuplot");
    make(&plot, PLOT_BARS);
    plot.mark = 2;
    plot.note = "a note";
    assert_true(plot_write(&plot, dir, "bars", 0, &err));
    plot_fini(&plot);
    char *data = read_text("bars.dat"), *script = read_text("bars.gnuplot");
    char *svg = read_text("bars.svg");
    assert_string_equal(data,
                        "\"\"\t\"one & two_3\"\t\"a b\"\n\"first ''\"\t8\t1\n\"END\"\t4\t?\n");
    assert_non_null(strstr(script, "'it''s `date` < ''x'' & y z'"));
    assert_non_null(strstr(svg, "`date` &lt; 'x' &amp; y z"));
    assert_non_null(strstr(svg, "one &amp; two_3"));
    assert_non_null(strstr(svg, "a note"));
    /* the box of 8 is twice as high as that of 4 and eight times as high as that of 1; missing
     * values have no box */
    const uint32_t count = box_heights(svg, heights, 16);
    double eight = 0, four = 0, one = 0;
    for (uint32_t i = 0; i < count; i++)
        eight = fmax(eight, heights[i]);
    for (uint32_t i = 0; i < count; i++) {
        four = fabs(heights[i] - eight / 2) < 0.3 ? heights[i] : four;
        one = fabs(heights[i] - eight / 8) < 0.3 ? heights[i] : one;
    }
    assert_true(eight > 50 && four > 0 && one > 0);
    free(svg);
    /* the stored script reproduces the picture */
    char *command = mem_printf("cd %s && gnuplot -d bars.gnuplot >again.svg", dir);
    assert_int_equal(system(command), 0);
    free(command);
    char *again = read_text("again.svg");
    svg = read_text("bars.svg");
    assert_string_equal(again, svg);
    free(again);
    free(svg);
    free(script);
    free(data);
}

static bool
begins_with(const char *name, const void *bytes, size_t count)
{
    char *path = mem_printf("%s/%s", dir, name), *text = NULL;
    size_t size = 0;
    struct error err;
    const bool ok = file_read(path, FILE_MOST_TEXT, &text, &size, &err) && size > count &&
                    !memcmp(text, bytes, count);
    free(text);
    free(path);
    return ok;
}

/* The signatures are those of the PNG, PDF and EPS standards. */
static void
other_formats_are_drawn(void **state)
{
    struct plot plot;
    struct error err;
    needs_program("gnuplot");
    make(&plot, PLOT_STACKED);
    assert_true(
        plot_write(&plot, dir, "formats", 1u << PLOT_PNG | 1u << PLOT_PDF | 1u << PLOT_EPS, &err));
    plot_fini(&plot);
    assert_true(begins_with("formats.png", "\x89PNG\r\n\x1a\n", 8));
    assert_true(begins_with("formats.pdf", "%PDF-", 5));
    assert_true(begins_with("formats.eps", "%!PS-Adobe-3.0 EPSF-3.0", 23));
    char *svg = read_text("formats.svg");
    assert_non_null(strstr(svg, "</svg>"));
    free(svg);
}

/* gnuplot has no axis for such a plot: there is no picture, and no error. */
static void
plot_without_values_is_not_drawn(void **state)
{
    struct plot plot;
    struct error err;
    char *path = mem_printf("%s/empty.svg", dir);
    needs_program("gnuplot");
    plot_init(&plot, PLOT_BARS, "empty", "MB");
    plot_add_series(&plot, "a");
    plot_add(&plot, "row", (double[]){NAN});
    assert_true(plot_write(&plot, dir, "empty", 0, &err));
    plot_fini(&plot);
    assert_false(file_exists(path));
    free(path);
}

static void
every_kind_is_drawn(void **state)
{
    static const enum plot_kind kinds[] = {PLOT_BARS, PLOT_STACKED, PLOT_LINES, PLOT_POINTS,
                                           PLOT_MAP};
    needs_program("gnuplot");
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct plot plot;
        struct error err = {""};
        char *path = mem_printf("%s/kind.svg", dir);
        make(&plot, kinds[i]);
        plot.x_label = "place";
        plot.z_label = "heat";
        plot.extra = kinds[i] == PLOT_LINES || kinds[i] == PLOT_POINTS ? "set logscale x 2" : NULL;
        if (!plot_draw(&plot, path, &err))
            fail_msg("kind %zu: %s", i, err.text);
        char *svg = read_text("kind.svg");
        assert_non_null(strstr(svg, ">place<"));
        assert_non_null(strstr(svg, "one &amp; two_3"));
        assert_non_null(strstr(svg, "</svg>"));
        assert_int_equal(strstr(svg, ">heat<") != NULL, kinds[i] == PLOT_MAP);
        free(svg);
        free(path);
        plot.extra = "nonsense";
        assert_false(plot_draw(&plot, "/dev/null", &err));
        assert_non_null(strstr(err.text, "gnuplot failed: "));
        assert_non_null(strstr(err.text, "invalid command"));
        plot_fini(&plot);
    }
}

/* With a single position the axis has room around it, so gnuplot does not warn about an empty
 * range. */
static void
one_place_has_an_axis(void **state)
{
    static const struct {
        double place;
        const char *range;
    } cases[] = {{0, "set xrange [-0.5:0.5]\nset xtics (0)\n"}, {64, "set xrange [32:96]\n"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct plot plot;
        struct error err;
        char *path = mem_printf("%s/said", dir);
        plot_init(&plot, PLOT_LINES, "one", "MB");
        plot_add_series(&plot, "a");
        plot_add_at(&plot, cases[i].place, (double[]){0});
        fflush(stderr);
        const int old = dup(STDERR_FILENO), file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
        dup2(file, STDERR_FILENO);
        const bool ok = plot_write(&plot, dir, "place", 0, &err);
        dup2(old, STDERR_FILENO);
        close(old);
        close(file);
        plot_fini(&plot);
        assert_true(ok);
        char *text = read_text("said"), *script = read_text("place.gnuplot");
        assert_string_equal(text, "");
        assert_non_null(strstr(script, cases[i].range));
        free(script);
        free(text);
        free(path);
    }
}

static void
without_gnuplot_the_data_is_there(void **state)
{
    struct plot plot;
    struct error err = {""};
    char *path = strdup(getenv("PATH")), *svg = mem_printf("%s/none.svg", dir);
    make(&plot, PLOT_LINES);
    setenv("PATH", "/nowhere", 1);
    assert_true(plot_write(&plot, dir, "none", 0, &err));
    assert_false(file_exists(svg));
    assert_false(plot_draw(&plot, svg, &err));
    assert_string_equal(err.text, "gnuplot is not installed (Debian: gnuplot-nox)");
    setenv("PATH", path, 1);
    plot_fini(&plot);
    char *data = read_text("none.dat");
    assert_string_equal(data, "\"\"\t\"one & two_3\"\t\"a b\"\n1.5\t8\t1\n3\t4\t?\n");
    free(data);
    free(read_text("none.gnuplot"));
    free(svg);
    free(path);
}

static int
make_dir(void **state)
{
    return !mkdtemp(dir);
}

static int
remove_dir(void **state)
{
    dir_remove_files(dir, NULL);
    return 0;
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bars_are_drawn_to_scale),
        cmocka_unit_test(every_kind_is_drawn),
        cmocka_unit_test(other_formats_are_drawn),
        cmocka_unit_test(plot_without_values_is_not_drawn),
        cmocka_unit_test(one_place_has_an_axis),
        cmocka_unit_test(without_gnuplot_the_data_is_there),
    };
    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
