/* Fetches and decompresses blocks (unit/block_reader.h). */
#include "unit/block_reader.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { PARTS = BLOCK_MAX_BYTES / TRANSACTION_BYTES };

void
block_reader_init(struct block_reader *reader, struct module *module,
                  const struct memory_port *port, const struct blocks *color,
                  const struct blocks *depth, uint32_t count)
{
    memset(reader, 0, sizeof *reader);
    reader->module = module;
    reader->port = port;
    reader->tables[0] = color;
    reader->tables[1] = depth;
    reader->count = count;
    reader->slots = mem_array(count, sizeof *reader->slots);
    reader->queue_ring.capacity = count;
    reader->queue = mem_array(count, sizeof *reader->queue);
}

void
block_reader_fini(struct block_reader *reader)
{
    free(reader->slots);
    free(reader->queue);
}

void
block_reader_reset(struct block_reader *reader)
{
    BUG_ON(!block_reader_is_quiet(reader), "a block reader is reset while it transfers data");
    INVARIANT(reader->module, !reader->queue_ring.count);
    for (uint32_t i = 0; i < reader->count; i++) {
        INVARIANT(reader->module, !reader->slots[i].locks);
        reader->slots[i].valid = false;
    }
}

static int32_t
find_slot(const struct block_reader *reader, const struct blocks *blocks, uint32_t address)
{
    for (uint32_t i = 0; i < reader->count; i++) {
        const struct block_slot *slot = &reader->slots[i];
        if (slot->valid && slot->address == address && slot->blocks == blocks)
            return (int32_t)i;
    }
    return -1;
}

static int32_t
victim(const struct block_reader *reader)
{
    int32_t oldest = -1;
    for (uint32_t i = 0; i < reader->count; i++) {
        const struct block_slot *slot = &reader->slots[i];
        if (!slot->valid)
            return (int32_t)i;
        if (!slot->locks && slot->arrived == slot->wanted &&
            (oldest < 0 || slot->used < reader->slots[oldest].used))
            oldest = (int32_t)i;
    }
    return oldest;
}

/* Assigns a slot to a block. A compressed block needs all its transactions, and a cleared block
 * needs none. Transactions of a raw block are added later by block_reader_lock(). */
static void
block_reader_begin(struct block_reader *reader, struct block_slot *slot,
                   const struct blocks *blocks, uint32_t address, uint64_t now)
{
    const uint32_t state = blocks_state(blocks, address), bytes = blocks_bytes(blocks, state);
    INVARIANT(reader->module, !slot->locks && !slot->queued);
    slot->valid = true;
    slot->blocks = blocks;
    slot->address = address;
    slot->state = state;
    slot->wanted = slot->sent = slot->arrived = 0;
    slot->ready_cycle = now;
    slot->arrival = (struct cp_stamp){reader->port->requests->from->cp_ref, now};
    reader->misses++;
    if (blocks_is_raw(state))
        return;
    reader->bytes_saved += blocks->block_bytes - bytes;
    if (state == BLOCK_CLEARED) {
        blocks_unpack(blocks, address, state, NULL, slot->data);
        reader->from_clear++;
        return;
    }
    slot->wanted = (1u << bytes / TRANSACTION_BYTES) - 1;
    slot->ready_cycle = CYCLE_NEVER;
    reader->unpacked++;
}

int32_t
block_reader_lock(struct block_reader *reader, const struct blocks *blocks, uint32_t address,
                  uint32_t parts, uint64_t now)
{
    int32_t found = find_slot(reader, blocks, address);
    if (found >= 0) {
        reader->hits++;
    } else {
        found = victim(reader);
        if (found < 0)
            return -1;
        block_reader_begin(reader, &reader->slots[found], blocks, address, now);
    }
    struct block_slot *slot = &reader->slots[found];
    if (blocks_is_raw(slot->state))
        slot->wanted |= parts;
    if (slot->wanted != slot->sent && !slot->queued) {
        reader->queue[ring_push(&reader->queue_ring)] = (uint32_t)found;
        slot->queued = true;
    }
    slot->locks++;
    slot->used = ++reader->uses;
    return found;
}

void
block_reader_unlock(struct block_reader *reader, uint32_t slot)
{
    BUG_ON(!reader->slots[slot].locks, "unlock of a block that is not locked");
    reader->slots[slot].locks--;
}

bool
block_reader_ready(const struct block_reader *reader, uint32_t n, uint32_t parts, uint64_t now)
{
    const struct block_slot *slot = &reader->slots[n];
    if (blocks_is_raw(slot->state))
        return (slot->arrived & parts) == parts;
    if (slot->ready_cycle > now && slot->ready_cycle != CYCLE_NEVER)
        module_wake_at(reader->module, slot->ready_cycle);
    return slot->ready_cycle <= now;
}

bool
block_reader_is_quiet(const struct block_reader *reader)
{
    for (uint32_t i = 0; i < reader->count; i++)
        if (reader->slots[i].valid && reader->slots[i].arrived != reader->slots[i].wanted)
            return false;
    return true;
}

void
block_reader_take(struct block_reader *reader, const struct memory_reply *reply, uint64_t now)
{
    const uint32_t n = (reply->tag & ~(uint32_t)BLOCK_READER_TAG) / PARTS,
                   part = reply->tag % PARTS;
    BUG_ON(n >= reader->count, "a block reader receives a reply for slot %u", n);
    struct block_slot *slot = &reader->slots[n];
    BUG_ON(!(slot->sent & ~slot->arrived & 1u << part), "a block receives an unexpected reply");
    memcpy(slot->data + part * TRANSACTION_BYTES, reply->data, TRANSACTION_BYTES);
    slot->arrived |= 1u << part;
    slot->arrival = queue_mark(reader->port->replies);
    if (slot->arrived != slot->wanted || blocks_is_raw(slot->state))
        return;
    uint64_t start = now;
    if (reader->unpack_free > now) {
        reader->unpack_stalls += reader->unpack_free - now;
        start = reader->unpack_free;
    }
    slot->ready_cycle = reader->unpack_free = start + slot->blocks->unpack_cycles;
    blocks_unpack(slot->blocks, slot->address, slot->state, slot->data, slot->data);
}

bool
block_reader_send(struct block_reader *reader, uint64_t now)
{
    if (!reader->queue_ring.count || !queue_space(reader->port->requests, now))
        return false;
    const uint32_t n = reader->queue[reader->queue_ring.head];
    struct block_slot *slot = &reader->slots[n];
    const uint32_t part = (uint32_t)__builtin_ctz(slot->wanted & ~slot->sent);
    struct memory_request *request = queue_push(reader->port->requests, now);
    request->address = slot->address + part * TRANSACTION_BYTES;
    request->tag = BLOCK_READER_TAG | (n * PARTS + part);
    request->write = false;
    slot->sent |= 1u << part;
    reader->transactions++;
    if (slot->sent == slot->wanted) {
        slot->queued = false;
        ring_pop(&reader->queue_ring);
    }
    return true;
}
