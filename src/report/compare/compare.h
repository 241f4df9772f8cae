/* Comparing pictures: how many pixels differ, and whether as precision and tie rules do or as a
 * wrong algorithm does (docs/design/reference.md, Bar). */
#ifndef AETIUS_REPORT_COMPARE_H
#define AETIUS_REPORT_COMPARE_H

#include "base/file.h"

struct picture_difference {
    uint64_t pixels;
    uint64_t identical;
    uint64_t within_1; /* every channel off by at most 1; the identical ones included */
    uint64_t edge_differences, interior_errors; /* of the pixels off by more than 2 */
    uint32_t max_difference;
    uint64_t squares, samples; /* sum of squared differences over the channels compared */
};

/* Adds up the differences of `simulated` to `reference` in `out`. Channels R, G, B, and alpha where
 * both have it. Fails when the sizes differ. */
bool picture_compare(const struct picture *reference, const struct picture *simulated,
                     struct picture_difference *out, struct error *err);
void picture_difference_add(struct picture_difference *total,
                            const struct picture_difference *more);
/* In dB; NaN when nothing differs. */
double picture_psnr(const struct picture_difference *difference);

/* simulated - reference where that is above 0, else 0, a channel (sign 1); or the opposite
 * (sign -1). The same size is expected; picture_fini() ends `out`. */
void picture_subtract(const struct picture *reference, const struct picture *simulated, int sign,
                      struct picture *out);

#endif
