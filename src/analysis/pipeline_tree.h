/* The Top-Down tree of the whole simulated pipeline: each cycle, given to the cause that it was
 * lost to (core/path.h, src/causes.def). */
#ifndef AETIUS_ANALYSIS_PIPELINE_TREE_H
#define AETIUS_ANALYSIS_PIPELINE_TREE_H

#include "analysis/topdown.h"
#include "base/error.h"

extern const struct topdown_shape pipeline_shape;

/* The sum of a statistic over its instances; false: there is none of this name. */
typedef bool pipeline_statistic_fn(void *data, const char *name, double *value);

/* Makes the tree. false, without one: a statistic is missing, or causes do not add up to the
 * cycles, so that this is a run of another version. */
bool pipeline_tree(pipeline_statistic_fn *statistic, void *data, struct topdown_tree *tree,
                   struct error *err);

#endif
