/* From shaded vertices to covered pixels: clip test, setup, coverage.
 *
 * The one rule, for function and time: vertices are snapped to 1/256 pixel and edges are exact
 * integers when all w > 0 and the triangle lies in the guard band; otherwise it is clipped
 * geometrically first. Pixel centres at .5; top-left rule in memory rows (row 0 on top). */
#ifndef AETIUS_GFX_TRIANGLE_H
#define AETIUS_GFX_TRIANGLE_H

#include "gfx/samples.h"
#include "gfx/vertex.h"

enum { SETUP_MAX_TRIANGLES = 32, MAX_EDGES = 4 };

struct edge { /* inside where a * x + b * y + c >= 0, x and y whole pixels (their centres meant) */
    int64_t a, b, c; /* in 1/65536 square pixels; the tie rule is in c */
};

struct plane { /* value at (x, y): c + a * (x + .5 - origin_x) + b * (y + .5 - origin_y) */
    float a, b, c;
};

/* A stippled line's dashes: pixels are numbered along the major axis, from `count` at `first`. */
struct line_dashes {
    bool on, x_major;
    int32_t first, step; /* step: 1 or -1 */
    uint32_t count;
};

/* An antialiased shape: its pixels are those with some coverage, which scales their alpha. */
enum smooth_shape { SMOOTH_NONE, SMOOTH_POINT, SMOOTH_LINE, SMOOTH_POLYGON };
struct smooth {
    enum smooth_shape shape;
    float x, y;                    /* the middle of a point or line */
    float along_x, along_y;        /* a line's direction, a unit vector */
    float half_length, half_width; /* half_width: also a point's radius */
};

/* What setup keeps from primitive to primitive of a draw; starts as zeros. */
struct setup_state {
    uint32_t run, dash; /* of the stippled line: primitive_out.run, and pixels drawn in it so far */
    /* why the last triangle that did not come out was lost: its face was culled, it has no area, or
     * no pixel centre lies in its bounding box inside the bounds */
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
    struct plane z;     /* window depth, polygon offset in it, before clamping */
    float z_min, z_max; /* over its vertices, clamped to the depth range, for hierarchical Z */
    struct plane inv_w;
    struct plane sprite[2];
    /* varyings[i][c]: over w when perspective; a = b = 0 when constant */
    struct plane varyings[MAX_VARYINGS][4];
};

enum clip_result {
    CLIP_REJECT, /* outside one plane wholly, or degenerate, or culled by a NaN */
    CLIP_INSIDE, /* no clipping needed */
    CLIP_NEEDED,
};
enum clip_result clip_test(const struct draw *draw, const struct primitive_out *primitive,
                           const struct vertex *const v[3]);

/* Clips if needed, culls faces, and sets up; returns how many triangles came out (0: culled, empty
 * or off the bounds). */
uint32_t setup_primitive(const struct draw *draw, const struct primitive_out *primitive,
                         const struct vertex *const v[3], enum clip_result clip,
                         struct setup_state *state, struct triangle out[SETUP_MAX_TRIANGLES]);

/* Multisampled (draw->multisample) a pixel is touched when any of its samples may be: the bounding
 * box and the squares below then have room for them all.
 *
 * Whether the square of `size` pixels at (x, y) can touch the triangle by its edges alone (reject
 * corner test), and whether it is all inside (accept corner test). */
enum square_coverage { SQUARE_OUTSIDE, SQUARE_PARTIAL, SQUARE_INSIDE };
enum square_coverage raster_square(const struct triangle *triangle, int32_t x, int32_t y,
                                   int32_t size);
/* The reject corner test of a rectangle: whether it can touch the triangle by its edges alone. */
bool raster_rectangle_touches(const struct triangle *triangle, int32_t x, int32_t y, int32_t width,
                              int32_t height);
/* A square against the bounding box. */
bool raster_box_touches(const struct triangle *triangle, int32_t x, int32_t y, int32_t size);

/* Pixels of the 8x8 tile at (x, y) (multiples of 8) that are covered and inside the bounds, bit =
 * Morton index, so that bits 4q .. 4q+3 are quad q. */
uint64_t raster_tile(const struct triangle *triangle, int32_t x, int32_t y);

/* Coverage of the quad's pixels at (x, y), 0..1, by which a fragment's alpha is multiplied behind
 * the fragment program when triangle->smooth.shape is not SMOOTH_NONE. */
void smooth_quad(const struct triangle *triangle, uint32_t x, uint32_t y, float coverage[4]);

/* The same for each sample of the framebuffer's pixels, cut by the sample mask; returns the pixels
 * of which any sample is covered. Without draw->multisample all samples are as the pixel centre. */
uint64_t raster_tile_samples(const struct triangle *triangle, int32_t x, int32_t y,
                             uint64_t masks[MAX_SAMPLES]);

/* The sample mask of quad q (Morton order) out of a tile's masks. */
static inline uint32_t
raster_quad_mask(const uint64_t masks[MAX_SAMPLES], uint32_t samples, uint32_t q)
{
    uint32_t mask = 0;
    for (uint32_t s = 0; s < samples; s++)
        mask |= (uint32_t)(masks[s] >> (4 * q) & 15) << (4 * s);
    return mask;
}

#endif
