/* Cycles in which a unit did nothing, by cause: the unit notes a cause each time it is clocked, and
 * the cycles until it is clocked again are counted to that cause (a unit that waits may sleep). */
#ifndef AETIUS_UNIT_STALL_H
#define AETIUS_UNIT_STALL_H

#include <stdint.h>

struct stall {
    uint64_t *counter; /* NULL: it worked, or nothing came */
    uint64_t since;
};

static inline void
stall_note(struct stall *stall, uint64_t *counter, uint64_t now)
{
    if (stall->counter)
        *stall->counter += now - stall->since;
    stall->counter = counter;
    stall->since = now;
}

#endif
