/* Primitive assembly (docs/design/machine.md, Primitive Assembly): forms points, lines and
 * triangles from vertices in order. Winding and provoking vertex follow the tables of the OpenGL
 * specification, with the first or last vertex convention. The vertex order within a triangle is
 * that of Gallium: the provoking vertex is first or last.
 *
 * The triangles of a polygon are delayed by one vertex. Only the next vertex (or the end)
 * determines whether the closing edge is an outer edge. */
#include "gfx/vertex.h"

#include "base/error.h"

#include <string.h>

void
assembler_begin(struct assembler *assembler, const struct draw *draw)
{
    memset(assembler, 0, sizeof *assembler);
    BUG_ON(draw->params.mode >= PRIM_COUNT, "primitive %u", draw->params.mode);
    assembler->mode = (uint8_t)draw->params.mode;
    assembler->flatshade_first = draw->rasterizer.flatshade_first;
    /* the order of a geometry program's inputs does not depend on it (OpenGL 3.2, table 2.4) */
    if (assembler->mode == PRIM_TRIANGLE_STRIP_ADJACENCY && draw->program[STAGE_GEOMETRY])
        assembler->flatshade_first = false;
    assembler->inner_edges = draw->inner_edges;
    assembler->triangles = draw->params.count / 3;
}

void
assembler_begin_emitted(struct assembler *assembler, const struct draw *draw)
{
    memset(assembler, 0, sizeof *assembler);
    assembler->mode = (uint8_t)draw_rasterized_mode(draw);
    assembler->flatshade_first = draw->rasterizer.flatshade_first;
}

void
assembler_begin_instance(struct assembler *assembler)
{
    assembler->id = 0;
}

uint32_t
primitive_input(const struct primitive_out *primitive, uint32_t i)
{
    static const uint8_t line[4] = {3, 0, 1, 4}, triangle[6] = {0, 3, 1, 4, 2, 5};
    if (!primitive->adjacents)
        return i;
    return primitive->vertices == 2 ? line[i] : triangle[i];
}

uint32_t
primitive_layer(const struct draw *draw, const struct vertex *provoking)
{
    uint32_t layer;
    if (!draw_is_layered(draw))
        return 0;
    memcpy(&layer, &provoking->out[draw->layer_slot][0], sizeof layer);
    return layer < draw->layers ? layer : draw->layers - 1;
}

static void
emit_point(const struct assembler *assembler, struct primitive_out *out, uint32_t a)
{
    *out = (struct primitive_out){.vertices = 1, .id = assembler->id, .v = {a, a, a}};
}

static void
emit_line(const struct assembler *assembler, struct primitive_out *out, uint32_t a, uint32_t b)
{
    *out = (struct primitive_out){.vertices = 2,
                                  .provoking = assembler->flatshade_first ? 0 : 1,
                                  .run = assembler->run,
                                  .id = assembler->id,
                                  .v = {a, b, b}};
}

static void
emit_triangle(const struct assembler *assembler, struct primitive_out *out, uint32_t a, uint32_t b,
              uint32_t c, uint8_t edge_flags)
{
    *out = (struct primitive_out){.vertices = 3,
                                  .provoking = assembler->flatshade_first ? 0 : 2,
                                  .edge_flags = edge_flags,
                                  .run = assembler->run,
                                  .id = assembler->id,
                                  .v = {a, b, c}};
}

enum { ALL_EDGES = 7, EDGES_01 = 3, EDGES_02 = 5, EDGES_12 = 6 };

static uint32_t
quad_vertex(struct assembler *s, uint32_t d, struct primitive_out out[2])
{
    const uint32_t a = s->held[0], b = s->held[1], c = s->held[2];
    if (s->count % 4 != 3) {
        s->held[s->count % 4] = d;
        return 0;
    }
    if (s->flatshade_first) {
        emit_triangle(s, &out[0], a, b, c, EDGES_01);
        emit_triangle(s, &out[1], a, c, d, EDGES_12);
    } else {
        emit_triangle(s, &out[0], a, b, d, EDGES_02);
        emit_triangle(s, &out[1], b, c, d, EDGES_01);
    }
    return 2;
}

