/* Captures each program that is an input of a sweep once, into DIR/traces/NAME.trace. With several
 * ranges of frames, each range A-B gets a trace NAME-A.trace. DIR/traces/NAME.source describes the
 * capture and is written last. */
#ifndef AETIUS_SWEEP_CAPTURE_H
#define AETIUS_SWEEP_CAPTURE_H

#include "base/args.h"
#include "sweep/sweep.h"

/* Returns DIR/traces/NAME plus `end`. The caller frees the results of this and the next two
 * functions. */
char *capture_path(const struct sweep *sweep, const char *name, const char *end);
/* Name of the trace of a range. */
char *capture_name(const struct sweep_input *input, const struct frame_set *frames, uint32_t range);
/* Contents of NAME.source: program, frames, warm-up, clock and OpenGL. */
char *capture_source(const struct sweep_plan *plan, const struct sweep_input *input);

#endif
