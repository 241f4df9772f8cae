/* The path of one triangle through the machine (sim/follow.h), as a text table and as
 * DIR/follow.json. docs/follow.md explains each figure. */
#ifndef AETIUS_REPORT_PRIMITIVE_TRACE_H
#define AETIUS_REPORT_PRIMITIVE_TRACE_H

#include "sim/follow.h"

#include <stdio.h>

enum { PRIMITIVE_TRACE_QUADS = 2048 /* in follow.json */, PRIMITIVE_TRACE_QUADS_SHOWN = 8 };

/* One row of the table: items of one kind that reached one unit through one kind of queue. */
struct primitive_trace_stage {
    enum follow_kind kind;
    uint32_t thing;    /* vertices have one stage each: index of the vertex */
    const char *queue; /* name, possibly followed by [i] */
    const struct module *unit;
    bool several;            /* several units */
    uint64_t count;          /* number of items, which is the number of hops */
    uint64_t first, last;    /* cycles: first arrival, last departure */
    uint64_t waited, stayed; /* cycles in the queue and in the unit, summed */
};

struct primitive_trace {
    const struct follow *follow;
    uint32_t *order; /* hops sorted by kind and item, in time order for each item */
    /* Per hop: cycle in which the receiving unit released the item, or CYCLE_NEVER. */
    uint64_t *left;
    VEC(struct primitive_trace_stage)
    stages;                           /* grouped by kind, in order of their first cycle */
    uint64_t fates[FATES], fragments; /* fragments: number of generated fragments */
};

void primitive_trace_make(struct primitive_trace *trace, const struct follow *follow);
void primitive_trace_fini(struct primitive_trace *trace);

void primitive_trace_print(const struct primitive_trace *trace, FILE *out);
bool primitive_trace_write(const struct primitive_trace *trace, const char *dir, struct error *err);

#endif
