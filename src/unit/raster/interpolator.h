/* Interpolator: computes the inputs of the fragment program for each quad (docs/design/machine.md,
 * Interpolator).
 *
 * Input: struct quad_item from each z test, or from Hierarchical Z if the test is late. Output: the
 * same quads with `inputs` and `systems` set. An END item leaves once every z test has sent it. The
 * machine owns the unit and its queues. interpolator_init() cannot fail. */
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
    struct queue *late_in;      /* from Hierarchical Z if the test is late */
    struct queue *out;
    uint32_t rops, quads_cycle;
    uint32_t attributes_cycle; /* attributes of a quad computed per cycle */
    uint64_t free_cycle;       /* cycle in which the attributes of the last quads are complete */
    uint32_t rr_next;          /* z test from which to take quads first */
    uint32_t ends;             /* number of z tests that have finished the draw */
    bool ended[MAX_ROPS];      /* z tests that have finished the draw; their next draw waits */
    uint64_t samples_passed;
    struct exec view; /* view of the current quad; receives the inputs */
};

void interpolator_init(struct interpolator *interpolator, const struct unit_env *env,
                       uint32_t index);

#endif
