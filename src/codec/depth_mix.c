/* depth_mix: several codecs in parallel, as in real chips (Hasselgren & Akenine-Moller 2006):
 * ddpcm, anchor, depth_offset, depth_plane and msaa. The smallest size wins; of equal sizes, the
 * first in this order. The block state identifies the codec and its level. Layout: that of the
 * codec. */
#include "codec/codec.h"

enum { DDPCM, ANCHOR, OFFSET, PLANE, MSAA, PARTS };

static const struct codec *const parts[PARTS] = {
    [DDPCM] = &codec_ddpcm,       [ANCHOR] = &codec_anchor, [OFFSET] = &codec_depth_offset,
    [PLANE] = &codec_depth_plane, [MSAA] = &codec_msaa,
};

struct part_level {
    uint8_t part, level;
};
/* By size, then by codec. Every block that fits 224 bytes fits there with ddpcm, so no other codec
 * has that size. */
static const struct part_level part_levels[CODEC_BUSES][CODEC_MAX_LEVELS] = {
    [CODEC_BUS_64] = {{DDPCM, 0},
                      {ANCHOR, 0},
                      {OFFSET, 0},
                      {PLANE, 0},
                      {MSAA, 0},
                      {MSAA, 1},
                      {DDPCM, 1},
                      {ANCHOR, 1},
                      {OFFSET, 1},
                      {PLANE, 1},
                      {MSAA, 2},
                      {MSAA, 3},
                      {DDPCM, 2},
                      {ANCHOR, 2},
                      {OFFSET, 2},
                      {MSAA, 4}},
    [CODEC_BUS_32] = {{DDPCM, 0},  {ANCHOR, 0}, {OFFSET, 0}, {PLANE, 0},  {MSAA, 0},   {MSAA, 1},
                      {DDPCM, 1},  {ANCHOR, 1}, {OFFSET, 1}, {PLANE, 1},  {MSAA, 2},   {MSAA, 3},
                      {DDPCM, 2},  {ANCHOR, 2}, {OFFSET, 2}, {PLANE, 2},  {MSAA, 4},   {DDPCM, 3},
                      {ANCHOR, 3}, {OFFSET, 3}, {PLANE, 3},  {MSAA, 5},   {DDPCM, 4},  {ANCHOR, 4},
                      {OFFSET, 4}, {MSAA, 6},   {DDPCM, 5},  {ANCHOR, 5}, {OFFSET, 5}, {DDPCM, 6}},
};

static int32_t
depth_mix_choose(const uint32_t *block, struct codec_shape shape)
{
    struct part_level best = {0};
    uint32_t best_bytes = CODEC_BLOCK_BYTES;
    for (uint32_t p = 0; p < PARTS; p++) {
        if (best_bytes <= parts[p]->levels[shape.bus].bytes[0])
            continue; /* cannot be smaller than the best so far */
        const int32_t level = parts[p]->choose(block, shape);
        const uint32_t bytes = codec_level_bytes(parts[p], shape.bus, level);
        if (bytes < best_bytes) {
            best = (struct part_level){(uint8_t)p, (uint8_t)level};
            best_bytes = bytes;
        }
    }
    if (best_bytes == CODEC_BLOCK_BYTES)
        return CODEC_RAW;
    int32_t level = 0;
    while (part_levels[shape.bus][level].part != best.part ||
           part_levels[shape.bus][level].level != best.level)
        level++;
    return level;
}

static void
depth_mix_compress(const uint32_t *block, struct codec_shape shape, int32_t level, uint8_t *out)
{
    const struct part_level *own = &part_levels[shape.bus][level];
    parts[own->part]->compress(block, shape, own->level, out);
}

static void
depth_mix_decompress(const uint8_t *in, struct codec_shape shape, int32_t level, uint32_t *block)
{
    const struct part_level *own = &part_levels[shape.bus][level];
    parts[own->part]->decompress(in, shape, own->level, block);
}

const struct codec codec_depth_mix = {
    CODEC_IS(depth_mix),
    .doc = "the best of ddpcm, anchor, depth-offset, depth-plane and msaa",
    .stages = {{"ddpcm, anchor, depth-offset, depth-plane and msaa in parallel", 11, false},
               {"selection of the smallest result", 1, false}},
    .levels = {{16, {64, 64, 64, 64, 64, 64, 128, 128, 128, 128, 128, 128, 192, 192, 192, 192}},
               {30, {32, 32, 32,  32,  32,  32,  64,  64,  64,  64,  64,  64,  96,  96,  96,
                     96, 96, 128, 128, 128, 128, 128, 160, 160, 160, 160, 192, 192, 192, 224}}},
    .choose = depth_mix_choose,
    .compress = depth_mix_compress,
    .decompress = depth_mix_decompress,
};
