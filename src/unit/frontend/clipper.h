/* Clipper: trivial reject of primitives (docs/design/machine.md, Clipper).
 *
 * Input: struct primitive_item from Primitive Assembly. An item of kind ITEM_RESTART stands for the
 * primitives of its draw, which come from Geometry Assembly. Output: the same items with `clip`
 * set, to Triangle Setup. The unit releases the vertices of rejected primitives. The machine owns
 * the unit and its queues. clipper_init() cannot fail. */
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
    struct queue *emitted; /* from Geometry Assembly */
    uint32_t triangles_cycle, start_cycles;
    struct lanes lanes; /* the test units */
};

void clipper_init(struct clipper *clipper, const struct unit_env *env, uint32_t index);

#endif
