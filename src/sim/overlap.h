/* Computes how many cycles draws would save if they overlapped, on a machine that executes them one
 * after another.
 *
 * Each stage of the pipeline processes draws in order. Its work for a draw extends from its first
 * to its last cycle with work. The estimate moves each draw to the earliest cycle in which no stage
 * works on two draws at once. Within a draw, nothing moves. Work between draws, except uploads,
 * waits for all earlier draws. */
#ifndef AETIUS_SIM_OVERLAP_H
#define AETIUS_SIM_OVERLAP_H

#include "core/clock.h"
#include "unit/stats.h"

/* Stages that process draws in order. Color write is not among them, because quads wait for it in
 * queues, and the end of each draw passes it. Neither are units that serve several stages: memory,
 * and unified shader units. */
enum overlap_stage {
    OVERLAP_streamer,
    OVERLAP_primasm,
    OVERLAP_geomasm,
    OVERLAP_clipper,
    OVERLAP_setup,
    OVERLAP_fraggen,
    OVERLAP_hz,
    OVERLAP_interpolator,
    OVERLAP_shader, /* units that shade only fragments */
    OVERLAP_texunit,
    OVERLAP_zstencil,
    OVERLAP_STAGES
};

struct overlap {
    struct clock *clock;
    bool is_off; /* the machine overlaps draws itself */
    struct {
        const struct module *module;
        enum overlap_stage stage;
    } units[CLOCK_MAX_MODULES];
    uint32_t unit_count, stage_units[OVERLAP_STAGES];
    uint64_t row_start;
    /* The schedule of the draws since the last work that waited for all earlier draws, or since the
     * frame began. It has the start of the last draw, the end of all draws, and the end of each
     * stage's work. */
    uint64_t start, end, free[OVERLAP_STAGES];
};

void overlap_init(struct overlap *overlap, struct clock *clock, bool is_off);
void overlap_add(struct overlap *overlap, enum overlap_stage stage, const struct module *module);
/* Starts a frame. */
void overlap_begin(struct overlap *overlap);
/* Ends a row of work. Returns the cycles of the row that would overlap with earlier draws. */
uint64_t overlap_end_row(struct overlap *overlap, enum work_kind kind);

#endif
