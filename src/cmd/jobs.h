/* Frames of a trace simulated in time by several processes: --jobs N.
 *
 * The first process begins with the first frame. Whoever stands between two frames while a place is
 * free parts what is left of its frames in two: it goes on with the nearer part, and a copy of it
 * walks past that part functionally and simulates the farther one. A frame starts drained, so its
 * figures are the same whoever simulates it; the coordinator puts pictures, tables and totals
 * together in the order of frames. */
#ifndef AETIUS_CMD_JOBS_H
#define AETIUS_CMD_JOBS_H

#include "cmd/simulate.h"
#include "trace/file.h"

/* As driving the whole trace through the simulation, by at most `jobs` processes. What was finished
 * is kept, also after a failure. */
bool jobs_drive(struct simulate *simulate, struct trace_reader *reader, uint32_t jobs,
                struct error *err);

#endif
