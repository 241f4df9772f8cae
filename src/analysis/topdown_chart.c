#include "analysis/topdown_chart.h"

#include "analysis/chart.h"
#include "base/mem.h"

#include <stdlib.h>

/* Whether a node is drawn: it is on the level, or a leaf of this tree above it. */
static bool
is_drawn(const struct topdown_tree *tree, uint32_t node, uint32_t level)
{
    const uint32_t at = topdown_level(tree->shape, node);
    if (node == 0 || at > level || !topdown_tree_has(tree, node))
        return false;
    for (uint32_t i = node + 1; at < level && i < tree->shape->count; i++)
        if (tree->shape->nodes[i].parent == node && topdown_tree_has(tree, i))
            return false;
    return true;
}

/* Chooses the nodes that get a colour: all, or the largest. Returns how many there are. */
static uint32_t
choose(const struct topdown_bar *bars, uint32_t count, uint32_t level, bool *is_chosen)
{
    const struct topdown_shape *shape = bars[0].tree->shape;
    double *sums = mem_alloc(shape->count * sizeof *sums);
    uint32_t kinds = 0;
    for (uint32_t n = 0; n < shape->count; n++)
        for (uint32_t b = 0; b < count; b++)
            if (is_drawn(bars[b].tree, n, level)) {
                kinds += !is_chosen[n];
                is_chosen[n] = true;
                sums[n] += topdown_tree_share(bars[b].tree, n);
            }
    const uint32_t all = kinds;
    for (; kinds > CHART_SERIES - (all > CHART_SERIES); kinds--) {
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
topdown_chart(const char *title, const struct topdown_bar *bars, uint32_t count, uint32_t level,
              const char *path, struct error *err)
{
    struct chart chart;
    if (count == 0)
        return fail(err, "%s: there is nothing to draw", path);
    const struct topdown_shape *shape = bars[0].tree->shape;
    bool *is_chosen = mem_alloc(shape->count);
    const bool has_rest = choose(bars, count, level, is_chosen) > CHART_SERIES;
    chart_init(&chart, title, "% of all issue slots", true);
    for (uint32_t n = 0; n < shape->count; n++)
        if (is_chosen[n])
            chart.series[chart.series_count++] = shape->nodes[n].name;
    if (has_rest)
        chart.series[chart.series_count++] = "rest";
    for (uint32_t b = 0; b < count; b++) {
        double values[CHART_SERIES] = {0}, rest = 0;
        uint32_t at = 0;
        for (uint32_t n = 0; n < shape->count; n++) {
            const double share =
                is_drawn(bars[b].tree, n, level) ? 100 * topdown_tree_share(bars[b].tree, n) : 0;
            if (is_chosen[n])
                values[at++] = share;
            else
                rest += share;
        }
        if (has_rest)
            values[at] = rest;
        chart_add(&chart, bars[b].label, values);
    }
    const bool ok = chart_write(&chart, path, err);
    chart_fini(&chart);
    free(is_chosen);
    return ok;
}
