/* Adds frames for programs that render off-screen. This sink forwards messages and inserts those
 * that end such frames. Until a client swaps for the first time, its frames consist of its draws
 * and the readbacks of their results.
 *
 * An off-screen frame is work (draws, clears, blits, copies) and the color readbacks after it. It
 * ends before the next work, when the client disconnects, or when the client destroys or overwrites
 * the resource that it has read. The sink inserts a MESSAGE_FRAME at this point. The message
 * contains the whole level and layer of the readback with the largest box, or of the first one if
 * several are equal. A swap ends the frame instead. After a swap, only swaps end frames of this
 * client. A readback of a smaller level than OFFSCREEN_MIN_PIXELS ends no frame. Programs read such
 * levels for tests of the driver (Wine at start-up) and for results of calculations. Recorded
 * traces contain the inserted messages, so all runs of a trace have the same frames as the capture.
 */
#ifndef AETIUS_TRACE_OFFSCREEN_H
#define AETIUS_TRACE_OFFSCREEN_H

#include "base/handles.h"
#include "trace/message.h"

enum { OFFSCREEN_MIN_PIXELS = 16 }; /* width and height of the smallest picture */

struct offscreen {
    struct message_sink sink;
    struct message_sink *inner;
    struct handle_map clients;
};

void offscreen_init(struct offscreen *offscreen, struct message_sink *inner);
void offscreen_fini(struct offscreen *offscreen);

#endif
