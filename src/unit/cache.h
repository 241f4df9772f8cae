/* A set-associative cache with data, used by ROPs, texture units and the Streamer. Lines are filled
 * in 64-byte transactions through the owner's memory port. Fills are served in order of request,
 * one transaction per cycle. A line that is locked or being filled is never evicted. The owner must
 * write back dirty lines (unit/rop/rop_cache.h).
 *
 * If the cache has a block reader, that reader supplies the bytes of cleared and compressed blocks
 * (unit/block_reader.h). */
#ifndef AETIUS_UNIT_CACHE_H
#define AETIUS_UNIT_CACHE_H

#include "base/ring.h"
#include "unit/block_reader.h"
#include "unit/items.h"
#include "unit/replacement.h"

struct cache_line {
    uint32_t address; /* address of the first byte in memory */
    bool valid, dirty;
    uint16_t locks;
    uint16_t filling;        /* number of transactions that have not arrived */
    struct cp_stamp arrival; /* arrival of the last transaction */
};

struct cache_fill { /* a fill that waits for the memory port */
    uint32_t address, line;
    uint32_t sent; /* number of transactions requested so far */
};

struct cache_piece { /* the bytes of a line that come from one block */
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
    uint32_t fills_under_way; /* number of lines that are being filled */
    /* the owner's block reader; NULL: memory holds all bytes uncompressed */
    struct block_reader *reader;
    struct cache_piece pieces[CACHE_MAX_PIECES]; /* pieces that wait for their blocks */
    uint32_t piece_count;
};

struct cache_shape {
    uint32_t lines, ways, line_bytes;
    uint32_t fill_limit; /* maximum number of fills that wait for the memory port */
    uint32_t policy;     /* enum replacement_policy */
};

void cache_init(struct cache *cache, const struct module *owner, const struct cache_shape *shape);
void cache_fini(struct cache *cache);
void cache_reset(struct cache *cache); /* Invalidates all lines. No line may be locked. */

/* Index of the line that holds `address`, or -1. */
int32_t cache_find(const struct cache *cache, uint32_t address);
/* Reports a use of a line that was found. The access that allocates a line is not a use. */
static inline void
cache_touch(struct cache *cache, uint32_t line)
{
    replacement_use(&cache->replacement, line);
}

/* Returns the line to evict for `address`, which is neither locked nor being filled. Returns -1 if
 * there is no such line. */
int32_t cache_victim(const struct cache *cache, uint32_t address);
/* Assigns the line to `address` and marks it clean. The former content is lost. */
void cache_replace(struct cache *cache, uint32_t line, uint32_t address);
/* Allocates a line for `address`, which must not be in the cache, and requests its bytes. Returns
 * the line. Returns -1 and changes nothing if every way is locked or being filled, or if too many
 * fills wait. */
int32_t cache_allocate(struct cache *cache, uint32_t address);

/* Locks are counted. A line can be evicted only when all its locks have been released. */
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
/* Whether no line is being filled: no fill waits for the port and no reply is in flight. */
bool cache_is_quiet(const struct cache *cache);

/* Runs one cycle of the memory side: takes all replies and sends at most one transaction. Returns
 * whether it did any work. */
bool cache_clock(struct cache *cache, uint64_t now);

#endif
