/* Invariants: conditions on the state of units that always hold. Examples: a queue has room, a
 * credit count is not negative, all references are returned by the end of a frame. Builds with
 * -Dinvariants=true check them. Other builds contain no code for them. A violation is a BUG() whose
 * message names the unit or queue, the cycle and the condition.
 *
 *     INVARIANT(&setup->module, setup->stored >= item->triangles);
 *
 * The condition must have no side effects. Put the check next to the code that could violate it.
 * Put conditions that hold between frames into the unit's reset function. */
#ifndef AETIUS_BASE_INVARIANT_H
#define AETIUS_BASE_INVARIANT_H

#include "base/error.h"

#include <inttypes.h>

#ifndef INVARIANTS
#define INVARIANTS 0
#endif

/* `owner` points to a module, a queue or the pools, which have a name and a clock. */
#define INVARIANT(owner, condition)                                                                \
    BUG_ON(INVARIANTS && !(condition), "%s, cycle %" PRIu64 ": this does not hold: %s",            \
           (owner)->name, (owner)->clock->now, #condition)

#endif
