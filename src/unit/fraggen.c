/* Fragment generator.
 *
 * Walks triangles in one of three ways and gives the 8x8 tiles that they cover, with a coverage
 * mask. Tile scan and recursive have two halves that work at the same time: the search
 * (fraggen_search.c) finds scan tiles; the generation cuts these into generation tiles (GenWidth x
 * GenHeight pixels) and makes the coverage of one for one triangle in a step. As many steps fit a
 * cycle as StampsPerCycle quads hold generation tiles, at least one; StampsPerCycle quads with a
 * fragment in them leave in a cycle (2x64 fragments in the reference of 2005). The recursive
 * generator walks RasterizationBatchSize triangles together, once that many have come or the draw
 * ends: of each generation tile it makes the fragments of all of them, in their order. The
 * seven-level generator (fraggen_levels.c) has its own levels and rates.
 *
 * Multisampled, MSAASamplesCycle samples of each fragment are made in a cycle: a quad takes that
 * many times longer. BatchQueueSize triangles are held, those being walked included. Latency 1, on
 * the queue to hierarchical Z. Source: machine.md, rasterizer.md; ATTILA's TriangleTraversal. */
#include "unit/fraggen.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static enum unit_state fraggen_clock(void *self, uint64_t now);

/* The fragments of a tile, in Morton order, that lie in each generation tile smaller than it. */
static void
init_gen_masks(struct fraggen *fraggen)
{
    const uint32_t width = fraggen->gen_width, height = fraggen->gen_height;
    for (uint32_t y = 0; y < TILE_SIZE; y++)
        for (uint32_t x = 0; x < TILE_SIZE; x++)
            fraggen->gen_masks[y / height * 4 + x / width] |= UINT64_C(1) << morton8(x, y);
}

static uint32_t
least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

void
fraggen_init(struct fraggen *fraggen, struct clock *clock, const struct params *params,
             struct pools *pools)
{
    memset(fraggen, 0, sizeof *fraggen);
    clock_add_module(clock, &fraggen->module, "fraggen", -1, fraggen, fraggen_clock);
    fraggen->module.keeps_time = true;
    fraggen->pools = pools;
    fraggen->generator = params_generator(params);
    fraggen->quads_cycle = params->RASTERIZER.StampsPerCycle;
    fraggen->samples_cycle = params->RASTERIZER.MSAASamplesCycle;
    fraggen->gen_width = least(params->RASTERIZER.GenWidth, params->RASTERIZER.ScanWidth);
    fraggen->gen_height = least(params->RASTERIZER.GenHeight, params->RASTERIZER.ScanHeight);
    fraggen->steps_cycle = 4 * fraggen->quads_cycle / (fraggen->gen_width * fraggen->gen_height);
    if (!fraggen->steps_cycle)
        fraggen->steps_cycle = 1;
    init_gen_masks(fraggen);
    fraggen->capacity = params->RASTERIZER.BatchQueueSize;
    fraggen->waiting = mem_alloc(fraggen->capacity * sizeof *fraggen->waiting);
    fraggen->batch_limit = 1;
    if (fraggen->generator == GENERATOR_RECURSIVE)
        fraggen->batch_limit =
            least(params->RASTERIZER.RasterizationBatchSize,
                  least(fraggen->capacity, params->RASTERIZER.EmulatorStoredTriangles));
    search_init(&fraggen->search, params, fraggen->generator == GENERATOR_RECURSIVE);
    fraggen->levels.use_box = params->RASTERIZER.BoundingBoxTest;
}

void
fraggen_fini(struct fraggen *fraggen)
{
    free(fraggen->waiting);
}

/* The n-th triangle held. */
static struct fraggen_waiting *
waiting_at(const struct fraggen *fraggen, uint32_t n)
{
    uint32_t i = fraggen->head + n;
    return &fraggen->waiting[i < fraggen->capacity ? i : i - fraggen->capacity];
}

/* Takes what came; returns whether the end of the draw is next. */
static bool
take(struct fraggen *fraggen, uint64_t now)
{
    for (const struct triangle_item *item; (item = queue_front(fraggen->in, now));) {
        if (item->kind == ITEM_END)
            return true;
        if (fraggen->count == fraggen->capacity)
            return false;
        *waiting_at(fraggen, fraggen->count++) = (struct fraggen_waiting){*item, now, 0};
        fraggen->stats.triangles_in++;
        queue_pop(fraggen->in, now);
    }
    return false;
}

