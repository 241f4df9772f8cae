/* What the files of triangle setup share: setup.c (triangles), setup_line.c (lines and points). */
#ifndef AETIUS_GFX_SETUP_H
#define AETIUS_GFX_SETUP_H

#include "gfx/clip.h"

struct setup_vertex {
    const struct vertex *v;
    float x, y, z, inv_w; /* window coordinates */
    int32_t fx, fy;       /* snapped, 1/256 pixel; pixel centres are multiples of 256 */
};

/* A window coordinate in 1/256 pixel from the first pixel's centre, to nearest even; whatever lies
 * beyond the guard band (NaN too) goes to its rim. */
int32_t setup_snap(float coordinate);

/* Corners in order around the shape (4 of a line or point, 3 of a triangle) to edges and bounding
 * box; false when it has no area or touches no pixel of the bounds. */
bool setup_shape(struct triangle *out, const struct draw *draw, uint32_t corners, const int32_t x[],
                 const int32_t y[]);

/* First pixel whose centre is at or right of (below) a snapped coordinate. */
int32_t setup_pixel(int32_t snapped);

void setup_begin(struct triangle *out, const struct draw *draw, float origin_x, float origin_y);

/* z_min and z_max from the vertices' depths. */
void setup_depth_range(struct triangle *out, const struct draw *draw, float z_min, float z_max);

/* The vertex shader output that feeds a varying, or NULL: 0, 0, 0, 1. */
const float *setup_varying(const struct draw *draw, uint32_t varying, bool front,
                           const struct vertex *v);

uint32_t setup_line(const struct draw *draw, const struct setup_vertex *v1,
                    const struct setup_vertex *v2, const struct vertex *provoking, bool front,
                    struct setup_state *state, struct triangle *out);
uint32_t setup_point(const struct draw *draw, const struct setup_vertex *v,
                     const struct vertex *provoking, bool front, struct triangle *out);

/* Shapes of antialiased points and lines (which multisampling turns off): out->smooth, edges and
 * box around all coverage. */
bool smooth_point(struct triangle *out, const struct draw *draw, const struct setup_vertex *v,
                  float size);
bool smooth_line(struct triangle *out, const struct draw *draw, const struct setup_vertex *v1,
                 const struct setup_vertex *v2);
/* Of the covered pixels of a tile, those with some coverage by an antialiased shape. */
uint64_t smooth_tile(const struct triangle *triangle, int32_t x, int32_t y, uint64_t mask);
/* How far an antialiased polygon's samples lie from the pixel's centre: in 1/256 pixel, and as what
 * an edge can gain. */
enum { SMOOTH_REACH = 96 };
int64_t smooth_gain(const struct edge *edge);

#endif
