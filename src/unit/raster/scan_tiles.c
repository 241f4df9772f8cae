/* Generation of scan tiles (unit/raster/scan_tiles.h).
 *
 * A generation tile is GenWidth x GenHeight pixels. A step generates the coverage of one generation
 * tile for one triangle. The number of steps per cycle is StampsPerCycle quads divided by the size
 * of a generation tile, but at least one. StampsPerCycle quads with a fragment leave per cycle
 * (2x64 fragments in the reference of 2005). The search runs at the same time. Source: ATTILA's
 * rasterizer emulator. */
#include "unit/raster/scan_tiles.h"

#include <string.h>

/* Computes a mask for each generation tile that is smaller than an 8x8 tile. The mask selects the
 * fragments of the 8x8 tile that are in the generation tile, in Morton order. */
static void
init_gen_masks(struct scan_tiles *tiles)
{
    const uint32_t width = tiles->gen_width, height = tiles->gen_height;
    for (uint32_t y = 0; y < TILE_SIZE; y++)
        for (uint32_t x = 0; x < TILE_SIZE; x++)
            tiles->gen_masks[y / height * 4 + x / width] |= UINT64_C(1) << morton8(x, y);
}

void
scan_tiles_init(struct scan_tiles *tiles, const struct fraggen *fraggen,
                const struct params *params)
{
    tiles->scan_width = (int32_t)params->RASTERIZER.ScanWidth;
    tiles->scan_height = (int32_t)params->RASTERIZER.ScanHeight;
    tiles->gen_width = least(params->RASTERIZER.GenWidth, params->RASTERIZER.ScanWidth);
    tiles->gen_height = least(params->RASTERIZER.GenHeight, params->RASTERIZER.ScanHeight);
    tiles->steps_cycle = 4 * fraggen->quads_cycle / (tiles->gen_width * tiles->gen_height);
    if (!tiles->steps_cycle)
        tiles->steps_cycle = 1;
    tiles->found_ring.capacity = SCAN_FOUND;
    tiles->found_limit = params->RASTERIZER.ScanTileQueueSize;
    init_gen_masks(tiles);
}

static void
box_around(struct scan_tiles *tiles)
{
    const struct triangle *t = tiles->triangles[0];
    tiles->min_x = t->min_x;
    tiles->min_y = t->min_y;
    tiles->max_x = t->max_x;
    tiles->max_y = t->max_y;
    for (uint32_t i = 1; i < tiles->count; i++) {
        t = tiles->triangles[i];
        tiles->min_x = t->min_x < tiles->min_x ? t->min_x : tiles->min_x;
        tiles->min_y = t->min_y < tiles->min_y ? t->min_y : tiles->min_y;
        tiles->max_x = t->max_x > tiles->max_x ? t->max_x : tiles->max_x;
        tiles->max_y = t->max_y > tiles->max_y ? t->max_y : tiles->max_y;
    }
}

void
scan_tiles_begin(struct scan_tiles *tiles, const struct fraggen *fraggen)
{
    tiles->has_scan_tile = false;
    tiles->count = fraggen->batch;
    for (uint32_t i = 0; i < tiles->count; i++)
        tiles->triangles[i] = fraggen_triangle(fraggen, i);
    box_around(tiles);
}

void
scan_tiles_add(struct scan_tiles *tiles, int32_t x, int32_t y, uint64_t triangles)
{
    tiles->found[ring_push(&tiles->found_ring)] = (struct scan_tile){x, y, triangles};
}

static bool
take_found(struct scan_tiles *tiles)
{
    if (!tiles->found_ring.count)
        return false;
    tiles->scan_tile = tiles->found[ring_pop(&tiles->found_ring)];
    return true;
}

bool
scan_tiles_touch(const struct triangle *triangle, int32_t x, int32_t y, int32_t width,
                 int32_t height)
{
    return triangle->min_x < x + width && triangle->max_x >= x && triangle->min_y < y + height &&
           triangle->max_y >= y && raster_rectangle_touches(triangle, x, y, width, height);
}

static bool
touches_box(const struct triangle *triangle, int32_t x, int32_t y, uint32_t width, uint32_t height)
{
    return triangle->min_x < x + (int32_t)width && triangle->max_x >= x &&
           triangle->min_y < y + (int32_t)height && triangle->max_y >= y;
}

/* Moves to the next triangle. After the last triangle, moves to the next generation tile. Returns
 * false after the last generation tile. */
static bool
next_pair(struct scan_tiles *tiles)
{
    if (++tiles->triangle < tiles->count)
        return true;
    tiles->triangle = 0;
    tiles->gen_x += tiles->gen_width;
    if (tiles->gen_x < (uint32_t)tiles->scan_width)
        return true;
    tiles->gen_x = 0;
    tiles->gen_y += tiles->gen_height;
    return tiles->gen_y < (uint32_t)tiles->scan_height;
}

