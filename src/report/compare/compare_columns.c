#include "report/compare/compare_columns.h"

#include "base/mem.h"
#include "base/text_table.h"
#include "report/compare/compare_runs.h"
#include "report/run/run_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct line {
    char *name;
    double *values; /* per run; NaN: missing */
    double weight;  /* size of the change, for sorting */
};

struct compare_columns {
    const char *const *dirs;
    uint32_t count;
    struct run_comparison *runs; /* runs[i] compares run 0 with run i; runs[0] is unused */
    VEC(struct line) metrics;
    VEC(struct line) statistics;
};

static double *
empty_values(uint32_t count)
{
    double *values = mem_array(count, sizeof *values);
    for (uint32_t i = 0; i < count; i++)
        values[i] = (double)NAN;
    return values;
}

/* Adds the values of a run to the lines, which the first comparison determines. */
static void
add_run(struct compare_columns *c, uint32_t number)
{
    const struct run_comparison *run = &c->runs[number];
    for (size_t i = 0; i < run->metric_count; i++)
        for (size_t k = 0; k < c->metrics.count; k++)
            if (!strcmp(c->metrics.items[k].name, run->metrics[i].name))
                c->metrics.items[k].values[number] = run->metrics[i].b;
    for (size_t i = 0; i < run->move_count; i++)
        for (size_t k = 0; k < c->statistics.count; k++) {
            struct line *line = &c->statistics.items[k];
            if (strcmp(line->name, run->moves[i].name) != 0)
                continue;
            line->values[number] = (double)run->moves[i].b;
            if (run->moves[i].weight > line->weight)
                line->weight = run->moves[i].weight;
        }
}

static void
list_figures(struct compare_columns *c)
{
    const struct run_comparison *first = &c->runs[1];
    for (size_t i = 0; i < first->metric_count; i++) {
        struct line line = {mem_strdup(first->metrics[i].name), empty_values(c->count), 0};
        line.values[0] = first->metrics[i].a;
        VEC_PUSH(&c->metrics, line);
    }
    for (size_t i = 0; i < first->move_count; i++) {
        struct line line = {mem_strdup(first->moves[i].name), empty_values(c->count), 0};
        line.values[0] = (double)first->moves[i].a;
        VEC_PUSH(&c->statistics, line);
    }
}

static int
heavier_first(const void *left, const void *right)
{
    const struct line *a = left, *b = right;
    if (a->weight != b->weight)
        return a->weight < b->weight ? 1 : -1;
    return strcmp(a->name, b->name);
}

bool
compare_columns_make(struct compare_columns **out, const char *const *dirs, uint32_t count,
                     struct error *err)
{
    struct compare_columns *c = mem_alloc(sizeof *c);
    bool ok = true;
    c->dirs = dirs;
    c->count = count;
    c->runs = mem_array(count, sizeof *c->runs);
    for (uint32_t i = 0; i < count && ok; i++)
        ok = is_run_folder(dirs[i]) || fail(err, "%s is not a run folder", dirs[i]);
    for (uint32_t i = 1; i < count && ok; i++)
        ok = compare_runs(dirs[0], dirs[i], &c->runs[i], err);
    if (!ok) {
        compare_columns_destroy(c);
        return false;
    }
    list_figures(c);
    for (uint32_t i = 1; i < count; i++)
        add_run(c, i);
    if (c->statistics.count)
        qsort(c->statistics.items, c->statistics.count, sizeof *c->statistics.items, heavier_first);
    *out = c;
    return true;
}

void
compare_columns_destroy(struct compare_columns *c)
{
    for (size_t i = 0; i < c->metrics.count; i++) {
        free(c->metrics.items[i].name);
        free(c->metrics.items[i].values);
    }
    for (size_t i = 0; i < c->statistics.count; i++) {
        free(c->statistics.items[i].name);
        free(c->statistics.items[i].values);
    }
    for (uint32_t i = 1; i < c->count; i++)
        run_comparison_fini(&c->runs[i]);
    VEC_FREE(&c->metrics);
    VEC_FREE(&c->statistics);
    free(c->runs);
    free(c);
}

/* Value of a parameter in a run. Returns `same` if it does not differ from the first run's. */
static const char *
value_of(const struct compare_columns *c, uint32_t run, const char *name, const char *same)
{
    for (size_t i = 0; run && i < c->runs[run].machine_count; i++)
        if (!strcmp(c->runs[run].machine[i].name, name))
            return c->runs[run].machine[i].b;
    return same;
}

