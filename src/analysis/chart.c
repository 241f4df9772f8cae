#include "analysis/chart.h"

#include "base/file.h"
#include "base/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Pixels. */
enum {
    LEFT = 64,
    RIGHT = 16,
    TOP = 64,
    PLOT_HEIGHT = 280,
    LABELS_HEIGHT = 112,
    GAP = 10, /* between groups */
    LEAST_WIDTH = 480,
};

static const char *const colors[CHART_SERIES] = {"#3b6fb6", "#d98032", "#4f9d5d", "#b8474b",
                                                 "#8264a8", "#8a6a5c", "#c77fb2", "#7d7d7d",
                                                 "#b0a83a", "#4aa6b5"};

void
chart_init(struct chart *chart, const char *title, const char *unit, bool stacked)
{
    *chart = (struct chart){.title = title, .unit = unit, .stacked = stacked};
}

void
chart_add(struct chart *chart, const char *group, const double *values)
{
    const size_t row = chart->series_count;
    chart->groups = mem_realloc(chart->groups, (chart->group_count + 1) * sizeof *chart->groups);
    chart->values =
        mem_realloc(chart->values, (chart->group_count + 1) * row * sizeof *chart->values);
    chart->groups[chart->group_count] = mem_strdup(group);
    memcpy(chart->values + chart->group_count * row, values, row * sizeof *values);
    chart->group_count++;
}

void
chart_fini(struct chart *chart)
{
    for (uint32_t i = 0; i < chart->group_count; i++)
        free(chart->groups[i]);
    free(chart->groups);
    free(chart->values);
}

static double
value_of(const struct chart *chart, uint32_t group, uint32_t series)
{
    return chart->values[group * chart->series_count + series];
}

static double
highest(const struct chart *chart)
{
    double high = chart->mark;
    for (uint32_t g = 0; g < chart->group_count; g++) {
        double sum = 0;
        for (uint32_t s = 0; s < chart->series_count; s++) {
            const double value = fmax(value_of(chart, g, s), 0);
            sum = chart->stacked ? sum + value : fmax(sum, value);
        }
        high = fmax(high, sum);
    }
    return high > 0 ? high : 1;
}

/* 1, 2 or 5 times a power of ten, so that there are 4 to 10 steps up to `high`. */
static double
step_for(double high)
{
    double step = 1;
    if (!isfinite(high))
        return high;
    while (step * 4 > high)
        step /= 10;
    while (step * 40 <= high)
        step *= 10;
    if (high / step > 20)
        return step * 5;
    return high / step > 10 ? step * 2 : step;
}

/* Text with what XML keeps for itself written out. */
static void
put_text(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '&')
            fputs("&amp;", out);
        else if (*text == '<')
            fputs("&lt;", out);
        else
            fputc(*text, out);
    }
}

struct layout {
    double bar, group; /* widths */
    double width, height;
    double high; /* the value at the top */
};

static struct layout
lay_out(const struct chart *chart)
{
    struct layout l;
    const uint32_t bars = chart->stacked ? 1 : chart->series_count;
    l.bar = chart->stacked ? 18 : 9;
    l.group = l.bar * bars + GAP;
    if (l.group * chart->group_count < LEAST_WIDTH) {
        l.group = (double)LEAST_WIDTH / (chart->group_count ? chart->group_count : 1);
        l.bar = fmin(fmax((l.group - GAP) / bars, 1), 36);
    }
    l.width = LEFT + l.group * chart->group_count + RIGHT;
    l.height = TOP + PLOT_HEIGHT + LABELS_HEIGHT;
    const double step = step_for(highest(chart));
    l.high = step * ceil(highest(chart) / step - 1e-9);
    return l;
}

static double
y_of(const struct layout *l, double value)
{
    return TOP + PLOT_HEIGHT * (1 - value / l->high);
}

