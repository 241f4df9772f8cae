/* depth_plane: planes only, no corrections (Hasselgren & Akenine-Moller 2006, plane encoding).
 *
 * Each element is exactly on one of up to 8 planes: z = floor(a + b x + c y), where x and y are the
 * sample's position in pixels from the centre of the block's first pixel. a has 24.8 bits, b and c
 * have 21.8 bits with sign; z is modulo 2^24. Layout: stencil (codec/depth.h), the planes (a 32
 * bits, b and c 29 each), then the index of each element's plane. Bits with P planes: 90 P + 64
 * log2(P), rounded up, and the stencil. A level has as many planes as fit: 4 in 64 bytes, 8 from
 * 128 bytes on.
 *
 * A chip gets the planes from its rasterizer. This code finds them in the block: from the first
 * uncovered element along its row and its column, as long as the steps agree. A block does not fit
 * if a plane is not found or was rounded differently.
 *
 * The latency assumes given planes. */
#include "codec/depth.h"

enum {
    MAX_PLANES = 8,
    FRACTION = 8, /* bits */
    OFFSET_BITS = DEPTH_BITS + FRACTION,
    SLOPE_BITS = 21 + FRACTION,
    PLANE_BITS = OFFSET_BITS + 2 * SLOPE_BITS,
};

struct depth_plane {
    uint32_t a;
    int32_t b, c;
};

static uint32_t
index_bits(uint32_t planes)
{
    return bits_of(planes - 1);
}

/* Planes for which a level has room; 0 if it has room for none. */
static uint32_t
planes_in(const struct depth_block *depth, uint32_t level_bytes)
{
    const uint32_t budget = depth_budget(depth, level_bytes);
    uint32_t planes = MAX_PLANES;
    while (planes && PLANE_BITS * planes + CODEC_WORDS * index_bits(planes) > budget)
        planes--;
    return planes;
}

/* Position of element 8 i + k: the sum of the pixel positions of elements 8 i and k (Morton order),
 * and the sample position of element k. Sample positions are in 1/16 pixel from the pixel's centre.
 */
struct positions {
    uint32_t outer_x[8], outer_y[8], inner_x[8], inner_y[8];
    struct grid_position sample[8];
};

static void
find_positions(const struct grid *grid, struct positions *positions)
{
    for (uint32_t k = 0; k < 8; k++) {
        positions->outer_x[k] = grid_x(grid, 8 * k);
        positions->outer_y[k] = grid_y(grid, 8 * k);
        positions->inner_x[k] = grid_x(grid, k);
        positions->inner_y[k] = grid_y(grid, k);
        positions->sample[k] = grid_sample_position(grid, k % grid->samples);
    }
}

/* Rise of a plane from a pixel's centre to a position in 1/16 pixel, rounded down. */
static uint32_t
rise_within(int64_t b, int64_t c, struct grid_position position)
{
    if (!position.x && !position.y)
        return 0;
    const int64_t rise = b * position.x + c * position.y;
    /* The large multiple of GRID_UNITS makes the dividend positive. */
    return (uint32_t)((uint64_t)(rise + ((int64_t)GRID_UNITS << 40)) / GRID_UNITS);
}

/* Depth of the plane at all positions: 24.8 bits wrap around like z. */
static void
evaluate(const struct depth_plane *plane, const struct positions *positions,
         uint32_t z[CODEC_WORDS])
{
    const uint32_t b = (uint32_t)plane->b, c = (uint32_t)plane->c;
    uint32_t outer[8], inner[8];
    for (uint32_t k = 0; k < 8; k++) {
        outer[k] = plane->a + b * positions->outer_x[k] + c * positions->outer_y[k];
        inner[k] = b * positions->inner_x[k] + c * positions->inner_y[k] +
                   rise_within(plane->b, plane->c, positions->sample[k]);
    }
    for (uint32_t i = 0; i < 8; i++)
        for (uint32_t k = 0; k < 8; k++)
            z[8 * i + k] = (outer[i] + inner[k]) >> FRACTION;
}

static bool
is_slope(int64_t slope)
{
    return slope >= -(1 << (SLOPE_BITS - 1)) && slope < 1 << (SLOPE_BITS - 1);
}

