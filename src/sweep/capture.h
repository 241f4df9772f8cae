/* Programs as inputs: recorded once, into DIR/traces/NAME.trace; of several ranges of frames into
 * NAME-A.trace, A a range's first. DIR/traces/NAME.source is written last and says what of. */
#ifndef AETIUS_SWEEP_CAPTURE_H
#define AETIUS_SWEEP_CAPTURE_H

#include "base/args.h"
#include "sweep/sweep.h"

/* DIR/traces/NAME and an end; the caller frees, as what the next two give. */
char *capture_path(const struct sweep *sweep, const char *name, const char *end);
/* The name of a range's trace. */
char *capture_name(const struct sweep_input *input, const struct frame_set *frames, uint32_t range);
/* Program, frames, warm-up and clock: the text of NAME.source. */
char *capture_source(const struct sweep_plan *plan, const struct sweep_input *input);

#endif
