/* "Did you mean ...?": finds the nearest of the offered names by edit distance, ignoring case.
 *
 *     struct nearest nearest = {.wanted = "IndicesCycl"};
 *     nearest_offer(&nearest, "IndicesCycle"); ...
 *     if (nearest_found(&nearest)) ... nearest.best ... */
#ifndef AETIUS_BASE_NEAREST_H
#define AETIUS_BASE_NEAREST_H

#include <stdbool.h>
#include <stdint.h>

struct nearest {
    const char *wanted;
    const char *best; /* owned by the caller of nearest_offer() */
    uint32_t distance;
};

void nearest_offer(struct nearest *nearest, const char *name);
/* Returns whether the best name is near enough to suggest: at most half of the characters
 * differ. */
bool nearest_found(const struct nearest *nearest);

#endif
