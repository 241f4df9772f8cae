/* Interpolator: inputs of the fragment program, per quad (docs/design/machine.md, Interpolator).
 *
 * In: struct quad_item from each z test, or from Hierarchical Z if the test is late; out: the same
 * quad with `inputs` and `systems` filled. An END item leaves once every z test has sent it. The
 * machine allocates the unit and its queues; interpolator_init() cannot fail. */
#ifndef AETIUS_UNIT_INTERPOLATOR_H
#define AETIUS_UNIT_INTERPOLATOR_H

#include "isa/exec.h"
#include "params/params.h"
#include "unit/env.h"
#include "unit/items.h"
#include "unit/stats.h"

struct interpolator {
    struct module module;
    struct interpolator_stats stats;
    struct queue *in[MAX_ROPS]; /* from the early z tests */
    struct queue *late_in;      /* from HZ if the test is late */
    struct queue *out;
    uint32_t rops, quads_cycle;
    uint32_t attributes_cycle; /* per quad */
    uint64_t free_cycle;       /* cycle in which the attributes of the last quads are complete */
    uint32_t rr_next;          /* the first z test to take quads from */
    uint32_t ends;             /* z tests that have finished the draw */
    bool ended[MAX_ROPS];      /* per z test: has finished; its next draw waits */
    uint64_t samples_passed;
    struct exec view; /* of the current quad: destination of its inputs */
};

void interpolator_init(struct interpolator *interpolator, const struct unit_env *env,
                       uint32_t index);

#endif
