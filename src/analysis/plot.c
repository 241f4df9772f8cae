#include "analysis/plot.h"

#include "base/file.h"
#include "base/log.h"
#include "base/memory_text.h"
#include "base/subprocess.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const plot_formats[PLOT_FORMATS] = {"svg", "png", "pdf", "eps"};

/* Sizes in pixels. */
enum {
    BAR_WIDTH = 11,
    GAP = 12,
    MARGINS = 130,
    LEAST_WIDTH = 640,
    HEIGHT = 420,
    LEGEND_CHARACTER = 7,
    LEGEND_SAMPLE = 60,
    LEGEND_LINE = 18,
    PIXELS_PER_INCH = 96
};

static const char *const colors[] = {"#3b6fb6", "#d98032", "#4f9d5d", "#b8474b", "#8264a8",
                                     "#8a6a5c", "#c77fb2", "#7d7d7d", "#b0a83a", "#4aa6b5"};
enum { COLORS = sizeof colors / sizeof colors[0] };

void
plot_init(struct plot *plot, enum plot_kind kind, const char *title, const char *y_label)
{
    *plot = (struct plot){.kind = kind, .title = title, .y_label = y_label};
}

/* Copies a text for use as a data field: replaces tabs, newlines and quotes. */
static char *
field_of(const char *text)
{
    char *field = mem_printable(text);
    for (char *at = field; *at; at++)
        *at = *at == '"' ? '\'' : *at == '\t' || *at == '\n' ? ' ' : *at;
    return field;
}

void
plot_add_series(struct plot *plot, const char *name)
{
    BUG_ON(plot->rows.count, "a series is added after a row");
    VEC_PUSH(&plot->series, field_of(name));
}

static void
add_row(struct plot *plot, char *label, const double *values)
{
    const size_t bytes = plot->series.count * sizeof *values;
    struct plot_row row = {label, mem_alloc(bytes + 1)};
    memcpy(row.values, values, bytes);
    VEC_PUSH(&plot->rows, row);
}

void
plot_add(struct plot *plot, const char *label, const double *values)
{
    add_row(plot, field_of(label), values);
}

void
plot_add_at(struct plot *plot, double x, const double *values)
{
    add_row(plot, mem_printf("%.9g", x), values);
}

void
plot_fini(struct plot *plot)
{
    for (size_t i = 0; i < plot->series.count; i++)
        free(plot->series.items[i]);
    for (size_t i = 0; i < plot->rows.count; i++) {
        free(plot->rows.items[i].label);
        free(plot->rows.items[i].values);
    }
    VEC_FREE(&plot->series);
    VEC_FREE(&plot->rows);
}

/* Whether rows have labels instead of positions. */
static bool
has_labels(const struct plot *plot)
{
    return plot->kind <= PLOT_STACKED || plot->kind == PLOT_MAP;
}

/* Writes tab-separated data. The first line contains the names of the series. */
static void
put_data(const struct plot *plot, FILE *out)
{
    fprintf(out, "\"\"");
    for (size_t s = 0; s < plot->series.count; s++)
        fprintf(out, "\t\"%s\"", plot->series.items[s]);
    fputc('\n', out);
    for (size_t r = 0; r < plot->rows.count; r++) {
        const struct plot_row *row = &plot->rows.items[r];
        fprintf(out, has_labels(plot) ? "\"%s\"" : "%s", row->label);
        for (size_t s = 0; s < plot->series.count; s++)
            if (isfinite(row->values[s]))
                fprintf(out, "\t%.9g", row->values[s]);
            else
                fprintf(out, "\t?");
        fputc('\n', out);
    }
}

/* Writes a text in gnuplot's single quotes. */
static void
put_quoted(const char *text, FILE *out)
{
    char *shown = field_of(text);
    fputc('\'', out);
    for (const char *at = shown; *at; at++)
        fprintf(out, *at == '\'' ? "''" : "%c", *at);
    fputc('\'', out);
    free(shown);
}

static void
put_text(const char *command, const char *text, FILE *out)
{
    if (!text)
        return;
    fprintf(out, "set %s ", command);
    put_quoted(text, out);
    fputc('\n', out);
}

/* Writes the title and the note below it. */
static void
put_title(const struct plot *plot, FILE *out)
{
    fprintf(out, "set title ");
    put_quoted(plot->title ? plot->title : "", out);
    if (plot->note) {
        fprintf(out, ".\"\\n\".");
        put_quoted(plot->note, out);
    }
    fprintf(out, " font ',13'\n");
}

