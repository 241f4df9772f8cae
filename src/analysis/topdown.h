/* Trees of the Top-Down method: what was possible (a machine's issue slots, or cycles) is divided
 * among the work that was done and the causes that it was lost to, level by level, so that the
 * children of a node add up to it. A shape says which nodes there are; a tree holds their values. A
 * source (a profile of NVIDIA's tools: nvidia.h) fills the leaves and calls topdown_tree_sum();
 * what prints, charts or compares trees knows nothing of the source. */
#ifndef AETIUS_ANALYSIS_TOPDOWN_H
#define AETIUS_ANALYSIS_TOPDOWN_H

#include <stdbool.h>
#include <stdint.h>

struct topdown_node {
    const char *name;
    uint32_t parent;  /* a lower index; of the root (node 0) its own */
    bool is_loss;     /* what would be gained without it; else work that was done */
    double threshold; /* the share of the whole from which on it matters, 0 to 1 */
    const char *doc;
    const char *advice;    /* what to change; may be NULL */
    const char *parameter; /* of the machine that changes it, "SECTION.Name"; may be NULL */
};

struct topdown_shape {
    const struct topdown_node *nodes; /* parents before their children */
    uint32_t count;
    const char *unit; /* "ipc", "slots", "cycles" */
};

struct topdown_tree {
    const struct topdown_shape *shape;
    double *values; /* one a node, in the shape's unit; NAN: the tree has no such node */
};

/* Without any node. */
void topdown_tree_init(struct topdown_tree *tree, const struct topdown_shape *shape);
void topdown_tree_fini(struct topdown_tree *tree);

/* Gives every node that has children and no value of its own the sum of them. */
void topdown_tree_sum(struct topdown_tree *tree);
/* Whether the children of every node add up to it, within `tolerance` of the whole. */
bool topdown_tree_adds_up(const struct topdown_tree *tree, double tolerance);
/* Adds `weight` times the values; a node that only one has is taken as 0 in the other. */
void topdown_tree_add(struct topdown_tree *tree, const struct topdown_tree *other, double weight);
void topdown_tree_scale(struct topdown_tree *tree, double factor);

bool topdown_tree_has(const struct topdown_tree *tree, uint32_t node);
/* Of the whole, 0 to 1. */
double topdown_tree_share(const struct topdown_tree *tree, uint32_t node);
/* 1 for the children of the root, whose level is 0. */
uint32_t topdown_level(const struct topdown_shape *shape, uint32_t node);
/* The node behind this one when every node is followed by its children; 0: it was the last. */
uint32_t topdown_next(const struct topdown_shape *shape, uint32_t node);
/* Whether it and all above it reach their thresholds. */
bool topdown_tree_flagged(const struct topdown_tree *tree, uint32_t node);
/* The loss to go after: from the root down to the largest flagged loss each time. 0: none. */
uint32_t topdown_tree_verdict(const struct topdown_tree *tree);

#endif
