/* The 32x32 texture of the experiment with dependent reads: each texel is the place in a second
 * texture that is read next. Two things tell patterns apart: how far apart neighbours' places are,
 * which the spectrum tells, from `ramp`, one beside the other, to `random`; and which places there
 * are at all, its footprint. */
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

/* How many places there are that differ, 1 to 1,024: most patterns go to all of 32 columns and 32
 * rows, `stripes` to 32 places of a row, `step3r` to every other of the 1,024. And the least
 * distance between two columns (rows where there is one column, 1 where there is one place) as a
 * share of the texture: 1/32, with `chequer`, whose two fields lie along a diagonal, 1/64. */
struct footprint {
    uint32_t places;
    double pitch;
};
struct footprint pattern_footprint(const struct pattern *pattern);

#endif
