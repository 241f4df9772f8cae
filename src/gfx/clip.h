/* Geometric clipping, between clip_test() and setup (only inside triangle.h's
 * setup_primitive()). */
#ifndef AETIUS_GFX_CLIP_H
#define AETIUS_GFX_CLIP_H

#include "gfx/triangle.h"

/* The guard band: window coordinates, in pixels, that need no clipping. Within it a float holds
 * 1/256 pixel exactly. A snapped coordinate has 23 bits and a sign, a difference of two 24, and
 * an edge product 47. The change of an edge function across an 8x8 tile, in 1/256 pixel, fits
 * int32. */
#define GUARD_BAND 32768.0f

enum { CLIP_PLANES = 6 + MAX_CLIP_PLANES, CLIP_MAX_VERTICES = 3 + CLIP_PLANES };

/* EDGE_INNER: between the triangles of a polygon. EDGE_CUT: along the view volume; its ends are
 * corners, but it is not drawn. */
enum clip_edge { EDGE_INNER, EDGE_CUT, EDGE_REAL };

struct clip_polygon {
    uint32_t count;
    struct vertex v[CLIP_MAX_VERTICES];
    uint8_t edge[CLIP_MAX_VERTICES]; /* enum clip_edge, from v[i] to v[i + 1] */
    bool corner[CLIP_MAX_VERTICES];  /* v[i] is a point of the polygon in point mode */
};

/* Clips a triangle or line by all planes that it crosses. A count below 3 (line: 2) means that
 * nothing remains. */
void clip_polygon(const struct draw *draw, const struct primitive_out *primitive,
                  const struct vertex *const v[3], struct clip_polygon *polygon);

#endif
