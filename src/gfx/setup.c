/* Triangle setup (docs/design/rasterizer.md, Setup and precision): viewport transform, snapping to
 * 1/256 pixel and face culling. Computes exact integer edges with the top-left rule in memory rows
 * (row 0 on top), plane equations of depth and varyings, and polygon offset.
 *
 * Edges are computed from the snapped positions. Planes are computed from the unsnapped positions,
 * as in the reference renderer, in double precision relative to the first vertex. If snapping
 * reversed the triangle, planes also use the snapped positions. Planes may be evaluated outside the
 * triangle by less than a pixel. Depth is clamped to z_min..z_max, because Hierarchical Z relies on
 * that range. */
#include "gfx/setup.h"

#include "gfx/fragment.h"

#include <math.h>
#include <string.h>

int32_t
setup_snap(float coordinate)
{
    if (!(coordinate > -GUARD_BAND))
        coordinate = -GUARD_BAND;
    if (!(coordinate < GUARD_BAND))
        coordinate = GUARD_BAND;
    return (int32_t)lrintf((coordinate - 0.5f) * 256.0f);
}

int32_t
setup_pixel(int32_t snapped)
{
    return (snapped + 255) >> 8;
}

static int32_t
min_of(uint32_t n, const int32_t *values)
{
    int32_t least = values[0];
    for (uint32_t i = 1; i < n; i++)
        least = values[i] < least ? values[i] : least;
    return least;
}

static int32_t
max_of(uint32_t n, const int32_t *values)
{
    int32_t most = values[0];
    for (uint32_t i = 1; i < n; i++)
        most = values[i] > most ? values[i] : most;
    return most;
}

static void
narrow(int32_t *min, int32_t *max, int32_t low, int32_t high)
{
    if (*min < low)
        *min = low;
    if (*max > high)
        *max = high;
}

/* Returns the first pixel that a shape with this snapped start can cover. It is covered by its
 * center or, if multisampled, by any of its samples, which are less than half a pixel from the
 * center. */
static int32_t
first_pixel(const struct draw *draw, int32_t snapped)
{
    return draw->multisample ? (snapped + 128) >> 8 : setup_pixel(snapped);
}

static int32_t
last_pixel(const struct draw *draw, int32_t snapped)
{
    return draw->multisample ? (snapped + 127) >> 8 : setup_pixel(snapped) - 1;
}

/* Computes the bounding box: the pixels inside the bounds that the shape can cover. A filled
 * triangle may extend beyond the viewport up to the guard band, and is limited here. Clipping has
 * already cut lines at their centerline. Points may extend beyond the viewport. */
static bool
set_box(struct triangle *out, const struct draw *draw, uint32_t corners, const int32_t x[],
        const int32_t y[])
{
    const struct scissor_state *bounds = &draw->bounds;
    const struct viewport_state *vp = &draw->viewport;
    const int32_t reach = out->smooth.shape == SMOOTH_POLYGON ? SMOOTH_REACH : 0;

    out->min_x = first_pixel(draw, min_of(corners, x) - reach);
    out->max_x = last_pixel(draw, max_of(corners, x) + reach);
    out->min_y = first_pixel(draw, min_of(corners, y) - reach);
    out->max_y = last_pixel(draw, max_of(corners, y) + reach);
    narrow(&out->min_x, &out->max_x, bounds->min_x, bounds->max_x - 1);
    narrow(&out->min_y, &out->max_y, bounds->min_y, bounds->max_y - 1);
    if (!out->is_point && !out->is_line) {
        const float half_x = fabsf(vp->scale[0]), half_y = fabsf(vp->scale[1]);
        narrow(&out->min_x, &out->max_x, first_pixel(draw, setup_snap(vp->translate[0] - half_x)),
               last_pixel(draw, setup_snap(vp->translate[0] + half_x)));
        narrow(&out->min_y, &out->max_y, first_pixel(draw, setup_snap(vp->translate[1] - half_y)),
               last_pixel(draw, setup_snap(vp->translate[1] + half_y)));
    }
    return out->min_x <= out->max_x && out->min_y <= out->max_y;
}

/* Returns the edge from (x0, y0) to (x1, y1) of a shape on its right (clockwise on the screen).
 * Left edges (inside toward larger x) and top edges own the pixel centers on them. */
static struct edge
make_edge(int32_t x0, int32_t y0, int32_t x1, int32_t y1)
{
    const int64_t dx = (int64_t)x1 - x0, dy = (int64_t)y1 - y0;
    struct edge edge = {.a = -dy * 256, .b = dx * 256, .c = dy * x0 - dx * y0};
    const bool owns_ties = edge.a > 0 || (edge.a == 0 && edge.b > 0);
    if (!owns_ties)
        edge.c--;
    return edge;
}

