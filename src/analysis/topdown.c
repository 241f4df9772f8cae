#include "analysis/topdown.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void
topdown_tree_init(struct topdown_tree *tree, const struct topdown_shape *shape)
{
    tree->shape = shape;
    tree->values = mem_array(shape->count, sizeof *tree->values);
    for (uint32_t i = 0; i < shape->count; i++)
        tree->values[i] = NAN;
}

void
topdown_tree_fini(struct topdown_tree *tree)
{
    free(tree->values);
    tree->values = NULL;
}

bool
topdown_tree_has(const struct topdown_tree *tree, uint32_t node)
{
    return !isnan(tree->values[node]);
}

/* Sum of a node's children; NAN if it has no children. */
static double
sum_of_children(const struct topdown_tree *tree, uint32_t node)
{
    double sum = NAN;
    for (uint32_t i = node + 1; i < tree->shape->count; i++)
        if (tree->shape->nodes[i].parent == node && topdown_tree_has(tree, i))
            sum = isnan(sum) ? tree->values[i] : sum + tree->values[i];
    return sum;
}

void
topdown_tree_sum(struct topdown_tree *tree)
{
    for (uint32_t i = tree->shape->count; i-- > 0;)
        if (!topdown_tree_has(tree, i))
            tree->values[i] = sum_of_children(tree, i);
}

bool
topdown_tree_adds_up(const struct topdown_tree *tree, double tolerance)
{
    for (uint32_t i = 0; i < tree->shape->count; i++) {
        const double sum = sum_of_children(tree, i);
        if (!isnan(sum) && !(fabs(sum - tree->values[i]) <= tolerance * fabs(tree->values[0])))
            return false;
    }
    return true;
}

void
topdown_tree_add(struct topdown_tree *tree, const struct topdown_tree *other, double weight)
{
    for (uint32_t i = 0; i < tree->shape->count; i++)
        if (topdown_tree_has(other, i))
            tree->values[i] =
                (topdown_tree_has(tree, i) ? tree->values[i] : 0) + weight * other->values[i];
}

void
topdown_tree_scale(struct topdown_tree *tree, double factor)
{
    for (uint32_t i = 0; i < tree->shape->count; i++)
        tree->values[i] *= factor;
}

double
topdown_tree_share(const struct topdown_tree *tree, uint32_t node)
{
    return tree->values[0] > 0 ? tree->values[node] / tree->values[0] : 0;
}

uint32_t
topdown_find(const struct topdown_shape *shape, const char *name)
{
    uint32_t node = shape->count - 1;
    while (node && strcmp(shape->nodes[node].name, name))
        node--;
    return node;
}

bool
topdown_is_below(const struct topdown_shape *shape, uint32_t node, uint32_t ancestor)
{
    while (node != ancestor && node != 0)
        node = shape->nodes[node].parent;
    return node == ancestor;
}

uint32_t
topdown_level(const struct topdown_shape *shape, uint32_t node)
{
    uint32_t level = 0;
    for (; node != 0; node = shape->nodes[node].parent)
        level++;
    return level;
}

/* The first child of `parent` at or after node `from`; 0: no child. */
static uint32_t
find_child(const struct topdown_shape *shape, uint32_t parent, uint32_t from)
{
    for (uint32_t i = from; i < shape->count; i++)
        if (shape->nodes[i].parent == parent)
            return i;
    return 0;
}

uint32_t
topdown_next(const struct topdown_shape *shape, uint32_t node)
{
    uint32_t next = find_child(shape, node, node + 1);
    for (; !next && node; node = shape->nodes[node].parent)
        next = find_child(shape, shape->nodes[node].parent, node + 1);
    return next;
}

bool
topdown_tree_flagged(const struct topdown_tree *tree, uint32_t node)
{
    for (; node != 0; node = tree->shape->nodes[node].parent)
        if (!(topdown_tree_share(tree, node) >= tree->shape->nodes[node].threshold))
            return false;
    return true;
}

uint32_t
topdown_tree_verdict(const struct topdown_tree *tree)
{
    uint32_t at = 0;
    for (uint32_t best = 0;; at = best, best = 0) {
        for (uint32_t i = at + 1; i < tree->shape->count; i++) {
            const struct topdown_node *node = &tree->shape->nodes[i];
            if (node->parent == at && node->is_loss && topdown_tree_has(tree, i) &&
                topdown_tree_flagged(tree, i) &&
                (best == 0 || tree->values[i] > tree->values[best]))
                best = i;
        }
        if (best == 0)
            return at;
    }
}
