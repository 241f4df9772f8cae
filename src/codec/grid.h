/* Positions of a block's elements: pixels in Morton order (bit 0 of the index is x's bit 0, bit 1
 * is y's bit 0, ...), the samples of a pixel consecutive. */
#ifndef AETIUS_CODEC_GRID_H
#define AETIUS_CODEC_GRID_H

#include "codec/codec.h"
#include "base/morton.h"

enum { GRID_UNITS = 16 /* per side of a pixel: unit of sample positions */ };

struct grid {
    uint32_t samples, width, height; /* in pixels: 8x8, 8x4, 4x4, 4x2 with 1, 2, 4, 8 samples */
};

static inline struct grid
grid_of(struct codec_shape shape)
{
    switch (shape.samples) {
    case 2: return (struct grid){2, 8, 4};
    case 4: return (struct grid){4, 4, 4};
    case 8: return (struct grid){8, 4, 2};
    default: return (struct grid){1, 8, 8};
    }
}

static inline uint32_t
grid_x(const struct grid *grid, uint32_t element)
{
    return morton8_x(element / grid->samples);
}

static inline uint32_t
grid_y(const struct grid *grid, uint32_t element)
{
    return morton8_y(element / grid->samples);
}

/* Index of a sample of a pixel. */
static inline uint32_t
grid_at(const struct grid *grid, uint32_t x, uint32_t y, uint32_t sample)
{
    return morton8(x, y) * grid->samples + sample;
}

/* Offset from the pixel's centre in 1/16 of its side; the rasterizer uses the same positions. */
struct grid_position {
    int8_t x, y;
};
static inline struct grid_position
grid_sample_position(const struct grid *grid, uint32_t sample)
{
    static const struct grid_position positions[4][8] = {
        {{0, 0}},
        {{4, 4}, {-4, -4}},
        {{-2, -6}, {6, -2}, {-6, 2}, {2, 6}},
        {{1, -3}, {-1, 3}, {5, 1}, {-3, -5}, {-5, 5}, {-7, -1}, {3, 7}, {7, -7}},
    };
    const uint32_t row = grid->samples == 1   ? 0
                         : grid->samples == 2 ? 1
                         : grid->samples == 4 ? 2
                                              : 3;
    return positions[row][sample];
}

/* Number of significant bits. */
static inline uint32_t
bits_of(uint32_t value)
{
    return value ? 32 - (uint32_t)__builtin_clz(value) : 0;
}

#endif
