/* What a reference renderer cannot be given of the state that a trace begins with: what its
 * multisampled resources hold, since no transfer carries samples. */
#ifndef AETIUS_TRACE_LOST_SAMPLES_H
#define AETIUS_TRACE_LOST_SAMPLES_H

#include "trace/file.h"

/* Says in `lost` which of it the frames 0 to `last` may see, "" when nothing: what they overwrite
 * as a whole before they read it does not count. Walks the trace only if it begins with such
 * resources, and takes the reader back to its start. */
bool lost_samples_find(struct trace_reader *reader, uint32_t last, struct error *lost,
                       struct error *err);

#endif
