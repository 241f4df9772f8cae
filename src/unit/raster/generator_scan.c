/* The scanning generator (McCormack's tile scan).
 *
 * Walks the bounding box of a triangle in over-scan tiles (OverScanWidth x OverScanHeight scan
 * tiles), in rows. Inside an over-scan tile it walks the scan tiles (ScanWidth x ScanHeight pixels)
 * in rows. It tests one scan tile per cycle against the triangle's edges. unit/raster/scan_tiles.c
 * generates the tiles that pass.
 *
 * Source: docs/design/rasterizer.md, Tile scan; ATTILA's rasterizer emulator. */
#include "unit/raster/scan_tiles.h"

#include "base/mem.h"

struct scan {
    struct scan_tiles tiles;
    int32_t over_width, over_height; /* in pixels */
    int32_t over_x, over_y, x, y;    /* the over-scan tile; the next scan tile in it */
};

static void
create(struct fraggen *fraggen, const struct params *params)
{
    struct scan *scan = fraggen->walk = mem_alloc(sizeof *scan);
    scan_tiles_init(&scan->tiles, fraggen, params);
    scan->over_width = scan->tiles.scan_width * (int32_t)params->RASTERIZER.OverScanWidth;
    scan->over_height = scan->tiles.scan_height * (int32_t)params->RASTERIZER.OverScanHeight;
}

/* Moves to the next scan tile of the box. The walk ends after the last one. */
static void
next_scan_tile(struct scan *scan)
{
    const int32_t left = scan->tiles.min_x / scan->tiles.scan_width * scan->tiles.scan_width;
    const int32_t top = scan->tiles.min_y / scan->tiles.scan_height * scan->tiles.scan_height;
    scan->x += scan->tiles.scan_width;
    if (scan->x < scan->over_x + scan->over_width && scan->x <= scan->tiles.max_x)
        return;
    scan->x = scan->over_x > left ? scan->over_x : left;
    scan->y += scan->tiles.scan_height;
    if (scan->y < scan->over_y + scan->over_height && scan->y <= scan->tiles.max_y)
        return;
    scan->over_x += scan->over_width;
    if (scan->over_x > scan->tiles.max_x) {
        scan->over_x = scan->tiles.min_x / scan->over_width * scan->over_width;
        scan->over_y += scan->over_height;
        scan->tiles.all_found = scan->over_y > scan->tiles.max_y;
    }
    scan->x = scan->over_x > left ? scan->over_x : left;
    scan->y = scan->over_y > top ? scan->over_y : top;
}

static void
test_scan_tile(void *walk, struct fraggen_stats *stats)
{
    struct scan *scan = walk;
    struct scan_tiles *tiles = &scan->tiles;
    stats->scan_tiles_tested++;
    if (scan_tiles_touch(tiles->triangles[0], scan->x, scan->y, tiles->scan_width,
                         tiles->scan_height)) {
        stats->scan_tiles++;
        scan_tiles_add(tiles, scan->x, scan->y, 1);
    }
    next_scan_tile(scan);
}

static void
generator_scan_begin(struct fraggen *fraggen)
{
    struct scan *scan = fraggen->walk;
    struct scan_tiles *tiles = &scan->tiles;
    scan_tiles_begin(tiles, fraggen);
    scan->over_x = tiles->min_x / scan->over_width * scan->over_width;
    scan->over_y = tiles->min_y / scan->over_height * scan->over_height;
    scan->x = tiles->min_x / tiles->scan_width * tiles->scan_width;
    scan->y = tiles->min_y / tiles->scan_height * tiles->scan_height;
    tiles->all_found = false;
    test_scan_tile(scan, &fraggen->stats);
}

static bool
scan_step(struct fraggen *fraggen, uint64_t now, enum unit_state *why)
{
    struct scan *scan = fraggen->walk;
    return scan_tiles_step(fraggen, &scan->tiles, test_scan_tile, 1, now, why);
}

static bool
is_done(const struct fraggen *fraggen)
{
    return scan_tiles_are_done(&((const struct scan *)fraggen->walk)->tiles);
}

const struct generator generator_scan = {create, generator_scan_begin, scan_step, is_done};
