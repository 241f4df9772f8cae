/* Accounting of cycles: to which work each cycle of the machine belongs. Tables use it, and whoever
 * else charges cycles.
 *
 * A work is a draw, or what happens between draws, by kind (enum work_kind in unit/stats.h). A
 * cycle belongs to the oldest work that has begun and has not ended. An upload runs in the
 * background of other work: a cycle is its only when nothing else is at work. A draw begins when
 * its command is taken and no upload that it waits for is on its way. What a framebuffer leaves
 * (caches that are written back and invalidated before something else begins) is a flush, whoever
 * asked for it; the rest of a command's time is that of its kind.
 *
 * No cycle passes without work, so each cycle of a frame belongs to one; and whatever any counter
 * counts while a work is the owner belongs to that. A row is a time with one owner. Every draw has
 * one row, since draws end in the order in which they begin; works of another kind have one
 * together until a draw or another kind comes. The rows of a frame add up to it in every counter.
 */
#ifndef AETIUS_SIM_WORK_ACCOUNTING_H
#define AETIUS_SIM_WORK_ACCOUNTING_H

#include "core/clock.h"
#include "unit/stats.h"

struct draw;

enum { MAX_WORKS = 128 }; /* besides uploads, that have begun and not ended */

extern const char *const work_kind_names[WORK_KINDS]; /* "draw", "upload" */

struct work {
    enum work_kind kind;
    uint32_t draw;            /* of a draw: its number in the frame; else how many had a row */
    const struct draw *baked; /* of a draw, alive until on_row_end() has returned; else NULL */
};

struct work_accounting {
    struct work_stats stats;
    struct work items[MAX_WORKS]; /* ring, oldest first, without uploads */
    uint32_t head, count, uploads;
    uint32_t draws; /* that had a row */
    struct work row;
    bool row_is_open; /* it counts, or has counted */
    uint64_t since;   /* cycle from which its cycles were not counted */
    /* Called at the end of a row: what was counted since the last call belongs to it. */
    void (*on_row_end)(void *data, const struct work *row);
    void *data;
};

/* Everything here happens with the clock settled at `now`. Between frames: nothing is at work. */
void work_accounting_reset(struct work_accounting *accounting, uint64_t now);
/* Of any kind but an upload; `baked` of a draw, else NULL. */
void work_accounting_begin(struct work_accounting *accounting, enum work_kind kind,
                           const struct draw *baked, uint64_t now);
/* The oldest of these has ended. */
void work_accounting_end(struct work_accounting *accounting, uint64_t now);
void work_accounting_begin_upload(struct work_accounting *accounting, uint64_t now);
void work_accounting_end_upload(struct work_accounting *accounting, uint64_t now);
/* All that have begun have ended: the last row ends. */
void work_accounting_close(struct work_accounting *accounting, uint64_t now);

#endif
