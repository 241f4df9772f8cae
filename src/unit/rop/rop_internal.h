/* Interface between the steps of quads (rop.c) and the orders (rop_orders.c) of a ROP. */
#ifndef AETIUS_UNIT_ROP_INTERNAL_H
#define AETIUS_UNIT_ROP_INTERNAL_H

#include "unit/rop/rop.h"

/* Whether the steps hold no quad and no line of an order. */
static inline bool
rop_is_empty(const struct rop *rop)
{
    return rop->fetched == rop->left && !rop->has_next;
}

/* Locks lines of rop->next until all are locked or there is no room. Returns true if all are
 * locked. The entry has then passed the fetch step. */
bool rop_fetch_next(struct rop *rop, uint64_t now);

/* Continues the current order, or takes a new one. Returns false if there is no order. */
bool rop_exec_control(struct rop *rop, uint64_t now, bool *worked);

#endif
