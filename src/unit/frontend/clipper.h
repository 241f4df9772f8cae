/* Clipper: trivial reject of primitives (docs/design/machine.md, Clipper).
 *
 * In: struct primitive_item from Primitive Assembly; out: the same to Triangle Setup, with `clip`
 * set. Rejected primitives are released here. The machine allocates the unit and its queues;
 * clipper_init() cannot fail. */
#ifndef AETIUS_UNIT_CLIPPER_H
#define AETIUS_UNIT_CLIPPER_H

#include "params/params.h"
#include "unit/env.h"
#include "unit/items.h"
#include "unit/lanes.h"
#include "unit/stats.h"

struct clipper {
    struct module module;
    struct clipper_stats stats;
    struct pools *pools;
    struct queue *in, *out;
    uint32_t triangles_cycle, start_cycles;
    struct lanes lanes; /* the test units */
};

void clipper_init(struct clipper *clipper, const struct unit_env *env, uint32_t index);

#endif
