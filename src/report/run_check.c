#include "report/run_check.h"

#include "base/file.h"
#include "base/mem.h"
#include "report/metrics.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The sums of a table's columns over rows. */
static void
add_row(const struct csv_table *table, uint32_t row, double *sums)
{
    const uint64_t *cells = &table->values[(size_t)row * table->columns];
    for (uint32_t c = 0; c < table->columns; c++)
        sums[c] += table->is_number[c] ? (double)cells[c] : 0;
}

/* Over those of a frame, from row *row on, which goes behind them. */
static double *
sums_of_frame(const struct csv_table *table, int32_t frame, uint32_t *row)
{
    double *sums = mem_array(table->columns, sizeof *sums);
    const double number = csv_value(table, *row, frame);
    for (; *row < table->rows && csv_value(table, *row, frame) == number; ++*row)
        add_row(table, *row, sums);
    return sums;
}

/* A statistic, whose rows add up: not a frame's or a draw's number, nor the most there was. */
static bool
adds_up(const struct csv_table *table, uint32_t column)
{
    const char *name = table->names[column];
    return table->is_number[column] && (strchr(name, '.') || !strcmp(name, "cycles")) &&
           !csv_is_peak(name);
}

/* ---- against run.json ---- */

static bool
check_cycles(const cJSON *root, uint32_t frame, double cycles, struct error *err)
{
    const cJSON *one;
    cJSON_ArrayForEach(one, cJSON_GetObjectItem(root, "per_frame"))
    {
        const cJSON *number = cJSON_GetObjectItem(one, "frame");
        const cJSON *told = cJSON_GetObjectItem(one, "cycles");
        if (cJSON_IsNumber(number) && number->valuedouble == frame && cJSON_IsNumber(told) &&
            told->valuedouble != cycles)
            return fail(err, "frame %u has %.0f cycles in its tables and %.0f in run.json", frame,
                        cycles, told->valuedouble);
    }
    return true;
}

static bool
check_metrics(const cJSON *root, const struct csv_table *frames, const struct params *params,
              struct error *err)
{
    size_t count;
    bool ok = true;
    const struct metric *metrics = metrics_all(&count);
    double *sums = mem_array(frames->columns, sizeof *sums);
    const char **names = mem_array(frames->columns, sizeof *names);
    struct totals totals = {names, sums, 0, params};
    for (uint32_t row = 0; row < frames->rows; row++)
        add_row(frames, row, sums);
    for (uint32_t c = 0; c < frames->columns; c++)
        if (adds_up(frames, c)) { /* not a metric's column */
            names[totals.count] = frames->names[c];
            sums[totals.count++] = sums[c];
        }
    for (size_t i = 0; ok && i < count; i++) {
        const cJSON *told = cJSON_GetObjectItem(root, metrics[i].name);
        const double value = metric_value(&metrics[i], &totals);
        if (!isnan(value) && cJSON_IsNumber(told) &&
            !(fabs(value - told->valuedouble) <= 1e-9 * fabs(value)))
            ok = fail(err, "%s is %.6g of its table of frames and %.6g in run.json",
                      metrics[i].name, value, told->valuedouble);
    }
    free(names);
    free(sums);
    return ok;
}

static cJSON *
read_json(const char *dir)
{
    char *path = mem_printf("%s/run.json", dir), *bytes = NULL;
    size_t size;
    struct error ignored;
    cJSON *root = file_read(path, 64u << 20, &bytes, &size, &ignored)
                      ? cJSON_ParseWithLength(bytes, size)
                      : NULL;
    free(bytes);
    free(path);
    return root;
}

/* ---- against each other ---- */

static bool
check_sums(const struct csv_table *draws, const double *sums, const struct csv_table *frames,
           uint32_t row, uint32_t frame, struct error *err)
{
    for (uint32_t c = 0; c < draws->columns; c++) {
        const int32_t other = adds_up(draws, c) ? csv_column(frames, draws->names[c]) : -1;
        if (other >= 0 && csv_value(frames, row, other) != sums[c])
            return fail(err,
                        "frame %u: %s is %.0f in the table of frames and %.0f in that of draws",
                        frame, draws->names[c], csv_value(frames, row, other), sums[c]);
    }
    return true;
}

/* A frame's row; -1: there is none (yet). */
static int64_t
row_of(const struct csv_table *frames, int32_t column, double frame)
{
    for (uint32_t r = 0; column >= 0 && r < frames->rows; r++)
        if (csv_value(frames, r, column) == frame)
            return r;
    return -1;
}

static bool
check_frames(const cJSON *root, const struct csv_table *table, const struct csv_table *frames,
             struct error *err)
{
    const int32_t frame = csv_column(table, "frame"), cycles = csv_column(table, "cycles");
    const int32_t other = csv_column(frames, "frame");
    bool ok = frame >= 0 && cycles >= 0;
    if (!ok)
        return fail(err, "the tables do not count cycles by frame");
    for (uint32_t row = 0; ok && row < table->rows;) {
        const uint32_t number = (uint32_t)csv_value(table, row, frame);
        const int64_t beside = row_of(frames, other, number);
        double *sums = sums_of_frame(table, frame, &row);
        ok = check_cycles(root, number, sums[cycles], err) &&
             (beside < 0 || check_sums(table, sums, frames, (uint32_t)beside, number, err));
        free(sums);
    }
    return ok;
}

bool
run_tables_agree(const char *dir, const struct csv_table *table, const struct params *params,
                 struct error *err)
{
    char *path = mem_printf("%s/stats.frames.csv.gz", dir);
    struct csv_table frames = {0};
    cJSON *root = read_json(dir);
    bool ok = !file_exists(path) || csv_read(&frames, path, err);
    ok = ok && check_frames(root, table, &frames, err);
    if (ok && frames.rows && cJSON_IsTrue(cJSON_GetObjectItem(root, "complete")))
        ok = check_metrics(cJSON_GetObjectItem(root, "metrics"), &frames, params, err);
    csv_table_fini(&frames);
    cJSON_Delete(root);
    free(path);
    return ok || fail_prefix(err, "%s was changed, or is of another version", dir);
}
