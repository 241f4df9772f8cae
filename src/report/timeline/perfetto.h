/* A run as a file for Perfetto (https://ui.perfetto.dev), which shows it as a timeline: a track a
 * unit with a slice for each draw, tracks of frames and of work, and counters of queues, caches
 * and memory. What is exact and what is not: docs/perfetto.md. */
#ifndef AETIUS_REPORT_PERFETTO_H
#define AETIUS_REPORT_PERFETTO_H

#include "sim/simulation.h"

enum { PERFETTO_INTERVAL = 4096 }; /* cycles between two values of a counter, at least */

struct perfetto;

/* From now on, until perfetto_destroy(); listens to the simulation before who does already. */
struct perfetto *perfetto_create(const char *path, struct simulation *sim, struct error *err);
/* Ends the file; false when it could not be written whole. `perfetto` may be NULL. */
bool perfetto_destroy(struct perfetto *perfetto, struct error *err);

#endif
