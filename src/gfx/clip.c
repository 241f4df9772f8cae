/* The clipper (docs/design/rasterizer.md, Clipping). Rejects primitives that are completely outside
 * the frustum or a user plane. Clips primitives geometrically (Sutherland and Hodgman, in
 * homogeneous coordinates) if setup cannot process them unclipped.
 *
 * Filled triangles are clipped in x and y at the guard band, not at the frustum. The bounding box
 * removes their pixels outside the viewport (setup.c). Lines, and triangles whose edges or corners
 * are drawn, are clipped at the frustum. Points are kept or rejected by their center. A plane clips
 * only primitives that are on both of its sides. A new vertex is always interpolated from the inner
 * vertex to the outer one. Two triangles with a shared edge therefore get the same new vertex. */
#include "gfx/clip.h"

#include <math.h>
#include <string.h>

enum clip_plane {
    PLANE_LEFT,
    PLANE_RIGHT,
    PLANE_TOP,
    PLANE_BOTTOM,
    PLANE_NEAR,
    PLANE_FAR,
    PLANE_USER
};

static uint32_t
position_slot(const struct draw *draw)
{
    return draw->position_slot > 0 ? (uint32_t)draw->position_slot : 0;
}

static double
user_distance(const struct draw *draw, const struct vertex *v, uint32_t plane)
{
    const int8_t distances = draw->clipdist_slot[plane / 4];
    if (distances >= 0)
        return v->out[distances][plane % 4];
    const float *p =
        v->out[draw->clipvertex_slot >= 0 ? (uint32_t)draw->clipvertex_slot : position_slot(draw)];
    const float *n = draw->clip_planes[plane];
    return (double)p[0] * n[0] + (double)p[1] * n[1] + (double)p[2] * n[2] + (double)p[3] * n[3];
}

/* Returns the signed distance from a plane of the view volume or, with `guard`, of the guard band.
 * The inside is >= 0. */
static double
clip_distance(const struct draw *draw, const struct vertex *v, uint32_t plane, bool guard)
{
    const float *p = v->out[position_slot(draw)];
    const double w = p[3];

    if (plane >= PLANE_USER)
        return user_distance(draw, v, plane - PLANE_USER);
    if (plane == PLANE_NEAR)
        return draw->rasterizer.clip_halfz ? p[2] : w + p[2];
    if (plane == PLANE_FAR)
        return w - p[2];
    const uint32_t axis = plane >= PLANE_TOP;
    double across = p[axis], limit = w;
    if (guard) {
        across = (double)draw->viewport.scale[axis] * p[axis] +
                 (double)draw->viewport.translate[axis] * w;
        limit = (double)GUARD_BAND * w;
    }
    return plane % 2 == 0 ? limit + across : limit - across;
}

/* Returns the planes to test, one bit each. */
static uint32_t
planes_enabled(const struct draw *draw)
{
    uint32_t planes = 0xf;
    if (draw->rasterizer.depth_clip)
        planes |= 1u << PLANE_NEAR | 1u << PLANE_FAR;
    return planes | (uint32_t)draw->rasterizer.clip_plane_enable << PLANE_USER;
}

/* Returns whether a primitive may extend beyond the sides of the view volume. Only filled triangles
 * may, because the bounding box later removes their outer pixels. */
static bool
has_guard_band(const struct draw *draw, const struct primitive_out *primitive)
{
    const struct rasterizer_state *r = &draw->rasterizer;
    return primitive->vertices == 3 && r->fill_front == FILL_FILL && r->fill_back == FILL_FILL;
}

static bool
finite_vertex(const struct draw *draw, const struct vertex *v, uint32_t planes)
{
    const float *p = v->out[position_slot(draw)];
    for (uint32_t c = 0; c < 4; c++)
        if (!isfinite(p[c]))
            return false;
    for (uint32_t i = 0; i < MAX_CLIP_PLANES; i++)
        if (planes >> (PLANE_USER + i) & 1 && !isfinite(user_distance(draw, v, i)))
            return false;
    return true;
}

