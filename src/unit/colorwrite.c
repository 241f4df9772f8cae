/* Color write and blend (one a ROP).
 *
 * Quads arrive in draw order, from the scheduler (early z) or from the late z test. For each color
 * buffer the quad's cache line is looked up and asked for on a miss; quads whose line is here are
 * blended in order, one color buffer's quad at StampsPerCycle a cycle, on the bytes in the line. A
 * line is always read before it is written, also without blending, unless its block is cleared.
 * Multisampled, a quad takes a cycle for MSAASamplesCycle x StampsPerCycle samples of its
 * fragments. Latency: memory (what leaves here leaves the pipeline). Source: machine.md (units, ROP
 * caches). Not modelled: compression, the cache's port width and extra ports, the blend ALU's
 * latency. */
#include "unit/colorwrite.h"

#include "unit/watch.h"

#include <string.h>

static enum unit_state colorwrite_clock(void *self, uint64_t now);

void
colorwrite_init(struct colorwrite *colorwrite, struct clock *clock, const struct params *params,
                struct pools *pools, uint32_t index, uint32_t count)
{
    memset(colorwrite, 0, sizeof *colorwrite);
    clock_add_module(clock, &colorwrite->module, "colorwrite", (int32_t)index, colorwrite,
                     colorwrite_clock);
    colorwrite->module.is_core = true;
    colorwrite->pools = pools;
    colorwrite->quads_cycle = params->COLORWRITE.StampsPerCycle;
    rop_init(&colorwrite->rop, index, count,
             params->COLORWRITE.ColorCacheLines * params->COLORWRITE.ColorCacheWays,
             params->COLORWRITE.ColorCacheWays, params->COLORWRITE.FetchQueueSize,
             params->COLORWRITE.BlocksClearedPerCycle, params->MEMORYCONTROLLER.MemorySize);
    colorwrite->rop.samples_cycle = params->RASTERIZER.MSAASamplesCycle;
}

void
colorwrite_fini(struct colorwrite *colorwrite)
{
    rop_fini(&colorwrite->rop);
}

static bool
writes_target(const struct draw *draw, uint32_t target)
{
    return draw->color[target].res && draw->blend.rt[target].colormask &&
           draw->color_output[target] != 0xff;
}

/* Looks up the next color buffer's line of the quad in front; false when there is no room. */
static bool
look_up(struct colorwrite *colorwrite, struct queue *in, uint64_t now)
{
    const struct quad_item *item = queue_front(in, now);
    if (!item || !rop_has_room(&colorwrite->rop))
        return false;
    const struct draw *draw = item->draw;
    struct rop_waiting waiting = {.item = *item, .line = -1, .last_target = true};
    if (item->kind == ITEM_DATA) {
        uint32_t target = colorwrite->next_target;
        while (target < draw->color_count && !writes_target(draw, target))
            target++;
        if (target < draw->color_count) {
            uint32_t address = rop_quad_address(&draw->color[target], item->quad->x, item->quad->y);
            waiting.line = rop_lock(&colorwrite->rop, address);
            if (waiting.line < 0)
                return false;
            waiting.offset = address % ROP_LINE_BYTES;
            waiting.target = target++;
        }
        while (target < draw->color_count && !writes_target(draw, target))
            target++;
        waiting.last_target = target >= draw->color_count;
        colorwrite->next_target = waiting.last_target ? 0 : target;
    }
    rop_add_waiting(&colorwrite->rop, &waiting);
    if (waiting.last_target)
        queue_pop(in, now);
    return true;
}

static void
write_quad(struct colorwrite *colorwrite, struct rop_waiting *waiting, uint64_t now)
{
    struct quad *quad = waiting->item.quad;
    if (waiting->line >= 0) {
        uint8_t *bytes =
            cache_data(&colorwrite->rop.cache, (uint32_t)waiting->line) + waiting->offset;
        WATCH_COLOR(quad, waiting->item.draw, waiting->target, bytes);
        blend_quad_samples(waiting->item.draw, waiting->target, quad->mask,
                           quad->color[waiting->target], bytes);
        WATCH_WRITTEN(quad, waiting->item.draw, waiting->target, bytes);
        rop_unlock(&colorwrite->rop, waiting->line, true);
        rop_spend(&colorwrite->rop, waiting->item.draw->samples, colorwrite->quads_cycle, now);
        colorwrite->stats.quads_blended++;
    }
    if (!waiting->last_target)
        return;
    colorwrite->stats.quads_in++;
    colorwrite->stats.fragments_in += quad_fragments(quad->mask);
    quad_release(colorwrite->pools, quad);
}

