/* Z & stencil test (one a ROP).
 *
 * Quads arrive from hierarchical Z before shading (early), or from the scheduler after it (late);
 * the command processor drains the pipeline between draws, so that the two never mix. First each
 * quad's cache line is looked up, and asked for on a miss; quads whose line is here are tested in
 * order, StampsPerCycle a cycle, on the bytes in the line. Latency: ALU 2 (ZALULatency), on the
 * queues behind, and memory. When a dirty line is written back, its farthest depth goes to
 * hierarchical Z. Multisampled, a quad takes a cycle for MSAASamplesCycle x StampsPerCycle samples
 * of its fragments. Source: machine.md (units, ROP caches). Not modelled: compression, the cache's
 * port width and extra ports. */
#include "unit/zstencil.h"

#include "unit/hz.h"

#include <string.h>

static enum unit_state zstencil_clock(void *self, uint64_t now);

void
zstencil_init(struct zstencil *zstencil, struct clock *clock, const struct params *params,
              struct pools *pools, uint32_t index, uint32_t count)
{
    memset(zstencil, 0, sizeof *zstencil);
    clock_add_module(clock, &zstencil->module, "zstencil", (int32_t)index, zstencil,
                     zstencil_clock);
    zstencil->module.is_core = true;
    zstencil->pools = pools;
    zstencil->quads_cycle = params->ZSTENCILTEST.StampsPerCycle;
    zstencil->block_stamps = params->RASTERIZER.StampsPerHZBlock;
    rop_init(&zstencil->rop, index, count,
             params->ZSTENCILTEST.ZCacheLines * params->ZSTENCILTEST.ZCacheWays,
             params->ZSTENCILTEST.ZCacheWays, params->ZSTENCILTEST.FetchQueueSize,
             params->ZSTENCILTEST.BlocksClearedPerCycle, params->MEMORYCONTROLLER.MemorySize);
    zstencil->rop.samples_cycle = params->RASTERIZER.MSAASamplesCycle;
}

void
zstencil_fini(struct zstencil *zstencil)
{
    rop_fini(&zstencil->rop);
}

static bool
needs_memory(const struct draw *draw)
{
    return draw->depth.res && (draw->depth_test || draw->stencil_test);
}

/* From now on the cache's lines are of the draw's depth surface. */
static void
begin_draw(struct zstencil *zstencil, const struct draw *draw)
{
    const struct bound_surface *surface = &draw->depth;
    struct zstencil_depths *depths = &zstencil->depths;
    zstencil->draw = draw;
    depths->there = surface->res && surface->format->depth_bits;
    if (!depths->there)
        return;
    depths->resource = surface->res->created;
    depths->level = surface->level;
    depths->layer = surface->layer;
    depths->first = rop_quad_address(surface, 0, 0);
    depths->end = depths->first + surface->res->levels[surface->level].slice_bytes;
    depths->format = surface->format;
    depths->cut = hz_cut(surface, zstencil->block_stamps);
}

static void
end_draw(struct zstencil *zstencil, const struct draw *draw)
{
    zstencil->draw = NULL;
    zstencil->rop.cache.stamp += hz_poisons(draw);
}

/* Looks up the line of the next quad; false when there is none or no room. */
static bool
look_up(struct zstencil *zstencil, struct queue *in, uint64_t now)
{
    const struct quad_item *item = queue_front(in, now);
    if (!item || !rop_has_room(&zstencil->rop))
        return false;
    struct rop_waiting waiting = {.item = *item, .line = -1};
    if (item->kind == ITEM_DATA) {
        if (zstencil->draw != item->draw)
            begin_draw(zstencil, item->draw);
        if (needs_memory(item->draw)) {
            uint32_t address = rop_quad_address(&item->draw->depth, item->quad->x, item->quad->y);
            waiting.line = rop_lock(&zstencil->rop, address);
            if (waiting.line < 0)
                return false;
            waiting.offset = address % ROP_LINE_BYTES;
        }
    } else if (item->kind == ITEM_END) {
        end_draw(zstencil, item->draw);
    }
    rop_add_waiting(&zstencil->rop, &waiting);
    queue_pop(in, now);
    return true;
}

