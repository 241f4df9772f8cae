/* Whether the tables of a run folder are those that its run wrote. */
#ifndef AETIUS_REPORT_RUN_CHECK_H
#define AETIUS_REPORT_RUN_CHECK_H

#include "params/params.h"
#include "report/run/csv.h"

/* `table`: the folder's table of frames, or of draws. False: a frame's cycles are others than in
 * run.json, statistics of a frame's draws do not add up to those of the frame, or, of a run that
 * came to its end, frames give other metrics than run.json has. */
bool run_tables_agree(const char *dir, const struct csv_table *table, const struct params *params,
                      struct error *err);

#endif
