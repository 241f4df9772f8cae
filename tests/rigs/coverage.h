/* Coverage of triangles by exact integer arithmetic, done another way than the rasterizer does it:
 * a point belongs to a triangle when it is strictly inside, or lies on a top or left edge. */
#ifndef AETIUS_TESTS_COVERAGE_H
#define AETIUS_TESTS_COVERAGE_H

#include "rigs/gfx_support.h"

struct point {
    int64_t x, y; /* 1/256 pixel, 0 at the framebuffer's corner */
};

bool is_covered(const struct point p[3], struct point at);

/* Half of the points on a grid of 1/256 pixel times `grid` (a power of two), so that what is asked
 * for lies on edges and corners. */
struct point random_point(uint64_t *seed, int64_t grid);

struct vertex vertex_at(struct point p);

#endif