static void
test(struct zstencil *zstencil, struct rop_waiting *waiting, uint64_t now)
{
    struct quad *quad = waiting->item.quad;
    const struct draw *draw = waiting->item.draw;
    zstencil->stats.quads_in++;
    zstencil->stats.fragments_in += quad_fragments(quad->mask);
    rop_spend(&zstencil->rop, draw->samples, zstencil->quads_cycle, now);
    if (waiting->line < 0) {
        zstencil->samples_passed += (uint64_t)__builtin_popcount(quad->mask);
        return;
    }
    uint8_t *bytes = cache_data(&zstencil->rop.cache, (uint32_t)waiting->line) + waiting->offset;
    struct depth_result result =
        depth_test_samples(draw, quad->triangle->triangle.front, quad->mask, quad->z, bytes);
    rop_unlock(&zstencil->rop, waiting->line, result.wrote);
    /* A fragment fails with its last sample: by depth, if depth took any of them. */
    const uint32_t lost = mask_fragments(quad->mask) & ~mask_fragments(result.pass);
    const uint32_t by_depth = lost & mask_fragments(result.z_fail);
    zstencil->stats.fragments_z_failed += quad_fragments(by_depth);
    zstencil->stats.fragments_stencil_failed += quad_fragments(lost & ~by_depth);
    zstencil->samples_passed += (uint64_t)__builtin_popcount(result.pass);
    quad->mask = result.pass;
}

/* Tests the first waiting quad and sends it on; false when it has to wait, *why says for what. */
static bool
finish_first(struct zstencil *zstencil, uint64_t now, enum unit_state *why)
{
    struct rop_waiting *waiting = rop_first_waiting(&zstencil->rop);
    if (!waiting)
        return false;
    struct queue *out = waiting->item.draw->early_z ? zstencil->early_out : zstencil->late_out;
    if (waiting->line >= 0 && !cache_ready(&zstencil->rop.cache, (uint32_t)waiting->line)) {
        *why = UNIT_WAITING;
        return false;
    }
    if (!queue_space(out, now)) {
        *why = UNIT_BLOCKED;
        return false;
    }
    if (waiting->item.kind == ITEM_END) {
        waiting->item.samples_passed += zstencil->samples_passed;
        zstencil->samples_passed = 0;
    } else {
        test(zstencil, waiting, now);
        if (!waiting->item.quad->mask) {
            zstencil->stats.quads_culled++;
            quad_release(zstencil->pools, waiting->item.quad);
            rop_drop_waiting(&zstencil->rop);
            return true;
        }
        zstencil->stats.fragments_out += quad_fragments(waiting->item.quad->mask);
    }
    *(struct quad_item *)queue_push(out, now) = waiting->item;
    rop_drop_waiting(&zstencil->rop);
    return true;
}

static void
clear_part(const struct control_item *order, uint8_t *line)
{
    const struct format_info *format = order->surface.format;
    for (uint32_t at = 0; at < ROP_LINE_BYTES; at += format->block_bytes)
        depth_clear_element(format, order->buffers, order->depth, order->stencil, line + at);
}

/* Whether the clear sets every bit that the format has. */
static bool
clears_all(const struct control_item *order)
{
    const struct format_info *format = order->surface.format;
    return (!format->depth_bits || (order->buffers & MASK_DEPTH)) &&
           (!format->stencil_bits || (order->buffers & MASK_STENCIL));
}

static bool
clears_depth(const struct control_item *order)
{
    return order->kind == CONTROL_CLEAR && (order->buffers & MASK_DEPTH);
}

