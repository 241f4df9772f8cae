/* depth_plane: planes only, no corrections (Hasselgren & Akenine-Moller 2006, plane encoding).
 *
 * Each element lies exactly on one of up to 8 planes: z = floor(a + b x + c y), x and y of the
 * sample in pixels from the centre of the block's first one; a has 24.8 bits, b and c 21.8 with
 * sign; z is taken modulo 2^24. Layout: stencil (codec/depth.h), the planes (a 32 bits, b and c 29
 * each), then for each element the number of its plane. Bits with P planes: 90 P + 64 log2(P),
 * rounded up, and the stencil's; a level has as many planes as fit: 4 in 64 bytes, 8 from 128 on.
 *
 * A chip gets the planes from its rasterizer; here they are found in the block: from the first
 * element that lies on none yet, along its row and its column, as far as the steps agree. What is
 * not found, or was not rounded like a plane of this precision, does not fit. Latency 9, with
 * planes that are given: the products (two adders), the comparison with each plane in parallel, the
 * choice of the plane, the count (three), the choice of the level, the packing. */
#include "codec/depth.h"

enum {
    MAX_PLANES = 8,
    FRACTION = 8, /* bits */
    OFFSET_BITS = DEPTH_BITS + FRACTION,
    SLOPE_BITS = 21 + FRACTION,
    PLANE_BITS = OFFSET_BITS + 2 * SLOPE_BITS,
};

struct plane {
    uint32_t a;
    int32_t b, c;
};

static uint32_t
index_bits(uint32_t planes)
{
    return bits_of(planes - 1);
}

/* Planes that a level has; 0 when not even one fits. */
static uint32_t
planes_in(const struct depth_block *depth, uint32_t level_bytes)
{
    const uint32_t budget = depth_budget(depth, level_bytes);
    uint32_t planes = MAX_PLANES;
    while (planes && PLANE_BITS * planes + CODEC_WORDS * index_bits(planes) > budget)
        planes--;
    return planes;
}

/* Where the elements lie, in 1/16 pixel from the centre of the first pixel. */
struct places {
    int16_t x[CODEC_WORDS], y[CODEC_WORDS];
};

static void
find_places(const struct grid *grid, struct places *places)
{
    for (uint32_t i = 0; i < CODEC_WORDS; i++) {
        const struct grid_place place = grid_sample_place(grid, i % grid->samples);
        places->x[i] = (int16_t)((int32_t)grid_x(grid, i) * GRID_UNITS + place.x);
        places->y[i] = (int16_t)((int32_t)grid_y(grid, i) * GRID_UNITS + place.y);
    }
}

static uint32_t
evaluate(const struct plane *plane, int64_t x, int64_t y)
{
    const int64_t z = (int64_t)plane->a * GRID_UNITS + plane->b * x + plane->c * y;
    /* The large multiple of what is divided by makes it positive. */
    return (uint32_t)((uint64_t)(z + ((int64_t)GRID_UNITS << 40)) / GRID_UNITS >> FRACTION) &
           DEPTH_MASK;
}

static bool
is_slope(int64_t slope)
{
    return slope >= -(1 << (SLOPE_BITS - 1)) && slope < 1 << (SLOPE_BITS - 1);
}

/* Step a pixel from the element, in one direction (dx, dy), as far as the steps agree. */
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
covered_by(const struct plane *plane, const struct depth_block *depth, const struct places *places,
           uint64_t left)
{
    uint64_t covered = 0;
    for (uint32_t i = 0; i < CODEC_WORDS; i++)
        covered |= (uint64_t)(evaluate(plane, places->x[i], places->y[i]) == depth->z[i]) << i;
    return covered & left;
}

/* The plane of these slopes that has the element at z and a fraction, in quarters and a half. */
static struct plane
plane_through(const struct depth_block *depth, const struct places *places, uint32_t element,
              int64_t b, int64_t c, uint32_t quarters)
{
    const int64_t rise = b * places->x[element] + c * places->y[element];
    const uint64_t away = (uint64_t)(rise + ((int64_t)GRID_UNITS << 40)) / GRID_UNITS;
    const uint32_t at_element = (depth->z[element] << FRACTION) + quarters * 64 + 32;
    return (struct plane){at_element - (uint32_t)away, (int32_t)b, (int32_t)c};
}

struct search {
    const struct depth_block *depth;
    struct places places;
    struct plane best;
    uint64_t most, left;
};

