/* Caches, block states and clears of a ROP (unit/rop.h): the part that the z & stencil test and the
 * color write share. */
#include "unit/rop.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

void
rop_init(struct rop *rop, uint32_t index, uint32_t count, uint32_t lines, uint32_t ways,
         uint32_t waiting_limit, uint32_t blocks_cleared_cycle, uint32_t memory_bytes)
{
    memset(rop, 0, sizeof *rop);
    rop->index = index;
    rop->count = count;
    rop->block_count = memory_bytes / ROP_LINE_BYTES;
    rop->states = mem_alloc(rop->block_count);
    rop->waiting_limit = waiting_limit;
    rop->waiting = mem_alloc(waiting_limit * sizeof *rop->waiting);
    rop->blocks_cleared_cycle = blocks_cleared_cycle;
    cache_init(&rop->cache, lines, ways, ROP_LINE_BYTES, 16);
}

void
rop_fini(struct rop *rop)
{
    cache_fini(&rop->cache);
    free(rop->states);
    free(rop->waiting);
}

static void
forget_states(struct rop *rop)
{
    for (uint32_t s = 0; s < rop->surface_count; s++)
        memset(rop->states + rop->surfaces[s].first / ROP_LINE_BYTES, BLOCK_UNCOMPRESSED,
               (rop->surfaces[s].end - rop->surfaces[s].first) / ROP_LINE_BYTES);
    rop->surface_count = 0;
}

void
rop_reset(struct rop *rop)
{
    forget_states(rop);
    cache_reset(&rop->cache);
}

enum block_state
rop_state(const struct rop *rop, uint32_t address)
{
    return rop->states[address / ROP_LINE_BYTES];
}

uint32_t
rop_quad_address(const struct bound_surface *surface, uint32_t x, uint32_t y)
{
    return surface->res->address +
           resource_offset(surface->res, surface->level, x, y, surface->layer, 0);
}

static const struct rop_surface *
surface_of(const struct rop *rop, uint32_t address)
{
    for (uint32_t s = 0; s < rop->surface_count; s++)
        if (address >= rop->surfaces[s].first && address < rop->surfaces[s].end)
            return &rop->surfaces[s];
    BUG("rop: block at %#x is cleared but belongs to no cleared surface", address);
}

const uint8_t *
rop_clear_line(const struct rop *rop, uint32_t address)
{
    return rop_state(rop, address) == BLOCK_CLEARED ? surface_of(rop, address)->clear_line : NULL;
}

int32_t
rop_lock(struct rop *rop, uint32_t address)
{
    int32_t line = cache_find(&rop->cache, address);
    if (line < 0) {
        bool cleared = rop_state(rop, address) == BLOCK_CLEARED;
        line = cache_allocate(&rop->cache, address, !cleared);
        if (line < 0)
            return -1;
        rop->misses++;
        if (cleared) {
            rop->lines_from_clear++;
            memcpy(cache_data(&rop->cache, (uint32_t)line), surface_of(rop, address)->clear_line,
                   ROP_LINE_BYTES);
        }
    } else {
        rop->hits++;
    }
    rop->accesses++;
    cache_touch(&rop->cache, (uint32_t)line);
    rop->cache.lines[line].locks++;
    return line;
}

void
rop_unlock(struct rop *rop, int32_t line, bool wrote)
{
    struct cache_line *l = &rop->cache.lines[line];
    l->locks--;
    if (wrote) {
        l->dirty = true;
        rop->states[l->address / ROP_LINE_BYTES] = BLOCK_UNCOMPRESSED;
    }
}

void
rop_add_waiting(struct rop *rop, const struct rop_waiting *waiting)
{
    rop->waiting[(rop->waiting_head + rop->waiting_count++) % rop->waiting_limit] = *waiting;
}

void
rop_drop_waiting(struct rop *rop)
{
    rop->waiting_head = (rop->waiting_head + 1) % rop->waiting_limit;
    rop->waiting_count--;
}

/* The slot that remembers a surface's clear value: its own, or a new one. */
static struct rop_surface *
surface_slot(struct rop *rop, const struct bound_surface *surface)
{
    const struct resource_level *level = &surface->res->levels[surface->level];
    uint32_t first = rop_quad_address(surface, 0, 0);
    struct rop_surface *slot = NULL;
    for (uint32_t s = 0; s < rop->surface_count; s++)
        if (rop->surfaces[s].first == first)
            slot = &rop->surfaces[s];
    if (!slot) {
        BUG_ON(rop->surface_count == ROP_MAX_SURFACES, "rop: more cleared surfaces than bound");
        slot = &rop->surfaces[rop->surface_count++];
    }
    slot->res = surface->res;
    slot->first = first;
    slot->end = first + level->slice_bytes;
    slot->tiles_x = level->tiles_x;
    slot->tiles_y = level->tiles_y;
    return slot;
}

/* Address of the n-th block of the surface if this ROP owns it, else 0. */
static uint32_t
owned_block(const struct rop *rop, const struct rop_surface *surface, uint32_t n)
{
    uint32_t blocks = surface->res->tile_bytes / ROP_LINE_BYTES; /* whole ones: resource.h */
    uint32_t tile = n / blocks;
    uint32_t x = tile % surface->tiles_x, y = tile / surface->tiles_x;
    if (rop_of_tile(x, y, rop->count) != rop->index)
        return 0;
    return surface->first + n * ROP_LINE_BYTES;
}

