/* Points of the sweeps of benchmarks/gl/model: parameters of the draws, and the GLSL programs. */
#ifndef AETIUS_BENCHMARKS_MODEL_POINTS_H
#define AETIUS_BENCHMARKS_MODEL_POINTS_H

#include "model/row.h"

struct point {
    struct model_row row;
    uint32_t width, height; /* of the target, in pixels */
    uint32_t columns, rows; /* cells of two triangles each */
};

struct points {
    VEC(struct point) items;
    uint32_t divide;      /* the width and height of frames are divided by `divide` */
    bool large;           /* also the points with many fragments or large textures */
    uint32_t step;        /* large points of `dependent`: from side to side; 0: a few sides */
    const char *patterns; /* of the sweep `dependent`, comma-separated; NULL: all named patterns */
    bool failed;          /* an unknown pattern */
};

/* Appends the points of a sweep, or of all sweeps ("all"). Returns false if no sweep or pattern has
 * that name. The caller frees `items`. */
bool points_add(struct points *points, const char *sweep);

/* Returns the text of the fragment shader. The caller frees it. */
char *point_shader(const struct point *point);

#endif
