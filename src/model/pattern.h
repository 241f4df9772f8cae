/* The 32x32 texture of the experiment with dependent reads: each texel is the place in a second
 * texture that is read next. Patterns differ in how far apart neighbours' places are, from `ramp`,
 * one beside the other, to `random`, and in which places there are at all: most go to all of 32
 * columns and 32 rows, `stripes` to 32 places of a row, `step3r` to every other of the 1,024. */
#ifndef AETIUS_MODEL_PATTERN_H
#define AETIUS_MODEL_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

enum { PATTERN_SIZE = 32 };

struct pattern {
    float texcoords[PATTERN_SIZE][PATTERN_SIZE]
                   [2]; /* row, column: u and v, 0 up to and without 1 */
};

/* NULL behind the last. */
const char *pattern_name(uint32_t number);
/* False: there is none of that name. */
bool pattern_make(struct pattern *pattern, const char *name);

#endif
