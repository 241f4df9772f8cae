/* Which line of a cache gives way to another: the one place where replacement is decided.
 *
 * The owner reports every line that is filled and every use of a line that was there, and asks
 * for a victim: an empty line of the set, else of those that may go the one that ranks lowest. The
 * access that fills a line is no use of it: so a policy decides where a new line ranks.
 *
 *   least recently used: by its last use
 *   first in, first out: by when it was filled
 *   LIP (LRU insertion): by its last use, as LRU; a line that is filled ranks below all others
 *   pseudo-LRU: a tree of bits a set, each pointing away from the half that was used last; the
 *     victim lies where the bits point, or, where all lines there have to stay, in the other half
 */
#ifndef AETIUS_UNIT_REPLACEMENT_H
#define AETIUS_UNIT_REPLACEMENT_H

#include "params/params.h"

struct replacement {
    enum replacement_policy policy;
    uint32_t sets, ways;  /* line number: set x ways + way */
    uint64_t events;      /* so far: the clock of the stamps */
    uint64_t *stamps;     /* of each line: its last use, or when it was filled; LIP: a fill's is
                           * below all others. 0: neither yet */
    uint32_t tree_leaves; /* ways, rounded up to a power of two */
    bool *to_upper;       /* pseudo-LRU: nodes 1 .. leaves - 1 of each set's tree, 1 the root */
};

void replacement_init(struct replacement *replacement, uint32_t policy, uint32_t sets,
                      uint32_t ways);
void replacement_fini(struct replacement *replacement);
void replacement_reset(struct replacement *replacement);

/* For pseudo-LRU: the bits on the way to the line point away from it. */
void replacement_point_away(struct replacement *replacement, uint32_t line);
/* For pseudo-LRU: where the bits do not point to the line, those near the root counting most. */
uint64_t replacement_tree_rank(const struct replacement *replacement, uint32_t line);

#define REPLACEMENT_MIDDLE (UINT64_C(1) << 63) /* of all stamps */

/* A line that was there is used. */
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

/* A line comes, for its first use. */
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

/* The line of the set that gives way, or -1 when all stay. */
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
