#include "sim/traffic.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

const struct draw *
traffic_draw(enum traffic_kind kind, const void *item)
{
    switch (kind) {
    case TRAFFIC_DRAW: return ((const struct draw_item *)item)->draw;
    case TRAFFIC_VERTEX: return ((const struct vertex_item *)item)->draw;
    case TRAFFIC_PRIMITIVE: return ((const struct primitive_item *)item)->draw;
    case TRAFFIC_JOB: return ((const struct geometry_item *)item)->job->draw;
    case TRAFFIC_TRIANGLE: return ((const struct triangle_item *)item)->draw;
    case TRAFFIC_TILE: return ((const struct tile_item *)item)->draw;
    case TRAFFIC_QUAD: return ((const struct quad_item *)item)->draw;
    case TRAFFIC_GROUP: return ((const struct group_item *)item)->group->draw;
    case TRAFFIC_TEXTURE: return ((const struct texture_item *)item)->group->draw;
    case TRAFFIC_REQUEST:
    case TRAFFIC_REPLY:
    case TRAFFIC_ORDER:
    case TRAFFIC_DONE:
    case TRAFFIC_UPDATE: break;
    }
    return NULL;
}

static void
add_queues(struct traffic *traffic, const struct queue *queues, uint32_t count,
           enum traffic_kind kind)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct queue *queue = &queues[i];
        traffic->queues[traffic->count++] =
            (struct traffic_queue){.queue = queue,
                                   .kind = kind,
                                   .tags = mem_array((size_t)queue->mask + 1, sizeof(uint64_t))};
    }
}

static void
report_sent(struct traffic *traffic, struct traffic_queue *to, uint64_t now)
{
    const struct queue *queue = to->queue;
    const uint64_t behind = queue->items_in - to->sent; /* distance from the end of the queue */
    to->tags[to->sent++ & queue->mask] = traffic->listener.sent(
        traffic->listener.data, to, queue_item(queue, (uint32_t)(queue->count - behind)), now);
}

/* An item is still in its queue at the end of the cycle of its push, since latency is at least 1
 * cycle. */
static void
find_sent(struct traffic *traffic, struct traffic_queue *to, uint64_t now)
{
    while (to->sent < to->queue->items_in)
        report_sent(traffic, to, now);
}

/* Reports the items that were in the queue before this cycle. Items that left it in this cycle are
 * unknown. */
static void
find_held(struct traffic *traffic, struct traffic_queue *to, uint64_t now)
{
    const struct queue *queue = to->queue;
    const uint32_t pushed = queue->push_cycle == now ? queue->pushed : 0;
    to->sent = to->taken = queue->items_out;
    while (to->sent < queue->items_in - pushed)
        report_sent(traffic, to, now - 1);
}

static void
find_taken(struct traffic *traffic, struct traffic_queue *from, uint64_t now)
{
    while (from->taken < from->queue->items_out) {
        const uint64_t tag = from->tags[from->taken++ & from->queue->mask];
        if (tag)
            traffic->listener.taken(traffic->listener.data, from, tag, now);
    }
}

static void
on_cycle(void *data, uint64_t now)
{
    struct traffic *traffic = data;
    for (uint32_t i = 0; i < traffic->count && !traffic->is_started; i++)
        find_held(traffic, &traffic->queues[i], now);
    traffic->is_started = true;
    for (uint32_t i = 0; i < traffic->count; i++) {
        struct traffic_queue *queue = &traffic->queues[i];
        find_taken(traffic, queue, now);
        find_sent(traffic, queue, now);
    }
    if (traffic->listener.cycle)
        traffic->listener.cycle(traffic->listener.data, now);
}

#define KIND_OF(item)                                                                              \
    _Generic((item *)NULL, struct draw_item *                                                      \
             : TRAFFIC_DRAW, struct vertex_item *                                                  \
             : TRAFFIC_VERTEX, struct primitive_item *                                             \
             : TRAFFIC_PRIMITIVE, struct geometry_item *                                           \
             : TRAFFIC_JOB, struct triangle_item *                                                 \
             : TRAFFIC_TRIANGLE, struct tile_item *                                                \
             : TRAFFIC_TILE, struct quad_item *                                                    \
             : TRAFFIC_QUAD, struct group_item *                                                   \
             : TRAFFIC_GROUP, struct texture_item *                                                \
             : TRAFFIC_TEXTURE, struct control_item *                                              \
             : TRAFFIC_ORDER, struct blit_item *                                                   \
             : TRAFFIC_ORDER, struct done_item *                                                   \
             : TRAFFIC_DONE, default                                                               \
             : TRAFFIC_UPDATE)

void
traffic_begin(struct traffic *traffic, struct machine *machine,
              const struct traffic_listener *listener, uint64_t first, uint64_t last)
{
    struct machine *m = machine;
    *traffic = (struct traffic){.clock = &m->clock, .listener = *listener};
#define QUEUE_11(name, action, item, sender, out, receiver, in, width, depth, latency)             \
    add_queues(traffic, m->name##_queue, m->name##_queue_count, KIND_OF(item));
#define MEMORY(name, unit, port, client, traffic_of, width, who)                                   \
    add_queues(traffic, m->name##_requests, m->name##_count, TRAFFIC_REQUEST);                     \
    add_queues(traffic, m->name##_replies, m->name##_count, TRAFFIC_REPLY);
#include "machine.def"
    clock_observe(traffic->clock, (struct clock_observer){on_cycle, traffic, first, last});
}

void
traffic_end(struct traffic *traffic)
{
    clock_unobserve(traffic->clock, traffic);
    for (uint32_t i = 0; i < traffic->count; i++)
        free(traffic->queues[i].tags);
    traffic->count = 0;
}
