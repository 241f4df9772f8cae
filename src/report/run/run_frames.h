/* Translates frame numbers given by the user to frames of a run. */
#ifndef AETIUS_REPORT_RUN_FRAMES_H
#define AETIUS_REPORT_RUN_FRAMES_H

#include "base/args.h"
#include "report/run/csv.h"

/* Converts `frames` to frame numbers of the run's table, which are those of the simulated trace. If
 * the table has a row for one of the numbers, all numbers are used unchanged. Otherwise they are
 * the program's frame numbers, if the trace is a part of a longer one (first_frame in run.json).
 * Rows of the table must be in frame order. Returns false if the table has no row of these
 * frames. */
bool run_locate_frames(struct frame_set *frames, const char *dir, const struct csv_table *table,
                       struct error *err);

#endif
