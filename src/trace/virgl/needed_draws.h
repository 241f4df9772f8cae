/* Which draws of a trace can be seen in the frames that are wanted, so that the others are left out
 * on the way there. A draw is left out when everything that it writes is overwritten as a whole,
 * later, before anything reads it. */
#ifndef AETIUS_TRACE_NEEDED_DRAWS_H
#define AETIUS_TRACE_NEEDED_DRAWS_H

#include "base/args.h"
#include "trace/file.h"

#define WARM_UP_ALL UINT32_MAX

struct needed_draws;

/* For those who draw the wanted frames, all of them. Walks the trace up to the last of the frames
 * and takes the reader back to its start. Of the frames that are not wanted only the last `warm_up`
 * before each that is have draws that are needed; WARM_UP_ALL: all have. When it fails, *needed is
 * NULL. */
bool needed_draws_find(struct needed_draws **needed, struct trace_reader *reader,
                       const struct frame_set *wanted, uint32_t warm_up, struct error *err);
/* For those who draw the wanted frames whole, each for itself, and walk past the others: of a
 * wanted frame, too, only the draws count that a later wanted frame sees. */
bool needed_draws_find_later(struct needed_draws **needed, struct trace_reader *reader,
                             const struct frame_set *wanted, uint32_t warm_up, struct error *err);
/* For those who only want the state at the start of each range of frames: all that lies in memory
 * there or, with `read_back` (trace/virgl/read_back.h), what is not read back and the range sees.
 */
bool needed_draws_find_states(struct needed_draws **needed, struct trace_reader *reader,
                              const struct frame_set *wanted, uint32_t warm_up,
                              struct trace_reader *read_back, struct error *err);
void needed_draws_destroy(struct needed_draws *needed); /* NULL: nothing */

/* Draws are counted from 0 over the whole trace. NULL: all are needed. */
bool needed_draws_has(const struct needed_draws *needed, uint64_t draw);
uint64_t needed_draws_count(const struct needed_draws *needed); /* those that are */
/* Of needed_draws_find_states(): whether what a resource (by its number) holds at the start of a
 * range is seen, by its frames or later ones. True also where that is not known: the range did not
 * begin, or the resource was made after the last wanted frame. */
bool needed_draws_is_live(const struct needed_draws *needed, uint32_t range, uint32_t resource);

#endif
