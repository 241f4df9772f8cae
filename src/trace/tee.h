/* Capture: a sink that forwards the messages of the clients to a trace, and to a renderer that
 * replies to them. */
#ifndef AETIUS_TRACE_TEE_H
#define AETIUS_TRACE_TEE_H

#include "base/log.h"
#include "trace/file.h"
#include "trace/message.h"

struct tee {
    struct message_sink sink;
    struct trace_writer *writer;
    struct message_sink *renderer;
    struct progress *progress; /* or NULL */
    uint32_t frame;
    double
        waiting_since;   /* wall_seconds() at the last frame, plus the time spent rendering since */
    uint32_t last_frame; /* last frame to record; UINT32_MAX: record all */
    bool ends_at_last;   /* stop the program after the last frame */
    bool written;        /* the last frame is in the trace */
    bool failed;         /* a write to the trace failed */
    bool stop;           /* request to stop the program now, which launch() checks */
};

void tee_init(struct tee *tee, struct trace_writer *writer, struct message_sink *renderer,
              uint32_t last_frame, bool ends_at_last);

#endif
