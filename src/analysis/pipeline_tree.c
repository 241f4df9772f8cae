#include "analysis/pipeline_tree.h"

#include "core/path.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

/* Share of all cycles above which a branch or a cause is significant. */
#define BRANCH_MATTERS 0.05
#define CAUSE_MATTERS  0.02

enum pipeline_node {
    NODE_cycles,
#define CAUSE(name, parent, what)  NODE_##name,
#define BRANCH(name, parent, what) NODE_##name,
#include "causes.def"
    NODES
};

static const struct topdown_node nodes[NODES] = {
    {"cycles", NODE_cycles, false, 0, "cycles, by what they were lost to", NULL, NULL},
#define CAUSE(name, parent, what)  {#name, NODE_##parent, true, CAUSE_MATTERS, what, NULL, NULL},
#define BRANCH(name, parent, what) {#name, NODE_##parent, true, BRANCH_MATTERS, what, NULL, NULL},
#include "causes.def"
};

const struct topdown_shape pipeline_shape = {nodes, NODES, "cycles"};

bool
pipeline_tree(pipeline_statistic_fn *statistic, void *data, struct topdown_tree *tree,
              struct error *err)
{
    uint32_t count;
    double cycles = 0;
    const struct path_branch *branches = path_branches(&count);
    topdown_tree_init(tree, &pipeline_shape);
    bool ok = statistic(data, "cycles", &cycles) || fail(err, "the run has no statistic cycles");
    for (uint32_t i = 0; ok && i < count; i++) {
        char name[64];
        snprintf(name, sizeof name, "lost.%s", branches[i].name);
        if (branches[i].cause >= 0 && !statistic(data, name, &tree->values[i + 1]))
            ok = fail(err, "the run has no statistic %s: another version made it", name);
    }
    if (ok)
        topdown_tree_sum(tree);
    if (ok && tree->values[NODE_cycles] != cycles)
        ok = fail(err, "only %.0f of %.0f cycles are attributed to a cause",
                  tree->values[NODE_cycles], cycles);
    if (!ok)
        topdown_tree_fini(tree);
    return ok;
}
