/* DAC.
 *
 * At a swap, the DAC takes the block states from the Color Write units, BlocksUpdatedPerCycle per
 * cycle. Then it reads the display target in blocks of BlockSize bytes. BlockRequestQueueSize
 * blocks are in progress at a time, with one 64-byte transaction per cycle. ROP blocks inside a DAC
 * block are read according to their states. Compressed blocks pass a decompressor one after another
 * (DecompressionUnitLatency each). Cleared blocks are produced from their clear value. The
 * resulting bytes are the frame.
 *
 * The DAC works in this way if SynchedRefresh is set. Otherwise a swap only sets the surface on the
 * screen. The DAC reads all bytes of that surface every RefreshRate cycles of the simulated frame.
 * A swap waits for a refresh in progress. Without RefreshFrame, the DAC reads nothing. Without one
 * of these two parameters, the picture of a swap is taken from memory according to its block
 * states, without timing. Source: docs/design/memory.md, DAC. */
#include "unit/display/dac.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static enum unit_state dac_clock(void *self, uint64_t now);

/* Starts a frame. The next timed refresh is a full period away. */
static void
dac_reset(void *self)
{
    struct dac *dac = self;
    const struct module *module = &dac->module;
    INVARIANT(module, dac->phase == DAC_IDLE && !dac->asked_ring.count);
    dac->next_refresh = dac->module.clock->now + dac->refresh_cycles;
    dac->shown = false;
    if (dac->refresh_cycles)
        module_wake_at(&dac->module, dac->next_refresh);
}

static void
dac_fini(void *self)
{
    struct dac *dac = self;
    free(dac->bytes);
    free(dac->asked);
}

static const struct module_ops ops = {
    .clock = dac_clock,
    .reset = dac_reset,
    .fini = dac_fini,
};

void
dac_init(struct dac *dac, const struct unit_env *env, uint32_t index)
{
    const struct params *params = env->params;
    memset(dac, 0, sizeof *dac);
    clock_add_module(env->clock, &dac->module, "dac", -1, dac, &ops);
    dac->module.stage.cause = CAUSE_show;
    dac->rops = env->rops;
    dac->memory = env->memory;
    dac->block_bytes = params->DAC.BlockSize;
    dac->asked_ring.capacity = params->DAC.BlockRequestQueueSize;
    dac->states_cycle = params->DAC.BlocksUpdatedPerCycle;
    dac->unpack_cycles = params->DAC.DecompressionUnitLatency;
    dac->reads_swaps = params->DAC.RefreshFrame && params->DAC.SynchedRefresh;
    if (params->DAC.RefreshFrame && !params->DAC.SynchedRefresh)
        dac->refresh_cycles = params->DAC.RefreshRate;
    dac->asked = mem_array(dac->asked_ring.capacity, sizeof *dac->asked);
    dac_reset(dac);
}

void
dac_show(struct dac *dac, const struct resource *res)
{
    dac->front = res->address + res->levels[0].offset;
    dac->front_bytes = res->levels[0].slice_bytes;
}

static void
make_room(struct dac *dac)
{
    if (dac->size_bytes <= dac->capacity_bytes)
        return;
    dac->capacity_bytes = dac->size_bytes;
    dac->bytes = mem_realloc(dac->bytes, dac->size_bytes);
}

static bool
dac_begin(struct dac *dac, uint64_t now)
{
    const struct control_item *item = queue_front(dac->control, now);
    if (item) {
        const struct bound_surface *surface = &item->surface;
        dac->order = *item;
        dac->phase = DAC_STATES;
        dac->states_arrived = 0;
        dac->states_done = CYCLE_NEVER;
        dac->base = blocks_quad_address(surface, 0, 0, 0);
        dac->size_bytes = surface->res->levels[surface->level].slice_bytes;
        queue_pop(dac->control, now);
    } else if (dac->refresh_cycles && !dac->shown && now >= dac->next_refresh) {
        dac->next_refresh += dac->refresh_cycles;
        if (!dac->front_bytes)
            return true;
        dac->phase = DAC_REFRESH;
        module_resume(&dac->module, &dac->module.stage, dac->module.clock->path.end, now);
        dac->base = dac->front;
        dac->size_bytes = dac->front_bytes;
    } else {
        if (dac->refresh_cycles && !dac->shown)
            module_wake_at(&dac->module, dac->next_refresh);
        return false;
    }
    dac->at = 0;
    ring_clear(&dac->asked_ring);
    make_room(dac);
    return true;
}

/* A timed refresh reads all bytes as if they were raw. */
static uint32_t
state_of(const struct dac *dac, uint32_t address)
{
    return dac->phase == DAC_REFRESH ? BLOCK_RAW : blocks_state(dac->blocks, address);
}

/* Reads the picture without timing, each block according to its state. */
static void
peek(struct dac *dac)
{
    const uint32_t step = dac->blocks->block_bytes;
    for (uint32_t at = 0; at < dac->size_bytes; at += step) {
        const uint32_t address = dac->base + at;
        blocks_unpack(dac->blocks, address, state_of(dac, address), dac->memory->bytes + address,
                      dac->bytes + at);
    }
}

static bool
take_states(struct dac *dac, uint64_t now)
{
    bool worked = false;
    for (uint32_t r = 0; r < dac->rops; r++) {
        const struct block_states_item *item = queue_front(dac->states[r], now);
        if (!item)
            continue;
        dac->blocks = item->blocks;
        dac->states_arrived++;
        queue_pop(dac->states[r], now);
        worked = true;
    }
    if (dac->states_arrived == dac->rops && dac->states_done == CYCLE_NEVER) {
        uint32_t states = dac->size_bytes / dac->blocks->block_bytes;
        dac->states_done = now + (states + dac->states_cycle - 1) / dac->states_cycle;
    }
    if (now < dac->states_done) {
        if (dac->states_done != CYCLE_NEVER)
            module_wake_at(&dac->module, dac->states_done);
        return worked;
    }
    if (!dac->reads_swaps) {
        peek(dac);
        dac->at = dac->size_bytes;
    }
    dac->front = dac->base;
    dac->front_bytes = dac->size_bytes;
    dac->phase = DAC_READ;
    return true;
}

