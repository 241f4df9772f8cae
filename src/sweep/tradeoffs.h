/* Analyses of a sweep: machines on a Pareto front, and the effect of each parameter. */
#ifndef AETIUS_SWEEP_TRADEOFFS_H
#define AETIUS_SWEEP_TRADEOFFS_H

#include "base/error.h"
#include "base/text_table.h"

#include <sqlite3.h>

/* Marks the Pareto front: the points that no other point beats. A point beats another if it is no
 * worse in both values and better in one. Equal points are on the front together. Points with NaN
 * are never on it. */
void pareto_front(const double *a, const double *b, size_t count, bool more_a, bool more_b,
                  bool *front);

/* The machines on the front of two outputs of results.db, sorted by `a`, best first. `input`
 * selects the values; NULL: geometric means over all inputs. *left_out: number of machines that
 * lack values or a geometric mean. */
bool pareto_table(sqlite3 *db, const char *a, const char *b, const char *input,
                  struct text_table *rows, size_t *left_out, struct error *err);

/* One row per parameter. Runs that differ only in this parameter are paired, each value with the
 * next higher one. The row has the mean of |change| of each output, followed by + or - if all pairs
 * changed in that direction. Parameters that always change together form one row. */
bool sensitivity_table(sqlite3 *db, struct text_table *rows, struct error *err);

#endif
