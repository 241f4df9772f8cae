/* Messages of a program to the virtual GPU, independent of the socket. The vtest server creates
 * them, the trace file stores them, and the decoder reads them.
 *
 * Transfers have their bytes in tight rows (no shared memory, no strides). A swap and a readback
 * are different messages (docs/design/frontend.md, Swaps and readbacks). */
#ifndef AETIUS_TRACE_MESSAGE_H
#define AETIUS_TRACE_MESSAGE_H

#include "state/resource.h"

enum message_kind {
    MESSAGE_CLIENT_BEGIN = 1, /* bytes: the program's name */
    MESSAGE_CLIENT_END,
    MESSAGE_RESOURCE_CREATE,
    MESSAGE_RESOURCE_UNREF,
    MESSAGE_PUT,    /* bytes: content of the box, in tight rows */
    MESSAGE_GET,    /* readback */
    MESSAGE_SUBMIT, /* bytes: dwords of the command stream */
    MESSAGE_SWAP,   /* transfer: the display target and the shown box */

    /* A trimmed trace begins with the state at its first frame, between two STATE messages.
     * Restoring the state takes no simulated time and changes no statistics. */
    MESSAGE_STATE,   /* state.begins: 1 before the state, 0 after it */
    MESSAGE_ADDRESS, /* placement.address: simulated address of the client's next resource */
    /* bytes: a level with its padding and all samples (docs/design/file-formats.md, State of a
     * trimmed trace) */
    MESSAGE_CONTENTS,
    MESSAGE_RESULT, /* count of a query so far */

    /* transfer: the whole level and layer that a program without swaps read back. The message ends
     * a frame (trace/virgl/vtest/offscreen.h). The program did not send it. */
    MESSAGE_FRAME,
};

#define MESSAGE_LAST MESSAGE_FRAME

struct message {
    enum message_kind kind;
    uint32_t client; /* 1, 2, ... in connection order */
    union {
        struct resource_desc resource; /* CREATE; UNREF uses only .handle */
        struct {
            uint32_t handle, level;
            struct box box;
        } transfer; /* PUT, GET, SWAP, FRAME */
        struct {
            uint32_t handle, level;      /* as in `transfer` */
            struct cleared_code cleared; /* defined in state/cleared.h */
            /* only for level 0, encoded by gpu_shown_encode(); else 0 */
            uint32_t shown;
            uint32_t width, height, slices; /* of the level with its padding, in texels */
        } contents;                         /* CONTENTS */
        struct {
            uint32_t begins;
        } state;
        struct {
            uint32_t address;
        } placement;
        struct {
            uint32_t sub_context, handle, low, high;
        } result;
    };
    const uint8_t *bytes; /* payload of PUT, SUBMIT, CLIENT_BEGIN, CONTENTS; not owned */
    uint32_t size_bytes;
};

static inline bool
message_ends_frame(const struct message *message)
{
    return message->kind == MESSAGE_SWAP || message->kind == MESSAGE_FRAME;
}

/* A receiver of messages: a trace writer, the functional renderer, the timed machine, or a
 * pass-through to virgl_test_server. */
struct message_sink {
    void *data;
    /* Takes one message, in stream order. GET, SWAP and FRAME fill `out` if it is not NULL, with
     * `out_bytes` bytes: tight rows of the box. */
    bool (*take)(void *data, const struct message *message, uint8_t *out, uint32_t out_bytes,
                 struct error *err);
    /* Writes a query result to the client's mapped memory. A sink calls it while it takes a SUBMIT.
     * NULL if there is no client (replay). */
    void (*write_back)(void *listener, uint32_t client, uint32_t handle, uint32_t offset,
                       const void *bytes, uint32_t size_bytes);
    void *listener;
};

/* For a sink in front of an inner sink: the inner sink's query results go to the outer sink's
 * listener. */
static inline void
message_sink_hand_on(struct message_sink *inner, const struct message_sink *outer)
{
    inner->write_back = outer->write_back;
    inner->listener = outer->listener;
}

#endif
