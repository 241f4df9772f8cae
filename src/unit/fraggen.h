/* Fragment generator: walks triangles, gives 8x8 tiles with coverage. */
#ifndef AETIUS_UNIT_FRAGGEN_H
#define AETIUS_UNIT_FRAGGEN_H

#include "kernel/params.h"
#include "unit/fraggen_levels.h"
#include "unit/fraggen_search.h"
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
    struct queue *places; /* to setup: triangles that are finished */
    enum generator generator;
    uint32_t quads_cycle, steps_cycle, samples_cycle;

    /* The triangles that came, a ring; the first `batch` of them are being walked. */
    struct fraggen_waiting *waiting;
    uint32_t head, count, capacity;
    uint32_t batch, batch_limit;
    uint32_t finished; /* triangles that setup has not been told of */

    struct fraggen_search search; /* scan and recursive: finds scan tiles */
    /* the step in hand: an 8x8 tile of a generation tile of a scan tile, for a triangle */
    bool has_scan_tile;
    struct fraggen_scan_tile scan_tile;
    uint32_t gen_x, gen_y;   /* generation tile in the scan tile, in pixels */
    uint32_t triangle;       /* of the batch */
    uint32_t sub_x, sub_y;   /* 8x8 tile in the generation tile, in pixels */
    bool in_step, step_gave; /* the step has begun; it gave a tile */
    uint32_t gen_width, gen_height;
    uint64_t gen_masks[16]; /* fragments of a tile that lie in each smaller generation tile */
    uint32_t owed;          /* quads generated ahead of this cycle's */
    uint64_t free_cycle;    /* the last quads are being generated until then */

    struct levels levels; /* seven-level */
    struct levels_tile level_tile;
    bool has_level_tile;
};

void fraggen_init(struct fraggen *fraggen, struct clock *clock, const struct params *params,
                  struct pools *pools);
void fraggen_fini(struct fraggen *fraggen);

#endif
