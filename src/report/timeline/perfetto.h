/* Writes a run as a timeline for Perfetto (https://ui.perfetto.dev). The timeline has one track per
 * unit with a slice for each draw. It also has tracks of frames and of work, and counters of
 * queues, caches and memory. docs/perfetto.md states which values are exact. */
#ifndef AETIUS_REPORT_PERFETTO_H
#define AETIUS_REPORT_PERFETTO_H

#include "sim/simulation.h"

enum {
    PERFETTO_INTERVAL = 4096,    /* least distance in cycles between two values of a counter */
    PERFETTO_MOST_ITEMS = 50000, /* items of queues: at most 10 MB */
};

struct perfetto;

/* Records from now until perfetto_destroy(). Inserts itself before the simulation's current
 * listener. */
struct perfetto *perfetto_create(const char *path, struct simulation *sim, struct error *err);
/* Also shows each item that leaves a queue in cycles `first` to `last` of the run, at most
 * PERFETTO_MOST_ITEMS. Called at most once. */
void perfetto_show_items(struct perfetto *perfetto, uint64_t first, uint64_t last);
/* Ends the file. Returns false if the file could not be written completely. `perfetto` may be
 * NULL. */
bool perfetto_destroy(struct perfetto *perfetto, struct error *err);

#endif
