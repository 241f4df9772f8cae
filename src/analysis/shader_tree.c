#include "analysis/shader_tree.h"

#include <math.h>
#include <stddef.h>

#define SUM NAN

struct counters {
#define COUNTER(name)          double name;
#define DERIVED(name, formula) double name;
#include "analysis/shader_tree.def"
};

static const struct topdown_node nodes[SHADER_NODES] = {
#define NODE(name, parent, formula, threshold, is_loss, doc, advice, parameter)                    \
    {#name, SHADER_##parent, is_loss, threshold, doc, advice, parameter},
#include "analysis/shader_tree.def"
};

const struct topdown_shape shader_shape = {nodes, SHADER_NODES, "slots"};

static bool
read_counters(shader_statistic_fn *statistic, void *data, struct counters *x, struct error *err)
{
#define COUNTER(name)                                                                              \
    if (!statistic(data, "shader." #name, &x->name))                                               \
        return fail(err, "the run has no statistic shader." #name);
#include "analysis/shader_tree.def"
    if (x->lane_slots == 0) /* no instruction issued, so there is nothing to divide */
        x->lane_slots = x->lanes_active = 1;
#define DERIVED(name, formula) x->name = formula;
#include "analysis/shader_tree.def"
    return true;
}

/* Rounds all leaves to whole slots, since dividing slots by lanes gives fractions. The remainder of
 * each leaf is carried to the next. So each leaf is off by less than one slot, and their sum is
 * exact. */
static void
make_whole(struct topdown_tree *tree)
{
    double exact = 0, whole = 0;
    for (uint32_t n = 0; n < SHADER_NODES; n++) {
        if (!topdown_tree_has(tree, n))
            continue;
        exact += tree->values[n];
        tree->values[n] = round(exact) - whole;
        whole += tree->values[n];
    }
}

bool
shader_tree(shader_statistic_fn *statistic, void *data, struct topdown_tree *tree,
            struct error *err)
{
    struct counters counters, *x = &counters;
    if (!read_counters(statistic, data, x, err))
        return false;
    topdown_tree_init(tree, &shader_shape);
#define NODE(name, parent, formula, threshold, is_loss, doc, advice, parameter)                    \
    tree->values[SHADER_##name] = formula;
#include "analysis/shader_tree.def"
    make_whole(tree);
    topdown_tree_sum(tree);
    if (tree->values[0] == x->slots)
        return true;
    fail(err, "only %.0f of the shaders' %.0f slots are attributed: another version made the run",
         tree->values[0], x->slots);
    topdown_tree_fini(tree);
    return false;
}
