#include "analysis/topdown_chart.h"

#include "analysis/plot.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_KINDS = 10 }; /* number of colours that remain distinguishable */

/* Whether the chart shows a node: it is on `level`, or it is a leaf of this tree above `level`. */
static bool
is_drawn(const struct topdown_tree *tree, uint32_t node, uint32_t parent, uint32_t level)
{
    const uint32_t at = topdown_level(tree->shape, node);
    if (node == 0 || at > level || !topdown_tree_has(tree, node) ||
        !topdown_is_below(tree->shape, node, parent))
        return false;
    for (uint32_t i = node + 1; at < level && i < tree->shape->count; i++)
        if (tree->shape->nodes[i].parent == node && topdown_tree_has(tree, i))
            return false;
    return true;
}

/* Selects the nodes that get a colour: all nodes, or the largest. Returns the number of shown
 * nodes. */
static uint32_t
topdown_chart_choose(const struct topdown_bar *bars, uint32_t count, uint32_t parent,
                     uint32_t level, bool *is_chosen)
{
    const struct topdown_shape *shape = bars[0].tree->shape;
    double *sums = mem_array(shape->count, sizeof *sums);
    uint32_t kinds = 0;
    for (uint32_t n = 0; n < shape->count; n++)
        for (uint32_t b = 0; b < count; b++)
            if (is_drawn(bars[b].tree, n, parent, level)) {
                kinds += !is_chosen[n];
                is_chosen[n] = true;
                sums[n] += topdown_tree_share(bars[b].tree, n);
            }
    const uint32_t all = kinds;
    for (; kinds > MOST_KINDS - (all > MOST_KINDS); kinds--) {
        uint32_t least = 0;
        for (uint32_t n = 1; n < shape->count; n++)
            if (is_chosen[n] && (least == 0 || sums[n] < sums[least]))
                least = n;
        is_chosen[least] = false;
    }
    free(sums);
    return all;
}

bool
topdown_chart(const char *title, const struct topdown_bar *bars, uint32_t count, uint32_t parent,
              uint32_t level, const char *path, struct error *err)
{
    struct plot plot;
    if (count == 0)
        return fail(err, "%s: nothing to draw", path);
    const struct topdown_shape *shape = bars[0].tree->shape;
    bool *is_chosen = mem_alloc(shape->count);
    const bool has_rest = topdown_chart_choose(bars, count, parent, level, is_chosen) > MOST_KINDS;
    plot_init(&plot, PLOT_STACKED, title,
              strcmp(shape->unit, "cycles") ? "% of all issue slots" : "% of all cycles");
    plot.extra = parent ? "set yrange [0:*]" : "set yrange [0:100]";
    for (uint32_t n = 0; n < shape->count; n++)
        if (is_chosen[n])
            plot_add_series(&plot, shape->nodes[n].name);
    if (has_rest)
        plot_add_series(&plot, "rest");
    for (uint32_t b = 0; b < count; b++) {
        double values[MOST_KINDS] = {0}, rest = 0;
        uint32_t at = 0;
        for (uint32_t n = 0; n < shape->count; n++) {
            const double share = is_drawn(bars[b].tree, n, parent, level)
                                     ? 100 * topdown_tree_share(bars[b].tree, n)
                                     : 0;
            if (is_chosen[n])
                values[at++] = share;
            else
                rest += share;
        }
        if (has_rest)
            values[at] = rest;
        plot_add(&plot, bars[b].label, values);
    }
    const bool ok = plot_draw(&plot, path, err);
    plot_fini(&plot);
    free(is_chosen);
    return ok;
}
