/* Curves of the color ratio over a property of the input. The inputs of a curve are named
 * CURVE-VALUE, as in cell-16; the plan lists them. They are in no mean and no rank. */
#include "analysis/plot.h"
#include "study/codec_study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Length of CURVE in the name of an input. */
static size_t
curve_length(const char *input)
{
    const char *dash = strrchr(input, '-');
    return dash ? (size_t)(dash - input) : strlen(input);
}

static const char *
value_of(const char *input)
{
    const size_t length = curve_length(input);
    return input[length] ? input + length + 1 : "0";
}

/* Number of inputs from `first` on that belong to its curve. */
static size_t
curve_inputs(const struct codec_study *curves, size_t first)
{
    const char *name = curves->traces->items[first];
    size_t count = 1;
    while (first + count < curves->traces->count &&
           curve_length(curves->traces->items[first + count]) == curve_length(name) &&
           !strncmp(curves->traces->items[first + count], name, curve_length(name)))
        count++;
    return count;
}

static bool
is_color_codec(uint32_t codec)
{
    return codecs[codec]->applies & CODEC_COLOR;
}

static void
print_curve(const struct codec_study *curves, size_t first, size_t configuration, FILE *out)
{
    struct text_table table = {0};
    const char *name = curves->traces->items[first];
    const size_t count = curve_inputs(curves, first);
    fprintf(out, "\n### %.*s, %s\n\n", (int)curve_length(name), name,
            curves->machines->items[configuration]);
    text_table_cell(&table, "%.*s", (int)curve_length(name), name);
    for (uint32_t c = 0; c < CODEC_COUNT; c++)
        if (is_color_codec(c))
            text_table_cell(&table, "%s", codecs[c]->name);
    text_table_end_row(&table);
    for (size_t t = first; t < first + count; t++) {
        text_table_cell(&table, "%s", value_of(curves->traces->items[t]));
        for (uint32_t c = 0; c < CODEC_COUNT; c++)
            if (is_color_codec(c))
                text_table_cell(&table, "%.3f",
                                codec_study_ratio(curves, t, configuration, CODEC_BUS_64,
                                                  COMPRESSION_COLOR, c));
        text_table_end_row(&table);
    }
    text_table_put(&table, TEXT_TABLE_MARKDOWN, out);
}

void
codec_study_print_curves(const struct codec_study *curves, FILE *out)
{
    if (!curves->traces->count)
        return;
    fprintf(out, "\n## Ratio of color by property of the input\n\nInputs of known properties "
                 "(`benchmarks/gl/cells`, and a game at several widths), 64-byte bus.\n");
    for (size_t t = 0; t < curves->traces->count; t += curve_inputs(curves, t))
        for (size_t c = 0; c < curves->machines->count; c++)
            if (word_list_has(curves->chosen_over, curves->machines->items[c]))
                print_curve(curves, t, c, out);
}

/* Returns the label of the x axis, with its unit. A curve of another plan has its name. */
static const char *
axis_of(const char *curve)
{
    static const struct {
        const char *curve, *label;
    } axes[] = {
        {"cell", "side of a cell, pixels"},
        {"slope", "color slope, 1/16 level per pixel"},
        {"noise", "noise, levels"},
        {"width", "width of the window, pixels"},
    };
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++)
        if (!strcmp(curve, axes[i].curve))
            return axes[i].label;
    return curve;
}

static bool
draw_curve(const struct codec_study *curves, size_t first, size_t configuration,
           const struct study *to, struct error *err)
{
    struct plot plot;
    const char *input = curves->traces->items[first];
    const char *machine = curves->machines->items[configuration];
    const size_t count = curve_inputs(curves, first);
    char *curve = mem_printf("%.*s", (int)curve_length(input), input);
    char *name = mem_printf("curve-%s-%s", curve, machine);
    char *title = mem_printf("Ratio of color by %s, %s, 64-byte bus", curve, machine);
    plot_init(&plot, PLOT_LINES, title, "bytes in / bytes out");
    plot.x_label = axis_of(curve);
    plot.mark = 1;
    plot.extra = "set logscale x 2";
    for (uint32_t c = 0; c < CODEC_COUNT; c++)
        if (is_color_codec(c))
            plot_add_series(&plot, codecs[c]->name);
    for (size_t t = first; t < first + count; t++) {
        double values[CODEC_COUNT];
        uint32_t series = 0;
        for (uint32_t c = 0; c < CODEC_COUNT; c++)
            if (is_color_codec(c)) {
                const double ratio =
                    codec_study_ratio(curves, t, configuration, CODEC_BUS_64, COMPRESSION_COLOR, c);
                values[series++] = ratio > 0 ? ratio : (double)NAN;
            }
        plot_add_at(&plot, strtod(value_of(curves->traces->items[t]), NULL), values);
    }
    const bool ok = study_put_plot(to, &plot, name, err);
    plot_fini(&plot);
    free(title);
    free(name);
    free(curve);
    return ok;
}

bool
codec_study_write_curves(const struct codec_study *curves, const struct study *to,
                         struct error *err)
{
    bool ok = true;
    for (size_t t = 0; t < curves->traces->count; t += curve_inputs(curves, t))
        for (size_t c = 0; ok && c < curves->machines->count; c++)
            if (word_list_has(curves->chosen_over, curves->machines->items[c]))
                ok = draw_curve(curves, t, c, to, err);
    return ok;
}

void
codec_study_put_curves(const struct codec_study *curves, struct text_table *table)
{
    text_table_cells(table, "curve|value|configuration|codec|ratio");
    text_table_end_row(table);
    for (size_t t = 0; t < curves->traces->count; t++)
        for (size_t c = 0; c < curves->machines->count; c++)
            for (uint32_t codec = 0; codec < CODEC_COUNT; codec++) {
                const char *input = curves->traces->items[t];
                if (!is_color_codec(codec))
                    continue;
                text_table_cell(table, "%.*s", (int)curve_length(input), input);
                text_table_cell(table, "%s", value_of(input));
                text_table_cell(table, "%s", curves->machines->items[c]);
                text_table_cell(table, "%s", codecs[codec]->name);
                text_table_cell(
                    table, "%.6f",
                    codec_study_ratio(curves, t, c, CODEC_BUS_64, COMPRESSION_COLOR, codec));
                text_table_end_row(table);
            }
}
