/* The free ranges of an address space, sorted by address and without overlap. A search for the
 * lowest range that is large enough takes logarithmic time. */
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
/* Removes the range that starts exactly at `address`. */
void free_ranges_remove(struct free_ranges *ranges, uint32_t address);

/* The following return false if there is no such range. */

/* Finds the lowest range that has room for `bytes` at a multiple of `align`, a power of two. */
bool free_ranges_fit(const struct free_ranges *ranges, uint32_t bytes, uint32_t align,
                     struct free_range *range);
/* Find the last range that starts at or before `address`, and the first that starts after it. */
bool free_ranges_before(const struct free_ranges *ranges, uint32_t address,
                        struct free_range *range);
bool free_ranges_after(const struct free_ranges *ranges, uint32_t address,
                       struct free_range *range);
/* Returns the size of the largest range in bytes; 0 if there is none. */
uint32_t free_ranges_largest(const struct free_ranges *ranges);

#endif
