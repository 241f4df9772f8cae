/* Cuts frames out of a trace: a shorter trace that needs nothing of the longer one. */
#ifndef AETIUS_SIM_TRIM_H
#define AETIUS_SIM_TRIM_H

#include "trace/file.h"

/* Writes frames `first` to `last` of the trace to `path`: in front the state at `first`, which is
 * found by drawing what comes before, functionally. Only the contents of resources that these
 * frames use are kept. Resources lie at the same addresses as in the whole trace, so that the
 * machine's statistics are the same. */
bool trim_trace(struct trace_reader *reader, uint32_t first, uint32_t last, const char *path,
                struct error *err);

#endif
