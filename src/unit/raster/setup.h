/* Triangle Setup: converts primitives to triangles with edges and planes (docs/design/machine.md,
 * Triangle Setup).
 *
 * Input: struct primitive_item. Output: struct triangle_item. A primitive produces 0 to
 * SETUP_MAX_TRIANGLES triangles. At most EmulatorStoredTriangles pooled triangles are in the
 * Fragment Generator. A struct triangle_credit from the Fragment Generator frees entries. The
 * machine owns the unit and its queues. setup_init() cannot fail. */
#ifndef AETIUS_UNIT_SETUP_H
#define AETIUS_UNIT_SETUP_H

#include "base/ring.h"
#include "params/params.h"
#include "unit/env.h"
#include "unit/items.h"
#include "unit/lanes.h"
#include "unit/stats.h"

struct setup {
    struct module module;
    struct setup_stats stats;
    struct pools *pools;
    struct queue *in, *out;
    struct queue *credits;       /* finished triangles, from the Fragment Generator */
    struct queue *jobs, *shaded; /* TriangleSetupOnShader: to and from the Scheduler */
    uint32_t triangles_cycle, start_cycles;
    struct lanes lanes;            /* the setup units */
    uint32_t stored, stored_limit; /* number of triangles sent and not yet finished; its limit */
    struct triangle outputs[SETUP_MAX_TRIANGLES]; /* triangles of the current primitive */
    uint32_t output_count, outputs_sent;
    struct setup_state state; /* state of the current draw */
    const struct draw *draw;
    uint32_t number; /* number of the current primitive in its draw */
    /* TriangleSetupOnShader: triangles and ends of draws, in order, until they leave */
    bool on_shader;
    struct setup_entry {
        struct triangle_item item;
        struct cp_stamp arrival;
    } * entries;
    struct ring ring;
    /* Critical path: results of the shader units; whether an item waits for an entry. */
    struct cp_stage result_stage;
    uint64_t result_cycle; /* cycle of the last result */
    bool ring_awaited;
};

void setup_init(struct setup *setup, const struct unit_env *env, uint32_t index);

#endif
