/* A set-associative cache that holds data, not tags alone: the part that ROPs, texture units and
 * the streamer share. Lines are filled in 64-byte transactions over the owner's memory port, in the
 * order in which they were asked for, one transaction a cycle. A line that is locked or being
 * filled is never evicted. Writing back is the owner's affair (unit/rop/rop_cache.h).
 *
 * With a reader of blocks, what lies in a block that is cleared or compressed comes out of that
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
    uint16_t filling;        /* transactions still to come */
    struct cp_stamp arrival; /* the last of them */
};

struct cache_fill { /* what waits for the memory port */
    uint32_t address, line;
    uint32_t sent; /* transactions */
};

struct cache_piece { /* of a line, that comes out of a block */
    uint32_t line, offset, bytes, transactions;
    uint32_t slot, from; /* of the block's reader; in the block */
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
    uint32_t fills_under_way;    /* lines asked for that are not whole yet */
    struct block_reader *reader; /* the owner's; NULL: memory has all bytes as they are */
    struct cache_piece pieces[CACHE_MAX_PIECES]; /* that wait for their blocks */
    uint32_t piece_count;
};

struct cache_shape {
    uint32_t lines, ways, line_bytes;
    uint32_t fill_limit; /* that wait for the memory port */
    uint32_t policy;     /* enum replacement_policy */
};

void cache_init(struct cache *cache, const struct module *owner, const struct cache_shape *shape);
void cache_fini(struct cache *cache);
void cache_reset(struct cache *cache); /* all lines invalid; none may be locked */

/* Index of the line that holds `address`, or -1. */
int32_t cache_find(const struct cache *cache, uint32_t address);
/* A line that was found is used; not one that was allocated for it. */
static inline void
cache_touch(struct cache *cache, uint32_t line)
{
    replacement_use(&cache->replacement, line);
}

/* The line that gives way to `address`: neither locked nor being filled; -1: there is none. */
int32_t cache_victim(const struct cache *cache, uint32_t address);
/* The line is that of `address` from now on, clean, whatever it held before. */
void cache_replace(struct cache *cache, uint32_t line, uint32_t address);
/* Makes room for the line of `address`, which is not in the cache, and asks for it. Returns the
 * line, or -1 when every way is locked or filling, or too many fills wait; then nothing has
 * changed. */
int32_t cache_allocate(struct cache *cache, uint32_t address);

/* A locked line stays until it is unlocked as often. */
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
/* No line is being filled: none waits for the port, and no reply is on its way. */
bool cache_is_quiet(const struct cache *cache);

/* One cycle of the memory side: takes every reply, sends one transaction. Returns whether it did
 * anything. */
bool cache_clock(struct cache *cache, uint64_t now);

#endif
