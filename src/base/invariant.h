/* Invariants: conditions that always hold between units. Examples: a queue has room, a credit is
 * not negative, every reference is returned at the end of a frame. Builds with -Dinvariants=true
 * check them. Other builds contain no code for them. A violation is a BUG(): its line names the
 * unit or queue, the cycle and the condition.
 *
 *     INVARIANT(&setup->module, setup->stored >= item->triangles);
 *
 * The condition must not change anything. Put it beside the change that can violate it. A condition
 * that holds between frames goes into the unit's reset. */
#ifndef AETIUS_BASE_INVARIANT_H
#define AETIUS_BASE_INVARIANT_H

#include "base/error.h"

#include <inttypes.h>

#ifndef INVARIANTS
#define INVARIANTS 0
#endif

/* `owner`: a pointer to a module, a queue or the pools. They have a name and a clock. */
#define INVARIANT(owner, condition)                                                                \
    BUG_ON(INVARIANTS && !(condition), "%s, cycle %" PRIu64 ": this does not hold: %s",            \
           (owner)->name, (owner)->clock->now, #condition)

#endif