static bool
obey(struct zstencil *zstencil, uint64_t now, bool *worked)
{
    struct rop *rop = &zstencil->rop;
    if (!rop->obeying) {
        const struct control_item *item = queue_front(zstencil->control, now);
        if (!item || !queue_space(zstencil->done, now))
            return false;
        rop->order = *item;
        rop->obeying = true;
        rop->step = rop->walk = 0;
        rop->cache.stamp += clears_depth(&rop->order);
        queue_pop(zstencil->control, now);
        *worked = true;
    }
    uint8_t pattern[ROP_LINE_BYTES] = {0};
    bool fast = rop->order.kind == CONTROL_CLEAR && clears_all(&rop->order);
    if (fast && rop->step == 0)
        clear_part(&rop->order, pattern);
    if (!rop_obey(rop, fast ? pattern : NULL, clear_part, now, worked)) {
        if (fast)
            module_wake_at(&zstencil->module, rop->free_cycle);
        return true;
    }
    if (!queue_space(zstencil->done, now))
        return true;
    *(struct done_item *)queue_push(zstencil->done, now) = (struct done_item){false, 0};
    rop->obeying = false;
    rop->cache.stamp += clears_depth(&rop->order);
    *worked = true;
    return true;
}

static void
far_depths(const struct zstencil_depths *depths, const uint8_t *line, uint16_t *far)
{
    const struct hz_cut *cut = &depths->cut;
    for (uint32_t b = 0; b < cut->line_blocks; b++) {
        float farthest = 0;
        for (uint32_t i = 0; i < cut->elements; i++, line += cut->element_bytes) {
            float depth = depth_of_element(depths->format, line);
            farthest = depth > farthest ? depth : farthest;
        }
        far[b] = hz_entry(farthest);
    }
}

/* Far depths of the line that cache_clock is about to send: told when its write-back starts. */
static void
tell_hz(struct zstencil *zstencil, uint64_t now)
{
    struct cache *cache = &zstencil->rop.cache;
    const struct zstencil_depths *depths = &zstencil->depths;
    if (!cache->operation_count || !depths->there)
        return;
    struct cache_operation *operation = &cache->operations[cache->operation_head];
    if (!operation->write || operation->noted || operation->address < depths->first ||
        operation->address >= depths->end || !queue_space(zstencil->updates, now))
        return;
    operation->noted = true;
    struct hz_update *update = queue_push(zstencil->updates, now);
    update->resource = depths->resource;
    update->level = depths->level;
    update->layer = depths->layer;
    update->line = (operation->address - depths->first) / ROP_LINE_BYTES;
    update->generation = operation->stamp;
    far_depths(depths, operation->data, update->far);
}

static enum unit_state
zstencil_clock(void *self, uint64_t now)
{
    struct zstencil *zstencil = self;
    enum unit_state why = now < zstencil->rop.next_cycle ? UNIT_BUSY : UNIT_STARVED;
    bool worked = false;
    for (uint32_t i = 0;
         i < zstencil->quads_cycle && rop_is_free(&zstencil->rop, &zstencil->module, now); i++)
        worked |= finish_first(zstencil, now, &why);
    for (uint32_t i = 0; i < zstencil->quads_cycle; i++)
        worked |=
            look_up(zstencil, zstencil->early_in, now) || look_up(zstencil, zstencil->late_in, now);
    if (!worked && !rop_first_waiting(&zstencil->rop) && obey(zstencil, now, &worked))
        why = UNIT_WAITING;
    tell_hz(zstencil, now);
    bool moved = cache_clock(&zstencil->rop.cache, now);
    zstencil->stats.cache_accesses = zstencil->rop.accesses;
    zstencil->stats.cache_hits = zstencil->rop.hits;
    zstencil->stats.cache_misses = zstencil->rop.misses;
    zstencil->stats.lines_from_clear = zstencil->rop.lines_from_clear;
    zstencil->stats.lines_written_back = zstencil->rop.cache.writebacks;
    zstencil->stats.blocks_cleared = zstencil->rop.blocks_cleared;
    if (moved)
        module_wake_at(&zstencil->module, now + 1);
    if (why == UNIT_STARVED && rop_first_waiting(&zstencil->rop))
        why = UNIT_WAITING;
    return worked ? UNIT_BUSY : why;
}
