/* Geometric clipping, between clip_test() and setup (inside triangle.h's setup_primitive() only).
 */
#ifndef AETIUS_GFX_CLIP_H
#define AETIUS_GFX_CLIP_H

#include "gfx/triangle.h"

/* The guard band: window coordinates, in pixels, that need no clipping. Up to here a float holds
 * 1/256 pixel exactly; a snapped coordinate has 23 bits and a sign, a difference of two 24, an edge
 * product 47, and an edge function's change across an 8x8 tile, in 1/256 pixel, fits int32. */
#define GUARD_BAND 32768.0f

enum { CLIP_PLANES = 6 + MAX_CLIP_PLANES, CLIP_MAX_VERTICES = 3 + CLIP_PLANES };

struct clip_polygon {
    uint32_t count;
    struct vertex v[CLIP_MAX_VERTICES];
    bool edge_real[CLIP_MAX_VERTICES]; /* the edge from v[i] to v[i + 1] */
};

/* The part of a triangle or line inside the planes that cut it; count below 3 (or 2): nothing. */
void clip_polygon(const struct draw *draw, const struct primitive_out *primitive,
                  const struct vertex *const v[3], struct clip_polygon *polygon);

#endif