/* Slope per pixel from an element in the direction (dx, dy), measured as far as the steps agree. */
static int64_t
find_slope(const struct depth_block *depth, const struct grid *grid, uint64_t left, uint32_t from,
           int32_t dx, int32_t dy)
{
    const uint32_t sample = from % grid->samples;
    const int64_t z = depth->z[from];
    int64_t slope = 0;
    int32_t x = (int32_t)grid_x(grid, from), y = (int32_t)grid_y(grid, from);
    for (int32_t d = 1;; d++) {
        x += dx;
        y += dy;
        if (x < 0 || y < 0 || x >= (int32_t)grid->width || y >= (int32_t)grid->height)
            break;
        const uint32_t at = grid_at(grid, (uint32_t)x, (uint32_t)y, sample);
        const int64_t rise = (depth->z[at] - z) * (1 << FRACTION);
        const int64_t off = rise - slope * d;
        if (!(left >> at & 1) || (d > 1 && (off > 2 << FRACTION || off < -(2 << FRACTION))))
            break;
        slope = rise / d;
    }
    return slope * (dx + dy);
}

static uint64_t
covered_by(const struct depth_plane *plane, const struct depth_block *depth,
           const struct positions *positions, uint64_t left)
{
    uint32_t z[CODEC_WORDS];
    uint8_t same[CODEC_WORDS];
    uint64_t covered = 0;
    evaluate(plane, positions, z);
    for (uint32_t i = 0; i < CODEC_WORDS; i++)
        same[i] = z[i] == depth->z[i];
    for (uint32_t i = 0; i < CODEC_WORDS; i += 8) {
        uint64_t eight = 0; /* bytes of 0 or 1; the product collects them in its highest byte */
        for (uint32_t k = 0; k < 8; k++)
            eight |= (uint64_t)same[i + k] << 8 * k;
        covered |= (eight * UINT64_C(0x0102040810204080) >> 56) << i;
    }
    return covered & left;
}

/* The plane with these slopes through the depth of the element plus a fraction. The fraction is
 * `quarters` / 4 + 1/8. */
static struct depth_plane
plane_through(const struct depth_block *depth, const struct positions *positions, uint32_t element,
              int64_t b, int64_t c, uint32_t quarters)
{
    const uint32_t i = element / 8, k = element % 8;
    const uint32_t rise = (uint32_t)b * (positions->outer_x[i] + positions->inner_x[k]) +
                          (uint32_t)c * (positions->outer_y[i] + positions->inner_y[k]) +
                          rise_within(b, c, positions->sample[k]);
    const uint32_t at_element = (depth->z[element] << FRACTION) + quarters * 64 + 32;
    return (struct depth_plane){at_element - rise, (int32_t)b, (int32_t)c};
}

struct search {
    const struct depth_block *depth;
    struct positions positions;
    struct depth_plane best;
    uint64_t most, left;
};

static void
try_plane(struct search *search, const struct depth_plane *plane)
{
    const uint64_t covered = covered_by(plane, search->depth, &search->positions, search->left);
    if (__builtin_popcountll(covered) > __builtin_popcountll(search->most)) {
        search->most = covered;
        search->best = *plane;
    }
}

/* Finds the plane through the first uncovered element that covers most elements: first a constant
 * depth, then four pairs of slopes, then other fractions. */
static void
find_plane(struct search *search, const struct grid *grid)
{
    const uint32_t from = (uint32_t)__builtin_ctzll(search->left);
    const struct depth_block *depth = search->depth;
    const struct depth_plane level = {depth->z[from] << FRACTION, 0, 0};
    int64_t b[2] = {0}, c[2] = {0};
    search->most = 0;
    try_plane(search, &level);
    for (uint32_t i = 0; i < 4 && search->most != search->left; i++) {
        const uint32_t left_right = i & 1, up_down = i >> 1;
        if (i < 2)
            b[i] = find_slope(depth, grid, search->left, from, i ? -1 : 1, 0);
        if (!left_right)
            c[up_down] = find_slope(depth, grid, search->left, from, 0, up_down ? -1 : 1);
        if (!is_slope(b[left_right]) || !is_slope(c[up_down]))
            continue;
        const struct depth_plane plane =
            plane_through(depth, &search->positions, from, b[left_right], c[up_down], 2);
        try_plane(search, &plane);
    }
    const struct depth_plane found = search->best;
    for (uint32_t quarters = 0; quarters < 4 && search->most != search->left; quarters++) {
        const struct depth_plane plane =
            plane_through(depth, &search->positions, from, found.b, found.c, quarters);
        try_plane(search, &plane);
    }
}

/* Returns the number of planes that cover the block, or limit + 1 if there are more. Stores the
 * plane of each element. */
