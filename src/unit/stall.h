/* Counts a unit's idle cycles by cause. A unit notes a cause each time it is clocked. A waiting
 * unit may sleep, so all cycles until its next clock are counted for that cause. */
#ifndef AETIUS_UNIT_STALL_H
#define AETIUS_UNIT_STALL_H

#include <stdint.h>

struct stall {
    uint64_t *counter; /* NULL: the unit worked or had no input */
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
