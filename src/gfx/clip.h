/* Geometric clipping, which runs between clip_test() and setup. Only setup_primitive() in
 * triangle.h uses it. */
#ifndef AETIUS_GFX_CLIP_H
#define AETIUS_GFX_CLIP_H

#include "gfx/triangle.h"

/* The guard band: window coordinates, in pixels, that need no clipping. Within it a float
 * represents 1/256 pixel exactly. A snapped coordinate has 23 bits and a sign, a difference of two
 * has 24, and an edge product has 47. The change of an edge function across an 8x8 tile, in 1/256
 * pixel, fits int32. */
#define GUARD_BAND 32768.0f

enum { CLIP_PLANES = 6 + MAX_CLIP_PLANES, CLIP_MAX_VERTICES = 3 + CLIP_PLANES };

/* EDGE_INNER: between two triangles of a polygon. EDGE_CUT: created by clipping at the view volume;
 * its ends are corners, but the edge is not drawn. EDGE_REAL: all other edges. */
enum clip_edge { EDGE_INNER, EDGE_CUT, EDGE_REAL };

struct clip_polygon {
    uint32_t count;
    struct vertex v[CLIP_MAX_VERTICES];
    uint8_t edge[CLIP_MAX_VERTICES]; /* enum clip_edge, from v[i] to v[i + 1] */
    bool corner[CLIP_MAX_VERTICES];  /* v[i] is a point of the polygon in point mode */
};

/* Clips a triangle or line by all planes that it crosses. If the count is below 3 (line: 2),
 * nothing remains. */
void clip_polygon(const struct draw *draw, const struct primitive_out *primitive,
                  const struct vertex *const v[3], struct clip_polygon *polygon);

#endif
