/* Bounded queue between two modules. Rules and properties: docs/design/machine.md, Modules and
 * queues. Items are plain bytes and are copied by value.
 *
 * Units: width in items per cycle, depth in items, latency in cycles, each at least 1.
 * Ownership: the caller owns the queue. queue_init() allocates room for the items, queue_fini()
 * frees it. The clock keeps a pointer to the queue until clock_fini(). Errors: a push without room
 * and a reset of a queue that is not empty are BUGs. */
#ifndef AETIUS_CORE_QUEUE_H
#define AETIUS_CORE_QUEUE_H

#include "core/clock.h"

#include <stddef.h>

enum queue_fault { QUEUE_SOUND, QUEUE_DROP, QUEUE_SWAP };

struct queue {
    char name[40];
    struct module *sender, *receiver;
    uint32_t item_bytes, width, depth, latency;
    uint32_t capacity, mask; /* capacity = depth + wire; mask = ring size - 1 */
    uint32_t head, count;
    uint8_t *items;
    uint64_t *arrival; /* per item: first cycle in which the receiver sees it */
    uint64_t last_arrival;
    uint64_t push_cycle, pop_cycle; /* cycle of the last push and pop */
    uint32_t pushed, popped;        /* items pushed and popped in those cycles */
    bool sender_waits;              /* a push was refused: wake the sender on the next pop */
    /* Critical path: cp_ref of each item, of the last freed slot, and of the last slot freed before
     * this cycle. */
    cp_ref *cp_refs, freed, freed_before;
    bool slot_awaited; /* the sender was refused because no slot was free */
    /* Number of the front item that the receiver waited for and whose arrival it has already
     * recorded. */
    uint64_t noted;
    struct cp_stage *from, *to;
    enum path_cause hop_cause; /* cause of the queue's latency, if the receiver waits for it */
    /* statistics */
    uint64_t items_in, items_out;
    uint64_t occupancy_sum, occupancy_since; /* sum over cycles of items held */
    uint64_t held_cycles, full_cycles;
    uint64_t peak; /* most items held at once since clock_begin_peaks() */
    /* Fault injection. QUEUE_DROP loses item number `fault_at`. QUEUE_SWAP exchanges it with the
     * item before it. If the queue is empty at that push, the first later item that finds a
     * predecessor in the queue is swapped. */
    enum queue_fault fault;
    uint64_t fault_at;
    const struct clock *clock;
};

void queue_init(struct queue *queue, struct clock *clock, const char *name, int32_t index,
                struct module *sender, struct module *receiver, uint32_t item_bytes, uint32_t width,
                uint32_t depth, uint32_t latency);
/* Assigns each item its slot in the receiver at the push, so that the wire holds no additional
 * items. */
void queue_reserve(struct queue *queue);
void queue_fini(struct queue *queue);
/* Clears state that must not leak from one frame into the next. The queue must be empty. */
void queue_reset(struct queue *queue);
void queue_settle(struct queue *queue, uint64_t now); /* brings the cycle counts up to `now` */
bool queue_sustains_width(const struct queue *queue);

/* Returns the number of items that may be pushed in this cycle. A result of 0 counts as a refusal:
 * the queue then wakes the sender when a slot is free. */
static inline uint32_t
queue_space(struct queue *queue, uint64_t now)
{
    uint32_t popped = queue->pop_cycle == now ? queue->popped : 0;
    uint32_t pushed = queue->push_cycle == now ? queue->pushed : 0;
    uint32_t slots = queue->capacity - (queue->count + popped);
    uint32_t rate = queue->width - pushed;
    uint32_t space = slots < rate ? slots : rate;
    if (space == 0) {
        queue->slot_awaited |= slots == 0;
        if (slots == 0 && popped == 0)
            queue->sender_waits = true;
        else
            module_wake_at(queue->sender, now + 1);
        queue->sender->refused = queue;
    }
    return space;
}

/* Returns the slot to fill. The caller must have checked queue_space(). `extra` is added to the
 * latency, in cycles. */
void *queue_push_later(struct queue *queue, uint64_t now, uint64_t extra);
static inline void *
queue_push(struct queue *queue, uint64_t now)
{
    return queue_push_later(queue, now, 0);
}

/* Records that the receiver waited for the front item: its stage now continues the item's chain. */
void queue_note_arrival(struct queue *queue, uint64_t now);

/* Returns the front item if it has arrived and this cycle's width is not used up, else NULL. */
static inline void *
queue_front(struct queue *queue, uint64_t now)
{
    if (queue->count == 0)
        return NULL;
    if (queue->arrival[queue->head] > now) {
        module_wake_at(queue->receiver, queue->arrival[queue->head]);
        return NULL;
    }
    if (queue->pop_cycle == now && queue->popped >= queue->width) {
        module_wake_at(queue->receiver, now + 1);
        return NULL;
    }
    if (queue->arrival[queue->head] == now && queue->noted != queue->items_out + 1)
        queue_note_arrival(queue, now);
    return queue->items + (size_t)queue->head * queue->item_bytes;
}
/* Removes the front item, which queue_front() must have returned in this cycle. */
void queue_pop(struct queue *queue, uint64_t now);

/* Returns the chain and the arrival cycle of the front item, which queue_front() must have
 * returned. */
static inline struct cp_stamp
queue_mark(const struct queue *queue)
{
    return (struct cp_stamp){queue->cp_refs[queue->head], queue->arrival[queue->head]};
}

/* Returns item `n` from the front, whether or not it has arrived. For observers. */
static inline const void *
queue_item(const struct queue *queue, uint32_t n)
{
    return queue->items + (size_t)((queue->head + n) & queue->mask) * queue->item_bytes;
}

static inline bool
queue_is_empty(const struct queue *queue)
{
    return queue->count == 0;
}

#endif
