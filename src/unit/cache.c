/* Lookup, eviction and memory port of the cache (unit/cache.h). */
#include "unit/cache.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* A reply tag combines the line number and the transaction within the line. The longest line has 64
 * transactions. */
#define TAG(line, part) ((line) << 6 | (part))

void
cache_init(struct cache *cache, const struct module *owner, const struct cache_shape *shape)
{
    memset(cache, 0, sizeof *cache);
    cache->owner = owner;
    cache->ways = shape->ways < shape->lines ? shape->ways : shape->lines;
    cache->sets = shape->lines / cache->ways;
    cache->line_bytes = shape->line_bytes;
    const size_t lines = (size_t)cache->sets * cache->ways;
    cache->lines = mem_array(lines, sizeof *cache->lines);
    cache->data = mem_array(lines, shape->line_bytes);
    replacement_init(&cache->replacement, shape->policy, cache->sets, cache->ways);
    cache->fill_ring.capacity = shape->fill_limit;
    cache->fills = mem_array(shape->fill_limit, sizeof *cache->fills);
}

void
cache_fini(struct cache *cache)
{
    replacement_fini(&cache->replacement);
    free(cache->lines);
    free(cache->data);
    free(cache->fills);
    memset(cache, 0, sizeof *cache);
}

void
cache_reset(struct cache *cache)
{
    BUG_ON(!cache_is_quiet(cache), "a cache is reset while it transfers data");
    for (uint32_t i = 0; INVARIANTS && i < cache->sets * cache->ways; i++)
        INVARIANT(cache->owner, !cache->lines[i].locks && !cache->lines[i].filling);
    INVARIANT(cache->owner, !cache->fill_ring.count && !cache->piece_count);
    memset(cache->lines, 0, (size_t)cache->sets * cache->ways * sizeof *cache->lines);
    replacement_reset(&cache->replacement);
}

static uint32_t
set_of(const struct cache *cache, uint32_t address)
{
    return address / cache->line_bytes % cache->sets;
}

int32_t
cache_find(const struct cache *cache, uint32_t address)
{
    address -= address % cache->line_bytes;
    uint32_t first = set_of(cache, address) * cache->ways;
    for (uint32_t i = first; i < first + cache->ways; i++) {
        if (cache->lines[i].valid && cache->lines[i].address == address)
            return (int32_t)i;
    }
    return -1;
}

static enum line_state
line_state(const void *cache, uint32_t line)
{
    const struct cache_line *l = &((const struct cache *)cache)->lines[line];
    return l->locks || l->filling ? LINE_STAYS : l->valid ? LINE_MAY_GO : LINE_EMPTY;
}

int32_t
cache_victim(const struct cache *cache, uint32_t address)
{
    return replacement_victim(&cache->replacement, set_of(cache, address), line_state, cache);
}

void
cache_replace(struct cache *cache, uint32_t line, uint32_t address)
{
    struct cache_line *l = &cache->lines[line];
    INVARIANT(cache->owner, !l->locks && !l->filling);
    l->address = address - address % cache->line_bytes;
    l->valid = true;
    l->dirty = false;
    replacement_fill(&cache->replacement, line);
}

int32_t
cache_allocate(struct cache *cache, uint32_t address)
{
    int32_t victim = cache_victim(cache, address);
    if (victim < 0 || ring_is_full(&cache->fill_ring))
        return -1;
    cache_replace(cache, (uint32_t)victim, address);
    struct cache_line *line = &cache->lines[victim];
    line->filling = (uint16_t)((cache->line_bytes + TRANSACTION_BYTES - 1) / TRANSACTION_BYTES);
    cache->fills[ring_push(&cache->fill_ring)] =
        (struct cache_fill){line->address, (uint32_t)victim, 0};
    cache->fills_under_way++;
    return victim;
}

bool
cache_is_quiet(const struct cache *cache)
{
    return cache->fills_under_way == 0;
}

/* Records the arrival of `transactions` transactions of the line. */
static void
fill_line(struct cache *cache, struct cache_line *line, uint32_t transactions,
          struct cp_stamp arrival)
{
    /* only requested transactions can arrive */
    INVARIANT(cache->owner, line->filling >= transactions);
    INVARIANT(cache->owner, cache->fills_under_way > 0);
    line->arrival = arrival;
    line->filling = (uint16_t)(line->filling - transactions);
    cache->fills_under_way -= line->filling == 0;
}

