#include "report/compare/compare_runs.h"

#include "base/file.h"
#include "base/mem.h"
#include "params/params.h"
#include "report/run/csv.h"
#include "report/run/metrics.h"
#include "report/run/run_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool
compare_metrics(const struct run_json *a, const struct run_json *b, const char *dir_a,
                const char *dir_b, struct run_comparison *out, struct error *err)
{
    size_t count;
    const struct metric *metrics = metrics_all(&count);
    out->metrics = mem_array(count, sizeof *out->metrics);
    for (size_t i = 0; i < count; i++) {
        struct metric_move move = {metrics[i].name, metrics[i].unit, 0, 0};
        if (!run_json_metric(a, dir_a, metrics[i].name, &move.a, err) ||
            !run_json_metric(b, dir_b, metrics[i].name, &move.b, err))
            return false;
        if (isnan(move.a) || isnan(move.b))
            continue;
        out->metrics[out->metric_count++] = move;
        out->metrics_moved += move.a != move.b;
    }
    return true;
}

/* The program's name without its folder, because the same program may be installed elsewhere. */
static const char *
program_of(const struct run_json *run)
{
    const char *slash = run->program ? strrchr(run->program, '/') : NULL;
    return slash ? slash + 1 : run->program;
}

static void
compare_programs(const struct run_json *a, const struct run_json *b, struct run_comparison *out)
{
    const char *program_a = program_of(a), *program_b = program_of(b);
    if (program_a && program_b && strcmp(program_a, program_b) != 0)
        snprintf(out->unlike, sizeof out->unlike, "of the programs %.100s and %.100s", program_a,
                 program_b);
}

static bool
differ(double a, double b)
{
    return a != b && !(isnan(a) && isnan(b));
}

/* Compares the frames: numbers, mode and size. */
static void
compare_frames(const struct run_json *a, const struct run_json *b, struct run_comparison *out)
{
    const char *mode_a = a->mode ? a->mode : "", *mode_b = b->mode ? b->mode : "";
    size_t i = 0;
    while (i < a->per_frame_count && i < b->per_frame_count &&
           !differ(a->per_frame[i].number, b->per_frame[i].number))
        i++;
    if (strcmp(mode_a, mode_b) != 0)
        snprintf(out->unlike, sizeof out->unlike, "%.20s and %.20s", mode_a, mode_b);
    else if (differ(out->frames_a, out->frames_b))
        snprintf(out->unlike, sizeof out->unlike, "of %.0f and %.0f frames", out->frames_a,
                 out->frames_b);
    else if (i < a->per_frame_count && i < b->per_frame_count)
        snprintf(out->unlike, sizeof out->unlike, "of different frames, e.g. %.0f and %.0f",
                 a->per_frame[i].number, b->per_frame[i].number);
    else if (differ(a->width, b->width) || differ(a->height, b->height))
        snprintf(out->unlike, sizeof out->unlike, "of frames of %.0fx%.0f and %.0fx%.0f", a->width,
                 a->height, b->width, b->height);
}

/* Checks that run.json has the figures that a comparison needs. */
static bool
has_figures(const struct run_json *run, const char *dir, struct error *err)
{
    return (!isnan(run->cycles) && !isnan(run->frames)) ||
           fail(err, "%s/run.json: %s is not a number", dir,
                isnan(run->cycles) ? "cycles" : "frames");
}

static bool
compare_figures(const char *dir_a, const char *dir_b, struct run_comparison *out, struct error *err)
{
    struct run_json a = {0}, b = {0};
    const bool ok = run_json_read(&a, dir_a, err) && has_figures(&a, dir_a, err) &&
                    run_json_read(&b, dir_b, err) && has_figures(&b, dir_b, err) &&
                    compare_metrics(&a, &b, dir_a, dir_b, out, err);
    if (ok) {
        out->cycles_a = a.cycles;
        out->cycles_b = b.cycles;
        out->frames_a = a.frames;
        out->frames_b = b.frames;
        out->complete_a = a.is_complete;
        out->complete_b = b.is_complete;
        compare_frames(&a, &b, out);
        compare_programs(&a, &b, out);
    }
    run_json_fini(&a);
    run_json_fini(&b);
    return ok;
}

static bool
load_machine(const char *dir, struct params *params, struct error *err)
{
    char *path = mem_printf("%s/machine.ini", dir);
    params_init(params);
    bool ok = params_load_file(params, path, err);
    free(path);
    return ok;
}

static bool
compare_machines(const char *dir_a, const char *dir_b, struct run_comparison *out,
                 struct error *err)
{
    struct params a, b;
    size_t count;
    if (!load_machine(dir_a, &a, err) || !load_machine(dir_b, &b, err))
        return false;
    const struct param_info *infos = param_infos(&count);
    out->machine = mem_array(count, sizeof *out->machine);
    for (size_t i = 0; i < count; i++) {
        struct machine_difference *d = &out->machine[out->machine_count];
        param_format(&infos[i], &a, d->a, sizeof d->a);
        param_format(&infos[i], &b, d->b, sizeof d->b);
        snprintf(d->name, sizeof d->name, "%s.%s", infos[i].section, infos[i].name);
        out->machine_count += strcmp(d->a, d->b) != 0;
    }
    return true;
}

