/* Points of the sweeps of benchmarks/gl/model: parameters of the draws, and the GLSL programs. */
#ifndef AETIUS_BENCHMARKS_MODEL_POINTS_H
#define AETIUS_BENCHMARKS_MODEL_POINTS_H

#include "model/row.h"

enum { MODEL_MOST_POINTS = 1024 };

struct point {
    struct model_row row;
    uint32_t width, height; /* of the target, in pixels */
    uint32_t columns, rows; /* cells of two triangles each */
};

struct points {
    struct point items[MODEL_MOST_POINTS];
    uint32_t count, divide;
    const char *patterns; /* of the sweep `dependent`, comma-separated; NULL: all named patterns */
    bool failed;          /* an unknown pattern, or too many points */
};

/* Appends the points of a sweep, or of all sweeps ("all"), with 1 / `divide` of the width and
 * height. Returns false if no sweep or pattern has that name, or if there are too many points. */
bool points_add(struct points *points, const char *sweep, uint32_t divide);

/* Returns the text of the fragment shader. The caller frees it. */
char *point_shader(const struct point *point);

#endif
