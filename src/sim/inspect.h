/* Looking at the draws of a trace: drawn without time, with somebody watching. */
#ifndef AETIUS_SIM_INSPECT_H
#define AETIUS_SIM_INSPECT_H

#include "base/args.h"
#include "sim/functional.h"
#include "trace/file.h"

struct inspection {
    struct frame_set frames; /* to be drawn whole; of others only what these need */
    /* Hears of every draw that is executed, also of other frames: its device tells which one. */
    struct draw_watch watch;
    bool done;            /* set by the watch: nothing more of the trace is wanted */
    struct budget budget; /* of the host's memory */
};

/* Draws the trace up to the last of the frames, or until it is done. */
bool inspect_draws(struct inspection *inspection, struct trace_reader *reader, struct error *err);

/* Walks the programs that the clients of a trace create, without drawing; a text that is no program
 * is passed over. `found` says false to end the walk. */
bool inspect_programs(struct trace_reader *reader,
                      bool (*found)(void *data, const struct program *program), void *data,
                      struct error *err);

#endif