/* Finds the next pair of a generation tile and a triangle that touches it, starting with the
 * current pair. If there is none, the scan tile is finished. */
static void
seek_step(struct scan_tiles *tiles)
{
    const struct scan_tile *scan = &tiles->scan_tile;
    do {
        if ((scan->triangles >> tiles->triangle & 1) &&
            touches_box(tiles->triangles[tiles->triangle], scan->x + (int32_t)tiles->gen_x,
                        scan->y + (int32_t)tiles->gen_y, tiles->gen_width, tiles->gen_height))
            return;
    } while (next_pair(tiles));
    tiles->has_scan_tile = false;
}

/* Begins the next step. Returns false if no scan tile is available now. */
static bool
begin_step(struct scan_tiles *tiles, struct fraggen_stats *stats)
{
    while (!tiles->has_scan_tile) {
        if (!take_found(tiles))
            return false;
        tiles->has_scan_tile = true;
        tiles->gen_x = tiles->gen_y = tiles->triangle = 0;
        seek_step(tiles);
    }
    tiles->in_step = true;
    tiles->step_gave = false;
    tiles->sub_x = tiles->sub_y = 0;
    stats->steps++;
    return true;
}

static void
end_step(struct scan_tiles *tiles, struct fraggen_stats *stats)
{
    stats->steps_empty += !tiles->step_gave;
    tiles->in_step = false;
    if (next_pair(tiles))
        seek_step(tiles);
    else
        tiles->has_scan_tile = false;
}

/* Generates the next 8x8 tile of the current step. If the generation tile is smaller, generates
 * only that area of the 8x8 tile. Returns the number of passes for its quads. */
static uint32_t
go_on_with_step(struct fraggen *fraggen, struct scan_tiles *tiles, uint64_t now)
{
    const int32_t x = tiles->scan_tile.x + (int32_t)(tiles->gen_x + tiles->sub_x);
    const int32_t y = tiles->scan_tile.y + (int32_t)(tiles->gen_y + tiles->sub_y);
    uint64_t in = ~UINT64_C(0);
    if (tiles->gen_width < TILE_SIZE || tiles->gen_height < TILE_SIZE)
        in = tiles->gen_masks[(uint32_t)y % TILE_SIZE / tiles->gen_height * 4 +
                              (uint32_t)x % TILE_SIZE / tiles->gen_width];
    const uint32_t quads = fraggen_give(fraggen, tiles->triangle, x / TILE_SIZE * TILE_SIZE,
                                        y / TILE_SIZE * TILE_SIZE, in, now);
    fraggen->stats.passes += quads;
    tiles->step_gave |= quads != 0;
    tiles->sub_x += TILE_SIZE;
    if (tiles->sub_x >= tiles->gen_width) {
        tiles->sub_x = 0;
        tiles->sub_y += TILE_SIZE;
        if (tiles->sub_y >= tiles->gen_height)
            end_step(tiles, &fraggen->stats);
    }
    return quads;
}

/* Runs one cycle of generation. */
static bool
generate(struct fraggen *fraggen, struct scan_tiles *tiles, uint64_t now, enum unit_state *why)
{
    uint32_t quads = now == fraggen->free_cycle ? tiles->owed : 0, steps = 0;
    bool worked = false;
    while (quads < fraggen->quads_cycle) {
        if (!tiles->in_step &&
            (steps++ == tiles->steps_cycle || !begin_step(tiles, &fraggen->stats)))
            break;
        if (!queue_space(fraggen->out, now)) {
            *why = UNIT_BLOCKED;
            break;
        }
        quads += go_on_with_step(fraggen, tiles, now);
        worked = true;
    }
    tiles->owed = quads % fraggen->quads_cycle;
    if (quads >= fraggen->quads_cycle)
        fraggen->free_cycle = now + quads / fraggen->quads_cycle;
    else
        tiles->owed = 0;
    return worked;
}

bool
scan_tiles_step(struct fraggen *fraggen, struct scan_tiles *tiles,
                void (*search)(void *walk, struct fraggen_stats *stats), uint32_t rate,
                uint64_t now, enum unit_state *why)
{
    const bool generated = generate(fraggen, tiles, now, why);
    bool searched = false;
    for (uint32_t i = 0;
         i < rate && !tiles->all_found && tiles->found_ring.count < tiles->found_limit; i++) {
        search(fraggen->walk, &fraggen->stats);
        searched = true;
    }
    const bool begun = fraggen->begun_cycle == now;
    fraggen->stats.cycles_search += (searched || begun) && !generated && *why != UNIT_BLOCKED;
    return generated || searched;
}
