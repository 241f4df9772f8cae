#include "sweep/database.h"
#include "sweep/tradeoffs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Smaller values are better. Outputs for which more is better are negated. */
struct point {
    double a, b;
    size_t number;
};

static int
better_first(const void *left, const void *right)
{
    const struct point *p = left, *q = right;
    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    if (p->b != q->b)
        return p->b < q->b ? -1 : 1;
    return p->number < q->number ? -1 : 1;
}

void
pareto_front(const double *a, const double *b, size_t count, bool more_a, bool more_b, bool *front)
{
    struct point *points = mem_array(count + 1, sizeof *points);
    const struct point *last = NULL; /* last point found on the front */
    size_t finite = 0;
    memset(front, 0, count * sizeof *front);
    for (size_t i = 0; i < count; i++)
        if (!isnan(a[i]) && !isnan(b[i]))
            points[finite++] = (struct point){more_a ? -a[i] : a[i], more_b ? -b[i] : b[i], i};
    qsort(points, finite, sizeof *points, better_first);
    for (size_t i = 0; i < finite; i++) {
        const struct point *p = &points[i];
        if (last && p->b >= last->b && !(p->a == last->a && p->b == last->b))
            continue;
        front[p->number] = true;
        last = p;
    }
    free(points);
}

struct machine_point {
    char *name;
    double logs[2], values[2]; /* logs: sums of logarithms; values: values for a single input */
    size_t inputs;
    bool has_mean;
};

struct pareto {
    sqlite3 *db;
    const char *outputs[2], *input;
    bool more[2];
    size_t inputs; /* number of inputs that each machine should have */
    VEC(struct machine_point) machines;
    struct error *err;
};

/* Reads whether more or less is better for an output. Fails if the output is missing. */
static bool
read_definition(struct pareto *p, uint32_t which)
{
    sqlite3_stmt *statement = NULL;
    bool ok = sqlite3_prepare_v2(p->db, "SELECT better = 'more' FROM definitions WHERE name = ?",
                                 -1, &statement, NULL) == SQLITE_OK ||
              sql_fail(p->db, "results.db", p->err);
    if (ok) {
        sqlite3_bind_text(statement, 1, p->outputs[which], -1, SQLITE_TRANSIENT);
        ok = sqlite3_step(statement) == SQLITE_ROW ||
             fail(p->err, "the plan has no output %s", p->outputs[which]);
        p->more[which] = ok && sqlite3_column_int(statement, 0);
    }
    sqlite3_finalize(statement);
    return ok;
}

static void
add_value(struct pareto *p, const char *machine, const double values[2])
{
    /* Runs of a machine are adjacent in a plan. */
    if (!p->machines.count || strcmp(p->machines.items[p->machines.count - 1].name, machine) != 0)
        VEC_PUSH(&p->machines,
                 ((struct machine_point){.name = mem_strdup(machine), .has_mean = true}));
    struct machine_point *point = &p->machines.items[p->machines.count - 1];
    point->inputs++;
    for (uint32_t o = 0; o < 2; o++) {
        point->values[o] = values[o];
        point->has_mean = point->has_mean && values[o] > 0;
        point->logs[o] += values[o] > 0 ? log(values[o]) : 0;
    }
}

static double
column(sqlite3_stmt *statement, int place)
{
    return sqlite3_column_type(statement, place) == SQLITE_NULL
               ? (double)NAN
               : sqlite3_column_double(statement, place);
}

static bool
read_machines(struct pareto *p)
{
    static const char sql[] =
        "SELECT r.machine, a.value, b.value, (SELECT count(DISTINCT input) FROM runs) FROM runs r "
        "JOIN outputs a ON a.run = r.run AND a.name = ?1 AND a.frame IS NULL AND a.draw IS NULL "
        "JOIN outputs b ON b.run = r.run AND b.name = ?2 AND b.frame IS NULL AND b.draw IS NULL "
        "WHERE ?3 IS NULL OR r.input = ?3 ORDER BY r.run";
    sqlite3_stmt *statement = NULL;
    int status;
    if (sqlite3_prepare_v2(p->db, sql, -1, &statement, NULL) != SQLITE_OK)
        return sql_fail(p->db, "results.db", p->err);
    for (int o = 0; o < 2; o++)
        sqlite3_bind_text(statement, o + 1, p->outputs[o], -1, SQLITE_TRANSIENT);
    if (p->input)
        sqlite3_bind_text(statement, 3, p->input, -1, SQLITE_TRANSIENT);
    while ((status = sqlite3_step(statement)) == SQLITE_ROW) {
        const double values[2] = {column(statement, 1), column(statement, 2)};
        p->inputs = p->input ? 1 : (size_t)sqlite3_column_int64(statement, 3);
        add_value(p, (const char *)sqlite3_column_text(statement, 0), values);
    }
    const bool ok = status == SQLITE_DONE || sql_fail(p->db, "results.db", p->err);
    sqlite3_finalize(statement);
    return ok && (p->machines.count ||
                  fail(p->err, "no run has %s and %s%s%s: are they outputs by run?", p->outputs[0],
                       p->outputs[1], p->input ? " of " : "", p->input ? p->input : ""));
}

static void
make_rows(const struct pareto *p, struct text_table *rows, size_t *left_out)
{
    const size_t count = p->machines.count;
    double *values[2] = {mem_array(count, sizeof(double)), mem_array(count, sizeof(double))};
    bool *front = mem_array(count, sizeof *front);
    struct point *order = mem_array(count, sizeof *order);
    size_t on_front = 0;
    *left_out = 0;
    for (size_t i = 0; i < count; i++) {
        const struct machine_point *m = &p->machines.items[i];
        const bool whole = m->inputs == p->inputs && (p->inputs == 1 || m->has_mean);
        for (uint32_t o = 0; o < 2; o++)
            values[o][i] = !whole           ? (double)NAN
                           : p->inputs == 1 ? m->values[o]
                                            : exp(m->logs[o] / (double)m->inputs);
        *left_out += isnan(values[0][i]) || isnan(values[1][i]);
    }
    pareto_front(values[0], values[1], count, p->more[0], p->more[1], front);
    for (size_t i = 0; i < count; i++)
        if (front[i])
            order[on_front++] = (struct point){p->more[0] ? -values[0][i] : values[0][i],
                                               p->more[1] ? -values[1][i] : values[1][i], i};
    qsort(order, on_front, sizeof *order, better_first);
    text_table_cell(rows, "machine");
    text_table_cell(rows, "%s", p->outputs[0]);
    text_table_cell(rows, "%s", p->outputs[1]);
    text_table_end_row(rows);
    for (size_t i = 0; i < on_front; i++) {
        const size_t m = order[i].number;
        text_table_cell(rows, "%s", p->machines.items[m].name);
        text_table_cell(rows, "%.7g", values[0][m]);
        text_table_cell(rows, "%.7g", values[1][m]);
        text_table_end_row(rows);
    }
    free(order);
    free(front);
    free(values[0]);
    free(values[1]);
}

bool
pareto_table(sqlite3 *db, const char *a, const char *b, const char *input, struct text_table *rows,
             size_t *left_out, struct error *err)
{
    struct pareto p = {.db = db, .outputs = {a, b}, .input = input, .err = err};
    const bool ok = read_definition(&p, 0) && read_definition(&p, 1) && read_machines(&p);
    if (ok)
        make_rows(&p, rows, left_out);
    for (size_t i = 0; i < p.machines.count; i++)
        free(p.machines.items[i].name);
    VEC_FREE(&p.machines);
    return ok;
}
