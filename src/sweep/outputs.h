/* A plan's outputs from the tables of a run: of the whole run, of frames, of draws. */
#ifndef AETIUS_SWEEP_OUTPUTS_H
#define AETIUS_SWEEP_OUTPUTS_H

#include "params/params.h"
#include "report/run/csv.h"
#include "report/run/metrics.h"
#include "sweep/plan.h"

/* A value: `frame` and `draw` are -1 where it is of all of them; NaN: it has none. */
typedef bool output_take_fn(void *data, size_t output, int64_t frame, int64_t draw, double value,
                            struct error *err);
/* `folder`: of a run on the machine `params`. */
bool outputs_read(const struct sweep_plan *plan, const char *folder, const struct params *params,
                  output_take_fn *take, void *data, struct error *err);

/* Whether the formulas can be read, and a machine that counts these has all that they speak of, and
 * nothing else under an output's name. */
bool outputs_check(const struct sweep_plan *plan, const struct totals *totals, struct error *err);

/* Formulas over the rows of a table, in which metrics are made anew from what was counted. */
struct row_formulas;
struct row_formulas *row_formulas_create(const struct csv_table *table,
                                         const struct params *params);
void row_formulas_destroy(struct row_formulas *rows);
bool row_formulas_add(struct row_formulas *rows, const char *text, struct error *err);
/* Rows first to first + count - 1 put together: sums, and of peaks the most; so many frames (NaN:
 * part of one). */
void row_formulas_load(struct row_formulas *rows, uint32_t first, uint32_t count, double frames);
double row_formulas_value(const struct row_formulas *rows, size_t number); /* in order of adding */

#endif
