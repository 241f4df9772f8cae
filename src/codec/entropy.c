/* entropy: prefix codes of the differences between neighbouring pixels (docs/design/compression.md,
 * Color codecs; from the survey of Rasmusson et al. 2007).
 *
 * Each component is coded as a difference, modulo 256, from a previous element. That is the
 * previous sample of the pixel. For a pixel's first sample, it is the first sample of the pixel on
 * the left, or above for the leftmost pixels. The block's first element is stored (32 bits). The
 * codes of the other elements follow in order, R, G, B, A each:
 *    0 `0`    +-1 `10s`    +-2 `110s`    +-[3,4] `1110sx`    +-[5,8] `11110sxx`
 *    +-[9,16] `111110sxxx`    +-[17,32] `1111110sxxxx`    else `11111110` and 8 bits
 * s is 1 below zero, x is the position in the interval. Codes are written from left to right, x
 * with its low bit first. The zero at the end of the longest prefix is redundant; it is kept
 * because the survey's code has it.
 *
 * The latency is that of decoding, which is serial: one element (four codes) per cycle. */
#include "codec/bits.h"
#include "codec/codec.h"
#include "codec/grid.h"

enum { LONGEST_PREFIX = 7 };

/* The element from which each one is predicted. */
static uint32_t
before(const struct grid *grid, uint32_t element)
{
    const uint32_t x = grid_x(grid, element), y = grid_y(grid, element);
    if (element % grid->samples)
        return element - 1;
    return x ? grid_at(grid, x - 1, y, 0) : grid_at(grid, 0, y - 1, 0);
}

struct code {
    uint32_t bits, count;
};

/* Code of a difference from -128 to 127. */
static struct code
code_of(int32_t difference)
{
    const uint32_t size = (uint32_t)(difference < 0 ? -difference : difference);
    if (!size)
        return (struct code){0, 1};
    if (size > 32) /* seven ones and a zero */
        return (struct code){0x7f | ((uint32_t)difference & 0xff) << 8, 16};
    /* Row r > 0: r ones, a zero, the sign, r - 2 bits of the position (none for r = 1 and 2). */
    const uint32_t row = bits_of(size - 1) + 1, position_bits = row > 2 ? row - 2 : 0;
    const uint32_t position = row > 2 ? size - 1 - (1u << position_bits) : 0;
    const uint32_t ones = (1u << row) - 1, sign = difference < 0;
    return (struct code){ones | sign << (row + 1) | position << (row + 2), row + 2 + position_bits};
}

static int32_t
difference_of(uint32_t word, uint32_t from, uint32_t shift)
{
    const uint32_t off = ((word >> shift) - (from >> shift)) & 0xff;
    return off < 128 ? (int32_t)off : (int32_t)off - 256;
}

static int32_t
entropy_choose(const uint32_t *block, struct codec_shape shape)
{
    static const uint8_t lengths[33] = {1,  3,  4,  6,  6,  8,  8,  8,  8,  10, 10,
                                        10, 10, 10, 10, 10, 10, 12, 12, 12, 12, 12,
                                        12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12};
    const struct grid grid = grid_of(shape);
    uint32_t bits = 32;
    for (uint32_t i = 1; i < CODEC_WORDS; i++) {
        const uint32_t from = block[before(&grid, i)];
        for (uint32_t shift = 0; shift < 32; shift += 8) {
            const int32_t off = difference_of(block[i], from, shift);
            const uint32_t size = (uint32_t)(off < 0 ? -off : off);
            bits += size > 32 ? 16 : lengths[size];
        }
    }
    for (int32_t level = 0; level < (int32_t)codec_entropy.levels[shape.bus].count; level++)
        if (bits <= 8u * codec_entropy.levels[shape.bus].bytes[level])
            return level;
    return CODEC_RAW;
}

static void
entropy_compress(const uint32_t *block, struct codec_shape shape, int32_t level, uint8_t *out)
{
    const struct grid grid = grid_of(shape);
    struct bit_writer writer = bits_begin(out, codec_entropy.levels[shape.bus].bytes[level]);
    bits_put(&writer, block[0], 32);
    for (uint32_t i = 1; i < CODEC_WORDS; i++) {
        const uint32_t from = block[before(&grid, i)];
        for (uint32_t c = 4; c-- > 0;) {
            const struct code code = code_of(difference_of(block[i], from, 8 * c));
            bits_put(&writer, code.bits, code.count);
        }
    }
    bits_end(&writer);
}

static int32_t
get_difference(struct bit_reader *reader)
{
    uint32_t row = 0;
    while (row < LONGEST_PREFIX && bits_get(reader, 1))
        row++;
    if (row == 0)
        return 0;
    if (row == LONGEST_PREFIX) {
        bits_get(reader, 1);
        return (int32_t)bits_get(reader, 8);
    }
    const uint32_t below = bits_get(reader, 1);
    const uint32_t position_bits = row > 2 ? row - 2 : 0;
    const uint32_t size =
        row > 2 ? bits_get(reader, position_bits) + (1u << position_bits) + 1 : row;
    return below ? -(int32_t)size : (int32_t)size;
}

static void
entropy_decompress(const uint8_t *in, struct codec_shape shape, int32_t level, uint32_t *block)
{
    const struct grid grid = grid_of(shape);
    struct bit_reader reader = bits_open(in, codec_entropy.levels[shape.bus].bytes[level]);
    block[0] = bits_get(&reader, 32);
    for (uint32_t i = 1; i < CODEC_WORDS; i++) {
        const uint32_t from = block[before(&grid, i)];
        block[i] = 0;
        for (uint32_t c = 4; c-- > 0;)
            block[i] |= (((from >> 8 * c) + (uint32_t)get_difference(&reader)) & 0xff) << 8 * c;
    }
}

const struct codec codec_entropy = {
    CODEC_IS(entropy),
    .doc = "differences of neighbouring pixels in a prefix code",
    .stages = {{"differences from the neighbors", 1, false},
               {"lengths of the codes", 1, false},
               {"sum of the lengths", 6, false},
               {"decoding, one word per cycle", 64, false}},
    .levels = {{3, {64, 128, 192}}, {6, {64, 96, 128, 160, 192, 224}}},
    .choose = entropy_choose,
    .compress = entropy_compress,
    .decompress = entropy_decompress,
};