static void
begin(struct fraggen *fraggen)
{
    fraggen->batch = least(fraggen->count, fraggen->batch_limit);
    fraggen->stats.batches++;
    fraggen->has_scan_tile = false;
    const struct fraggen_waiting *first = waiting_at(fraggen, 0);
    if (fraggen->generator == GENERATOR_SEVEN_LEVEL) {
        levels_begin(&fraggen->levels, &first->item.triangle->triangle, first->arrival);
        fraggen->has_level_tile =
            levels_next(&fraggen->levels, &fraggen->stats, &fraggen->level_tile);
        return;
    }
    for (uint32_t i = 0; i < fraggen->batch; i++)
        fraggen->search.triangles[i] = &waiting_at(fraggen, i)->item.triangle->triangle;
    search_begin(&fraggen->search, &fraggen->stats, fraggen->batch);
}

/* The statistics hold the classes of size side by side: none, 1, 2 to 3, 4 to 7, ... */
static void
count_size(struct fraggen_stats *stats, uint32_t fragments)
{
    const uint32_t last = (uint32_t)(&stats->size_16384_up - &stats->size_0);
    const uint32_t class = fragments ? 32 - (uint32_t)__builtin_clz(fragments) : 0;
    ++*(&stats->size_0 + least(class, last));
}

static void
finish(struct fraggen *fraggen)
{
    for (uint32_t i = 0; i < fraggen->batch; i++) {
        const struct fraggen_waiting *done = waiting_at(fraggen, i);
        count_size(&fraggen->stats, done->fragments);
        triangle_release(fraggen->pools, done->item.triangle);
    }
    fraggen->head = (fraggen->head + fraggen->batch) % fraggen->capacity;
    fraggen->count -= fraggen->batch;
    fraggen->finished += fraggen->batch;
    fraggen->batch = 0;
}

static bool
is_finished(const struct fraggen *fraggen)
{
    if (fraggen->generator == GENERATOR_SEVEN_LEVEL)
        return !fraggen->has_level_tile;
    return !fraggen->has_scan_tile && !fraggen->search.found_count &&
           search_is_done(&fraggen->search);
}

/* Quads of a tile with a fragment in them: a bit each, four bits apart. */
static uint64_t
quads_of(uint64_t mask)
{
    mask |= mask >> 1;
    mask |= mask >> 2;
    return mask & UINT64_C(0x1111111111111111);
}

/* Sends a triangle's fragments in the part `in` of the tile at (x, y); returns how many quads'
 * time that takes, 0 when there are none. */
static uint32_t
give_tile(struct fraggen *fraggen, struct fraggen_waiting *waiting, int32_t x, int32_t y,
          uint64_t in, uint64_t now)
{
    const struct triangle_item *from = &waiting->item;
    const struct draw *draw = from->draw;
    uint64_t samples[MAX_SAMPLES];
    const uint64_t mask = raster_tile_samples(&from->triangle->triangle, x, y, samples) & in;
    fraggen->stats.tiles_tested++;
    if (!mask) {
        fraggen->stats.tiles_empty++;
        return 0;
    }
    from->triangle->references++;
    struct tile_item *out = queue_push(fraggen->out, now);
    out->kind = ITEM_DATA;
    out->draw = draw;
    out->triangle = from->triangle;
    out->x = (uint16_t)x;
    out->y = (uint16_t)y;
    out->mask = mask;
    for (uint32_t s = 0; s < draw->samples; s++)
        out->samples[s] = samples[s] & in;
    const uint32_t quads = (uint32_t)__builtin_popcountll(quads_of(mask));
    fraggen->stats.tiles_out++;
    fraggen->stats.tiles_full += mask == ~UINT64_C(0);
    fraggen->stats.fragments += (uint64_t)__builtin_popcountll(mask);
    waiting->fragments += (uint32_t)__builtin_popcountll(mask);
    fraggen->stats.quads += quads;
    fraggen->stats.quads_full +=
        (uint64_t)__builtin_popcountll(quads_of(~mask) ^ UINT64_C(0x1111111111111111));
    return quads * ((draw->samples + fraggen->samples_cycle - 1) / fraggen->samples_cycle);
}