static uint32_t
outside_mask(const struct draw *draw, const struct vertex *v, uint32_t planes, bool guard)
{
    uint32_t mask = 0;
    for (uint32_t rest = planes; rest; rest &= rest - 1) {
        const uint32_t plane = (uint32_t)__builtin_ctz(rest);
        if (clip_distance(draw, v, plane, guard) < 0.0)
            mask |= 1u << plane;
    }
    return mask;
}

/* Returns whether the guard band contains the whole view volume. */
static bool
viewport_in_band(const struct viewport_state *viewport)
{
    return fabsf(viewport->scale[0]) + fabsf(viewport->translate[0]) < GUARD_BAND &&
           fabsf(viewport->scale[1]) + fabsf(viewport->translate[1]) < GUARD_BAND;
}

enum clip_result
clip_test(const struct draw *draw, const struct primitive_out *primitive,
          const struct vertex *const v[3])
{
    const uint32_t planes = planes_enabled(draw);
    uint32_t all = planes, some = 0;
    bool positive = true;

    if (draw->rasterizer.discard)
        return CLIP_REJECT;
    for (uint32_t i = 0; i < primitive->vertices; i++) {
        if (!finite_vertex(draw, v[i], planes))
            return CLIP_REJECT;
        const uint32_t mask = outside_mask(draw, v[i], planes, false);
        all &= mask;
        some |= mask;
        positive = positive && v[i]->out[position_slot(draw)][3] > 0.0f;
    }
    if (all || (primitive->vertices == 1 && (some || !positive)))
        return CLIP_REJECT;
    if (!has_guard_band(draw, primitive))
        return some || !positive ? CLIP_NEEDED : CLIP_INSIDE;
    if (!positive || some >> PLANE_NEAR)
        return CLIP_NEEDED;
    if (!some && viewport_in_band(&draw->viewport))
        return CLIP_INSIDE;
    for (uint32_t i = 0; i < 3; i++)
        if (outside_mask(draw, v[i], 0xf, true))
            return CLIP_NEEDED;
    return CLIP_INSIDE;
}

/* Computes the vertex at which the edge from `in` (distance d_in >= 0) to `out` (d_out < 0) crosses
 * the plane. Uses a weighted sum of both ends. The form in + t * (out - in) would lose a small end
 * next to a huge one, because t is then too close to 1 for a double. */
static void
cut_edge(uint32_t slots, const struct vertex *in, double d_in, const struct vertex *out,
         double d_out, struct vertex *cut)
{
    const double whole = d_in - d_out;
    for (uint32_t slot = 0; slot < slots; slot++)
        for (uint32_t c = 0; c < 4; c++) {
            const double from = in->out[slot][c], to = out->out[slot][c];
            cut->out[slot][c] = (float)((to * d_in - from * d_out) / whole);
        }
}

/* Returns the slots of varyings that are linear in window space, one bit each. */
static uint32_t
linear_slots(const struct draw *draw)
{
    uint32_t slots = 0;
    for (uint32_t i = 0; i < draw->varying_count; i++) {
        const struct varying *v = &draw->varyings[i];
        if (v->source == VARYING_VERTEX && v->interpolation == INTERPOLATE_LINEAR)
            slots |= 1u << v->slot | 1u << v->back_slot;
    }
    return slots;
}

/* Replaces the values of these slots by values that are linear between the window positions of the
 * ends. Equal steps in clip coordinates are not equal in the window, by the ratio of the w. */
static void
cut_linear(const struct draw *draw, uint32_t slots, const struct vertex *in, double d_in,
           const struct vertex *out, double d_out, struct vertex *cut)
{
    const uint32_t position = position_slot(draw);
    const double from_in = -d_out * (double)in->out[position][3];
    const double from_out = d_in * (double)out->out[position][3];
    const double whole = from_in + from_out;
    for (uint32_t rest = slots; rest && whole != 0.0; rest &= rest - 1) {
        const uint32_t slot = (uint32_t)__builtin_ctz(rest);
        for (uint32_t c = 0; c < 4; c++)
            cut->out[slot][c] = (float)(((double)in->out[slot][c] * from_in +
                                         (double)out->out[slot][c] * from_out) /
                                        whole);
    }
}