static void
try_plane(struct search *search, const struct plane *plane)
{
    const uint64_t covered = covered_by(plane, search->depth, &search->places, search->left);
    if (__builtin_popcountll(covered) > __builtin_popcountll(search->most)) {
        search->most = covered;
        search->best = *plane;
    }
}

/* The plane through the first element left that covers most: level, or in four directions; then
 * with other fractions. */
static void
find_plane(struct search *search, const struct grid *grid)
{
    const uint32_t from = (uint32_t)__builtin_ctzll(search->left);
    const struct depth_block *depth = search->depth;
    const struct plane level = {depth->z[from] << FRACTION, 0, 0};
    search->most = 0;
    try_plane(search, &level);
    for (uint32_t i = 0; i < 4 && search->most != search->left; i++) {
        const int64_t b = find_slope(depth, grid, search->left, from, i & 1 ? -1 : 1, 0);
        const int64_t c = find_slope(depth, grid, search->left, from, 0, i & 2 ? -1 : 1);
        if (!is_slope(b) || !is_slope(c))
            continue;
        const struct plane plane = plane_through(depth, &search->places, from, b, c, 2);
        try_plane(search, &plane);
    }
    const struct plane found = search->best;
    for (uint32_t quarters = 0; quarters < 4 && search->most != search->left; quarters++) {
        const struct plane plane =
            plane_through(depth, &search->places, from, found.b, found.c, quarters);
        try_plane(search, &plane);
    }
}

/* How many planes cover the block; more than `limit`: too many. Which one each element lies on. */
static uint32_t
find_planes(const struct depth_block *depth, const struct grid *grid, uint32_t limit,
            struct plane planes[MAX_PLANES], uint8_t plane_of[CODEC_WORDS])
{
    struct search search = {.depth = depth, .left = UINT64_MAX};
    uint32_t count = 0;
    find_places(grid, &search.places);
    for (; search.left; count++) {
        if (count == limit)
            return limit + 1;
        find_plane(&search, grid);
        planes[count] = search.best;
        for (uint32_t i = 0; i < CODEC_WORDS; i++)
            if (search.most >> i & 1)
                plane_of[i] = (uint8_t)count;
        search.left &= ~search.most;
    }
    return count;
}

static int32_t
choose(const uint32_t *block, struct codec_shape shape)
{
    const struct codec_levels *levels = &codec_depth_plane.levels[shape.bus];
    const struct grid grid = grid_of(shape);
    struct depth_block depth;
    struct plane planes[MAX_PLANES];
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
compress(const uint32_t *block, struct codec_shape shape, int32_t level, uint8_t *out)
{
    const struct grid grid = grid_of(shape);
    const uint32_t bytes = codec_depth_plane.levels[shape.bus].bytes[level];
    struct bit_writer writer = bits_begin(out, bytes);
    struct depth_block depth;
    struct plane planes[MAX_PLANES] = {{0}};
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
decompress(const uint8_t *in, struct codec_shape shape, int32_t level, uint32_t *block)
{
    const struct grid grid = grid_of(shape);
    const uint32_t bytes = codec_depth_plane.levels[shape.bus].bytes[level];
    struct bit_reader reader = bits_open(in, bytes);
    struct depth_block depth;
    struct plane planes[MAX_PLANES] = {{0}};
    struct places places;
    find_places(&grid, &places);
    depth_get_stencil(&reader, &depth);
    const uint32_t count = planes_in(&depth, bytes);
    for (uint32_t i = 0; i < count; i++) {
        planes[i].a = bits_get(&reader, OFFSET_BITS);
        planes[i].b = get_slope(&reader);
        planes[i].c = get_slope(&reader);
    }
    for (uint32_t i = 0; i < CODEC_WORDS; i++) {
        const uint32_t index = count ? bits_get(&reader, index_bits(count)) : 0;
        depth.z[i] = evaluate(&planes[index], places.x[i], places.y[i]);
    }
    depth_close(&depth, block);
}

const struct codec codec_depth_plane = {
    .name = "depth-plane",
    .doc = "planes alone, each element on one of them",
    .applies = CODEC_DEPTH,
    .latency_cycles = 9,
    .levels = {{2, {64, 128}}, {4, {32, 64, 96, 128}}},
    .choose = choose,
    .compress = compress,
    .decompress = decompress,
};
