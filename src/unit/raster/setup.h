/* Triangle Setup: converts primitives to triangles with edges and planes (docs/design/machine.md,
 * Triangle Setup).
 *
 * In: struct primitive_item; out: struct triangle_item. A primitive gives 0 to SETUP_MAX_TRIANGLES
 * triangles. At most EmulatorStoredTriangles pooled triangles exist; a struct triangle_credit from
 * the Fragment Generator frees places. The machine allocates the unit and its queues; setup_init()
 * cannot fail. */
#ifndef AETIUS_UNIT_SETUP_H
#define AETIUS_UNIT_SETUP_H

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
    struct queue *credits; /* from the Fragment Generator: triangles that it has finished */
    uint32_t triangles_cycle, start_cycles;
    struct lanes lanes;                           /* the setup units */
    uint32_t stored, stored_limit;                /* triangles set up and not yet finished */
    struct triangle outputs[SETUP_MAX_TRIANGLES]; /* of the current primitive */
    uint32_t output_count, outputs_sent;
    struct setup_state state; /* of the current draw */
    const struct draw *draw;
    uint32_t number; /* of the current primitive, in its draw */
};

void setup_init(struct setup *setup, const struct unit_env *env, uint32_t index);

#endif
