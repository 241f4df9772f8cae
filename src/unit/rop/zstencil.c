/* Z and Stencil Test. Each ROP has one.
 *
 * Quads arrive from Hierarchical Z before shading (early), or from the Scheduler after it (late).
 * The two kinds never mix: a draw with the other kind starts only when all earlier draws have
 * ended. The header rop.h describes the code shared with Color Write: the cache and the steps of a
 * quad. The operation is the test. It takes ZALULatency cycles, and StampsPerCycle quads start
 * every ZALUTestRate cycles. An element wider than BytesPerPixel takes one pass per BytesPerPixel
 * bytes. A multisampled quad takes one pass per MSAASamplesCycle samples of a fragment.
 *
 * A line is always read before it is written, even if the test is ALWAYS. Hierarchical Z receives
 * the farthest depth of each dirty line that is written back. Computing that depth requires the
 * whole line. Source: docs/design/machine.md, Z and Stencil Test. */
#include "unit/rop/zstencil.h"

#include "base/bits.h"
#include "unit/raster/hz.h"
#include "unit/watch.h"

#include <string.h>

static const struct rop_work work;
static void update_hz(void *owner, uint32_t address, const uint8_t *line, uint64_t now);

static void
zstencil_wire(void *self)
{
    struct zstencil *zstencil = self;
    rop_wire(&zstencil->rop);
    zstencil->early_out->from = zstencil->late_out->from = &zstencil->rop.output_stage;
    zstencil->updates->from = &zstencil->rop.output_stage;
}

static void
zstencil_reset(void *self)
{
    struct zstencil *zstencil = self;
    rop_reset(&zstencil->rop);
}

static void
zstencil_fini(void *self)
{
    struct zstencil *zstencil = self;
    rop_fini(&zstencil->rop);
}

void
zstencil_init(struct zstencil *zstencil, const struct unit_env *env, uint32_t index)
{
    const struct params *params = env->params;
    memset(zstencil, 0, sizeof *zstencil);
    zstencil->pools = env->pools;
    zstencil->cover = env->cover;
    rop_init(&zstencil->rop, &zstencil->module, zstencil, &work, env, env->depth_blocks, index);
    zstencil->updates_hz = !params->RASTERIZER.DisableHZ;
    zstencil->block_stamps = params->RASTERIZER.StampsPerHZBlock;
    zstencil->hz_entry_bits = params->RASTERIZER.HZEntryBits;
    zstencil->rop.cache.leaving = update_hz;
    zstencil->rop.cache.owner = zstencil;
}

static void
zstencil_describe(void *owner, struct rop_entry *entry)
{
    struct zstencil *zstencil = owner;
    const struct draw *draw = entry->item.draw;
    const struct bound_surface *depth = &draw->depth;
    entry->cost = rop_passes(&zstencil->rop, draw->samples, 0);
    if (!depth->res || (!draw->depth_test && !draw->stencil_test))
        return;
    const struct quad *quad = entry->item.quad;
    entry->address = blocks_quad_address(depth, quad->triangle->triangle.layer, quad->x, quad->y);
    entry->bytes = 4u * depth->format->block_bytes * draw->samples;
    entry->cost = rop_passes(&zstencil->rop, draw->samples, depth->format->block_bytes);
    entry->changes = draw->depth_write || draw->stencil_write;
}

/* Counts the passing fragments that hide fragments of another opaque draw or of the same draw. */
static void
note_cover(struct zstencil *zstencil, const struct rop_entry *entry)
{
    const struct draw *draw = entry->item.draw;
    const uint32_t number = cover_number(draw);
    const uint32_t mask = mask_fragments(entry->item.quad->mask);
    uint32_t *cover = cover_quad(zstencil->cover, &draw->depth, entry->address, entry->bytes);
    for (uint32_t i = 0; i < 4 && cover; i++) {
        if (!(mask >> i & 1))
            continue;
        zstencil->stats.fragments_covering += number && cover[i] && cover[i] != number;
        zstencil->stats.fragments_covering_own += number && cover[i] == number;
        cover[i] = number;
    }
}

static bool
test(void *owner, struct rop_entry *entry, uint8_t *bytes)
{
    struct zstencil *zstencil = owner;
    struct quad *quad = entry->item.quad;
    if (entry->item.kind == ITEM_END) {
        zstencil->generation += draw_moves_depth_away(entry->item.draw);
        return false;
    }
    zstencil->stats.quads_in++;
    zstencil->stats.fragments_in += quad_fragments(quad->mask);
    if (!bytes) {
        zstencil->samples_passed += bits_count(quad->mask);
        return false;
    }
    WATCH_DEPTH(quad, entry->item.draw, bytes);
    struct depth_result result = depth_test_samples(
        entry->item.draw, quad->triangle->triangle.front, quad->mask, quad->z, bytes);
    WATCH_TESTED(quad, entry->item.draw, bytes, &result);
    /* A fragment fails when all its samples have failed. It fails by depth if the depth test
     * rejected any of its samples. */
    const uint32_t lost = mask_fragments(quad->mask) & ~mask_fragments(result.pass);
    const uint32_t by_depth = lost & mask_fragments(result.z_fail);
    zstencil->stats.fragments_z_failed += quad_fragments(by_depth);
    if (by_depth)
        zstencil->stats.fragments_behind += cover_behind(
            cover_quad(zstencil->cover, &entry->item.draw->depth, entry->address, entry->bytes),
            entry->item.draw, by_depth);
    zstencil->stats.fragments_stencil_failed += quad_fragments(lost & ~by_depth);
    zstencil->samples_passed += bits_count(result.pass);
    quad->mask = result.pass;
    if (entry->item.draw->depth_write)
        note_cover(zstencil, entry);
    return result.wrote;
}

