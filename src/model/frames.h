/* The frame stages extend the source's model. They predict the time of a real program's frame from
 * the work of its draws on each unit (trace_work.h), without a cycle-level run.
 *
 *     draw    drain + latency of its first groups + latency of the memory clients that it waits for
 *             + its share of the command stream + its parts, which work at the same time. The parts
 *             are memory, geometry, vertex programs, fragment programs, textures and pixels.
 *     parts   (sum of t^p)^(1/p): the longest one, and more if others take about as long
 *     upload  bytes on the Command Processor's bus, which the uploads in flight share. A draw waits
 *             for the uploads that it reads.
 *     frame   draws and uploads in order, then blits, clears, write-back of the ROP caches, and
 *             the scan-out */
#ifndef AETIUS_MODEL_FRAMES_H
#define AETIUS_MODEL_FRAMES_H

#include "model/model.h"
#include "model/trace_work.h"

/* Bottleneck of a frame: a unit (enum trace_unit), or one of these. */
enum { BOUND_memory = TRACE_UNIT_COUNT, BOUND_drain, BOUND_upload, BOUND_rest, FRAME_BOUNDS };
const char *frame_bound_name(uint32_t bound);

struct frame_prediction {
    uint32_t frame;
    double cycles, seconds;
    double bounds[FRAME_BOUNDS]; /* cycles due to each bottleneck */
    uint32_t bound;              /* bottleneck with most cycles */
};

/* A simulated frame from which factors are fitted. */
struct frame_lesson {
    uint32_t frame; /* index in the work */
    uint32_t run;   /* number of its run, from 0 */
    /* 1 / sqrt(frames of its run), because frames of a run are similar */
    double weight;
    double cycles;                    /* measured by the simulation */
    double bytes[TRACE_CLIENT_COUNT]; /* transferred by its draws */
    const struct trace_work *work;
};
struct frame_lessons {
    struct frame_lesson *items;
    size_t count, capacity;
};

/* Adds a lesson for each frame of the run in `dir` whose draws are all in `work`. */
bool frame_lessons_add(struct frame_lessons *lessons, const struct trace_work *work,
                       const char *dir, struct error *err);
/* Fits the factors `frames.*` of the model. The interval of a factor is a jackknife over eight
 * groups of runs. `frames.error` is the error bar: each run is predicted by a fit without its
 * group. It is missing if there is only one run. Frames without draws are ignored. */
bool model_fit_frames(struct model *model, const struct frame_lessons *lessons, struct error *err);
bool model_has_frames(const struct model *model);
void model_predict_frame(struct frame_prediction *prediction, const struct model *model,
                         const struct trace_work *work, uint32_t frame);

#endif
