/* Finds the draws of a trace that can affect the wanted frames, so that replay up to these frames
 * can skip all others. A draw is not needed if everything that it writes is completely overwritten
 * before it is read. */
#ifndef AETIUS_TRACE_NEEDED_DRAWS_H
#define AETIUS_TRACE_NEEDED_DRAWS_H

#include "base/args.h"
#include "trace/file.h"

#define WARM_UP_ALL UINT32_MAX

struct needed_draws;

/* For callers that render all wanted frames, which need all draws of these frames. Reads the trace
 * from its start up to the last wanted frame, then rewinds the reader. Of the frames before a
 * wanted frame, only the last `warm_up` have needed draws; WARM_UP_ALL: all of them. On failure
 * *needed is NULL. */
bool needed_draws_find(struct needed_draws **needed, struct trace_reader *reader,
                       const struct frame_set *wanted, uint32_t warm_up, struct error *err);
/* For callers that render each wanted frame separately, and replay it again before a later wanted
 * frame. In that replay, a draw is needed only if the later frame reads its result. */
bool needed_draws_find_later(struct needed_draws **needed, struct trace_reader *reader,
                             const struct frame_set *wanted, uint32_t warm_up, struct error *err);
/* For callers that need only the state at the start of each range of frames. Without `read_back`,
 * all memory counts as read at that point. With `read_back` (trace/virgl/read_back.h), memory
 * counts as read if the range reads it and `read_back` does not contain it. */
bool needed_draws_find_states(struct needed_draws **needed, struct trace_reader *reader,
                              const struct frame_set *wanted, uint32_t warm_up,
                              struct trace_reader *read_back, struct error *err);
void needed_draws_destroy(struct needed_draws *needed); /* NULL: no effect */

/* Returns whether a draw is needed. Draws are numbered from 0 over the whole trace. If `needed` is
 * NULL, all draws are needed. */
bool needed_draws_has(const struct needed_draws *needed, uint64_t draw);
uint64_t needed_draws_count(const struct needed_draws *needed); /* number of needed draws */
/* For needed_draws_find_states(): returns whether frames of a range, or later frames, read the
 * contents that a resource has at the start of the range. `resource` is the number of the resource.
 * Also returns true if this is unknown, because the range did not begin or the resource was created
 * after the last wanted frame. */
bool needed_draws_is_live(const struct needed_draws *needed, uint32_t range, uint32_t resource);

#endif
