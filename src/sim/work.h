/* To whom a cycle belongs: the rule, for tables and for whoever else charges cycles.
 *
 * The machine's time goes into works: draws, and the work between draws, by kind (enum work_kind in
 * unit/stats.h). Works begin in the order of the commands and retire in that order: one that is
 * done while an older one is not retires right behind that. A cycle belongs to the oldest work that
 * has not retired when it passes; so what overlaps belongs to the older one, and whatever any
 * counter counts between two retirements belongs to the work that retires. No cycle passes while
 * there is no work: each cycle of a frame belongs to one work, and the works of a frame add up to
 * it in every counter.
 *
 * A row is what is told of works: a draw is a row of its own; works of one kind without another
 * kind in between are one. What a framebuffer leaves behind (caches that are written back and
 * forgotten before something else begins) is a flush, whoever asked for it; the rest of a command's
 * time is that of its kind. */
#ifndef AETIUS_SIM_WORK_H
#define AETIUS_SIM_WORK_H

#include "kernel/clock.h"
#include "unit/stats.h"

struct draw;

enum { MAX_WORKS = 128 }; /* that have begun and not retired */

extern const char *const work_kind_names[WORK_KINDS]; /* "draw", "upload" */

struct work {
    enum work_kind kind;
    uint32_t draw;            /* of a draw: its number in the frame; else how many began before */
    const struct draw *baked; /* of a draw, alive while it is told of; else NULL */
};

struct works {
    struct work_stats stats;
    struct work items[MAX_WORKS]; /* ring, oldest first */
    bool ended[MAX_WORKS];
    uint32_t head, count, draws;
    uint64_t since;   /* cycle of the last retirement */
    struct work row;  /* of works that have retired and were not told of */
    bool row_is_open;
    /* Called at the end of a row: what was counted since the last call belongs to it. */
    void (*told)(void *data, const struct work *row);
    void *data;
};

/* Between frames: nothing is at work. */
void works_reset(struct works *works, uint64_t now);
/* The work's place, for works_end(); the clock has not run since the command came. */
uint32_t works_begin(struct works *works, enum work_kind kind, const struct draw *baked);
/* With the clock settled at `now`. */
void works_end(struct works *works, uint32_t place, uint64_t now);
/* All that have begun have ended: the last row is told of. */
void works_close(struct works *works);

#endif
