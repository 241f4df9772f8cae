/* The seven-level generator (docs/design/rasterizer.md, Seven levels).
 *
 * Level 1 splits 128x128 squares into 64x64, level 2 those into 32x32, and so on; level 5 splits
 * 8x8 tiles into 4x4 blocks, and levels 6 and 7 make the coverage of a block. Every level takes a
 * square (levels 6 and 7 a block) a cycle and passes on the children that the triangle may cover:
 * those that no edge rejects by its corner and, with the box test, that the bounding box touches. A
 * level works on its squares in the order in which they come, so the cycle of each follows from
 * when its parent was split, when the level was free, and when the queue behind it (LevelQueueSize)
 * had room for all that it may pass on: as many as the square has children. Level 7 keeps the
 * blocks of a tile until the tile leaves.
 *
 * Counted a level: squares tested, passed, and passed in vain (no pixel in them is covered). */
#include "unit/raster/generator.h"

#include "base/mem.h"

enum { LEVELS = 7, ROOT_SIZE = 128 };

struct square { /* being split */
    int32_t x, y, size;
    uint32_t level, child; /* that splits it; its next child */
    uint64_t cycle;        /* in which its children left the level */
    bool covered;          /* some pixel in it was */
};

struct levels {
    bool use_box; /* squares are tested against the bounding box too */
    const struct triangle *triangle;
    int32_t root_x, root_y; /* the next 128x128 square */
    struct square stack[LEVELS];
    uint32_t depth;
    uint64_t free_cycle[LEVELS + 1]; /* of each level: when it can take a square; [0] unused */
    uint32_t queue_size;
    uint64_t *starts[LEVELS + 1]; /* of each level's last squares, when it took them: rings */
    uint32_t taken[LEVELS + 1];   /* squares so far */
    uint64_t start_cycle;
    /* the tile in hand: the next one that has a covered pixel */
    bool has_tile;
    int32_t tile_x, tile_y;
    uint64_t tile_cycle; /* in which its last 4x4 block has its coverage */
};

static void
create(struct fraggen *fraggen, const struct params *params)
{
    const uint32_t size = params->RASTERIZER.LevelQueueSize;
    struct levels *levels = mem_alloc(sizeof *levels + LEVELS * size * sizeof(uint64_t));
    fraggen->walk = levels;
    levels->use_box = params->RASTERIZER.BoundingBoxTest;
    levels->queue_size = size;
    for (uint32_t level = 1; level <= LEVELS; level++)
        levels->starts[level] = (uint64_t *)(levels + 1) + (level - 1) * size;
}

/* The first cycle in which the queue in front of the level has room for so many squares more: of
 * those before, all but queue_size - room were taken. Squares in it by then are the last ones. */
static uint64_t
has_room(const struct levels *levels, uint32_t level, uint32_t room)
{
    const uint32_t stay = levels->queue_size - room, taken = levels->taken[level];
    return taken > stay ? levels->starts[level][(taken - 1 - stay) % levels->queue_size] + 1 : 0;
}

/* The level takes a square that was there at `cycle`; returns when its children leave. */
static uint64_t
split(struct levels *levels, uint32_t level, uint64_t cycle)
{
    uint64_t start = cycle > levels->free_cycle[level] ? cycle : levels->free_cycle[level];
    const uint64_t room = level < LEVELS ? has_room(levels, level + 1, level < 6 ? 4 : 1) : 0;
    start = start > room ? start : room;
    levels->starts[level][levels->taken[level]++ % levels->queue_size] = start;
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
        (struct square){x, y, size, level, 0, split(levels, level, cycle), false};
}

/* The next 128x128 square of the bounding box; false when there is none. */
static bool
next_root(struct levels *levels)
{
    const struct triangle *t = levels->triangle;
    if (levels->root_y > t->max_y)
        return false;
    push(levels, levels->root_x, levels->root_y, ROOT_SIZE, 1, levels->start_cycle);
    levels->root_x += ROOT_SIZE;
    if (levels->root_x > t->max_x) {
        levels->root_x = t->min_x / ROOT_SIZE * ROOT_SIZE;
        levels->root_y += ROOT_SIZE;
    }
    return true;
}

/* Levels 6 and 7 on a 4x4 block: counts, and whether a pixel of it is covered. */
static bool
cover_block(const struct levels *levels, struct fraggen_stats *stats, int32_t x, int32_t y,
            uint64_t mask)
{
    bool covered = false;
    for (int32_t q = 0; q < 4; q++) {
        int32_t qx = x + (q & 1) * 2, qy = y + (q >> 1) * 2;
        stats->level_tested[6 - 1]++;
        if (!passes(levels, qx, qy, 2))
            continue;
        stats->level_passed[6 - 1]++;
        uint32_t bits = (uint32_t)(mask >> morton8((uint32_t)qx, (uint32_t)qy) & 15);
        stats->level_in_vain[6 - 1] += bits == 0;
        covered |= bits != 0;
        for (int32_t p = 0; p < 4; p++) {
            stats->level_tested[7 - 1]++;
            if (!passes(levels, qx + (p & 1), qy + (p >> 1), 1))
                continue;
            stats->level_passed[7 - 1]++;
            stats->level_in_vain[7 - 1] += !(bits >> p & 1);
        }
    }
    return covered;
}

