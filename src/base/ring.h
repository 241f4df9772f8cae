/* A ring: the indices of a first-in, first-out list in an array. The owner keeps the array, of
 * `capacity` items, and reads `count`; the functions below alone change `head` and `count`.
 *
 *     struct ring ring = {.capacity = 16};
 *     items[ring_push(&ring)] = last;
 *     first = items[ring_pop(&ring)];
 *
 * An index stays that of its item from the push to the pop. Capacities end below 2^31. */
#ifndef AETIUS_BASE_RING_H
#define AETIUS_BASE_RING_H

#include "base/invariant.h"

#include <stdint.h>

struct ring {
    uint32_t head, count, capacity; /* head: index of the front item */
};

/* Index of item number n from the front, n below the capacity. Behind the last item are the free
 * places, in the order in which ring_push() gives them. */
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

/* Index of a new last item. The ring must not be full. The check also finds a ring that was popped
 * when it was empty: its count is huge. (With invariants the pop is found.) */
static inline uint32_t
ring_push(struct ring *ring)
{
    BUG_ON(ring->count >= ring->capacity, "push to a ring that holds %u of %u items", ring->count,
           ring->capacity);
    return ring_at(ring, ring->count++);
}

/* Drops the front item. Returns its index; the item stays there until a push takes the place. The
 * ring must not be empty. */
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
