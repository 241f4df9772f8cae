/* Trees of the Top-Down method. The root is the capacity of a machine, in issue slots or cycles.
 * Each level divides this capacity among useful work and causes of loss, so that children add up to
 * their parent. A shape defines the nodes. A tree contains their values.
 *
 * A source of trees, such as nvidia.h for NVIDIA's profilers, fills the leaves and calls
 * topdown_tree_sum(). Printing, charts and comparisons do not depend on the source. */
#ifndef AETIUS_ANALYSIS_TOPDOWN_H
#define AETIUS_ANALYSIS_TOPDOWN_H

#include <stdbool.h>
#include <stdint.h>

enum { TOPDOWN_LEVELS = 4 }; /* of the deepest tree */

struct topdown_node {
    const char *name;
    uint32_t parent;  /* index below the node's own; the root (node 0) is its own parent */
    bool is_loss;     /* a loss that an improvement could recover; otherwise useful work */
    double threshold; /* share of the whole above which the node is significant, 0 to 1 */
    const char *doc;
    const char *advice; /* recommended change; may be NULL */
    /* machine parameter that affects the node, "SECTION.Name"; may be NULL */
    const char *parameter;
};

struct topdown_shape {
    const struct topdown_node *nodes; /* parents come before their children */
    uint32_t count;
    const char *unit; /* "ipc", "slots", "cycles" */
};

struct topdown_tree {
    const struct topdown_shape *shape;
    double *values; /* one per node, in the shape's unit; NAN: the tree lacks the node */
};

/* Initializes a tree without nodes. */
void topdown_tree_init(struct topdown_tree *tree, const struct topdown_shape *shape);
void topdown_tree_fini(struct topdown_tree *tree);

/* Sets every node that has children and no value to the sum of its children. */
void topdown_tree_sum(struct topdown_tree *tree);
/* Whether the children of every node add up to it, within `tolerance` (a share of the whole). */
bool topdown_tree_adds_up(const struct topdown_tree *tree, double tolerance);
/* Adds the other tree's values times `weight`. A node that one tree lacks counts as 0. */
void topdown_tree_add(struct topdown_tree *tree, const struct topdown_tree *other, double weight);
void topdown_tree_scale(struct topdown_tree *tree, double factor);

bool topdown_tree_has(const struct topdown_tree *tree, uint32_t node);
/* Share of the whole, 0 to 1. */
double topdown_tree_share(const struct topdown_tree *tree, uint32_t node);
/* Node with this name; 0 (the root): none. */
uint32_t topdown_find(const struct topdown_shape *shape, const char *name);
/* Whether a node is `ancestor` or below it. */
bool topdown_is_below(const struct topdown_shape *shape, uint32_t node, uint32_t ancestor);
/* Level of a node: the root is 0, its children are 1. */
uint32_t topdown_level(const struct topdown_shape *shape, uint32_t node);
/* Next node in preorder; 0 after the last. */
uint32_t topdown_next(const struct topdown_shape *shape, uint32_t node);
/* Whether the node and all its ancestors reach their thresholds. */
bool topdown_tree_flagged(const struct topdown_tree *tree, uint32_t node);
/* The loss to address first. Descends from the root to the largest flagged loss on each level. 0:
 * no loss is flagged. */
uint32_t topdown_tree_verdict(const struct topdown_tree *tree);

#endif
