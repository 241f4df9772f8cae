/* The measurements that a run of benchmarks/gl/model on the simulated GPU comes to. */
#ifndef AETIUS_MODEL_COLLECT_H
#define AETIUS_MODEL_COLLECT_H

#include "params/params.h"
#include "model/row.h"

/* Adds a row for each frame with a draw that is labelled: the time is the frame's cycles at the
 * machine's clock, what the program costs its static cost. `trace`: of the run, or NULL: as
 * run.json names it. `params`, or NULL: the run's machine. Fails when no frame is labelled. */
bool model_collect(struct model_rows *rows, const char *dir, const char *trace,
                   struct params *params, struct error *err);

/* Whether a draw of the trace is labelled so; it is drawn up to there, without time. */
bool model_check_trace(const char *trace, struct error *err);

/* The trace that run.json names; the caller frees. */
char *run_trace(const char *dir, struct error *err);

#endif
