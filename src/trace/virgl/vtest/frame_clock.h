/* The clock of a program that goes by its frames (src/shim/clock.c): a file with the nanoseconds of
 * the frames so far, and a sink in front of another one that writes them. A swap is answered when
 * it has been taken, so the program sees the next frame's time as soon as it goes on. */
#ifndef AETIUS_TRACE_FRAME_CLOCK_H
#define AETIUS_TRACE_FRAME_CLOCK_H

#include "trace/message.h"

enum { FRAME_CLOCK_MOST = 1000 }; /* frames a second */

struct frame_clock {
    struct message_sink sink;
    struct message_sink *inner;
    uint32_t frames_per_second;
    uint64_t frames;
    uint64_t *page; /* the file's, or NULL */
};

/* The file `path`, which frame_clock_fini() leaves there. */
bool frame_clock_init(struct frame_clock *clock, const char *path, uint32_t frames_per_second,
                      struct message_sink *inner, struct error *err);
void frame_clock_fini(struct frame_clock *clock);

#endif
