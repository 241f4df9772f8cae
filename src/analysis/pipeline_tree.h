/* The Top-Down tree of the whole simulated pipeline. Each cycle is attributed to a cause
 * (core/path.h, src/causes.def). */
#ifndef AETIUS_ANALYSIS_PIPELINE_TREE_H
#define AETIUS_ANALYSIS_PIPELINE_TREE_H

#include "analysis/topdown.h"
#include "base/error.h"

extern const struct topdown_shape pipeline_shape;

/* Sets *value to the sum of a statistic over its instances. Returns false if no such statistic
 * exists. */
typedef bool pipeline_statistic_fn(void *data, const char *name, double *value);

/* Computes the tree, which the caller finalizes. Returns false without a tree if a statistic is
 * missing or the causes do not add up to the cycles. The run is then from another version. */
bool pipeline_tree(pipeline_statistic_fn *statistic, void *data, struct topdown_tree *tree,
                   struct error *err);

#endif
