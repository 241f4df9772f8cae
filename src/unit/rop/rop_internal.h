/* Interface between the steps of quads (rop.c) and the orders (rop_orders.c) of a ROP. */
#ifndef AETIUS_UNIT_ROP_INTERNAL_H
#define AETIUS_UNIT_ROP_INTERNAL_H

#include "unit/rop/rop.h"

/* No quad and no line of an order is in a step. */
static inline bool
rop_is_empty(const struct rop *rop)
{
    return rop->fetched == rop->left && !rop->has_next;
}

/* Locks as many lines of rop->next as there is room for. Returns true if all are locked; then the
 * entry is fetched. */
bool rop_fetch_next(struct rop *rop, uint64_t now);

/* Continues the current order, or takes a new one. Returns false if there is none. */
bool rop_exec_control(struct rop *rop, uint64_t now, bool *worked);

#endif
