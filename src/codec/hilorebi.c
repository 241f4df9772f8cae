/* hilorebi: hilore on two halves of the block (spec: compression.md, offset codecs).
 *
 * References: min and max of words 0 to 31, min and max of words 32 to 63, of the reordered words
 * as in hilore; any word may use any of them; 2-bit index; all are stored. Bits: 64 (k + 2) + 4 (32
 * - k) = 60 k + 256. Latency 8: five comparator levels for min and max of a half, the comparison,
 * the choice of the level, the packing. */
#include "codec/offset.h"

static const uint8_t low_bits[CODEC_BUSES][CODEC_MAX_LEVELS] = {
    [CODEC_BUS_64] = {4, 12, 21},
    [CODEC_BUS_32] = {0, 4, 8, 12, 17, 21, 25},
};

static void
find_references(const uint32_t *block, uint32_t mask, uint32_t references[4])
{
    const uint32_t half = CODEC_WORDS / 2;
    offset_range(block, half, mask, &references[0], &references[1]);
    offset_range(block + half, half, mask, &references[2], &references[3]);
}

static int32_t
choose(const uint32_t *block, struct codec_shape shape)
{
    for (int32_t level = 0; level < (int32_t)codec_hilorebi.levels[shape.bus].count; level++) {
        const struct split split = split_components(low_bits[shape.bus][level]);
        const uint32_t mask = ~split_low_mask(&split);
        uint32_t references[4];
        find_references(block, mask, references);
        if (offset_fits_four(block, mask, references))
            return level;
    }
    return CODEC_RAW;
}

static void
compress(const uint32_t *block, struct codec_shape shape, int32_t level, uint8_t *out)
{
    const struct split split = split_components(low_bits[shape.bus][level]);
    uint32_t references[4];
    find_references(block, ~split_low_mask(&split), references);
    offset_put(block, &split, references, 4, 2, out, codec_hilorebi.levels[shape.bus].bytes[level]);
}

static void
decompress(const uint8_t *in, struct codec_shape shape, int32_t level, uint32_t *block)
{
    const struct split split = split_components(low_bits[shape.bus][level]);
    struct bit_reader reader = bits_open(in, codec_hilorebi.levels[shape.bus].bytes[level]);
    uint32_t references[4];
    offset_get_references(&reader, &split, 4, references);
    offset_get_words(&reader, &split, references, 2, block);
}

const struct codec codec_hilorebi = {
    .name = "hilorebi",
    .doc = "hilore with min and max of each half of the block",
    .applies = CODEC_COLOR | CODEC_DEPTH,
    .latency_cycles = 8,
    .levels = {{3, {64, 128, 192}}, {7, {32, 64, 96, 128, 160, 192, 224}}},
    .choose = choose,
    .compress = compress,
    .decompress = decompress,
};
