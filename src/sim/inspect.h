/* Inspects the draws of a trace: renders it without timing, with an observer. Also lists its
 * commands and programs, without rendering. */
#ifndef AETIUS_SIM_INSPECT_H
#define AETIUS_SIM_INSPECT_H

#include "base/args.h"
#include "sim/functional.h"
#include "trace/file.h"

struct inspection {
    struct frame_set frames; /* all their draws are executed; of other frames only the draws that
                                these frames need */
    /* Called for every executed draw, also in other frames. The renderer's device contains the
     * frame's number. */
    struct draw_watch watch;
    bool done;            /* set by `watch` to end the inspection */
    struct budget budget; /* limit of host memory */
};

/* Renders the trace up to the last frame of `frames`, or until `done` is set. */
bool inspect_draws(struct inspection *inspection, struct trace_reader *reader, struct error *err);

/* Calls `found` for each command of a trace, without executing it. `found` returns false to stop.
 */
bool inspect_commands(struct trace_reader *reader,
                      bool (*found)(void *data, uint32_t frame, const struct gpu_cmd *cmd),
                      void *data, struct error *err);

/* Calls `found` for each program that the clients of a trace create, without rendering. Skips texts
 * that are not valid programs. `found` returns false to stop. */
bool inspect_programs(struct trace_reader *reader,
                      bool (*found)(void *data, const struct program *program), void *data,
                      struct error *err);

#endif