static bool
touches_box(const struct triangle *triangle, int32_t x, int32_t y, uint32_t width, uint32_t height)
{
    return triangle->min_x < x + (int32_t)width && triangle->max_x >= x &&
           triangle->min_y < y + (int32_t)height && triangle->max_y >= y;
}

/* Moves on to the next triangle, and behind the last one to the next generation tile; false behind
 * the last of these. */
static bool
next_pair(struct fraggen *fraggen)
{
    if (++fraggen->triangle < fraggen->batch)
        return true;
    fraggen->triangle = 0;
    fraggen->gen_x += fraggen->gen_width;
    if (fraggen->gen_x < (uint32_t)fraggen->search.scan_width)
        return true;
    fraggen->gen_x = 0;
    fraggen->gen_y += fraggen->gen_height;
    return fraggen->gen_y < (uint32_t)fraggen->search.scan_height;
}

/* Finds the next generation tile, and triangle that touches it, from the present ones on; the scan
 * tile is done when there is none. */
static void
seek_step(struct fraggen *fraggen)
{
    const struct fraggen_scan_tile *scan = &fraggen->scan_tile;
    do {
        if ((scan->triangles >> fraggen->triangle & 1) &&
            touches_box(fraggen->search.triangles[fraggen->triangle],
                        scan->x + (int32_t)fraggen->gen_x, scan->y + (int32_t)fraggen->gen_y,
                        fraggen->gen_width, fraggen->gen_height))
            return;
    } while (next_pair(fraggen));
    fraggen->has_scan_tile = false;
}

/* Begins the next step; false when no scan tile is left for now. */
static bool
begin_step(struct fraggen *fraggen)
{
    while (!fraggen->has_scan_tile) {
        if (!search_take(&fraggen->search, &fraggen->scan_tile))
            return false;
        fraggen->has_scan_tile = true;
        fraggen->gen_x = fraggen->gen_y = fraggen->triangle = 0;
        seek_step(fraggen);
    }
    fraggen->in_step = true;
    fraggen->step_gave = false;
    fraggen->sub_x = fraggen->sub_y = 0;
    fraggen->stats.steps++;
    return true;
}

static void
end_step(struct fraggen *fraggen)
{
    fraggen->stats.steps_empty += !fraggen->step_gave;
    fraggen->in_step = false;
    if (next_pair(fraggen))
        seek_step(fraggen);
    else
        fraggen->has_scan_tile = false;
}

/* The next 8x8 tile of the step in hand, or the part of one that the step makes; returns the quads'
 * time that it takes. */
static uint32_t
go_on_with_step(struct fraggen *fraggen, uint64_t now)
{
    const int32_t x = fraggen->scan_tile.x + (int32_t)(fraggen->gen_x + fraggen->sub_x);
    const int32_t y = fraggen->scan_tile.y + (int32_t)(fraggen->gen_y + fraggen->sub_y);
    uint64_t in = ~UINT64_C(0);
    if (fraggen->gen_width < TILE_SIZE || fraggen->gen_height < TILE_SIZE)
        in = fraggen->gen_masks[(uint32_t)y % TILE_SIZE / fraggen->gen_height * 4 +
                                (uint32_t)x % TILE_SIZE / fraggen->gen_width];
    struct fraggen_waiting *from = waiting_at(fraggen, fraggen->triangle);
    const uint32_t quads =
        give_tile(fraggen, from, x / TILE_SIZE * TILE_SIZE, y / TILE_SIZE * TILE_SIZE, in, now);
    fraggen->step_gave |= quads != 0;
    fraggen->sub_x += TILE_SIZE;
    if (fraggen->sub_x >= fraggen->gen_width) {
        fraggen->sub_x = 0;
        fraggen->sub_y += TILE_SIZE;
        if (fraggen->sub_y >= fraggen->gen_height)
            end_step(fraggen);
    }
    return quads;
}