/* Returns twice the area, which is positive for clockwise corners on the screen. */
static int64_t
area_of(const int32_t x[], const int32_t y[])
{
    return ((int64_t)x[1] - x[0]) * ((int64_t)y[2] - y[0]) -
           ((int64_t)x[2] - x[0]) * ((int64_t)y[1] - y[0]);
}

bool
setup_shape(struct triangle *out, const struct draw *draw, uint32_t corners, const int32_t x[],
            const int32_t y[])
{
    const int64_t area = area_of(x, y);
    if (area == 0 || !set_box(out, draw, corners, x, y))
        return false;
    out->edge_count = (uint8_t)corners;
    for (uint32_t i = 0; i < corners; i++) {
        const uint32_t next = i + 1 < corners ? i + 1 : 0;
        out->edges[i] = area > 0 ? make_edge(x[i], y[i], x[next], y[next])
                                 : make_edge(x[next], y[next], x[i], y[i]);
        if (out->smooth.shape == SMOOTH_POLYGON)
            out->edges[i].c += smooth_gain(&out->edges[i]);
    }
    return true;
}

void
setup_begin(struct triangle *out, const struct draw *draw, float origin_x, float origin_y)
{
    out->draw = draw;
    out->front = true;
    out->is_point = out->is_line = false;
    out->origin_x = origin_x;
    out->origin_y = origin_y;
    memset(out->sprite, 0, sizeof out->sprite);
    out->dashes.on = false;
    out->smooth.shape = SMOOTH_NONE;
}

static float
clamp_to(float value, float low, float high)
{
    return !(value > low) ? low : value > high ? high : value;
}

void
setup_depth_range(struct triangle *out, const struct draw *draw, float z_min, float z_max)
{
    float low, high;
    depth_range(draw, &low, &high);
    out->z_min = clamp_to(z_min, low, high);
    out->z_max = clamp_to(z_max, low, high);
}

const float *
setup_varying(const struct draw *draw, uint32_t varying, bool front, const struct vertex *v)
{
    const struct varying *from = &draw->varyings[varying];
    const uint8_t slot = front ? from->slot : from->back_slot;
    if ((from->source != VARYING_VERTEX && from->source != VARYING_SPRITE) || slot >= MAX_VARYINGS)
        return NULL;
    return v->out[slot];
}

/* Geometry from which the gradients of any value over the triangle are computed. */
struct gradients {
    double x1, y1, x2, y2; /* positions relative to vertex 0, divided by twice the area */
};

static struct gradients
gradients_of(const struct setup_vertex v[3], int64_t snapped_area)
{
    double x1 = (double)v[1].x - v[0].x, y1 = (double)v[1].y - v[0].y;
    double x2 = (double)v[2].x - v[0].x, y2 = (double)v[2].y - v[0].y;
    double area = x1 * y2 - x2 * y1;
    if (!(area > 0.0 && snapped_area > 0) && !(area < 0.0 && snapped_area < 0)) {
        x1 = (v[1].fx - v[0].fx) / 256.0;
        y1 = (v[1].fy - v[0].fy) / 256.0;
        x2 = (v[2].fx - v[0].fx) / 256.0;
        y2 = (v[2].fy - v[0].fy) / 256.0;
        area = (double)snapped_area / 65536.0;
    }
    return (struct gradients){x1 / area, y1 / area, x2 / area, y2 / area};
}

/* Limits plane coefficients to finite floats. Larger ones would result in infinity minus infinity
 * at a pixel. */
static float
plane_coefficient(double value)
{
    const double limit = 1e30;
    return (float)(value > limit ? limit : value < -limit ? -limit : value);
}

static struct plane
plane_through(const struct gradients *g, double v0, double v1, double v2)
{
    const double d1 = v1 - v0, d2 = v2 - v0;
    return (struct plane){.a = plane_coefficient(d1 * g->y2 - d2 * g->y1),
                          .b = plane_coefficient(d2 * g->x1 - d1 * g->x2),
                          .c = (float)v0};
}

