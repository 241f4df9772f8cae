/* hilore: offset codec with two references on the reordered word (spec: compression.md, offset
 * codecs).
 *
 * The high part is made of the high bits of each of R, G, B, A. References: min and max of the
 * reordered words, found for each level since the order differs; 1-bit index; both are stored.
 * Bits: 64 (k + 1) + 2 (32 - k) = 62 k + 128.
 * Latency 9: six comparator levels for min and max, the comparison, the choice of the level, the
 * packing. */
#include "codec/offset.h"

static const uint8_t low_bits[CODEC_BUSES][CODEC_MAX_LEVELS] = {
    [CODEC_BUS_64] = {6, 14, 22},
    [CODEC_BUS_32] = {2, 6, 10, 14, 18, 22, 26},
};

static void
find_references(const uint32_t *block, uint32_t mask, uint32_t references[2])
{
    offset_range(block, CODEC_WORDS, mask, &references[0], &references[1]);
}

static int32_t
choose(const uint32_t *block, struct codec_shape shape)
{
    for (int32_t level = 0; level < (int32_t)codec_hilore.levels[shape.bus].count; level++) {
        const struct split split = split_components(low_bits[shape.bus][level]);
        const uint32_t mask = ~split_low_mask(&split);
        uint32_t references[2];
        find_references(block, mask, references);
        if (offset_fits_two(block, mask, references))
            return level;
    }
    return CODEC_RAW;
}

static void
compress(const uint32_t *block, struct codec_shape shape, int32_t level, uint8_t *out)
{
    const struct split split = split_components(low_bits[shape.bus][level]);
    uint32_t references[2];
    find_references(block, ~split_low_mask(&split), references);
    offset_put(block, &split, references, 2, 1, out, codec_hilore.levels[shape.bus].bytes[level]);
}

static void
decompress(const uint8_t *in, struct codec_shape shape, int32_t level, uint32_t *block)
{
    const struct split split = split_components(low_bits[shape.bus][level]);
    struct bit_reader reader = bits_open(in, codec_hilore.levels[shape.bus].bytes[level]);
    uint32_t references[2];
    offset_get_references(&reader, &split, 2, references);
    offset_get_words(&reader, &split, references, 1, block);
}

const struct codec codec_hilore = {
    .name = "hilore",
    .doc = "offsets from min and max, with the high bits of each component in front",
    .applies = CODEC_COLOR | CODEC_DEPTH,
    .latency_cycles = 9,
    .levels = {{3, {64, 128, 192}}, {7, {32, 64, 96, 128, 160, 192, 224}}},
    .choose = choose,
    .compress = compress,
    .decompress = decompress,
};
