/* Metrics: formulas over the names of statistics and parameters (report/run/metrics.def). */
#ifndef AETIUS_REPORT_METRICS_H
#define AETIUS_REPORT_METRICS_H

#include "params/params.h"
#include "core/stats.h"

struct metric {
    const char *name, *unit, *formula, *doc;
};
const struct metric *metrics_all(size_t *count);
const struct metric *metric_find(const char *name); /* or NULL */

/* A formula made ready: + - * / ( ) max(, ...) over numbers and values that are known by their
 * place. A division by zero, and whatever is made from one, is NaN: no value, no error. */
struct formula {
    struct formula_op *items;
    size_t count, capacity;
};
/* What a name stands for: a place among the values, or a number (place < 0). False when there is no
 * such name. */
typedef bool formula_resolve_fn(void *data, const char *name, int32_t *index, double *number);
bool formula_compile(struct formula *formula, const char *text, formula_resolve_fn *resolve,
                     void *data, struct error *err);
double formula_run(const struct formula *formula, const double *values);
void formula_fini(struct formula *formula);

/* False when there is no such name. */
typedef bool formula_lookup_fn(void *data, const char *name, double *value);
/* At once, with all names looked up. */
bool formula_evaluate(const char *formula, formula_lookup_fn *lookup, void *data, double *value,
                      struct error *err);
/* A parameter that is a number, by its name; TRUE is 1. False when there is none. */
bool param_number(const struct params *params, const char *name, double *value);

/* Totals by name: the columns of a table, or the entries of a set. */
struct totals {
    const char *const *names;
    const double *values;
    size_t count;
    const struct params *params; /* or NULL */
    struct totals_index *index; /* from totals_index_names(); NULL: names are searched one by one */
};
/* Sums of all names and families, so that a lookup takes no search. Of names and values that do not
 * change any more; free() gives it back. */
struct totals_index *totals_index_names(const struct totals *totals);
/* The lookup over `struct totals`: a name, the sum of its instances, a metric, or a parameter (TRUE
 * is 1). */
bool totals_lookup(void *totals, const char *name, double *value);
/* NaN when the statistics it speaks of are not there. */
double metric_value(const struct metric *metric, const struct totals *totals);

#endif