/* Calls `take` once per parameter that differs between any machine and the first. */
static void
each_parameter(const struct compare_columns *c,
               void (*take)(void *data, const char *name, const char *first), void *data)
{
    for (uint32_t run = 1; run < c->count; run++)
        for (size_t i = 0; i < c->runs[run].machine_count; i++) {
            const struct machine_difference *d = &c->runs[run].machine[i];
            bool seen = false;
            for (uint32_t before = 1; before < run; before++)
                seen |= value_of(c, before, d->name, NULL) != NULL;
            if (!seen)
                take(data, d->name, d->a);
        }
}

struct printing {
    const struct compare_columns *columns;
    struct text_table *table;
    cJSON *object;
};

static void
put_parameter(void *data, const char *name, const char *first)
{
    const struct printing *p = data;
    text_table_cell(p->table, "%s", name);
    for (uint32_t i = 0; i < p->columns->count; i++)
        text_table_cell(p->table, "%s", value_of(p->columns, i, name, first));
    text_table_end_row(p->table);
}

static void
put_line(struct text_table *table, const struct line *line, uint32_t count)
{
    text_table_cell(table, "%s", line->name);
    for (uint32_t i = 0; i < count; i++)
        if (isnan(line->values[i]))
            text_table_cell(table, "-");
        else
            text_table_cell(table, "%.10g", line->values[i]);
    text_table_end_row(table);
}

static double
cycles_of(const struct compare_columns *c, uint32_t run)
{
    return run ? c->runs[run].cycles_b : c->runs[1].cycles_a;
}

void
compare_columns_print(const struct compare_columns *c, uint32_t most, FILE *out)
{
    struct text_table table = {0};
    struct printing printing = {c, &table, NULL};
    text_table_cell(&table, "%s", "");
    for (uint32_t i = 0; i < c->count; i++) {
        const size_t n = strlen(c->dirs[i]);
        text_table_cell(&table, "%s", n > 14 ? c->dirs[i] + n - 14 : c->dirs[i]);
    }
    text_table_end_row(&table);
    each_parameter(c, put_parameter, &printing);
    text_table_cell(&table, "cycles");
    for (uint32_t i = 0; i < c->count; i++)
        text_table_cell(&table, "%.0f", cycles_of(c, i));
    text_table_end_row(&table);
    text_table_cells(&table, "cycles, change|");
    for (uint32_t i = 1; i < c->count; i++)
        text_table_cell(&table, "%+.2f%%", 100 * (cycles_of(c, i) / cycles_of(c, 0) - 1));
    text_table_end_row(&table);
    for (size_t i = 0; i < c->metrics.count; i++)
        put_line(&table, &c->metrics.items[i], c->count);
    for (size_t i = 0; i < c->statistics.count && i < most && c->statistics.items[i].weight > 0;
         i++)
        put_line(&table, &c->statistics.items[i], c->count);
    for (uint32_t i = 1; i < c->count; i++)
        if (run_comparison_is_no_effect(&c->runs[i]))
            text_table_line(&table,
                            "no effect: the machine of %s differs, but all statistics are equal",
                            c->dirs[i]);
    text_table_put(&table, TEXT_TABLE_TEXT, out);
}

static void
add_parameter(void *data, const char *name, const char *first)
{
    const struct printing *p = data;
    cJSON *list = cJSON_AddArrayToObject(p->object, name);
    for (uint32_t i = 0; i < p->columns->count; i++)
        cJSON_AddItemToArray(list, cJSON_CreateString(value_of(p->columns, i, name, first)));
}

static void
add_line(cJSON *object, const struct line *line, uint32_t count)
{
    cJSON *list = cJSON_AddArrayToObject(object, line->name);
    for (uint32_t i = 0; i < count; i++)
        cJSON_AddItemToArray(list, isnan(line->values[i]) ? cJSON_CreateNull()
                                                          : cJSON_CreateNumber(line->values[i]));
}

cJSON *
compare_columns_json(const struct compare_columns *c)
{
    cJSON *root = cJSON_CreateObject();
    cJSON *runs = cJSON_AddArrayToObject(root, "runs"), *cycles;
    for (uint32_t i = 0; i < c->count; i++)
        cJSON_AddItemToArray(runs, cJSON_CreateString(c->dirs[i]));
    struct printing printing = {c, NULL, cJSON_AddObjectToObject(root, "machine")};
    each_parameter(c, add_parameter, &printing);
    cycles = cJSON_AddArrayToObject(root, "cycles");
    for (uint32_t i = 0; i < c->count; i++)
        cJSON_AddItemToArray(cycles, cJSON_CreateNumber(cycles_of(c, i)));
    cJSON *metrics = cJSON_AddObjectToObject(root, "metrics");
    for (size_t i = 0; i < c->metrics.count; i++)
        add_line(metrics, &c->metrics.items[i], c->count);
    cJSON *statistics = cJSON_AddObjectToObject(root, "statistics");
    for (size_t i = 0; i < c->statistics.count; i++)
        add_line(statistics, &c->statistics.items[i], c->count);
    return root;
}
