/* Which draw made a pixel wrong: one that the timed machine shows, or gives to a program that reads
 * it, with another color than the functional renderer has there. The frames up to it run once more
 * on both. Each draw of its frame that writes the surface is judged by the color that it leaves in
 * the pixel on either side; of a multisampled surface, in the pixel's first sample. */
#ifndef AETIUS_SIM_WRONG_PIXEL_H
#define AETIUS_SIM_WRONG_PIXEL_H

#include "sim/simulation.h"
#include "trace/file.h"

enum wrong_cause {
    WRONG_WRITTEN, /* `draw` is the first that left another color */
    WRONG_FOUND,   /* `draw` is the first that left another color, as another was there before */
    WRONG_AFTER,   /* all draws left the same: it changed after `draw`, the last that covers it */
    WRONG_UNKNOWN, /* draws wrote more surfaces than are watched; `draw` is the last that covers it
                    */
    WRONG_UNDRAWN, /* no draw of the frame covers it */
};

struct wrong_pixel {
    uint64_t message; /* of the trace, from 0, that shows or reads it; UINT64_MAX: ends `frame` */
    uint32_t frame;   /* the one that the message is in, or ends */
    uint32_t level, layer, x, y; /* of the message's resource; y counts its rows */
    enum wrong_cause cause;      /* found, with the draw's number in the frame */
    uint32_t draw;
};

/* The run in which it went wrong, which is repeated. */
struct wrong_run {
    struct trace_reader *reader; /* from its first message on */
    const struct params *params;
    const struct frame_set *timed;
    const struct needed_draws *needed; /* NULL: all draws */
    /* For tests: puts a fault into the machine. NULL: none. */
    void (*prepare)(void *data, struct simulation *timed);
    void *data;
};

/* false: with a message, when the run cannot be repeated or is interrupted. */
bool wrong_pixel_find(struct wrong_pixel *pixel, const struct wrong_run *run, struct error *err);
/* What was found, as words after "pixel X,Y: "; the caller frees. */
char *wrong_pixel_text(const struct wrong_pixel *pixel);

#endif
