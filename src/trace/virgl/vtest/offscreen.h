/* Off-screen frames: a sink in front of another one that adds what ends them. A client that has not
 * swapped yet may never do: what it draws and reads back of it is a frame as well.
 *
 * Its frame is some work (draws, clears, blits, copies) and the color readbacks that follow; it
 * ends before the next work, or when the client leaves or destroys or overwrites what it read. A
 * MESSAGE_FRAME is put there, of the whole level and layer that was read (by the largest box of
 * several, the first of equal ones). A swap instead ends the frame itself, and from then on only
 * swaps do. So what is recorded, and every run of it, has the same frames as the live run. */
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
