/* Parallel test or setup units: each takes an item and is free again some cycles later. They are
 * used in turn; since all take equally long the next in turn is always the first to be free. */
#ifndef AETIUS_UNIT_LANES_H
#define AETIUS_UNIT_LANES_H

#include "core/clock.h"

enum { LANES_MAX = 64 };

struct lanes {
    uint32_t count, next;
    uint64_t free_cycle[LANES_MAX];
};

/* Whether one can start an item now; else the module is woken when one can. */
static inline bool
lanes_are_free(const struct lanes *lanes, struct module *module, uint64_t now)
{
    const uint64_t cycle = lanes->free_cycle[lanes->next];
    if (cycle <= now)
        return true;
    module_wake_at(module, cycle);
    return false;
}

/* One starts an item that keeps it for `cycles`. */
static inline void
lanes_start(struct lanes *lanes, uint64_t now, uint64_t cycles)
{
    lanes->free_cycle[lanes->next] = now + cycles;
    lanes->next = lanes->next + 1 == lanes->count ? 0 : lanes->next + 1;
}

#endif