static void
polygon_push(struct clip_polygon *polygon, const struct vertex *v, uint32_t slots, uint8_t edge,
             bool corner)
{
    if (polygon->count == CLIP_MAX_VERTICES)
        return; /* rounding errors produced more than one new vertex per plane */
    memcpy(polygon->v[polygon->count].out, v->out, slots * sizeof v->out[0]);
    polygon->edge[polygon->count] = edge;
    polygon->corner[polygon->count++] = corner;
}

/* Clips a polygon (a line if `closed` is false) by one plane, from `from` to `to`. Where the plane
 * cuts an edge that is not an inner edge, the polygon gets a new corner (OpenGL 2.1 specification,
 * 2.12). */
static void
clip_by_plane(const struct draw *draw, uint32_t slots, uint32_t plane, bool closed, bool guard,
              const struct clip_polygon *from, struct clip_polygon *to)
{
    const uint32_t n = from->count, linear = linear_slots(draw);
    double d[CLIP_MAX_VERTICES];
    struct vertex cut;

    to->count = 0;
    for (uint32_t i = 0; i < n; i++)
        d[i] = clip_distance(draw, &from->v[i], plane, guard);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t next = i + 1 < n ? i + 1 : 0;
        const bool here = d[i] >= 0.0, there = d[next] >= 0.0;
        const bool corner = from->edge[i] != EDGE_INNER;
        if (here)
            polygon_push(to, &from->v[i], slots, from->edge[i], from->corner[i]);
        if (here == there || (!closed && next == 0))
            continue;
        if (here) {
            cut_edge(slots, &from->v[i], d[i], &from->v[next], d[next], &cut);
            cut_linear(draw, linear, &from->v[i], d[i], &from->v[next], d[next], &cut);
            /* An edge along a user plane is drawn, but one along the frustum is not. */
            polygon_push(to, &cut, slots, plane >= PLANE_USER ? EDGE_REAL : EDGE_CUT, corner);
        } else {
            cut_edge(slots, &from->v[next], d[next], &from->v[i], d[i], &cut);
            cut_linear(draw, linear, &from->v[next], d[next], &from->v[i], d[i], &cut);
            polygon_push(to, &cut, slots, from->edge[i], corner);
        }
    }
}

void
clip_polygon(const struct draw *draw, const struct primitive_out *primitive,
             const struct vertex *const v[3], struct clip_polygon *polygon)
{
    const bool closed = primitive->vertices == 3, guard = has_guard_band(draw, primitive);
    const uint32_t slots = draw_last_program(draw)->output_count;
    const uint32_t planes = planes_enabled(draw);
    struct clip_polygon other;
    uint32_t cuts = 0;

    polygon->count = 0;
    for (uint32_t i = 0; i < primitive->vertices; i++) {
        const bool real = primitive->edge_flags >> i & 1;
        polygon_push(polygon, v[i], slots, real ? EDGE_REAL : EDGE_INNER, real);
        cuts |= outside_mask(draw, v[i], planes, guard);
    }
    for (; cuts && polygon->count; cuts &= cuts - 1) {
        clip_by_plane(draw, slots, (uint32_t)__builtin_ctz(cuts), closed, guard, polygon, &other);
        polygon->count = other.count;
        memcpy(polygon->edge, other.edge, sizeof other.edge);
        memcpy(polygon->corner, other.corner, sizeof other.corner);
        for (uint32_t i = 0; i < other.count; i++)
            memcpy(polygon->v[i].out, other.v[i].out, slots * sizeof other.v[i].out[0]);
    }
}
