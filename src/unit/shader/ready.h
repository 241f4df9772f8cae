/* Which of a shader unit's groups may issue: a bit a slot for the ready ones, and a wheel of 64
 * cycles in which the others sleep until the cycle that they named. Finding, waking and sleeping
 * cost the same however many groups there are. */
#ifndef AETIUS_UNIT_READY_H
#define AETIUS_UNIT_READY_H

#include <stdbool.h>
#include <stdint.h>

enum { READY_WHEEL = 64 };

struct ready_set {
    uint32_t slots, words;
    uint64_t *ready;             /* a bit a slot */
    uint64_t *marked;            /* likewise: slots that ready_find() can leave out */
    uint32_t wheel[READY_WHEEL]; /* first sleeper of a cycle, + 1 */
    uint64_t used;               /* cycles of the wheel with sleepers, a bit each */
    uint32_t *next;              /* sleeper behind each, + 1 */
    uint64_t *wake;
    uint64_t turned; /* the wheel stands here: nobody sleeps until this cycle or an earlier one */
};

void ready_init(struct ready_set *set, uint32_t slots);
void ready_fini(struct ready_set *set);

/* Sleeps until `cycle`, which is behind set->turned; `mark` goes with the slot. */
void ready_sleep(struct ready_set *set, uint32_t slot, uint64_t cycle, bool mark);
/* Wakes a sleeper whose cycle is `now` or before, and makes it ready: its slot, or -1 when there
 * is none left; then the wheel stands at `now`. */
int32_t ready_wake(struct ready_set *set, uint64_t now);
/* No later than the cycle of the first sleeper; UINT64_MAX when nobody sleeps. */
uint64_t ready_next_cycle(const struct ready_set *set);

/* The first ready slot from `from` on, in a circle; -1 when there is none. `unmarked`: only of
 * those without a mark. */
int32_t ready_find(const struct ready_set *set, uint32_t from, bool unmarked);

static inline bool
ready_has(const struct ready_set *set, uint32_t slot)
{
    return set->ready[slot / 64] >> slot % 64 & 1;
}

static inline bool
ready_is_marked(const struct ready_set *set, uint32_t slot)
{
    return set->marked[slot / 64] >> slot % 64 & 1;
}

static inline void
ready_take(struct ready_set *set, uint32_t slot)
{
    set->ready[slot / 64] &= ~(UINT64_C(1) << slot % 64);
}

#endif
