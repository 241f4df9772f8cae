#include "sweep/database.h"
#include "sweep/tradeoffs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A parameter, or several parameters that always change together. */
struct factor {
    char *name;
    size_t names;       /* number of its parameters */
    int *values;        /* per run: index of its value in the sorted values */
    char *first, *last; /* lowest and highest value */
};

struct study_data {
    sqlite3 *db;
    size_t runs, outputs;
    int *inputs;      /* input of each run */
    VEC(int) numbers; /* run numbers in the database */
    VEC(char *) output_names;
    VEC(struct factor) factors;
    double *results; /* runs x outputs; NaN: missing */
    struct error *err;
};

static bool
prepare(struct study_data *d, const char *sql, sqlite3_stmt **statement)
{
    return sqlite3_prepare_v2(d->db, sql, -1, statement, NULL) == SQLITE_OK ||
           sql_fail(d->db, "results.db", d->err);
}

static size_t
find_run(const struct study_data *d, int number)
{
    size_t low = 0, high = d->numbers.count;
    while (low + 1 < high) {
        const size_t middle = (low + high) / 2;
        if (d->numbers.items[middle] <= number)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static bool
read_runs(struct study_data *d)
{
    sqlite3_stmt *statement = NULL;
    bool ok = prepare(d, "SELECT run, dense_rank() OVER (ORDER BY input) FROM runs ORDER BY run",
                      &statement);
    VEC(int) inputs = {0};
    while (ok && sqlite3_step(statement) == SQLITE_ROW) {
        VEC_PUSH(&d->numbers, sqlite3_column_int(statement, 0));
        VEC_PUSH(&inputs, sqlite3_column_int(statement, 1));
    }
    sqlite3_finalize(statement);
    d->inputs = inputs.items;
    d->runs = d->numbers.count;
    return ok && (d->runs || fail(d->err, "no run is complete yet"));
}

static bool
read_outputs(struct study_data *d)
{
    sqlite3_stmt *statement = NULL;
    bool ok =
        prepare(d,
                "SELECT d.name FROM definitions d WHERE EXISTS (SELECT * FROM outputs o WHERE "
                "o.name = d.name AND o.frame IS NULL AND o.draw IS NULL) ORDER BY d.rowid",
                &statement);
    while (ok && sqlite3_step(statement) == SQLITE_ROW)
        VEC_PUSH(&d->output_names, mem_strdup((const char *)sqlite3_column_text(statement, 0)));
    sqlite3_finalize(statement);
    d->outputs = d->output_names.count;
    d->results = mem_array(d->runs * d->outputs + 1, sizeof *d->results);
    for (size_t i = 0; i < d->runs * d->outputs; i++)
        d->results[i] = (double)NAN;
    for (size_t o = 0; ok && o < d->outputs; o++) {
        ok = prepare(d,
                     "SELECT run, value FROM outputs WHERE name = ? AND frame IS NULL AND draw IS "
                     "NULL AND value IS NOT NULL",
                     &statement);
        sqlite3_bind_text(statement, 1, d->output_names.items[o], -1, SQLITE_TRANSIENT);
        while (ok && sqlite3_step(statement) == SQLITE_ROW)
            d->results[find_run(d, sqlite3_column_int(statement, 0)) * d->outputs + o] =
                sqlite3_column_double(statement, 1);
        sqlite3_finalize(statement);
    }
    return ok;
}

/* Whether two factors partition the runs into the same groups and so change together. */
static bool
is_tied(const struct study_data *d, const struct factor *a, const struct factor *b)
{
    int most = 0;
    bool tied = true;
    for (size_t i = 0; i < d->runs; i++) {
        most = a->values[i] > most ? a->values[i] : most;
        most = b->values[i] > most ? b->values[i] : most;
    }
    int *to_b = mem_array((size_t)most + 1, sizeof *to_b);
    int *to_a = mem_array((size_t)most + 1, sizeof *to_a);
    for (size_t i = 0; i < d->runs && tied; i++) {
        const int x = a->values[i], y = b->values[i];
        tied = (!to_b[x] || to_b[x] == y + 1) && (!to_a[y] || to_a[y] == x + 1);
        to_b[x] = y + 1;
        to_a[y] = x + 1;
    }
    free(to_a);
    free(to_b);
    return tied;
}

static void
free_factor(struct factor *factor)
{
    free(factor->name);
    free(factor->values);
    free(factor->first);
    free(factor->last);
}

/* Adds a factor. If an existing factor always changes with it, adds the parameter to that
 * factor. */
static void
add_factor(struct study_data *d, struct factor *factor)
{
    for (size_t i = 0; i < d->factors.count; i++) {
        struct factor *other = &d->factors.items[i];
        if (!is_tied(d, other, factor))
            continue;
        if (++other->names == 2) {
            char *both = mem_printf("%s, %s", other->name, factor->name);
            free(other->name);
            other->name = both;
        }
        free_factor(factor);
        return;
    }
    VEC_PUSH(&d->factors, *factor);
}

static bool
read_factor(struct study_data *d, const char *name)
{
    sqlite3_stmt *statement = NULL;
    struct factor factor = {.name = mem_strdup(name), .names = 1};
    bool ok = prepare(d,
                      "SELECT run, dense_rank() OVER (ORDER BY value) - 1, value FROM params WHERE "
                      "name = ? ORDER BY value, run",
                      &statement);
    factor.values = mem_array(d->runs, sizeof *factor.values);
    sqlite3_bind_text(statement, 1, name, -1, SQLITE_TRANSIENT);
    while (ok && sqlite3_step(statement) == SQLITE_ROW) {
        const char *value = (const char *)sqlite3_column_text(statement, 2);
        factor.values[find_run(d, sqlite3_column_int(statement, 0))] =
            sqlite3_column_int(statement, 1);
        if (!factor.first)
            factor.first = mem_strdup(value);
        free(factor.last);
        factor.last = mem_strdup(value);
    }
    sqlite3_finalize(statement);
    if (ok)
        add_factor(d, &factor);
    else
        free_factor(&factor);
    return ok;
}

static bool
read_factors(struct study_data *d)
{
    sqlite3_stmt *statement = NULL;
    bool ok = prepare(d, "SELECT DISTINCT name FROM params ORDER BY name", &statement);
    while (ok && sqlite3_step(statement) == SQLITE_ROW)
        ok = read_factor(d, (const char *)sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    return ok;
}

struct order {
    const struct study_data *data;
    size_t factor; /* the factor that may differ */
};

/* Compares inputs and all other factors. Returns 0 if the runs differ at most in this factor. */
static int
compare_others(const struct order *order, size_t a, size_t b)
{
    const struct study_data *d = order->data;
    if (d->inputs[a] != d->inputs[b])
        return d->inputs[a] < d->inputs[b] ? -1 : 1;
    for (size_t f = 0; f < d->factors.count; f++) {
        const int *values = d->factors.items[f].values;
        if (f != order->factor && values[a] != values[b])
            return values[a] < values[b] ? -1 : 1;
    }
    return 0;
}

static int
compare_runs(const void *left, const void *right, void *data)
{
    const struct order *order = data;
    const size_t a = *(const size_t *)left, b = *(const size_t *)right;
    const int *values = order->data->factors.items[order->factor].values;
    const int others = compare_others(order, a, b);
    if (others)
        return others;
    return values[a] != values[b] ? (values[a] < values[b] ? -1 : 1) : a < b ? -1 : a > b;
}

struct effect {
    size_t factor, pairs;
    double *means; /* mean of |change| per output; NaN: missing */
    /* Per output: pairs that increased, pairs that decreased, all valid pairs. */
    size_t *up, *down, *of;
    double most;
};

static void
add_pair(const struct study_data *d, struct effect *effect, size_t from, size_t to)
{
    effect->pairs++;
    for (size_t o = 0; o < d->outputs; o++) {
        const double a = d->results[from * d->outputs + o], b = d->results[to * d->outputs + o];
        const double change = (b - a) / fabs(a);
        if (!isfinite(change))
            continue;
        effect->of[o]++;
        effect->up[o] += change > 0;
        effect->down[o] += change < 0;
        effect->means[o] += fabs(change);
    }
}

static struct effect
measure(const struct study_data *d, size_t factor)
{
    const struct order order = {d, factor};
    struct effect effect = {.factor = factor};
    size_t *runs = mem_array(d->runs, sizeof *runs);
    const int *values = d->factors.items[factor].values;
    effect.means = mem_array(d->outputs + 1, sizeof *effect.means);
    effect.up = mem_array(d->outputs + 1, sizeof *effect.up);
    effect.down = mem_array(d->outputs + 1, sizeof *effect.down);
    effect.of = mem_array(d->outputs + 1, sizeof *effect.of);
    for (size_t i = 0; i < d->runs; i++)
        runs[i] = i;
    qsort_r(runs, d->runs, sizeof *runs, compare_runs, (void *)&order);
    for (size_t i = 1; i < d->runs; i++)
        if (!compare_others(&order, runs[i - 1], runs[i]) && values[runs[i - 1]] != values[runs[i]])
            add_pair(d, &effect, runs[i - 1], runs[i]);
    for (size_t o = 0; o < d->outputs; o++) {
        effect.means[o] = effect.of[o] ? effect.means[o] / (double)effect.of[o] : (double)NAN;
        if (effect.means[o] > effect.most)
            effect.most = effect.means[o];
    }
    free(runs);
    return effect;
}

static int
most_first(const void *left, const void *right)
{
    const struct effect *a = left, *b = right;
    if (a->most != b->most)
        return a->most > b->most ? -1 : 1;
    return a->factor < b->factor ? -1 : 1;
}

static void
write_effect(const struct study_data *d, const struct effect *effect, struct text_table *rows)
{
    const struct factor *factor = &d->factors.items[effect->factor];
    if (factor->names > 2)
        text_table_cell(rows, "%s and %zu more", factor->name, factor->names - 2);
    else
        text_table_cell(rows, "%s", factor->name);
    text_table_cell(rows, "%s", factor->first);
    text_table_cell(rows, "%s", factor->last);
    text_table_cell(rows, "%zu", effect->pairs);
    for (size_t o = 0; o < d->outputs; o++) {
        const char *sign = effect->up[o] && effect->down[o] ? "+-"
                           : effect->up[o]                  ? "+"
                           : effect->down[o]                ? "-"
                                                            : "";
        if (isnan(effect->means[o]))
            text_table_cell(rows, "%s", "");
        else
            text_table_cell(rows, "%s%.2f %%", sign, 100 * effect->means[o]);
    }
    text_table_end_row(rows);
}

static void
write_rows(const struct study_data *d, struct text_table *rows)
{
    struct effect *effects = mem_array(d->factors.count + 1, sizeof *effects);
    text_table_cells(rows, "parameter|from|to|pairs");
    for (size_t o = 0; o < d->outputs; o++)
        text_table_cell(rows, "%s", d->output_names.items[o]);
    text_table_end_row(rows);
    for (size_t i = 0; i < d->factors.count; i++)
        effects[i] = measure(d, i);
    qsort(effects, d->factors.count, sizeof *effects, most_first);
    for (size_t i = 0; i < d->factors.count; i++) {
        write_effect(d, &effects[i], rows);
        free(effects[i].means);
        free(effects[i].up);
        free(effects[i].down);
        free(effects[i].of);
    }
    free(effects);
}

bool
sensitivity_table(sqlite3 *db, struct text_table *rows, struct error *err)
{
    struct study_data d = {.db = db, .err = err};
    const bool ok = read_runs(&d) && read_outputs(&d) && read_factors(&d);
    if (ok)
        write_rows(&d, rows);
    for (size_t i = 0; i < d.factors.count; i++)
        free_factor(&d.factors.items[i]);
    for (size_t i = 0; i < d.output_names.count; i++)
        free(d.output_names.items[i]);
    VEC_FREE(&d.factors);
    VEC_FREE(&d.output_names);
    VEC_FREE(&d.numbers);
    free(d.inputs);
    free(d.results);
    return ok;
}
