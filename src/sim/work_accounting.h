/* Accounting of cycles: assigns each cycle of the machine to one work. Used by tables and by other
 * observers that attribute cycles.
 *
 * A work is a draw, or another kind of activity between draws (enum work_kind in unit/stats.h). A
 * cycle belongs to the oldest work that has begun and has not ended. An upload runs in the
 * background: it owns a cycle only when no other work is active. A draw begins when its command is
 * taken and the uploads that it waits for have ended. Unbinding a framebuffer writes back and
 * invalidates caches before other work begins. That time counts as a flush, whichever command
 * caused it. The rest of a command's time is attributed to the command's kind.
 *
 * Every cycle of a frame belongs to one work. Every count of a counter belongs to the work that
 * owns the cycle. A row is a span of time with one owner. Every draw has one row, since draws end
 * in the order in which they begin. Other works of the same kind share a row until a draw or
 * another kind begins. The rows of a frame sum to the frame's total in every counter. */
#ifndef AETIUS_SIM_WORK_ACCOUNTING_H
#define AETIUS_SIM_WORK_ACCOUNTING_H

#include "base/ring.h"
#include "core/clock.h"
#include "state/cmd.h"
#include "unit/stats.h"

struct draw;

enum { MAX_WORKS = 128 }; /* maximum number of works in progress, without uploads */

extern const char *const work_kind_names[WORK_KINDS]; /* "draw", "upload" */

/* A copy or a blit that writes a whole box. */
struct work_copy {
    uint32_t from, to; /* numbers of the resources; `to` 0: none */
    uint32_t level;    /* of `to` */
    struct box box;    /* of `to` */
    uint32_t mask;     /* channels of the colors, enum blit_mask */
};

struct work {
    enum work_kind kind;
    uint32_t draw; /* draw: its number in the frame; other kinds: number of draws that already have
                      a row */
    const struct draw *baked; /* the draw, valid until on_row_end() returns, or NULL */
    struct work_copy copy;    /* the only copy of a row of copies; otherwise `to` is 0 */
    uint32_t copies_repeated; /* copies: number of them that an equal copy before has made */
    uint64_t repeated;        /* uploads: transactions of bytes that were uploaded before */
    uint32_t erases;          /* clears: number of the draws before whose results they erase */
    uint32_t clears_repeated; /* clears: number of the clears before that they replace */
    uint32_t clears_unneeded; /* clears: whether the clear before the last draws is unneeded */
};

struct work_accounting {
    struct work_stats stats;
    struct work items[MAX_WORKS]; /* works in flight, without uploads */
    struct ring ring;             /* of `items`, oldest first */
    uint32_t uploads;
    uint32_t draws; /* number of draws that have a row */
    struct work row;
    const uint64_t *repeated; /* total of work.repeated, or NULL */
    uint64_t repeated_before; /* at the end of the last row */
    struct work_copy copy;    /* what the next work of kind WORK_BLIT copies */
    uint32_t copies_repeated; /* of the next work of kind WORK_BLIT */
    uint32_t erases, clears_repeated, clears_unneeded; /* of the next work of kind WORK_CLEAR */
    bool row_is_open;                                  /* `row` is valid and may get more cycles */
    uint64_t since;                                    /* first cycle that is not yet attributed */
    /* Called at the end of a row. All counts since the previous call belong to this row. */
    void (*on_row_end)(void *data, const struct work *row);
    void *data;
};

/* All functions require that the clock is settled at `now`. Call work_accounting_reset() between
 * frames, when no work is in progress. */
void work_accounting_reset(struct work_accounting *accounting, uint64_t now);
/* Begins a work item of any kind except an upload. `baked` is the draw, or NULL for other kinds. */
void work_accounting_begin(struct work_accounting *accounting, enum work_kind kind,
                           const struct draw *baked, uint64_t now);
/* Ends the oldest work that is not an upload. */
void work_accounting_end(struct work_accounting *accounting, uint64_t now);
void work_accounting_begin_upload(struct work_accounting *accounting, uint64_t now);
void work_accounting_end_upload(struct work_accounting *accounting, uint64_t now);
/* Ends the last row. All works must have ended. */
void work_accounting_close(struct work_accounting *accounting, uint64_t now);

#endif
