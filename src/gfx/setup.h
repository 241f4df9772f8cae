/* Shared parts of triangle setup: setup.c (triangles), setup_line.c (lines and points),
 * smooth.c. */
#ifndef AETIUS_GFX_SETUP_H
#define AETIUS_GFX_SETUP_H

#include "gfx/clip.h"

struct setup_vertex {
    const struct vertex *v;
    float x, y, z, inv_w; /* window coordinates */
    int32_t fx, fy;       /* snapped, 1/256 pixel; pixel centers are multiples of 256 */
};

/* Window coordinate in 1/256 pixel from the first pixel's center, rounded to nearest even.
 * Coordinates beyond the guard band (and NaN) are clamped to its edge. */
int32_t setup_snap(float coordinate);

/* Computes edges and bounding box from corners in order around the shape (4 of a line or point, 3
 * of a triangle). Returns false if it has no area or touches no pixel of the bounds. */
bool setup_shape(struct triangle *out, const struct draw *draw, uint32_t corners, const int32_t x[],
                 const int32_t y[]);

/* First pixel whose center is at or after a snapped coordinate (to the right or below). */
int32_t setup_pixel(int32_t snapped);

void setup_begin(struct triangle *out, const struct draw *draw, float origin_x, float origin_y);

/* Sets z_min and z_max from the vertices' depths. */
void setup_depth_range(struct triangle *out, const struct draw *draw, float z_min, float z_max);

/* Vertex shader output that feeds a varying, or NULL: 0, 0, 0, 1. */
const float *setup_varying(const struct draw *draw, uint32_t varying, bool front,
                           const struct vertex *v);

uint32_t setup_line(const struct draw *draw, const struct setup_vertex *v1,
                    const struct setup_vertex *v2, const struct vertex *provoking, bool front,
                    struct setup_state *state, struct triangle *out);
uint32_t setup_point(const struct draw *draw, const struct setup_vertex *v,
                     const struct vertex *provoking, bool front, struct triangle *out);

/* Sets up antialiased points and lines (disabled by multisampling): out->smooth, and edges and box
 * around all coverage. */
bool smooth_point(struct triangle *out, const struct draw *draw, const struct setup_vertex *v,
                  float size);
bool smooth_line(struct triangle *out, const struct draw *draw, const struct setup_vertex *v1,
                 const struct setup_vertex *v2);
/* Covered pixels of a tile that an antialiased shape covers at least partly. */
uint64_t smooth_tile(const struct triangle *triangle, int32_t x, int32_t y, uint64_t mask);
/* Largest distance of an antialiased polygon's samples from the pixel's center, per axis in 1/256
 * pixel. smooth_gain() is the corresponding bound of an edge value's change. */
enum { SMOOTH_REACH = 96 };
int64_t smooth_gain(const struct edge *edge);

#endif
