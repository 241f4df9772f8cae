/* The frame stages, which are ours: what a frame of a real program takes, from what its draws ask
 * of each unit (trace_work.h) without a cycle-level run.
 *
 *     draw    drain + latency of its first groups + what the command stream brings + the longest of
 *             its units, or its bytes through the memory, and a part of the second: units work side
 *             by side, but what bounds a draw changes while it goes on
 *     upload  bytes on the command processor's bus: into textures while earlier draws go on, into
 *             buffers between draws
 *     frame   draws and uploads as they come, then blits, clears, what the ROPs' caches write back,
 *             and the scan-out */
#ifndef AETIUS_MODEL_FRAMES_H
#define AETIUS_MODEL_FRAMES_H

#include "model/model.h"
#include "model/trace_work.h"

/* What bounds a frame: a unit (enum trace_unit), or one of these. */
enum { BOUND_memory = TRACE_UNIT_COUNT, BOUND_drain, BOUND_upload, BOUND_rest, FRAME_BOUNDS };
const char *frame_bound_name(uint32_t bound);

struct frame_prediction {
    uint32_t frame;
    double cycles, seconds;
    double bounds[FRAME_BOUNDS]; /* cycles that each accounts for */
    uint32_t bound;              /* which for the most */
};

/* A run of cycle-level frames to learn from. */
struct frame_lesson {
    uint32_t frame;                   /* of the work */
    double weight;                    /* 1 / the root of the frames of its run, which are alike */
    double cycles;                    /* it took */
    double bytes[TRACE_CLIENT_COUNT]; /* its draws moved */
    const struct trace_work *work;
};
struct frame_lessons {
    struct frame_lesson *items;
    size_t count, capacity;
};

/* Adds a lesson a frame of the run in `dir` whose draws are all in `work`. */
bool frame_lessons_add(struct frame_lessons *lessons, const struct trace_work *work,
                       const char *dir, struct error *err);
/* Factors `frames.*` of the model. Frames in which nothing is drawn are passed over. */
bool model_fit_frames(struct model *model, const struct frame_lessons *lessons, struct error *err);
bool model_has_frames(const struct model *model);
void model_predict_frame(struct frame_prediction *prediction, const struct model *model,
                         const struct trace_work *work, uint32_t frame);

#endif
