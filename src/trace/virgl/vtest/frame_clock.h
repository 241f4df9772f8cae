/* Clock that advances with the program's frames (src/shim/clock.c). A file contains the time of all
 * frames so far, in nanoseconds. This sink forwards messages and updates the time at each swap. The
 * client gets the reply to a swap only after the update, so the program always sees the time of its
 * next frame. */
#ifndef AETIUS_TRACE_FRAME_CLOCK_H
#define AETIUS_TRACE_FRAME_CLOCK_H

#include "trace/message.h"

enum { FRAME_CLOCK_MOST = 1000 }; /* limit of frames per second */

struct frame_clock {
    struct message_sink sink;
    struct message_sink *inner;
    uint32_t frames_per_second;
    uint64_t frames;
    uint64_t *page; /* mapping of the file; NULL: none */
};

/* Creates the file `path`. frame_clock_fini() does not remove it. */
bool frame_clock_init(struct frame_clock *clock, const char *path, uint32_t frames_per_second,
                      struct message_sink *inner, struct error *err);
void frame_clock_fini(struct frame_clock *clock);

#endif
