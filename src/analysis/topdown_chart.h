/* Chart of several trees as an SVG file, with one bar per tree for one level. */
#ifndef AETIUS_ANALYSIS_TOPDOWN_CHART_H
#define AETIUS_ANALYSIS_TOPDOWN_CHART_H

#include "analysis/topdown.h"
#include "base/error.h"

struct topdown_bar {
    const char *label;
    const struct topdown_tree *tree;
};

/* All trees must have the same shape. The bars show the nodes of `level` below the node `parent`
 * (0: all), and leaves above that level, in percent of the whole. If there are more nodes than
 * colours, the smallest are merged into "rest".
 */
bool topdown_chart(const char *title, const struct topdown_bar *bars, uint32_t count,
                   uint32_t parent, uint32_t level, const char *path, struct error *err);

#endif