static void
take_reply(struct cache *cache, const struct memory_reply *reply)
{
    uint32_t index = reply->tag >> 6, part = reply->tag & 63;
    struct cache_line *line = &cache->lines[index];
    uint32_t bytes = cache->line_bytes < TRANSACTION_BYTES ? cache->line_bytes : TRANSACTION_BYTES;
    uint32_t from = cache->line_bytes < TRANSACTION_BYTES ? line->address % TRANSACTION_BYTES : 0;
    memcpy(cache_data(cache, index) + part * TRANSACTION_BYTES, reply->data + from, bytes);
    fill_line(cache, line, 1, queue_mark(cache->port.replies));
}

/* Advances the oldest waiting fill by `transactions` transactions, and removes it once all are
 * requested. */
static void
go_on(struct cache *cache, uint32_t transactions)
{
    struct cache_fill *fill = &cache->fills[cache->fill_ring.head];
    fill->sent += transactions;
    if (fill->sent * TRANSACTION_BYTES < cache->line_bytes)
        return;
    ring_pop(&cache->fill_ring);
}

/* Locks the cleared or compressed block that contains the next bytes of the oldest waiting fill.
 * Adds a piece that waits for the block. Returns false if no slot or no piece is free. */
static bool
wait_for_block(struct cache *cache, const struct blocks *blocks, uint32_t address, uint64_t now)
{
    const struct cache_fill *fill = &cache->fills[cache->fill_ring.head];
    const uint32_t offset = fill->sent * TRANSACTION_BYTES, from = address % blocks->block_bytes;
    const uint32_t left = cache->line_bytes - offset, available = blocks->block_bytes - from;
    const uint32_t bytes = left < available ? left : available;
    if (cache->piece_count == CACHE_MAX_PIECES)
        return false;
    const int32_t slot = block_reader_lock(cache->reader, blocks, address - from, 0, now);
    if (slot < 0)
        return false;
    const uint32_t transactions = (bytes + TRANSACTION_BYTES - 1) / TRANSACTION_BYTES;
    cache->pieces[cache->piece_count++] =
        (struct cache_piece){fill->line, offset, bytes, transactions, (uint32_t)slot, from};
    go_on(cache, transactions);
    return true;
}

/* Copies the pieces whose blocks are ready into their lines. */
static bool
take_pieces(struct cache *cache, uint64_t now)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < cache->piece_count; i++) {
        const struct cache_piece *piece = &cache->pieces[i];
        if (!block_reader_ready(cache->reader, piece->slot, 0, now)) {
            cache->pieces[left++] = *piece;
            continue;
        }
        memcpy(cache_data(cache, piece->line) + piece->offset,
               block_reader_data(cache->reader, piece->slot) + piece->from, piece->bytes);
        block_reader_unlock(cache->reader, piece->slot);
        fill_line(cache, &cache->lines[piece->line], piece->transactions,
                  block_reader_mark(cache->reader, piece->slot));
    }
    const bool worked = left != cache->piece_count;
    cache->piece_count = left;
    return worked;
}

static bool
send_transaction(struct cache *cache, uint64_t now)
{
    if (cache->reader && block_reader_send(cache->reader, now))
        return true;
    if (!cache->fill_ring.count)
        return false;
    const struct cache_fill *fill = &cache->fills[cache->fill_ring.head];
    uint32_t address = fill->address + fill->sent * TRANSACTION_BYTES;
    const struct blocks *blocks =
        cache->reader ? block_reader_packed(cache->reader, address) : NULL;
    if (blocks)
        return wait_for_block(cache, blocks, address, now);
    if (!queue_space(cache->port.requests, now))
        return false;
    struct memory_request *request = queue_push(cache->port.requests, now);
    request->address = address - address % TRANSACTION_BYTES;
    request->tag = TAG(fill->line, fill->sent);
    request->write = false;
    go_on(cache, 1);
    return true;
}

bool
cache_clock(struct cache *cache, uint64_t now)
{
    bool worked = false;
    for (const struct memory_reply *reply; (reply = queue_front(cache->port.replies, now));) {
        if (cache->reader && reply->tag & BLOCK_READER_TAG)
            block_reader_take(cache->reader, reply, now);
        else
            take_reply(cache, reply);
        queue_pop(cache->port.replies, now);
        worked = true;
    }
    if (cache->piece_count)
        worked |= take_pieces(cache, now);
    return send_transaction(cache, now) || worked;
}
