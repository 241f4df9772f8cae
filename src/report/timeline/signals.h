/* Writes a table of the items that enter and leave the queues of the machine, one row per item and
 * direction (report/run/csv.h). docs/tables.md describes its columns. The table may exceed memory:
 * rows are compressed and written during the run. */
#ifndef AETIUS_REPORT_SIGNALS_H
#define AETIUS_REPORT_SIGNALS_H

#include "sim/simulation.h"

struct signals;

/* Writes cycles `first` to `last` of the run (inclusive) to `path`, which may be a regular file. */
struct signals *signals_create(const char *path, struct simulation *sim, uint64_t first,
                               uint64_t last, struct error *err);
/* Ends the file. Returns false if the file could not be written completely. It then contains the
 * rows before the failure. Warns if a complete run has no rows. `signals` may be NULL. */
bool signals_destroy(struct signals *signals, bool is_complete, struct error *err);

#endif