/* The corners of a quad in a strip arrive in the order 0, 1, 3, 2. */
static uint32_t
quad_strip_vertex(struct assembler *s, uint32_t d, struct primitive_out out[2])
{
    const uint32_t a = s->held[0], b = s->held[1], c = s->held[2];
    if (s->count < 3) {
        s->held[s->count] = d;
        return 0;
    }
    if (s->count % 2 == 0) {
        s->held[2] = d;
        return 0;
    }
    if (s->flatshade_first) {
        emit_triangle(s, &out[0], a, d, c, EDGES_12);
        emit_triangle(s, &out[1], a, b, d, EDGES_01);
    } else {
        emit_triangle(s, &out[0], c, a, d, EDGES_02);
        emit_triangle(s, &out[1], a, b, d, EDGES_01);
    }
    s->held[0] = c;
    s->held[1] = d;
    return 2;
}

static uint32_t
strip_vertex(struct assembler *s, uint32_t c, struct primitive_out out[2])
{
    const uint32_t a = s->held[0], b = s->held[1];
    if (s->count < 2) {
        s->held[s->count] = c;
        return 0;
    }
    if (s->count % 2 == 0)
        emit_triangle(s, &out[0], a, b, c, ALL_EDGES);
    else if (s->flatshade_first)
        emit_triangle(s, &out[0], a, c, b, ALL_EDGES);
    else
        emit_triangle(s, &out[0], b, a, c, ALL_EDGES);
    s->held[0] = b;
    s->held[1] = c;
    return 1;
}

static uint32_t
fan_vertex(struct assembler *s, uint32_t c, struct primitive_out out[2])
{
    if (s->count < 2) {
        s->held[s->count] = c;
        return 0;
    }
    if (s->flatshade_first)
        emit_triangle(s, &out[0], s->held[1], c, s->held[0], ALL_EDGES);
    else
        emit_triangle(s, &out[0], s->held[0], s->held[1], c, ALL_EDGES);
    s->held[1] = c;
    return 1;
}

/* Emits the triangle held[0], held[1], held[2] of a polygon. The first vertex of the polygon is the
 * provoking one in both conventions. */
static void
emit_polygon_part(const struct assembler *s, struct primitive_out *out, bool first, bool last)
{
    const uint8_t opening = first, outer = 1, closing = last;
    if (s->flatshade_first)
        emit_triangle(s, out, s->held[0], s->held[1], s->held[2],
                      (uint8_t)(opening | outer << 1 | closing << 2));
    else
        emit_triangle(s, out, s->held[1], s->held[2], s->held[0],
                      (uint8_t)(outer | closing << 1 | opening << 2));
}

static uint32_t
polygon_vertex(struct assembler *s, uint32_t d, struct primitive_out out[2])
{
    if (s->count < 3) {
        s->held[s->count] = d;
        return 0;
    }
    emit_polygon_part(s, &out[0], s->count == 3, false);
    s->held[1] = s->held[2];
    s->held[2] = d;
    return 1;
}

static uint32_t
line_vertex(struct assembler *s, uint32_t b, struct primitive_out out[2])
{
    const uint32_t a = s->held[1];
    s->held[1] = b;
    if (s->count == 0)
        s->held[0] = b;
    if (s->count == 0 || (s->mode == PRIM_LINES && s->count % 2 == 0))
        return 0;
    emit_line(s, &out[0], a, b);
    return 1;
}

/* Returns whether the line stipple continues from one primitive to the next, as in a line strip, a
 * loop and a polygon. Otherwise each primitive restarts it. */
static bool
runs_on(const struct assembler *assembler)
{
    return assembler->mode == PRIM_LINE_STRIP || assembler->mode == PRIM_LINE_LOOP ||
           assembler->mode == PRIM_POLYGON || assembler->inner_edges == INNER_POLYGON;
}

/* Returns which edges of triangle `n` are outer edges of the quad or polygon from which the list
 * was made. */
