/* ddpcm: second-order differences of depth (docs/design/compression.md, Depth codecs; Hasselgren &
 * Akenine-Moller 2006, DDPCM). Where one triangle covers the block, depth is a rounded plane and
 * each second-order difference is -1, 0 or 1: two bits.
 *
 * Prediction of a pixel's first sample:
 * - Three pixels at the block's corner are stored.
 * - Row 0 is predicted from the two pixels on the left.
 * - Row 1 is predicted from the pixel on the left and the step of row 0.
 * - Other rows are predicted from the two pixels above.
 *
 * The offset of another sample from its pixel's first one is predicted by that of the pixel on the
 * left (above, for the leftmost). It is stored for the first pixel.
 *
 * Layout:
 * - stencil (codec/depth.h)
 * - the depth of element 0, and the steps to the right, down and to the other samples of the first
 *   pixel (24 bits each, modulo 2^24)
 * - the differences of the other elements, n bits each (two's complement)
 *
 * Bits with S samples: 24 (S + 2) + (62 - S) n and the stencil. With one stencil value n is 7, 15,
 * 23 in 64, 128, 192 bytes with one sample, 6, 15, 23 with four.
 *
 * Latency: the decompressor's sums are a tree (prefix sums of three levels, twice). */
#include "codec/depth.h"

struct layout {
    uint32_t fixed_bits, corrections;
};

static struct layout
layout_of(const struct grid *grid)
{
    const uint32_t stored = 2 + grid->samples;
    return (struct layout){stored * DEPTH_BITS, CODEC_WORDS - stored};
}

/* Elements are processed in this order (sample, row, column), so that each is predicted from
 * earlier ones. */
struct element {
    uint32_t sample, x, y;
};

static struct element
element_of(const struct grid *grid, uint32_t number)
{
    const uint32_t pixels = grid->width * grid->height;
    return (struct element){number / pixels, number % pixels % grid->width,
                            number % pixels / grid->width};
}

static bool
is_stored(struct element element)
{
    return element.sample ? !element.x && !element.y : element.x + element.y < 2;
}

/* Predicts an element's depth from earlier ones. */
static uint32_t
ddpcm_predict(const uint32_t *z, const struct grid *grid, struct element at)
{
    const uint32_t x = at.x, y = at.y;
#define Z(x, y, sample) z[grid_at(grid, x, y, sample)]
    if (at.sample) {
        const uint32_t from_x = x ? x - 1 : 0, from_y = x ? y : y - 1;
        if (is_stored(at))
            return Z(0, 0, 0);
        return Z(x, y, 0) + Z(from_x, from_y, at.sample) - Z(from_x, from_y, 0);
    }
    if (y >= 2)
        return 2 * Z(x, y - 1, 0) - Z(x, y - 2, 0);
    if (is_stored(at))
        return x || y ? Z(0, 0, 0) : 0;
    if (y == 1)
        return Z(x - 1, 1, 0) + Z(x, 0, 0) - Z(x - 1, 0, 0);
    return 2 * Z(x - 1, 0, 0) - Z(x - 2, 0, 0);
#undef Z
}

static int32_t
ddpcm_choose(const uint32_t *block, struct codec_shape shape)
{
    const struct grid grid = grid_of(shape);
    const struct layout layout = layout_of(&grid);
    struct depth_block depth;
    uint32_t width = 0;
    if (!depth_open(block, &depth))
        return CODEC_RAW;
    for (uint32_t i = 0; i < CODEC_WORDS; i++) {
        const struct element at = element_of(&grid, i);
        if (is_stored(at))
            continue;
        const uint32_t own = depth_width(depth.z[grid_at(&grid, at.x, at.y, at.sample)] -
                                         ddpcm_predict(depth.z, &grid, at));
        width = own > width ? own : width;
    }
    return depth_choose(&codec_ddpcm.levels[shape.bus], &depth, layout.fixed_bits,
                        layout.corrections, width);
}

static void
ddpcm_compress(const uint32_t *block, struct codec_shape shape, int32_t level, uint8_t *out)
{
    const struct grid grid = grid_of(shape);
    const struct layout layout = layout_of(&grid);
    const uint32_t bytes = codec_ddpcm.levels[shape.bus].bytes[level];
    struct bit_writer writer = bits_begin(out, bytes);
    struct depth_block depth;
    depth_open(block, &depth);
    depth_put_stencil(&writer, &depth);
    const uint32_t n = depth_correction_bits(&depth, bytes, layout.fixed_bits, layout.corrections);
    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < CODEC_WORDS; i++) {
            const struct element at = element_of(&grid, i);
            const uint32_t bits = pass ? n : DEPTH_BITS;
            const uint32_t difference =
                depth.z[grid_at(&grid, at.x, at.y, at.sample)] - ddpcm_predict(depth.z, &grid, at);
            if (is_stored(at) == !pass)
                bits_put(&writer, difference & ((1u << bits) - 1), bits);
        }
    bits_end(&writer);
}

static void
ddpcm_decompress(const uint8_t *in, struct codec_shape shape, int32_t level, uint32_t *block)
{
    const struct grid grid = grid_of(shape);
    const struct layout layout = layout_of(&grid);
    const uint32_t bytes = codec_ddpcm.levels[shape.bus].bytes[level];
    struct bit_reader reader = bits_open(in, bytes);
    struct depth_block depth = {0};
    depth_get_stencil(&reader, &depth);
    const uint32_t n = depth_correction_bits(&depth, bytes, layout.fixed_bits, layout.corrections);
    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < CODEC_WORDS; i++) {
            const struct element at = element_of(&grid, i);
            if (is_stored(at) != !pass)
                continue;
            const uint32_t difference =
                pass ? depth_get_signed(&reader, n) : bits_get(&reader, DEPTH_BITS);
            depth.z[grid_at(&grid, at.x, at.y, at.sample)] =
                (ddpcm_predict(depth.z, &grid, at) + difference) & DEPTH_MASK;
        }
    depth_close(&depth, block);
}

const struct codec codec_ddpcm = {
    CODEC_IS(ddpcm),
    .doc = "second-order differences of depth",
    .stages = {{"first-order differences", 1, false},
               {"second-order differences", 1, false},
               {"width of each difference", 1, false},
               {"largest width", 1, false},
               {"choice of the level", 1, false},
               {"packing", 1, false}},
    .levels = {{3, {64, 128, 192}}, {7, {32, 64, 96, 128, 160, 192, 224}}},
    .choose = ddpcm_choose,
    .compress = ddpcm_compress,
    .decompress = ddpcm_decompress,
};
