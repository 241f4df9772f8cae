/* The recursive generator (McCool's recursion).
 *
 * The generator walks RasterizationBatchSize triangles together, once that many have arrived or the
 * draw ends. It starts with the smallest square that contains their bounding boxes, and splits it
 * down to scan tiles. It splits SquaresCycle squares per cycle, and tests each child against the
 * whole batch. A batch inside one scan tile needs no search. Each generation tile is generated for
 * all its triangles in order (unit/raster/scan_tiles.c).
 *
 * Source: docs/design/rasterizer.md, Recursive descent; ATTILA's rasterizer emulator. */
#include "unit/raster/scan_tiles.h"

#include "base/mem.h"

enum { MAX_STACK = 64 };

struct square {
    int32_t x, y, size;
    uint64_t triangles;
};

struct recursion {
    struct scan_tiles tiles;
    uint32_t squares_cycle;
    struct square stack[MAX_STACK]; /* squares that must be split; the next one is on top */
    uint32_t depth;
};

static void
create(struct fraggen *fraggen, const struct params *params)
{
    struct recursion *recursion = fraggen->walk = mem_alloc(sizeof *recursion);
    scan_tiles_init(&recursion->tiles, fraggen, params);
    recursion->squares_cycle = params->RASTERIZER.SquaresCycle;
    fraggen->batch_limit =
        least(params->RASTERIZER.RasterizationBatchSize,
              least(fraggen->ring.capacity, params->RASTERIZER.EmulatorStoredTriangles));
}

/* Mask of the triangles that can touch the rectangle. */
static uint64_t
touching(const struct recursion *recursion, uint64_t triangles, int32_t x, int32_t y, int32_t width,
         int32_t height)
{
    uint64_t touched = 0;
    for (uint64_t left = triangles; left; left &= left - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(left);
        if (scan_tiles_touch(recursion->tiles.triangles[i], x, y, width, height))
            touched |= UINT64_C(1) << i;
    }
    return touched;
}

static bool
is_scan_tile(const struct recursion *recursion, int32_t size)
{
    return size <= recursion->tiles.scan_width || size <= recursion->tiles.scan_height;
}

/* Adds the scan tile of a square that is not split further. If scan tiles are oblong, adds several
 * adjacent ones. */
static void
find_square(struct recursion *recursion, struct fraggen_stats *stats, const struct square *square)
{
    const int32_t width = recursion->tiles.scan_width, height = recursion->tiles.scan_height;
    const int32_t first_x = square->x / width * width, first_y = square->y / height * height;
    for (int32_t y = first_y; y < square->y + square->size; y += height)
        for (int32_t x = first_x; x < square->x + square->size; x += width) {
            uint64_t touched = touching(recursion, square->triangles, x, y, width, height);
            stats->scan_tiles_tested++;
            if (!touched)
                continue;
            stats->scan_tiles++;
            scan_tiles_add(&recursion->tiles, x, y, touched);
        }
}

/* Splits the square on top of the stack. If its children are scan tiles, adds them. Otherwise
 * pushes them in an order that pops them in rows. */
static void
split_square(void *walk, struct fraggen_stats *stats)
{
    struct recursion *recursion = walk;
    const struct square square = recursion->stack[--recursion->depth];
    const int32_t half = square.size / 2;
    stats->squares_split++;
    if (is_scan_tile(recursion, half)) {
        for (int32_t i = 0; i < 4; i++)
            find_square(recursion, stats,
                        &(struct square){square.x + (i & 1) * half, square.y + (i >> 1) * half,
                                         half, square.triangles});
        recursion->tiles.all_found = !recursion->depth;
        return;
    }
    for (int32_t i = 3; i >= 0; i--) {
        const int32_t x = square.x + (i & 1) * half, y = square.y + (i >> 1) * half;
        const uint64_t touched = touching(recursion, square.triangles, x, y, half, half);
        stats->squares_tested++;
        if (touched)
            recursion->stack[recursion->depth++] = (struct square){x, y, half, touched};
    }
    recursion->tiles.all_found = !recursion->depth;
}

/* Starts with the smallest aligned square that contains the box. It is at least as large as the
 * shorter side of a scan tile. */
static void
generator_recursive_begin(struct fraggen *fraggen)
{
    struct recursion *recursion = fraggen->walk;
    scan_tiles_begin(&recursion->tiles, fraggen);
    const uint64_t all =
        recursion->tiles.count == 64 ? ~UINT64_C(0) : (UINT64_C(1) << recursion->tiles.count) - 1;
    int32_t size = recursion->tiles.scan_width < recursion->tiles.scan_height
                       ? recursion->tiles.scan_width
                       : recursion->tiles.scan_height;
    while (recursion->tiles.min_x / size != recursion->tiles.max_x / size ||
           recursion->tiles.min_y / size != recursion->tiles.max_y / size)
        size *= 2;
    const struct square root = {recursion->tiles.min_x / size * size,
                                recursion->tiles.min_y / size * size, size, all};
    recursion->depth = 0;
    if (is_scan_tile(recursion, size))
        find_square(recursion, &fraggen->stats, &root);
    else
        recursion->stack[recursion->depth++] = root;
    recursion->tiles.all_found = !recursion->depth;
}

static bool
recursive_step(struct fraggen *fraggen, uint64_t now, enum unit_state *why)
{
    struct recursion *recursion = fraggen->walk;
    return scan_tiles_step(fraggen, &recursion->tiles, split_square, recursion->squares_cycle, now,
                           why);
}

static bool
is_done(const struct fraggen *fraggen)
{
    return scan_tiles_are_done(&((const struct recursion *)fraggen->walk)->tiles);
}

const struct generator generator_recursive = {create, generator_recursive_begin, recursive_step,
                                              is_done, NULL};
