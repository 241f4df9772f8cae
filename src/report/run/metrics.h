/* Metrics: formulas over the names of statistics and parameters (report/run/metrics.def). */
#ifndef AETIUS_REPORT_METRICS_H
#define AETIUS_REPORT_METRICS_H

#include "params/params.h"
#include "core/stats.h"

struct metric {
    const char *name, *unit, *formula, *doc;
};
const struct metric *metrics_all(size_t *count);
const struct metric *metric_find(const char *name); /* NULL: no such metric */

/* A compiled formula: + - * / ( ) and max(, ...) over numbers and over values addressed by index.
 * Division by zero is not an error. It gives NaN (no value), which propagates. */
struct formula {
    struct formula_op *items;
    size_t count, capacity;
};
/* Resolves a name to an index into the values. For a constant, sets *number and a negative *index.
 * Returns false if the name is unknown. */
typedef bool formula_resolve_fn(void *data, const char *name, int32_t *index, double *number);
bool formula_compile(struct formula *formula, const char *text, formula_resolve_fn *resolve,
                     void *data, struct error *err);
double formula_run(const struct formula *formula, const double *values);
void formula_fini(struct formula *formula);

/* Returns false if the name is unknown. */
typedef bool formula_lookup_fn(void *data, const char *name, double *value);
/* Compiles and evaluates a formula in one call. `lookup` resolves every name. */
bool formula_evaluate(const char *formula, formula_lookup_fn *lookup, void *data, double *value,
                      struct error *err);
/* The value of a numeric parameter; TRUE is 1. Returns false if there is no such parameter. */
bool param_number(const struct params *params, const char *name, double *value);

/* Totals by name: the columns of a table, or the entries of a statistics set. */
struct totals {
    const char *const *names;
    const double *values;
    size_t count;
    const struct params *params; /* may be NULL */
    struct totals_index *index;  /* from totals_index_names(); NULL: linear search */
};
/* Builds an index of all names and families with their sums, so that lookups need no search. Names
 * and values must not change afterwards. The caller frees the index with
 * totals_index_destroy(), which accepts NULL. */
struct totals_index *totals_index_names(const struct totals *totals);
void totals_index_destroy(struct totals_index *index);
/* A formula_lookup_fn over `struct totals`. It resolves a name, the sum of a family's instances, a
 * metric, or a parameter (TRUE is 1). */
bool totals_lookup(void *totals, const char *name, double *value);
/* Returns NaN if the totals lack a statistic of the formula. */
double metric_value(const struct metric *metric, const struct totals *totals);

#endif
