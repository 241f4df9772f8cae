/* Parallel test or setup units, called lanes. A lane takes an item and is busy for some cycles. All
 * items take equally long, so the next lane in turn is always the first to become free. */
#ifndef AETIUS_UNIT_LANES_H
#define AETIUS_UNIT_LANES_H

#include "core/clock.h"

enum { LANES_MAX = 64 };

struct lanes {
    uint32_t count, next;
    uint64_t free_cycle[LANES_MAX];
};

/* Returns whether the next lane can start an item now. If not, wakes the module in the cycle in
 * which the lane becomes free. */
static inline bool
lanes_are_free(const struct lanes *lanes, struct module *module, uint64_t now)
{
    const uint64_t cycle = lanes->free_cycle[lanes->next];
    if (cycle <= now)
        return true;
    module_wake_at(module, cycle);
    return false;
}

/* Starts an item that occupies a lane for `cycles` cycles. */
static inline void
lanes_start(struct lanes *lanes, uint64_t now, uint64_t cycles)
{
    lanes->free_cycle[lanes->next] = now + cycles;
    lanes->next = lanes->next + 1 == lanes->count ? 0 : lanes->next + 1;
}

#endif
