/* Finds initial state of a trace that a reference renderer cannot receive: the contents of
 * multisampled resources, because no transfer carries samples. */
#ifndef AETIUS_TRACE_LOST_SAMPLES_H
#define AETIUS_TRACE_LOST_SAMPLES_H

#include "trace/file.h"

/* Describes in `lost` the lost contents that frames 0 to `last` may read; "" if there are none.
 * Contents that are overwritten as a whole before a read do not count. The function walks the trace
 * only if it begins with such resources, and rewinds the reader. */
bool lost_samples_find(struct trace_reader *reader, uint32_t last, struct error *lost,
                       struct error *err);

#endif
