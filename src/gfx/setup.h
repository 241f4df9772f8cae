/* Functions shared by triangle setup: setup.c (triangles), setup_line.c (lines and points),
 * smooth.c (antialiasing). */
#ifndef AETIUS_GFX_SETUP_H
#define AETIUS_GFX_SETUP_H

#include "gfx/clip.h"

struct setup_vertex {
    const struct vertex *v;
    float x, y, z, inv_w; /* window coordinates */
    int32_t fx, fy;       /* snapped to 1/256 pixel; pixel centers are multiples of 256 */
};

/* Converts a window coordinate to 1/256 pixel from the center of the first pixel, rounded to
 * nearest even. Coordinates beyond the guard band (and NaN) are clamped to its edge. */
int32_t setup_snap(float coordinate);

/* Computes edges and bounding box from the corners in order around the shape: 4 for a line or
 * point, 3 for a triangle. Returns false if the shape has no area or touches no pixel of the
 * bounds. */
bool setup_shape(struct triangle *out, const struct draw *draw, uint32_t corners, const int32_t x[],
                 const int32_t y[]);

/* Returns the first pixel whose center is at or after (right of or below) a snapped coordinate. */
int32_t setup_pixel(int32_t snapped);

void setup_begin(struct triangle *out, const struct draw *draw, float origin_x, float origin_y);

/* Sets z_min and z_max from the depths of the vertices. */
void setup_depth_range(struct triangle *out, const struct draw *draw, float z_min, float z_max);

/* Returns the vertex shader output that feeds a varying. NULL means 0, 0, 0, 1. */
const float *setup_varying(const struct draw *draw, uint32_t varying, bool front,
                           const struct vertex *v);

uint32_t setup_line(const struct draw *draw, const struct setup_vertex *v1,
                    const struct setup_vertex *v2, const struct vertex *provoking, bool front,
                    struct setup_state *state, struct triangle *out);
uint32_t setup_point(const struct draw *draw, const struct setup_vertex *v,
                     const struct vertex *provoking, bool front, struct triangle *out);

/* Set up antialiased points and lines (not used with multisampling): out->smooth, and edges and
 * bounding box around all covered pixels. */
bool smooth_point(struct triangle *out, const struct draw *draw, const struct setup_vertex *v,
                  float size);
bool smooth_line(struct triangle *out, const struct draw *draw, const struct setup_vertex *v1,
                 const struct setup_vertex *v2);
/* Removes the pixels that the antialiased shape does not cover at all from the mask of a tile. */
uint64_t smooth_tile(const struct triangle *triangle, int32_t x, int32_t y, uint64_t mask);
/* Largest distance of an antialiased polygon's samples from the pixel's center, per axis in 1/256
 * pixel. smooth_gain() returns the corresponding largest change of an edge value. */
enum { SMOOTH_REACH = 96 };
int64_t smooth_gain(const struct edge *edge);

#endif
