/* depth_offset: small distances from the minimum or maximum depth (Hasselgren & Akenine-Moller
 * 2006, depth offset compression).
 *
 * Layout: stencil (codec/depth.h), min, max (24 bits each), then for each element one bit (0: above
 * min, 1: below max) and the distance, n bits. Bits: 112 + 64 n and the stencil; with one stencil
 * value n is 6, 14, 22 in 64, 128, 192 bytes. */
#include "codec/depth.h"

enum { FIXED_BITS = 2 * DEPTH_BITS + CODEC_WORDS };

static void
find_range(const struct depth_block *depth, uint32_t *min, uint32_t *max)
{
    *min = *max = depth->z[0];
    for (uint32_t i = 1; i < CODEC_WORDS; i++) {
        *min = depth->z[i] < *min ? depth->z[i] : *min;
        *max = depth->z[i] > *max ? depth->z[i] : *max;
    }
}

static int32_t
depth_offset_choose(const uint32_t *block, struct codec_shape shape)
{
    struct depth_block depth;
    uint32_t min, max, all = 0;
    if (!depth_open(block, &depth))
        return CODEC_RAW;
    find_range(&depth, &min, &max);
    for (uint32_t i = 0; i < CODEC_WORDS; i++) {
        const uint32_t up = depth.z[i] - min, down = max - depth.z[i];
        all |= up < down ? up : down;
    }
    return depth_choose(&codec_depth_offset.levels[shape.bus], &depth, FIXED_BITS, CODEC_WORDS,
                        bits_of(all));
}

static void
depth_offset_compress(const uint32_t *block, struct codec_shape shape, int32_t level, uint8_t *out)
{
    const uint32_t bytes = codec_depth_offset.levels[shape.bus].bytes[level];
    struct bit_writer writer = bits_begin(out, bytes);
    struct depth_block depth;
    uint32_t min, max;
    depth_open(block, &depth);
    const uint32_t n = depth_correction_bits(&depth, bytes, FIXED_BITS, CODEC_WORDS);
    find_range(&depth, &min, &max);
    depth_put_stencil(&writer, &depth);
    bits_put(&writer, min, DEPTH_BITS);
    bits_put(&writer, max, DEPTH_BITS);
    for (uint32_t i = 0; i < CODEC_WORDS; i++) {
        const uint32_t up = depth.z[i] - min, down = max - depth.z[i], below = down < up;
        bits_put(&writer, below | (below ? down : up) << 1, n + 1);
    }
    bits_end(&writer);
}

static void
depth_offset_decompress(const uint8_t *in, struct codec_shape shape, int32_t level, uint32_t *block)
{
    const uint32_t bytes = codec_depth_offset.levels[shape.bus].bytes[level];
    struct bit_reader reader = bits_open(in, bytes);
    struct depth_block depth;
    depth_get_stencil(&reader, &depth);
    const uint32_t n = depth_correction_bits(&depth, bytes, FIXED_BITS, CODEC_WORDS);
    const uint32_t min = bits_get(&reader, DEPTH_BITS), max = bits_get(&reader, DEPTH_BITS);
    for (uint32_t i = 0; i < CODEC_WORDS; i++) {
        const uint32_t below = bits_get(&reader, 1), distance = bits_get(&reader, n);
        depth.z[i] = below ? max - distance : min + distance;
    }
    depth_close(&depth, block);
}

const struct codec codec_depth_offset = {
    CODEC_IS(depth_offset),
    .doc = "small distances from min or max depth",
    .stages = {{"min and max", 6, false},
               {"distances from min and from max", 1, false},
               {"selection of the smaller distance", 1, false},
               {"width of the distances", 1, false},
               {"choice of the level", 1, false},
               {"packing", 1, false}},
    .levels = {{3, {64, 128, 192}}, {7, {32, 64, 96, 128, 160, 192, 224}}},
    .choose = depth_offset_choose,
    .compress = depth_offset_compress,
    .decompress = depth_offset_decompress,
};
