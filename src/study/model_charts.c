/* Plots of `aetius study model`: measured and predicted values. */
#include "analysis/plot.h"
#include "study/model_study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A chart of a sweep. The functions select the rows and give their series, position and work. */
struct chart {
    enum model_sweep sweep;
    const char *title, *x_label, *y_label, *extra;
    double scale;                                            /* factor for the values */
    bool (*series)(const struct model_row *row, char *text); /* returns false to omit the row */
    double (*along)(const struct model_row *row);
    double (*work)(const struct model_row *row); /* work per frame */
    const char *suffix;                          /* after the sweep in the file name */
    bool is_error;                               /* plots the errors */
};

enum { SERIES_BYTES = MODEL_TEXT_BYTES + 16 };

static bool
one_series(const struct model_row *row, char *text)
{
    *text = '\0';
    return true;
}

/* Selects a few widths, so that the curves can be distinguished. */
static bool
some_widths(const struct model_row *row, char *text)
{
    snprintf(text, SERIES_BYTES, "columns of %g, ", row->block);
    return row->block == 1 || row->block == 64 || row->block == 128 || row->block == 640;
}

static bool
each_program(const struct model_row *row, char *text)
{
    snprintf(text, SERIES_BYTES, "%g cycles, ", row->cycles);
    return true;
}

static bool
powers_of_formats(const struct model_row *row, char *text)
{
    snprintf(text, SERIES_BYTES, "%s, ", row->format);
    return model_is_power_of_two(row->texture) && row->reads != 1;
}

static bool
powers_with_one_read(const struct model_row *row, char *text)
{
    snprintf(text, SERIES_BYTES, "%s, ", row->format);
    return model_is_power_of_two(row->texture) && row->reads == 1;
}

static bool
some_patterns(const struct model_row *row, char *text)
{
    static const char *const shown[] = {"stripes", "chequer", "random", "step3", "ramp"};
    snprintf(text, SERIES_BYTES, "%s, ", row->pattern);
    for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++)
        if (!strcmp(row->pattern, shown[i]))
            return true;
    return false;
}

static bool
patterns_of_floats(const struct model_row *row, char *text)
{
    return strcmp(row->format, "RGBX8") != 0 && some_patterns(row, text);
}

static bool
patterns_of_bytes(const struct model_row *row, char *text)
{
    return !strcmp(row->format, "RGBX8") && some_patterns(row, text);
}

static double
along_fragments(const struct model_row *row)
{
    return row->fragments;
}
static double
along_length(const struct model_row *row)
{
    return row->cycles;
}
static double
along_size(const struct model_row *row)
{
    return row->fragments / row->triangles;
}
static double
along_block(const struct model_row *row)
{
    return row->block;
}
static double
along_texture(const struct model_row *row)
{
    return row->texture;
}
static double
work_frame(const struct model_row *row)
{
    return 1;
}
static double
work_fragments(const struct model_row *row)
{
    return row->fragments;
}
static double
work_texels(const struct model_row *row)
{
    return row->fragments * row->reads;
}

static const struct chart charts[] = {
    {MODEL_SWEEP_fragments, "frame rate by number of fragments", "fragments per frame",
     "frames per second", "set logscale xy", 1, each_program, along_fragments, work_frame, "",
     false},
    {MODEL_SWEEP_length, "fragment rate by program length", "cycles of the fragment program",
     "million fragments per second", "set logscale x 2\nset logscale y", 1e-6, one_series,
     along_length, work_fragments, "", false},
    {MODEL_SWEEP_triangles, "fragment rate by triangle size", "fragments per triangle",
     "million fragments per second", "set logscale x 2\nset yrange [0:*]", 1e-6, some_widths,
     along_size, work_fragments, "", false},
    {MODEL_SWEEP_triangles, "error by triangle size", "fragments per triangle",
     "measured / predicted - 1, %", "set logscale x 2", 1, some_widths, along_size, work_fragments,
     "-error", true},
    {MODEL_SWEEP_coherence, "fragment rate by width of branch columns", "pixels per column",
     "million fragments per second", "set logscale x 2\nset yrange [0:*]", 1e-6, one_series,
     along_block, work_fragments, "", false},
    {MODEL_SWEEP_textures, "texel rate by texture size and format",
     "texels per side, powers of two", "million texels per second",
     "set logscale x 2\nset logscale y", 1e-6, powers_of_formats, along_texture, work_texels, "",
     false},
    {MODEL_SWEEP_textures, "texel rate with one read", "texels per side, powers of two",
     "million texels per second", "set logscale x 2\nset logscale y", 1e-6, powers_with_one_read,
     along_texture, work_texels, "-one-read", false},
    {MODEL_SWEEP_dependent, "dependent reads by texture size and pattern", "texels per side",
     "million fragments per second", "set logscale x 2\nset yrange [0:*]", 1e-6, patterns_of_floats,
     along_texture, work_fragments, "", false},
    {MODEL_SWEEP_dependent, "dependent reads of RGBX8 textures", "texels per side",
     "million fragments per second", "set logscale x 2\nset yrange [0:*]", 1e-6, patterns_of_bytes,
     along_texture, work_fragments, "-rgbx8", false},
};

