/* hilo: offset codec with four references on the 32-bit word (spec: compression.md, offset codecs).
 *
 * References: min, max of the block, min + 2^k, max - 2^k (modulo 2^32); 2-bit index; min and max
 * are stored. Bits: 64 (k + 2) + 2 (32 - k) = 62 k + 192. Latency 10: six comparator levels for min
 * and max, the adders, the comparison, the choice of the level, the packing. */
#include "codec/offset.h"

static const uint8_t low_bits[CODEC_BUSES][CODEC_MAX_LEVELS] = {
    [CODEC_BUS_64] = {5, 13, 21},
    [CODEC_BUS_32] = {1, 5, 9, 13, 17, 21, 25},
};

static void
find_references(uint32_t min, uint32_t max, uint32_t k, uint32_t references[4])
{
    const uint32_t mask = UINT32_MAX << k;
    references[0] = min & mask;
    references[1] = max & mask;
    references[2] = references[0] + (1u << k);
    references[3] = references[1] - (1u << k);
}

static int32_t
choose(const uint32_t *block, struct codec_shape shape)
{
    uint32_t min, max, references[4];
    offset_range(block, CODEC_WORDS, UINT32_MAX, &min, &max);
    for (int32_t level = 0; level < (int32_t)codec_hilo.levels[shape.bus].count; level++) {
        const uint32_t k = low_bits[shape.bus][level];
        find_references(min, max, k, references);
        if (offset_fits_four(block, UINT32_MAX << k, references))
            return level;
    }
    return CODEC_RAW;
}

static void
compress(const uint32_t *block, struct codec_shape shape, int32_t level, uint8_t *out)
{
    const struct split split = split_word(low_bits[shape.bus][level]);
    uint32_t min, max, references[4];
    offset_range(block, CODEC_WORDS, UINT32_MAX, &min, &max);
    find_references(min, max, split.k, references);
    offset_put(block, &split, references, 2, 2, out, codec_hilo.levels[shape.bus].bytes[level]);
}

static void
decompress(const uint8_t *in, struct codec_shape shape, int32_t level, uint32_t *block)
{
    const struct split split = split_word(low_bits[shape.bus][level]);
    struct bit_reader reader = bits_open(in, codec_hilo.levels[shape.bus].bytes[level]);
    uint32_t references[4];
    offset_get_references(&reader, &split, 2, references);
    find_references(references[0], references[1], split.k, references);
    offset_get_words(&reader, &split, references, 2, block);
}

const struct codec codec_hilo = {
    .name = "hilo",
    .doc = "offsets from min, max, min + 2^k and max - 2^k of the word",
    .applies = CODEC_COLOR | CODEC_DEPTH,
    .latency_cycles = 10,
    .levels = {{3, {64, 128, 192}}, {7, {32, 64, 96, 128, 160, 192, 224}}},
    .choose = choose,
    .compress = compress,
    .decompress = decompress,
};
