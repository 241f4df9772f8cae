/* A treap: a binary search tree by address that is also a heap by a hash of the address. Its
 * expected depth is that of a randomly built tree, and its shape depends only on its contents. Each
 * node stores the size of the largest range in its subtree. */
#include "state/free_ranges.h"

#include "base/error.h"
#include "base/mem.h"

#include <stdlib.h>

struct free_node {
    struct free_range range;
    uint32_t largest; /* bytes of the largest range in this node's subtree */
    struct free_node *less, *more;
};

static uint32_t
rank(const struct free_node *node)
{
    uint32_t hash = node->range.address;
    hash = (hash ^ hash >> 16) * 0x7feb352du;
    hash = (hash ^ hash >> 15) * 0x846ca68bu;
    return hash ^ hash >> 16;
}

static uint32_t
largest_of(const struct free_node *node)
{
    return node ? node->largest : 0;
}

static void
update(struct free_node *node)
{
    const uint32_t less = largest_of(node->less), more = largest_of(node->more);
    const uint32_t below = less > more ? less : more;
    node->largest = node->range.bytes > below ? node->range.bytes : below;
}

/* Splits the tree into the ranges before `address` and the remaining ones. */
static void
split(struct free_node *node, uint32_t address, struct free_node **less, struct free_node **rest)
{
    if (!node) {
        *less = *rest = NULL;
        return;
    }
    if (node->range.address < address) {
        split(node->more, address, &node->more, rest);
        *less = node;
    } else {
        split(node->less, address, less, &node->less);
        *rest = node;
    }
    update(node);
}

/* Joins two trees. All addresses in `less` must be below those in `more`. */
static struct free_node *
merge(struct free_node *less, struct free_node *more)
{
    if (!less || !more)
        return less ? less : more;
    struct free_node *top = rank(less) > rank(more) ? less : more;
    if (top == less)
        less->more = merge(less->more, more);
    else
        more->less = merge(less, more->less);
    update(top);
    return top;
}

static void
free_nodes(struct free_node *node)
{
    if (!node)
        return;
    free_nodes(node->less);
    free_nodes(node->more);
    free(node);
}

void
free_ranges_fini(struct free_ranges *ranges)
{
    free_nodes(ranges->root);
    ranges->root = NULL;
}

void
free_ranges_add(struct free_ranges *ranges, uint32_t address, uint32_t bytes)
{
    struct free_node *less, *rest, *node = mem_alloc(sizeof *node);
    node->range = (struct free_range){address, bytes};
    update(node);
    split(ranges->root, address, &less, &rest);
    ranges->root = merge(merge(less, node), rest);
}

void
free_ranges_remove(struct free_ranges *ranges, uint32_t address)
{
    struct free_node *less, *node, *rest;
    split(ranges->root, address, &less, &rest);
    split(rest, address + 1, &node, &rest);
    BUG_ON(!node, "no free range starts at 0x%x", address);
    free(node);
    ranges->root = merge(less, rest);
}

static bool
fits(const struct free_range *range, uint32_t bytes, uint32_t align)
{
    const uint32_t lead = -range->address & (align - 1);
    return range->bytes >= bytes && range->bytes - bytes >= lead;
}

static const struct free_node *
find_fit(const struct free_node *node, uint32_t bytes, uint32_t align)
{
    if (largest_of(node) < bytes)
        return NULL;
    const struct free_node *less = find_fit(node->less, bytes, align);
    if (less)
        return less;
    return fits(&node->range, bytes, align) ? node : find_fit(node->more, bytes, align);
}

static bool
give(const struct free_node *node, struct free_range *range)
{
    if (node)
        *range = node->range;
    return node != NULL;
}

bool
free_ranges_fit(const struct free_ranges *ranges, uint32_t bytes, uint32_t align,
                struct free_range *range)
{
    return give(find_fit(ranges->root, bytes, align), range);
}

bool
free_ranges_before(const struct free_ranges *ranges, uint32_t address, struct free_range *range)
{
    const struct free_node *found = NULL;
    for (const struct free_node *node = ranges->root; node;) {
        const bool is_before = node->range.address <= address;
        found = is_before ? node : found;
        node = is_before ? node->more : node->less;
    }
    return give(found, range);
}

bool
free_ranges_after(const struct free_ranges *ranges, uint32_t address, struct free_range *range)
{
    const struct free_node *found = NULL;
    for (const struct free_node *node = ranges->root; node;) {
        const bool is_after = node->range.address > address;
        found = is_after ? node : found;
        node = is_after ? node->less : node->more;
    }
    return give(found, range);
}

uint32_t
free_ranges_largest(const struct free_ranges *ranges)
{
    return largest_of(ranges->root);
}
