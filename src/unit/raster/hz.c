/* Hierarchical Z.
 *
 * Keeps the farthest depth that each block of the depth surfaces may hold (hz_buffer.c), and drops
 * the fragments of a tile that are farther. The test is used only with LESS and LEQUAL, if no
 * stencil operation can occur and the program writes no depth. Far depths come from the z tests
 * when a line leaves their cache. They also come from clears, which clear HZBlocksClearedPerCycle
 * blocks per cycle. A draw that can move depth away (other functions with depth writes) makes all
 * far depths of its surface unknown. Blits and transfers into a surface do the same with
 * CONTROL_INVALIDATE.
 *
 * The buffer is read through a cache of HZCacheLines lines with HZCacheLineSize entries. One line
 * can be read in each cycle without an update, with a latency of HZAccessLatency cycles. Tiles wait
 * for their lines in order; EarlyZQueueSize limits the quads of these tiles. Input: TilesPerCycle
 * tiles per cycle. Output: StampsPerCycle quads per cycle (2x64 fragments in the reference of
 * 2005). Quads go to the ROP that owns the tile (early test) or to the Interpolator (late test). If
 * the line is in the cache, the latency is one cycle, modelled by the output queues. Source:
 * docs/design/rasterizer.md, Hierarchical Z; ATTILA's HierarchicalZ. */
#include "unit/raster/hz.h"

#include "base/bits.h"
#include "base/mem.h"
#include "base/morton.h"
#include "unit/rop/blocks.h"
#include "unit/rop/cover.h"
#include "unit/watch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static enum unit_state hz_clock(void *self, uint64_t now);

/* Counts stalls up to `now`, at the end of an interval or batch of the tables. */
static void
count_stall(void *self, uint64_t now)
{
    struct hz *hz = self;
    stall_note(&hz->stall, hz->stall.counter, now);
}

/* Starts a frame: all far depths are unknown. */
static void
hz_reset(void *self)
{
    struct hz *hz = self;
    const struct module *module = &hz->module;
    INVARIANT(module, !hz->ring.count && !hz->ahead && !hz->sending);
    INVARIANT(module, !hz->executing);
    INVARIANT(module, hz_buffer_locks(&hz->buffer) == 0);
    hz_buffer_reset(&hz->buffer);
    hz->draw = NULL;
    hz->surface = NULL;
}

static void
hz_fini(void *self)
{
    struct hz *hz = self;
    hz_buffer_fini(&hz->buffer);
    free(hz->waiting);
}

static const struct module_ops ops = {
    .clock = hz_clock,
    .settle = count_stall,
    .reset = hz_reset,
    .fini = hz_fini,
};

void
hz_init(struct hz *hz, const struct unit_env *env, uint32_t index)
{
    const struct params *params = env->params;
    memset(hz, 0, sizeof *hz);
    clock_add_module(env->clock, &hz->module, "hz", -1, hz, &ops);
    hz->module.stage.cause = CAUSE_hierarchy;
    hz->pools = env->pools;
    hz->cover = env->cover;
    hz->rops = env->rops;
    hz->enabled = !params->RASTERIZER.DisableHZ;
    hz->tiles_cycle = params->RASTERIZER.TilesPerCycle;
    hz->quads_cycle = params->RASTERIZER.StampsPerCycle;
    hz->read_cycles = params->RASTERIZER.HZAccessLatency;
    hz->blocks_cleared_cycle = params->RASTERIZER.HZBlocksClearedPerCycle;
    hz_buffer_init(&hz->buffer, params);
    hz->ring.capacity = (params->RASTERIZER.EarlyZQueueSize + 15) / 16;
    hz->waiting = mem_array(hz->ring.capacity, sizeof *hz->waiting);
}

static bool
stencil_has_effect(const struct draw *draw)
{
    for (uint32_t i = 0; i < 2; i++) {
        const struct stencil_face *face = &draw->dsa.stencil[i];
        if (face->enabled && (face->fail_op || face->zpass_op || face->zfail_op))
            return true;
    }
    return false;
}

/* Sets all entries of the surface. The unit is busy until all blocks are cleared. */
static void
fill(struct hz *hz, struct hz_surface *surface, uint16_t far, uint64_t now)
{
    INVARIANT(&hz->module, hz_buffer_locks(&hz->buffer) == 0);
    hz_buffer_fill(&hz->buffer, surface, far);
    hz->stats.blocks_cleared += surface->entries;
    hz->free_cycle =
        now + (surface->entries + hz->blocks_cleared_cycle - 1) / hz->blocks_cleared_cycle;
}

