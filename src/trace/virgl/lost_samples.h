/* Finds initial state of a trace that cannot be transferred to a reference renderer: the contents
 * of multisampled resources, because a transfer has only one sample per pixel. */
#ifndef AETIUS_TRACE_LOST_SAMPLES_H
#define AETIUS_TRACE_LOST_SAMPLES_H

#include "trace/file.h"

/* Describes in `lost` those lost contents that frames 0 to `last` may read; "" if there are none.
 * Contents that are completely overwritten before a read do not count. The function reads the trace
 * only if the initial state contains such resources, and rewinds the reader. */
bool lost_samples_find(struct trace_reader *reader, uint32_t last, struct error *lost,
                       struct error *err);

#endif