static struct dac_block *
asked_at(struct dac *dac, uint32_t n)
{
    return &dac->asked[ring_at(&dac->asked_ring, n)];
}

static bool
dac_take_replies(struct dac *dac, uint64_t now)
{
    bool worked = false;
    for (const struct memory_reply *reply; (reply = queue_front(dac->port.replies, now));) {
        const uint32_t offset = reply->tag * TRANSACTION_BYTES;
        const uint32_t n = (offset - asked_at(dac, 0)->offset) / dac->block_bytes;
        BUG_ON(n >= dac->asked_ring.count, "dac: an unexpected reply");
        memcpy(dac->bytes + offset, reply->data, TRANSACTION_BYTES);
        INVARIANT(&dac->module, asked_at(dac, n)->missing > 0);
        asked_at(dac, n)->missing--;
        queue_pop(dac->port.replies, now);
        worked = true;
    }
    return worked;
}

/* Decompresses the ROP blocks inside a DAC block. Returns the number of compressed ones. */
static uint32_t
unpack(struct dac *dac, const struct dac_block *block)
{
    if (dac->phase == DAC_REFRESH)
        return 0;
    const uint32_t step = dac->blocks->block_bytes;
    uint32_t count = 0;
    for (uint32_t at = block->offset; at < block->end; at += step) {
        uint32_t state = state_of(dac, dac->base + at);
        blocks_unpack(dac->blocks, dac->base + at, state, dac->bytes + at, dac->bytes + at);
        count += state >= BLOCK_LEVEL;
        dac->stats.blocks_from_clear += state == BLOCK_CLEARED;
    }
    dac->stats.blocks_decompressed += count;
    return count;
}

/* Retires complete blocks in order. */
static bool
end_blocks(struct dac *dac, uint64_t now)
{
    bool worked = false;
    while (dac->asked_ring.count) {
        struct dac_block *block = asked_at(dac, 0);
        if (block->missing || (dac->asked_ring.count == 1 && dac->at < block->end))
            break;
        if (!block->unpacking) {
            block->done_cycle = now + unpack(dac, block) * dac->unpack_cycles;
            block->unpacking = true;
        }
        if (now < block->done_cycle) {
            module_wake_at(&dac->module, block->done_cycle);
            break;
        }
        ring_pop(&dac->asked_ring);
        dac->stats.blocks++;
        worked = true;
    }
    return worked;
}

/* Moves to the next transaction that the block states require. Returns false if the current block
 * needs no further transaction. */
static bool
find_next(struct dac *dac, uint32_t end)
{
    while (dac->at < end) {
        const uint32_t state = state_of(dac, dac->base + dac->at);
        if (blocks_is_raw(state))
            return true;
        uint32_t start = dac->at - dac->at % dac->blocks->block_bytes;
        if (dac->at - start < blocks_bytes(dac->blocks, state))
            return true;
        dac->at = start + dac->blocks->block_bytes;
    }
    return false;
}

/* Starts blocks while there is room for them, and requests at most one transaction. */
static bool
request_line(struct dac *dac, uint64_t now)
{
    bool worked = false;
    for (;;) {
        struct dac_block *last =
            dac->asked_ring.count ? asked_at(dac, dac->asked_ring.count - 1) : NULL;
        if (last && find_next(dac, last->end)) {
            if (!queue_space(dac->port.requests, now))
                return worked;
            struct memory_request *request = queue_push(dac->port.requests, now);
            request->address = dac->base + dac->at;
            request->tag = dac->at / TRANSACTION_BYTES;
            request->write = false;
            last->missing++;
            dac->at += TRANSACTION_BYTES;
            dac->stats.transactions++;
            return true;
        }
        if (dac->at >= dac->size_bytes || ring_is_full(&dac->asked_ring))
            return worked;
        struct dac_block *block = &dac->asked[ring_push(&dac->asked_ring)];
        uint32_t end = dac->at + dac->block_bytes;
        *block = (struct dac_block){.offset = dac->at,
                                    .end = end < dac->size_bytes ? end : dac->size_bytes};
        worked = true;
    }
}

/* Ends the frame or refresh if all requested bytes have arrived, or if no bytes were needed. */
static bool
end(struct dac *dac, uint64_t now)
{
    if (dac->at < dac->size_bytes || dac->asked_ring.count)
        return false;
    if (dac->phase == DAC_READ) {
        if (!queue_space(dac->done, now))
            return false;
        *(struct done_item *)queue_push(dac->done, now) = (struct done_item){false, 0};
        dac->stats.frames++;
        dac->shown = true;
    } else {
        dac->stats.refreshes++;
    }
    dac->phase = DAC_IDLE;
    return true;
}

static enum unit_state
dac_clock(void *self, uint64_t now)
{
    struct dac *dac = self;
    bool worked = false;
    if (dac->phase == DAC_IDLE)
        worked = dac_begin(dac, now);
    if (dac->phase == DAC_IDLE)
        return worked ? UNIT_BUSY : UNIT_STARVED;
    if (dac->phase == DAC_STATES) {
        worked |= take_states(dac, now);
    } else {
        worked |= dac_take_replies(dac, now);
        worked |= end_blocks(dac, now);
        worked |= request_line(dac, now);
        worked |= end(dac, now);
    }
    return worked ? UNIT_BUSY : UNIT_WAITING;
}
