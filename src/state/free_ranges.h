/* The free ranges of an address space, in the order of their addresses; they never overlap. The
 * lowest that is large enough is found without looking at the others, so that a hundred thousand
 * are no slower than ten. */
#ifndef AETIUS_STATE_FREE_RANGES_H
#define AETIUS_STATE_FREE_RANGES_H

#include <stdbool.h>
#include <stdint.h>

struct free_range {
    uint32_t address, bytes;
};

struct free_ranges {
    struct free_node *root;
};

void free_ranges_fini(struct free_ranges *ranges);
void free_ranges_add(struct free_ranges *ranges, uint32_t address, uint32_t bytes);
/* The one at exactly this address. */
void free_ranges_remove(struct free_ranges *ranges, uint32_t address);

/* All return false when there is none. */

/* The lowest that has `bytes` at a multiple of `align`, a power of two. */
bool free_ranges_fit(const struct free_ranges *ranges, uint32_t bytes, uint32_t align,
                     struct free_range *range);
/* The last that begins at `address` or before it, and the first that begins behind it. */
bool free_ranges_before(const struct free_ranges *ranges, uint32_t address,
                        struct free_range *range);
bool free_ranges_after(const struct free_ranges *ranges, uint32_t address,
                       struct free_range *range);
/* Bytes of the largest; 0 when there is none. */
uint32_t free_ranges_largest(const struct free_ranges *ranges);

#endif
