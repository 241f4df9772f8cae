/* State of the replacement policies (unit/replacement.h), and the trees of pseudo-LRU. */
#include "unit/replacement.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

void
replacement_init(struct replacement *replacement, uint32_t policy, uint32_t sets, uint32_t ways)
{
    memset(replacement, 0, sizeof *replacement);
    replacement->policy = (enum replacement_policy)policy;
    replacement->sets = sets;
    replacement->ways = ways;
    replacement->stamps = mem_array((size_t)sets * ways, sizeof *replacement->stamps);
    replacement->tree_leaves = 1;
    while (replacement->tree_leaves < ways)
        replacement->tree_leaves *= 2;
    replacement->to_upper =
        mem_array((size_t)sets * replacement->tree_leaves, sizeof *replacement->to_upper);
}

void
replacement_fini(struct replacement *replacement)
{
    free(replacement->stamps);
    free(replacement->to_upper);
}

void
replacement_reset(struct replacement *replacement)
{
    const size_t sets = replacement->sets;
    memset(replacement->stamps, 0, sets * replacement->ways * sizeof *replacement->stamps);
    memset(replacement->to_upper, 0,
           sets * replacement->tree_leaves * sizeof *replacement->to_upper);
    replacement->events = 0;
}

void
replacement_point_away(struct replacement *replacement, uint32_t line)
{
    const uint32_t set = line / replacement->ways, way = line % replacement->ways;
    bool *tree = replacement->to_upper + (size_t)set * replacement->tree_leaves;
    uint32_t node = 1;
    for (uint32_t half = replacement->tree_leaves / 2; half; half /= 2) {
        const bool upper = way & half;
        tree[node] = !upper;
        node = 2 * node + upper;
    }
}

uint64_t
replacement_tree_rank(const struct replacement *replacement, uint32_t line)
{
    const uint32_t set = line / replacement->ways, way = line % replacement->ways;
    const bool *tree = replacement->to_upper + (size_t)set * replacement->tree_leaves;
    uint32_t node = 1;
    uint64_t rank = 0;
    for (uint32_t half = replacement->tree_leaves / 2; half; half /= 2) {
        const bool upper = way & half;
        rank = rank << 1 | (upper != tree[node]);
        node = 2 * node + upper;
    }
    return rank;
}