struct names {
    VEC(char *) items;
};

static size_t
series_index(struct names *names, const char *name)
{
    for (size_t i = 0; i < names->items.count; i++)
        if (!strcmp(names->items.items[i], name))
            return i;
    VEC_PUSH(&names->items, mem_strdup(name));
    return names->items.count - 1;
}

static int
compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static bool
takes(const struct chart *chart, const struct model_row *row, char *series)
{
    return model_row_is_of(row, chart->sweep) && chart->series(row, series);
}

/* Values of a row, one per name in value_names(): measured and predicted, or the error. For
 * columns, also the bounds of the base stage: one side of the branch executes, or both. */
enum { MOST_VALUES = 4 };

static uint32_t
value_names(const struct chart *chart, const char **names)
{
    static const char *const all[MOST_VALUES] = {"measured", "predicted", "one side", "both sides"};
    static const char *const error[] = {"error"};
    const uint32_t count = chart->is_error                         ? 1
                           : chart->sweep == MODEL_SWEEP_coherence ? MOST_VALUES
                                                                   : 2;
    memcpy(names, chart->is_error ? error : all, count * sizeof *names);
    return count;
}

static void
find_values(const struct chart *chart, const struct model_machine *machine, size_t r,
            double *values)
{
    const struct model_row *row = &machine->rows.items[r];
    const double work = chart->scale * chart->work(row);
    const double side = (row->if_cycles + row->else_cycles) / 2;
    const double cycles = row->cycles + row->branch_cycles + side;
    if (chart->is_error) {
        values[0] = 100 * machine->check.error[r];
        return;
    }
    values[0] = work / row->seconds;
    values[1] = work / machine->check.predicted[r];
    if (chart->sweep == MODEL_SWEEP_coherence) {
        values[2] = chart->scale * model_base_rate(&machine->model, cycles);
        values[3] = chart->scale * model_base_rate(&machine->model, cycles + side);
    }
}

static void
add_series(const struct chart *chart, const struct names *names, struct plot *plot)
{
    const char *values[MOST_VALUES];
    const uint32_t count = value_names(chart, values);
    for (size_t i = 0; i < names->items.count; i++)
        for (uint32_t v = 0; v < count; v++) {
            char *name = mem_printf("%s%s", names->items.items[i], values[v]);
            plot_add_series(plot, name);
            free(name);
        }
}

/* Adds the values of each series at all positions. */
static void
put_rows(const struct chart *chart, const struct model_machine *machine, struct plot *plot)
{
    struct names names = {0};
    const char *each[MOST_VALUES];
    const uint32_t per_series = value_names(chart, each);
    char series[SERIES_BYTES];
    double *positions = mem_array(machine->rows.count + 1, sizeof *positions);
    size_t count = 0;
    for (size_t r = 0; r < machine->rows.count; r++)
        if (takes(chart, &machine->rows.items[r], series)) {
            series_index(&names, series);
            positions[count++] = chart->along(&machine->rows.items[r]);
        }
    qsort(positions, count, sizeof *positions, compare_numbers);
    add_series(chart, &names, plot);
    double *values = mem_array(per_series * names.items.count + 1, sizeof *values);
    for (size_t i = 0; i < count; i++) {
        if (i && positions[i] == positions[i - 1])
            continue;
        for (size_t v = 0; v < per_series * names.items.count; v++)
            values[v] = NAN;
        for (size_t r = 0; r < machine->rows.count; r++) {
            const struct model_row *row = &machine->rows.items[r];
            if (!takes(chart, row, series) || chart->along(row) != positions[i])
                continue;
            find_values(chart, machine, r, values + per_series * series_index(&names, series));
        }
        plot_add_at(plot, positions[i], values);
    }
    for (size_t i = 0; i < names.items.count; i++)
        free(names.items.items[i]);
    VEC_FREE(&names.items);
    free(values);
    free(positions);
}

static bool
write_chart(const struct chart *chart, const struct model_machine *machine, const struct study *to,
            struct error *err)
{
    struct plot plot;
    char *title = mem_printf("%s: %s", machine->name, chart->title);
    char *name =
        mem_printf("%s%s-%s", model_sweeps[chart->sweep].name, chart->suffix, machine->name);
    const struct model_errors *errors =
        &machine->check.stages[model_sweeps[chart->sweep].stage].held_out;
    char *note = mem_printf("error on held-out measurements: mean %.1f %%, worst %.1f %%",
                            100 * errors->mean, 100 * errors->worst);
    plot_init(&plot, PLOT_LINES, title, chart->y_label);
    plot.x_label = chart->x_label;
    plot.extra = chart->extra;
    plot.note = note;
    put_rows(chart, machine, &plot);
    const bool ok = !plot.series.count || study_put_plot(to, &plot, name, err);
    plot_fini(&plot);
    free(note);
    free(name);
    free(title);
    return ok;
}

/* Adds a number to a list of different numbers, from which the caller frees the items. */
struct numbers {
    VEC(double) items;
};

