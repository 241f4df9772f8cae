/* Computes a plan's outputs from the tables of a run: per run, per frame or per draw. */
#ifndef AETIUS_SWEEP_OUTPUTS_H
#define AETIUS_SWEEP_OUTPUTS_H

#include "params/params.h"
#include "report/run/csv.h"
#include "report/run/metrics.h"
#include "sweep/plan.h"

/* Receives a value. `frame` is -1 for values per run. `draw` is -1 for values per run or per frame.
 * NaN: no value. */
typedef bool output_take_fn(void *data, size_t output, int64_t frame, int64_t draw, double value,
                            struct error *err);
/* `folder` is the folder of a run on a machine with `params`. */
bool outputs_read(const struct sweep_plan *plan, const char *folder, const struct params *params,
                  output_take_fn *take, void *data, struct error *err);

/* Fails if a formula is invalid or uses a name that the machine lacks. Also fails if an output with
 * a formula has the name of one of the machine's values. */
bool outputs_check(const struct sweep_plan *plan, const struct totals *totals, struct error *err);

/* Formulas over rows of a table. Metrics are recomputed from statistics. */
struct row_formulas;
struct row_formulas *row_formulas_create(const struct csv_table *table,
                                         const struct params *params);
void row_formulas_destroy(struct row_formulas *rows);
bool row_formulas_add(struct row_formulas *rows, const char *text, struct error *err);
/* Combines `count` rows, starting with row `first`. Peaks get their maximum, other columns their
 * sum. `frames`: number of frames; NaN if the rows are part of a frame. */
void row_formulas_load(struct row_formulas *rows, uint32_t first, uint32_t count, double frames);
/* `number`: in the order of row_formulas_add() */
double row_formulas_value(const struct row_formulas *rows, size_t number);

#endif
