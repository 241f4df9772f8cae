/* Compares pictures: the number of differing pixels, and their kind. Precision and tie rules cause
 * differences at edges. A wrong algorithm also causes interior errors (docs/design/reference.md,
 * Equality criterion). */
#ifndef AETIUS_REPORT_COMPARE_H
#define AETIUS_REPORT_COMPARE_H

#include "base/file.h"

struct picture_difference {
    uint64_t pixels;
    uint64_t identical;
    /* pixels in which every channel differs by at most 1; includes identical pixels */
    uint64_t within_1;
    uint64_t edge_differences, interior_errors; /* pixels that differ by more than 2, by kind */
    uint32_t max_difference;
    uint64_t squares, samples; /* sum of squared differences, number of compared channel values */
};

/* Adds the differences between `simulated` and `reference` to `out`. Compares R, G, B, and alpha if
 * both pictures have alpha. Fails if the sizes differ. */
bool picture_compare(const struct picture *reference, const struct picture *simulated,
                     struct picture_difference *out, struct error *err);
void picture_difference_add(struct picture_difference *total,
                            const struct picture_difference *more);
/* Peak signal-to-noise ratio in dB; NaN if the pictures are equal. */
double picture_psnr(const struct picture_difference *difference);

/* Per channel: max(0, simulated - reference) for sign 1, max(0, reference - simulated) for sign -1.
 * The sizes must be equal. The caller frees `out` with picture_fini(). */
void picture_subtract(const struct picture *reference, const struct picture *simulated, int sign,
                      struct picture *out);

#endif
