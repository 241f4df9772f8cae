#include "report/compare_runs.h"

#include "base/file.h"
#include "base/mem.h"
#include "kernel/params.h"
#include "report/csv.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool
has_file(const char *dir, const char *name)
{
    char *path = mem_printf("%s/%s", dir, name);
    bool there = file_exists(path);
    free(path);
    return there;
}

bool
is_run_folder(const char *dir)
{
    return has_file(dir, "run.json");
}

static bool
read_cycles(const char *dir, double *cycles, struct error *err)
{
    char *path = mem_printf("%s/run.json", dir), *bytes = NULL;
    size_t size;
    cJSON *root = NULL;
    bool ok = file_read(path, &bytes, &size, err);
    if (ok && !(root = cJSON_ParseWithLength(bytes, size)))
        ok = fail(err, "%s is no JSON", path);
    const cJSON *number = cJSON_GetObjectItemCaseSensitive(root, "cycles");
    *cycles = cJSON_IsNumber(number) ? number->valuedouble : (double)NAN;
    cJSON_Delete(root);
    free(bytes);
    free(path);
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
    out->machine = mem_alloc(count * sizeof *out->machine);
    for (size_t i = 0; i < count; i++) {
        struct machine_difference *d = &out->machine[out->machine_count];
        param_format(&infos[i], &a, d->a, sizeof d->a);
        param_format(&infos[i], &b, d->b, sizeof d->b);
        snprintf(d->name, sizeof d->name, "%s.%s", infos[i].section, infos[i].name);
        out->machine_count += strcmp(d->a, d->b) != 0;
    }
    return true;
}

static uint64_t
column_sum(const struct csv_table *table, uint32_t column)
{
    uint64_t sum = 0;
    for (uint32_t row = 0; row < table->rows; row++)
        sum += table->values[(size_t)row * table->columns + column];
    return sum;
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
    bool ok = csv_read(table, path, err);
    free(path);
    return ok;
}

/* The statistics that both runs have: units that only one machine has cannot have moved. */
static bool
compare_stats(const char *dir_a, const char *dir_b, struct run_comparison *out, struct error *err)
{
    struct csv_table a = {0}, b = {0};
    bool ok = read_frames(dir_a, &a, err) && read_frames(dir_b, &b, err);
    out->moves = ok ? mem_alloc(a.columns * sizeof *out->moves) : NULL;
    for (uint32_t i = 0; ok && i < a.columns; i++) {
        int32_t other = csv_column(&b, a.names[i]);
        if (other < 0 || !strcmp(a.names[i], "frame"))
            continue;
        uint64_t sum_a = column_sum(&a, i), sum_b = column_sum(&b, (uint32_t)other);
        if (sum_a == sum_b)
            continue;
        double off = sum_a > sum_b ? (double)(sum_a - sum_b) : (double)(sum_b - sum_a);
        out->moves[out->move_count++] =
            (struct stat_move){mem_strdup(a.names[i]), sum_a, sum_b,
                               off / sqrt((double)(sum_a > sum_b ? sum_a : sum_b))};
    }
    if (ok)
        qsort(out->moves, out->move_count, sizeof *out->moves, heavier_first);
    csv_table_fini(&a);
    csv_table_fini(&b);
    return ok;
}

bool
compare_runs(const char *dir_a, const char *dir_b, struct run_comparison *out, struct error *err)
{
    memset(out, 0, sizeof *out);
    out->has_machines = has_file(dir_a, "machine.ini") && has_file(dir_b, "machine.ini");
    out->has_stats =
        has_file(dir_a, "stats.frames.csv.gz") && has_file(dir_b, "stats.frames.csv.gz");
    bool ok = read_cycles(dir_a, &out->cycles_a, err) && read_cycles(dir_b, &out->cycles_b, err) &&
              (!out->has_machines || compare_machines(dir_a, dir_b, out, err)) &&
              (!out->has_stats || compare_stats(dir_a, dir_b, out, err));
    if (!ok)
        run_comparison_fini(out);
    return ok;
}

void
run_comparison_fini(struct run_comparison *comparison)
{
    for (size_t i = 0; i < comparison->move_count; i++)
        free(comparison->moves[i].name);
    free(comparison->moves);
    free(comparison->machine);
    memset(comparison, 0, sizeof *comparison);
}