static uint32_t
find_planes(const struct depth_block *depth, const struct grid *grid, uint32_t limit,
            struct depth_plane planes[MAX_PLANES], uint8_t plane_of[CODEC_WORDS])
{
    struct search search = {.depth = depth, .left = UINT64_MAX};
    uint32_t count = 0;
    find_positions(grid, &search.positions);
    for (; search.left; count++) {
        if (count == limit)
            return limit + 1;
        find_plane(&search, grid);
        planes[count] = search.best;
        for (uint64_t most = search.most; most; most &= most - 1)
            plane_of[__builtin_ctzll(most)] = (uint8_t)count;
        search.left &= ~search.most;
    }
    return count;
}

static int32_t
depth_plane_choose(const uint32_t *block, struct codec_shape shape)
{
    const struct codec_levels *levels = &codec_depth_plane.levels[shape.bus];
    const struct grid grid = grid_of(shape);
    struct depth_block depth;
    struct depth_plane planes[MAX_PLANES];
    uint8_t plane_of[CODEC_WORDS];
    if (!depth_open(block, &depth))
        return CODEC_RAW;
    const uint32_t limit = planes_in(&depth, levels->bytes[levels->count - 1]);
    const uint32_t count = find_planes(&depth, &grid, limit, planes, plane_of);
    for (int32_t level = 0; level < (int32_t)levels->count; level++)
        if (count <= planes_in(&depth, levels->bytes[level]))
            return level;
    return CODEC_RAW;
}

static void
depth_plane_compress(const uint32_t *block, struct codec_shape shape, int32_t level, uint8_t *out)
{
    const struct grid grid = grid_of(shape);
    const uint32_t bytes = codec_depth_plane.levels[shape.bus].bytes[level];
    struct bit_writer writer = bits_begin(out, bytes);
    struct depth_block depth;
    struct depth_plane planes[MAX_PLANES] = {{0}};
    uint8_t plane_of[CODEC_WORDS];
    depth_open(block, &depth);
    depth_put_stencil(&writer, &depth);
    const uint32_t count = planes_in(&depth, bytes), slope_mask = (1u << SLOPE_BITS) - 1;
    find_planes(&depth, &grid, count, planes, plane_of);
    for (uint32_t i = 0; i < count; i++) {
        bits_put(&writer, planes[i].a, OFFSET_BITS);
        bits_put(&writer, (uint32_t)planes[i].b & slope_mask, SLOPE_BITS);
        bits_put(&writer, (uint32_t)planes[i].c & slope_mask, SLOPE_BITS);
    }
    for (uint32_t i = 0; i < CODEC_WORDS; i++)
        bits_put(&writer, plane_of[i], index_bits(count));
    bits_end(&writer);
}

static int32_t
get_slope(struct bit_reader *reader)
{
    const uint32_t value = bits_get(reader, SLOPE_BITS);
    return value >> (SLOPE_BITS - 1) ? (int32_t)value - (1 << SLOPE_BITS) : (int32_t)value;
}

static void
depth_plane_decompress(const uint8_t *in, struct codec_shape shape, int32_t level, uint32_t *block)
{
    const struct grid grid = grid_of(shape);
    const uint32_t bytes = codec_depth_plane.levels[shape.bus].bytes[level];
    struct bit_reader reader = bits_open(in, bytes);
    struct depth_block depth;
    struct depth_plane planes[MAX_PLANES] = {{0}};
    struct positions positions;
    find_positions(&grid, &positions);
    depth_get_stencil(&reader, &depth);
    const uint32_t count = planes_in(&depth, bytes);
    for (uint32_t i = 0; i < count; i++) {
        planes[i].a = bits_get(&reader, OFFSET_BITS);
        planes[i].b = get_slope(&reader);
        planes[i].c = get_slope(&reader);
    }
    uint32_t z[MAX_PLANES][CODEC_WORDS];
    /* A damaged block may use the index of a plane that is not stored: such planes are 0. */
    for (uint32_t p = 0; p < (count ? 1u << index_bits(count) : 1); p++)
        evaluate(&planes[p], &positions, z[p]);
    for (uint32_t i = 0; i < CODEC_WORDS; i++) {
        const uint32_t index = count ? bits_get(&reader, index_bits(count)) : 0;
        depth.z[i] = z[index][i];
    }
    depth_close(&depth, block);
}

const struct codec codec_depth_plane = {
    CODEC_IS(depth_plane),
    .doc = "planes alone, each element on one of them",
    .stages = {{"products of slopes and coordinates", 2, false},
               {"comparison with each plane", 1, false},
               {"selection of the plane", 1, false},
               {"number of planes", 3, false},
               {"choice of the level", 1, false},
               {"packing", 1, false}},
    .levels = {{2, {64, 128}}, {4, {32, 64, 96, 128}}},
    .choose = depth_plane_choose,
    .compress = depth_plane_compress,
    .decompress = depth_plane_decompress,
};