/* Level 5 on a tile and what follows; *cycle is when the last block is done. */
static bool
cover_tile(struct levels *levels, struct fraggen_stats *stats, int32_t x, int32_t y,
           uint64_t *cycle)
{
    uint64_t samples[MAX_SAMPLES];
    uint64_t mask = raster_tile_samples(levels->triangle, x, y, samples);
    uint64_t left = split(levels, 5, *cycle);
    bool covered = false;
    for (int32_t b = 0; b < 4; b++) {
        int32_t bx = x + (b & 1) * 4, by = y + (b >> 1) * 4;
        stats->level_tested[5 - 1]++;
        if (!passes(levels, bx, by, 4))
            continue;
        stats->level_passed[5 - 1]++;
        bool block = cover_block(levels, stats, bx, by, mask);
        stats->level_in_vain[5 - 1] += !block;
        covered |= block;
        *cycle = split(levels, 7, split(levels, 6, left));
    }
    return covered;
}

/* The square on top is done: the one that it is a child of hears of it. */
static void
pop(struct levels *levels, struct fraggen_stats *stats)
{
    const bool covered = levels->stack[--levels->depth].covered;
    if (!levels->depth)
        return;
    struct square *parent = &levels->stack[levels->depth - 1];
    stats->level_in_vain[parent->level - 1] += !covered;
    parent->covered |= covered;
}

/* The next 8x8 tile that has a covered pixel; false when the triangle is done. */
static bool
next_tile(struct levels *levels, struct fraggen_stats *stats)
{
    while (levels->depth || next_root(levels)) {
        struct square *square = &levels->stack[levels->depth - 1];
        if (square->child == 4) {
            pop(levels, stats);
            continue;
        }
        int32_t half = square->size / 2;
        int32_t x = square->x + (int32_t)(square->child & 1) * half;
        int32_t y = square->y + (int32_t)(square->child >> 1) * half;
        square->child++;
        stats->level_tested[square->level - 1]++;
        if (!passes(levels, x, y, half))
            continue;
        stats->level_passed[square->level - 1]++;
        if (half > TILE_SIZE) {
            push(levels, x, y, half, square->level + 1, square->cycle);
            continue;
        }
        uint64_t cycle = square->cycle;
        bool covered = cover_tile(levels, stats, x, y, &cycle);
        stats->level_in_vain[square->level - 1] += !covered;
        square->covered |= covered;
        if (covered) {
            levels->tile_x = x;
            levels->tile_y = y;
            levels->tile_cycle = cycle;
            return true;
        }
    }
    return false;
}

/* Level 1 takes the triangle as soon as it has done with the one before it. */
static void
generator_seven_level_begin(struct fraggen *fraggen)
{
    struct levels *levels = fraggen->walk;
    const struct triangle *triangle = fraggen_triangle(fraggen, 0);
    levels->triangle = triangle;
    levels->root_x = triangle->min_x / ROOT_SIZE * ROOT_SIZE;
    levels->root_y = triangle->min_y / ROOT_SIZE * ROOT_SIZE;
    levels->depth = 0;
    levels->start_cycle = fraggen_arrival(fraggen, 0);
    levels->has_tile = next_tile(levels, &fraggen->stats);
}

/* Gives the tile in hand when its last block is done, and looks for the next one. */
static bool
seven_level_step(struct fraggen *fraggen, uint64_t now, enum unit_state *why)
{
    struct levels *levels = fraggen->walk;
    if (!levels->has_tile)
        return false;
    if (levels->tile_cycle > now) {
        module_wake_at(&fraggen->module, levels->tile_cycle);
        *why = UNIT_WAITING;
        return false;
    }
    if (!queue_space(fraggen->out, now)) {
        *why = UNIT_BLOCKED;
        return false;
    }
    const uint32_t quads =
        fraggen_give(fraggen, 0, levels->tile_x, levels->tile_y, ~UINT64_C(0), now);
    /* its blocks came one a cycle, for one pass */
    const uint32_t cycles = quads ? fraggen_passes(fraggen, 0) : 1;
    fraggen->stats.passes += quads ? (uint64_t)cycles * fraggen->quads_cycle : 0;
    fraggen->free_cycle = now + cycles;
    if (levels->free_cycle[LEVELS] < now)
        levels->free_cycle[LEVELS] = now;
    levels->has_tile = next_tile(levels, &fraggen->stats);
    return true;
}

static bool
is_done(const struct fraggen *fraggen)
{
    return !((const struct levels *)fraggen->walk)->has_tile;
}

const struct generator generator_seven_level = {create, generator_seven_level_begin,
                                                seven_level_step, is_done};
