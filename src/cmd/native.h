/* Reference pictures of the host's OpenGL: glretrace issues recorded calls on its default driver,
 * and takes a picture at each swap. */
#ifndef AETIUS_CMD_NATIVE_H
#define AETIUS_CMD_NATIVE_H

#include "base/args.h"
#include "cmd/calls.h"
#include "trace/file.h"

struct native_options {
    const struct calls *calls;
    const char *dir; /* gets frames/frame-NNNN.png; the caller creates the folders */
    const struct frame_set *wanted;
    struct trace_reader *reader; /* for the number and size of its frames */
};

/* Writes the pictures of the requested frames. Swap 0 is frame 0 of the program. *written is the
 * number of pictures written, even after a failure. It is an error if the calls lack the swap of a
 * requested frame. */
bool native_render(const struct native_options *options, uint32_t *written, struct error *err);

#endif
