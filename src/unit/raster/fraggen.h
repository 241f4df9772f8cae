/* Fragment Generator: walks triangles and sends the 8x8 tiles that they cover
 * (docs/design/machine.md, Fragment Generator).
 *
 * Input: struct triangle_item. Output: struct tile_item with a nonzero mask, and struct
 * triangle_credit to Triangle Setup. Each tile owns one reference to its triangle. The unit owns
 * `waiting` and `walk`, and frees both. fraggen_init() cannot fail. */
#ifndef AETIUS_UNIT_FRAGGEN_H
#define AETIUS_UNIT_FRAGGEN_H

#include "base/ring.h"
#include "params/params.h"
#include "unit/env.h"
#include "unit/items.h"
#include "unit/stats.h"

struct fraggen_waiting {
    struct triangle_item item;
    uint64_t arrival;   /* cycle in which the triangle arrived */
    uint32_t fragments; /* number of fragments generated so far */
};

struct fraggen {
    struct module module;
    struct fraggen_stats stats;
    struct pools *pools;
    struct queue *in, *out;
    struct queue *credits; /* reports finished triangles to Triangle Setup */
    uint32_t quads_cycle, samples_cycle;

    /* Triangles in order of arrival. The generator is walking the first `batch` of them. */
    struct fraggen_waiting *waiting;
    struct ring ring;
    uint32_t batch, batch_limit;
    uint32_t finished; /* finished triangles not yet reported to Triangle Setup */

    const struct generator *generator;
    void *walk;           /* state of the generator */
    uint64_t begun_cycle; /* first cycle of the batch */
    uint64_t free_cycle;  /* cycle in which the last quads are complete */
};

static inline uint32_t
least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

void fraggen_init(struct fraggen *fraggen, const struct unit_env *env, uint32_t index);

#endif
