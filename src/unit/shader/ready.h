/* Set of a shader unit's groups that may issue. Each slot has one ready bit. The other groups
 * sleep, in a wheel of 64 cycles, until the cycle that they requested. The cost of finding, waking
 * and sleeping does not depend on the number of groups. */
#ifndef AETIUS_UNIT_READY_H
#define AETIUS_UNIT_READY_H

#include <stdbool.h>
#include <stdint.h>

enum { READY_WHEEL = 64 };

struct ready_set {
    uint32_t slots, words;
    uint64_t *ready;             /* one bit per slot */
    uint64_t *marked;            /* slots that ready_find() can skip, one bit each */
    uint32_t wheel[READY_WHEEL]; /* first sleeper of each cycle, plus 1; 0: none */
    uint64_t used;               /* cycles of the wheel that have sleepers, one bit each */
    uint32_t *next;              /* next sleeper of the same cycle, plus 1; 0: none */
    uint64_t *wake;
    uint64_t turned; /* current cycle: no sleeper wakes in this or an earlier one */
};

void ready_init(struct ready_set *set, uint32_t slots);
void ready_fini(struct ready_set *set);

/* Puts the slot to sleep until `cycle`, which must be later than set->turned. Sets or clears the
 * slot's mark. */
void ready_sleep(struct ready_set *set, uint32_t slot, uint64_t cycle, bool mark);
/* Wakes one sleeper whose cycle is `now` or earlier, and makes it ready. Returns its slot. Returns
 * -1 if there is no such sleeper; the wheel has then reached `now`. */
int32_t ready_wake(struct ready_set *set, uint64_t now);
/* Lower bound of the cycle in which the first sleeper wakes. UINT64_MAX: there is no sleeper. */
uint64_t ready_next_cycle(const struct ready_set *set);

/* The first ready slot at or after `from`, with wrap-around. `unmarked`: skips marked slots.
 * Returns -1 if there is none. */
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
