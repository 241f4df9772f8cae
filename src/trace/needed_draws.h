/* Which draws of a trace can be seen in the frames that are wanted, so that the others are left out
 * on the way there. A draw is left out when everything that it writes is cleared as a whole, later,
 * before anything reads it. */
#ifndef AETIUS_TRACE_NEEDED_DRAWS_H
#define AETIUS_TRACE_NEEDED_DRAWS_H

#include "base/args.h"
#include "trace/file.h"

struct needed_draws;

/* Walks the trace up to the last of the frames and takes the reader back to its start. With
 * `whole_state` all that lies in memory before each range of frames counts as seen, too. */
bool needed_draws_find(struct needed_draws **needed, struct trace_reader *reader,
                       const struct frame_set *wanted, bool whole_state, struct error *err);
/* For those who draw the wanted frames whole, each for itself, and walk past the others: of a
 * wanted frame, too, only the draws count that a later wanted frame sees. */
bool needed_draws_find_later(struct needed_draws **needed, struct trace_reader *reader,
                             const struct frame_set *wanted, struct error *err);
void needed_draws_destroy(struct needed_draws *needed); /* NULL: nothing */

/* Draws are counted from 0 over the whole trace. NULL: all are needed. */
bool needed_draws_has(const struct needed_draws *needed, uint64_t draw);

#endif
