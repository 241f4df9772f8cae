#include "sweep/outputs.h"

#include "base/file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Values by index: columns of the table, number of frames, metrics. */
struct row_formulas {
    const struct csv_table *table;
    const struct params *params;
    bool *is_peak; /* per column */
    bool *is_metric;
    struct formula *metrics;
    uint32_t metric_count; /* metrics compiled so far */
    VEC(struct formula) formulas;
    double *values;
};

static bool
is_peak(const char *column)
{
    static const char *const names[] = {
#define QUEUE_PEAK(field, name, measure, doc) "." #name,
#include "core/clock.def"
    };
    const size_t length = strlen(column);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (length > strlen(names[i]) && !strcmp(column + length - strlen(names[i]), names[i]))
            return true;
    return false;
}

static bool
resolve(void *data, const char *name, int32_t *index, double *number)
{
    const struct row_formulas *rows = data;
    size_t count;
    const struct metric *metrics = metrics_all(&count);
    const int32_t column = csv_column(rows->table, name);
    *index = column;
    if (column >= 0 && !rows->is_metric[column])
        return true;
    *index = (int32_t)rows->table->columns;
    if (!strcmp(name, "frames"))
        return true;
    for (uint32_t i = 0; i < rows->metric_count; i++)
        if (!strcmp(metrics[i].name, name)) {
            *index = (int32_t)(rows->table->columns + 1 + i);
            return true;
        }
    *index = -1;
    return param_number(rows->params, name, number);
}

struct row_formulas *
row_formulas_create(const struct csv_table *table, const struct params *params)
{
    struct row_formulas *rows = mem_alloc(sizeof *rows);
    size_t count;
    const struct metric *metrics = metrics_all(&count);
    rows->table = table;
    rows->params = params;
    rows->is_peak = mem_array(table->columns, sizeof *rows->is_peak);
    rows->is_metric = mem_array(table->columns, sizeof *rows->is_metric);
    rows->metrics = mem_array(count, sizeof *rows->metrics);
    rows->values = mem_array(table->columns + 1 + count, sizeof *rows->values);
    for (uint32_t i = 0; i < table->columns; i++) {
        rows->is_peak[i] = is_peak(table->names[i]);
        rows->is_metric[i] = metric_find(table->names[i]) != NULL;
    }
    for (; rows->metric_count < count; rows->metric_count++)
        formula_compile(&rows->metrics[rows->metric_count], metrics[rows->metric_count].formula,
                        resolve, rows, NULL);
    return rows;
}

void
row_formulas_destroy(struct row_formulas *rows)
{
    for (uint32_t i = 0; i < rows->metric_count; i++)
        formula_fini(&rows->metrics[i]);
    for (size_t i = 0; i < rows->formulas.count; i++)
        formula_fini(&rows->formulas.items[i]);
    VEC_FREE(&rows->formulas);
    free(rows->metrics);
    free(rows->is_metric);
    free(rows->is_peak);
    free(rows->values);
    free(rows);
}

bool
row_formulas_add(struct row_formulas *rows, const char *text, struct error *err)
{
    struct formula formula;
    if (!formula_compile(&formula, text, resolve, rows, err))
        return false;
    VEC_PUSH(&rows->formulas, formula);
    return true;
}

void
row_formulas_load(struct row_formulas *rows, uint32_t first, uint32_t count, double frames)
{
    const struct csv_table *table = rows->table;
    for (uint32_t c = 0; c < table->columns; c++) {
        double value = count ? 0 : (double)NAN;
        for (uint32_t r = first; r < first + count && !rows->is_metric[c]; r++) {
            const double one = csv_value(table, r, (int32_t)c);
            if (!rows->is_peak[c])
                value += one;
            else if (one > value)
                value = one;
        }
        rows->values[c] = value;
    }
    rows->values[table->columns] = frames;
    for (uint32_t i = 0; i < rows->metric_count; i++)
        rows->values[table->columns + 1 + i] =
            rows->metrics[i].count ? formula_run(&rows->metrics[i], rows->values) : (double)NAN;
}

double
row_formulas_value(const struct row_formulas *rows, size_t number)
{
    return formula_run(&rows->formulas.items[number], rows->values);
}

