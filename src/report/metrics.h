/* Metrics: formulas over the names of statistics and parameters (report/metrics.def). */
#ifndef AETIUS_REPORT_METRICS_H
#define AETIUS_REPORT_METRICS_H

#include "kernel/params.h"
#include "kernel/stats.h"

struct metric {
    const char *name, *unit, *formula, *doc;
};
const struct metric *metrics_all(size_t *count);
const struct metric *metric_find(const char *name); /* or NULL */

/* False when there is no such name. */
typedef bool formula_lookup_fn(void *data, const char *name, double *value);

/* + - * / ( ) max(, ...) numbers and names. A division by zero, and whatever is made from one, is
 * NaN: no value, no error. */
bool formula_evaluate(const char *formula, formula_lookup_fn *lookup, void *data, double *value,
                      struct error *err);

/* Totals by name: the columns of a table, or the entries of a set. */
struct totals {
    const char *const *names;
    const double *values;
    size_t count;
    const struct params *params; /* or NULL */
};
/* The lookup over `struct totals`: a name, the sum of its instances, a metric, or a parameter (TRUE
 * is 1). */
bool totals_lookup(void *totals, const char *name, double *value);
/* NaN when the statistics it speaks of are not there. */
double metric_value(const struct metric *metric, const struct totals *totals);

#endif
