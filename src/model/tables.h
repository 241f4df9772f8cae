/* Results of a model check as tables, for `aetius model` and the study. */
#ifndef AETIUS_MODEL_TABLES_H
#define AETIUS_MODEL_TABLES_H

#include "base/text_table.h"
#include "model/check.h"

/* One row per stage, and for mass-spring one row per number of stages. Columns: mean errors of both
 * halves, worst error, budget. */
void model_stages_sheet(struct text_table *sheet, const struct model_check *check);
/* One row per mass-spring case, in frames per second. Returns false if there is no such case. */
bool model_springs_sheet(struct text_table *sheet, const struct model_check *check,
                         const struct model_rows *rows);
/* Finds up to `most` rows with the largest errors, worst first. Returns their number. */
uint32_t model_worst_rows(const struct model_check *check, const struct model_rows *rows,
                          size_t *worst, uint32_t most);
/* Describes the measurement of a row, with the names of row.def. */
void model_row_describe(const struct model_row *row, char *text, size_t size);

#endif
