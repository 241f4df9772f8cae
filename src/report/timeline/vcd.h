/* The signal trace: what every queue carried and every unit did, cycle by cycle, as a value change
 * dump (IEEE 1364) that GTKWave opens. Its time is the GPU's clock, in picoseconds.
 *
 * For each unit its state (unit.NAME.state: busy, starved, blocked or waiting, as a string, which
 * is GTKWave's addition); for each queue the items that it held at the end of the cycle, and how
 * many were pushed and popped in it.
 */
#ifndef AETIUS_REPORT_VCD_H
#define AETIUS_REPORT_VCD_H

#include "core/queue.h"

struct vcd;

/* Writes cycles `first` to `last` (inclusive) of the clock's run, at `mhz`, to `path`. Observes
 * from now on. */
struct vcd *vcd_create(const char *path, struct clock *clock, uint32_t mhz, uint64_t first,
                       uint64_t last, struct error *err);
/* Ends the file; false when it could not be written whole. `vcd` may be NULL. */
bool vcd_destroy(struct vcd *vcd, struct error *err);

#endif
