/* The Top-Down tree of the simulated shaders, computed from the fates of their issue slots
 * (unit/shader/shader_slots.c). The fates are exact counts, not estimates. */
#ifndef AETIUS_ANALYSIS_SHADER_TREE_H
#define AETIUS_ANALYSIS_SHADER_TREE_H

#include "analysis/topdown.h"
#include "base/error.h"

enum shader_node {
#define NODE(name, ...) SHADER_##name,
#include "analysis/shader_tree.def"
    SHADER_NODES
};

extern const struct topdown_shape shader_shape;

/* Sets *value to the sum of a statistic over its instances. Returns false if no such statistic
 * exists. */
typedef bool shader_statistic_fn(void *data, const char *name, double *value);

/* Computes the tree in whole slots. The caller finalizes it. Fractions per lane are rounded by less
 * than one slot, and children add up exactly. Returns false without a tree if a statistic is
 * missing or the fates do not add up to the slots. The run is then from another version. */
bool shader_tree(shader_statistic_fn *statistic, void *data, struct topdown_tree *tree,
                 struct error *err);

#endif
