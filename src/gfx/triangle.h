/* From shaded vertices to covered pixels: clip test, setup, coverage.
 *
 * The functional renderer and the timed machine use the same rule. If all w > 0 and the triangle is
 * in the guard band, vertices are snapped to 1/256 pixel and edges are exact integers. Otherwise
 * the triangle is first clipped geometrically. Pixel centers are at .5. The top-left rule applies
 * in memory rows (row 0 on top). */
#ifndef AETIUS_GFX_TRIANGLE_H
#define AETIUS_GFX_TRIANGLE_H

#include "gfx/samples.h"
#include "gfx/vertex.h"

enum { SETUP_MAX_TRIANGLES = 32, MAX_EDGES = 4 };

struct edge {        /* a pixel (x, y) is inside if a * x + b * y + c >= 0 at its center */
    int64_t a, b, c; /* in 1/65536 square pixels; c includes the top-left rule */
};

struct plane { /* value at (x, y): c + a * (x + .5 - origin_x) + b * (y + .5 - origin_y) */
    float a, b, c;
};

/* Dashes of a stippled line. Its pixels are numbered along the major axis. The pixel at `first` has
 * the number `count`. */
struct line_dashes {
    bool on, x_major;
    int32_t first, step; /* step: 1 or -1 */
    uint32_t count;
};

/* Antialiased shape. It consists of all pixels with some coverage, which scales the alpha of their
 * fragments. */
enum smooth_shape { SMOOTH_NONE, SMOOTH_POINT, SMOOTH_LINE, SMOOTH_POLYGON };
struct smooth {
    enum smooth_shape shape;
    float x, y;                    /* center of a point or line */
    float along_x, along_y;        /* direction of a line, a unit vector */
    float half_length, half_width; /* half_width is also the radius of a point */
};

/* State of setup across the primitives of a draw; initially zero. */
struct setup_state {
    /* For line stipple: primitive_out.run of the current line, and the number of its pixels so
     * far. */
    uint32_t run, dash;
    /* Why the last rejected triangle was rejected: its face was culled, it has no area, or its
     * bounding box inside the bounds contains no pixel center. */
    enum setup_loss { SETUP_LOST_PIXELS, SETUP_LOST_AREA, SETUP_LOST_FACE } lost;
};

struct triangle { /* also a line or a point (a square), with 4 edges each */
    const struct draw *draw;
    bool front, is_point, is_line;
    uint8_t edge_count;
    uint32_t layer;                     /* counted from the first layer of the surfaces */
    uint32_t id;                        /* of its primitive, for VARYING_PRIMITIVE_ID */
    int32_t min_x, min_y, max_x, max_y; /* pixels, inclusive, inside draw->bounds */
    struct edge edges[MAX_EDGES];
    struct line_dashes dashes;
    struct smooth smooth;
    float origin_x, origin_y;
    struct plane z;     /* window depth with polygon offset, before clamping */
    float z_min, z_max; /* range over the vertices, clamped; for Hierarchical Z */
    struct plane inv_w;
    struct plane sprite[2];
    /* varyings[i][c]: divided by w if perspective; a = b = 0 if constant. */
    struct plane varyings[MAX_VARYINGS][4];
};

enum clip_result {
    CLIP_REJECT, /* completely outside one plane, degenerate, or with a NaN */
    CLIP_INSIDE, /* no clipping needed */
    CLIP_NEEDED,
};
enum clip_result clip_test(const struct draw *draw, const struct primitive_out *primitive,
                           const struct vertex *const v[3]);

/* Clips the primitive if needed, culls faces, and sets up triangles. Returns the number of
 * triangles, which is 0 if the primitive is culled, empty or outside the bounds. */
uint32_t setup_primitive(const struct draw *draw, const struct primitive_out *primitive,
                         const struct vertex *const v[3], enum clip_result clip,
                         struct setup_state *state, struct triangle out[SETUP_MAX_TRIANGLES]);

/* For multisampled draws (draw->multisample), a shape touches a pixel if it may touch any of its
 * samples. The bounding box and the squares below include all samples.
 *
 * The reject corner test finds squares of `size` pixels at (x, y) that an edge excludes. The accept
 * corner test finds squares that are completely inside all edges, with all samples. The bounding
 * box may still exclude some of their pixels. */
enum square_coverage { SQUARE_OUTSIDE, SQUARE_PARTIAL, SQUARE_INSIDE };
enum square_coverage raster_square(const struct triangle *triangle, int32_t x, int32_t y,
                                   int32_t size);
/* Reject corner test for a rectangle: returns whether the edges permit it to touch the triangle. */
bool raster_rectangle_touches(const struct triangle *triangle, int32_t x, int32_t y, int32_t width,
                              int32_t height);
/* Test a square against the bounding box: whether they overlap, and whether the box contains it. */
bool raster_box_touches(const struct triangle *triangle, int32_t x, int32_t y, int32_t size);
bool raster_box_contains(const struct triangle *triangle, int32_t x, int32_t y, int32_t size);

/* Returns the pixels of the 8x8 tile at (x, y), both multiples of 8, that are covered and inside
 * the bounds. The bit number is the Morton index, so bits 4q to 4q + 3 are quad q. */
uint64_t raster_tile(const struct triangle *triangle, int32_t x, int32_t y);

/* Computes the coverage (0..1) of the pixels of the quad at (x, y). Unless triangle->smooth.shape
 * is SMOOTH_NONE, the caller multiplies the alpha of the fragments by it after the fragment
 * program. */
void smooth_quad(const struct triangle *triangle, uint32_t x, uint32_t y, float coverage[4]);

/* Computes the coverage masks of all samples, limited by the sample mask. Returns the pixels with
 * at least one covered sample. Without draw->multisample all samples equal the pixel center. */
uint64_t raster_tile_samples(const struct triangle *triangle, int32_t x, int32_t y,
                             uint64_t masks[MAX_SAMPLES]);

/* Returns the sample mask of quad q (in Morton order) from the masks of a tile. */
static inline uint32_t
raster_quad_mask(const uint64_t masks[MAX_SAMPLES], uint32_t samples, uint32_t q)
{
    uint32_t mask = 0;
    for (uint32_t s = 0; s < samples; s++)
        mask |= (uint32_t)(masks[s] >> (4 * q) & 15) << (4 * s);
    return mask;
}

#endif