/* Chooses a width at which bars do not shrink, and a height with room for the legend. */
static void
put_terminal(const struct plot *plot, enum plot_format format, FILE *out)
{
    const size_t series = plot->series.count;
    const size_t bars = plot->kind == PLOT_STACKED ? 2 : series;
    size_t width = LEAST_WIDTH, legend = 0;
    if (plot->kind <= PLOT_STACKED && MARGINS + plot->rows.count * (bars * BAR_WIDTH + GAP) > width)
        width = MARGINS + plot->rows.count * (bars * BAR_WIDTH + GAP);
    for (size_t s = 0; s < series; s++)
        legend += LEGEND_SAMPLE + LEGEND_CHARACTER * strlen(plot->series.items[s]);
    const size_t height = HEIGHT + legend / (width - MARGINS) * LEGEND_LINE;
    if (format == PLOT_PDF || format == PLOT_EPS)
        fprintf(out, "set terminal %scairo size %.2fin,%.2fin", plot_formats[format],
                (double)width / PIXELS_PER_INCH, (double)height / PIXELS_PER_INCH);
    else
        fprintf(out, "set terminal %s size %zu,%zu", format == PLOT_PNG ? "pngcairo" : "svg", width,
                height);
    fprintf(out, " noenhanced font 'sans-serif,%d' background '#ffffff'\n",
            format == PLOT_SVG ? 11 : 8);
}

static void
put_style(const struct plot *plot, FILE *out)
{
    fprintf(out, "set datafile separator tab\nset datafile missing '?'\n"
                 "set key tmargin left horizontal Left reverse\nset border 3\nset grid ytics lc "
                 "rgb '#dddddd'\n"
                 "set tics nomirror out\nset style fill solid\n");
    for (size_t i = 0; i < COLORS; i++)
        fprintf(out, "set linetype %zu lc rgb '%s' lw 1.5 pt 7 ps 0.6\n", i + 1, colors[i]);
    fprintf(out, "set linetype cycle %d\n", COLORS);
    if (plot->kind <= PLOT_STACKED)
        fprintf(out,
                "set style data histograms\nset style histogram %s\nset boxwidth %s\n"
                "set yrange [0:*]\nset xtics rotate by 35 right\n",
                plot->kind == PLOT_STACKED ? "rowstacked" : "clustered gap 1",
                plot->kind == PLOT_STACKED ? "0.7" : "0.95");
    if (plot->mark != 0)
        fprintf(out,
                "set arrow from graph 0, first %.9g to graph 1, first %.9g nohead dt 2 "
                "lc rgb '#222222'\n",
                plot->mark, plot->mark);
}

static void
put_map(const struct plot *plot, const char *data, FILE *out)
{
    fprintf(out, "set border 15\nunset key\nunset grid\nset palette defined "
                 "(0 '#20304f', 1 '#3b6fb6', 2 '#8fc1a9', 3 '#f3e6a2')\n");
    put_text("cblabel", plot->z_label, out);
    fprintf(out, "plot %s matrix rowheaders columnheaders with image\n", data);
}

static void
put_plot(const struct plot *plot, const char *data, FILE *out)
{
    if (plot->kind == PLOT_MAP) {
        put_map(plot, data, out);
        return;
    }
    static const char *const with[] = {"", "", " with linespoints", " with points", ""};
    for (size_t s = 0; s < plot->series.count; s++)
        fprintf(out, "%s%s using %s%zu%s%s title columnhead", s ? ", \\\n     " : "plot ", data,
                plot->kind <= PLOT_STACKED ? "" : "1:", s + 2,
                plot->kind <= PLOT_STACKED ? ":xtic(1)" : "", with[plot->kind]);
    fputc('\n', out);
}

/* If all points have the same x position, sets the x range. gnuplot's default range would be
 * arbitrary. */
static void
put_place(const struct plot *plot, FILE *out)
{
    if (has_labels(plot) || !plot->rows.count)
        return;
    const char *label = plot->rows.items[0].label;
    for (size_t i = 1; i < plot->rows.count; i++)
        if (strcmp(plot->rows.items[i].label, label) != 0)
            return;
    const double x = strtod(label, NULL), around = x != 0 ? fabs(x) / 2 : 0.5;
    if (isfinite(x))
        fprintf(out, "set xrange [%.9g:%.9g]\nset xtics (%s)\n", x - around, x + around, label);
}

