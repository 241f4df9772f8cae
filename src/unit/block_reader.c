/* Blocks on their way from memory (unit/block_reader.h). */
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
    reader->places = mem_array(count, sizeof *reader->places);
    reader->queue_ring.capacity = count;
    reader->queue = mem_array(count, sizeof *reader->queue);
}

void
block_reader_fini(struct block_reader *reader)
{
    free(reader->places);
    free(reader->queue);
}

void
block_reader_reset(struct block_reader *reader)
{
    BUG_ON(!block_reader_is_quiet(reader), "a reader of blocks is reset while it moves data");
    for (uint32_t i = 0; i < reader->count; i++)
        reader->places[i].valid = false;
}

static int32_t
find(const struct block_reader *reader, const struct blocks *blocks, uint32_t address)
{
    for (uint32_t i = 0; i < reader->count; i++) {
        const struct block_place *place = &reader->places[i];
        if (place->valid && place->address == address && place->blocks == blocks)
            return (int32_t)i;
    }
    return -1;
}

static int32_t
victim(const struct block_reader *reader)
{
    int32_t oldest = -1;
    for (uint32_t i = 0; i < reader->count; i++) {
        const struct block_place *place = &reader->places[i];
        if (!place->valid)
            return (int32_t)i;
        if (!place->locks && place->here == place->wanted &&
            (oldest < 0 || place->used < reader->places[oldest].used))
            oldest = (int32_t)i;
    }
    return oldest;
}

/* Transactions that the block's state wants moved: all it has, or, raw, none before they are asked
 * for. */
static void
block_reader_begin(struct block_reader *reader, struct block_place *place,
                   const struct blocks *blocks, uint32_t address, uint64_t now)
{
    const uint32_t state = blocks_state(blocks, address), bytes = blocks_bytes(blocks, state);
    place->valid = true;
    place->blocks = blocks;
    place->address = address;
    place->state = state;
    place->wanted = place->sent = place->here = 0;
    place->ready_cycle = now;
    place->came = (struct cp_stamp){reader->port->requests->from->cp_ref, now};
    reader->misses++;
    if (blocks_is_raw(state))
        return;
    reader->bytes_saved += blocks->block_bytes - bytes;
    if (state == BLOCK_CLEARED) {
        blocks_unpack(blocks, address, state, NULL, place->data);
        reader->from_clear++;
        return;
    }
    place->wanted = (1u << bytes / TRANSACTION_BYTES) - 1;
    place->ready_cycle = CYCLE_NEVER;
    reader->unpacked++;
}

int32_t
block_reader_lock(struct block_reader *reader, const struct blocks *blocks, uint32_t address,
                  uint32_t parts, uint64_t now)
{
    int32_t found = find(reader, blocks, address);
    if (found >= 0) {
        reader->hits++;
    } else {
        found = victim(reader);
        if (found < 0)
            return -1;
        block_reader_begin(reader, &reader->places[found], blocks, address, now);
    }
    struct block_place *place = &reader->places[found];
    if (blocks_is_raw(place->state))
        place->wanted |= parts;
    if (place->wanted != place->sent && !place->queued) {
        reader->queue[ring_push(&reader->queue_ring)] = (uint32_t)found;
        place->queued = true;
    }
    place->locks++;
    place->used = ++reader->uses;
    return found;
}

void
block_reader_unlock(struct block_reader *reader, uint32_t place)
{
    BUG_ON(!reader->places[place].locks, "a block is unlocked that is not locked");
    reader->places[place].locks--;
}

bool
block_reader_ready(const struct block_reader *reader, uint32_t n, uint32_t parts, uint64_t now)
{
    const struct block_place *place = &reader->places[n];
    if (blocks_is_raw(place->state))
        return (place->here & parts) == parts;
    if (place->ready_cycle > now && place->ready_cycle != CYCLE_NEVER)
        module_wake_at(reader->module, place->ready_cycle);
    return place->ready_cycle <= now;
}

bool
block_reader_is_quiet(const struct block_reader *reader)
{
    for (uint32_t i = 0; i < reader->count; i++)
        if (reader->places[i].valid && reader->places[i].here != reader->places[i].wanted)
            return false;
    return true;
}

void
block_reader_take(struct block_reader *reader, const struct memory_reply *reply, uint64_t now)
{
    const uint32_t n = (reply->tag & ~(uint32_t)BLOCK_READER_TAG) / PARTS,
                   part = reply->tag % PARTS;
    BUG_ON(n >= reader->count, "a reader of blocks gets a reply for place %u", n);
    struct block_place *place = &reader->places[n];
    BUG_ON(!(place->sent & ~place->here & 1u << part), "a block gets a reply that nobody awaits");
    memcpy(place->data + part * TRANSACTION_BYTES, reply->data, TRANSACTION_BYTES);
    place->here |= 1u << part;
    place->came = queue_mark(reader->port->replies);
    if (place->here != place->wanted || blocks_is_raw(place->state))
        return;
    uint64_t start = now;
    if (reader->unpack_free > now) {
        reader->unpack_stalls += reader->unpack_free - now;
        start = reader->unpack_free;
    }
    place->ready_cycle = reader->unpack_free = start + place->blocks->unpack_cycles;
    blocks_unpack(place->blocks, place->address, place->state, place->data, place->data);
}

bool
block_reader_send(struct block_reader *reader, uint64_t now)
{
    if (!reader->queue_ring.count || !queue_space(reader->port->requests, now))
        return false;
    const uint32_t n = reader->queue[reader->queue_ring.head];
    struct block_place *place = &reader->places[n];
    const uint32_t part = (uint32_t)__builtin_ctz(place->wanted & ~place->sent);
    struct memory_request *request = queue_push(reader->port->requests, now);
    request->address = place->address + part * TRANSACTION_BYTES;
    request->tag = BLOCK_READER_TAG | (n * PARTS + part);
    request->write = false;
    place->sent |= 1u << part;
    reader->transactions++;
    if (place->sent == place->wanted) {
        place->queued = false;
        ring_pop(&reader->queue_ring);
    }
    return true;
}
