/* Scheduler: forms thread groups, sends them to shader units, and restores the order of results
 * (docs/design/shader.md, Thread groups).
 *
 * Input: vertices from the Streamer, quads from the Interpolator, triangles from Triangle Setup,
 * primitives from Geometry Assembly, and finished groups. Output: groups, shaded vertices,
 * triangles and primitives in any order, and quads in draw order per ROP. The Scheduler creates and
 * releases groups. A group owns its vertices, quads or triangles until it has finished. */
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
    struct queue *vertices_in, *vertices_out;     /* from and to the Streamer */
    struct queue *quads_in;                       /* from the Interpolator */
    struct queue *triangles_in, *triangles_out;   /* from and to Triangle Setup */
    struct queue *primitives_in, *primitives_out; /* from and to Geometry Assembly */
    struct queue *to_shader[MAX_SHADERS], *from_shader[MAX_SHADERS];
    struct queue *early_out[MAX_ROPS]; /* quads tested early, to Color Write */
    struct queue *late_out[MAX_ROPS];  /* quads to the late z test */
    uint32_t shaders, rops;
    struct shader_role roles[STAGE_COUNT];
    uint32_t full[THREAD_KINDS]; /* number of items in a full group */
    uint32_t vertices_cycle, quads_cycle, linger_cycles;
    /* a unit with this many groups gets a partly filled group only at the end of a draw */
    uint32_t busy_groups;

    uint32_t outstanding[MAX_SHADERS]; /* number of groups in each unit */
    struct group *vertex_group, *triangle_group,
        *primitive_group;                  /* groups that are being filled */
    struct group *quad_group[MAX_SHADERS]; /* groups that are being filled, one per unit */
    /* cycle of the last addition to each group */
    uint64_t vertex_since, triangle_since, primitive_since, quad_since[MAX_SHADERS];
    bool tiled;                   /* assigns quads to units by tile; if false, in batches */
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
    struct pooled_vertex **finished_vertices; /* shaded vertices that must be returned */
    struct ring finished_ring;
    uint32_t first_source;         /* number of the first source of threads that has items */
    struct program *setup_program; /* NULL: TriangleSetupOnShader is off */
    struct pooled_triangle **finished_triangles; /* triangles that must be returned */
    struct ring triangle_ring;
    struct geometry_job **finished_primitives; /* primitives that must be returned */
    struct ring primitive_ring;

    /* Critical path. The module's stage follows arriving items, finish_stage follows finished
     * groups, and output_stage follows quads and ends of draws that leave their ring. */
    struct cp_stage finish_stage, output_stage;
    uint64_t finished_cycle; /* cycle in which the last group finished */
    bool dispatch_blocked;   /* arriving items wait until a group finishes */
};

void sched_init(struct sched *sched, const struct unit_env *env, uint32_t index);

#endif
