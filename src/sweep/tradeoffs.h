/* Analyses of a sweep: machines on a Pareto front, and the effect of each parameter. */
#ifndef AETIUS_SWEEP_TRADEOFFS_H
#define AETIUS_SWEEP_TRADEOFFS_H

#include "base/error.h"
#include "base/text_table.h"

#include <sqlite3.h>

/* Marks the Pareto front: points that no other point beats, i.e. is no worse in both values and
 * better in one. Equal points are on the front together. NaN is never on it. */
void pareto_front(const double *a, const double *b, size_t count, bool more_a, bool more_b,
                  bool *front);

/* The machines on the front of two outputs of results.db, best in `a` first. `input` selects the
 * values; NULL: geometric means over all inputs. *left_out: number of machines that lack values or
 * a geometric mean. */
bool pareto_table(sqlite3 *db, const char *a, const char *b, const char *input,
                  struct text_table *rows, size_t *left_out, struct error *err);

/* One row per parameter. Runs that differ only in it are paired, each value with the next higher
 * one. The row has the mean of |change| of each output, with + or - if all pairs changed in that
 * direction. Parameters that always change together form one row. */
bool sensitivity_table(sqlite3 *db, struct text_table *rows, struct error *err);

#endif
