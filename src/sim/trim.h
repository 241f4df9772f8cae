/* Cuts frames out of a trace: a shorter trace that needs nothing of the longer one. */
#ifndef AETIUS_SIM_TRIM_H
#define AETIUS_SIM_TRIM_H

#include "base/args.h"
#include "trace/file.h"

bool trim_in_order(const struct frame_set *frames, struct error *err);
/* Whether the trace has these ranges, and they are in order. */
bool trim_check(const struct trace_reader *reader, const struct frame_set *frames,
                struct error *err);

/* Writes each range of frames of the trace to a file of `paths`: in front the state at its first
 * frame, which is found by drawing what comes before, functionally. Only the contents of resources
 * that these frames use are kept. Resources lie at the same addresses as in the whole trace, so
 * that the machine's statistics are the same. The ranges are in the order of their frames. Of the
 * frames before each range only the last `warm_up` are drawn, UINT32_MAX: all: enough where a
 * program draws every frame anew. With `read_back` (trace/virgl/read_back.h; else NULL) only that
 * is drawn which it does not hold and the frames see; a line says what. */
bool trim_trace(struct trace_reader *reader, const struct frame_set *frames, uint32_t warm_up,
                struct trace_reader *read_back, const char *const *paths, struct error *err);

#endif
