/* The 32x32 address texture of the dependent-read experiment. Each texel is the position of the
 * next read, in a second texture. Patterns differ in the distance between neighbouring positions,
 * from `ramp` (adjacent) to `random`. They also differ in the set of positions. Most use all 32
 * columns and 32 rows. `stripes` uses 32 positions of one row, and `step3r` every other one of the
 * 1,024 positions. */
#ifndef AETIUS_MODEL_PATTERN_H
#define AETIUS_MODEL_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

enum { PATTERN_SIZE = 32 };

struct pattern {
    float texcoords[PATTERN_SIZE][PATTERN_SIZE]
                   [2]; /* u and v by row and column, at least 0 and below 1 */
};

/* Returns NULL after the last pattern. */
const char *pattern_name(uint32_t number);
/* Returns false if no pattern has that name. */
bool pattern_make(struct pattern *pattern, const char *name);

#endif
