/* A set-associative cache with data, shared by ROPs, texture units and the Streamer. Lines are
 * filled in 64-byte transactions over the owner's memory port, in order of request, one transaction
 * per cycle. A line that is locked or being filled is never evicted. The owner writes lines back
 * (unit/rop/rop_cache.h).
 *
 * With a block reader, bytes of cleared and compressed blocks come from the reader
 * (unit/block_reader.h). */
#ifndef AETIUS_UNIT_CACHE_H
#define AETIUS_UNIT_CACHE_H

#include "base/ring.h"
#include "unit/block_reader.h"
#include "unit/items.h"
#include "unit/replacement.h"

struct cache_line {
    uint32_t address; /* of its first byte in memory */
    bool valid, dirty;
    uint16_t locks;
    uint16_t filling;        /* transactions still to arrive */
    struct cp_stamp arrival; /* of the last transaction */
};

struct cache_fill { /* a fill that waits for the memory port */
    uint32_t address, line;
    uint32_t sent; /* transactions requested so far */
};

struct cache_piece { /* part of a line that comes from a block */
    uint32_t line, offset, bytes, transactions;
    uint32_t slot, from; /* slot in the block reader; offset in the block */
};

enum { CACHE_MAX_PIECES = 64 };

struct cache {
    const struct module *owner;
    uint32_t sets, ways, line_bytes;
    struct cache_line *lines; /* sets x ways */
    struct replacement replacement;
    uint8_t *data;
    struct memory_port port;
    struct cache_fill *fills;
    struct ring fill_ring;
    uint32_t fills_under_way;    /* lines that are not yet complete */
    struct block_reader *reader; /* the owner's; NULL: memory holds all bytes uncompressed */
    struct cache_piece pieces[CACHE_MAX_PIECES]; /* pieces that wait for their blocks */
    uint32_t piece_count;
};

struct cache_shape {
    uint32_t lines, ways, line_bytes;
    uint32_t fill_limit; /* fills that may wait for the memory port */
    uint32_t policy;     /* enum replacement_policy */
};

void cache_init(struct cache *cache, const struct module *owner, const struct cache_shape *shape);
void cache_fini(struct cache *cache);
void cache_reset(struct cache *cache); /* invalidates all lines; none may be locked */

/* Index of the line that holds `address`, or -1. */
int32_t cache_find(const struct cache *cache, uint32_t address);
/* Reports a use of a line that was found. The access that allocates a line does not count. */
static inline void
cache_touch(struct cache *cache, uint32_t line)
{
    replacement_use(&cache->replacement, line);
}

/* The line to evict for `address`, neither locked nor being filled, or -1 if there is none. */
int32_t cache_victim(const struct cache *cache, uint32_t address);
/* Assigns the line to `address`, clean. Its former content is lost. */
void cache_replace(struct cache *cache, uint32_t line, uint32_t address);
/* Allocates a line for `address`, which must not be in the cache, and requests its bytes. Returns
 * the line, or -1 if every way is locked or being filled, or too many fills wait. On -1 nothing
 * changes. */
int32_t cache_allocate(struct cache *cache, uint32_t address);

/* A locked line is not evicted before it has been unlocked as often as it was locked. */
static inline void
cache_lock(struct cache *cache, uint32_t line)
{
    INVARIANT(cache->owner, cache->lines[line].locks < UINT16_MAX);
    cache->lines[line].locks++;
}
static inline void
cache_unlock(struct cache *cache, uint32_t line)
{
    INVARIANT(cache->owner, cache->lines[line].locks > 0);
    cache->lines[line].locks--;
}

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
/* No line is being filled: no fill waits for the port and no reply is in flight. */
bool cache_is_quiet(const struct cache *cache);

/* Runs one cycle of the memory side: takes every reply and sends one transaction. Returns whether
 * it did anything. */
bool cache_clock(struct cache *cache, uint64_t now);

#endif
