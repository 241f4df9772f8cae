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

void setup_begin(struct triangle *out, const struct draw *draw, float origin_x, float origin_y);

/* z_min and z_max from the vertices' depths. */
void setup_depth_range(struct triangle *out, const struct draw *draw, float z_min, float z_max);

/* The vertex shader output that feeds a varying, or NULL: 0, 0, 0, 1. */
const float *setup_varying(const struct draw *draw, uint32_t varying, bool front,
                           const struct vertex *v);

uint32_t setup_line(const struct draw *draw, const struct setup_vertex *v1,
                    const struct setup_vertex *v2, const struct vertex *provoking, bool front,
                    struct triangle *out);
uint32_t setup_point(const struct draw *draw, const struct setup_vertex *v,
                     const struct vertex *provoking, bool front, struct triangle *out);

#endif
