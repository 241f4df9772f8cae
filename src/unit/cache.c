/* A cache that holds data (unit/cache.h): look-up, eviction, and its memory port. */
#include "unit/cache.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* Reply tags: the line, and the transaction inside it (64 of them make the longest line). */
#define TAG(line, part) ((line) << 6 | (part))

void
cache_init(struct cache *cache, const struct cache_shape *shape)
{
    memset(cache, 0, sizeof *cache);
    cache->ways = shape->ways < shape->lines ? shape->ways : shape->lines;
    cache->sets = shape->lines / cache->ways;
    cache->line_bytes = shape->line_bytes;
    const size_t lines = (size_t)cache->sets * cache->ways;
    cache->lines = mem_alloc(lines * sizeof *cache->lines);
    cache->data = mem_alloc(lines * shape->line_bytes);
    replacement_init(&cache->replacement, shape->policy, cache->sets, cache->ways);
    cache->fill_limit = shape->fill_limit;
    cache->fills = mem_alloc(shape->fill_limit * sizeof *cache->fills);
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
    BUG_ON(!cache_is_quiet(cache), "a cache is reset while it moves data");
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
    l->address = address - address % cache->line_bytes;
    l->valid = true;
    l->dirty = false;
    replacement_fill(&cache->replacement, line);
}

int32_t
cache_allocate(struct cache *cache, uint32_t address)
{
    int32_t victim = cache_victim(cache, address);
    if (victim < 0 || cache->fill_count == cache->fill_limit)
        return -1;
    cache_replace(cache, (uint32_t)victim, address);
    struct cache_line *line = &cache->lines[victim];
    line->filling = (uint16_t)((cache->line_bytes + TRANSACTION_BYTES - 1) / TRANSACTION_BYTES);
    cache->fills[(cache->fill_head + cache->fill_count++) % cache->fill_limit] =
        (struct cache_fill){line->address, (uint32_t)victim, 0};
    cache->fills_under_way++;
    return victim;
}

bool
cache_is_quiet(const struct cache *cache)
{
    return cache->fill_count == 0;
}

static void
take_reply(struct cache *cache, const struct memory_reply *reply)
{
    uint32_t index = reply->tag >> 6, part = reply->tag & 63;
    struct cache_line *line = &cache->lines[index];
    uint32_t bytes = cache->line_bytes < TRANSACTION_BYTES ? cache->line_bytes : TRANSACTION_BYTES;
    uint32_t from = cache->line_bytes < TRANSACTION_BYTES ? line->address % TRANSACTION_BYTES : 0;
    memcpy(cache_data(cache, index) + part * TRANSACTION_BYTES, reply->data + from, bytes);
    line->filling--;
    line->came = queue_mark(cache->port.replies);
    cache->fills_under_way -= line->filling == 0;
}

static bool
send_transaction(struct cache *cache, uint64_t now)
{
    if (!cache->fill_count || !queue_space(cache->port.requests, now))
        return false;
    struct cache_fill *fill = &cache->fills[cache->fill_head];
    uint32_t address = fill->address + fill->sent * TRANSACTION_BYTES;
    struct memory_request *request = queue_push(cache->port.requests, now);
    request->address = address - address % TRANSACTION_BYTES;
    request->tag = TAG(fill->line, fill->sent);
    request->write = false;
    fill->sent++;
    if (fill->sent * TRANSACTION_BYTES >= cache->line_bytes) {
        cache->fill_head = (cache->fill_head + 1) % cache->fill_limit;
        cache->fill_count--;
    }
    return true;
}

bool
cache_clock(struct cache *cache, uint64_t now)
{
    bool worked = false;
    for (const struct memory_reply *reply; (reply = queue_front(cache->port.replies, now));) {
        take_reply(cache, reply);
        queue_pop(cache->port.replies, now);
        worked = true;
    }
    return send_transaction(cache, now) || worked;
}
