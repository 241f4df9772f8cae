/* Prints a cycle of the frame as a table cell or in JSON. CYCLE_NEVER becomes "-" or null. */
#ifndef AETIUS_REPORT_CYCLE_H
#define AETIUS_REPORT_CYCLE_H

#include "base/text_table.h"

#include <cjson/cJSON.h>
#include <stdint.h>

void cycle_put(struct text_table *sheet, uint64_t cycle);
void cycle_add(cJSON *object, const char *name, uint64_t cycle);

#endif