static void
set_varyings(struct triangle *out, const struct draw *draw, const struct gradients *g,
             const struct setup_vertex v[3], const struct vertex *provoking)
{
    static const float nothing[4] = {0.0f, 0.0f, 0.0f, 1.0f};
    for (uint32_t i = 0; i < draw->varying_count; i++) {
        struct plane *planes = out->varyings[i];
        const uint8_t interpolation = draw->varyings[i].interpolation;
        const float *values[3], *flat = setup_varying(draw, i, out->front, provoking);
        for (uint32_t k = 0; k < 3; k++)
            values[k] = setup_varying(draw, i, out->front, v[k].v);
        if (!flat || interpolation == INTERPOLATE_CONSTANT) {
            for (uint32_t c = 0; c < 4; c++)
                planes[c] = (struct plane){.c = flat ? flat[c] : nothing[c]};
            continue;
        }
        const bool perspective = interpolation != INTERPOLATE_LINEAR;
        for (uint32_t c = 0; c < 4; c++)
            planes[c] = plane_through(g, values[0][c] * (perspective ? v[0].inv_w : 1.0f),
                                      values[1][c] * (perspective ? v[1].inv_w : 1.0f),
                                      values[2][c] * (perspective ? v[2].inv_w : 1.0f));
    }
}

/* Returns one unit of polygon offset: two steps of the depth format, as in the reference renderer.
 * For a float format, a step depends on the exponent of the triangle's largest depth. */
static float
offset_unit(const struct draw *draw, const struct setup_vertex v[3])
{
    const struct format_info *format = draw->depth.res ? draw->depth.format : NULL;
    if (format && format->is_float) {
        float most = 0.0f;
        for (uint32_t i = 0; i < 3; i++)
            most = fabsf(v[i].z) > most ? fabsf(v[i].z) : most;
        uint32_t bits;
        memcpy(&bits, &most, sizeof bits);
        bits &= 0xffu << 23;
        bits = bits > 23u << 23 ? bits - (23u << 23) : 0;
        memcpy(&most, &bits, sizeof most);
        return most;
    }
    const uint32_t depth_bits = format && format->depth_bits ? format->depth_bits : 24;
    return (float)(2.0 / (double)((UINT64_C(1) << depth_bits) - 1));
}

static float
polygon_offset(const struct draw *draw, const struct setup_vertex v[3], const struct plane *z)
{
    const struct rasterizer_state *state = &draw->rasterizer;
    const float slope_x = fabsf(z->a), slope_y = fabsf(z->b);
    const float slope = slope_x > slope_y ? slope_x : slope_y;
    float offset = state->offset_units * offset_unit(draw, v) + slope * state->offset_scale;
    if (state->offset_clamp > 0.0f && offset > state->offset_clamp)
        offset = state->offset_clamp;
    if (state->offset_clamp < 0.0f && offset < state->offset_clamp)
        offset = state->offset_clamp;
    return isfinite(offset) ? offset : 0.0f;
}

static bool
transform(const struct draw *draw, const struct vertex *vertex, struct setup_vertex *out)
{
    const float *p = vertex->out[draw->position_slot > 0 ? draw->position_slot : 0];
    const struct viewport_state *vp = &draw->viewport;

    out->v = vertex;
    out->inv_w = 1.0f / p[3];
    if (!(p[3] > 0.0f) || !isfinite(out->inv_w))
        return false;
    out->x = p[0] * out->inv_w * vp->scale[0] + vp->translate[0];
    out->y = p[1] * out->inv_w * vp->scale[1] + vp->translate[1];
    out->z = p[2] * out->inv_w * vp->scale[2] + vp->translate[2];
    out->fx = setup_snap(out->x);
    out->fy = setup_snap(out->y);
    return isfinite(out->x) && isfinite(out->y) && isfinite(out->z);
}

static uint32_t
fill_triangle(const struct draw *draw, const struct setup_vertex v[3],
              const struct vertex *provoking, bool front, struct triangle *out)
{
    const int32_t x[3] = {v[0].fx, v[1].fx, v[2].fx}, y[3] = {v[0].fy, v[1].fy, v[2].fy};

    setup_begin(out, draw, v[0].x, v[0].y);
    out->front = front;
    if (draw->rasterizer.poly_smooth && !draw->multisample)
        out->smooth.shape = SMOOTH_POLYGON;
    if (!setup_shape(out, draw, 3, x, y))
        return 0;
    const struct gradients g = gradients_of(v, area_of(x, y));
    out->z = plane_through(&g, v[0].z, v[1].z, v[2].z);
    float z_min = fminf(fminf(v[0].z, v[1].z), v[2].z);
    float z_max = fmaxf(fmaxf(v[0].z, v[1].z), v[2].z);
    if (draw->rasterizer.offset_tri) {
        const float offset = polygon_offset(draw, v, &out->z);
        out->z.c += offset;
        z_min += offset;
        z_max += offset;
    }
    setup_depth_range(out, draw, z_min, z_max);
    out->inv_w = plane_through(&g, v[0].inv_w, v[1].inv_w, v[2].inv_w);
    set_varyings(out, draw, &g, v, provoking);
    return 1;
}