bool
outputs_check(const struct sweep_plan *plan, const struct totals *totals, struct error *err)
{
    for (size_t i = 0; i < plan->outputs.count; i++) {
        const struct sweep_output *output = &plan->outputs.items[i];
        struct totals copy = *totals;
        double value;
        if (!formula_evaluate(output->formula, totals_lookup, &copy, &value, err))
            return fail_prefix(err, "[output %s]", output->name);
        if (strcmp(output->name, output->formula) != 0 &&
            totals_lookup(&copy, output->name, &value))
            return fail(err,
                        "[output %s]: the name is already used by a statistic, metric or parameter",
                        output->name);
    }
    return true;
}

struct reading {
    const struct sweep_plan *plan;
    struct csv_table table;
    struct row_formulas *rows;
    output_take_fn *take;
    void *data;
    struct error *err;
};

static bool
is_wanted(const struct sweep_plan *plan, uint32_t by)
{
    for (size_t i = 0; i < plan->outputs.count; i++)
        if (plan->outputs.items[i].by & by)
            return true;
    return false;
}

static bool
open_table(struct reading *reading, const char *folder, const char *file,
           const struct params *params)
{
    char *path = mem_printf("%s/%s", folder, file);
    bool ok = csv_read(&reading->table, path, reading->err);
    free(path);
    if (!ok)
        return false;
    reading->rows = row_formulas_create(&reading->table, params);
    for (size_t i = 0; ok && i < reading->plan->outputs.count; i++) {
        const struct sweep_output *output = &reading->plan->outputs.items[i];
        ok = row_formulas_add(reading->rows, output->formula, reading->err) ||
             fail_prefix(reading->err, "[output %s]", output->name);
    }
    return ok;
}

static void
close_table(struct reading *reading)
{
    if (reading->rows)
        row_formulas_destroy(reading->rows);
    reading->rows = NULL;
    csv_table_fini(&reading->table);
}

static bool
take_values(const struct reading *reading, uint32_t by, int64_t frame, int64_t draw)
{
    for (size_t i = 0; i < reading->plan->outputs.count; i++)
        if (reading->plan->outputs.items[i].by & by &&
            !reading->take(reading->data, i, frame, draw, row_formulas_value(reading->rows, i),
                           reading->err))
            return false;
    return true;
}

static bool
take_frames(struct reading *reading)
{
    const int32_t frame = csv_column(&reading->table, "frame");
    bool ok = true;
    row_formulas_load(reading->rows, 0, reading->table.rows, reading->table.rows);
    ok = take_values(reading, SWEEP_BY_RUN, -1, -1);
    for (uint32_t r = 0; ok && is_wanted(reading->plan, SWEEP_BY_FRAME) && r < reading->table.rows;
         r++) {
        row_formulas_load(reading->rows, r, 1, 1);
        ok =
            take_values(reading, SWEEP_BY_FRAME, (int64_t)csv_value(&reading->table, r, frame), -1);
    }
    return ok;
}

/* Reads the outputs per draw. Skips work between draws. */
static bool
take_draws(struct reading *reading)
{
    const struct csv_table *table = &reading->table;
    const int32_t frame = csv_column(table, "frame"), draw = csv_column(table, "draw");
    const int32_t work = csv_column(table, "work");
    bool ok = true;
    for (uint32_t r = 0; ok && r < table->rows; r++) {
        if (work < 0 || table->is_number[work] || strcmp(csv_field(table, r, work), "draw") != 0)
            continue;
        row_formulas_load(reading->rows, r, 1, (double)NAN);
        ok = take_values(reading, SWEEP_BY_DRAW, (int64_t)csv_value(table, r, frame),
                         (int64_t)csv_value(table, r, draw));
    }
    return ok;
}

bool
outputs_read(const struct sweep_plan *plan, const char *folder, const struct params *params,
             output_take_fn *take, void *data, struct error *err)
{
    struct reading reading = {.plan = plan, .take = take, .data = data, .err = err};
    bool ok = open_table(&reading, folder, params->SIMULATOR.StatsFilePerFrame, params) &&
              take_frames(&reading);
    close_table(&reading);
    if (ok && is_wanted(plan, SWEEP_BY_DRAW)) {
        ok = open_table(&reading, folder, params->SIMULATOR.StatsFilePerBatch, params) &&
             take_draws(&reading);
        close_table(&reading);
    }
    return ok;
}
