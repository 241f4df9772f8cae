/* Setup of lines and points (docs/design/rasterizer.md, Fill rules; OpenGL 2.1 specification, 3.3
 * and 3.4).
 *
 * A line without antialiasing is a parallelogram. Its width along the minor axis is the rounded
 * line width. Its ends are parallel to the minor axis, so its pixels form columns (or rows). An end
 * moves to the border of its pixel if the diamond-exit rule contradicts the test of the pixel
 * center. Values change only along the major axis. A point is a square regardless of sprite state,
 * as in the core profile of the reference renderer.
 *
 * A multisampled line is a rectangle around the line, and values change along the line. The pixels
 * of a stippled line are numbered along its major axis. smooth.c sets up antialiased shapes. */
#include "gfx/setup.h"

#include <math.h>

static bool
not_negative(float value)
{
    return value >= 0.0f;
}

static float
fraction(float value)
{
    return value - floorf(value);
}

/* One end of a line, along the major axis (m) and the minor axis (n), relative to pixel centers. */
struct line_end {
    float m, n;
    float n_fraction;
};

/* Parameters of the diamond-exit rule: the direction from the end of the line to its start, and the
 * sign of the axes. */
struct line_rule {
    float dm, dn, slope;
    float sign; /* 1: the major axis is x, -1: y */
};

static bool
in_diamond(const struct line_end *end)
{
    return fabsf(end->m) + fabsf(end->n) < 0.5f;
}

static bool
crosses_centre(const struct line_rule *rule, const struct line_end *end, bool zero_counts)
{
    const float at = end->n_fraction + end->m * rule->slope;
    return at < 1.0f && (at > 0.0f || (zero_counts && at == 0.0f));
}

/* Returns whether the diamond-exit rule and the center test disagree for the pixel of the start. */
static bool
start_moves(const struct line_rule *rule, const struct line_end *start)
{
    const float m = start->m * rule->sign, n = start->n * rule->sign;
    const float dm = rule->dm * rule->sign, dn = rule->dn * rule->sign;
    const bool by_centre = rule->dm < 0.0f ? start->m <= 0.0f : start->m > 0.0f;
    bool drawn;
    if (in_diamond(start))
        drawn = true;
    else if (not_negative(m) == not_negative(-dm))
        drawn = false;
    else
        drawn = not_negative(-n) != not_negative(dn) || crosses_centre(rule, start, false);
    return drawn != by_centre;
}

/* Returns whether the diamond-exit rule and the center test disagree for the pixel of the end. */
static bool
end_moves(const struct line_rule *rule, const struct line_end *end)
{
    const float m = end->m * rule->sign, n = end->n * rule->sign;
    const float dm = rule->dm * rule->sign, dn = rule->dn * rule->sign;
    const bool by_centre = rule->dm < 0.0f ? end->m > 0.0f : end->m <= 0.0f;
    bool drawn;
    if (in_diamond(end) || not_negative(m) != not_negative(-dm))
        drawn = false;
    else
        drawn =
            not_negative(-n) == not_negative(dn) || crosses_centre(rule, end, rule->sign < 0.0f);
    return drawn != by_centre;
}

static struct line_end
line_end_of(float m, float n)
{
    return (struct line_end){.m = fraction(m) - 0.5f, .n = fraction(n) - 0.5f, fraction(n)};
}

/* Computes the corners of the parallelogram in (major, minor) coordinates, and snaps them. */
static void
line_corners(const struct draw *draw, bool x_major, const float m[2], const float n[2],
             int32_t major[4], int32_t minor[4])
{
    const struct line_rule rule = {.dm = m[0] - m[1],
                                   .dn = n[0] - n[1],
                                   .slope = (n[0] - n[1]) / (m[0] - m[1]),
                                   .sign = x_major ? 1.0f : -1.0f};
    const struct line_end start = line_end_of(m[0], n[0]);
    struct line_end end = line_end_of(m[1], n[1]);
    if (end.n == -0.5f && rule.dn < 0.0f)
        end.n = 0.5f;

    const float side = rule.dm < 0.0f ? -0.5f : 0.5f; /* pixel border on the side of the start */
    float shift[2] = {0.0f, 0.0f};
    if (start_moves(&rule, &start))
        shift[0] = side - start.m;
    if (end_moves(&rule, &end))
        shift[1] = side - end.m;

    const float width = draw->rasterizer.line_width;
    const int32_t half = !(width > 1.0f)          ? 128
                         : width > MAX_LINE_WIDTH ? MAX_LINE_WIDTH * 128
                                                  : (int32_t)floorf(width + 0.5f) * 128;
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t e = i == 1 || i == 2;
        major[i] = setup_snap(m[e] + shift[e]);
        minor[i] = setup_snap(n[e] + shift[e] * rule.slope) + (i < 2 ? -half : half);
    }
}