/* One cycle of generation. */
static bool
generate(struct fraggen *fraggen, uint64_t now, enum unit_state *why)
{
    uint32_t quads = now == fraggen->free_cycle ? fraggen->owed : 0, steps = 0;
    bool worked = false;
    while (quads < fraggen->quads_cycle) {
        if (!fraggen->in_step && (steps++ == fraggen->steps_cycle || !begin_step(fraggen)))
            break;
        if (!queue_space(fraggen->out, now)) {
            *why = UNIT_BLOCKED;
            break;
        }
        quads += go_on_with_step(fraggen, now);
        worked = true;
    }
    fraggen->owed = quads % fraggen->quads_cycle;
    if (quads >= fraggen->quads_cycle)
        fraggen->free_cycle = now + quads / fraggen->quads_cycle;
    else
        fraggen->owed = 0;
    return worked;
}

/* Seven-level: gives the tile in hand when its last block is done, and looks for the next one. */
static bool
generate_levels(struct fraggen *fraggen, uint64_t now, enum unit_state *why)
{
    if (!fraggen->has_level_tile)
        return false;
    if (fraggen->level_tile.cycle > now) {
        module_wake_at(&fraggen->module, fraggen->level_tile.cycle);
        *why = UNIT_WAITING;
        return false;
    }
    if (!queue_space(fraggen->out, now)) {
        *why = UNIT_BLOCKED;
        return false;
    }
    struct fraggen_waiting *from = waiting_at(fraggen, 0);
    const uint32_t quads =
        give_tile(fraggen, from, fraggen->level_tile.x, fraggen->level_tile.y, ~UINT64_C(0), now);
    const uint32_t passes =
        quads ? (from->item.draw->samples + fraggen->samples_cycle - 1) / fraggen->samples_cycle
              : 1;
    fraggen->free_cycle = now + passes; /* its blocks came one a cycle, for one pass */
    fraggen->has_level_tile = levels_next(&fraggen->levels, &fraggen->stats, &fraggen->level_tile);
    return true;
}

static bool
pass_end(struct fraggen *fraggen, uint64_t now, enum unit_state *why)
{
    const struct triangle_item *item = queue_front(fraggen->in, now);
    if (!queue_space(fraggen->out, now)) {
        *why = UNIT_BLOCKED;
        return false;
    }
    *(struct tile_item *)queue_push(fraggen->out, now) =
        (struct tile_item){.kind = ITEM_END, .draw = item->draw};
    queue_pop(fraggen->in, now);
    return true;
}

static void
tell_setup(struct fraggen *fraggen, uint64_t now)
{
    if (!fraggen->finished || !queue_space(fraggen->places, now))
        return;
    *(struct place_item *)queue_push(fraggen->places, now) = (struct place_item){fraggen->finished};
    fraggen->finished = 0;
}

static enum unit_state
work(struct fraggen *fraggen, uint64_t now)
{
    enum unit_state why = UNIT_STARVED;
    bool worked = false;
    const bool ending = take(fraggen, now);
    if (!fraggen->batch && fraggen->count && (ending || fraggen->count >= fraggen->batch_limit)) {
        begin(fraggen);
        worked = true;
    }
    if (fraggen->batch) {
        if (fraggen->generator == GENERATOR_SEVEN_LEVEL) {
            worked |= generate_levels(fraggen, now, &why);
        } else {
            const bool generated = generate(fraggen, now, &why);
            worked |= generated | search_go_on(&fraggen->search, &fraggen->stats);
            fraggen->stats.cycles_search += worked && !generated && why != UNIT_BLOCKED;
        }
        if (is_finished(fraggen))
            finish(fraggen);
    } else if (ending && !fraggen->count) {
        worked = pass_end(fraggen, now, &why);
    }
    tell_setup(fraggen, now);
    return worked ? UNIT_BUSY : why;
}

static enum unit_state
fraggen_clock(void *self, uint64_t now)
{
    struct fraggen *fraggen = self;
    if (now < fraggen->free_cycle) {
        module_wake_at(&fraggen->module, fraggen->free_cycle);
        tell_setup(fraggen, now);
        return UNIT_BUSY;
    }
    const enum unit_state state = work(fraggen, now);
    if (state == UNIT_BUSY)
        module_wake_at(&fraggen->module, fraggen->free_cycle > now ? fraggen->free_cycle : now + 1);
    return state;
}
