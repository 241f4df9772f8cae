#include "report/run/run_check.h"

#include "base/file.h"
#include "base/mem.h"
#include "report/run/metrics.h"
#include "report/run/run_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Adds a row to the column sums. */
static void
add_row(const struct csv_table *table, uint32_t row, double *sums)
{
    const uint64_t *cells = &table->values[(size_t)row * table->columns];
    for (uint32_t c = 0; c < table->columns; c++)
        sums[c] += table->is_number[c] ? (double)cells[c] : 0;
}

/* Sums the rows of one frame, starting with row *row. Sets *row to the first row after them. */
static double *
sums_of_frame(const struct csv_table *table, int32_t frame, uint32_t *row)
{
    double *sums = mem_array(table->columns, sizeof *sums);
    const double number = csv_value(table, *row, frame);
    for (; *row < table->rows && csv_value(table, *row, frame) == number; ++*row)
        add_row(table, *row, sums);
    return sums;
}

/* Whether a column is an additive statistic: not a frame or draw number, and not a peak. */
static bool
adds_up(const struct csv_table *table, uint32_t column)
{
    const char *name = table->names[column];
    return table->is_number[column] && (strchr(name, '.') || !strcmp(name, "cycles")) &&
           !csv_is_peak(name);
}

/* ---- tables against run.json ---- */

static bool
check_cycles(const struct run_json *run, uint32_t frame, double cycles, struct error *err)
{
    for (size_t i = 0; i < run->per_frame_count; i++) {
        const struct run_json_frame *one = &run->per_frame[i];
        if (one->number == frame && !isnan(one->cycles) && one->cycles != cycles)
            return fail(err, "frame %u has %.0f cycles in its tables, but %.0f in run.json", frame,
                        cycles, one->cycles);
    }
    return true;
}

static bool
check_metrics(const struct run_json *run, const char *dir, const struct csv_table *frames,
              const struct params *params, struct error *err)
{
    size_t count;
    bool ok = true;
    const struct metric *metrics = metrics_all(&count);
    double *sums = mem_array(frames->columns, sizeof *sums);
    const char **names = mem_array(frames->columns, sizeof *names);
    struct totals totals = {names, sums, 0, params, NULL};
    for (uint32_t row = 0; row < frames->rows; row++)
        add_row(frames, row, sums);
    for (uint32_t c = 0; c < frames->columns; c++)
        if (adds_up(frames, c)) { /* excludes metrics */
            names[totals.count] = frames->names[c];
            sums[totals.count++] = sums[c];
        }
    for (size_t i = 0; ok && i < count; i++) {
        const double value = metric_value(&metrics[i], &totals);
        double recorded;
        ok = run_json_metric(run, dir, metrics[i].name, &recorded, err);
        if (ok && !isnan(value) && !isnan(recorded) &&
            !(fabs(value - recorded) <= 1e-9 * fabs(value)))
            ok = fail(err, "%s is %.6g from the table of frames, but %.6g in run.json",
                      metrics[i].name, value, recorded);
    }
    free(names);
    free(sums);
    return ok;
}

/* ---- tables against each other ---- */

static bool
check_sums(const struct csv_table *draws, const double *sums, const struct csv_table *frames,
           uint32_t row, uint32_t frame, struct error *err)
{
    for (uint32_t c = 0; c < draws->columns; c++) {
        const int32_t other = adds_up(draws, c) ? csv_column(frames, draws->names[c]) : -1;
        if (other >= 0 && csv_value(frames, row, other) != sums[c])
            return fail(
                err, "frame %u: %s is %.0f in the table of frames, but %.0f in the table of draws",
                frame, draws->names[c], csv_value(frames, row, other), sums[c]);
    }
    return true;
}

/* Row of a frame; -1: no such row. */
static int64_t
row_of(const struct csv_table *frames, int32_t column, double frame)
{
    for (uint32_t r = 0; column >= 0 && r < frames->rows; r++)
        if (csv_value(frames, r, column) == frame)
            return r;
    return -1;
}

static bool
check_frames(const struct run_json *run, const struct csv_table *table,
             const struct csv_table *frames, struct error *err)
{
    const int32_t frame = csv_column(table, "frame"), cycles = csv_column(table, "cycles");
    const int32_t other = csv_column(frames, "frame");
    bool ok = frame >= 0 && cycles >= 0;
    if (!ok)
        return fail(err, "the tables have no cycles per frame");
    for (uint32_t row = 0; ok && row < table->rows;) {
        const uint32_t number = (uint32_t)csv_value(table, row, frame);
        const int64_t beside = row_of(frames, other, number);
        double *sums = sums_of_frame(table, frame, &row);
        ok = check_cycles(run, number, sums[cycles], err) &&
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
    struct run_json run = {0}; /* if missing, only the tables are checked against each other */
    if (is_run_folder(dir) && !run_json_read(&run, dir, err)) {
        free(path);
        return false;
    }
    bool ok = !file_exists(path) || csv_read(&frames, path, err);
    ok = ok && check_frames(&run, table, &frames, err);
    if (ok && frames.rows && run.is_complete)
        ok = check_metrics(&run, dir, &frames, params, err);
    csv_table_fini(&frames);
    run_json_fini(&run);
    free(path);
    return ok || fail_prefix(err, "%s was modified, or another version made it", dir);
}
