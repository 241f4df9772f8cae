/* DAC.
 *
 * At a swap it takes the block states from the color ROPs and reads the display target, one 64-byte
 * transaction a cycle; cleared blocks are made from their clear value without a read. The bytes
 * that it gathered are the frame. One scan-out a swap (SynchedRefresh). Source: machine.md (units).
 * Not modelled: refreshes between swaps, compression. */
#include "unit/dac.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static enum unit_state dac_clock(void *self, uint64_t now);

void
dac_init(struct dac *dac, struct clock *clock, const struct params *params, uint32_t rops)
{
    memset(dac, 0, sizeof *dac);
    clock_add_module(clock, &dac->module, "dac", -1, dac, dac_clock);
    dac->rops = rops;
}

void
dac_fini(struct dac *dac)
{
    free(dac->bytes);
}

static bool
begin(struct dac *dac, uint64_t now)
{
    const struct control_item *item = queue_front(dac->control, now);
    if (!item)
        return false;
    const struct bound_surface *surface = &item->surface;
    dac->order = *item;
    dac->busy = true;
    dac->states_here = 0;
    dac->next = dac->missing = 0;
    dac->size_bytes = surface->res->levels[surface->level].slice_bytes;
    if (dac->size_bytes > dac->capacity_bytes) {
        dac->capacity_bytes = dac->size_bytes;
        dac->bytes = mem_realloc(dac->bytes, dac->size_bytes);
    }
    queue_pop(dac->control, now);
    return true;
}

static bool
take_states(struct dac *dac, uint64_t now)
{
    bool worked = false;
    for (uint32_t r = 0; r < dac->rops; r++) {
        const struct block_states_item *item = queue_front(dac->states[r], now);
        if (!item)
            continue;
        dac->rop[r] = item->rop;
        dac->states_here++;
        queue_pop(dac->states[r], now);
        worked = true;
    }
    return worked;
}

static bool
take_replies(struct dac *dac, uint64_t now)
{
    bool worked = false;
    for (const struct memory_reply *reply; (reply = queue_front(dac->memory.replies, now));) {
        memcpy(dac->bytes + (size_t)reply->tag * TRANSACTION_BYTES, reply->data, TRANSACTION_BYTES);
        dac->missing--;
        queue_pop(dac->memory.replies, now);
        worked = true;
    }
    return worked;
}

/* The clear line of the block, if its ROP says that it is cleared. */
static const uint8_t *
clear_line(const struct dac *dac, uint32_t address)
{
    for (uint32_t r = 0; r < dac->rops; r++) {
        const uint8_t *line = rop_clear_line(dac->rop[r], address);
        if (line)
            return line;
    }
    return NULL;
}

/* Asks for the next transaction, passing over cleared blocks. */
static bool
ask(struct dac *dac, uint64_t now)
{
    uint32_t base = rop_quad_address(&dac->order.surface, 0, 0);
    bool worked = false;
    while (dac->next * TRANSACTION_BYTES < dac->size_bytes) {
        uint32_t offset = dac->next * TRANSACTION_BYTES;
        const uint8_t *line = clear_line(dac, base + offset);
        if (line) {
            memcpy(dac->bytes + offset, line, ROP_LINE_BYTES);
            dac->next += ROP_LINE_BYTES / TRANSACTION_BYTES;
            dac->stats.blocks_from_clear++;
            worked = true;
            continue;
        }
        if (!queue_space(dac->memory.requests, now))
            return worked;
        struct memory_request *request = queue_push(dac->memory.requests, now);
        request->address = base + offset;
        request->tag = dac->next++;
        request->write = false;
        dac->missing++;
        dac->stats.transactions++;
        return true;
    }
    return worked;
}

static enum unit_state
dac_clock(void *self, uint64_t now)
{
    struct dac *dac = self;
    bool worked = false;
    if (!dac->busy)
        worked = begin(dac, now);
    if (!dac->busy)
        return UNIT_STARVED;
    worked |= take_states(dac, now);
    if (dac->states_here < dac->rops)
        return worked ? UNIT_BUSY : UNIT_WAITING;
    worked |= take_replies(dac, now);
    worked |= ask(dac, now);
    if (dac->next * TRANSACTION_BYTES >= dac->size_bytes && !dac->missing &&
        queue_space(dac->done, now)) {
        *(struct done_item *)queue_push(dac->done, now) = (struct done_item){false, 0};
        dac->busy = false;
        dac->stats.frames++;
        worked = true;
    }
    return worked ? UNIT_BUSY : UNIT_WAITING;
}