/* Edges and vertices of a triangle that glPolygonMode draws, one bit each: edges as lines (edge i
 * starts at vertex i), vertices as points. */
struct outline {
    uint8_t edges, corners;
};

/* Sets up the lines or points of an unfilled triangle (glPolygonMode) in order, with the polygon
 * offset of the triangle. */
static uint32_t
unfilled_triangle(const struct draw *draw, struct setup_vertex v[3], struct outline outline,
                  const struct vertex *provoking, bool front, uint8_t mode,
                  struct setup_state *state, struct triangle *out)
{
    const struct rasterizer_state *r = &draw->rasterizer;
    const int32_t x[3] = {v[0].fx, v[1].fx, v[2].fx}, y[3] = {v[0].fy, v[1].fy, v[2].fy};
    static const uint8_t line_order[3] = {2, 0, 1};
    const uint8_t shown = mode == FILL_LINE ? outline.edges : outline.corners;
    uint32_t made = 0;

    if (mode == FILL_LINE ? r->offset_line : r->offset_point) {
        const int64_t area = area_of(x, y);
        const struct gradients g = area == 0 ? (struct gradients){0} : gradients_of(v, area);
        const struct plane z = plane_through(&g, v[0].z, v[1].z, v[2].z);
        const float offset = polygon_offset(draw, v, &z);
        for (uint32_t i = 0; i < 3; i++)
            v[i].z += offset;
    }
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t from = mode == FILL_LINE ? line_order[i] : i;
        if (!(shown >> from & 1))
            continue;
        if (mode == FILL_LINE)
            made +=
                setup_line(draw, &v[from], &v[(from + 1) % 3], provoking, front, state, &out[made]);
        else
            made += setup_point(draw, &v[from], provoking, front, &out[made]);
    }
    return made;
}

/* Returns a value with the sign of area_of() for the unclipped triangle: the determinant of x, y
 * and w. It is also valid if the snapped corners coincide or were clipped. */
static double
area_before_snapping(const struct draw *draw, const struct vertex *const whole[3])
{
    const uint32_t slot = draw->position_slot > 0 ? (uint32_t)draw->position_slot : 0;
    const float *p0 = whole[0]->out[slot], *p1 = whole[1]->out[slot], *p2 = whole[2]->out[slot];
    const double x1 = (double)p1[0] - p0[0], y1 = (double)p1[1] - p0[1];
    const double x2 = (double)p2[0] - p0[0], y2 = (double)p2[1] - p0[1];
    const double w1 = (double)p1[3] - p0[3], w2 = (double)p2[3] - p0[3];
    const double determinant =
        p0[0] * (y1 * w2 - y2 * w1) + p0[1] * (w1 * x2 - w2 * x1) + p0[3] * (x1 * y2 - x2 * y1);
    const bool mirrored = (draw->viewport.scale[0] < 0.0f) != (draw->viewport.scale[1] < 0.0f);
    return mirrored ? -determinant : determinant;
}

/* OpenGL 2.1, 2.14.1: the facing depends on the sign of the area. A triangle without area is back
 * facing. */
static bool
faces_front(const struct rasterizer_state *r, double area)
{
    return r->front_ccw ? area < 0.0 : area > 0.0;
}

static uint32_t
setup_triangle(const struct draw *draw, const struct vertex *const vertices[3],
               const struct vertex *const whole[3], struct outline outline,
               const struct vertex *provoking, struct setup_state *state, struct triangle *out)
{
    const struct rasterizer_state *r = &draw->rasterizer;
    struct setup_vertex v[3];

    for (uint32_t i = 0; i < 3; i++)
        if (!transform(draw, vertices[i], &v[i]))
            return 0;
    const int64_t area = area_of((const int32_t[]){v[0].fx, v[1].fx, v[2].fx},
                                 (const int32_t[]){v[0].fy, v[1].fy, v[2].fy});
    const bool front = faces_front(r, area == 0 ? area_before_snapping(draw, whole) : (double)area);
    const uint8_t mode = front ? r->fill_front : r->fill_back;
    if (area == 0 && mode == FILL_FILL) {
        state->lost = SETUP_LOST_AREA;
        return 0;
    }
    if (r->cull & (front ? CULL_FRONT : CULL_BACK)) {
        state->lost = SETUP_LOST_FACE;
        return 0;
    }
    if (mode == FILL_FILL)
        return fill_triangle(draw, v, provoking, front, out);
    return unfilled_triangle(draw, v, outline, provoking, front, mode, state, out);
}

