#include "unit/shader/ready.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

void
ready_init(struct ready_set *set, uint32_t slots)
{
    memset(set, 0, sizeof *set);
    set->slots = slots;
    set->words = (slots + 63) / 64;
    set->ready = mem_array(set->words, sizeof *set->ready);
    set->marked = mem_array(set->words, sizeof *set->marked);
    set->next = mem_array(slots, sizeof *set->next);
    set->wake = mem_array(slots, sizeof *set->wake);
}

void
ready_fini(struct ready_set *set)
{
    free(set->ready);
    free(set->marked);
    free(set->next);
    free(set->wake);
}

/* Inserts a sleeper into the wheel. A sleeper beyond the end of the wheel sleeps until that end,
 * and is then inserted again. */
static void
insert(struct ready_set *set, uint32_t slot)
{
    uint64_t cycle = set->wake[slot], end = set->turned + READY_WHEEL;
    uint32_t at = (uint32_t)((cycle < end ? cycle : end) % READY_WHEEL);
    set->next[slot] = set->wheel[at];
    set->wheel[at] = slot + 1;
    set->used |= UINT64_C(1) << at;
}

void
ready_sleep(struct ready_set *set, uint32_t slot, uint64_t cycle, bool mark)
{
    uint64_t bit = UINT64_C(1) << slot % 64;
    set->wake[slot] = cycle;
    set->marked[slot / 64] = (set->marked[slot / 64] & ~bit) | (mark ? bit : 0);
    insert(set, slot);
}

/* The wheel in order of time: bit i represents cycle set->turned + 1 + i. */
static uint64_t
ahead(const struct ready_set *set)
{
    uint32_t first = (uint32_t)((set->turned + 1) % READY_WHEEL);
    return first ? set->used >> first | set->used << (READY_WHEEL - first) : set->used;
}

uint64_t
ready_next_cycle(const struct ready_set *set)
{
    if (!set->used)
        return UINT64_MAX;
    return set->turned + 1 + (uint32_t)__builtin_ctzll(ahead(set));
}

int32_t
ready_wake(struct ready_set *set, uint64_t now)
{
    for (;;) {
        uint64_t next = ready_next_cycle(set);
        if (next > now) {
            set->turned = now;
            return -1;
        }
        uint32_t at = (uint32_t)(next % READY_WHEEL), slot = set->wheel[at] - 1;
        set->wheel[at] = set->next[slot];
        if (!set->wheel[at]) {
            set->used &= ~(UINT64_C(1) << at);
            set->turned = next;
        }
        if (set->wake[slot] <= now) {
            set->ready[slot / 64] |= UINT64_C(1) << slot % 64;
            return (int32_t)slot;
        }
        set->turned = next - (set->wheel[at] != 0);
        insert(set, slot);
    }
}

int32_t
ready_find(const struct ready_set *set, uint32_t from, bool unmarked)
{
    const uint64_t keep = unmarked ? 0 : ~UINT64_C(0);
    uint32_t word = from / 64;
    uint64_t bits = set->ready[word] & (keep | ~set->marked[word]) & ~UINT64_C(0) << from % 64;
    for (uint32_t i = 0; i <= set->words; i++) {
        if (bits)
            return (int32_t)(word * 64 + (uint32_t)__builtin_ctzll(bits));
        word = word + 1 == set->words ? 0 : word + 1;
        bits = set->ready[word] & (keep | ~set->marked[word]);
    }
    return -1;
}
