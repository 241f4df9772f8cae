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
    uint64_t arrival;   /* cycle in which it came */
    uint32_t fragments; /* so far */
};

struct fraggen {
    struct module module;
    struct fraggen_stats stats;
    struct pools *pools;
    struct queue *in, *out;
    struct queue *credits; /* to setup: triangles that are finished */
    uint32_t quads_cycle, samples_cycle;

    /* The triangles that came; the first `batch` of them are being walked. */
    struct fraggen_waiting *waiting;
    struct ring ring;
    uint32_t batch, batch_limit;
    uint32_t finished; /* triangles that setup has not been told of */

    const struct generator *generator;
    void *walk;           /* the generator's own */
    uint64_t begun_cycle; /* in which the batch was begun */
    uint64_t free_cycle;  /* the last quads are being generated until then */
};

static inline uint32_t
least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

void fraggen_init(struct fraggen *fraggen, const struct unit_env *env, uint32_t index);

#endif
