/* Computes how many cycles draws would save if they overlapped, on a machine that executes them one
 * after another.
 *
 * Each stage of the pipeline processes draws in order. Its work for a draw extends from its first
 * to its last cycle with work. The Streamer's work ends when its fetch can take the next draw: its
 * commit half waits for shaded vertices of several draws. The estimate moves this work to the
 * earliest cycle in which:
 * - the stage has finished the draws before,
 * - the stages before it have moved no further: a stage cannot work ahead of its input,
 * - the stage after it has moved so little that its input queues hold the items that arrive early.
 * The stages of a draw are ordered by their first work. A draw ends when its last stage ends, and
 * when the shader units that shade vertices have done their work for it and for all draws before.
 * Uploads run while draws do. The row of an upload has the cycles in which no draw runs: the next
 * draw waits for the upload, and the upload has waited for the last draw or takes longer. The next
 * draw then starts after the end of the last one. Other work between draws waits for all earlier
 * draws. */
#ifndef AETIUS_SIM_OVERLAP_H
#define AETIUS_SIM_OVERLAP_H

#include "core/clock.h"
#include "unit/stats.h"

/* Stages that process draws in order. Color write is not among them, because quads wait for it in
 * queues, and the end of each draw passes it. Neither is memory, which serves several stages. */
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
        const uint64_t *ready; /* cycle in which it could take the next draw; NULL: last work */
    } units[CLOCK_MAX_MODULES];
    uint32_t unit_count, stage_units[OVERLAP_STAGES];
    /* Shader units that shade vertices: their work, in cycles, and its value at the start of the
     * row. */
    struct {
        const struct module *module;
        const uint64_t *work;
        uint64_t work_before;
    } shared[CLOCK_MAX_MODULES];
    uint32_t shared_count;
    /* Queues from one stage to another, found when the first frame begins. */
    struct {
        const struct queue *queue;
        enum overlap_stage to;
        uint64_t items_before; /* items_out at the start of the row */
    } queues[CLOCK_MAX_QUEUES];
    uint32_t queue_count;
    uint64_t row_start;
    /* The schedule of the draws since the last work that waited for all earlier draws, or since the
     * frame began: the earliest start of the next draw, the end of the last draw and of all draws,
     * and the end of the work of each stage and of the shared units. */
    uint64_t start, last_end, end, free[OVERLAP_STAGES], shared_free;
};

void overlap_init(struct overlap *overlap, struct clock *clock, bool is_off);
/* Adds a unit of a stage. `ready`: the cycle in which the unit could take the next draw, although
 * it still works on this one. NULL: the end of its last work. */
void overlap_add(struct overlap *overlap, enum overlap_stage stage, const struct module *module,
                 const uint64_t *ready);
/* Adds a unit that serves several stages. `work` counts the cycles, up to the last clock_settle(),
 * in which the unit could not work faster. */
void overlap_share(struct overlap *overlap, const struct module *module, const uint64_t *work);
/* Starts a frame. */
void overlap_begin(struct overlap *overlap);
/* Ends a row of work. The clock must be settled. Returns the cycles of the row that would overlap
 * with earlier draws. */
uint64_t overlap_end_row(struct overlap *overlap, enum work_kind kind);

#endif
