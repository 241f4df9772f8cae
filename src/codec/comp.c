/* comp: an offset codec per component (docs/design/compression.md, Offset codecs).
 *
 * The high 8 - k bits of a component must equal those of its min or max in the block; k is the same
 * for all four. Layout, for each of R, G, B, A: the high parts of min and max, then for each
 * element a 1-bit index and k low bits. Bits: 4 (64 (k + 1) + 2 (8 - k)) = 4 (62 k + 80). */
#include "codec/bits.h"
#include "codec/codec.h"

#include <stdbool.h>

static const uint8_t low_bits[CODEC_BUSES][CODEC_MAX_LEVELS] = {
    [CODEC_BUS_64] = {0, 2, 4},
    [CODEC_BUS_32] = {0, 1, 2, 3, 4, 5},
};

typedef uint8_t bytes16 __attribute__((vector_size(16))); /* four words */

/* Minimum and maximum of each component, in its byte of a word, repeated for all four words. */
struct range {
    bytes16 min, max;
};

static bytes16
smaller(bytes16 a, bytes16 b)
{
    const bytes16 mask = (bytes16)(a < b);
    return (a & mask) | (b & ~mask);
}

static bytes16
larger(bytes16 a, bytes16 b)
{
    const bytes16 mask = (bytes16)(a > b);
    return (a & mask) | (b & ~mask);
}

static bytes16
turn_words(bytes16 v, uint32_t half)
{
    return half
               ? __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7)
               : __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10,
                                         11);
}

static void
find_range(const uint32_t *block, struct range *range)
{
    bytes16 four, min, max;
    memcpy(&four, block, sizeof four);
    min = max = four;
    for (uint32_t i = 4; i < CODEC_WORDS; i += 4) {
        memcpy(&four, block + i, sizeof four);
        min = smaller(min, four);
        max = larger(max, four);
    }
    for (uint32_t half = 0; half < 2; half++) {
        min = smaller(min, turn_words(min, half));
        max = larger(max, turn_words(max, half));
    }
    *range = (struct range){min, max};
}

static bool
fits(const uint32_t *block, const struct range *range, uint32_t k)
{
    const bytes16 mask = (bytes16){0} + (uint8_t)(0xffu << k);
    const bytes16 min = range->min & mask, max = range->max & mask;
    bytes16 four, hits = ~(bytes16){0};
    uint64_t all[2];
    for (uint32_t i = 0; i < CODEC_WORDS; i += 4) {
        memcpy(&four, block + i, sizeof four);
        four &= mask;
        hits &= (bytes16)(four == min) | (bytes16)(four == max);
    }
    memcpy(all, &hits, sizeof all);
    return (all[0] & all[1]) == UINT64_MAX;
}

static int32_t
comp_choose(const uint32_t *block, struct codec_shape shape)
{
    struct range range;
    find_range(block, &range);
    for (int32_t level = 0; level < (int32_t)codec_comp.levels[shape.bus].count; level++)
        if (fits(block, &range, low_bits[shape.bus][level]))
            return level;
    return CODEC_RAW;
}

static void
comp_compress(const uint32_t *block, struct codec_shape shape, int32_t level, uint8_t *out)
{
    const uint32_t k = low_bits[shape.bus][level], low = (1u << k) - 1;
    struct bit_writer writer = bits_begin(out, codec_comp.levels[shape.bus].bytes[level]);
    struct range range;
    find_range(block, &range);
    for (uint32_t c = 4; c-- > 0;) {
        const uint32_t min = (uint32_t)range.min[c] >> k, max = (uint32_t)range.max[c] >> k;
        bits_put(&writer, min | max << (8 - k), 2 * (8 - k));
        uint32_t gathered[CODEC_WORDS];
        for (uint32_t i = 0; i < CODEC_WORDS; i++) {
            const uint32_t value = block[i] >> 8 * c & 0xff;
            gathered[i] = (uint32_t)(value >> k != min) | (value & low) << 1;
        }
        for (uint32_t i = 0; i < CODEC_WORDS; i += 4) {
            const uint32_t *g = gathered + i, two = g[0] | g[1] << (k + 1);
            bits_put(&writer, two | (g[2] | g[3] << (k + 1)) << 2 * (k + 1), 4 * (k + 1));
        }
    }
    bits_end(&writer);
}

static void
comp_decompress(const uint8_t *in, struct codec_shape shape, int32_t level, uint32_t *block)
{
    const uint32_t k = low_bits[shape.bus][level];
    struct bit_reader reader = bits_open(in, codec_comp.levels[shape.bus].bytes[level]);
    memset(block, 0, CODEC_BLOCK_BYTES);
    for (uint32_t c = 4; c-- > 0;) {
        uint32_t references[2];
        references[0] = bits_get(&reader, 8 - k) << k;
        references[1] = bits_get(&reader, 8 - k) << k;
        for (uint32_t i = 0; i < CODEC_WORDS; i++) {
            const uint32_t index = bits_get(&reader, 1);
            block[i] |= (references[index] | bits_get(&reader, k)) << 8 * c;
        }
    }
}

const struct codec codec_comp = {
    CODEC_IS(comp),
    .doc = "offsets from min and max of each component",
    .stages = {{"min and max of each component, two levels of byte comparators per cycle", 3,
                false},
               {"comparison with the references", 1, true},
               {"choice of the level", 1, false},
               {"packing of each component", 1, false},
               {"joining of the components", 1, false}},
    .levels = {{3, {64, 128, 192}}, {6, {64, 96, 128, 160, 192, 224}}},
    .choose = comp_choose,
    .compress = comp_compress,
    .decompress = comp_decompress,
};
