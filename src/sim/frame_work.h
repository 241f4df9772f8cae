/* What each frame of a trace asks of a GPU, told by drawing it without time: cheap figures that go
 * with its cycles. Frames that are alike in them are alike in time (analysis/sampling.h). */
#ifndef AETIUS_SIM_FRAME_WORK_H
#define AETIUS_SIM_FRAME_WORK_H

#include "params/params.h"
#include "sim/inspect.h"

/* Cycles are a guess: those that units of the machine would take for themselves, programs by their
 * static cost (both sides of a branch, one round of a loop). `time` is the longest of a draw's, or
 * of its triangles, fragments and pixels written at the machine's rates, added up over the draws.
 */
#define FRAME_FIGURES(X)                                                                           \
    X(time)                                                                                        \
    X(messages) /* of the command stream */                                                        \
    X(bytes)    /* of them, packed as in the trace */                                              \
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
    /* fragment cycles once more, by program: each program adds to one of these */
    FRAME_PROGRAMS,
    FRAME_PROGRAMS_END = FRAME_PROGRAMS + 12,
    FRAME_FIGURES_COUNT = FRAME_PROGRAMS_END
};

struct frame_work {
    double figures[FRAME_FIGURES_COUNT];
};

/* Draws the frames of the trace up to `count`, and fills as many of `frames`. `params` is a machine
 * that can be built. */
bool frame_work_find(struct frame_work *frames, uint32_t count, struct trace_reader *reader,
                     const struct params *params, uint64_t memory_bytes, struct error *err);

#endif