static struct hz_surface *
find_surface(struct hz *hz, const struct bound_surface *surface)
{
    return hz_buffer_find(&hz->buffer, surface->res->created, hz_surface_offset(surface));
}

static void
begin_draw(struct hz *hz, const struct draw *draw, uint64_t now)
{
    hz->draw = draw;
    hz->may_cull = false;
    hz->surface = NULL;
    const bool poisons = draw_moves_depth_away(draw);
    hz->generation += poisons;
    if (!hz->enabled || !draw->depth.res || !draw->depth_test || draw_is_layered(draw))
        return;
    hz->surface = find_surface(hz, &draw->depth);
    if (!hz->surface) {
        hz->surface = hz_buffer_add(&hz->buffer, &draw->depth);
        fill(hz, hz->surface, HZ_FARTHEST, now);
    } else if (poisons && hz->surface->has_depths) {
        fill(hz, hz->surface, HZ_FARTHEST, now);
    }
    hz->stats.poisoned += poisons;
    const uint8_t func = draw->dsa.depth_func;
    hz->may_cull = (func == FUNC_LESS || func == FUNC_LEQUAL) && !stencil_has_effect(draw) &&
                   draw->depth_output < 0;
}

/* Nearest depth of the triangle's plane over a rectangle of pixels, clamped like the depths of its
 * fragments. Samples may be half a pixel away from the pixel center. */
static float
nearest(const struct triangle *t, uint32_t x, uint32_t y, uint32_t width, uint32_t height)
{
    const float px = (float)(x + (t->z.a < 0 ? width - 1 : 0)) + 0.5f - t->origin_x;
    const float py = (float)(y + (t->z.b < 0 ? height - 1 : 0)) + 0.5f - t->origin_y;
    float near = t->z.c + t->z.a * px + t->z.b * py;
    if (t->draw->multisample)
        near -= 0.5f * (fabsf(t->z.a) + fabsf(t->z.b));
    if (!(near > t->z_min))
        return t->z_min;
    return near < t->z_max ? near : t->z_max;
}

/* Largest amount by which the z test may see a fragment nearer than nearest() does. It covers two
 * steps of the depth format and the rounding of the plane's terms. */
static float
margin(const struct tile_item *tile)
{
    const struct triangle *t = &tile->triangle->triangle;
    float reach_x = fabsf((float)tile->x - t->origin_x) + TILE_SIZE;
    float reach_y = fabsf((float)tile->y - t->origin_y) + TILE_SIZE;
    float terms = fabsf(t->z.a) * reach_x + fabsf(t->z.b) * reach_y + fabsf(t->z.c);
    uint32_t bits = tile->draw->depth.format->depth_bits;
    float step = bits == 16 ? 1.0f / 65535.0f : 1.0f / 16777215.0f;
    return 2 * step + terms * (1.0f / 2097152.0f);
}

static void
drop_tile(struct hz *hz)
{
    triangle_release(hz->pools, hz->waiting[ring_pop(&hz->ring)].tile.triangle);
    if (hz->ahead)
        hz->ahead--;
    hz->sending = false;
}

static struct hz_waiting *
waiting_at(const struct hz *hz, uint32_t n)
{
    return &hz->waiting[ring_at(&hz->ring, n)];
}

static uint32_t
count_quads(uint64_t mask)
{
    mask |= mask >> 1;
    mask |= mask >> 2;
    return bits_count(mask & UINT64_C(0x1111111111111111));
}

/* Counts the culled fragments that another opaque draw hides. */
static void
count_behind(struct hz *hz, const struct tile_item *tile, uint64_t culled)
{
    const struct bound_surface *depth = &tile->draw->depth;
    const uint32_t bytes = 4u * depth->format->block_bytes * tile->draw->samples;
    if (!cover_number(tile->draw) || !hz->cover || !hz->cover->draws)
        return;
    for (uint32_t q = 0; culled; q++, culled >>= 4) {
        if (!(culled & 15))
            continue;
        const uint32_t address =
            blocks_quad_address(depth, 0, tile->x + morton8_x(4 * q), tile->y + morton8_y(4 * q));
        hz->stats.fragments_behind += cover_behind(cover_quad(hz->cover, depth, address, bytes),
                                                   tile->draw, (uint32_t)culled & 15);
    }
}

