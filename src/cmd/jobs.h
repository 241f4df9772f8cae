/* Simulates frames of a trace in several processes (--jobs N).
 *
 * The first process starts with the first frame. Between two frames, a process splits its remaining
 * frames in two parts if another process is permitted. The process continues with the earlier part.
 * A forked copy skips that part without timing and simulates the later one. A frame starts drained,
 * so its results do not depend on the process. The coordinator joins pictures, tables and totals in
 * frame order. */
#ifndef AETIUS_CMD_JOBS_H
#define AETIUS_CMD_JOBS_H

#include "cmd/simulate.h"
#include "trace/file.h"

/* Runs the whole trace through the simulation, in at most `jobs` processes. Completed frames are
 * kept even after a failure. */
bool jobs_drive(struct simulate *simulate, struct trace_reader *reader, uint32_t jobs,
                struct error *err);

#endif
