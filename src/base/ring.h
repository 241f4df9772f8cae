/* Indices of a FIFO ring in an array. The owner allocates the array of `capacity` items and may
 * read `count`. Only the functions below change `head` and `count`.
 *
 *     struct ring ring = {.capacity = 16};
 *     items[ring_push(&ring)] = last;
 *     first = items[ring_pop(&ring)];
 *
 * An item keeps its index from push to pop. The capacity must be below 2^31. */
#ifndef AETIUS_BASE_RING_H
#define AETIUS_BASE_RING_H

#include "base/invariant.h"

#include <stdint.h>

struct ring {
    uint32_t head, count, capacity; /* head: index of the front item */
};

/* Returns the array index of the item at position `n` from the front. `n` must be below the
 * capacity. Positions from `count` on are free entries, in the order in which ring_push() fills
 * them. */
static inline uint32_t
ring_at(const struct ring *ring, uint32_t n)
{
    const uint32_t index = ring->head + n;
    return index < ring->capacity ? index : index - ring->capacity;
}

static inline bool
ring_is_full(const struct ring *ring)
{
    return ring->count == ring->capacity;
}

/* Appends an item and returns its index. The ring must not be full. The check also catches an
 * earlier pop from an empty ring, which wraps `count` around. Builds with invariants catch that pop
 * itself. */
static inline uint32_t
ring_push(struct ring *ring)
{
    BUG_ON(ring->count >= ring->capacity, "push to a full ring (%u of %u items)", ring->count,
           ring->capacity);
    return ring_at(ring, ring->count++);
}

/* Removes the front item and returns its index. The item stays valid until a push reuses its index.
 * The ring must not be empty. */
static inline uint32_t
ring_pop(struct ring *ring)
{
    const uint32_t index = ring->head;
    BUG_ON(INVARIANTS && !ring->count, "pop from a ring that holds no item");
    ring->head = index + 1 == ring->capacity ? 0 : index + 1;
    ring->count--;
    return index;
}

static inline void
ring_clear(struct ring *ring)
{
    ring->head = ring->count = 0;
}

#endif
