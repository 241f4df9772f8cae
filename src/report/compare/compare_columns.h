/* Several runs side by side: one column per run, one line per figure. */
#ifndef AETIUS_REPORT_COMPARE_COLUMNS_H
#define AETIUS_REPORT_COMPARE_COLUMNS_H

#include "base/error.h"

#include <cjson/cJSON.h>
#include <stdint.h>
#include <stdio.h>

/* Compares run folders with the first one. Lines are parameters that differ, cycles, metrics, and
 * the `most` statistics with the largest change. The caller frees *columns with
 * compare_columns_destroy(). `dirs` must live until then. Returns false if a folder is not a run,
 * or its tables cannot be read. */
struct compare_columns;
bool compare_columns_make(struct compare_columns **columns, const char *const *dirs, uint32_t count,
                          struct error *err);
void compare_columns_print(const struct compare_columns *columns, uint32_t most, FILE *out);
/* The caller frees the object with cJSON_Delete(). */
cJSON *compare_columns_json(const struct compare_columns *columns);
void compare_columns_destroy(struct compare_columns *columns);

#endif
