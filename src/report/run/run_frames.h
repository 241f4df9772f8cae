/* Frames of a run as a user names them. */
#ifndef AETIUS_REPORT_RUN_FRAMES_H
#define AETIUS_REPORT_RUN_FRAMES_H

#include "base/args.h"
#include "report/run/csv.h"

/* Makes them numbers of the run's table, which are those of the trace that was run: they are such
 * where the table has a row of one of them, or else numbers of the program, if the trace is a part
 * of a longer one (first_frame in run.json). The table's rows are in the order of frames. false: it
 * has none of them. */
bool run_locate_frames(struct frame_set *frames, const char *dir, const struct csv_table *table,
                       struct error *err);

#endif
