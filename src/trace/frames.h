/* Writes frames as PNG files. This sink forwards messages to a renderer. For each message that ends
 * a frame, it requests the picture from the renderer. Such a message is a SWAP, or the FRAME of a
 * program that reads back instead of swapping. Frames of all clients are numbered together from 0:
 * DIR/frames/frame-NNNN.png. */
#ifndef AETIUS_TRACE_FRAMES_H
#define AETIUS_TRACE_FRAMES_H

#include "base/args.h"
#include "base/handles.h"
#include "trace/message.h"

#include <stdio.h>

struct frames {
    struct message_sink sink;
    struct message_sink *renderer;
    const char *dir; /* NULL: frames are counted, but no pictures are written */
    const struct frame_set *wanted;
    uint32_t count; /* number of frames so far */
    uint32_t written;
    uint32_t width, height;    /* size of the last frame, in pixels */
    struct handle_map clients; /* from a client to a struct handle_map of its textures */
    uint8_t *rows;
    uint32_t rows_capacity;
};

/* The caller creates DIR/frames. */
void frames_init(struct frames *frames, struct message_sink *renderer, const char *dir,
                 const struct frame_set *wanted);
void frames_fini(struct frames *frames);

#endif
