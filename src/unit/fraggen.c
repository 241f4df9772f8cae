/* Fragment generator.
 *
 * Walks a triangle in one of three ways and gives the 8x8 tiles that it covers, with a coverage
 * mask: recursive (McCool): squares are tested against the edges, from the smallest square that
 * holds the bounding box down to tiles, four tests a cycle; tile scan (McCormack): every tile of
 * the bounding box in rows, two a cycle; seven-level (fraggen_levels.c). StampsPerCycle x 32
 * fragments a cycle leave (2x64 in the reference). Multisampled, MSAASamplesCycle samples of each
 * fragment are made in a cycle: a tile takes that many times longer. Latency 1, on the queue to
 * hierarchical Z. Source: machine.md, rasterizer.md. Not modelled: overscan tiles, several
 * triangles in flight (RasterizationBatchSize). */
#include "unit/fraggen.h"

#include <string.h>

static enum unit_state fraggen_clock(void *self, uint64_t now);

void
fraggen_init(struct fraggen *fraggen, struct clock *clock, const struct params *params,
             struct pools *pools)
{
    memset(fraggen, 0, sizeof *fraggen);
    clock_add_module(clock, &fraggen->module, "fraggen", -1, fraggen, fraggen_clock);
    fraggen->pools = pools;
    fraggen->tiles_cycle = 2;
    fraggen->tests_cycle = 4;
    fraggen->samples_cycle = params->RASTERIZER.MSAASamplesCycle;
    fraggen->generator = params_generator(params);
    fraggen->levels.use_box = params->RASTERIZER.BoundingBoxTest;
}

/* The smallest aligned square that holds the bounding box. */
static struct fraggen_square
root_square(const struct triangle *t)
{
    int32_t size = TILE_SIZE;
    while (t->min_x / size != t->max_x / size || t->min_y / size != t->max_y / size)
        size *= 2;
    return (struct fraggen_square){t->min_x / size * size, t->min_y / size * size, size};
}

static void
begin(struct fraggen *fraggen, const struct triangle_item *item, uint64_t now)
{
    const struct triangle *t = &item->triangle->triangle;
    fraggen->current = *item;
    fraggen->stats.triangles_in++;
    fraggen->depth = 0;
    fraggen->stack[fraggen->depth++] = root_square(t);
    fraggen->scan_x = t->min_x / TILE_SIZE * TILE_SIZE;
    fraggen->scan_y = t->min_y / TILE_SIZE * TILE_SIZE;
    if (fraggen->generator == GENERATOR_SEVEN_LEVEL) {
        levels_begin(&fraggen->levels, t, now);
        fraggen->has_level_tile =
            levels_next(&fraggen->levels, &fraggen->stats, &fraggen->level_tile);
    }
}

static void
finish(struct fraggen *fraggen)
{
    triangle_release(fraggen->pools, fraggen->current.triangle);
    fraggen->current.triangle = NULL;
}

static void
give_tile(struct fraggen *fraggen, int32_t x, int32_t y, uint64_t now)
{
    struct pooled_triangle *triangle = fraggen->current.triangle;
    uint64_t samples[MAX_SAMPLES];
    uint64_t mask = raster_tile_samples(&triangle->triangle, x, y, samples);
    fraggen->stats.tiles_tested++;
    if (!mask) {
        fraggen->stats.tiles_empty++;
        return;
    }
    triangle->references++;
    struct tile_item *out = queue_push(fraggen->out, now);
    out->kind = ITEM_DATA;
    out->draw = fraggen->current.draw;
    out->triangle = triangle;
    out->x = (uint16_t)x;
    out->y = (uint16_t)y;
    out->mask = mask;
    memcpy(out->samples, samples, out->draw->samples * sizeof *samples);
    fraggen->stats.tiles_out++;
    fraggen->stats.fragments += (uint64_t)__builtin_popcountll(mask);
    for (uint32_t q = 0; q < 16; q++)
        fraggen->stats.quads += (mask >> (4 * q) & 15) != 0;
}

/* One square off the stack: a tile is given, a larger one is split into the children that the
 * triangle can touch, pushed so that they come in the order of rows. */
