/* From shaded vertices to covered pixels: clip test, setup, coverage.
 *
 * One rule holds for function and time. If all w > 0 and the triangle is in the guard band,
 * vertices are snapped to 1/256 pixel and edges are exact integers. Otherwise the triangle is
 * clipped geometrically first. Pixel centers are at .5; the top-left rule applies in memory rows
 * (row 0 on top). */
#ifndef AETIUS_GFX_TRIANGLE_H
#define AETIUS_GFX_TRIANGLE_H

#include "gfx/samples.h"
#include "gfx/vertex.h"

enum { SETUP_MAX_TRIANGLES = 32, MAX_EDGES = 4 };

struct edge {        /* inside: a * x + b * y + c >= 0 for pixel (x, y), meaning its center */
    int64_t a, b, c; /* in 1/65536 square pixels; c includes the tie rule */
};

struct plane { /* value at (x, y): c + a * (x + .5 - origin_x) + b * (y + .5 - origin_y) */
    float a, b, c;
};

/* Dashes of a stippled line. Its pixels are numbered along the major axis, from `count` at
 * `first`. */
struct line_dashes {
    bool on, x_major;
    int32_t first, step; /* step: 1 or -1 */
    uint32_t count;
};

/* An antialiased shape. Its pixels are those with some coverage, which scales their alpha. */
enum smooth_shape { SMOOTH_NONE, SMOOTH_POINT, SMOOTH_LINE, SMOOTH_POLYGON };
struct smooth {
    enum smooth_shape shape;
    float x, y;                    /* center of a point or line */
    float along_x, along_y;        /* a line's direction, a unit vector */
    float half_length, half_width; /* half_width: also a point's radius */
};

/* State of setup between primitives of a draw; initially zeros. */
struct setup_state {
    /* Of the stippled line: primitive_out.run, and the number of pixels drawn in it so far. */
    uint32_t run, dash;
    /* Reason for the last triangle that was lost: its face was culled, it has no area, or its
     * bounding box inside the bounds contains no pixel center. */
    enum setup_loss { SETUP_LOST_PIXELS, SETUP_LOST_AREA, SETUP_LOST_FACE } lost;
};

struct triangle { /* also a line (4 edges) or a point (a square: 4 edges) */
    const struct draw *draw;
    bool front, is_point, is_line;
    uint8_t edge_count;
    int32_t min_x, min_y, max_x, max_y; /* pixels, inclusive, inside draw->bounds */
    struct edge edges[MAX_EDGES];
    struct line_dashes dashes;
    struct smooth smooth;
    float origin_x, origin_y;
    struct plane z;     /* window depth with polygon offset, before clamping */
    float z_min, z_max; /* over its vertices, clamped to the depth range; for Hierarchical Z */
    struct plane inv_w;
    struct plane sprite[2];
    /* varyings[i][c]: over w if perspective; a = b = 0 if constant */
    struct plane varyings[MAX_VARYINGS][4];
};

enum clip_result {
    CLIP_REJECT, /* completely outside one plane, or degenerate, or with a NaN */
    CLIP_INSIDE, /* no clipping needed */
    CLIP_NEEDED,
};
enum clip_result clip_test(const struct draw *draw, const struct primitive_out *primitive,
                           const struct vertex *const v[3]);

/* Clips if needed, culls faces, and sets up triangles. Returns their number (0: culled, empty or
 * outside the bounds). */
uint32_t setup_primitive(const struct draw *draw, const struct primitive_out *primitive,
                         const struct vertex *const v[3], enum clip_result clip,
                         struct setup_state *state, struct triangle out[SETUP_MAX_TRIANGLES]);

/* Multisampled (draw->multisample): a shape touches a pixel if it may touch any of its samples. The
 * bounding box and the squares below include all samples.
 *
 * The reject corner test finds squares of `size` pixels at (x, y) that the edges exclude. The
 * accept corner test finds those that are completely inside. */
enum square_coverage { SQUARE_OUTSIDE, SQUARE_PARTIAL, SQUARE_INSIDE };
enum square_coverage raster_square(const struct triangle *triangle, int32_t x, int32_t y,
                                   int32_t size);
/* Reject corner test of a rectangle: whether it can touch the triangle by its edges alone. */
bool raster_rectangle_touches(const struct triangle *triangle, int32_t x, int32_t y, int32_t width,
                              int32_t height);
/* Tests a square against the bounding box. */
bool raster_box_touches(const struct triangle *triangle, int32_t x, int32_t y, int32_t size);

/* Pixels of the 8x8 tile at (x, y) (multiples of 8) that are covered and inside the bounds. The bit
 * number is the Morton index, so bits 4q .. 4q+3 are quad q. */
uint64_t raster_tile(const struct triangle *triangle, int32_t x, int32_t y);

/* Coverage of the quad's pixels at (x, y), 0..1. The fragment's alpha is multiplied by it after the
 * fragment program, unless triangle->smooth.shape is SMOOTH_NONE. */
void smooth_quad(const struct triangle *triangle, uint32_t x, uint32_t y, float coverage[4]);

/* The coverage masks of all samples, limited by the sample mask. Returns the pixels with any
 * covered sample. Without draw->multisample all samples equal the pixel center. */
uint64_t raster_tile_samples(const struct triangle *triangle, int32_t x, int32_t y,
                             uint64_t masks[MAX_SAMPLES]);

/* Sample mask of quad q (Morton order) from a tile's masks. */
static inline uint32_t
raster_quad_mask(const uint64_t masks[MAX_SAMPLES], uint32_t samples, uint32_t q)
{
    uint32_t mask = 0;
    for (uint32_t s = 0; s < samples; s++)
        mask |= (uint32_t)(masks[s] >> (4 * q) & 15) << (4 * s);
    return mask;
}

#endif
