/* Color Write and blend. Each ROP has one.
 *
 * Quads arrive in draw order, from the Scheduler (early z) or from the late z test. A quad passes
 * once for each color buffer that it writes. The header rop.h describes the code shared with the Z
 * and Stencil Test: the cache and the steps of a quad. The operation is the blend. It takes
 * BlendALULatency cycles, and StampsPerCycle quads start every BlendALURate cycles. An element
 * wider than BytesPerPixel takes one pass per BytesPerPixel bytes. A multisampled quad takes one
 * pass per MSAASamplesCycle samples of a fragment.
 *
 * A quad does not need the old content of its line if it writes all channels without a blend or
 * logic operation. The line is then not fetched if its block is raw in memory, unless
 * COLORWRITE.ReadBeforeWrite is set. The written bytes go to memory under a byte mask, as in ATTILA
 * and with the data mask of GDDR. A compressed block must be fetched, because its other bytes are
 * compressed again. A cleared block is produced on chip. Source: docs/design/machine.md, Color
 * Write. */
#include "unit/rop/colorwrite.h"

#include "unit/watch.h"

#include <string.h>

static const struct rop_work work;

static void
colorwrite_wire(void *self)
{
    struct colorwrite *colorwrite = self;
    rop_wire(&colorwrite->rop);
}

static void
colorwrite_reset(void *self)
{
    struct colorwrite *colorwrite = self;
    rop_reset(&colorwrite->rop);
}

static void
colorwrite_fini(void *self)
{
    struct colorwrite *colorwrite = self;
    rop_fini(&colorwrite->rop);
}

void
colorwrite_init(struct colorwrite *colorwrite, const struct unit_env *env, uint32_t index)
{
    memset(colorwrite, 0, sizeof *colorwrite);
    colorwrite->pools = env->pools;
    rop_init(&colorwrite->rop, &colorwrite->module, colorwrite, &work, env, env->color_blocks,
             index);
}

/* The first color buffer, from `target` on, that the draw writes. Returns color_count if there is
 * none. */
static uint32_t
written_target(const struct draw *draw, uint32_t target)
{
    while (target < draw->color_count && !draw_writes_color(draw, target))
        target++;
    return target;
}

static void
colorwrite_describe(void *owner, struct rop_entry *entry)
{
    struct colorwrite *colorwrite = owner;
    const struct draw *draw = entry->item.draw;
    entry->target = written_target(draw, colorwrite->next_target);
    if (entry->target < draw->color_count) {
        const struct bound_surface *color = &draw->color[entry->target];
        const struct quad *quad = entry->item.quad;
        entry->address =
            blocks_quad_address(color, quad->triangle->triangle.layer, quad->x, quad->y);
        entry->bytes = 4u * color->format->block_bytes * draw->samples;
        entry->cost = rop_passes(&colorwrite->rop, draw->samples, color->format->block_bytes);
        entry->reads = draw_reads_color(draw, entry->target);
        entry->changes = true;
    }
    colorwrite->next_target = written_target(draw, entry->target + 1);
    entry->last_target = colorwrite->next_target >= draw->color_count;
    if (entry->last_target)
        colorwrite->next_target = 0;
}

static bool
blend(void *owner, struct rop_entry *entry, uint8_t *bytes)
{
    struct colorwrite *colorwrite = owner;
    if (!bytes)
        return false;
    const struct quad *quad = entry->item.quad;
    if (WATCHED(quad) && watch_pixel(quad) >= 0) {
        uint8_t held[MAX_QUAD_BYTES];
        rop_peek(&colorwrite->rop, entry, colorwrite->pools->watch->memctl, held);
        watch_color(quad, entry->item.draw, entry->target, held);
    }
    blend_quad_samples(entry->item.draw, entry->target, quad->mask, quad->color[entry->target],
                       entry->item.draw->has_source1 ? quad->color[SOURCE1] : NULL, bytes);
    WATCH_WRITTEN(quad, entry->item.draw, entry->target, bytes);
    colorwrite->stats.quads_blended++;
    return true;
}

static bool
colorwrite_retire(void *owner, struct rop_entry *entry, uint64_t now)
{
    struct colorwrite *colorwrite = owner;
    if (entry->item.kind == ITEM_END) {
        if (!queue_space(colorwrite->rop.done, now))
            return false;
        *(struct done_item *)queue_push(colorwrite->rop.done, now) =
            (struct done_item){true, entry->item.samples_passed};
    } else if (entry->last_target) {
        colorwrite->stats.quads_in++;
        colorwrite->stats.fragments_in += quad_fragments(entry->item.quad->mask);
        quad_release(colorwrite->pools, entry->item.quad);
    }
    return true;
}

static bool
clear_line(const struct control_item *order, uint8_t *line)
{
    const struct format_info *format = order->surface.format;
    for (uint32_t at = 0; at < BLOCK_MAX_BYTES; at += format->block_bytes)
        format->pack(order->rgba, line + at);
    return true;
}

/* Sends the block states to the DAC when a surface is shown. */
static bool
colorwrite_finish(void *owner, const struct control_item *order, uint64_t now)
{
    struct colorwrite *colorwrite = owner;
    if (order->kind != CONTROL_SHOW)
        return true;
    if (!queue_space(colorwrite->states, now))
        return false;
    *(struct block_states_item *)queue_push(colorwrite->states, now) =
        (struct block_states_item){colorwrite->rop.blocks};
    return true;
}

static enum unit_state
colorwrite_clock(void *self, uint64_t now)
{
    struct colorwrite *colorwrite = self;
    return rop_clock(&colorwrite->rop, now);
}

static void
colorwrite_settle(void *self, uint64_t now)
{
    struct colorwrite *colorwrite = self;
    rop_count_stalls(&colorwrite->rop, now);
#define COPY(name, field) colorwrite->stats.name = colorwrite->rop.field;
    ROP_STATS(COPY)
    COPY(lines_unread, cache.lines_unread)
    COPY(lines_completed, cache.lines_completed)
    COPY(parts_written, cache.parts_written)
    COPY(bytes_masked, cache.bytes_masked)
#undef COPY
}

static const struct rop_work work = {
    .name = "colorwrite",
    .kind = CODEC_COLOR,
    .module = {.clock = colorwrite_clock,
               .settle = colorwrite_settle,
               .wire = colorwrite_wire,
               .reset = colorwrite_reset,
               .fini = colorwrite_fini},
    .describe = colorwrite_describe,
    .operate = blend,
    .leave = colorwrite_retire,
    .clear_line = clear_line,
    .finish = colorwrite_finish,
};
