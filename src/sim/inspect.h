/* Inspects the draws of a trace: draws it without time, under a watch. */
#ifndef AETIUS_SIM_INSPECT_H
#define AETIUS_SIM_INSPECT_H

#include "base/args.h"
#include "sim/functional.h"
#include "trace/file.h"

struct inspection {
    struct frame_set frames; /* drawn completely; of others only the draws that these need */
    /* Called for every executed draw, also of other frames: the renderer's device has the frame's
     * number. */
    struct draw_watch watch;
    bool done;            /* set by the watch: ends the inspection */
    struct budget budget; /* limit of host memory */
};

/* Draws the trace up to the last of the frames, or until `done`. */
bool inspect_draws(struct inspection *inspection, struct trace_reader *reader, struct error *err);

/* Calls `found` for each program that the clients of a trace create, without drawing. Skips texts
 * that are not programs. `found` returns false to stop. */
bool inspect_programs(struct trace_reader *reader,
                      bool (*found)(void *data, const struct program *program), void *data,
                      struct error *err);

#endif