/* Sum over all frames, or the maximum for a peak. */
static uint64_t
column_total(const struct csv_table *table, uint32_t column)
{
    const bool is_peak = csv_is_peak(table->names[column]);
    uint64_t total = 0;
    for (uint32_t row = 0; row < table->rows; row++) {
        const uint64_t value = table->values[(size_t)row * table->columns + column];
        if (!is_peak)
            total += value;
        else if (value > total)
            total = value;
    }
    return total;
}

static int
heavier_first(const void *left, const void *right)
{
    const struct stat_move *a = left, *b = right;
    if (a->weight != b->weight)
        return a->weight < b->weight ? 1 : -1;
    return strcmp(a->name, b->name);
}

static bool
read_frames(const char *dir, struct csv_table *table, struct error *err)
{
    char *path = mem_printf("%s/stats.frames.csv.gz", dir);
    bool ok = csv_read(table, path, err) &&
              (csv_column(table, "frame") >= 0 || fail(err, "%s is not a table of frames", path));
    free(path);
    return ok;
}

/* Totals of all statistics over all frames, in column order. */
static struct stat_move *
sum_table(const struct csv_table *table, size_t *count)
{
    struct stat_move *sums = mem_array(table->columns, sizeof *sums);
    *count = 0;
    for (uint32_t i = 0; i < table->columns; i++) {
        const char *name = table->names[i];
        if (!table->is_number[i] || !strcmp(name, "frame") || !strcmp(name, "schema") ||
            metric_find(name))
            continue;
        sums[(*count)++] = (struct stat_move){mem_strdup(name), column_total(table, i), 0, 0};
    }
    return sums;
}

static void
free_moves(struct stat_move *moves, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(moves[i].name);
    free(moves);
}

/* Compares the statistics of both runs. Omits units that only one machine has. */
static void
compare_tables(const struct csv_table *a, const struct csv_table *b, struct run_comparison *out)
{
    size_t count_a, count_b;
    struct stat_move *sums_a = sum_table(a, &count_a), *sums_b = sum_table(b, &count_b);
    out->moves = mem_array(count_a, sizeof *out->moves);
    for (size_t i = 0; i < count_a; i++)
        for (size_t j = 0; j < count_b; j++) {
            const uint64_t from = sums_a[i].a, to = sums_b[j].a;
            if (strcmp(sums_a[i].name, sums_b[j].name) != 0)
                continue;
            const double most = (double)(from > to ? from : to);
            const double off = (double)(from > to ? from - to : to - from);
            out->moves[out->move_count++] = (struct stat_move){
                mem_strdup(sums_a[i].name), from, to, off > 0 ? off / most * log2(1 + most) : 0};
            out->moved += from != to;
        }
    qsort(out->moves, out->move_count, sizeof *out->moves, heavier_first);
    free_moves(sums_a, count_a);
    free_moves(sums_b, count_b);
}

static bool
compare_stats(const char *dir_a, const char *dir_b, struct run_comparison *out, struct error *err)
{
    struct csv_table a = {0}, b = {0};
    const bool ok = read_frames(dir_a, &a, err) && read_frames(dir_b, &b, err);
    if (ok)
        compare_tables(&a, &b, out);
    csv_table_fini(&a);
    csv_table_fini(&b);
    return ok;
}

bool
compare_runs(const char *dir_a, const char *dir_b, struct run_comparison *out, struct error *err)
{
    memset(out, 0, sizeof *out);
    out->has_machines =
        file_exists_in(dir_a, "machine.ini") && file_exists_in(dir_b, "machine.ini");
    out->has_stats = file_exists_in(dir_a, "stats.frames.csv.gz") &&
                     file_exists_in(dir_b, "stats.frames.csv.gz");
    bool ok = compare_figures(dir_a, dir_b, out, err) &&
              (!out->has_machines || compare_machines(dir_a, dir_b, out, err)) &&
              (!out->has_stats || compare_stats(dir_a, dir_b, out, err));
    if (!ok)
        run_comparison_fini(out);
    return ok;
}

bool
run_comparison_is_no_effect(const struct run_comparison *comparison)
{
    return comparison->machine_count && comparison->has_stats && !comparison->moved &&
           comparison->cycles_a == comparison->cycles_b;
}

void
run_comparison_fini(struct run_comparison *comparison)
{
    free_moves(comparison->moves, comparison->move_count);
    free(comparison->metrics);
    free(comparison->machine);
    memset(comparison, 0, sizeof *comparison);
}