static uint32_t
block_total(const struct rop_surface *surface)
{
    return (surface->end - surface->first) / ROP_LINE_BYTES;
}

static void
drop_lines(struct rop *rop, const struct rop_surface *surface)
{
    for (uint32_t i = 0; i < rop->cache.sets * rop->cache.ways; i++) {
        struct cache_line *line = &rop->cache.lines[i];
        if (line->valid && line->address >= surface->first && line->address < surface->end)
            line->valid = line->dirty = false;
    }
}

static void
fast_clear(struct rop *rop, const uint8_t *pattern, uint64_t now)
{
    struct rop_surface *surface = surface_slot(rop, &rop->order.surface);
    uint32_t blocks = 0;
    memcpy(surface->clear_line, pattern, ROP_LINE_BYTES);
    drop_lines(rop, surface);
    for (uint32_t n = 0; n < block_total(surface); n++) {
        uint32_t address = owned_block(rop, surface, n);
        if (!address)
            continue;
        if (rop->fault_state == blocks + 1)
            rop->fault_state = 0;
        else
            rop->states[address / ROP_LINE_BYTES] = BLOCK_CLEARED;
        blocks++;
    }
    rop->blocks_cleared += blocks;
    rop->free_cycle = now + 1 + blocks / rop->blocks_cleared_cycle;
}

/* A clear that keeps part of each element: every block goes through the cache. */
static bool
slow_clear(struct rop *rop, rop_modify_fn *modify, bool *worked)
{
    struct rop_surface surface;
    const struct bound_surface *bound = &rop->order.surface;
    const struct resource_level *level = &bound->res->levels[bound->level];
    surface.res = bound->res;
    surface.first = rop_quad_address(bound, 0, 0);
    surface.end = surface.first + level->slice_bytes;
    surface.tiles_x = level->tiles_x;
    surface.tiles_y = level->tiles_y;
    while (rop->walk < block_total(&surface)) {
        uint32_t address = owned_block(rop, &surface, rop->walk);
        if (!address) {
            rop->walk++;
            continue;
        }
        if (rop->step == 0) {
            int32_t line = rop_lock(rop, address);
            if (line < 0)
                return false;
            rop->step = 1 + (uint32_t)line;
            *worked = true;
        }
        uint32_t line = rop->step - 1;
        if (!cache_ready(&rop->cache, line))
            return false;
        modify(&rop->order, cache_data(&rop->cache, line));
        rop_unlock(rop, (int32_t)line, true);
        rop->step = 0;
        rop->walk++;
        *worked = true;
        return rop->walk >= block_total(&surface);
    }
    return true;
}

/* Writes back dirty lines; true when all are in memory. */
static bool
flush(struct rop *rop, bool *worked)
{
    uint32_t lines = rop->cache.sets * rop->cache.ways;
    for (; rop->walk < lines; rop->walk++) {
        if (!rop->cache.lines[rop->walk].valid || !rop->cache.lines[rop->walk].dirty)
            continue;
        if (!cache_write_back(&rop->cache, rop->walk))
            return false;
        *worked = true;
    }
    return cache_is_quiet(&rop->cache);
}

/* Writes out the blocks that are still cleared; true when they are in memory. */
static bool
write_cleared(struct rop *rop, bool *worked)
{
    while (rop->step - 1 < rop->surface_count) {
        const struct rop_surface *surface = &rop->surfaces[rop->step - 1];
        for (; rop->walk < block_total(surface); rop->walk++) {
            uint32_t address = owned_block(rop, surface, rop->walk);
            if (!address || rop_state(rop, address) != BLOCK_CLEARED)
                continue;
            if (!cache_write_bytes(&rop->cache, address, surface->clear_line))
                return false;
            rop->states[address / ROP_LINE_BYTES] = BLOCK_UNCOMPRESSED;
            *worked = true;
        }
        rop->step++;
        rop->walk = 0;
    }
    return cache_is_quiet(&rop->cache);
}

bool
rop_obey(struct rop *rop, const uint8_t *pattern, rop_modify_fn *modify, uint64_t now, bool *worked)
{
    switch (rop->order.kind) {
    case CONTROL_CLEAR:
        if (!pattern)
            return slow_clear(rop, modify, worked);
        if (rop->step == 0) {
            fast_clear(rop, pattern, now);
            rop->step = 1;
        }
        return now >= rop->free_cycle;
    case CONTROL_FLUSH:
    case CONTROL_SHOW: return flush(rop, worked);
    case CONTROL_RESOLVE:
        if (rop->step == 0) {
            if (!flush(rop, worked))
                return false;
            rop->step = 1;
            rop->walk = 0;
        }
        if (!write_cleared(rop, worked))
            return false;
        rop_reset(rop);
        return true;
    case CONTROL_INVALIDATE: break;
    }
    BUG("rop: order %d is not for a ROP", rop->order.kind);
}

void
rop_settle_memory(struct rop *rop, struct gpu_memory *memory)
{
    for (uint32_t s = 0; s < rop->surface_count; s++) {
        const struct rop_surface *surface = &rop->surfaces[s];
        for (uint32_t n = 0; n < block_total(surface); n++) {
            uint32_t address = owned_block(rop, surface, n);
            if (address && rop_state(rop, address) == BLOCK_CLEARED)
                memcpy(memory->bytes + address, surface->clear_line, ROP_LINE_BYTES);
        }
    }
}