/* Returns the outline of the triangle of the fan that ends at vertex `last`. Each edge and corner
 * of the polygon belongs to exactly one triangle. */
static struct outline
fan_outline(const struct clip_polygon *polygon, uint32_t last)
{
    const uint32_t vertices[3] = {0, last - 1, last};
    const bool whose[3] = {last == 2, true, last + 1 == polygon->count};
    struct outline outline = {0};
    for (uint32_t i = 0; i < 3; i++) {
        const bool edge = polygon->edge[vertices[i]] == EDGE_REAL;
        outline.edges |= (uint8_t)((whose[i] && edge) << i);
        outline.corners |= (uint8_t)((whose[i] && polygon->corner[vertices[i]]) << i);
    }
    return outline;
}

static uint32_t
setup_polygon(const struct draw *draw, const struct clip_polygon *polygon,
              const struct vertex *const whole[3], const struct vertex *provoking,
              struct setup_state *state, struct triangle out[SETUP_MAX_TRIANGLES])
{
    uint32_t made = 0;
    for (uint32_t i = 2; i < polygon->count && made + 3 <= SETUP_MAX_TRIANGLES; i++) {
        const struct vertex *const v[3] = {&polygon->v[0], &polygon->v[i - 1], &polygon->v[i]};
        const struct outline outline = fan_outline(polygon, i);
        made += setup_triangle(draw, v, whole, outline, provoking, state, &out[made]);
    }
    return made;
}

static uint32_t
setup_clipped(const struct draw *draw, const struct primitive_out *primitive,
              const struct vertex *const v[3], struct setup_state *state,
              struct triangle out[SETUP_MAX_TRIANGLES])
{
    const struct vertex *provoking = v[primitive->provoking];
    struct clip_polygon polygon;
    struct setup_vertex ends[2];

    clip_polygon(draw, primitive, v, &polygon);
    if (primitive->vertices == 3)
        return setup_polygon(draw, &polygon, v, provoking, state, out);
    if (polygon.count < 2 || !transform(draw, &polygon.v[0], &ends[0]) ||
        !transform(draw, &polygon.v[1], &ends[1]))
        return 0;
    return setup_line(draw, &ends[0], &ends[1], provoking, true, state, out);
}

/* Clears the flags of edges that the vertex program disables. Assembly has already cleared the
 * flags of inner edges. */
static struct primitive_out
apply_edge_flags(const struct draw *draw, const struct primitive_out *primitive,
                 const struct vertex *const v[3])
{
    struct primitive_out out = *primitive;
    for (uint32_t i = 0; draw->edgeflag_slot >= 0 && i < primitive->vertices; i++)
        if (v[i]->out[draw->edgeflag_slot][0] == 0.0f)
            out.edge_flags &= (uint8_t) ~(1u << i);
    return out;
}

static uint32_t
setup_shapes(const struct draw *draw, const struct primitive_out *assembled,
             const struct vertex *const v[3], enum clip_result clip, struct setup_state *state,
             struct triangle out[SETUP_MAX_TRIANGLES])
{
    const struct primitive_out flagged = apply_edge_flags(draw, assembled, v);
    const struct primitive_out *primitive = &flagged;
    const struct vertex *provoking = v[primitive->provoking];
    struct setup_vertex ends[2];

    if (clip == CLIP_REJECT)
        return 0;
    if (state->run != primitive->run)
        *state = (struct setup_state){.run = primitive->run};
    state->lost = SETUP_LOST_PIXELS;
    if (clip == CLIP_NEEDED)
        return setup_clipped(draw, primitive, v, state, out);
    if (primitive->vertices == 3) {
        const struct outline outline = {primitive->edge_flags, primitive->edge_flags};
        return setup_triangle(draw, v, v, outline, provoking, state, out);
    }
    for (uint32_t i = 0; i < primitive->vertices; i++)
        if (!transform(draw, v[i], &ends[i]))
            return 0;
    if (primitive->vertices == 2)
        return setup_line(draw, &ends[0], &ends[1], provoking, true, state, out);
    return setup_point(draw, &ends[0], provoking, true, out);
}

uint32_t
setup_primitive(const struct draw *draw, const struct primitive_out *primitive,
                const struct vertex *const v[3], enum clip_result clip, struct setup_state *state,
                struct triangle out[SETUP_MAX_TRIANGLES])
{
    const uint32_t made = setup_shapes(draw, primitive, v, clip, state, out);
    for (uint32_t i = 0; i < made; i++) {
        out[i].layer = primitive_layer(draw, v[primitive->provoking]);
        out[i].id = primitive->id;
    }
    return made;
}
