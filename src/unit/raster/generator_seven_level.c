/* The seven-level generator (docs/design/rasterizer.md, Seven levels).
 *
 * Level 1 splits squares of 128x128 pixels into squares of 64x64, level 2 splits those into 32x32,
 * and so on. Level 5 splits 8x8 tiles into 4x4 blocks. Levels 6 and 7 compute the coverage of a
 * block. Every level takes one square (levels 6 and 7: one block) per cycle. It passes on the
 * children that the triangle may cover: no edge rejects the child by its corner. With the box test,
 * the bounding box must also touch the child.
 *
 * With trivial accept, a child inside all edges is accepted. Later levels pass on all parts of an
 * accepted square without a test. With the box test, an accepted square must also be inside the
 * bounding box, which a scissor or the viewport may limit. Otherwise its parts still need that
 * test. An accepted square saves tests, but no cycles. Level 7 delivers one block per cycle, so the
 * levels before it must split the square anyway. Larrabee's rasterizer stops its descent at such a
 * square and bins it whole (Abrash, "Rasterization on Larrabee"). That saves instructions of a
 * program. Here it would save at most the latency of the levels.
 *
 * A level processes its squares in order of arrival. The cycle of each square therefore depends on
 * three conditions. Its parent must have been split. The level must be free. The queue after the
 * level (LevelQueueSize) must have room for all children. Level 7 keeps the blocks of a tile until
 * the tile leaves.
 *
 * Each level counts the children that it tested, passed without a test (accepted), and passed in
 * all. It also counts children passed in vain, which have no covered pixel. */
#include "unit/raster/generator.h"

#include "base/mem.h"

enum { LEVELS = 7, ROOT_SIZE = 128 };

struct square { /* a square that is being split */
    int32_t x, y, size;
    uint32_t level, child; /* level that splits it; its next child */
    uint64_t cycle;        /* cycle in which its children left the level */
    bool covered;          /* at least one of its pixels is covered */
    bool accepted;         /* its children pass without a test */
};

struct levels {
    bool use_box;    /* squares are also tested against the bounding box */
    bool use_accept; /* parts of a square inside all edges pass without a test */
    const struct triangle *triangle;
    int32_t root_x, root_y; /* the next 128x128 square */
    struct square stack[LEVELS];
    uint32_t depth;
    /* cycle in which each level can take a square; [0] is unused */
    uint64_t free_cycle[LEVELS + 1];
    uint32_t queue_size;
    uint64_t *starts[LEVELS + 1]; /* ring per level: cycles in which it took its last squares */
    uint32_t taken[LEVELS + 1];   /* number of squares taken so far */
    uint64_t start_cycle;
    /* the current tile, which has a covered pixel */
    bool has_tile;
    int32_t tile_x, tile_y;
    uint64_t tile_cycle; /* cycle in which its last 4x4 block is complete */
};

static void
create(struct fraggen *fraggen, const struct params *params)
{
    const uint32_t size = params->RASTERIZER.LevelQueueSize;
    struct levels *levels = mem_alloc(sizeof *levels + LEVELS * size * sizeof(uint64_t));
    fraggen->walk = levels;
    levels->use_box = params->RASTERIZER.BoundingBoxTest;
    levels->use_accept = params->RASTERIZER.TrivialAccept;
    levels->queue_size = size;
    for (uint32_t level = 1; level <= LEVELS; level++)
        levels->starts[level] = (uint64_t *)(levels + 1) + (level - 1) * size;
}

/* First cycle in which the queue before the level has room for `room` more squares. By then, the
 * level has taken all earlier squares except the last queue_size - room. */
static uint64_t
has_room(const struct levels *levels, uint32_t level, uint32_t room)
{
    const uint32_t stay = levels->queue_size - room, taken = levels->taken[level];
    return taken > stay ? levels->starts[level][(taken - 1 - stay) % levels->queue_size] + 1 : 0;
}

/* Splits a square that arrived at `cycle`. Returns the cycle in which its children leave the
 * level. */
static uint64_t
split(struct levels *levels, uint32_t level, uint64_t cycle)
{
    uint64_t start = cycle > levels->free_cycle[level] ? cycle : levels->free_cycle[level];
    const uint64_t room = level < LEVELS ? has_room(levels, level + 1, level < 6 ? 4 : 1) : 0;
    start = start > room ? start : room;
    levels->starts[level][levels->taken[level]++ % levels->queue_size] = start;
    return levels->free_cycle[level] = start + 1;
}

static enum square_coverage
test(const struct levels *levels, int32_t x, int32_t y, int32_t size)
{
    const struct triangle *t = levels->triangle;
    if (levels->use_box && !raster_box_touches(t, x, y, size))
        return SQUARE_OUTSIDE;
    const enum square_coverage coverage = raster_square(t, x, y, size);
    const bool kept =
        levels->use_accept && (!levels->use_box || raster_box_contains(t, x, y, size));
    return coverage == SQUARE_INSIDE && !kept ? SQUARE_PARTIAL : coverage;
}

