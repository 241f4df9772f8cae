#include "core/queue.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
queue_init(struct queue *queue, struct clock *clock, const char *name, int32_t index,
           struct module *sender, struct module *receiver, uint32_t item_bytes, uint32_t width,
           uint32_t depth, uint32_t latency)
{
    memset(queue, 0, sizeof *queue);
    BUG_ON(latency < 1 || width < 1 || depth < 1, "queue %s: depth, width, latency below 1", name);
    BUG_ON(clock->queue_count == CLOCK_MAX_QUEUES, "too many queues");
    if (index >= 0)
        snprintf(queue->name, sizeof queue->name, "%s[%d]", name, index);
    else
        snprintf(queue->name, sizeof queue->name, "%s", name);
    queue->clock = clock;
    queue->sender = sender;
    queue->receiver = receiver;
    queue->item_bytes = item_bytes;
    queue->width = width;
    queue->depth = depth;
    queue->latency = latency;
    queue->capacity = depth + (latency - 1) * width;
    uint32_t ring = 1;
    while (ring < queue->capacity)
        ring *= 2;
    queue->mask = ring - 1;
    queue->items =
        mem_array((size_t)ring + 1, item_bytes); /* + 1: scratch slot for a dropped item */
    queue->arrival = mem_array(ring, sizeof *queue->arrival);
    queue->cp_refs = mem_array(ring, sizeof *queue->cp_refs);
    queue->from = &sender->stage;
    queue->to = &receiver->stage;
    queue->hop_cause = CAUSE_transit;
    queue->push_cycle = queue->pop_cycle = CYCLE_NEVER;
    clock->queues[clock->queue_count++] = queue;
}

void
queue_reserve(struct queue *queue)
{
    queue->capacity = queue->depth;
}

void
queue_fini(struct queue *queue)
{
    free(queue->items);
    free(queue->arrival);
    free(queue->cp_refs);
    queue->items = NULL;
    queue->arrival = NULL;
    queue->cp_refs = NULL;
}

void
queue_reset(struct queue *queue)
{
    BUG_ON(queue->count, "queue %s is reset with %u items in it", queue->name, queue->count);
    queue->head = 0;
    queue->last_arrival = 0;
    queue->push_cycle = queue->pop_cycle = CYCLE_NEVER;
    queue->sender_waits = queue->slot_awaited = false;
}

bool
queue_sustains_width(const struct queue *queue)
{
    return queue->depth >= 2 * queue->width;
}

void
queue_settle(struct queue *queue, uint64_t now)
{
    const uint64_t cycles = now - queue->occupancy_since;
    /* Count only occupancy that lasted a whole cycle, so that the clocking order does not
     * matter. */
    if (cycles && queue->count > queue->peak)
        queue->peak = queue->count;
    queue->occupancy_sum += queue->count * cycles;
    if (queue->count)
        queue->held_cycles += cycles;
    if (queue->count == queue->capacity)
        queue->full_cycles += cycles;
    queue->occupancy_since = now;
}

void *
queue_push_later(struct queue *queue, uint64_t now, uint64_t extra)
{
    if (queue->push_cycle != now) {
        queue->push_cycle = now;
        queue->pushed = 0;
    }
    BUG_ON(queue->count >= queue->capacity || queue->pushed >= queue->width,
           "queue %s: push without room", queue->name);
    /* A slot freed in this cycle can be filled from the next cycle on. */
    INVARIANT(queue, queue->pop_cycle != now || queue->count + queue->popped < queue->capacity);
    bool swap = false;
    if (__builtin_expect(queue->fault != QUEUE_SOUND, 0) && queue->items_in >= queue->fault_at) {
        if (queue->fault == QUEUE_DROP) {
            queue->fault = QUEUE_SOUND;
            queue->pushed++;
            queue->items_in++;
            return queue->items + ((size_t)queue->mask + 1) * queue->item_bytes;
        }
        swap = queue->count > 0;
    }
    if (queue->occupancy_since != now)
        queue_settle(queue, now);
    uint32_t slot = (queue->head + queue->count) & queue->mask;
    uint64_t arrival = now + queue->latency + extra;
    if (arrival < queue->last_arrival)
        arrival = queue->last_arrival;
    queue->last_arrival = queue->arrival[slot] = arrival;
    if (queue->slot_awaited) {
        queue->slot_awaited = false;
        queue->from->cp_ref = path_step(
            &queue->sender->clock->path,
            queue->pop_cycle == now ? queue->freed_before : queue->freed, queue->from->cause, now);
    }
    queue->cp_refs[slot] = queue->from->cp_ref;
    queue->count++;
    queue->pushed++;
    queue->items_in++;
    module_wake_at(queue->receiver, arrival);
    if (swap) { /* Move the previous item back. The new item takes its slot. */
        uint32_t before = (slot - 1) & queue->mask;
        queue->fault = QUEUE_SOUND;
        memcpy(queue->items + (size_t)slot * queue->item_bytes,
               queue->items + (size_t)before * queue->item_bytes, queue->item_bytes);
        slot = before;
    }
    return queue->items + (size_t)slot * queue->item_bytes;
}

void
queue_note_arrival(struct queue *queue, uint64_t now)
{
    queue->noted = queue->items_out + 1;
    queue->to->cp_ref = path_add(&queue->receiver->clock->path, queue->cp_refs[queue->head],
                                 queue->latency, queue->hop_cause, queue->to->cause, now);
}

void
queue_pop(struct queue *queue, uint64_t now)
{
    if (queue->pop_cycle != now) {
        queue->pop_cycle = now;
        queue->popped = 0;
        queue->freed_before = queue->freed;
    }
    INVARIANT(queue, queue->count > 0);
    INVARIANT(queue, queue->arrival[queue->head] <= now);
    INVARIANT(queue, queue->popped < queue->width);
    if (queue->occupancy_since != now)
        queue_settle(queue, now);
    queue->popped++;
    queue->items_out++;
    queue->freed = queue->to->cp_ref;
    queue->head = (queue->head + 1) & queue->mask;
    queue->count--;
    if (queue->sender_waits) {
        queue->sender_waits = false;
        module_wake_at(queue->sender, now + 1);
    }
}