static void
put_script(const struct plot *plot, const char *data, enum plot_format format, FILE *out)
{
    put_terminal(plot, format, out);
    put_style(plot, out);
    put_title(plot, out);
    put_text("xlabel", plot->x_label, out);
    put_text("ylabel", plot->y_label, out);
    put_place(plot, out);
    if (plot->extra)
        fprintf(out, "%s\n", plot->extra);
    put_plot(plot, data, out);
}

/* Runs a script in the folder `dir` and returns the picture. Sets *missing if gnuplot is not
 * installed. */
static bool
run_gnuplot(const char *dir, const char *script, char **picture, size_t *bytes, bool *missing,
            struct error *err)
{
    char gnuplot[] = "gnuplot", without_settings[] = "-d", from_input[] = "-";
    char *const words[] = {gnuplot, without_settings, from_input, NULL};
    const struct subprocess_filter filter = {words, "gnuplot-nox", dir};
    return subprocess_filter(&filter, script, strlen(script), picture, bytes, missing, err);
}

static char *
script_of(const struct plot *plot, const char *name, enum plot_format format)
{
    struct memory_text text;
    FILE *out = memory_text_open(&text);
    if (name) {
        char *data = mem_printf("'%s.dat'", name);
        fprintf(out, "# gnuplot %s.gnuplot >%s.%s\n", name, name, plot_formats[format]);
        put_script(plot, data, format, out);
        free(data);
    } else {
        fprintf(out, "$data << END\n");
        put_data(plot, out);
        fprintf(out, "END\n");
        put_script(plot, "$data", format, out);
    }
    return memory_text_take(&text);
}

static bool
write_text(const char *dir, const char *name, const char *end, const char *text, size_t size,
           struct error *err)
{
    char *path = mem_printf("%s/%s%s", dir, name, end);
    const bool ok = file_write(path, text, size, err);
    free(path);
    return ok;
}

/* Whether any value is known. gnuplot fails otherwise. */
static bool
has_values(const struct plot *plot)
{
    for (size_t r = 0; r < plot->rows.count; r++)
        for (size_t s = 0; s < plot->series.count; s++)
            if (isfinite(plot->rows.items[r].values[s]))
                return true;
    return false;
}

/* Draws DIR/NAME in a format, from DIR/NAME.dat. *missing: gnuplot is not installed. */
static bool
draw(const struct plot *plot, const char *dir, const char *name, enum plot_format format,
     bool *missing, struct error *err)
{
    size_t bytes;
    char *picture, *script = script_of(plot, name, format);
    char *end = mem_printf(".%s", plot_formats[format]);
    bool ok = run_gnuplot(dir, script, &picture, &bytes, missing, err);
    if (ok) {
        ok = write_text(dir, name, end, picture, bytes, err);
        free(picture);
    }
    free(end);
    free(script);
    return ok;
}

bool
plot_write(const struct plot *plot, const char *dir, const char *name, uint32_t formats,
           struct error *err)
{
    struct memory_text memory;
    char *script = script_of(plot, name, PLOT_SVG);
    bool missing = false;
    put_data(plot, memory_text_open(&memory));
    char *data = memory_text_take(&memory);
    bool ok = write_text(dir, name, ".dat", data, memory.size, err) &&
              write_text(dir, name, ".gnuplot", script, strlen(script), err);
    for (uint32_t format = 0; ok && has_values(plot) && format < PLOT_FORMATS; format++)
        if (format == PLOT_SVG || formats >> format & 1)
            ok = draw(plot, dir, name, format, &missing, err);
    if (missing)
        log_warning("%s: %s/%s.svg was not drawn", err->text, dir, name);
    free(script);
    free(data);
    return ok || missing;
}

bool
plot_draw(const struct plot *plot, const char *path, struct error *err)
{
    size_t bytes;
    char *picture, *script = script_of(plot, NULL, PLOT_SVG);
    bool missing;
    bool ok = run_gnuplot("/", script, &picture, &bytes, &missing, err);
    if (ok) {
        ok = file_write_named(path, picture, bytes, err);
        free(picture);
    }
    free(script);
    return ok;
}
