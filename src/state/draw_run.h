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

/* Primitive types that the merged draw can have. Restart indices separate the draws' strips and
 * fans. */
enum draw_form {
    FORM_LIST,  /* points, lines or triangles */
    FORM_SAME,  /* that of all draws */
    FORM_STRIP, /* strips of lines or triangles; other primitives are strips of one each */
    FORM_COUNT
};

struct draw_run {
    const struct draw *first, *last; /* NULL: no run */
    uint32_t count;
    uint64_t indices[FORM_COUNT]; /* indices of the one draw; UINT64_MAX: it cannot have the form */
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

/* Returns the form with the fewest indices. */
enum draw_form draw_form_best(const uint64_t indices[FORM_COUNT]);
/* Adds the indices of a draw of `count` vertices to each form. `first`: kind of primitives of the
 * first draw. */
void draw_form_add(uint64_t indices[FORM_COUNT], enum primitive first, enum primitive mode,
                   uint32_t count);
/* Whether a restart must end the draw in a draw of the form FORM_SAME. */
bool draw_needs_restart(const struct draw *draw);
/* Returns the kind of primitives of the one draw. */
enum primitive draw_run_mode(const struct draw_run *run, enum draw_form form);

/* Returns the kind of list to which the primitives can be converted: points, lines or triangles. */
enum primitive draw_list_mode(const struct draw *draw);

#endif
