/* The seven-level generator (rasterizer.md).
 *
 * Level 1 splits 128x128 squares into 64x64, level 2 those into 32x32, and so on; level 5 splits
 * 8x8 tiles into 4x4 blocks, and levels 6 and 7 make the coverage of a block. Every level takes a
 * square (levels 6 and 7 a block) a cycle and passes on the children that the triangle may cover:
 * those that no edge rejects by its corner and, with the box test, that the bounding box touches. A
 * level works on its squares in the order in which they come, so the cycle of each follows from
 * when its parent was split and when the level was free; the queues between levels are taken as
 * deep enough.
 *
 * Counted a level: squares tested, passed, and passed in vain (no pixel in them is covered). */
#include "unit/fraggen_levels.h"

#include <string.h>

struct level_counts {
    uint64_t tested, passed, in_vain;
};

/* fraggen's statistics hold the three counts of the seven levels side by side, in this order. */
static struct level_counts *
counts_of(struct fraggen_stats *stats, uint32_t level)
{
    return (struct level_counts *)&stats->level1_tested + (level - 1);
}

void
levels_begin(struct levels *levels, const struct triangle *triangle, uint64_t arrival)
{
    levels->triangle = triangle;
    levels->root_x = triangle->min_x / LEVELS_ROOT_SIZE * LEVELS_ROOT_SIZE;
    levels->root_y = triangle->min_y / LEVELS_ROOT_SIZE * LEVELS_ROOT_SIZE;
    levels->depth = 0;
    levels->start_cycle = arrival;
}

/* The level takes a square that was there at `cycle`; returns when its children leave. */
static uint64_t
split(struct levels *levels, uint32_t level, uint64_t cycle)
{
    uint64_t start = cycle > levels->free_cycle[level] ? cycle : levels->free_cycle[level];
    return levels->free_cycle[level] = start + 1;
}

static bool
passes(const struct levels *levels, int32_t x, int32_t y, int32_t size)
{
    const struct triangle *t = levels->triangle;
    return (!levels->use_box || raster_box_touches(t, x, y, size)) &&
           raster_square(t, x, y, size) != SQUARE_OUTSIDE;
}

static void
push(struct levels *levels, int32_t x, int32_t y, int32_t size, uint32_t level, uint64_t cycle)
{
    levels->stack[levels->depth++] =
        (struct levels_square){x, y, size, level, 0, split(levels, level, cycle), false};
}

/* The next 128x128 square of the bounding box; false when there is none. */
static bool
next_root(struct levels *levels)
{
    const struct triangle *t = levels->triangle;
    if (levels->root_y > t->max_y)
        return false;
    push(levels, levels->root_x, levels->root_y, LEVELS_ROOT_SIZE, 1, levels->start_cycle);
    levels->root_x += LEVELS_ROOT_SIZE;
    if (levels->root_x > t->max_x) {
        levels->root_x = t->min_x / LEVELS_ROOT_SIZE * LEVELS_ROOT_SIZE;
        levels->root_y += LEVELS_ROOT_SIZE;
    }
    return true;
}

/* Levels 6 and 7 on a 4x4 block: counts, and whether a pixel of it is covered. */
static bool
cover_block(const struct levels *levels, struct fraggen_stats *stats, int32_t x, int32_t y,
            uint64_t mask)
{
    struct level_counts *six = counts_of(stats, 6), *seven = counts_of(stats, 7);
    bool covered = false;
    for (int32_t q = 0; q < 4; q++) {
        int32_t qx = x + (q & 1) * 2, qy = y + (q >> 1) * 2;
        six->tested++;
        if (!passes(levels, qx, qy, 2))
            continue;
        six->passed++;
        uint32_t bits = (uint32_t)(mask >> morton8((uint32_t)qx, (uint32_t)qy) & 15);
        six->in_vain += bits == 0;
        covered |= bits != 0;
        for (int32_t p = 0; p < 4; p++) {
            seven->tested++;
            if (!passes(levels, qx + (p & 1), qy + (p >> 1), 1))
                continue;
            seven->passed++;
            seven->in_vain += !(bits >> p & 1);
        }
    }
    return covered;
}

/* Level 5 on a tile and what follows; *cycle is when the last block is done. */
static bool
cover_tile(struct levels *levels, struct fraggen_stats *stats, int32_t x, int32_t y,
           uint64_t *cycle)
{
    struct level_counts *five = counts_of(stats, 5);
    uint64_t samples[MAX_SAMPLES];
    uint64_t mask = raster_tile_samples(levels->triangle, x, y, samples);
    uint64_t left = split(levels, 5, *cycle);
    bool covered = false;
    for (int32_t b = 0; b < 4; b++) {
        int32_t bx = x + (b & 1) * 4, by = y + (b >> 1) * 4;
        five->tested++;
        if (!passes(levels, bx, by, 4))
            continue;
        five->passed++;
        bool block = cover_block(levels, stats, bx, by, mask);
        five->in_vain += !block;
        covered |= block;
        *cycle = split(levels, 7, split(levels, 6, left));
    }
    return covered;
}

bool
levels_next(struct levels *levels, struct fraggen_stats *stats, struct levels_tile *tile)
{
    while (levels->depth || next_root(levels)) {
        struct levels_square *square = &levels->stack[levels->depth - 1];
        struct level_counts *counts = counts_of(stats, square->level);
        if (square->child == 4) {
            levels->depth--;
            if (levels->depth) {
                struct levels_square *parent = &levels->stack[levels->depth - 1];
                counts_of(stats, parent->level)->in_vain += !square->covered;
                parent->covered |= square->covered;
            }
            continue;
        }
        int32_t half = square->size / 2;
        int32_t x = square->x + (int32_t)(square->child & 1) * half;
        int32_t y = square->y + (int32_t)(square->child >> 1) * half;
        square->child++;
        counts->tested++;
        if (!passes(levels, x, y, half))
            continue;
        counts->passed++;
        if (half > TILE_SIZE) {
            push(levels, x, y, half, square->level + 1, square->cycle);
            continue;
        }
        uint64_t cycle = square->cycle;
        bool covered = cover_tile(levels, stats, x, y, &cycle);
        counts->in_vain += !covered;
        square->covered |= covered;
        if (covered) {
            *tile = (struct levels_tile){x, y, cycle};
            return true;
        }
    }
    return false;
}
