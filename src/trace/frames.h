/* Frames to PNG files: a sink in front of a renderer, which asks it for the picture of each message
 * that ends a frame: a SWAP, or the FRAME of a program that reads back instead of swapping. They
 * are numbered from 0 in the order of these over all clients: DIR/frames/frame-NNNN.png. */
#ifndef AETIUS_TRACE_FRAMES_H
#define AETIUS_TRACE_FRAMES_H

#include "base/args.h"
#include "base/handles.h"
#include "trace/message.h"

#include <stdio.h>

struct frames {
    struct message_sink sink;
    struct message_sink *renderer;
    const char *dir; /* NULL: no pictures are written, frames are counted only */
    const struct frame_set *wanted;
    uint32_t count; /* frames so far */
    uint32_t written;
    uint32_t width, height;    /* of the last frame */
    struct handle_map clients; /* to handle maps of textures */
    uint8_t *rows;
    uint32_t rows_capacity;
};

/* DIR/frames is there. */
void frames_init(struct frames *frames, struct message_sink *renderer, const char *dir,
                 const struct frame_set *wanted);
void frames_fini(struct frames *frames);

#endif
