/* The live state as a renderer holds it: contents are read back from it. */
#ifndef AETIUS_TRACE_SNAPSHOT_H
#define AETIUS_TRACE_SNAPSHOT_H

#include "trace/file.h"
#include "trace/live_state.h"

/* Writes the state between two STATEs. Multisampled resources, resources without a handle and the
 * counts of queries cannot be read back: *lost counts these resources. */
bool snapshot_write(struct live_state *state, struct message_sink *renderer,
                    struct trace_writer *writer, uint32_t *lost, struct error *err);

#endif