/* Computes the corners of the rectangle around a multisampled line, in order around it. */
static void
rectangle_corners(const struct draw *draw, const struct setup_vertex *v1,
                  const struct setup_vertex *v2, int32_t x[4], int32_t y[4])
{
    const float dx = v1->x - v2->x, dy = v1->y - v2->y;
    const float width = draw->rasterizer.line_width;
    const float half = 0.5f * (width > MAX_LINE_WIDTH ? MAX_LINE_WIDTH : width);
    const float scale = half / sqrtf(dx * dx + dy * dy);
    const int32_t across_x = (int32_t)lrintf(-dy * scale * 256.0f);
    const int32_t across_y = (int32_t)lrintf(dx * scale * 256.0f);
    for (uint32_t i = 0; i < 4; i++) {
        const struct setup_vertex *end = i == 1 || i == 2 ? v2 : v1;
        x[i] = end->fx + (i < 2 ? -across_x : across_x);
        y[i] = end->fy + (i < 2 ? -across_y : across_y);
    }
}

/* Direction in which values change over a line, from its start to its end. */
struct line_slope {
    float dx, dy;
    /* Values change along the line itself (multisampled and antialiased lines), not along its major
     * axis. */
    bool along;
};

static struct plane
line_plane(const struct line_slope *slope, float at_start, float at_end)
{
    const float dx = slope->dx, dy = slope->dy, change = at_end - at_start;
    if (slope->along) {
        const float squared = dx * dx + dy * dy;
        return (struct plane){change * dx / squared, change * dy / squared, at_start};
    }
    const bool x_major = fabsf(dx) >= fabsf(dy);
    return (struct plane){
        .a = x_major ? change / dx : 0.0f, .b = x_major ? 0.0f : change / dy, .c = at_start};
}

static void
line_varyings(struct triangle *out, const struct draw *draw, const struct line_slope *slope,
              const struct setup_vertex *v1, const struct setup_vertex *v2,
              const struct vertex *provoking)
{
    for (uint32_t i = 0; i < draw->varying_count; i++) {
        const float *flat = setup_varying(draw, i, out->front, provoking);
        const float *from = setup_varying(draw, i, out->front, v1->v);
        const float *to = setup_varying(draw, i, out->front, v2->v);
        const uint8_t interpolation = draw->varyings[i].interpolation;
        const bool perspective = interpolation != INTERPOLATE_LINEAR;
        for (uint32_t c = 0; c < 4; c++) {
            struct plane *plane = &out->varyings[i][c];
            if (!flat || interpolation == INTERPOLATE_CONSTANT)
                *plane = (struct plane){.c = flat ? flat[c] : c == 3 ? 1.0f : 0.0f};
            else
                *plane = line_plane(slope, from[c] * (perspective ? v1->inv_w : 1.0f),
                                    to[c] * (perspective ? v2->inv_w : 1.0f));
        }
    }
}

/* Numbers the pixels of the line for the stipple, including invisible pixels. */
static void
line_dashes(struct triangle *out, const struct draw *draw, bool x_major, float length,
            const int32_t major[4], struct setup_state *state)
{
    const int32_t from = setup_pixel(major[0] < major[1] ? major[0] : major[1]);
    const int32_t to = setup_pixel(major[0] < major[1] ? major[1] : major[0]);
    if (!draw->rasterizer.line_stipple)
        return;
    out->dashes = (struct line_dashes){.on = true,
                                       .x_major = x_major,
                                       .first = length > 0.0f ? from : to - 1,
                                       .step = length > 0.0f ? 1 : -1,
                                       .count = state->dash};
    state->dash += (uint32_t)(to - from);
}