static uint8_t
outer_edges(const struct assembler *s, uint32_t n)
{
    const uint8_t first = n == 0, last = n + 1 == s->triangles;
    switch (s->inner_edges) {
    case INNER_NONE: break;
    case INNER_QUADS:
    case INNER_STRIP:
        if (s->flatshade_first)
            return n % 2 ? EDGES_12 : EDGES_01;
        return n % 2 ? EDGES_01 : EDGES_02;
    case INNER_POLYGON:
        return (uint8_t)(s->flatshade_first ? first | 1 << 1 | last << 2
                                            : 1 | last << 1 | first << 2);
    }
    return ALL_EDGES;
}

static uint32_t
triangle_vertex(struct assembler *s, uint32_t c, struct primitive_out out[2])
{
    if (s->count % 3 != 2) {
        s->held[s->count % 3] = c;
        return 0;
    }
    emit_triangle(s, &out[0], s->held[0], s->held[1], c, outer_edges(s, s->count / 3));
    return 1;
}

static void
set_adjacent(struct primitive_out *out, uint8_t count, uint32_t a, uint32_t b, uint32_t c)
{
    out->adjacents = count;
    out->adjacent[0] = a;
    out->adjacent[1] = b;
    out->adjacent[2] = c;
}

/* Lines with adjacency: a, the line from b to c, and d. */
static uint32_t
adjacent_line_vertex(struct assembler *s, uint32_t d, struct primitive_out out[2])
{
    const bool strip = s->mode == PRIM_LINE_STRIP_ADJACENCY;
    const uint32_t n = strip && s->count > 3 ? 3 : s->count % 4;
    if (n < 3) {
        s->held[n] = d;
        return 0;
    }
    emit_line(s, &out[0], s->held[1], s->held[2]);
    set_adjacent(&out[0], 2, s->held[0], d, d);
    s->held[0] = s->held[1];
    s->held[1] = s->held[2];
    s->held[2] = d;
    return 1;
}

static uint32_t
adjacent_triangle_vertex(struct assembler *s, uint32_t f, struct primitive_out out[2])
{
    const uint32_t n = s->count % 6;
    if (n < 5) {
        s->held[n] = f;
        return 0;
    }
    emit_triangle(s, &out[0], s->held[0], s->held[2], s->held[4], ALL_EDGES);
    set_adjacent(&out[0], 3, s->held[1], s->held[3], f);
    return 1;
}

/* Emits triangle `n` of a strip with adjacency (OpenGL 3.2, table 2.4).
 */
static void
emit_strip_triangle(const struct assembler *s, struct primitive_out *out, uint32_t n, bool is_last)
{
    const uint32_t *const v = &s->held[2 * n - s->first_held];
    const uint32_t a = v[0], b = v[2], c = v[4], side = v[3], after = v[is_last ? 5 : 6];
    const uint32_t before = n ? s->held[2 * n - 2 - s->first_held] : v[1];
    if (n % 2 == 0) {
        emit_triangle(s, out, a, b, c, ALL_EDGES);
        set_adjacent(out, 3, before, after, side);
    } else if (s->flatshade_first) {
        emit_triangle(s, out, a, c, b, ALL_EDGES);
        set_adjacent(out, 3, side, after, before);
    } else {
        emit_triangle(s, out, b, a, c, ALL_EDGES);
        set_adjacent(out, 3, before, side, after);
    }
}

/* A triangle of a strip with adjacency is emitted when the vertices of the next one are complete,
 * because the last one has another adjacent vertex. */
static uint32_t
adjacent_strip_vertex(struct assembler *s, uint32_t vertex, struct primitive_out out[2])
{
    s->held[s->count - s->first_held] = vertex;
    if (s->count < 7 || s->count % 2 == 0)
        return 0;
    const uint32_t n = (s->count - 7) / 2, drop = n ? 2 : 0;
    emit_strip_triangle(s, &out[0], n, false);
    s->first_held += drop;
    memmove(s->held, s->held + drop, (s->count + 1 - s->first_held) * sizeof s->held[0]);
    return 1;
}

