/* Helpers of tests of the staged model. */
#ifndef AETIUS_TESTS_MODEL_H
#define AETIUS_TESTS_MODEL_H

#include "model/cache_shape.h"
#include "model/model.h"
#include "rigs/near.h"

/* Frames per second of a workload. `stages`: bit mask. */
double predict_fps(const struct model *model, const struct model_row *row, uint32_t stages);

/* Misses per read of a named pattern in a texture of `side` texels per side, with 16 bytes each: of
 * the busiest memory channel times the number of channels, or of one channel. */
double channel_misses_of(const char *name, uint32_t side, struct cache_shape shape,
                         uint32_t log2_channels);
double misses_of(const char *name, uint32_t side, struct cache_shape shape);

/* A number of an about normal distribution, with average 0 and standard deviation 1. */
double noise(uint64_t *state);

/* Appends a measurement of a quad (two triangles) without a time. */
struct model_row *add_row(struct model_rows *rows, const char *sweep, double fragments,
                          double cycles);

/* The factors of an artificial GPU for frames. */
enum { FRAME_FACTORS = 19 };
struct frame_factor_value {
    const char *name;
    double value;
};
extern const struct frame_factor_value frame_factors[FRAME_FACTORS];
void set_frame_factors(struct model *model);

#endif
