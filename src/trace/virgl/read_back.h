/* Reads the contents of resources back from a renderer. This sink forwards messages to the
 * renderer. At the start of each range of frames it reads the resources to which commands may have
 * written. It writes them to a separate trace file: one PUT per slice of a level, and a SWAP after
 * the PUTs of each range. Resources that were only uploaded are not read, because the trace
 * contains their contents. */
#ifndef AETIUS_TRACE_READ_BACK_H
#define AETIUS_TRACE_READ_BACK_H

#include "base/args.h"
#include "trace/message.h"

struct read_back;

/* `ours`: the renderer is the simulator's own, which stores all formats and front surfaces
 * (state/context_present.c) exactly. On failure *read_back is NULL and no file remains. */
bool read_back_create(struct read_back **read_back, const char *path,
                      const struct frame_set *frames, struct message_sink *renderer, bool ours,
                      struct error *err);
struct message_sink *read_back_sink(struct read_back *read_back);
/* Returns whether the contents at the start of the last range have been read. */
bool read_back_done(const struct read_back *read_back);
/* Completes the file. Frees `read_back`, even on failure. */
bool read_back_close(struct read_back *read_back, struct error *err);

#endif
