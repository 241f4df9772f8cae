/* What a program said to the virtual GPU, made independent of the socket: the trace file stores
 * these, the vtest server makes them, the decoder reads them.
 *
 * Transfers carry their bytes with tight rows (no shared memory, no strides). A swap and a readback
 * are different messages (docs/design/frontend.md, Swaps and readbacks). */
#ifndef AETIUS_TRACE_MESSAGE_H
#define AETIUS_TRACE_MESSAGE_H

#include "state/resource.h"

enum message_kind {
    MESSAGE_CLIENT_BEGIN = 1, /* bytes: the program's name */
    MESSAGE_CLIENT_END,
    MESSAGE_RESOURCE_CREATE,
    MESSAGE_RESOURCE_UNREF,
    MESSAGE_PUT,    /* bytes: the box, tight rows */
    MESSAGE_GET,    /* read back */
    MESSAGE_SUBMIT, /* bytes: dwords of the command stream */
    MESSAGE_SWAP,   /* transfer: the display target and the box shown */

    /* A trimmed trace begins with the state at its first frame, between two STATEs; making it takes
     * no time and counts nowhere. */
    MESSAGE_STATE,    /* state.begins: 1 in front, 0 behind */
    MESSAGE_ADDRESS,  /* placement.address: simulated address of the client's next resource */
    MESSAGE_CONTENTS, /* bytes: a level with its padding and all samples
                         (docs/design/file-formats.md, State of a trimmed trace) */
    MESSAGE_RESULT,   /* what a query has counted so far */

    /* transfer: the level and layer that a program without swaps read back, all of it; ends a frame
     * (trace/virgl/vtest/offscreen.h). The program did not say it. */
    MESSAGE_FRAME,
};

#define MESSAGE_LAST MESSAGE_FRAME

struct message {
    enum message_kind kind;
    uint32_t client; /* 1, 2, ... in order of connection */
    union {
        struct resource_desc resource; /* CREATE; UNREF uses .handle */
        struct {
            uint32_t handle, level;
            struct box box;
        } transfer; /* PUT, GET, SWAP, FRAME */
        struct {
            uint32_t handle, level;         /* as in `transfer` */
            struct cleared_code cleared;    /* state/cleared.h */
            uint32_t shown;                 /* of level 0: as gpu_shown_encode() says it; else 0 */
            uint32_t width, height, slices; /* of the level with its padding */
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
    const uint8_t *bytes; /* PUT, SUBMIT, CLIENT_BEGIN, CONTENTS; not owned */
    uint32_t size_bytes;
};

static inline bool
message_ends_frame(const struct message *message)
{
    return message->kind == MESSAGE_SWAP || message->kind == MESSAGE_FRAME;
}

/* Who takes messages: a trace writer, the functional renderer, the machine, a pass-through to
 * virgl_test_server. */
struct message_sink {
    void *data;
    /* Takes one message, in order. GET, SWAP and FRAME fill `out` (tight rows of the box, out_bytes
     * long) when it is not NULL. */
    bool (*take)(void *data, const struct message *message, uint8_t *out, uint32_t out_bytes,
                 struct error *err);
    /* Query results that must reach the client's mapped memory: called by a sink while it takes a
     * SUBMIT. NULL when nobody listens (replay). */
    void (*write_back)(void *listener, uint32_t client, uint32_t handle, uint32_t offset,
                       const void *bytes, uint32_t size_bytes);
    void *listener;
};

/* A sink that stands before another one: who listens to it hears the inner one's results too. */
static inline void
message_sink_hand_on(struct message_sink *inner, const struct message_sink *outer)
{
    inner->write_back = outer->write_back;
    inner->listener = outer->listener;
}

#endif