/* Removes the fragments `culled` from the tile. */
static void
cull(struct hz *hz, struct tile_item *tile, uint64_t culled)
{
    culled &= tile->mask;
    WATCH_TILE(hz->pools, tile, culled);
    hz->stats.fragments_culled += bits_count(culled);
    count_behind(hz, tile, culled);
    hz->stats.quads_culled += count_quads(culled);
    tile->mask &= ~culled;
    hz->stats.tiles_culled += tile->mask == 0;
    hz->stats.tiles_cut += tile->mask != 0 && culled != 0;
}

/* Compares each group of quads with the far depth of its blocks. */
static void
test(struct hz *hz, struct hz_waiting *waiting)
{
    const struct triangle *t = &waiting->tile.triangle->triangle;
    const uint32_t quads = hz->surface->cut.group_quads, groups = 16 / quads;
    const uint32_t width = quads >= 8 ? 8 : quads >= 2 ? 4 : 2;
    const uint32_t height = quads == 16 ? 8 : quads >= 4 ? 4 : 2;
    const float closer = margin(&waiting->tile) - hz->fault_offset;
    uint64_t culled = 0;
    hz->stats.tiles_tested++;
    for (uint32_t g = 0; g < groups; g++) {
        if (waiting->far[g] == HZ_FARTHEST)
            continue;
        const uint32_t q = g * quads;
        const uint32_t x = waiting->tile.x + morton8_x(4 * q);
        const uint32_t y = waiting->tile.y + morton8_y(4 * q);
        const float near = nearest(t, x, y, width, height) - closer;
        if ((double)near * HZ_FARTHEST > waiting->far[g])
            culled |= (quads == 16 ? ~UINT64_C(0) : (UINT64_C(1) << 4 * quads) - 1) << 4 * q;
    }
    if (culled)
        cull(hz, &waiting->tile, culled);
}

/* Index of the entry of the tile's n-th block. */
static uint32_t
entry_of(const struct hz *hz, const struct tile_item *tile, uint32_t n)
{
    const struct hz_surface *s = hz->surface;
    const uint32_t number = tile->y / TILE_SIZE * s->tiles_x + tile->x / TILE_SIZE;
    return s->first + number * s->cut.tile_blocks + n;
}

/* Whether the buffer has entries for all blocks of the tile. */
static bool
is_in_buffer(const struct hz *hz, const struct tile_item *tile)
{
    const struct hz_surface *s = hz->surface;
    return entry_of(hz, tile, s->cut.tile_blocks - 1) < s->first + s->entries;
}

/* The first block after block n whose entry is in another line of the buffer. Returns the tile's
 * number of blocks if there is none. */
static uint32_t
next_line(const struct hz *hz, uint32_t entry, uint32_t n)
{
    const uint32_t left = hz->buffer.line_blocks - entry % hz->buffer.line_blocks;
    const uint32_t all = hz->surface->cut.tile_blocks;
    return n + left < all ? n + left : all;
}

/* Locks the next line that a waiting tile needs. On a miss, reads it into the cache if `*port` is
 * free. Returns false if no line is needed, or if the line cannot be read now. */
static bool
request_line(struct hz *hz, uint64_t now, bool *port)
{
    while (hz->ahead < hz->ring.count) {
        struct hz_waiting *waiting = waiting_at(hz, hz->ahead);
        if (!waiting->tested || waiting->asked == hz->surface->cut.tile_blocks) {
            hz->ahead++;
            continue;
        }
        const uint32_t entry = entry_of(hz, &waiting->tile, waiting->asked);
        if (hz_cache_lock(&hz->buffer, entry / hz->buffer.line_blocks) >= 0) {
            hz->stats.cache_hits++;
        } else {
            if (!*port || hz_cache_read(&hz->buffer, entry / hz->buffer.line_blocks,
                                        now + hz->read_cycles) < 0)
                return false;
            *port = false;
            hz->stats.cache_misses++;
        }
        hz->stats.cache_accesses++;
        waiting->asked = next_line(hz, entry, waiting->asked);
        return true;
    }
    return false;
}