static void
put_frame(const struct chart *chart, const struct layout *l, FILE *out)
{
    const double step = step_for(highest(chart));
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
            "viewBox=\"0 0 %.0f %.0f\" font-family=\"sans-serif\" font-size=\"11\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n"
            "<text x=\"14\" y=\"20\" font-size=\"14\" fill=\"#222222\">",
            l->width, l->height, l->width, l->height);
    put_text(out, chart->title);
    fprintf(out, "</text>\n");
    for (uint32_t i = 0; i * step <= l->high * (1 + 1e-9); i++) {
        const double y = y_of(l, i * step);
        fprintf(out,
                "<line x1=\"%d\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#dddddd\"/>\n"
                "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\" fill=\"#444444\">%g</text>\n",
                LEFT, y, l->width - RIGHT, y, LEFT - 6, y + 4, i * step);
    }
    fprintf(out,
            "<text transform=\"translate(14 %d) rotate(-90)\" text-anchor=\"middle\" "
            "fill=\"#444444\">",
            TOP + PLOT_HEIGHT / 2);
    put_text(out, chart->unit);
    fprintf(out, "</text>\n");
}

static void
put_legend(const struct chart *chart, FILE *out)
{
    double x = LEFT;
    for (uint32_t s = 0; s < chart->series_count; s++) {
        fprintf(out,
                "<rect x=\"%.0f\" y=\"34\" width=\"11\" height=\"11\" fill=\"%s\"/>"
                "<text x=\"%.0f\" y=\"44\" fill=\"#222222\">",
                x, colors[s], x + 15);
        put_text(out, chart->series[s]);
        fprintf(out, "</text>\n");
        x += 30 + 7.0 * (double)strlen(chart->series[s]);
    }
    if (chart->note) {
        fprintf(out, "<text x=\"%.0f\" y=\"44\" fill=\"#666666\">", x);
        put_text(out, chart->note);
        fprintf(out, "</text>\n");
    }
}

static void
put_bar(double x, double y, double width, double height, uint32_t series, double value, FILE *out)
{
    fprintf(out,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\">"
            "<title>%.4g</title></rect>\n",
            x, y, width, height, colors[series], value);
}

static void
put_group(const struct chart *chart, const struct layout *l, uint32_t group, FILE *out)
{
    const uint32_t bars = chart->stacked ? 1 : chart->series_count;
    const double x = LEFT + l->group * group + (l->group - l->bar * bars) / 2;
    double below = 0;
    for (uint32_t s = 0; s < chart->series_count; s++) {
        const double value = value_of(chart, group, s);
        const double at = x + (chart->stacked ? 0 : l->bar * s);
        if (value < 0) {
            fprintf(out,
                    "<text transform=\"translate(%.1f %d) rotate(-90)\" fill=\"#999999\" "
                    "font-size=\"8\">null</text>\n",
                    at + l->bar / 2 + 3, TOP + PLOT_HEIGHT - 3);
            continue;
        }
        const double top = y_of(l, below + value);
        put_bar(at, top, l->bar - (chart->stacked ? 0 : 1), y_of(l, below) - top, s, value, out);
        below += chart->stacked ? value : 0;
    }
    fprintf(out,
            "<text transform=\"translate(%.1f %d) rotate(-40)\" text-anchor=\"end\" "
            "fill=\"#222222\">",
            LEFT + l->group * (group + 0.5) + 4, TOP + PLOT_HEIGHT + 14);
    put_text(out, chart->groups[group]);
    fprintf(out, "</text>\n");
}

bool
chart_write(const struct chart *chart, const char *path, struct error *err)
{
    const struct layout l = lay_out(chart);
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    BUG_ON(!out, "no memory for a chart");
    put_frame(chart, &l, out);
    put_legend(chart, out);
    for (uint32_t g = 0; g < chart->group_count; g++)
        put_group(chart, &l, g, out);
    if (chart->mark > 0)
        fprintf(out,
                "<line x1=\"%d\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#222222\" "
                "stroke-dasharray=\"4 3\"/>\n",
                LEFT, y_of(&l, chart->mark), l.width - RIGHT, y_of(&l, chart->mark));
    fprintf(out, "<line x1=\"%d\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"#222222\"/>\n</svg>\n",
            LEFT, TOP + PLOT_HEIGHT, l.width - RIGHT, TOP + PLOT_HEIGHT);
    fclose(out);
    const bool ok = file_write_named(path, text, size, err);
    free(text);
    return ok;
}
