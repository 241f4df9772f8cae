/* Collects measurements from a run of benchmarks/gl/model on the simulated GPU. */
#ifndef AETIUS_MODEL_COLLECT_H
#define AETIUS_MODEL_COLLECT_H

#include "params/params.h"
#include "model/row.h"

/* Adds a row for each frame with a labelled draw. The time is the frame's cycles at the machine's
 * clock. The program's cost is its static cost. `trace`: the trace of the run, or NULL for the
 * trace that run.json names. `params`: the machine, or NULL for the run's machine. Fails if no
 * frame has a labelled draw. */
bool model_collect(struct model_rows *rows, const char *dir, const char *trace,
                   struct params *params, struct error *err);

/* Checks that a draw of the trace has such a label. Replays the trace up to that draw, without
 * timing. */
bool model_check_trace(const char *trace, struct error *err);

/* Returns the trace that run.json names. The caller frees it. */
char *run_trace(const char *dir, struct error *err);

#endif
