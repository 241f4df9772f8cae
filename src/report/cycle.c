#include "report/cycle.h"

#include "kernel/clock.h"

#include <inttypes.h>

void
cycle_put(struct sheet *sheet, uint64_t cycle)
{
    if (cycle == CYCLE_NEVER)
        sheet_cell(sheet, "-");
    else
        sheet_cell(sheet, "%" PRIu64, cycle);
}

void
cycle_add(cJSON *object, const char *name, uint64_t cycle)
{
    if (cycle == CYCLE_NEVER)
        cJSON_AddNullToObject(object, name);
    else
        cJSON_AddNumberToObject(object, name, (double)cycle);
}
