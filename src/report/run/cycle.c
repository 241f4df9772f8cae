#include "report/run/cycle.h"

#include "core/clock.h"

#include <inttypes.h>

void
cycle_put(struct text_table *sheet, uint64_t cycle)
{
    if (cycle == CYCLE_NEVER)
        text_table_cell(sheet, "-");
    else
        text_table_cell(sheet, "%" PRIu64, cycle);
}

void
cycle_add(cJSON *object, const char *name, uint64_t cycle)
{
    if (cycle == CYCLE_NEVER)
        cJSON_AddNullToObject(object, name);
    else
        cJSON_AddNumberToObject(object, name, (double)cycle);
}
