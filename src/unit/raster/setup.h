/* Triangle setup. */
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
    struct queue *places; /* back from the fragment generator: triangles that it has finished */
    uint32_t triangles_cycle, start_cycles;
    struct lanes lanes;                        /* the setup units */
    uint32_t stored, stored_limit;             /* triangles set up and not yet finished */
    struct triangle made[SETUP_MAX_TRIANGLES]; /* of the primitive in hand */
    uint32_t made_count, made_sent;
    struct setup_state state; /* of the draw */
    const struct draw *draw;
    uint32_t number; /* of the primitive in hand, in its draw */
};

void setup_init(struct setup *setup, const struct unit_env *env, uint32_t index);

#endif
