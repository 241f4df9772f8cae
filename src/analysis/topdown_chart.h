/* Trees side by side as bars of one level, as an SVG file. */
#ifndef AETIUS_ANALYSIS_TOPDOWN_CHART_H
#define AETIUS_ANALYSIS_TOPDOWN_CHART_H

#include "analysis/topdown.h"
#include "base/error.h"

struct topdown_bar {
    const char *label;
    const struct topdown_tree *tree;
};

/* A bar a tree, all of one shape, from the nodes of `level` (and leaves above it), in percent of
 * the whole. Where there are more kinds than the chart has colours, the smallest are one, "rest".
 */
bool topdown_chart(const char *title, const struct topdown_bar *bars, uint32_t count,
                   uint32_t level, const char *path, struct error *err);

#endif