static void
add_number(struct numbers *numbers, double number)
{
    for (size_t i = 0; i < numbers->items.count; i++)
        if (numbers->items.items[i] == number)
            return;
    VEC_PUSH(&numbers->items, number);
}

static double
rate_at(const struct model_machine *machine, double size, double block)
{
    for (size_t r = 0; r < machine->rows.count; r++) {
        const struct model_row *row = &machine->rows.items[r];
        if (model_row_is_of(row, MODEL_SWEEP_triangles) && along_size(row) == size &&
            row->block == block)
            return 1e-6 * row->fragments / row->seconds;
    }
    return NAN;
}

/* Plots the measured rate over triangle size and width of columns as a field of colors. */
static bool
write_map(const struct model_machine *machine, const struct study *to, struct error *err)
{
    struct plot plot;
    struct numbers sizes = {0}, blocks = {0};
    char *title =
        mem_printf("%s: fragment rate by triangle size and branch columns", machine->name);
    char *name = mem_printf("triangles-map-%s", machine->name);
    for (size_t r = 0; r < machine->rows.count; r++) {
        const struct model_row *row = &machine->rows.items[r];
        if (!model_row_is_of(row, MODEL_SWEEP_triangles))
            continue;
        add_number(&sizes, along_size(row));
        add_number(&blocks, row->block);
    }
    plot_init(&plot, PLOT_MAP, title, "fragments per triangle");
    plot.x_label = "pixels per column";
    plot.z_label = "million fragments per second";
    double *values = mem_array(blocks.items.count + 1, sizeof *values);
    for (size_t b = 0; b < blocks.items.count; b++) {
        char *label = mem_printf("%g", blocks.items.items[b]);
        plot_add_series(&plot, label);
        free(label);
    }
    if (sizes.items.count)
        qsort(sizes.items.items, sizes.items.count, sizeof *sizes.items.items, compare_numbers);
    for (size_t t = 0; t < sizes.items.count; t++) {
        char *label = mem_printf("%.3g", sizes.items.items[t]);
        for (size_t b = 0; b < blocks.items.count; b++)
            values[b] = rate_at(machine, sizes.items.items[t], blocks.items.items[b]);
        plot_add(&plot, label, values);
        free(label);
    }
    const bool ok = !plot.rows.count || study_put_plot(to, &plot, name, err);
    plot_fini(&plot);
    VEC_FREE(&sizes.items);
    VEC_FREE(&blocks.items);
    free(values);
    free(name);
    free(title);
    return ok;
}

/* Plots the nine cases side by side. */
static bool
write_springs(const struct model_machine *machine, const struct study *to, struct error *err)
{
    struct plot plot;
    char *title = mem_printf("%s: frame rate of the mass-spring program", machine->name);
    char *name = mem_printf("springs-%s", machine->name);
    plot_init(&plot, PLOT_BARS, title, "frames per second");
    plot_add_series(&plot, "measured");
    plot_add_series(&plot, "predicted");
    for (size_t r = 0; r < machine->rows.count; r++)
        if (model_row_is_of(&machine->rows.items[r], MODEL_SWEEP_springs)) {
            const double values[] = {1 / machine->rows.items[r].seconds,
                                     1 / machine->check.predicted[r]};
            plot_add(&plot, machine->rows.items[r].variant, values);
        }
    const bool ok = !plot.rows.count || study_put_plot(to, &plot, name, err);
    plot_fini(&plot);
    free(name);
    free(title);
    return ok;
}

/* Plots the stages' errors per machine, with their budget. */
static bool
write_errors(const struct model_study *study, const struct study *to, struct error *err)
{
    struct plot plot;
    plot_init(&plot, PLOT_BARS, "Error of each stage on held-out measurements",
              "mean relative error, %");
    plot.mark = 100 * MODEL_STAGE_BUDGET;
    for (uint32_t s = 0; s < MODEL_STAGES; s++)
        plot_add_series(&plot, model_stage_names[s]);
    for (size_t m = 0; m < study->machines.count; m++) {
        const struct model_machine *machine = &study->machines.items[m];
        double values[MODEL_STAGES];
        for (uint32_t s = 0; s < MODEL_STAGES; s++)
            values[s] = 100 * machine->check.stages[s].held_out.mean;
        if (machine->rows.count)
            plot_add(&plot, machine->name, values);
    }
    const bool ok = !plot.rows.count || study_put_plot(to, &plot, "errors", err);
    plot_fini(&plot);
    return ok;
}

bool
model_charts(const struct model_study *study, const struct study *to, struct error *err)
{
    bool ok = write_errors(study, to, err);
    for (size_t m = 0; ok && m < study->machines.count; m++) {
        const struct model_machine *machine = &study->machines.items[m];
        if (!machine->rows.count)
            continue;
        for (size_t i = 0; ok && i < sizeof charts / sizeof charts[0]; i++)
            ok = write_chart(&charts[i], machine, to, err);
        ok = ok && write_map(machine, to, err) && write_springs(machine, to, err);
    }
    return ok;
}
