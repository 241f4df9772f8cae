/* Finds vertices of a draw whose attributes equal those of an earlier vertex of the draw. */
#ifndef AETIUS_UNIT_REPEATS_H
#define AETIUS_UNIT_REPEATS_H

#include "base/mem.h"

#include <stdlib.h>

struct repeats { /* hashes of the vertices so far, in an open hash table */
    struct repeats_entry {
        uint64_t hash;
        uint64_t draw; /* number of the draw; other numbers: the entry is free */
    } * entries;
    uint32_t size, count; /* size: a power of two, or 0 */
    uint64_t draw;
};

static inline void
repeats_begin_draw(struct repeats *repeats)
{
    repeats->draw++;
    repeats->count = 0;
}

static inline void
repeats_fini(struct repeats *repeats)
{
    free(repeats->entries);
}

static inline struct repeats_entry *
repeats_find(const struct repeats *repeats, uint64_t hash)
{
    uint32_t at = (uint32_t)(hash >> 32);
    struct repeats_entry *entry;
    do
        entry = &repeats->entries[at++ & (repeats->size - 1)];
    while (entry->draw == repeats->draw && entry->hash != hash);
    return entry;
}

static inline void
repeats_grow(struct repeats *repeats)
{
    enum { LEAST = 1024 };
    const struct repeats old = *repeats;
    repeats->size = old.size ? 2 * old.size : LEAST;
    repeats->entries = mem_array(repeats->size, sizeof *repeats->entries);
    for (uint32_t i = 0; i < old.size; i++)
        if (old.entries[i].draw == old.draw)
            *repeats_find(repeats, old.entries[i].hash) = old.entries[i];
    free(old.entries);
}

/* Adds a vertex by the hash of its attributes. Returns whether an equal one was added before. */
static inline bool
repeats_add(struct repeats *repeats, uint64_t hash)
{
    if (2 * repeats->count >= repeats->size)
        repeats_grow(repeats);
    struct repeats_entry *entry = repeats_find(repeats, hash);
    if (entry->draw == repeats->draw)
        return true;
    *entry = (struct repeats_entry){hash, repeats->draw};
    repeats->count++;
    return false;
}

/* Adds `bytes` bytes, a multiple of 8, to a hash. */
static inline uint64_t
repeats_hash(uint64_t hash, const void *data, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i += 8) {
        uint64_t word;
        memcpy(&word, (const char *)data + i, sizeof word);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return hash;
}

#endif
