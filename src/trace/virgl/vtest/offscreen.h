/* Adds frames for programs that render off-screen. This sink is in front of another one and inserts
 * the messages that end such frames. Frames of a client that has not swapped yet are its draws with
 * the readbacks of their results.
 *
 * An off-screen frame is work (draws, clears, blits, copies) and the color readbacks after it. It
 * ends before the next work, or when the client leaves, or when it destroys or overwrites the
 * resource that it read. The sink inserts a MESSAGE_FRAME there. The message has the whole level
 * and layer of the readback with the largest box, the first of equal ones. A swap ends the frame
 * instead; after it, only swaps end frames of this client. Recorded traces contain these messages,
 * so all runs of a trace have the frames of the live run. */
#ifndef AETIUS_TRACE_OFFSCREEN_H
#define AETIUS_TRACE_OFFSCREEN_H

#include "base/handles.h"
#include "trace/message.h"

struct offscreen {
    struct message_sink sink;
    struct message_sink *inner;
    struct handle_map clients;
};

void offscreen_init(struct offscreen *offscreen, struct message_sink *inner);
void offscreen_fini(struct offscreen *offscreen);

#endif
