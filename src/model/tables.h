/* What a check of the model found, as tables: of `aetius model` and of the study. */
#ifndef AETIUS_MODEL_TABLES_H
#define AETIUS_MODEL_TABLES_H

#include "base/text_table.h"
#include "model/check.h"

/* A row a stage, and for mass-spring one by how many were used: mean errors of both halves, the
 * worst, and the budget. */
void model_stages_sheet(struct text_table *sheet, const struct model_check *check);
/* A row a case of mass-spring, in frames a second; false: there is none. */
bool model_springs_sheet(struct text_table *sheet, const struct model_check *check,
                         const struct model_rows *rows);
/* Those farthest off, worst first; how many there are, at most `most`. */
uint32_t model_worst_rows(const struct model_check *check, const struct model_rows *rows,
                          size_t *worst, uint32_t most);
/* What a row measured, in words of row.def. */
void model_row_describe(const struct model_row *row, char *text, size_t size);

#endif
