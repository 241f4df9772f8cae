#include "rigs/columns.h"

#include "core/path.h"

#include <stdio.h>

static const char *const statistics[] = {
#define GROUP(unit, section, doc)                      #unit ".busy_cycles",
#define STAT(unit, name, measure, doc)                 #unit "." #name,
#define MEMBER(unit, array, index, name, measure, doc) #unit "." #name,
#include "unit/stats.def"
};

void
columns_add(void (*add)(void *to, const char *name), void *to)
{
    uint32_t count;
    const struct path_branch *branches = path_branches(&count);
    add(to, "frame");
    add(to, "cycles");
    for (size_t i = 0; i < sizeof statistics / sizeof *statistics; i++)
        add(to, statistics[i]);
    for (uint32_t b = 0; b < count; b++) {
        char name[64];
        snprintf(name, sizeof name, "lost.%s", branches[b].name);
        if (branches[b].cause >= 0)
            add(to, name);
    }
}
