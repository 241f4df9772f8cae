/* Coverage of triangles in exact integer arithmetic, independent of the rasterizer's algorithm. A
 * triangle covers a point that is strictly inside it, or on a top or left edge. */
#ifndef AETIUS_TESTS_COVERAGE_H
#define AETIUS_TESTS_COVERAGE_H

#include "rigs/gfx_support.h"

struct point {
    int64_t x, y; /* in 1/256 pixel, from the corner of the framebuffer */
};

bool is_covered(const struct point p[3], struct point at);

/* Returns a random point. Half of the points are on a grid of `grid` / 256 pixels, where `grid` is
 * a power of two. So sample points are often on edges and corners. */
struct point random_point(uint64_t *seed, int64_t grid);

struct vertex vertex_at(struct point p);

#endif
