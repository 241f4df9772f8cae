/* The seven-level generator: Larrabee's recursive rasterizer, unrolled into a core a level. */
#ifndef AETIUS_UNIT_FRAGGEN_LEVELS_H
#define AETIUS_UNIT_FRAGGEN_LEVELS_H

#include "gfx/triangle.h"
#include "unit/stats.h"

enum { LEVELS = 7, LEVELS_ROOT_SIZE = 128 };

struct levels_square { /* being split */
    int32_t x, y, size;
    uint32_t level, child; /* that splits it; its next child */
    uint64_t cycle;        /* in which its children left the level */
    bool covered;          /* some pixel in it was */
};

struct levels {
    bool use_box; /* squares are tested against the bounding box too */
    const struct triangle *triangle;
    int32_t root_x, root_y; /* the next 128x128 square */
    struct levels_square stack[LEVELS];
    uint32_t depth;
    uint64_t free_cycle[LEVELS + 1]; /* of each level: when it can take a square; [0] unused */
    uint64_t start_cycle;
};

/* Starts with the triangle, which was there from `arrival` on: level 1 takes it as soon as it has
 * done with the one before it. */
void levels_begin(struct levels *levels, const struct triangle *triangle, uint64_t arrival);

struct levels_tile {
    int32_t x, y;
    uint64_t cycle; /* in which its last 4x4 block has its coverage */
};
/* The next 8x8 tile that has a covered pixel; false when the triangle is done. */
bool levels_next(struct levels *levels, struct fraggen_stats *stats, struct levels_tile *tile);

#endif