/* Determines whether a level passes on a child. Returns SQUARE_INSIDE for an accepted child. */
static enum square_coverage
pass_child(const struct levels *levels, struct fraggen_stats *stats, uint32_t level, bool accepted,
           int32_t x, int32_t y, int32_t size)
{
    const enum square_coverage coverage = accepted ? SQUARE_INSIDE : test(levels, x, y, size);
    stats->level_accepted[level - 1] += accepted;
    stats->level_tested[level - 1] += !accepted;
    stats->level_passed[level - 1] += coverage != SQUARE_OUTSIDE;
    return coverage;
}

static void
push(struct levels *levels, int32_t x, int32_t y, int32_t size, uint32_t level, uint64_t cycle,
     bool accepted)
{
    levels->stack[levels->depth++] =
        (struct square){x, y, size, level, 0, split(levels, level, cycle), false, accepted};
}

/* Pushes the next 128x128 square of the bounding box. Returns false if there is none. */
static bool
next_root(struct levels *levels)
{
    const struct triangle *t = levels->triangle;
    if (levels->root_y > t->max_y)
        return false;
    push(levels, levels->root_x, levels->root_y, ROOT_SIZE, 1, levels->start_cycle, false);
    levels->root_x += ROOT_SIZE;
    if (levels->root_x > t->max_x) {
        levels->root_x = t->min_x / ROOT_SIZE * ROOT_SIZE;
        levels->root_y += ROOT_SIZE;
    }
    return true;
}

/* Runs levels 6 and 7 on a 4x4 block. Returns whether one of its pixels is covered. */
static bool
cover_block(const struct levels *levels, struct fraggen_stats *stats, int32_t x, int32_t y,
            bool accepted, uint64_t mask)
{
    bool covered = false;
    for (int32_t q = 0; q < 4; q++) {
        int32_t qx = x + (q & 1) * 2, qy = y + (q >> 1) * 2;
        const enum square_coverage quad = pass_child(levels, stats, 6, accepted, qx, qy, 2);
        if (quad == SQUARE_OUTSIDE)
            continue;
        uint32_t bits = (uint32_t)(mask >> morton8((uint32_t)qx, (uint32_t)qy) & 15);
        stats->level_in_vain[6 - 1] += bits == 0;
        covered |= bits != 0;
        for (int32_t p = 0; p < 4; p++)
            if (pass_child(levels, stats, 7, quad == SQUARE_INSIDE, qx + (p & 1), qy + (p >> 1),
                           1) != SQUARE_OUTSIDE)
                stats->level_in_vain[7 - 1] += !(bits >> p & 1);
    }
    return covered;
}

/* Runs levels 5 to 7 on a tile. Sets *cycle to the end of the last block. Returns whether a pixel
 * is covered. */
static bool
cover_tile(struct levels *levels, struct fraggen_stats *stats, int32_t x, int32_t y, bool accepted,
           uint64_t *cycle)
{
    uint64_t samples[MAX_SAMPLES];
    uint64_t mask = raster_tile_samples(levels->triangle, x, y, samples);
    uint64_t left = split(levels, 5, *cycle);
    bool covered = false;
    for (int32_t b = 0; b < 4; b++) {
        int32_t bx = x + (b & 1) * 4, by = y + (b >> 1) * 4;
        const enum square_coverage found = pass_child(levels, stats, 5, accepted, bx, by, 4);
        if (found == SQUARE_OUTSIDE)
            continue;
        bool block = cover_block(levels, stats, bx, by, found == SQUARE_INSIDE, mask);
        stats->level_in_vain[5 - 1] += !block;
        covered |= block;
        *cycle = split(levels, 7, split(levels, 6, left));
    }
    return covered;
}

/* Removes a finished square and updates its parent. */
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

/* Finds the next 8x8 tile with a covered pixel. Returns false if the triangle is finished. */
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
        const enum square_coverage found =
            pass_child(levels, stats, square->level, square->accepted, x, y, half);
        if (found == SQUARE_OUTSIDE)
            continue;
        if (half > TILE_SIZE) {
            push(levels, x, y, half, square->level + 1, square->cycle, found == SQUARE_INSIDE);
            continue;
        }
        uint64_t cycle = square->cycle;
        bool covered = cover_tile(levels, stats, x, y, found == SQUARE_INSIDE, &cycle);
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

/* Starts a triangle. Level 1 takes it as soon as the level is free. */
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

/* Sends the current tile when its last block is complete, then finds the next tile. */
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
    /* The tile's blocks have arrived, one per cycle, during the first pass. */
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
