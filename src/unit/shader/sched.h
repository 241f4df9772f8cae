/* Scheduler: makes thread groups, sends them to shader units, restores the order of results
 * (docs/design/shader.md, Thread groups).
 *
 * In: vertices from the Streamer, quads from the Interpolator, finished groups; out: groups, shaded
 * vertices in any order, quads in draw order per ROP. The Scheduler creates and releases groups. A
 * group owns its items until it has finished. */
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
    struct queue *vertices_in, *vertices_out; /* from and to the Streamer */
    struct queue *quads_in;                   /* from the Interpolator */
    struct queue *to_shader[MAX_SHADERS], *from_shader[MAX_SHADERS];
    struct queue *early_out[MAX_ROPS]; /* to Color Write: already tested */
    struct queue *late_out[MAX_ROPS];  /* to the late z test */
    uint32_t shaders, rops;
    struct shader_role roles[STAGE_COUNT];
    uint32_t full[STAGE_COUNT]; /* items of a full group */
    uint32_t vertices_cycle, quads_cycle, linger_cycles;
    uint32_t busy_groups; /* a unit with this many groups does not need one that is not full */

    uint32_t outstanding[MAX_SHADERS];              /* groups that a unit has */
    struct group *vertex_group;                     /* being filled */
    struct group *quad_group[MAX_SHADERS];          /* being filled, one per unit */
    uint64_t vertex_since, quad_since[MAX_SHADERS]; /* cycle of their last addition */
    bool tiled;                   /* assigns quads to units by tile; else in batches */
    uint32_t rr_unit, rr_threads; /* next fragment unit; threads it got in this batch */
    uint32_t batch_threads;

    /* Reorder point: the quads and ends of draws of each ROP, in order of arrival. */
    struct reorder {
        struct reordered {
            struct quad_item item;
            struct cp_stamp arrival;
        } * entries;
        struct ring ring;
    } reorder[MAX_ROPS];
    struct pooled_vertex **finished_vertices; /* shaded, to be returned */
    struct ring finished_ring;

    /* critical path: the module's stage is the arrival of items; finished groups; quads and ends of
     * draws that leave their ring */
    struct cp_stage finish_stage, output_stage;
    uint64_t finished_cycle; /* cycle in which the last group finished */
    bool dispatch_blocked;   /* arriving items wait for a group to finish */
};

void sched_init(struct sched *sched, const struct unit_env *env, uint32_t index);

#endif