/* Passes the quad on if at least one fragment is left. */
static bool
zstencil_retire(void *owner, struct rop_entry *entry, uint64_t now)
{
    struct zstencil *zstencil = owner;
    struct queue *out = entry->item.draw->early_z ? zstencil->early_out : zstencil->late_out;
    if (entry->item.kind == ITEM_DATA && !entry->item.quad->mask) {
        zstencil->stats.quads_culled++;
        quad_release(zstencil->pools, entry->item.quad);
        return true;
    }
    if (!queue_space(out, now))
        return false;
    if (entry->item.kind == ITEM_END) {
        entry->item.samples_passed += zstencil->samples_passed;
        zstencil->samples_passed = 0;
    } else {
        zstencil->stats.fragments_out += quad_fragments(entry->item.quad->mask);
    }
    *(struct quad_item *)queue_push(out, now) = entry->item;
    return true;
}

/* Clears the order's buffers (depth, stencil) in the first `bytes` bytes of a line. */
static void
clear_part(const struct control_item *order, uint8_t *line, uint32_t bytes)
{
    const struct format_info *format = order->surface.format;
    for (uint32_t at = 0; at < bytes; at += format->block_bytes)
        depth_clear_element(format, order->buffers, order->depth, order->stencil, line + at);
}

/* Produces a cleared line. Returns false if the clear does not cover all buffers of the format. */
static bool
clear_line(const struct control_item *order, uint8_t *line)
{
    const struct format_info *format = order->surface.format;
    if ((format->depth_bits && !(order->buffers & MASK_DEPTH)) ||
        (format->stencil_bits && !(order->buffers & MASK_STENCIL)))
        return false;
    memset(line, 0, BLOCK_MAX_BYTES);
    clear_part(order, line, BLOCK_MAX_BYTES);
    return true;
}

static bool
clears_depth(const struct control_item *order)
{
    return order->kind == CONTROL_CLEAR && (order->buffers & MASK_DEPTH);
}

static bool
zstencil_finish(void *owner, const struct control_item *order, uint64_t now)
{
    struct zstencil *zstencil = owner;
    (void)now;
    zstencil->generation += clears_depth(order);
    return true;
}

static void
far_depths(const struct hz_cut *cut, uint32_t entry_bits, const struct format_info *format,
           const uint8_t *line, uint16_t *far)
{
    for (uint32_t b = 0; b < cut->line_blocks; b++) {
        float farthest = 0;
        for (uint32_t i = 0; i < cut->elements; i++, line += format->block_bytes) {
            float depth = depth_of_element(format, line);
            farthest = depth > farthest ? depth : farthest;
        }
        far[b] = hz_entry(farthest, entry_bits);
    }
}

/* Sends the far depths of a line that is written back. Drops the update if the queue to
 * Hierarchical Z is full, or while a depth clear changes lines. */
static void
update_hz(void *owner, uint32_t address, const uint8_t *line, uint64_t now)
{
    struct zstencil *zstencil = owner;
    const struct rop *rop = &zstencil->rop;
    const struct block_surface *surface = blocks_surface(rop->blocks, address);
    if (!zstencil->updates_hz || !surface || !surface->bound.format->depth_bits ||
        (rop->executing && clears_depth(&rop->order)) || !queue_space(zstencil->updates, now))
        return;
    const uint32_t line_bytes = rop->shape.cache.line_bytes;
    const struct hz_cut cut = hz_cut(surface->bound.res, line_bytes, zstencil->block_stamps);
    struct hz_update *update = queue_push(zstencil->updates, now);
    update->resource = surface->bound.res->created;
    update->offset = surface->first - surface->bound.res->address;
    update->line = (address - surface->first) / line_bytes;
    update->generation = zstencil->generation;
    far_depths(&cut, zstencil->hz_entry_bits, surface->bound.format, line, update->far);
}

static enum unit_state
zstencil_clock(void *self, uint64_t now)
{
    struct zstencil *zstencil = self;
    return rop_clock(&zstencil->rop, now);
}

static void
zstencil_settle(void *self, uint64_t now)
{
    struct zstencil *zstencil = self;
    rop_count_stalls(&zstencil->rop, now);
#define COPY(name, field) zstencil->stats.name = zstencil->rop.field;
    ROP_STATS(COPY)
#undef COPY
}

static const struct rop_work work = {
    .name = "zstencil",
    .kind = CODEC_DEPTH,
    .module = {.clock = zstencil_clock,
               .settle = zstencil_settle,
               .wire = zstencil_wire,
               .reset = zstencil_reset,
               .fini = zstencil_fini},
    .describe = zstencil_describe,
    .operate = test,
    .leave = zstencil_retire,
    .clear_line = clear_line,
    .modify = clear_part,
    .finish = zstencil_finish,
};
