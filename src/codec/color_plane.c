/* color_plane: a plane through three pixels for each component, and corrections (Rasmusson et al.
 * 2007, color plane compression).
 *
 * The three pixels are the first of the block, the last of the first row and the last of the first
 * column; their first samples are used. A sample is predicted at the position of its pixel. Layout:
 * the three colors (96 bits), then for each element the corrections of R, G, B, A, n bits each
 * (two's complement, modulo 256). A level has one n per component. Bits: 96 + 64 n, where n is
 * their sum. The bits of a level are divided evenly; the remainder goes to G, then R, then B.
 * Levels without corrections of alpha are tried first. */
#include "codec/bits.h"
#include "codec/codec.h"
#include "codec/grid.h"

/* In the order R, G, B, A. */
static const uint8_t widths[CODEC_BUSES][CODEC_MAX_LEVELS][4] = {
    [CODEC_BUS_64] =
        {{2, 2, 2, 0}, {2, 2, 1, 1}, {5, 5, 4, 0}, {4, 4, 3, 3}, {7, 8, 7, 0}, {6, 6, 5, 5}},
    [CODEC_BUS_32] = {{1, 1, 0, 0},
                      {2, 2, 2, 0},
                      {2, 2, 1, 1},
                      {3, 4, 3, 0},
                      {3, 3, 2, 2},
                      {5, 5, 4, 0},
                      {4, 4, 3, 3},
                      {6, 6, 6, 0},
                      {5, 5, 4, 4},
                      {7, 8, 7, 0},
                      {6, 6, 5, 5},
                      {8, 8, 8, 0},
                      {7, 7, 6, 6}},
};

static int32_t
value_of(uint32_t word, uint32_t c)
{
    return (int32_t)(word >> (24 - 8 * c) & 0xff);
}

/* Value of the plane at each pixel, computed from the three colors. Each component stays at its bit
 * position in the word. */
static void
color_plane_predict(const struct grid *grid, const uint32_t corners[3],
                    uint32_t predicted[CODEC_WORDS])
{
    const int32_t last_x = (int32_t)grid->width - 1, last_y = (int32_t)grid->height - 1;
    const int32_t below = last_x * last_y;
    enum { FAR = 4096 /* makes the dividend positive */ };
    for (uint32_t i = 0; i < CODEC_WORDS; i += grid->samples) {
        const int32_t x = (int32_t)grid_x(grid, i), y = (int32_t)grid_y(grid, i);
        uint32_t word = 0;
        for (uint32_t c = 0; c < 4; c++) {
            const int32_t origin = value_of(corners[0], c);
            const int32_t above = (value_of(corners[1], c) - origin) * x * last_y +
                                  (value_of(corners[2], c) - origin) * y * last_x;
            const int32_t step = (2 * above + below + 2 * below * FAR) / (2 * below) - FAR;
            word = word << 8 | ((uint32_t)(origin + step) & 0xff);
        }
        for (uint32_t s = 0; s < grid->samples; s++)
            predicted[i + s] = word;
    }
}

static void
predict_from_block(const uint32_t *block, const struct grid *grid, uint32_t corners[3],
                   uint32_t predicted[CODEC_WORDS])
{
    corners[0] = block[0];
    corners[1] = block[grid_at(grid, grid->width - 1, 0, 0)];
    corners[2] = block[grid_at(grid, 0, grid->height - 1, 0)];
    color_plane_predict(grid, corners, predicted);
}

static int32_t
color_plane_choose(const uint32_t *block, struct codec_shape shape)
{
    const struct grid grid = grid_of(shape);
    uint32_t corners[3], predicted[CODEC_WORDS], needed[4];
    predict_from_block(block, &grid, corners, predicted);
    for (uint32_t c = 0; c < 4; c++) {
        uint32_t all = 0;
        for (uint32_t i = 0; i < CODEC_WORDS; i++) {
            const uint32_t off = (block[i] >> (24 - 8 * c)) - (predicted[i] >> (24 - 8 * c));
            const uint32_t sign = off >> 7 & 1;
            all |= (((off ^ (0 - sign)) & 0x7f) << 1) | sign;
        }
        needed[c] = bits_of(all);
    }
    for (int32_t level = 0; level < (int32_t)codec_color_plane.levels[shape.bus].count; level++) {
        const uint8_t *n = widths[shape.bus][level];
        if (needed[0] <= n[0] && needed[1] <= n[1] && needed[2] <= n[2] && needed[3] <= n[3])
            return level;
    }
    return CODEC_RAW;
}

static void
color_plane_compress(const uint32_t *block, struct codec_shape shape, int32_t level, uint8_t *out)
{
    const struct grid grid = grid_of(shape);
    const uint8_t *n = widths[shape.bus][level];
    struct bit_writer writer = bits_begin(out, codec_color_plane.levels[shape.bus].bytes[level]);
    uint32_t corners[3], predicted[CODEC_WORDS];
    predict_from_block(block, &grid, corners, predicted);
    for (uint32_t i = 0; i < 3; i++)
        bits_put(&writer, corners[i], 32);
    for (uint32_t i = 0; i < CODEC_WORDS; i++)
        for (uint32_t c = 0; c < 4; c++) {
            const uint32_t off = (block[i] >> (24 - 8 * c)) - (predicted[i] >> (24 - 8 * c));
            bits_put(&writer, off & ((1u << n[c]) - 1), n[c]);
        }
    bits_end(&writer);
}

static void
color_plane_decompress(const uint8_t *in, struct codec_shape shape, int32_t level, uint32_t *block)
{
    const struct grid grid = grid_of(shape);
    const uint8_t *n = widths[shape.bus][level];
    struct bit_reader reader = bits_open(in, codec_color_plane.levels[shape.bus].bytes[level]);
    uint32_t corners[3], predicted[CODEC_WORDS];
    for (uint32_t i = 0; i < 3; i++)
        corners[i] = bits_get(&reader, 32);
    color_plane_predict(&grid, corners, predicted);
    for (uint32_t i = 0; i < CODEC_WORDS; i++) {
        block[i] = 0;
        for (uint32_t c = 0; c < 4; c++) {
            uint32_t off = bits_get(&reader, n[c]);
            if (n[c] && off >> (n[c] - 1))
                off -= 1u << n[c];
            block[i] = block[i] << 8 | (((predicted[i] >> (24 - 8 * c)) + off) & 0xff);
        }
    }
}

const struct codec codec_color_plane = {
    CODEC_IS(color_plane),
    .doc = "a plane through three pixels, and corrections",
    .stages = {{"differences of three pixels", 1, false},
               {"multiples of the differences", 3, false},
               {"division by a constant", 2, false},
               {"correction", 1, false},
               {"width of the corrections", 1, false},
               {"choice of the level", 1, false},
               {"packing", 1, false}},
    .levels = {{6, {64, 64, 128, 128, 192, 192}},
               {13, {32, 64, 64, 96, 96, 128, 128, 160, 160, 192, 192, 224, 224}}},
    .choose = color_plane_choose,
    .compress = color_plane_compress,
    .decompress = color_plane_decompress,
};
