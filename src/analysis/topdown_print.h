/* Trees of the Top-Down method for people (bars in a terminal), as CSV and as JSON. */
#ifndef AETIUS_ANALYSIS_TOPDOWN_PRINT_H
#define AETIUS_ANALYSIS_TOPDOWN_PRINT_H

#include "analysis/topdown.h"

#include <cjson/cJSON.h>
#include <stdio.h>

struct topdown_style {
    uint32_t width; /* of a line, in characters */
    bool has_color; /* the terminal's colours for what is flagged */
    bool shows_all; /* nodes below their thresholds, too */
    uint32_t level; /* the deepest, from 1 */
};

/* Of the stream: its width (base/wrap.h; 80 of one without an end), and colours where it is a
 * terminal. */
struct topdown_style topdown_style_of(FILE *out);

/* A line a node. Below the first level children stand only under a flagged parent; the loss to go
 * after is marked with <==. */
void topdown_print(const struct topdown_tree *tree, const struct topdown_style *style, FILE *out);
/* The loss to go after, how much it is, and what to change. */
void topdown_print_verdict(const struct topdown_tree *tree, FILE *out);

/* The nodes from the root down, as {"name", "value", "share", "children"}; NULL: null. */
cJSON *topdown_json(const struct topdown_tree *tree, uint32_t level);
/* {"name", "share", "expected_gain" (of slots of a part of a machine: null), "parameter", "advice"}
 * or null. */
cJSON *topdown_json_verdict(const struct topdown_tree *tree);

/* A line a node, without a first line: the cells of `lead`, then name, level, value, share, unit,
 * bottleneck (<== or nothing), description. A tree at a time: there may be more than fit into
 * memory. */
void topdown_csv(const struct topdown_tree *tree, uint32_t level, const char *const *lead,
                 uint32_t count, FILE *out);
#define TOPDOWN_CSV_COLUMNS "node,level,value,share,unit,bottleneck,description"

#endif