uint32_t
assembler_vertex(struct assembler *assembler, uint32_t handle, struct primitive_out out[2])
{
    uint32_t made = 0;
    switch ((enum primitive)assembler->mode) {
    case PRIM_POINTS:
        emit_point(assembler, &out[0], handle);
        made = 1;
        break;
    case PRIM_LINES:
    case PRIM_LINE_LOOP:
    case PRIM_LINE_STRIP: made = line_vertex(assembler, handle, out); break;
    case PRIM_TRIANGLES: made = triangle_vertex(assembler, handle, out); break;
    case PRIM_TRIANGLE_STRIP: made = strip_vertex(assembler, handle, out); break;
    case PRIM_TRIANGLE_FAN: made = fan_vertex(assembler, handle, out); break;
    case PRIM_QUADS: made = quad_vertex(assembler, handle, out); break;
    case PRIM_QUAD_STRIP: made = quad_strip_vertex(assembler, handle, out); break;
    case PRIM_POLYGON: made = polygon_vertex(assembler, handle, out); break;
    case PRIM_LINES_ADJACENCY:
    case PRIM_LINE_STRIP_ADJACENCY: made = adjacent_line_vertex(assembler, handle, out); break;
    case PRIM_TRIANGLES_ADJACENCY: made = adjacent_triangle_vertex(assembler, handle, out); break;
    case PRIM_TRIANGLE_STRIP_ADJACENCY: made = adjacent_strip_vertex(assembler, handle, out); break;
    case PRIM_COUNT: BUG("unknown primitive");
    }
    assembler->count++;
    if (made && !runs_on(assembler))
        assembler->run++;
    assembler->id += made && assembler->mode != PRIM_POLYGON;
    return made;
}

uint32_t
assembler_end(struct assembler *assembler, struct primitive_out out[2])
{
    uint32_t made = 0;
    if (assembler->mode == PRIM_LINE_LOOP && assembler->count >= 2) {
        emit_line(assembler, &out[0], assembler->held[1], assembler->held[0]);
        made = 1;
    }
    if (assembler->mode == PRIM_POLYGON && assembler->count >= 3) {
        emit_polygon_part(assembler, &out[0], assembler->count == 3, true);
        made = 1;
    }
    if (assembler->mode == PRIM_TRIANGLE_STRIP_ADJACENCY && assembler->count >= 6) {
        emit_strip_triangle(assembler, &out[0], assembler->count / 2 - 3, true);
        made = 1;
    }
    assembler->count = assembler->first_held = 0;
    assembler->id += made;
    assembler->run++;
    return made;
}

uint32_t
assembler_held(const struct assembler *assembler, uint32_t handles[ASSEMBLER_HELD])
{
    /* Number of valid entries of held[] after `n` vertices. */
    uint32_t held = 0;
    const uint32_t n = assembler->count;
    switch ((enum primitive)assembler->mode) {
    case PRIM_POINTS: held = 0; break;
    case PRIM_LINES:
    case PRIM_LINE_LOOP:
    case PRIM_LINE_STRIP: held = n ? 2 : 0; break;
    case PRIM_TRIANGLES: held = n % 3; break;
    case PRIM_TRIANGLE_STRIP:
    case PRIM_TRIANGLE_FAN: held = n < 2 ? n : 2; break;
    case PRIM_QUADS: held = n % 4; break;
    case PRIM_QUAD_STRIP: held = n < 3 ? n : 2 + n % 2; break;
    case PRIM_POLYGON: held = n < 3 ? n : 3; break;
    case PRIM_LINES_ADJACENCY: held = n % 4; break;
    case PRIM_LINE_STRIP_ADJACENCY: held = n < 3 ? n : 3; break;
    case PRIM_TRIANGLES_ADJACENCY: held = n % 6; break;
    case PRIM_TRIANGLE_STRIP_ADJACENCY: held = n - assembler->first_held; break;
    case PRIM_COUNT: break;
    }
    for (uint32_t i = 0; i < held; i++)
        handles[i] = assembler->held[i];
    return held;
}
