/* Messages from a program to the virtual GPU, independent of the socket. The vtest server creates
 * them, the trace file stores them, and the decoder reads them.
 *
 * A transfer contains its bytes in rows without padding. There is no shared memory and there are no
 * strides. A swap and a readback are different messages (docs/design/frontend.md, Swaps and
 * readbacks). */
#ifndef AETIUS_TRACE_MESSAGE_H
#define AETIUS_TRACE_MESSAGE_H

#include "state/resource.h"

enum message_kind {
    MESSAGE_CLIENT_BEGIN = 1, /* bytes: the program's name */
    MESSAGE_CLIENT_END,
    MESSAGE_RESOURCE_CREATE,
    MESSAGE_RESOURCE_UNREF,
    MESSAGE_PUT,    /* bytes: contents of the box, in rows without padding */
    MESSAGE_GET,    /* readback */
    MESSAGE_SUBMIT, /* bytes: dwords of the command stream */
    MESSAGE_SWAP,   /* transfer: the display target and the displayed box */

    /* A trimmed trace begins with the state at its first frame, between two STATE messages.
     * Restoring the state takes no simulated time and affects no statistics. */
    MESSAGE_STATE,   /* state.begins: 1 before the state, 0 after it */
    MESSAGE_ADDRESS, /* placement.address: simulated address of the client's next new resource */
    /* bytes: a level with its padding and all samples (docs/design/file-formats.md, State of a
     * trimmed trace). */
    MESSAGE_CONTENTS,
    MESSAGE_RESULT, /* result of a query so far */

    /* transfer: the whole level and layer that a program without swaps has read back. The message
     * ends a frame. The program did not send it; trace/virgl/vtest/offscreen.h inserts it. */
    MESSAGE_FRAME,
};

#define MESSAGE_LAST MESSAGE_FRAME

struct message {
    enum message_kind kind;
    uint32_t client; /* 1, 2, ... in the order of connection */
    union {
        struct resource_desc resource; /* CREATE; UNREF uses only .handle */
        struct {
            uint32_t handle, level;
            struct box box;
        } transfer; /* PUT, GET, SWAP, FRAME */
        struct {
            uint32_t handle, level;         /* as in `transfer` */
            struct cleared_code cleared;    /* defined in state/cleared.h */
            struct shown_state shown;       /* only of level 0 */
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

/* Receiver of messages: a trace writer, the functional renderer, the timed machine, or a
 * pass-through to virgl_test_server. */
struct message_sink {
    void *data;
    /* Executes one message; messages must arrive in stream order. GET, SWAP and FRAME store the
     * pixels of the box in `out`, if it is not NULL: `out_bytes` bytes, in rows without padding. */
    bool (*take)(void *data, const struct message *message, uint8_t *out, uint32_t out_bytes,
                 struct error *err);
    /* Writes a query result to the client's mapped memory. The sink calls it while it executes a
     * SUBMIT. NULL if there is no client (replay). */
    void (*write_back)(void *listener, uint32_t client, uint32_t handle, uint32_t offset,
                       const void *bytes, uint32_t size_bytes);
    void *listener;
};

/* For a sink that forwards to an inner sink: query results of the inner sink go to the listener of
 * the outer sink. */
static inline void
message_sink_share_listener(struct message_sink *inner, const struct message_sink *outer)
{
    inner->write_back = outer->write_back;
    inner->listener = outer->listener;
}

#endif
