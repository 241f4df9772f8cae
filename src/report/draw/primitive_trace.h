/* The trace of one triangle through the machine (sim/follow.h): as a table that a student can
 * read, and as DIR/follow.json. What each figure means: docs/follow.md. */
#ifndef AETIUS_REPORT_PRIMITIVE_TRACE_H
#define AETIUS_REPORT_PRIMITIVE_TRACE_H

#include "sim/follow.h"

#include <stdio.h>

enum { PRIMITIVE_TRACE_QUADS = 2048 /* in follow.json */, PRIMITIVE_TRACE_QUADS_SHOWN = 8 };

/* Things of one kind that came to one kind of unit by one kind of queue. */
struct primitive_trace_stage {
    enum follow_kind kind;
    uint32_t thing;    /* of vertices each has stages of its own: which one */
    const char *queue; /* a name that may have [i] behind it */
    const struct module *unit;
    bool several;            /* units */
    uint64_t count;          /* things, by as many hops */
    uint64_t first, last;    /* the first was taken, the last was let go */
    uint64_t waited, stayed; /* cycles in the queue and in the unit, summed */
};

struct primitive_trace {
    const struct follow *follow;
    uint32_t *order; /* hops by kind and thing, each's in order */
    uint64_t *left;  /* of each hop: when the unit that took it let go of it; or CYCLE_NEVER */
    VEC(struct primitive_trace_stage)
    stages;                           /* in the order in which they began; of a kind together */
    uint64_t fates[FATES], fragments; /* generated */
};

void primitive_trace_make(struct primitive_trace *trace, const struct follow *follow);
void primitive_trace_fini(struct primitive_trace *trace);

void primitive_trace_print(const struct primitive_trace *trace, FILE *out);
bool primitive_trace_write(const struct primitive_trace *trace, const char *dir, struct error *err);

#endif
