/* anchor: one depth, two slopes, and small corrections (docs/design/compression.md, Depth codecs;
 * Hasselgren & Akenine-Moller 2006, anchor encoding).
 *
 * The anchor is the first sample of the pixel left of and above the block's centre. The slopes are
 * the differences from it to the pixel on its right and to the one below. Prediction uses the
 * position of each sample. Layout: stencil (codec/depth.h); anchor, slope in x, slope in y (24 bits
 * each, modulo 2^24); a correction for every other element, n bits each (two's complement). Bits:
 * 72 + 61 n and the stencil; with one stencil value n is 7, 15, 23 in 64, 128, 192 bytes.
 *
 * Each level has one n, so choosing the level and packing are one stage. */
#include "codec/depth.h"

enum { FIXED_BITS = 3 * DEPTH_BITS, CORRECTIONS = CODEC_WORDS - 3 };

struct anchor {
    uint32_t z;
    int32_t slope_x, slope_y; /* per pixel */
};

/* The elements that define the anchor: itself, the one on its right, the one below. */
static void
find_elements(const struct grid *grid, uint32_t elements[3])
{
    const uint32_t x = grid->width / 2 - 1, y = grid->height / 2 - 1;
    elements[0] = grid_at(grid, x, y, 0);
    elements[1] = grid_at(grid, x + 1, y, 0);
    elements[2] = grid_at(grid, x, y + 1, 0);
}

static uint32_t
anchor_predict(const struct anchor *anchor, const struct grid *grid, uint32_t element)
{
    const int32_t x = (int32_t)grid_x(grid, element) - ((int32_t)grid->width / 2 - 1);
    const int32_t y = (int32_t)grid_y(grid, element) - ((int32_t)grid->height / 2 - 1);
    const struct grid_position first = grid_sample_position(grid, 0);
    const struct grid_position position = grid_sample_position(grid, element % grid->samples);
    const int64_t at_x = x * GRID_UNITS + position.x - first.x;
    const int64_t at_y = y * GRID_UNITS + position.y - first.y;
    const int64_t rise = anchor->slope_x * at_x + anchor->slope_y * at_y;
    /* Rounds to nearest. The large multiple of GRID_UNITS makes the dividend positive. */
    const uint64_t steps = (uint64_t)(rise + GRID_UNITS / 2 + ((int64_t)GRID_UNITS << 40));
    return (anchor->z + (uint32_t)(steps / GRID_UNITS)) & DEPTH_MASK;
}

static struct anchor
find_anchor(const struct depth_block *depth, const uint32_t elements[3])
{
    const uint32_t z = depth->z[elements[0]];
    return (struct anchor){z, depth_signed(depth->z[elements[1]] - z),
                           depth_signed(depth->z[elements[2]] - z)};
}

static bool
is_stored(const uint32_t elements[3], uint32_t element)
{
    return element == elements[0] || element == elements[1] || element == elements[2];
}

static int32_t
anchor_choose(const uint32_t *block, struct codec_shape shape)
{
    const struct grid grid = grid_of(shape);
    struct depth_block depth;
    uint32_t elements[3], width = 0;
    if (!depth_open(block, &depth))
        return CODEC_RAW;
    find_elements(&grid, elements);
    const struct anchor anchor = find_anchor(&depth, elements);
    for (uint32_t i = 0; i < CODEC_WORDS; i++) {
        const uint32_t own = depth_width(depth.z[i] - anchor_predict(&anchor, &grid, i));
        width = own > width ? own : width;
    }
    return depth_choose(&codec_anchor.levels[shape.bus], &depth, FIXED_BITS, CORRECTIONS, width);
}

static void
anchor_compress(const uint32_t *block, struct codec_shape shape, int32_t level, uint8_t *out)
{
    const struct grid grid = grid_of(shape);
    const uint32_t bytes = codec_anchor.levels[shape.bus].bytes[level];
    struct bit_writer writer = bits_begin(out, bytes);
    struct depth_block depth;
    uint32_t elements[3];
    depth_open(block, &depth);
    find_elements(&grid, elements);
    const struct anchor anchor = find_anchor(&depth, elements);
    const uint32_t n = depth_correction_bits(&depth, bytes, FIXED_BITS, CORRECTIONS);
    depth_put_stencil(&writer, &depth);
    bits_put(&writer, anchor.z, DEPTH_BITS);
    bits_put(&writer, (uint32_t)anchor.slope_x & DEPTH_MASK, DEPTH_BITS);
    bits_put(&writer, (uint32_t)anchor.slope_y & DEPTH_MASK, DEPTH_BITS);
    for (uint32_t i = 0; i < CODEC_WORDS; i++)
        if (!is_stored(elements, i))
            bits_put(&writer, (depth.z[i] - anchor_predict(&anchor, &grid, i)) & ((1u << n) - 1),
                     n);
    bits_end(&writer);
}

static void
anchor_decompress(const uint8_t *in, struct codec_shape shape, int32_t level, uint32_t *block)
{
    const struct grid grid = grid_of(shape);
    const uint32_t bytes = codec_anchor.levels[shape.bus].bytes[level];
    struct bit_reader reader = bits_open(in, bytes);
    struct depth_block depth;
    uint32_t elements[3];
    find_elements(&grid, elements);
    depth_get_stencil(&reader, &depth);
    struct anchor anchor = {.z = bits_get(&reader, DEPTH_BITS)};
    anchor.slope_x = depth_signed(bits_get(&reader, DEPTH_BITS));
    anchor.slope_y = depth_signed(bits_get(&reader, DEPTH_BITS));
    const uint32_t n = depth_correction_bits(&depth, bytes, FIXED_BITS, CORRECTIONS);
    for (uint32_t i = 0; i < CODEC_WORDS; i++) {
        depth.z[i] = anchor_predict(&anchor, &grid, i);
        if (!is_stored(elements, i))
            depth.z[i] += depth_get_signed(&reader, n);
    }
    depth_close(&depth, block);
}

const struct codec codec_anchor = {
    CODEC_IS(anchor),
    .doc = "a depth, two slopes, and corrections",
    .stages = {{"slopes", 1, false},
               {"multiples of the slopes", 2, false},
               {"sum", 1, false},
               {"correction", 1, false},
               {"width of the corrections", 1, false},
               {"choice of the level, packing", 1, false}},
    .levels = {{3, {64, 128, 192}}, {7, {32, 64, 96, 128, 160, 192, 224}}},
    .choose = anchor_choose,
    .compress = anchor_compress,
    .decompress = anchor_decompress,
};
