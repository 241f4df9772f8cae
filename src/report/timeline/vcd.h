/* The signal trace: the activity of every queue and unit in each cycle, as a value change dump
 * (IEEE 1364) for GTKWave. Its time is the GPU's clock in picoseconds.
 *
 * Each unit, and each part of a unit, has a state (unit.NAME.state: busy, starved, blocked or
 * waiting) as a string, an extension of GTKWave. Each queue has the number of its items at the end
 * of the cycle, and the numbers of items pushed and popped in the cycle. */
#ifndef AETIUS_REPORT_VCD_H
#define AETIUS_REPORT_VCD_H

#include "core/queue.h"

struct vcd;

/* Writes cycles `first` to `last` (inclusive) at `mhz` to `path`. Observes from now on. */
struct vcd *vcd_create(const char *path, struct clock *clock, uint32_t mhz, uint64_t first,
                       uint64_t last, struct error *err);
/* Ends the file. Returns false if the file could not be written completely. `vcd` may be NULL. */
bool vcd_destroy(struct vcd *vcd, struct error *err);

#endif
