/* Interpolator: fragment shader inputs of quads. */
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
    struct queue *late_in;      /* from HZ when the test is late */
    struct queue *out;
    uint32_t rops, quads_cycle;
    uint32_t attributes_cycle; /* of each quad */
    uint64_t free_cycle;       /* the attributes of the last quads are being made until then */
    uint32_t turn;             /* the z test whose quads are looked at first */
    uint32_t ends;             /* z tests that have finished the draw */
    bool ended[MAX_ROPS];      /* which: theirs of the next draw wait for the others */
    uint64_t samples_passed;
    struct exec view; /* of the quad in hand: where its inputs go */
};

void interpolator_init(struct interpolator *interpolator, const struct unit_env *env,
                       uint32_t index);

#endif
