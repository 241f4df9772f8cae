/* The 32x32 address texture of the dependent-read experiment: each texel is the position in a
 * second texture that is read next. Patterns differ in the distance between neighbouring positions,
 * from `ramp` (adjacent) to `random`. They also differ in the set of positions. Most use all 32
 * columns and 32 rows, `stripes` uses 32 positions of one row, `step3r` uses every other of the
 * 1,024. */
#ifndef AETIUS_MODEL_PATTERN_H
#define AETIUS_MODEL_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

enum { PATTERN_SIZE = 32 };

struct pattern {
    float texcoords[PATTERN_SIZE][PATTERN_SIZE]
                   [2]; /* by row and column: u and v, at least 0 and below 1 */
};

/* Returns NULL after the last pattern. */
const char *pattern_name(uint32_t number);
/* Returns false if no pattern has that name. */
bool pattern_make(struct pattern *pattern, const char *name);

#endif
