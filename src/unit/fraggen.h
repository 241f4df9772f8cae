/* Fragment generator: walks triangles, gives 8x8 tiles with coverage. */
#ifndef AETIUS_UNIT_FRAGGEN_H
#define AETIUS_UNIT_FRAGGEN_H

#include "kernel/params.h"
#include "unit/fraggen_levels.h"
#include "unit/items.h"
#include "unit/stats.h"

enum { FRAGGEN_MAX_STACK = 64 };

struct fraggen_square {
    int32_t x, y, size;
};

struct fraggen {
    struct module module;
    struct fraggen_stats stats;
    struct pools *pools;
    struct queue *in, *out;
    uint32_t tiles_cycle, tests_cycle, samples_cycle;
    uint64_t free_cycle; /* samples of the last tiles are being made until then */
    enum generator generator;
    struct triangle_item current;                   /* .triangle NULL: none */
    struct fraggen_square stack[FRAGGEN_MAX_STACK]; /* recursive: squares still to be split */
    uint32_t depth;
    int32_t scan_x, scan_y; /* tile scan: the next tile */
    struct levels levels;   /* seven-level */
    struct levels_tile level_tile;
    bool has_level_tile;
};

void fraggen_init(struct fraggen *fraggen, struct clock *clock, const struct params *params,
                  struct pools *pools);

#endif
