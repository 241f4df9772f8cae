/* Consecutive draws that one draw could render. They have the same state. Their vertices may be in
 * different places, and their primitives may be lists, strips or fans. Constants of buffer 0 may
 * differ: the one draw then reads them from a table (isa/program_palette.h). */
#ifndef AETIUS_STATE_DRAW_RUN_H
#define AETIUS_STATE_DRAW_RUN_H

#include "state/draw.h"

/* Whether a draw continues a run, or why it does not. */
enum draw_join {
    DRAW_JOINS,
    DRAW_OTHER_STATE,
    /* Only constants differ, but the table is not possible: */
    DRAW_ADDRESSED,  /* an address selects constants, so it is unknown which ones are read */
    DRAW_ATTRIBUTES, /* no attribute is left for the row */
    DRAW_VARYINGS,   /* the constants of the fragment program need too many varyings */
    DRAW_LONG_TABLE, /* the table exceeds OFFERED_CONSTANTS with this draw */
    DRAW_JOIN_COUNT
};

/* Constants of one program. */
struct constant_set {
    uint32_t count;
    uint64_t bits[(MAX_CONSTANTS + 63) / 64];
};

static inline bool
constant_set_has(const struct constant_set *set, uint32_t constant)
{
    return set->bits[constant / 64] >> constant % 64 & 1;
}

struct draw_run {
    const struct draw *first, *last; /* NULL: no run */
    uint32_t count;
    struct constant_set differing[STAGE_FRAGMENT + 1]; /* by stage: vertex, fragment */
};

void draw_run_begin(struct draw_run *run, const struct draw *draw);
/* Adds the draw to the run if it continues it. Otherwise the run stays as it is. */
enum draw_join draw_run_add(struct draw_run *run, const struct draw *draw);

/* Number of constants per draw in the table. */
static inline uint32_t
draw_run_row(const struct draw_run *run)
{
    return run->differing[STAGE_VERTEX].count + run->differing[STAGE_FRAGMENT].count;
}

/* Returns the kind of list to which the primitives can be converted: points, lines or triangles. */
enum primitive draw_list_mode(const struct draw *draw);

#endif
