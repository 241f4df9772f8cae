/* hilore4ref: hilore with two more references (spec: compression.md, offset codecs).
 *
 * References: min and max of the reordered words as in hilore, the first from the start that
 * differs from min, and the first from the end that differs from max (if none does, min or max
 * again); 2-bit index; all are stored. Words differ when their high parts do. Bits: 64 (k + 2) + 4
 * (32 - k) = 60 k + 256. Latency 12: six comparator levels for min and max, three for the two
 * searches (comparison, priority, selection), the comparison, the choice of the level, the packing.
 */
#include "codec/offset.h"

static const uint8_t low_bits[CODEC_BUSES][CODEC_MAX_LEVELS] = {
    [CODEC_BUS_64] = {4, 12, 21},
    [CODEC_BUS_32] = {0, 4, 8, 12, 17, 21, 25},
};

static void
find_references(const uint32_t *block, uint32_t mask, uint32_t references[4])
{
    offset_range(block, CODEC_WORDS, mask, &references[0], &references[1]);
    uint32_t first = 0, last = CODEC_WORDS - 1;
    while (first < CODEC_WORDS - 1 && (block[first] & mask) == references[0])
        first++;
    while (last > 0 && (block[last] & mask) == references[1])
        last--;
    references[2] = block[first] & mask;
    references[3] = block[last] & mask;
}

static int32_t
choose(const uint32_t *block, struct codec_shape shape)
{
    for (int32_t level = 0; level < (int32_t)codec_hilore4ref.levels[shape.bus].count; level++) {
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
    offset_put(block, &split, references, 4, 2, out,
               codec_hilore4ref.levels[shape.bus].bytes[level]);
}

static void
decompress(const uint8_t *in, struct codec_shape shape, int32_t level, uint32_t *block)
{
    const struct split split = split_components(low_bits[shape.bus][level]);
    struct bit_reader reader = bits_open(in, codec_hilore4ref.levels[shape.bus].bytes[level]);
    uint32_t references[4];
    offset_get_references(&reader, &split, 4, references);
    offset_get_words(&reader, &split, references, 2, block);
}

const struct codec codec_hilore4ref = {
    .name = "hilore4ref",
    .doc = "hilore with the first that differs from min and the last that differs from max",
    .applies = CODEC_COLOR | CODEC_DEPTH,
    .latency_cycles = 12,
    .levels = {{3, {64, 128, 192}}, {7, {32, 64, 96, 128, 160, 192, 224}}},
    .choose = choose,
    .compress = compress,
    .decompress = decompress,
};
