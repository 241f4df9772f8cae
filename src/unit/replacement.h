/* Replacement policies of caches.
 *
 * The owner reports every fill, and every use of a line that was already in the cache. The victim
 * is an empty line of the set if there is one. Otherwise it is the evictable line with the lowest
 * rank. The access that fills a line is not a use, so the policy alone determines the rank of a new
 * line.
 *
 *   LRU (least recently used): rank by last use or fill.
 *   FIFO (first in, first out): rank by time of the fill.
 *   LIP (LRU insertion policy): rank by last use, as LRU. A filled line ranks below all others.
 *   Pseudo-LRU: one tree of bits per set. Each bit points away from the half that was used last.
 *       The victim is the line that the bits point to. If the half that a bit points to has no
 *       evictable line, the search takes the other half. */
#ifndef AETIUS_UNIT_REPLACEMENT_H
#define AETIUS_UNIT_REPLACEMENT_H

#include "params/params.h"

struct replacement {
    enum replacement_policy policy;
    uint32_t sets, ways; /* line number: set x ways + way */
    uint64_t events;     /* number of events so far; the time base of the stamps */
    /* per line: last use or fill; 0: neither; a LIP fill ranks below all others */
    uint64_t *stamps;
    uint32_t tree_leaves; /* number of ways, rounded up to a power of two */
    bool *to_upper;       /* pseudo-LRU: nodes 1 (root) .. leaves - 1 of each set's tree */
};

void replacement_init(struct replacement *replacement, uint32_t policy, uint32_t sets,
                      uint32_t ways);
void replacement_fini(struct replacement *replacement);
void replacement_reset(struct replacement *replacement);

/* Pseudo-LRU: makes the bits on the path to the line point away from it. */
void replacement_point_away(struct replacement *replacement, uint32_t line);
/* Pseudo-LRU rank: one bit per tree node on the path. A bit is set if its node points away from the
 * line. The root is the most significant bit. */
uint64_t replacement_tree_rank(const struct replacement *replacement, uint32_t line);

#define REPLACEMENT_MIDDLE (UINT64_C(1) << 63) /* middle of the range of stamps */

/* Records a use of a line that was already in the cache. */
static inline void
replacement_use(struct replacement *replacement, uint32_t line)
{
    switch (replacement->policy) {
    case REPLACEMENT_FIFO: break;
    case REPLACEMENT_PSEUDO_LRU: replacement_point_away(replacement, line); break;
    case REPLACEMENT_LRU:
    case REPLACEMENT_LIP:
        replacement->stamps[line] = REPLACEMENT_MIDDLE + ++replacement->events;
        break;
    }
}

/* Records a fill. */
static inline void
replacement_fill(struct replacement *replacement, uint32_t line)
{
    switch (replacement->policy) {
    case REPLACEMENT_PSEUDO_LRU: replacement_point_away(replacement, line); break;
    case REPLACEMENT_LRU:
    case REPLACEMENT_FIFO:
        replacement->stamps[line] = REPLACEMENT_MIDDLE + ++replacement->events;
        break;
    case REPLACEMENT_LIP:
        replacement->stamps[line] = REPLACEMENT_MIDDLE - ++replacement->events;
        break;
    }
}

enum line_state { LINE_STAYS, LINE_MAY_GO, LINE_EMPTY };
typedef enum line_state line_state_fn(const void *cache, uint32_t line);

/* Returns the line of the set to evict, or -1 if none can be evicted. */
static inline int32_t
replacement_victim(const struct replacement *replacement, uint32_t set, line_state_fn *state,
                   const void *cache)
{
    const uint32_t first = set * replacement->ways;
    int32_t victim = -1;
    uint64_t lowest = 0;
    for (uint32_t i = first; i < first + replacement->ways; i++) {
        const enum line_state is = state(cache, i);
        if (is == LINE_STAYS)
            continue;
        if (is == LINE_EMPTY)
            return (int32_t)i;
        const uint64_t rank = replacement->policy == REPLACEMENT_PSEUDO_LRU
                                  ? replacement_tree_rank(replacement, i)
                                  : replacement->stamps[i];
        if (victim < 0 || rank < lowest) {
            victim = (int32_t)i;
            lowest = rank;
        }
    }
    return victim;
}

#endif
