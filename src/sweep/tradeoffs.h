/* What a sweep says of its machines: those that no other one beats, and which parameter moves what.
 */
#ifndef AETIUS_SWEEP_TRADEOFFS_H
#define AETIUS_SWEEP_TRADEOFFS_H

#include "base/error.h"
#include "base/text_table.h"

#include <sqlite3.h>

/* Marks the points that no other one beats: no worse in both and better in one. Equal points are on
 * the front together; NaN is on none. */
void pareto_front(const double *a, const double *b, size_t count, bool more_a, bool more_b,
                  bool *front);

/* The machines on the front of two outputs of results.db, the best in `a` first: of one input, or
 * (NULL) of the geometric means over all. *left_out machines have not all values, or some that
 * have no such mean. */
bool pareto_table(sqlite3 *db, const char *a, const char *b, const char *input,
                  struct text_table *rows, size_t *left_out, struct error *err);

/* A row a parameter: over all pairs of runs that differ in it alone, from each value to the next
 * higher one, the mean of |change| of each output, with + or - where all of them went that way.
 * Parameters that always change together are one. */
bool sensitivity_table(sqlite3 *db, struct text_table *rows, struct error *err);

#endif
