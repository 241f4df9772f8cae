/* Fragment Generator: walks triangles and sends 8x8 tiles with coverage (docs/design/machine.md,
 * Fragment Generator).
 *
 * In: struct triangle_item; out: struct tile_item, whose mask is not 0, and struct triangle_credit
 * to Triangle Setup. Each tile holds one reference to its triangle. The unit owns `waiting` and
 * `walk`, and frees both. fraggen_init() cannot fail. */
#ifndef AETIUS_UNIT_FRAGGEN_H
#define AETIUS_UNIT_FRAGGEN_H

#include "base/ring.h"
#include "params/params.h"
#include "unit/env.h"
#include "unit/items.h"
#include "unit/stats.h"

struct fraggen_waiting {
    struct triangle_item item;
    uint64_t arrival;   /* cycle of its arrival */
    uint32_t fragments; /* generated so far */
};

struct fraggen {
    struct module module;
    struct fraggen_stats stats;
    struct pools *pools;
    struct queue *in, *out;
    struct queue *credits; /* to Triangle Setup: finished triangles */
    uint32_t quads_cycle, samples_cycle;

    /* Triangles in order of arrival. The first `batch` of them are being walked. */
    struct fraggen_waiting *waiting;
    struct ring ring;
    uint32_t batch, batch_limit;
    uint32_t finished; /* triangles not yet reported to Triangle Setup */

    const struct generator *generator;
    void *walk;           /* the generator's state */
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