/* Reads the available far depths of the first tile. Returns false if some are missing. */
static bool
read_first(struct hz *hz, uint64_t now)
{
    struct hz_waiting *waiting = waiting_at(hz, 0);
    const struct hz_cut *cut = &hz->surface->cut;
    while (waiting->read < waiting->asked) {
        uint32_t entry = entry_of(hz, &waiting->tile, waiting->read);
        const int32_t at = hz->buffer.line_of[entry / hz->buffer.line_blocks];
        INVARIANT(&hz->module, at >= 0); /* locked lines are never evicted */
        struct hz_cache_line *line = &hz->buffer.lines[at];
        if (line->ready_cycle > now) {
            module_wake_at(&hz->module, line->ready_cycle);
            return false;
        }
        INVARIANT(&hz->module, line->locks > 0);
        const uint16_t *cached = hz->buffer.cached + (size_t)(uint32_t)at * hz->buffer.line_blocks;
        for (uint32_t end = next_line(hz, entry, waiting->read); waiting->read < end;
             waiting->read++, entry++) {
            const uint32_t group =
                cut->group_quads > 1 ? waiting->read : waiting->read / cut->group_blocks;
            const uint16_t far = cached[entry % hz->buffer.line_blocks];
            if (far > waiting->far[group])
                waiting->far[group] = far;
        }
        line->locks--;
    }
    return waiting->read == cut->tile_blocks;
}

/* Sends quads of the first tile, up to the number of slots left in this cycle. Returns false if a
 * queue is full or the slots are used up. */
static bool
send_quads(struct hz *hz, uint64_t now, uint32_t *slots, bool *worked)
{
    const struct tile_item *tile = &waiting_at(hz, 0)->tile;
    const uint32_t samples = tile->draw->samples;
    struct queue *out = hz->late;
    if (tile->draw->early_z)
        out = hz->early[rop_of_tile(tile->x / TILE_SIZE, tile->y / TILE_SIZE, hz->rops)];
    for (; hz->next_quad < 16; hz->next_quad++) {
        uint32_t q = hz->next_quad, mask = tile->mask >> (4 * q) & 15;
        if (!mask)
            continue;
        if (!*slots) {
            module_wake_at(&hz->module, now + 1);
            return false;
        }
        if (!queue_space(out, now))
            return false;
        --*slots;
        struct quad *quad = quad_create(hz->pools, tile->triangle);
        quad->x = (uint16_t)(tile->x + morton8_x(4 * q));
        quad->y = (uint16_t)(tile->y + morton8_y(4 * q));
        quad->mask = samples == 1 ? mask : raster_quad_mask(tile->samples, samples, q);
        depth_interpolate_samples(&tile->triangle->triangle, quad->x, quad->y, quad->z);
        WATCH_QUAD(hz->pools, quad, tile->draw);
        *(struct quad_item *)queue_push(out, now) =
            (struct quad_item){ITEM_DATA, tile->draw, quad, 0};
        hz->stats.quads_out++;
        hz->stats.fragments_out += bits_count(mask);
        *worked = true;
    }
    drop_tile(hz);
    return true;
}

static bool
send_end(struct hz *hz, const struct draw *draw, uint64_t now)
{
    struct quad_item end = {ITEM_END, draw, NULL, 0};
    if (!draw->early_z) {
        if (!queue_space(hz->late, now))
            return false;
        *(struct quad_item *)queue_push(hz->late, now) = end;
        return true;
    }
    for (uint32_t r = 0; r < hz->rops; r++)
        if (!queue_space(hz->early[r], now))
            return false;
    for (uint32_t r = 0; r < hz->rops; r++)
        *(struct quad_item *)queue_push(hz->early[r], now) = end;
    return true;
}

static bool
take_updates(struct hz *hz, uint64_t now)
{
    bool worked = false;
    for (uint32_t r = 0; r < hz->rops; r++) {
        for (const struct hz_update *update; (update = queue_front(hz->updates[r], now));) {
            if (update->generation == hz->generation && hz_buffer_update(&hz->buffer, update))
                hz->stats.updates++;
            else
                hz->stats.updates_ignored++;
            queue_pop(hz->updates[r], now);
            worked = true;
        }
    }
    return worked;
}

static void
hz_clear(struct hz *hz, const struct control_item *item, uint64_t now)
{
    hz->generation++;
    if (!hz->enabled || hz->fault_keep_clear)
        return;
    struct hz_surface *surface = find_surface(hz, &item->surface);
    if (!surface)
        surface = hz_buffer_add(&hz->buffer, &item->surface);
    fill(hz, surface, hz_entry((float)item->depth, hz->buffer.entry_bits), now);
}

