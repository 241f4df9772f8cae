/* Finds the draw that made a pixel wrong. A pixel is wrong if the timed machine shows or returns it
 * with a color that differs from the functional renderer's. Both renderers run the frames up to
 * that message again. The search compares the pixel's color after each draw of its frame that
 * writes the surface. In a multisampled surface, it compares the pixel's first sample. */
#ifndef AETIUS_SIM_WRONG_PIXEL_H
#define AETIUS_SIM_WRONG_PIXEL_H

#include "sim/simulation.h"
#include "trace/file.h"

enum wrong_cause {
    WRONG_WRITTEN, /* `draw` is the first draw that left a different color */
    WRONG_FOUND,   /* as above, but the color before the draw already differed */
    WRONG_AFTER,   /* all draws left equal colors: the pixel changed after `draw`, its last draw */
    WRONG_UNKNOWN, /* too many surfaces to watch all; `draw` is the last draw that covers the pixel
                    */
    WRONG_UNDRAWN, /* no draw of the frame covers the pixel */
};

struct wrong_pixel {
    /* Index in the trace of the message that shows or reads the pixel. UINT64_MAX: the end of
     * `frame`. */
    uint64_t message;
    uint32_t frame;              /* frame that contains the message or ends with it */
    uint32_t level, layer, x, y; /* in the message's resource; y counts its rows */
    enum wrong_cause cause;      /* result, with the draw's number in the frame */
    uint32_t draw;
};

/* The run to repeat, in which the pixel was wrong. */
struct wrong_run {
    struct trace_reader *reader; /* rewound to its first message */
    const struct params *params;
    const struct frame_set *timed;
    const struct needed_draws *needed; /* NULL: all draws */
    /* For tests: injects a fault into the machine. May be NULL. */
    void (*prepare)(void *data, struct simulation *timed);
    void *data;
};

/* Returns false with a message if the run cannot be repeated or is interrupted. */
bool wrong_pixel_find(struct wrong_pixel *pixel, const struct wrong_run *run, struct error *err);
/* Describes the result in words that follow "pixel X,Y: ". The caller frees the text. */
char *wrong_pixel_text(const struct wrong_pixel *pixel);

#endif
