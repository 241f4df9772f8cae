/* hilo: offset codec with four references on the 32-bit word (spec: compression.md, offset codecs).
 *
 * A word fits at k when its high 32 - k bits equal those of min, max, min + 2^k or max - 2^k of the
 * block. Stored, in this order: the high parts of min and max, then for each word a 2-bit index of
 * its reference and its low k bits. Latency 10: six comparator levels for min and max, the adders,
 * the comparison, the choice of the level, the packing. */
#include "codec/bits.h"
#include "codec/codec.h"

static const uint8_t low_bits[CODEC_BUSES][CODEC_MAX_LEVELS] = {
    [CODEC_BUS_64] = {5, 13, 21},
    [CODEC_BUS_32] = {1, 5, 9, 13, 17, 21, 25},
};

static void
find_range(const uint32_t *block, uint32_t *min, uint32_t *max)
{
    *min = *max = block[0];
    for (uint32_t i = 1; i < CODEC_WORDS; i++) {
        *min = block[i] < *min ? block[i] : *min;
        *max = block[i] > *max ? block[i] : *max;
    }
}

/* The four references' high parts, in the order of the index. */
static void
references(uint32_t min, uint32_t max, uint32_t k, uint32_t high[4])
{
    uint32_t mask = UINT32_MAX >> k;
    high[0] = min >> k;
    high[1] = max >> k;
    high[2] = (high[0] + 1) & mask;
    high[3] = (high[1] - 1) & mask;
}

static uint32_t
index_of(const uint32_t high[4], uint32_t word)
{
    return word == high[0] ? 0 : word == high[1] ? 1 : word == high[2] ? 2 : 3;
}

static int32_t
choose(const uint32_t *block, struct codec_shape shape)
{
    uint32_t min, max;
    find_range(block, &min, &max);
    for (int32_t level = 0; level < (int32_t)codec_hilo.levels[shape.bus].count; level++) {
        uint32_t k = low_bits[shape.bus][level], high[4], misses = 0;
        references(min, max, k, high);
        for (uint32_t i = 0; i < CODEC_WORDS; i++) {
            uint32_t word = block[i] >> k;
            misses |= (word != high[0]) & (word != high[1]) & (word != high[2]) & (word != high[3]);
        }
        if (!misses)
            return level;
    }
    return CODEC_RAW;
}

static void
compress(const uint32_t *block, struct codec_shape shape, int32_t level, uint8_t *out)
{
    uint32_t k = low_bits[shape.bus][level], min, max, high[4];
    struct bit_writer writer = bits_begin(out, codec_hilo.levels[shape.bus].bytes[level]);
    find_range(block, &min, &max);
    references(min, max, k, high);
    bits_put(&writer, high[0], 32 - k);
    bits_put(&writer, high[1], 32 - k);
    for (uint32_t i = 0; i < CODEC_WORDS; i++) {
        bits_put(&writer, index_of(high, block[i] >> k), 2);
        bits_put(&writer, block[i] & ((1u << k) - 1), k);
    }
    bits_end(&writer);
}

static void
decompress(const uint8_t *in, struct codec_shape shape, int32_t level, uint32_t *block)
{
    uint32_t k = low_bits[shape.bus][level], high[4];
    struct bit_reader reader = {in, codec_hilo.levels[shape.bus].bytes[level], 0, 0};
    uint32_t min = bits_get(&reader, 32 - k), max = bits_get(&reader, 32 - k);
    references(min << k, max << k, k, high);
    for (uint32_t i = 0; i < CODEC_WORDS; i++) {
        uint32_t index = bits_get(&reader, 2);
        block[i] = high[index] << k | bits_get(&reader, k);
    }
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
