/* color_offset: small distances from the minimum or maximum of each component (Rasmusson et al.
 * 2007, "Exact and error-bounded approximate color buffer compression and decompression"). It
 * applies the depth offset scheme to the components of a color.
 *
 * Layout, for each of R, G, B, A: min and max (8 bits each), then for each element one bit (0:
 * above min, 1: below max) and the distance, n bits. A level has one n per component. In a level
 * with constant alpha, alpha takes 8 bits in total. Bits: 56 + 64 (3 + n) with constant alpha (8,
 * and three times 16), 64 + 64 (4 + n) otherwise, where n is the sum over the components. The bits
 * of a level are divided evenly; the remainder goes to G, then R, then B. Constant alpha is tried
 * first. */
#include "codec/bits.h"
#include "codec/codec.h"
#include "codec/grid.h"

#include <stdbool.h>

enum { CONSTANT = 0xff /* marks constant alpha */ };

/* In the order R, G, B, A. */
static const uint8_t widths[CODEC_BUSES][CODEC_MAX_LEVELS][4] = {
    [CODEC_BUS_64] = {{1, 2, 1, CONSTANT},
                      {1, 1, 1, 0},
                      {4, 4, 4, CONSTANT},
                      {3, 3, 3, 2},
                      {7, 7, 6, CONSTANT},
                      {5, 5, 5, 4}},
    [CODEC_BUS_32] = {{0, 0, 0, CONSTANT},
                      {1, 2, 1, CONSTANT},
                      {1, 1, 1, 0},
                      {3, 3, 2, CONSTANT},
                      {2, 2, 2, 1},
                      {4, 4, 4, CONSTANT},
                      {3, 3, 3, 2},
                      {5, 6, 5, CONSTANT},
                      {4, 4, 4, 3},
                      {7, 7, 6, CONSTANT},
                      {5, 5, 5, 4},
                      {7, 7, 7, CONSTANT},
                      {6, 6, 6, 5}},
};

struct component {
    uint8_t min, max;
};

static uint32_t
value_of(uint32_t word, uint32_t c)
{
    return word >> (24 - 8 * c) & 0xff;
}

/* Distance of the value from the nearer of min and max. */
static uint32_t
distance(struct component range, uint32_t value)
{
    const uint32_t up = value - range.min, down = range.max - value;
    return up < down ? up : down;
}

/* Finds the range of each component, and the bits that its distances need. */
static void
find_ranges(const uint32_t *block, struct component ranges[4], uint32_t needed[4])
{
    for (uint32_t c = 0; c < 4; c++) {
        uint32_t min = 255, max = 0, all = 0;
        for (uint32_t i = 0; i < CODEC_WORDS; i++) {
            const uint32_t value = value_of(block[i], c);
            min = value < min ? value : min;
            max = value > max ? value : max;
        }
        for (uint32_t i = 0; i < CODEC_WORDS; i++) {
            const uint32_t value = value_of(block[i], c), up = value - min, down = max - value;
            all |= up < down ? up : down;
        }
        ranges[c] = (struct component){(uint8_t)min, (uint8_t)max};
        needed[c] = bits_of(all);
    }
}

static int32_t
color_offset_choose(const uint32_t *block, struct codec_shape shape)
{
    struct component ranges[4];
    uint32_t needed[4];
    find_ranges(block, ranges, needed);
    for (int32_t level = 0; level < (int32_t)codec_color_offset.levels[shape.bus].count; level++) {
        const uint8_t *n = widths[shape.bus][level];
        const bool alpha_fits =
            n[3] == CONSTANT ? ranges[3].min == ranges[3].max : needed[3] <= n[3];
        if (alpha_fits && needed[0] <= n[0] && needed[1] <= n[1] && needed[2] <= n[2])
            return level;
    }
    return CODEC_RAW;
}

static void
color_offset_compress(const uint32_t *block, struct codec_shape shape, int32_t level, uint8_t *out)
{
    struct bit_writer writer = bits_begin(out, codec_color_offset.levels[shape.bus].bytes[level]);
    struct component ranges[4];
    uint32_t needed[4];
    find_ranges(block, ranges, needed);
    for (uint32_t c = 0; c < 4; c++) {
        const uint32_t n = widths[shape.bus][level][c];
        bits_put(&writer, ranges[c].min, 8);
        if (n == CONSTANT)
            break;
        bits_put(&writer, ranges[c].max, 8);
        for (uint32_t i = 0; i < CODEC_WORDS; i++) {
            const uint32_t value = value_of(block[i], c), length = distance(ranges[c], value);
            bits_put(&writer, (uint32_t)(value - ranges[c].min != length) | length << 1, n + 1);
        }
    }
    bits_end(&writer);
}

static void
color_offset_decompress(const uint8_t *in, struct codec_shape shape, int32_t level, uint32_t *block)
{
    struct bit_reader reader = bits_open(in, codec_color_offset.levels[shape.bus].bytes[level]);
    memset(block, 0, CODEC_BLOCK_BYTES);
    for (uint32_t c = 0; c < 4; c++) {
        const uint32_t n = widths[shape.bus][level][c], min = bits_get(&reader, 8);
        const uint32_t max = n == CONSTANT ? min : bits_get(&reader, 8);
        for (uint32_t i = 0; i < CODEC_WORDS; i++) {
            const uint32_t below = n == CONSTANT ? 0 : bits_get(&reader, 1);
            const uint32_t length = n == CONSTANT ? 0 : bits_get(&reader, n);
            block[i] |= ((below ? max - length : min + length) & 0xff) << (24 - 8 * c);
        }
    }
}

const struct codec codec_color_offset = {
    CODEC_IS(color_offset),
    .doc = "small distances from min or max of each component",
    .stages = {{"min and max of each component", 6, false},
               {"distances from min and from max", 1, false},
               {"selection of the smaller distance", 1, false},
               {"width of the distances", 1, false},
               {"choice of the level", 1, false},
               {"packing", 1, false}},
    .levels = {{6, {64, 64, 128, 128, 192, 192}},
               {13, {32, 64, 64, 96, 96, 128, 128, 160, 160, 192, 192, 224, 224}}},
    .choose = color_offset_choose,
    .compress = color_offset_compress,
    .decompress = color_offset_decompress,
};
