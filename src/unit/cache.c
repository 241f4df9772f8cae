/* A cache that holds data (unit/cache.h): look-up, eviction, and its memory port. */
#include "unit/cache.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* Reply tags: the line, and the transaction inside it (64 of them make the longest line). */
#define TAG(line, part) ((line) << 6 | (part))

void
cache_init(struct cache *cache, uint32_t lines, uint32_t ways, uint32_t line_bytes,
           uint32_t operation_limit)
{
    memset(cache, 0, sizeof *cache);
    if (ways > lines)
        ways = lines;
    cache->sets = lines / ways;
    cache->ways = ways;
    cache->line_bytes = line_bytes;
    cache->lines = mem_alloc((size_t)cache->sets * ways * sizeof *cache->lines);
    cache->data = mem_alloc((size_t)cache->sets * ways * line_bytes);
    cache->operation_limit = operation_limit;
    cache->operations = mem_alloc(operation_limit * sizeof *cache->operations);
}

void
cache_fini(struct cache *cache)
{
    free(cache->lines);
    free(cache->data);
    free(cache->operations);
    memset(cache, 0, sizeof *cache);
}

void
cache_reset(struct cache *cache)
{
    BUG_ON(!cache_is_quiet(cache), "a cache is reset while it moves data");
    memset(cache->lines, 0, (size_t)cache->sets * cache->ways * sizeof *cache->lines);
    cache->uses = 0;
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

static struct cache_operation *
add_operation(struct cache *cache, bool write, uint32_t address, uint32_t line)
{
    uint32_t i = (cache->operation_head + cache->operation_count++) % cache->operation_limit;
    struct cache_operation *operation = &cache->operations[i];
    operation->write = write;
    operation->noted = false;
    operation->address = address;
    operation->line = line;
    operation->sent = 0;
    operation->bytes = cache->line_bytes;
    return operation;
}

static void
queue_write(struct cache *cache, uint32_t address, const uint8_t *bytes)
{
    cache->writebacks++;
    if (cache->writebacks == cache->lose_writeback_at)
        return;
    memcpy(add_operation(cache, true, address, 0)->data, bytes, cache->line_bytes);
}

int32_t
cache_victim(const struct cache *cache, uint32_t address)
{
    uint32_t first = set_of(cache, address) * cache->ways;
    int32_t victim = -1;
    for (uint32_t i = first; i < first + cache->ways; i++) {
        const struct cache_line *line = &cache->lines[i];
        if (line->locks || line->filling)
            continue;
        if (!line->valid)
            return (int32_t)i;
        if (victim < 0 || line->used < cache->lines[victim].used)
            victim = (int32_t)i;
    }
    return victim;
}

int32_t
cache_allocate(struct cache *cache, uint32_t address, bool fill)
{
    address -= address % cache->line_bytes;
    int32_t victim = cache_victim(cache, address);
    if (victim < 0 || cache->operation_count + 2 > cache->operation_limit)
        return -1;
    struct cache_line *line = &cache->lines[victim];
    if (line->valid) {
        cache->evictions++;
        if (line->dirty)
            queue_write(cache, line->address, cache_data(cache, (uint32_t)victim));
    }
    line->address = address;
    line->valid = true;
    line->dirty = false;
    line->used = ++cache->uses;
    if (fill) {
        line->filling = (uint16_t)((cache->line_bytes + TRANSACTION_BYTES - 1) / TRANSACTION_BYTES);
        add_operation(cache, false, address, (uint32_t)victim);
        cache->fills_under_way++;
    }
    return victim;
}

bool
cache_write_back(struct cache *cache, uint32_t line)
{
    if (cache->operation_count == cache->operation_limit)
        return false;
    queue_write(cache, cache->lines[line].address, cache_data(cache, line));
    cache->lines[line].dirty = false;
    return true;
}

bool
cache_write_bytes(struct cache *cache, uint32_t address, const uint8_t *bytes)
{
    if (cache->operation_count == cache->operation_limit)
        return false;
    queue_write(cache, address, bytes);
    return true;
}

bool
cache_is_quiet(const struct cache *cache)
{
    return cache->operation_count == 0 && cache->writes_in_flight == 0;
}

static void
take_reply(struct cache *cache, const struct memory_reply *reply)
{
    if (reply->write) {
        cache->writes_in_flight--;
        return;
    }
    uint32_t index = reply->tag >> 6, part = reply->tag & 63;
    struct cache_line *line = &cache->lines[index];
    uint32_t bytes = cache->line_bytes < TRANSACTION_BYTES ? cache->line_bytes : TRANSACTION_BYTES;
    uint32_t from = cache->line_bytes < TRANSACTION_BYTES ? line->address % TRANSACTION_BYTES : 0;
    memcpy(cache_data(cache, index) + part * TRANSACTION_BYTES, reply->data + from, bytes);
    line->filling--;
    cache->fills_under_way -= line->filling == 0;
}

static bool
send_transaction(struct cache *cache, uint64_t now)
{
    if (!cache->operation_count || !queue_space(cache->port.requests, now))
        return false;
    struct cache_operation *operation = &cache->operations[cache->operation_head];
    uint32_t offset = operation->sent * TRANSACTION_BYTES;
    uint32_t address = operation->address + offset;
    struct memory_request *request = queue_push(cache->port.requests, now);
    request->address = address - address % TRANSACTION_BYTES;
    request->tag = TAG(operation->line, operation->sent);
    request->write = operation->write;
    if (operation->write) {
        uint32_t count = operation->bytes - offset;
        uint32_t first = address % TRANSACTION_BYTES;
        if (count > TRANSACTION_BYTES)
            count = TRANSACTION_BYTES;
        request->bytes_written = transaction_bytes(first, count);
        memcpy(request->data + first, operation->data + offset, count);
        cache->writes_in_flight++;
    }
    operation->sent++;
    cache->transactions++;
    if (operation->sent * TRANSACTION_BYTES >= operation->bytes) {
        cache->operation_head = (cache->operation_head + 1) % cache->operation_limit;
        cache->operation_count--;
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
