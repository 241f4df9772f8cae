/* Checks that the tables of a run folder are consistent with its run.json. */
#ifndef AETIUS_REPORT_RUN_CHECK_H
#define AETIUS_REPORT_RUN_CHECK_H

#include "params/params.h"
#include "report/run/csv.h"

/* `table`: the folder's table of frames or of draws. Returns false if a frame's cycles differ from
 * run.json, or if statistics of a frame's draws do not add up to the frame's. Also returns false if
 * the metrics of a completed run differ from run.json. */
bool run_tables_agree(const char *dir, const struct csv_table *table, const struct params *params,
                      struct error *err);

#endif
