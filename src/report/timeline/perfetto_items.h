/* The items in the queues of the machine, as part of a timeline (report/timeline/perfetto.h). Each
 * queue has a track with a slice for each item, from the cycle in which it entered to the cycle in
 * which it left. Slices of the same item in several queues belong to one flow. */
#ifndef AETIUS_REPORT_PERFETTO_ITEMS_H
#define AETIUS_REPORT_PERFETTO_ITEMS_H

#include "report/timeline/perfetto_packets.h"
#include "sim/simulation.h"

struct perfetto_items;

/* Observes the queues of the machine in cycles `first` to `last` of the run (inclusive). */
struct perfetto_items *perfetto_items_create(struct packets *packets, struct simulation *sim,
                                             uint64_t first, uint64_t last);
/* Ends the observation. `items` may be NULL. */
void perfetto_items_destroy(struct perfetto_items *items);

#endif
