/* The journey of one triangle through the machine (sim/follow.h): as a table that a student can
 * read, and as DIR/follow.json. What each figure means: docs/follow.md. */
#ifndef AETIUS_REPORT_JOURNEY_H
#define AETIUS_REPORT_JOURNEY_H

#include "sim/follow.h"

#include <stdio.h>

enum { JOURNEY_QUADS = 2048 /* in follow.json */, JOURNEY_QUADS_SHOWN = 8 };

/* Things of one kind that came to one kind of unit by one kind of queue. */
struct journey_stage {
    enum follow_kind kind;
    uint32_t thing;    /* of vertices each has stages of its own: which one */
    const char *queue; /* a name that may have [i] behind it */
    const struct module *unit;
    bool several;            /* units */
    uint64_t count;          /* things, by as many hops */
    uint64_t first, last;    /* the first was taken, the last was let go */
    uint64_t waited, stayed; /* cycles in the queue and in the unit, summed */
};

struct journey {
    const struct follow *follow;
    uint32_t *order; /* hops by kind and thing, each's in order */
    uint64_t *left;  /* of each hop: when the unit that took it let go of it; or CYCLE_NEVER */
    VEC(struct journey_stage) stages; /* in the order in which they began; of a kind together */
    uint64_t fates[FATES], fragments; /* generated */
};

void journey_make(struct journey *journey, const struct follow *follow);
void journey_fini(struct journey *journey);

void journey_print(const struct journey *journey, FILE *out);
bool journey_write(const struct journey *journey, const char *dir, struct error *err);

#endif
