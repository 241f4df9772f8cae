/* Scheduler: makes thread groups, hands them to shader units, puts results back in order
 * (docs/design/shader.md, Thread groups).
 *
 * In: vertices from the Streamer, quads from the Interpolator, finished groups; out: groups, shaded
 * vertices in any order, quads in draw order per ROP. The scheduler creates and releases groups. A
 * group holds its items, and passes them on when it has finished. */
#ifndef AETIUS_UNIT_SCHED_H
#define AETIUS_UNIT_SCHED_H

#include "base/ring.h"
#include "params/params.h"
#include "unit/env.h"
#include "unit/shader/shader.h"
#include "unit/stats.h"

struct sched {
    struct module module;
    struct sched_stats stats;
    struct pools *pools;
    struct queue *vertices_in, *vertices_out; /* from and to the streamer */
    struct queue *quads_in;                   /* from the interpolator */
    struct queue *to_shader[MAX_SHADERS], *from_shader[MAX_SHADERS];
    struct queue *early_out[MAX_ROPS]; /* to color write, tested already */
    struct queue *late_out[MAX_ROPS];  /* to the late z test */
    uint32_t shaders, rops;
    struct shader_role roles[STAGE_COUNT];
    uint32_t full[STAGE_COUNT]; /* items of a full group */
    uint32_t vertices_cycle, quads_cycle, linger_cycles;
    uint32_t busy_groups; /* of a unit that need not have one that is not full */

    uint32_t outstanding[MAX_SHADERS];              /* groups that a unit has */
    struct group *vertex_group;                     /* being filled */
    struct group *quad_group[MAX_SHADERS];          /* likewise, for each unit */
    uint64_t vertex_since, quad_since[MAX_SHADERS]; /* cycle of their last addition */
    bool tiled;                   /* quads go to units by tile; else a batch to each in turn */
    uint32_t rr_unit, rr_threads; /* the unit, of those for fragments, and what it got so far */
    uint32_t batch_threads;

    /* Reorder: for each ROP the quads and ends of draws, in the order in which they came. */
    struct reorder {
        struct reordered {
            struct quad_item item;
            struct cp_stamp arrival;
        } * entries;
        struct ring ring;
    } reorder[MAX_ROPS];
    struct pooled_vertex **finished_vertices; /* shaded, on their way back */
    struct ring finished_ring;

    /* critical path: what comes in is the module's stage; groups that are finished, and quads and
     * ends that leave their ring */
    struct cp_stage finish_stage, output_stage;
    uint64_t finished_cycle; /* of the last group */
    bool dispatch_blocked;   /* what comes waits for a group to finish */
};

void sched_init(struct sched *sched, const struct unit_env *env, uint32_t index);

#endif
