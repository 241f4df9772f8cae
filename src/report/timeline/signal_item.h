/* Describes an item in a queue by the columns of the items table (docs/tables.md, Items in queues).
 */
#ifndef AETIUS_REPORT_SIGNAL_ITEM_H
#define AETIUS_REPORT_SIGNAL_ITEM_H

#include "sim/traffic.h"

#define SIGNAL_UNKNOWN UINT64_MAX

struct signal_item {
    const char *name;                                             /* static */
    uint64_t draw, triangle, vertex, x, y, thread_group, address; /* or SIGNAL_UNKNOWN */
};

/* Copies the fields, because the objects of an item change after it leaves the queue. */
struct signal_item signal_item(enum traffic_kind kind, const void *item);

#endif
