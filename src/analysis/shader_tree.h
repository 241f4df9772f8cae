/* The Top-Down tree of the simulated shaders, from the fates of their issue slots
 * (unit/shader/shader_slots.c), which are known exactly: nothing is inferred. */
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

/* The sum of a statistic over its instances; false: there is none of this name. */
typedef bool shader_statistic_fn(void *data, const char *name, double *value);

/* Makes the tree, of whole slots: what lanes divide is rounded by less than a slot, and all
 * children add up to their parents exactly. false, without one: a statistic is missing, or the
 * fates do not add up to the slots, so that this is a run of another version. */
bool shader_tree(shader_statistic_fn *statistic, void *data, struct topdown_tree *tree,
                 struct error *err);

#endif
