/* Orders of the Command Processor: clear, flush, resolve, show, invalidate. The ROP executes one
 * order at a time, when it holds no quad. */
#include "unit/rop/rop_internal.h"

#include <string.h>

/* The surface of the order, which must be in the table of block states. */
static struct block_surface *
surface_of(struct rop *rop)
{
    struct block_surface *surface = blocks_find(rop->blocks, &rop->order.surface);
    BUG_ON(!surface, "rop: an order for a surface without block states");
    return surface;
}

static void
drop_lines(struct rop *rop, uint32_t first, uint32_t end)
{
    struct cache *tags = &rop->cache.tags;
    for (uint32_t i = 0; i < tags->sets * tags->ways; i++) {
        struct cache_line *line = &tags->lines[i];
        if (line->valid && line->address >= first && line->address < end)
            line->valid = line->dirty = false;
    }
}

void
rop_discard(struct rop *rop, const struct block_surface *surface)
{
    drop_lines(rop, surface->first, surface->end);
}

/* Sets the states of this ROP's blocks to cleared. Returns true if all of them have a state. */
static bool
fast_clear(struct rop *rop, const uint8_t *line, uint64_t now)
{
    struct block_surface *surface = surface_of(rop);
    uint32_t blocks = 0, total = blocks_of_surface(rop->blocks, surface);
    bool all = true;
    memcpy(surface->clear_line, line, rop->shape.cache.line_bytes);
    surface->in_memory = false;
    drop_lines(rop, surface->first, surface->end);
    for (uint32_t n = 0; n < total; n++) {
        if (blocks_owner(rop->blocks, surface, n) != rop->index)
            continue;
        if (!blocks_reach(rop->blocks, surface, n)) {
            all = false;
            continue;
        }
        if (rop->fault_state == blocks + 1)
            rop->fault_state = 0;
        else
            blocks_note(rop->blocks, surface->first + n * rop->shape.cache.line_bytes,
                        BLOCK_CLEARED);
        blocks++;
    }
    rop->blocks_cleared += blocks;
    rop->free_cycle = now + 1 + blocks / rop->shape.blocks_cleared_cycle;
    return all;
}

/* Registers a surface that was cleared and not accessed since. Memory already holds all its
 * bytes. */
static void
rop_orders_begin(struct rop *rop)
{
    struct block_surface *surface = surface_of(rop);
    memcpy(surface->clear_line, rop->order.line, rop->shape.cache.line_bytes);
    surface->in_memory = true;
    for (uint32_t n = 0, total = blocks_of_surface(rop->blocks, surface); n < total; n++)
        if (blocks_owner(rop->blocks, surface, n) == rop->index &&
            blocks_reach(rop->blocks, surface, n))
            blocks_note(rop->blocks, surface->first + n * rop->shape.cache.line_bytes,
                        BLOCK_CLEARED);
}

/* Sends a line of the order through the steps. Returns false if there is no room now. */
static bool
fetch_line(struct rop *rop, uint32_t address, uint64_t now)
{
    if (!rop->has_next) {
        rop->next = (struct rop_entry){.address = address,
                                       .bytes = rop->shape.cache.line_bytes,
                                       .cost = 1,
                                       .reads = true,
                                       .changes = true,
                                       .is_line = true};
        rop->next_locked = 0;
        rop->has_next = true;
    }
    return rop_fetch_next(rop, now);
}

/* The first block of the surface, from rop->walk on, that this ROP owns. Returns false if there is
 * none. */
static bool
next_block(struct rop *rop, const struct block_surface *surface, uint32_t *address)
{
    uint32_t total = blocks_of_surface(rop->blocks, surface);
    while (rop->walk < total && blocks_owner(rop->blocks, surface, rop->walk) != rop->index)
        rop->walk++;
    *address = surface->first + rop->walk * rop->shape.cache.line_bytes;
    return rop->walk < total;
}

/* Writes the clear value to the blocks that have no state. Returns true when all of them are in
 * memory. */
static bool
write_clear(struct rop *rop, uint64_t now, bool *worked)
{
    const struct block_surface *surface = surface_of(rop);
    uint32_t address;
    (void)now;
    while (next_block(rop, surface, &address)) {
        if (!blocks_reach(rop->blocks, surface, rop->walk)) {
            if (!rop_cache_write_block(&rop->cache, address, surface->clear_line))
                return false;
            *worked = true;
        }
        rop->walk++;
    }
    return rop_cache_is_quiet(&rop->cache);
}

/* Performs a clear that keeps some bits of each element. Every block passes through the cache. */
static bool
slow_clear(struct rop *rop, uint64_t now, bool *worked)
{
    const struct block_surface *surface = surface_of(rop);
    uint32_t address;
    if (next_block(rop, surface, &address)) {
        if (!fetch_line(rop, address, now))
            return false;
        rop->walk++;
        *worked = true;
        return false;
    }
    return rop_is_empty(rop);
}

static bool
rop_clear(struct rop *rop, uint64_t now, bool *worked)
{
    uint8_t line[BLOCK_MAX_BYTES];
    if (rop->step == 0)
        rop->step = rop->work->clear_line(&rop->order, line) ? 1 : 3;
    if (rop->step == 3)
        return slow_clear(rop, now, worked);
    if (rop->step == 1) {
        rop->step = 2;
        if (fast_clear(rop, line, now))
            rop->walk = UINT32_MAX; /* nothing is left to write */
    }
    if (now < rop->free_cycle) {
        module_wake_at(rop->module, rop->free_cycle);
        return false;
    }
    return rop->walk == UINT32_MAX || write_clear(rop, now, worked);
}

