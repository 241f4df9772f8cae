/* Code shared by the scanning and the recursive generator. A search finds scan tiles (ScanWidth x
 * ScanHeight pixels), which wait in a ring. Each scan tile is divided into generation tiles, which
 * are generated in steps. */
#ifndef AETIUS_UNIT_SCAN_TILES_H
#define AETIUS_UNIT_SCAN_TILES_H

#include "unit/raster/generator.h"

enum {
    SCAN_MAX_BATCH = 64,
    /* ScanTileQueueSize, plus the tiles of one square: at most 4 x 128 if they are oblong */
    SCAN_FOUND = 1024,
};

struct scan_tile {
    int32_t x, y;
    uint64_t triangles; /* triangles of the batch that can touch the tile, one bit each */
};

struct scan_tiles {
    int32_t scan_width, scan_height; /* in pixels */
    uint32_t gen_width, gen_height;
    uint32_t steps_cycle;
    uint32_t found_limit; /* the search stops when this many scan tiles wait */
    /* the batch */
    const struct triangle *triangles[SCAN_MAX_BATCH];
    uint32_t count;
    int32_t min_x, min_y, max_x, max_y; /* bounding box of the batch */
    /* scan tiles that the search found */
    struct scan_tile found[SCAN_FOUND];
    struct ring found_ring;
    bool all_found; /* the search is complete; tiles may still be in the ring */
    /* The current step generates an 8x8 tile for one triangle. The 8x8 tile is in a generation
     * tile, which is in a scan tile. */
    bool has_scan_tile;
    struct scan_tile scan_tile;
    uint32_t gen_x, gen_y;   /* position of the generation tile in the scan tile, in pixels */
    uint32_t triangle;       /* index of the triangle in the batch */
    uint32_t sub_x, sub_y;   /* position of the 8x8 tile in the generation tile, in pixels */
    bool in_step, step_gave; /* the step has begun; the step has sent a tile */
    /* per generation tile smaller than 8x8: its fragments in the 8x8 tile */
    uint64_t gen_masks[16];
    uint32_t owed; /* quads generated beyond the rate of this cycle */
};

void scan_tiles_init(struct scan_tiles *tiles, const struct fraggen *fraggen,
                     const struct params *params);
/* Starts with the current batch. */
void scan_tiles_begin(struct scan_tiles *tiles, const struct fraggen *fraggen);
bool scan_tiles_touch(const struct triangle *triangle, int32_t x, int32_t y, int32_t width,
                      int32_t height);
void scan_tiles_add(struct scan_tiles *tiles, int32_t x, int32_t y, uint64_t triangles);
/* Runs one cycle of generation, then of the search. Calls `search` up to `rate` times, while there
 * is room for the tiles that it finds. */
bool scan_tiles_step(struct fraggen *fraggen, struct scan_tiles *tiles,
                     void (*search)(void *walk, struct fraggen_stats *stats), uint32_t rate,
                     uint64_t now, enum unit_state *why);
static inline bool
scan_tiles_are_done(const struct scan_tiles *tiles)
{
    return !tiles->has_scan_tile && !tiles->found_ring.count && tiles->all_found;
}

#endif
