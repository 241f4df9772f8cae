/* The signal trace: what every queue carried and every unit did, cycle by cycle, as a value change
 * dump (IEEE 1364) that GTKWave opens. One time unit is one cycle.
 *
 * For each unit its state (unit.NAME.state: 0 busy, 1 starved, 2 blocked, 3 waiting); for each
 * queue the items that it held at the end of the cycle, and how many were pushed and popped in it.
 */
#ifndef AETIUS_REPORT_VCD_H
#define AETIUS_REPORT_VCD_H

#include "kernel/queue.h"

struct vcd;

/* Writes cycles `first` to `last` (inclusive) of the clock's run to `path`. Observes from now on.
 */
struct vcd *vcd_create(const char *path, struct clock *clock, uint64_t first, uint64_t last,
                       struct error *err);
/* Ends the file; false when it could not be written whole. `vcd` may be NULL. */
bool vcd_destroy(struct vcd *vcd, struct error *err);

#endif
