/* Antialiased points, lines and polygons (OpenGL 2.1 specification, 3.3 to 3.5): the coverage of a
 * pixel scales the alpha of its fragment.
 *
 * The coverage of a point depends on the distance from the edge of the disc. The coverage of a line
 * is the product of two overlaps of a pixel-wide interval: with the line's length and with its
 * width. It is exact for horizontal and vertical lines. The coverage of a polygon is the fraction
 * of 4x4 samples inside, computed exactly and with the top-left rule. The coverages of polygons
 * with a common edge therefore add up to one. */
#include "gfx/setup.h"
#include "base/morton.h"

#include <math.h>

bool
smooth_point(struct triangle *out, const struct draw *draw, const struct setup_vertex *v,
             float size)
{
    const float reach = size * 0.5f + 0.5f;
    const int32_t x0 = setup_snap(v->x - reach), x1 = setup_snap(v->x + reach);
    const int32_t y0 = setup_snap(v->y - reach), y1 = setup_snap(v->y + reach);
    const int32_t x[4] = {x0, x1, x1, x0}, y[4] = {y0, y0, y1, y1};

    out->smooth =
        (struct smooth){.shape = SMOOTH_POINT, .x = v->x, .y = v->y, .half_width = size * 0.5f};
    return setup_shape(out, draw, 4, x, y);
}

bool
smooth_line(struct triangle *out, const struct draw *draw, const struct setup_vertex *v1,
            const struct setup_vertex *v2)
{
    enum { MAX_WIDTH = 255 };
    const float dx = v2->x - v1->x, dy = v2->y - v1->y, length = sqrtf(dx * dx + dy * dy);
    const float width = draw->rasterizer.line_width;
    struct smooth *smooth = &out->smooth;
    int32_t x[4], y[4];

    if (!(length > 0.0f) || !isfinite(length))
        return false;
    *smooth = (struct smooth){.shape = SMOOTH_LINE,
                              .x = (v1->x + v2->x) * 0.5f,
                              .y = (v1->y + v2->y) * 0.5f,
                              .along_x = dx / length,
                              .along_y = dy / length,
                              .half_length = length * 0.5f};
    smooth->half_width = !(width > 0.0f)     ? 0.5f
                         : width > MAX_WIDTH ? MAX_WIDTH * 0.5f
                                             : width * 0.5f;
    for (uint32_t i = 0; i < 4; i++) {
        const float along = (smooth->half_length + 0.5f) * (i == 1 || i == 2 ? 1.0f : -1.0f);
        const float across = (smooth->half_width + 0.5f) * (i < 2 ? -1.0f : 1.0f);
        x[i] = setup_snap(smooth->x + along * smooth->along_x - across * smooth->along_y);
        y[i] = setup_snap(smooth->y + along * smooth->along_y + across * smooth->along_x);
    }
    return setup_shape(out, draw, 4, x, y);
}

int64_t
smooth_gain(const struct edge *edge)
{
    const int64_t most = (edge->a < 0 ? -edge->a : edge->a) + (edge->b < 0 ? -edge->b : edge->b);
    return most / 256 * SMOOTH_REACH;
}

static float
point_coverage(const struct smooth *point, float x, float y)
{
    const float dx = x - point->x, dy = y - point->y;
    const float inside = point->half_width + 0.5f - sqrtf(dx * dx + dy * dy);
    return inside < 0.0f ? 0.0f : inside > 1.0f ? 1.0f : inside;
}

/* Returns the overlap of the unit interval around `at` with [-half, half]. */
static float
overlap(float at, float half)
{
    const float low = at - 0.5f > -half ? at - 0.5f : -half;
    const float high = at + 0.5f < half ? at + 0.5f : half;
    return high > low ? high - low : 0.0f;
}

static float
line_coverage(const struct smooth *line, float x, float y)
{
    const float dx = x - line->x, dy = y - line->y;
    const float along = dx * line->along_x + dy * line->along_y;
    const float across = dy * line->along_x - dx * line->along_y;
    return overlap(along, line->half_length) * overlap(across, line->half_width);
}

/* Reverses the move of the edges. Setup has moved them outward to reach every pixel with a sample
 * inside. */
static float
polygon_coverage(const struct triangle *triangle, int32_t x, int32_t y)
{
    uint32_t inside = 0;
    for (int32_t sample = 0; sample < 16; sample++) {
        const int64_t dx = (sample & 3) * 64 - SMOOTH_REACH, dy = (sample >> 2) * 64 - SMOOTH_REACH;
        bool in = true;
        for (uint32_t i = 0; i < triangle->edge_count; i++) {
            const struct edge *edge = &triangle->edges[i];
            const int64_t c = edge->c - smooth_gain(edge);
            in = in && edge->a * x + edge->b * y + c + edge->a / 256 * dx + edge->b / 256 * dy >= 0;
        }
        inside += in;
    }
    return (float)inside / 16.0f;
}

static float
coverage_at(const struct triangle *triangle, int32_t x, int32_t y)
{
    const float centre_x = (float)x + 0.5f, centre_y = (float)y + 0.5f;
    switch (triangle->smooth.shape) {
    case SMOOTH_POINT: return point_coverage(&triangle->smooth, centre_x, centre_y);
    case SMOOTH_LINE: return line_coverage(&triangle->smooth, centre_x, centre_y);
    case SMOOTH_POLYGON: return polygon_coverage(triangle, x, y);
    case SMOOTH_NONE: break;
    }
    return 1.0f;
}

uint64_t
smooth_tile(const struct triangle *triangle, int32_t x, int32_t y, uint64_t mask)
{
    for (uint64_t rest = mask; rest; rest &= rest - 1) {
        const uint32_t i = (uint32_t)__builtin_ctzll(rest);
        const int32_t px = x + (int32_t)morton8_x(i);
        const int32_t py = y + (int32_t)morton8_y(i);
        if (!(coverage_at(triangle, px, py) > 0.0f))
            mask &= ~(UINT64_C(1) << i);
    }
    return mask;
}

void
smooth_quad(const struct triangle *triangle, uint32_t x, uint32_t y, float coverage[4])
{
    for (uint32_t i = 0; i < 4; i++)
        coverage[i] = coverage_at(triangle, (int32_t)(x + (i & 1)), (int32_t)(y + (i >> 1)));
}
