/* What the GPU has written, read back from the renderer that draws: a sink in front of it, which at
 * the start of each range of frames asks for the contents of the resources that commands may have
 * written. They go to a trace file of their own: PUTs, one slice of a level each, and a SWAP behind
 * those of each range. What was only uploaded is not read: the uploads tell. */
#ifndef AETIUS_TRACE_READ_BACK_H
#define AETIUS_TRACE_READ_BACK_H

#include "base/args.h"
#include "trace/message.h"

struct read_back;

/* `ours`: the renderer is our own, which keeps all formats, and front surfaces
 * (state/context_present.c), as they are. When it fails, *read_back is NULL and no file is left. */
bool read_back_create(struct read_back **read_back, const char *path,
                      const struct frame_set *frames, struct message_sink *renderer, bool ours,
                      struct error *err);
struct message_sink *read_back_sink(struct read_back *read_back);
/* Whether the start of the last range is there. */
bool read_back_done(const struct read_back *read_back);
/* Ends the file; it is gone either way. */
bool read_back_close(struct read_back *read_back, struct error *err);

#endif
