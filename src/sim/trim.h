/* Extracts frames from a trace. The result is a shorter, self-contained trace. */
#ifndef AETIUS_SIM_TRIM_H
#define AETIUS_SIM_TRIM_H

#include "base/args.h"
#include "trace/file.h"

bool trim_in_order(const struct frame_set *frames, struct error *err);
/* Returns whether the trace contains these ranges in frame order. */
bool trim_check(const struct trace_reader *reader, const struct frame_set *frames,
                struct error *err);

/* Writes each range of frames of the trace to a file in `paths`. Each file starts with the state at
 * its first frame, found by rendering the earlier frames without timing. A file keeps only contents
 * of resources that its frames use. Resources keep their addresses, so that the machine's
 * statistics stay the same. Ranges must be in frame order.
 *
 * Only the last `warm_up` frames before each range are rendered; UINT32_MAX: all. A few suffice if
 * the program renders every frame from scratch. `read_back` (trace/virgl/read_back.h) may be NULL.
 * With it, a draw is executed only if the frames need its results and `read_back` lacks them. A log
 * line lists such draws. */
bool trim_trace(struct trace_reader *reader, const struct frame_set *frames, uint32_t warm_up,
                struct trace_reader *read_back, const char *const *paths, struct error *err);

#endif