static bool
line_shape(struct triangle *out, const struct draw *draw, bool x_major, float length,
           const struct setup_vertex *v1, const struct setup_vertex *v2, struct setup_state *state)
{
    const float x[2] = {v1->x, v2->x}, y[2] = {v1->y, v2->y};
    int32_t major[4], minor[4];
    line_corners(draw, x_major, x_major ? x : y, x_major ? y : x, major, minor);
    line_dashes(out, draw, x_major, length, major, state);
    if (draw->multisample)
        rectangle_corners(draw, v1, v2, x_major ? major : minor, x_major ? minor : major);
    else if (draw->rasterizer.line_smooth)
        return smooth_line(out, draw, v1, v2);
    return setup_shape(out, draw, 4, x_major ? major : minor, x_major ? minor : major);
}

uint32_t
setup_line(const struct draw *draw, const struct setup_vertex *v1, const struct setup_vertex *v2,
           const struct vertex *provoking, bool front, struct setup_state *state,
           struct triangle *out)
{
    const float dx = v1->x - v2->x, dy = v1->y - v2->y;
    const bool x_major = fabsf(dx) >= fabsf(dy);
    const float length = x_major ? -dx : -dy;
    const struct line_slope slope = {-dx, -dy, draw->multisample || draw->rasterizer.line_smooth};

    if (length == 0.0f || (draw->multisample && v1->fx == v2->fx && v1->fy == v2->fy))
        return 0;
    setup_begin(out, draw, v1->x, v1->y);
    out->front = front;
    out->is_line = true;
    if (!line_shape(out, draw, x_major, length, v1, v2, state))
        return 0;
    out->z = line_plane(&slope, v1->z, v2->z);
    out->inv_w = line_plane(&slope, v1->inv_w, v2->inv_w);
    setup_depth_range(out, draw, fminf(v1->z, v2->z), fmaxf(v1->z, v2->z));
    line_varyings(out, draw, &slope, v1, v2, provoking);
    return 1;
}

static float
point_size(const struct draw *draw, const struct vertex *v)
{
    const struct rasterizer_state *state = &draw->rasterizer;
    const bool from_shader = state->point_size_per_vertex && draw->psize_slot >= 0;
    const float size = from_shader ? v->out[draw->psize_slot][0] : state->point_size;
    return !(size > 1.0f) ? 1.0f : size > MAX_POINT_SIZE ? MAX_POINT_SIZE : size;
}

/* Sprite coordinates range from 0 to 1 across the square; t increases downward or upward. */
static void
point_sprite(struct triangle *out, const struct draw *draw, int32_t size)
{
    const float gradient = 256.0f / (float)size;
    out->sprite[0] = (struct plane){.a = gradient, .c = 0.5f};
    out->sprite[1] = (struct plane){
        .b = draw->rasterizer.sprite_coord_upper_left ? gradient : -gradient, .c = 0.5f};
}

static bool
point_shape(struct triangle *out, const struct draw *draw, const struct setup_vertex *v)
{
    const float size_pixels = point_size(draw, v->v);
    const int32_t size = (int32_t)lrintf(size_pixels * 256.0f);
    const int32_t x0 = v->fx - size / 2, y0 = v->fy - size / 2;
    const int32_t x[4] = {x0, x0 + size, x0 + size, x0};
    const int32_t y[4] = {y0, y0, y0 + size, y0 + size};
    const struct rasterizer_state *r = &draw->rasterizer;

    if (r->point_smooth && !r->point_quad && !draw->multisample)
        return smooth_point(out, draw, v, size_pixels);
    point_sprite(out, draw, size);
    return setup_shape(out, draw, 4, x, y);
}

uint32_t
setup_point(const struct draw *draw, const struct setup_vertex *v, const struct vertex *provoking,
            bool front, struct triangle *out)
{
    setup_begin(out, draw, v->x, v->y);
    out->front = front;
    out->is_point = true;
    if (!point_shape(out, draw, v))
        return 0;
    out->z = (struct plane){.c = v->z};
    out->inv_w = (struct plane){.c = v->inv_w};
    setup_depth_range(out, draw, v->z, v->z);
    for (uint32_t i = 0; i < draw->varying_count; i++) {
        const uint8_t interpolation = draw->varyings[i].interpolation;
        const bool flat = interpolation == INTERPOLATE_CONSTANT;
        const float scale = flat || interpolation == INTERPOLATE_LINEAR ? 1.0f : v->inv_w;
        const float *from = setup_varying(draw, i, front, flat ? provoking : v->v);
        for (uint32_t c = 0; c < 4; c++)
            out->varyings[i][c] = (struct plane){.c = from     ? from[c] * scale
                                                      : c == 3 ? 1.0f
                                                               : 0.0f};
    }
    return 1;
}
