/* Coverage: which pixels of a tile are inside a triangle's edges, and whether a square contains any
 * (docs/design/rasterizer.md, Coverage of a tile). All arithmetic is exact in integers.
 *
 * The coefficients a and b of an edge are multiples of 256. Therefore the sign of an edge value at
 * a pixel is the sign of (value >> 8). Inside a tile that the edge crosses, this shifted value fits
 * 32 bits. Sample positions are multiples of 1/16 pixel from the pixel center. Their edge values
 * are also exact, and change from pixel to pixel by the same multiples of 256. */
#include "gfx/setup.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

typedef int32_t lanes4 __attribute__((vector_size(16)));

static int64_t
edge_at(const struct edge *edge, int32_t x, int32_t y)
{
    return edge->a * x + edge->b * y + edge->c;
}

/* Return the change of the edge value from the square's first pixel to the corner with the largest
 * (gain_most) or smallest value (gain_least). */
static int64_t
gain_most(const struct edge *edge, int32_t steps)
{
    return ((edge->a > 0 ? edge->a : 0) + (edge->b > 0 ? edge->b : 0)) * steps;
}

static int64_t
gain_least(const struct edge *edge, int32_t steps)
{
    return ((edge->a < 0 ? edge->a : 0) + (edge->b < 0 ? edge->b : 0)) * steps;
}

/* Returns an upper bound of the change of an edge value from a pixel's center to its samples: the
 * change to a corner of the pixel. */
static int64_t
sample_reach(const struct triangle *triangle, const struct edge *edge)
{
    if (!triangle->draw->multisample)
        return 0;
    return ((edge->a < 0 ? -edge->a : edge->a) + (edge->b < 0 ? -edge->b : edge->b)) / 2;
}

enum square_coverage
raster_square(const struct triangle *triangle, int32_t x, int32_t y, int32_t size)
{
    enum square_coverage coverage = SQUARE_INSIDE;
    for (uint32_t i = 0; i < triangle->edge_count; i++) {
        const struct edge *edge = &triangle->edges[i];
        const int64_t first = edge_at(edge, x, y), reach = sample_reach(triangle, edge);
        if (first + gain_most(edge, size - 1) + reach < 0)
            return SQUARE_OUTSIDE;
        if (first + gain_least(edge, size - 1) - reach < 0)
            coverage = SQUARE_PARTIAL;
    }
    return coverage;
}

bool
raster_rectangle_touches(const struct triangle *triangle, int32_t x, int32_t y, int32_t width,
                         int32_t height)
{
    for (uint32_t i = 0; i < triangle->edge_count; i++) {
        const struct edge *edge = &triangle->edges[i];
        const int64_t most = edge_at(edge, x, y) + (edge->a > 0 ? edge->a * (width - 1) : 0) +
                             (edge->b > 0 ? edge->b * (height - 1) : 0);
        if (most + sample_reach(triangle, edge) < 0)
            return false;
    }
    return true;
}

bool
raster_box_touches(const struct triangle *triangle, int32_t x, int32_t y, int32_t size)
{
    return triangle->min_x < x + size && triangle->max_x >= x && triangle->min_y < y + size &&
           triangle->max_y >= y;
}

bool
raster_box_contains(const struct triangle *triangle, int32_t x, int32_t y, int32_t size)
{
    return triangle->min_x <= x && triangle->max_x >= x + size - 1 && triangle->min_y <= y &&
           triangle->max_y >= y + size - 1;
}

/* Returns the pixels whose coordinate in the tile is at least k, from the masks of the coordinate's
 * bits. */
static uint64_t
at_least(int32_t k, uint64_t bit0, uint64_t bit1, uint64_t bit2)
{
    switch (k) {
    case 1: return bit0 | bit1 | bit2;
    case 2: return bit1 | bit2;
    case 3: return (bit0 & bit1) | bit2;
    case 4: return bit2;
    case 5: return (bit0 | bit1) & bit2;
    case 6: return bit1 & bit2;
    case 7: return bit0 & bit1 & bit2;
    }
    return k <= 0 ? ~UINT64_C(0) : 0;
}

static uint64_t
columns_from(int32_t k)
{
    return at_least(k, UINT64_C(0xaaaaaaaaaaaaaaaa), UINT64_C(0xf0f0f0f0f0f0f0f0),
                    UINT64_C(0xffff0000ffff0000));
}

static uint64_t
rows_from(int32_t k)
{
    return at_least(k, UINT64_C(0xcccccccccccccccc), UINT64_C(0xff00ff00ff00ff00),
                    UINT64_C(0xffffffff00000000));
}

static uint64_t
box_mask(const struct triangle *triangle, int32_t x, int32_t y)
{
    return columns_from(triangle->min_x - x) & ~columns_from(triangle->max_x - x + 1) &
           rows_from(triangle->min_y - y) & ~rows_from(triangle->max_y - y + 1);
}

static uint64_t
negative_lanes(lanes4 value)
{
#ifdef __SSE2__
    return (uint64_t)(uint32_t)_mm_movemask_ps((__m128)value);
#else
    uint64_t mask = 0;
    for (uint32_t i = 0; i < 4; i++)
        mask |= (uint64_t)(value[i] < 0) << i;
    return mask;
#endif
}

/* Returns the pixels of the tile that are outside at least one of `count` edges. `first` are the
 * edge values at the first pixel, in 1/256. */