/* Writes back the dirty lines of the surface, one per cycle (NULL: all dirty lines). Returns true
 * when all of them are in memory. */
static bool
flush_rop(struct rop *rop, const struct block_surface *surface, uint64_t now, bool *worked)
{
    const struct cache *tags = &rop->cache.tags;
    for (; rop->walk < tags->sets * tags->ways; rop->walk++) {
        const struct cache_line *line = &tags->lines[rop->walk];
        if (!line->valid || !line->dirty ||
            (surface && (line->address < surface->first || line->address >= surface->end)))
            continue;
        if (rop_cache_write_back(&rop->cache, rop->walk, now)) {
            rop->walk++;
            *worked = true;
        }
        return false;
    }
    return rop_cache_is_quiet(&rop->cache);
}

/* The action that the order requests for block n of the surface. */
static enum surface_part
part_of(const struct rop *rop, uint32_t n)
{
    return rop->order.parts ? rop->order.parts[n] : PART_RAW;
}

/* Whether the block must be written to become raw. Returns false if the block is raw, or if its
 * dirty line will be written back. If the block needs no write for another reason, sets its state
 * to raw. */
static bool
wants_write(struct rop *rop, const struct block_surface *surface, uint32_t address)
{
    const uint32_t state = blocks_state(rop->blocks, address);
    const int32_t line = cache_find(&rop->cache.tags, address);
    if (blocks_is_raw(state) || (line >= 0 && rop->cache.tags.lines[line].dirty))
        return false;
    if (part_of(rop, rop->walk) == PART_RAW && !(state == BLOCK_CLEARED && surface->in_memory))
        return true;
    blocks_note(rop->blocks, address, BLOCK_RAW);
    return false;
}

/* Starts the conversion of the next block that is not raw yet. Returns false if there is no such
 * block, or no room for it now. */
static bool
make_raw(struct rop *rop, const struct block_surface *surface, uint64_t now)
{
    uint32_t address;
    for (; next_block(rop, surface, &address); rop->walk++) {
        const uint32_t state = blocks_state(rop->blocks, address);
        const int32_t line = cache_find(&rop->cache.tags, address);
        if (part_of(rop, rop->walk) == PART_STAYS || !wants_write(rop, surface, address))
            continue;
        bool done = state == BLOCK_CLEARED && line < 0
                        ? rop_cache_write_block(&rop->cache, address, surface->clear_line)
                        : fetch_line(rop, address, now);
        rop->walk += done;
        return done;
    }
    return false;
}

/* Drops the lines of the blocks that the order covers. */
static void
drop_parts(struct rop *rop, const struct block_surface *surface)
{
    const uint32_t bytes = rop->shape.cache.line_bytes;
    const struct cache *tags = &rop->cache.tags;
    for (uint32_t i = 0; i < tags->sets * tags->ways; i++) {
        const uint32_t address = tags->lines[i].address;
        if (address >= surface->first && address < surface->end &&
            part_of(rop, (address - surface->first) / bytes) != PART_STAYS)
            drop_lines(rop, address, address + bytes);
    }
}

/* Makes the surface, or the blocks that the order lists, raw in memory. Drops their lines from the
 * cache. */
static bool
resolve(struct rop *rop, uint64_t now, bool *worked)
{
    const struct block_surface *surface = surface_of(rop);
    rop->cache.raw = surface;
    if (rop->step == 0) {
        if (make_raw(rop, surface, now)) {
            *worked = true;
            return false;
        }
        if (rop->walk < blocks_of_surface(rop->blocks, surface) || !rop_is_empty(rop))
            return false;
        rop->step = 1;
        rop->walk = 0;
    }
    if (!flush_rop(rop, surface, now, worked))
        return false;
    rop->cache.raw = NULL;
    drop_parts(rop, surface);
    return true;
}

static bool
exec_order(struct rop *rop, uint64_t now, bool *worked)
{
    switch (rop->order.kind) {
    case CONTROL_BEGIN: rop_orders_begin(rop); return true;
    case CONTROL_CLEAR: return rop_clear(rop, now, worked);
    case CONTROL_FLUSH:
    case CONTROL_SHOW: return flush_rop(rop, NULL, now, worked);
    case CONTROL_RESOLVE: return resolve(rop, now, worked);
    case CONTROL_INVALIDATE: {
        const struct resource *res = rop->order.surface.res;
        drop_lines(rop, res->address, res->address + res->size_bytes);
        return true;
    }
    }
    BUG("rop: order %d is not for a ROP", rop->order.kind);
}

bool
rop_exec_control(struct rop *rop, uint64_t now, bool *worked)
{
    if (!rop->executing) {
        const struct control_item *item = queue_front(rop->control, now);
        if (!item)
            return false;
        rop->order = *item;
        rop->executing = true;
        rop->order_since = now;
        rop->step = rop->walk = 0;
        queue_pop(rop->control, now);
        *worked = true;
    }
    if (!exec_order(rop, now, worked) || !queue_space(rop->done, now) ||
        (rop->work->finish && !rop->work->finish(rop->owner, &rop->order, now)))
        return true;
    rop->output_stage.cp_ref = rop->cache.replied.cycle > rop->order_since
                                   ? rop->cache.replied.cp_ref
                                   : rop->module->stage.cp_ref;
    *(struct done_item *)queue_push(rop->done, now) = (struct done_item){false, 0};
    rop->executing = false;
    *worked = true;
    return true;
}
