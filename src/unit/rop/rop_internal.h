/* Between the way of quads through a ROP (rop.c) and its orders (rop_orders.c). */
#ifndef AETIUS_UNIT_ROP_INTERNAL_H
#define AETIUS_UNIT_ROP_INTERNAL_H

#include "unit/rop/rop.h"

/* No quad and no line of an order is on its way. */
static inline bool
rop_is_empty(const struct rop *rop)
{
    return rop->fetched == rop->left && !rop->has_next;
}

/* Locks the lines of rop->next, as many as there is room for now; true: all, and it is fetched. */
bool rop_fetch_next(struct rop *rop, uint64_t now);

/* Goes on with the order in hand, or takes one; false: there is none. */
bool rop_exec_control(struct rop *rop, uint64_t now, bool *worked);

#endif
