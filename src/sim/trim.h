/* Cuts frames out of a trace. The result is a shorter, self-contained trace. */
#ifndef AETIUS_SIM_TRIM_H
#define AETIUS_SIM_TRIM_H

#include "base/args.h"
#include "trace/file.h"

bool trim_in_order(const struct frame_set *frames, struct error *err);
/* Whether the trace contains these ranges, and they are in order. */
bool trim_check(const struct trace_reader *reader, const struct frame_set *frames,
                struct error *err);

/* Writes each range of frames of the trace to a file of `paths`. Each file starts with the state at
 * its first frame, found by drawing the frames before it functionally. Only contents of resources
 * that its frames use are kept. Resources keep their addresses, so that the machine's statistics
 * are the same. Ranges must be in frame order.
 *
 * Before each range only the last `warm_up` frames are drawn; UINT32_MAX: all. A few are enough if
 * the program draws every frame anew. With `read_back` (trace/virgl/read_back.h; else NULL) only
 * draws are executed whose results the frames need and `read_back` lacks. A log line lists them. */
bool trim_trace(struct trace_reader *reader, const struct frame_set *frames, uint32_t warm_up,
                struct trace_reader *read_back, const char *const *paths, struct error *err);

#endif
