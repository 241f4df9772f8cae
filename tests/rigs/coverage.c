/* Edge functions in integer arithmetic. */
#include "rigs/coverage.h"

static int64_t
coverage_cross(struct point a, struct point b, struct point p)
{
    return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
}

/* Triangles are clockwise on the screen, so the inside is to the right of each edge. An upward edge
 * is a left edge, and an edge to the right is a top edge. */
static bool
coverage_inside(struct point a, struct point b, struct point c, struct point p)
{
    const struct point corners[4] = {a, b, c, a};
    for (int i = 0; i < 3; i++) {
        const struct point from = corners[i], to = corners[i + 1];
        const int64_t side = coverage_cross(from, to, p);
        const bool left = to.y < from.y, top = to.y == from.y && to.x > from.x;
        if (side < 0 || (side == 0 && !left && !top))
            return false;
    }
    return true;
}

bool
is_covered(const struct point p[3], struct point at)
{
    const int64_t area = coverage_cross(p[0], p[1], p[2]);
    if (area == 0)
        return false;
    return area > 0 ? coverage_inside(p[0], p[1], p[2], at) : coverage_inside(p[0], p[2], p[1], at);
}

struct point
random_point(uint64_t *seed, int64_t grid)
{
    const int64_t span = 96 * 256, low = -16 * 256;
    struct point p = {low + (int64_t)(random_bits(seed) % span),
                      low + (int64_t)(random_bits(seed) % span)};
    if (random_bits(seed) & 1)
        p = (struct point){p.x & -grid, p.y & -grid};
    return p;
}

struct vertex
vertex_at(struct point p)
{
    return scene_vertex((float)p.x / 256.0f, (float)p.y / 256.0f, 0.5f, 1.0f, NULL);
}