static uint64_t
outside_edges(uint32_t count, const int32_t first[], const int32_t a[], const int32_t b[])
{
    lanes4 quad[MAX_EDGES];
    uint64_t outside = 0;

    for (uint32_t i = 0; i < count; i++)
        quad[i] = (lanes4){first[i], first[i] + a[i], first[i] + b[i], first[i] + a[i] + b[i]};
    for (uint32_t q = 0; q < 16; q++) {
        const int32_t qx = (int32_t)((q & 1) | (q >> 1 & 2)) * 2;
        const int32_t qy = (int32_t)((q >> 1 & 1) | (q >> 2 & 2)) * 2;
        lanes4 any = {0, 0, 0, 0};
        for (uint32_t i = 0; i < count; i++)
            any |= quad[i] + (a[i] * qx + b[i] * qy);
        outside |= negative_lanes(any) << (4 * q);
    }
    return outside;
}

static uint64_t
stipple_mask(const struct draw *draw, int32_t x, int32_t y)
{
    uint64_t mask = 0;
    for (uint32_t i = 0; i < 64; i++) {
        const uint32_t px = (uint32_t)x + ((i & 1) | (i >> 1 & 2) | (i >> 2 & 4));
        const uint32_t py = (uint32_t)y + ((i >> 1 & 1) | (i >> 2 & 2) | (i >> 3 & 4));
        mask |= (uint64_t)(draw->stipple[py & 31] >> (31 - (px & 31)) & 1) << i;
    }
    return mask;
}

/* OpenGL 2.1, 3.4.2: a pixel is drawn if bit (count / factor) mod 16 of the pattern is set. */
static uint64_t
dashes_mask(const struct triangle *triangle, int32_t x, int32_t y)
{
    const struct line_dashes *dashes = &triangle->dashes;
    const struct rasterizer_state *state = &triangle->draw->rasterizer;
    uint64_t drawn = 0;
    for (uint32_t i = 0; i < 8; i++) {
        const int32_t along = (dashes->x_major ? x : y) + (int32_t)i - dashes->first;
        const uint32_t number = dashes->count + (uint32_t)(along * dashes->step);
        if (state->line_stipple_pattern >> (number / state->line_stipple_factor & 15) & 1)
            drawn |= dashes->x_major ? columns_from((int32_t)i) & ~columns_from((int32_t)i + 1)
                                     : rows_from((int32_t)i) & ~rows_from((int32_t)i + 1);
    }
    return drawn;
}

/* Returns the pixels of the tile that are inside all edges, tested at an offset of (from_x,
 * from_y), in 1/16 pixel, from each center. */
static inline __attribute__((always_inline)) uint64_t
inside_edges(const struct triangle *triangle, int32_t x, int32_t y, int32_t from_x, int32_t from_y)
{
    int32_t first[MAX_EDGES], a[MAX_EDGES], b[MAX_EDGES];
    uint32_t crossing = 0;

    for (uint32_t i = 0; i < triangle->edge_count; i++) {
        const struct edge *edge = &triangle->edges[i];
        const int64_t at =
            edge_at(edge, x, y) + edge->a / SAMPLE_UNITS * from_x + edge->b / SAMPLE_UNITS * from_y;
        if (at + gain_most(edge, 7) < 0)
            return 0;
        if (at + gain_least(edge, 7) >= 0)
            continue;
        first[crossing] = (int32_t)(at >> 8);
        a[crossing] = (int32_t)(edge->a / 256);
        b[crossing++] = (int32_t)(edge->b / 256);
    }
    return crossing ? ~outside_edges(crossing, first, a, b) : ~UINT64_C(0);
}

static uint64_t
box_and_stipple(const struct triangle *triangle, int32_t x, int32_t y)
{
    uint64_t mask = box_mask(triangle, x, y);
    if (triangle->draw->rasterizer.poly_stipple && !triangle->is_line && !triangle->is_point)
        mask &= stipple_mask(triangle->draw, x, y);
    if (triangle->dashes.on)
        mask &= dashes_mask(triangle, x, y);
    return mask;
}

uint64_t
raster_tile(const struct triangle *triangle, int32_t x, int32_t y)
{
    if (!raster_box_touches(triangle, x, y, 8))
        return 0;
    const uint64_t inside = inside_edges(triangle, x, y, 0, 0);
    const uint64_t mask = inside ? inside & box_and_stipple(triangle, x, y) : 0;
    return triangle->smooth.shape == SMOOTH_NONE ? mask : smooth_tile(triangle, x, y, mask);
}

uint64_t
raster_tile_samples(const struct triangle *triangle, int32_t x, int32_t y,
                    uint64_t masks[MAX_SAMPLES])
{
    const struct draw *draw = triangle->draw;
    if (!draw->multisample) {
        const uint64_t mask = raster_tile(triangle, x, y);
        for (uint32_t s = 0; s < draw->samples; s++)
            masks[s] = mask;
        return mask;
    }
    if (!raster_box_touches(triangle, x, y, 8) ||
        raster_square(triangle, x, y, 8) == SQUARE_OUTSIDE)
        return 0;
    const struct sample_position *at = sample_positions(draw->samples);
    const uint64_t inside_box = box_and_stipple(triangle, x, y);
    uint64_t any = 0;
    for (uint32_t s = 0; s < draw->samples; s++) {
        const bool written = draw->sample_mask >> s & 1;
        masks[s] = written ? inside_edges(triangle, x, y, at[s].x, at[s].y) & inside_box : 0;
        any |= masks[s];
    }
    return any;
}