static bool
finish_first(struct colorwrite *colorwrite, uint64_t now, enum unit_state *why)
{
    struct rop_waiting *waiting = rop_first_waiting(&colorwrite->rop);
    if (!waiting)
        return false;
    if (waiting->item.kind == ITEM_END) {
        if (!queue_space(colorwrite->done, now)) {
            *why = UNIT_BLOCKED;
            return false;
        }
        *(struct done_item *)queue_push(colorwrite->done, now) =
            (struct done_item){true, waiting->item.samples_passed};
    } else if (waiting->line >= 0 &&
               !cache_ready(&colorwrite->rop.cache, (uint32_t)waiting->line)) {
        *why = UNIT_WAITING;
        return false;
    } else {
        write_quad(colorwrite, waiting, now);
    }
    rop_drop_waiting(&colorwrite->rop);
    return true;
}

static void
make_pattern(const struct control_item *order, uint8_t pattern[ROP_LINE_BYTES])
{
    const struct format_info *format = order->surface.format;
    for (uint32_t at = 0; at < ROP_LINE_BYTES; at += format->block_bytes)
        format->pack(order->rgba, pattern + at);
}

static bool
obey(struct colorwrite *colorwrite, uint64_t now, bool *worked)
{
    struct rop *rop = &colorwrite->rop;
    if (!rop->obeying) {
        const struct control_item *item = queue_front(colorwrite->control, now);
        if (!item)
            return false;
        rop->order = *item;
        rop->obeying = true;
        rop->step = rop->walk = 0;
        queue_pop(colorwrite->control, now);
        *worked = true;
    }
    uint8_t pattern[ROP_LINE_BYTES] = {0};
    bool clears = rop->order.kind == CONTROL_CLEAR;
    if (clears && rop->step == 0)
        make_pattern(&rop->order, pattern);
    if (!rop_obey(rop, clears ? pattern : NULL, NULL, now, worked)) {
        if (clears)
            module_wake_at(&colorwrite->module, rop->free_cycle);
        return true;
    }
    bool shows = rop->order.kind == CONTROL_SHOW;
    if (!queue_space(colorwrite->done, now) || (shows && !queue_space(colorwrite->states, now)))
        return true;
    if (shows)
        *(struct block_states_item *)queue_push(colorwrite->states, now) =
            (struct block_states_item){rop};
    *(struct done_item *)queue_push(colorwrite->done, now) = (struct done_item){false, 0};
    rop->obeying = false;
    *worked = true;
    return true;
}

static enum unit_state
colorwrite_clock(void *self, uint64_t now)
{
    struct colorwrite *colorwrite = self;
    enum unit_state why = now < colorwrite->rop.next_cycle ? UNIT_BUSY : UNIT_STARVED;
    bool worked = false;
    for (uint32_t i = 0;
         i < colorwrite->quads_cycle && rop_is_free(&colorwrite->rop, &colorwrite->module, now);
         i++)
        worked |= finish_first(colorwrite, now, &why);
    for (uint32_t i = 0; i < colorwrite->quads_cycle; i++)
        worked |= look_up(colorwrite, colorwrite->early_in, now) ||
                  look_up(colorwrite, colorwrite->late_in, now);
    if (!worked && !rop_first_waiting(&colorwrite->rop) && obey(colorwrite, now, &worked))
        why = UNIT_WAITING;
    bool moved = cache_clock(&colorwrite->rop.cache, now);
    colorwrite->stats.cache_accesses = colorwrite->rop.accesses;
    colorwrite->stats.cache_hits = colorwrite->rop.hits;
    colorwrite->stats.cache_misses = colorwrite->rop.misses;
    colorwrite->stats.lines_from_clear = colorwrite->rop.lines_from_clear;
    colorwrite->stats.lines_written_back = colorwrite->rop.cache.writebacks;
    colorwrite->stats.blocks_cleared = colorwrite->rop.blocks_cleared;
    if (moved)
        module_wake_at(&colorwrite->module, now + 1);
    if (why == UNIT_STARVED && rop_first_waiting(&colorwrite->rop))
        why = UNIT_WAITING;
    return worked ? UNIT_BUSY : why;
}
