/* The 32x32 texture of the experiment with dependent reads: each texel is the place in a second
 * texture that is read next. All patterns but `chequer` (2 places) and `stripes` (32) lead to
 * 1,024; what differs is how far apart neighbours' are, which the spectrum tells: from `ramp`, one
 * beside the other, to `random`. */
#ifndef AETIUS_MODEL_PATTERN_H
#define AETIUS_MODEL_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

enum { PATTERN_SIZE = 32, PATTERN_FREQUENCIES = PATTERN_SIZE / 2 + 1 };

struct pattern {
    float places[PATTERN_SIZE][PATTERN_SIZE][2]; /* row, column: u and v, 0 up to and without 1 */
};

/* NULL behind the last. */
const char *pattern_name(uint32_t number);
/* False: there is none of that name. */
bool pattern_make(struct pattern *pattern, const char *name);

/* The two strongest frequencies along the rows (fx) and down the columns (fy), 0 to 16: of the
 * spectra of all rows (columns) added up, without their means; 0 where nothing changes. */
struct spectrum {
    uint32_t fx[2], fy[2];
};
struct spectrum pattern_spectrum(const struct pattern *pattern);

#endif
