/* Work that each frame of a trace requires of a GPU, found by rendering the trace without timing.
 * The figures are cheap and correlate with cycles: frames with similar figures take similar time
 * (analysis/sampling.h). */
#ifndef AETIUS_SIM_FRAME_WORK_H
#define AETIUS_SIM_FRAME_WORK_H

#include "params/params.h"
#include "sim/inspect.h"

/* Cycles are estimates of the time that each kind of unit would take alone. A program has its
 * static cost: both sides of a branch, one iteration of a loop. `time` is a sum over draws. A draw
 * counts its largest figure: cycles of a unit, or triangles, fragments or written pixels at the
 * machine's rates. */
#define FRAME_FIGURES(X)                                                                           \
    X(time)                                                                                        \
    X(messages) /* messages of the command stream */                                               \
    X(bytes)    /* size of these messages, packed as in the trace */                               \
    X(draws)                                                                                       \
    X(vertices)                                                                                    \
    X(triangles)                                                                                   \
    X(fragments)                                                                                   \
    X(vertex_cycles)                                                                               \
    X(fragment_cycles)                                                                             \
    X(texture_cycles)                                                                              \
    X(written)

enum frame_figure {
#define FRAME_FIGURE(name) FRAME_##name,
    FRAME_FIGURES(FRAME_FIGURE)
#undef FRAME_FIGURE
    /* fragment cycles again, hashed by program into these figures */
    FRAME_PROGRAMS,
    FRAME_PROGRAMS_END = FRAME_PROGRAMS + 12,
    FRAME_FIGURES_COUNT = FRAME_PROGRAMS_END
};

struct frame_work {
    double figures[FRAME_FIGURES_COUNT];
};

/* Renders frames 0 to count - 1 of the trace and fills `frames`, an array of `count` elements.
 * `params` must describe a machine that can be built. */
bool frame_work_find(struct frame_work *frames, uint32_t count, struct trace_reader *reader,
                     const struct params *params, uint64_t memory_bytes, struct error *err);

#endif
