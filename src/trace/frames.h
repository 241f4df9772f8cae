/* Writes frames as PNG files. This sink is in front of a renderer. It asks the renderer for the
 * picture of each message that ends a frame: a SWAP, or the FRAME of a program that reads back
 * instead of swapping. Frames are numbered from 0 over all clients: DIR/frames/frame-NNNN.png. */
#ifndef AETIUS_TRACE_FRAMES_H
#define AETIUS_TRACE_FRAMES_H

#include "base/args.h"
#include "base/handles.h"
#include "trace/message.h"

#include <stdio.h>

struct frames {
    struct message_sink sink;
    struct message_sink *renderer;
    const char *dir; /* NULL: frames are counted, and no pictures are written */
    const struct frame_set *wanted;
    uint32_t count; /* frames so far */
    uint32_t written;
    uint32_t width, height;    /* of the last frame, in pixels */
    struct handle_map clients; /* client to struct handle_map of its textures */
    uint8_t *rows;
    uint32_t rows_capacity;
};

/* The caller creates DIR/frames. */
void frames_init(struct frames *frames, struct message_sink *renderer, const char *dir,
                 const struct frame_set *wanted);
void frames_fini(struct frames *frames);

#endif
