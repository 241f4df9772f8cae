/* A capture: what the clients say goes to a trace and to the renderer that answers them. */
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
    uint32_t last_frame; /* nothing is written after it; UINT32_MAX: all */
    bool ends_at_last;   /* the program shall end after it */
    bool written;        /* the last frame is in the trace */
    bool failed;         /* the trace could not be written */
    bool stop;           /* the program shall end now: for launch() */
};

void tee_init(struct tee *tee, struct trace_writer *writer, struct message_sink *renderer,
              uint32_t last_frame, bool ends_at_last);

#endif
