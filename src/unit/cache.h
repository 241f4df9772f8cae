/* A set-associative cache that holds data, not tags alone: the part that ROPs, texture units and
 * the streamer share. Lines are filled and written back in 64-byte transactions over the owner's
 * memory port, in the order in which they were asked for, one transaction a cycle. A line that is
 * locked or being filled is never evicted; the victim is the least recently used of the set. */
#ifndef AETIUS_UNIT_CACHE_H
#define AETIUS_UNIT_CACHE_H

#include "unit/items.h"

enum { CACHE_MAX_LINE_BYTES = 256 };

struct cache_line {
    uint32_t address; /* of its first byte in memory */
    bool valid, dirty;
    uint16_t locks;
    uint16_t filling; /* transactions still to come */
    uint64_t used;    /* for the replacement */
};

struct cache_operation { /* what waits for the memory port */
    bool write;
    bool noted;                   /* the owner has looked at it (hierarchical Z) */
    uint32_t address, line, sent; /* transactions sent */
    uint32_t bytes;
    uint8_t data[CACHE_MAX_LINE_BYTES]; /* writes: the line as it was evicted */
};

struct cache {
    uint32_t sets, ways, line_bytes;
    struct cache_line *lines; /* sets x ways */
    uint8_t *data;
    uint64_t uses;
    struct memory_port port;
    struct cache_operation *operations; /* ring */
    uint32_t operation_head, operation_count, operation_limit;
    uint32_t writes_in_flight;
    uint32_t fills_under_way;   /* lines asked for that are not whole yet */
    uint64_t lose_writeback_at; /* fault injection: this write-back is not sent; 0: none */
    uint64_t evictions, writebacks, transactions; /* statistics: since the cache was made */
};

void cache_init(struct cache *cache, uint32_t lines, uint32_t ways, uint32_t line_bytes,
                uint32_t operation_limit);
void cache_fini(struct cache *cache);
void cache_reset(struct cache *cache); /* all lines invalid, without write-back */

/* Index of the line that holds `address`, or -1. */
int32_t cache_find(const struct cache *cache, uint32_t address);
/* Marks a line as the most recently used. */
static inline void
cache_touch(struct cache *cache, uint32_t line)
{
    cache->lines[line].used = ++cache->uses;
}

/* The line that gives way to `address`: an empty one, or the least recently used that is neither
 * locked nor being filled; -1: there is none. */
int32_t cache_victim(const struct cache *cache, uint32_t address);
/* Makes room for the line of `address` (which is not in the cache): evicts, queueing a write-back
 * when dirty. `fill`: queue the read. Returns the line, or -1 when every way is locked or filling,
 * or the operation ring is full; then nothing has changed. */
int32_t cache_allocate(struct cache *cache, uint32_t address, bool fill);

/* Queues the write-back of a dirty line, which stays valid and becomes clean; false when the ring
 * is full. */
bool cache_write_back(struct cache *cache, uint32_t line);
/* Queues a write of bytes that are in no line (a cleared block written out). */
bool cache_write_bytes(struct cache *cache, uint32_t address, const uint8_t *bytes);

static inline bool
cache_ready(const struct cache *cache, uint32_t line)
{
    return cache->lines[line].filling == 0;
}
static inline uint8_t *
cache_data(struct cache *cache, uint32_t line)
{
    return cache->data + (size_t)line * cache->line_bytes;
}
/* Nothing to send, nothing on its way. */
bool cache_is_quiet(const struct cache *cache);

/* One cycle of the memory side: takes every reply, sends one transaction. Returns whether it did
 * anything. */
bool cache_clock(struct cache *cache, uint64_t now);

#endif