static bool
exec_control(struct hz *hz, uint64_t now)
{
    const struct control_item *item = queue_front(hz->control, now);
    if (!item)
        return false;
    if (!hz->executing && item->kind == CONTROL_CLEAR && (item->buffers & MASK_DEPTH))
        hz_clear(hz, item, now);
    else if (item->kind == CONTROL_INVALIDATE && item->surface.res)
        hz_buffer_remove(&hz->buffer, item->surface.res->created);
    else if (item->kind == CONTROL_INVALIDATE)
        hz_buffer_reset(&hz->buffer);
    hz->draw = NULL;
    hz->executing = now < hz->free_cycle;
    if (hz->executing || !queue_space(hz->done, now))
        return true;
    *(struct done_item *)queue_push(hz->done, now) = (struct done_item){false, 0};
    queue_pop(hz->control, now);
    return true;
}

/* Takes tiles. Takes the end of the draw if no tile waits. Returns false if it took nothing. */
static bool
hz_take(struct hz *hz, uint64_t now, bool *blocked)
{
    bool worked = false;
    for (uint32_t i = 0; i < hz->tiles_cycle && !ring_is_full(&hz->ring); i++) {
        const struct tile_item *item = queue_front(hz->in, now);
        if (!item)
            break;
        if (item->draw != hz->draw) {
            if (hz->ring.count)
                break;
            begin_draw(hz, item->draw, now);
            if (now < hz->free_cycle)
                return true;
        }
        if (item->kind == ITEM_END) {
            if (hz->ring.count || (*blocked = !send_end(hz, item->draw, now)))
                break;
            queue_pop(hz->in, now);
            return true;
        }
        struct hz_waiting *waiting = &hz->waiting[ring_push(&hz->ring)];
        waiting->tile = *item;
        waiting->tested = hz->may_cull && is_in_buffer(hz, item);
        waiting->asked = waiting->read = 0;
        memset(waiting->far, 0, sizeof waiting->far);
        hz->stats.tiles_in++;
        queue_pop(hz->in, now);
        worked = true;
    }
    return worked;
}

/* Tests the first tile and sends its quads. Returns false if the tile must wait. */
static bool
finish_first(struct hz *hz, uint64_t now, uint32_t *slots, bool *worked, bool *blocked)
{
    struct hz_waiting *first = waiting_at(hz, 0);
    if (!hz->sending) {
        if (first->tested && !read_first(hz, now))
            return false;
        if (first->tested)
            test(hz, first);
        hz->sending = true;
        hz->next_quad = first->tile.mask ? 0 : 16;
        *worked = true;
    }
    *blocked = !send_quads(hz, now, slots, worked);
    return !*blocked;
}

static enum unit_state
why_idle(struct hz *hz, bool blocked, uint64_t now)
{
    struct hz_stats *stats = &hz->stats;
    if (blocked) {
        const bool early = hz->draw && hz->draw->early_z;
        stall_note(&hz->stall, early ? &stats->cycles_ztest : &stats->cycles_interpolator, now);
        return UNIT_BLOCKED;
    }
    stall_note(&hz->stall, hz->ring.count ? &stats->cycles_cache : NULL, now);
    return hz->ring.count ? UNIT_WAITING : UNIT_STARVED;
}

static enum unit_state
hz_clock(void *self, uint64_t now)
{
    struct hz *hz = self;
    bool blocked = false, updated = take_updates(hz, now), port = !updated;
    bool worked = updated;
    if (now < hz->free_cycle) {
        module_wake_at(&hz->module, hz->free_cycle);
        stall_note(&hz->stall, &hz->stats.cycles_clearing, now);
        return UNIT_BUSY;
    }
    worked |= exec_control(hz, now);
    if (!hz->executing) {
        worked |= hz_take(hz, now, &blocked);
        for (uint32_t i = 0; i < hz->tiles_cycle; i++)
            worked |= request_line(hz, now, &port);
        uint32_t slots = hz->quads_cycle;
        for (uint32_t i = 0; i < hz->tiles_cycle && hz->ring.count; i++)
            if (!finish_first(hz, now, &slots, &worked, &blocked))
                break;
    }
    if (!worked)
        return why_idle(hz, blocked, now);
    stall_note(&hz->stall, NULL, now);
    return UNIT_BUSY;
}
