/* The points of the sweeps of benchmarks/gl/model: what to draw, and the GLSL that does it. */
#ifndef AETIUS_BENCHMARKS_MODEL_POINTS_H
#define AETIUS_BENCHMARKS_MODEL_POINTS_H

#include "model/row.h"

enum { MODEL_MOST_POINTS = 1024, SPRING_ROUNDS = 30, SPRING_GEOMETRY = 1024 };

struct point {
    struct model_row row;
    uint32_t width, height; /* of the target, in pixels */
    uint32_t columns, rows; /* of cells of two triangles */
};

struct points {
    struct point items[MODEL_MOST_POINTS];
    uint32_t count, divide;
};

/* Appends the points of a sweep, or of all ("all"), `divide` times narrower and lower; false: there
 * is none of that name. */
bool points_add(struct points *points, const char *sweep, uint32_t divide);

/* The fragment shader; the caller frees. */
char *point_shader(const struct point *point);

#endif
