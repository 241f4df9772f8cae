/* A capture: what the clients say goes to a trace and to the renderer that answers them. A capture
 * that starts at a later frame only notes what is alive until then, and reads the contents of the
 * resources back from the renderer there. */
#ifndef AETIUS_TRACE_TEE_H
#define AETIUS_TRACE_TEE_H

#include "trace/file.h"
#include "trace/live_state.h"

struct tee {
    struct message_sink sink;
    struct trace_writer *writer;
    struct message_sink *renderer;
    struct live_state *live; /* until the first frame; NULL: from the start */
    uint32_t first_frame, frame;
    uint32_t lost;       /* resources whose contents at the first frame could not be read */
    uint32_t last_frame; /* nothing is written after it; UINT32_MAX: all */
    bool ends_at_last;   /* the program shall end after it */
    bool written;        /* the last frame is in the trace */
    bool failed;         /* the trace could not be written */
    bool stop;           /* the program shall end now: for launch() */
};

void tee_init(struct tee *tee, struct trace_writer *writer, struct message_sink *renderer,
              uint32_t first_frame, uint32_t last_frame, bool ends_at_last);
void tee_fini(struct tee *tee);

#endif
