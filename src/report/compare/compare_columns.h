/* Several runs side by side: a column a run, a line a figure. */
#ifndef AETIUS_REPORT_COMPARE_COLUMNS_H
#define AETIUS_REPORT_COMPARE_COLUMNS_H

#include "base/error.h"

#include <cjson/cJSON.h>
#include <stdint.h>
#include <stdio.h>

/* All are run folders, the first is what the others are held against. Lines: parameters in which
 * machines differ, cycles, metrics, and of the statistics the `most` that moved most. */
struct compare_columns;
bool compare_columns_make(struct compare_columns **columns, const char *const *dirs, uint32_t count,
                          struct error *err);
void compare_columns_print(const struct compare_columns *columns, uint32_t most, FILE *out);
cJSON *compare_columns_json(const struct compare_columns *columns);
void compare_columns_destroy(struct compare_columns *columns);

#endif
