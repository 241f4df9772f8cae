/* Prints Top-Down trees as bars in a terminal, as CSV and as JSON. */
#ifndef AETIUS_ANALYSIS_TOPDOWN_PRINT_H
#define AETIUS_ANALYSIS_TOPDOWN_PRINT_H

#include "analysis/topdown.h"

#include <cjson/cJSON.h>
#include <stdio.h>

struct topdown_style {
    uint32_t width; /* characters per line */
    bool has_color; /* terminal colours for flagged nodes */
    bool shows_all; /* includes nodes below their thresholds */
    uint32_t level; /* deepest level, from 1 */
    uint32_t node;  /* prints only this node and the nodes below it; 0: the whole tree */
};

/* Style for a stream: its width (base/wrap.h; 80 if unlimited), and colours if it is a terminal. */
struct topdown_style topdown_style_of(FILE *out);

/* Prints one line per node. Below level 1, prints only children of flagged parents. Marks the loss
 * to address first with <==. */
void topdown_print(const struct topdown_tree *tree, const struct topdown_style *style, FILE *out);
/* Prints the loss to address first, its size, and the recommended change. */
void topdown_print_verdict(const struct topdown_tree *tree, FILE *out);

/* The tree as nested {"name", "value", "share", "children"}; JSON null if `tree` is NULL. */
cJSON *topdown_json(const struct topdown_tree *tree, uint32_t level);
/* {"name", "share", "expected_gain", "parameter", "advice"} or null. expected_gain is null for
 * slots, which cover only some units of a machine. */
cJSON *topdown_json_verdict(const struct topdown_tree *tree);

/* Prints one CSV line per node, without a header. The cells of `lead` come first, then name, level,
 * value, share, unit, bottleneck (<== or empty), description. Takes one tree per call, because not
 * all trees may fit into memory. */
void topdown_csv(const struct topdown_tree *tree, uint32_t level, const char *const *lead,
                 uint32_t count, FILE *out);
#define TOPDOWN_CSV_COLUMNS "node,level,value,share,unit,bottleneck,description"

#endif