static void
walk_recursive(struct fraggen *fraggen, uint64_t now)
{
    struct fraggen_square square = fraggen->stack[--fraggen->depth];
    const struct triangle *t = &fraggen->current.triangle->triangle;
    if (square.size == TILE_SIZE) {
        give_tile(fraggen, square.x, square.y, now);
        return;
    }
    int32_t half = square.size / 2;
    for (int32_t i = 3; i >= 0; i--) {
        int32_t x = square.x + (i & 1) * half, y = square.y + (i >> 1) * half;
        fraggen->stats.squares_tested++;
        if (raster_box_touches(t, x, y, half) && raster_square(t, x, y, half) != SQUARE_OUTSIDE)
            fraggen->stack[fraggen->depth++] = (struct fraggen_square){x, y, half};
    }
}

static void
walk_scan(struct fraggen *fraggen, uint64_t now)
{
    const struct triangle *t = &fraggen->current.triangle->triangle;
    int32_t x = fraggen->scan_x, y = fraggen->scan_y;
    fraggen->scan_x += TILE_SIZE;
    if (fraggen->scan_x > t->max_x) {
        fraggen->scan_x = t->min_x / TILE_SIZE * TILE_SIZE;
        fraggen->scan_y += TILE_SIZE;
    }
    give_tile(fraggen, x, y, now);
}

/* Gives the tile in hand when its last block is done, and looks for the next one. */
static bool
walk_levels(struct fraggen *fraggen, uint64_t now)
{
    if (fraggen->level_tile.cycle > now) {
        module_wake_at(&fraggen->module, fraggen->level_tile.cycle);
        return false;
    }
    give_tile(fraggen, fraggen->level_tile.x, fraggen->level_tile.y, now);
    fraggen->has_level_tile = levels_next(&fraggen->levels, &fraggen->stats, &fraggen->level_tile);
    return true;
}

static bool
is_finished(const struct fraggen *fraggen)
{
    if (fraggen->generator == GENERATOR_SEVEN_LEVEL)
        return !fraggen->has_level_tile;
    if (fraggen->generator == GENERATOR_RECURSIVE)
        return fraggen->depth == 0;
    return fraggen->scan_y > fraggen->current.triangle->triangle.max_y;
}

/* Takes the next triangle, or passes the end of a draw on; false when there is nothing to do. */
static bool
take(struct fraggen *fraggen, uint64_t now, bool *blocked)
{
    const struct triangle_item *item = queue_front(fraggen->in, now);
    if (!item)
        return false;
    if (item->kind == ITEM_END) {
        if ((*blocked = !queue_space(fraggen->out, now)))
            return false;
        *(struct tile_item *)queue_push(fraggen->out, now) =
            (struct tile_item){.kind = ITEM_END, .draw = item->draw};
    } else {
        begin(fraggen, item, now);
    }
    queue_pop(fraggen->in, now);
    return true;
}

/* Cycles' work of a place for a tile. */
static uint32_t
passes_of(const struct fraggen *fraggen, const struct draw *draw)
{
    return (draw->samples + fraggen->samples_cycle - 1) / fraggen->samples_cycle;
}

static enum unit_state
fraggen_clock(void *self, uint64_t now)
{
    struct fraggen *fraggen = self;
    bool worked = false, blocked = false;
    if (now < fraggen->free_cycle) {
        module_wake_at(&fraggen->module, fraggen->free_cycle);
        return UNIT_BUSY;
    }
    if (!fraggen->current.triangle)
        worked = take(fraggen, now, &blocked);
    uint32_t tiles = 0; /* in passes over one */
    for (uint32_t test = 0; fraggen->current.triangle && test < fraggen->tests_cycle; test++) {
        uint64_t given = fraggen->stats.tiles_out;
        uint32_t passes = passes_of(fraggen, fraggen->current.draw);
        if (tiles >= fraggen->tiles_cycle)
            break;
        if ((blocked = !queue_space(fraggen->out, now)))
            break;
        if (fraggen->generator == GENERATOR_SEVEN_LEVEL && fraggen->has_level_tile) {
            if (!walk_levels(fraggen, now))
                break;
        } else if (fraggen->generator == GENERATOR_RECURSIVE) {
            walk_recursive(fraggen, now);
        } else if (fraggen->generator == GENERATOR_SCAN) {
            walk_scan(fraggen, now);
        }
        tiles += fraggen->stats.tiles_out != given ? passes : 0;
        worked = true;
        if (is_finished(fraggen))
            finish(fraggen);
    }
    if (tiles > fraggen->tiles_cycle)
        fraggen->free_cycle = now + (tiles + fraggen->tiles_cycle - 1) / fraggen->tiles_cycle;
    if (worked)
        return UNIT_BUSY;
    return blocked ? UNIT_BLOCKED : fraggen->current.triangle ? UNIT_WAITING : UNIT_STARVED;
}
