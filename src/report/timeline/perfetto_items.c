#include "report/timeline/perfetto_items.h"

#include "base/log.h"
#include "report/timeline/perfetto.h"
#include "report/timeline/signal_item.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAMES = 24 }; /* kinds of items in signal_item() */

struct waiting { /* an item in a queue */
    struct signal_item item;
    uint64_t since; /* cycle in which it entered */
};

struct perfetto_items {
    struct packets *packets;
    struct simulation *sim;
    struct traffic traffic;
    struct packets_lanes lanes[CLOCK_MAX_QUEUES]; /* indexed like traffic.queues */
    uint64_t parent;                              /* track of all queues; 0: not described yet */
    VEC(struct waiting) waiting;                  /* their tags are indices plus 1 */
    VEC(uint64_t) free;                           /* unused tags */
    const char *names[MOST_NAMES];
    uint64_t name_numbers[MOST_NAMES];
    uint64_t first, shown;
    bool is_full;
};

static uint64_t
name_number(struct perfetto_items *items, const char *name)
{
    uint32_t i = 0;
    while (items->names[i] && strcmp(items->names[i], name) != 0)
        i++;
    BUG_ON(i + 1 == MOST_NAMES, "perfetto: %u kinds of items", i);
    if (!items->names[i]) {
        items->names[i] = name;
        items->name_numbers[i] = packets_name(items->packets, name);
    }
    return items->name_numbers[i];
}

/* ---- flows ---- */

static void
mix(uint64_t *hash, uint64_t value)
{
    for (uint32_t i = 0; i < 8; i++, value >>= 8)
        *hash = (*hash ^ (value & 0xff)) * 0x100000001b3; /* FNV-1a */
}

static void
mix_text(uint64_t *hash, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        mix(hash, (uint8_t)text[i]);
}

static bool
is(const struct signal_item *item, const char *name)
{
    return !strcmp(item->name, name);
}

/* The flow of an item is a hash of what identifies it. Each primitive becomes the triangle with the
 * same number. A memory transaction and its reply have the same client and address. Replies and
 * texels end the flow of their request, which may be repeated. Orders, updates, and markers such as
 * the end of a draw have no identity. */
static struct packets_flow
flow_of(const struct perfetto_items *items, const struct queue *queue,
        const struct signal_item *item)
{
    static const char *const kinds[] = {"vertex", "tile", "quad", "group", "texture"};
    static const char memory[] = "_memory_";
    struct packets_flow flow = {.id = 0xcbf29ce484222325};
    const char *kind = NULL, *client = strstr(queue->name, memory);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        kind = is(item, kinds[i]) ? kinds[i] : kind;
    if (is(item, "primitive") || is(item, "triangle"))
        kind = "triangle";
    if (client) {
        kind = "memory";
        mix_text(&flow.id, queue->name, (size_t)(client - queue->name));
        const char *instance = queue->name + strcspn(queue->name, "[");
        mix_text(&flow.id, instance, strlen(instance));
    }
    if (!kind)
        return (struct packets_flow){0};
    mix_text(&flow.id, kind, strlen(kind));
    const uint64_t fields[] = {items->sim->frame, item->draw, item->triangle,     item->vertex,
                               item->x,           item->y,    item->thread_group, item->address};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        mix(&flow.id, fields[i]);
    flow.ends = is(item, "reply") || !strncmp(queue->name, "texels", 6);
    return flow;
}

/* ---- queues ---- */

static uint64_t
on_sent(void *data, const struct traffic_queue *queue, const void *item, uint64_t now)
{
    struct perfetto_items *items = data;
    if (items->is_full)
        return 0;
    const struct waiting fresh = {signal_item(queue->kind, item), now};
    if (!items->free.count) {
        VEC_PUSH(&items->waiting, fresh);
        return items->waiting.count;
    }
    const uint64_t tag = items->free.items[--items->free.count];
    items->waiting.items[tag - 1] = fresh;
    return tag;
}

static void
show(struct perfetto_items *items, const struct traffic_queue *queue, const struct waiting *waiting,
     uint64_t now)
{
    const struct signal_item *item = &waiting->item;
    const struct packets_fact all[] = {
        {"draw", NULL, item->draw},
        {"triangle", NULL, item->triangle},
        {"vertex", NULL, item->vertex},
        {"x", NULL, item->x},
        {"y", NULL, item->y},
        {"thread_group", NULL, item->thread_group},
        {"address", NULL, item->address},
    };
    struct packets_fact facts[sizeof all / sizeof *all];
    uint32_t count = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].number != SIGNAL_UNKNOWN)
            facts[count++] = all[i];
    if (!items->parent)
        items->parent = packets_track(items->packets, 0, "items", NULL);
    struct packets_lanes *lanes = &items->lanes[queue - items->traffic.queues];
    lanes->name = queue->queue->name;
    lanes->parent = items->parent;
    const uint64_t name = name_number(items, item->name),
                   track = packets_lane(items->packets, lanes, waiting->since, now);
    items->packets->frame_start = items->sim->frame_start;
    packets_slice(items->packets, track, name, waiting->since, now, facts, count,
                  flow_of(items, queue->queue, item));
    items->shown++;
}

static void
on_taken(void *data, const struct traffic_queue *queue, uint64_t tag, uint64_t now)
{
    struct perfetto_items *items = data;
    const struct waiting *waiting = &items->waiting.items[tag - 1];
    VEC_PUSH(&items->free, tag);
    if (waiting->since < items->first || items->is_full)
        return;
    if (items->shown == PERFETTO_MOST_ITEMS) {
        items->is_full = true;
        log_warning("the timeline has %" PRIu64
                    " items, which is the maximum: those that leave a queue from cycle %" PRIu64
                    " are omitted",
                    items->shown, now);
        return;
    }
    show(items, queue, waiting, now);
}

struct perfetto_items *
perfetto_items_create(struct packets *packets, struct simulation *sim, uint64_t first,
                      uint64_t last)
{
    struct perfetto_items *items = mem_alloc(sizeof *items);
    items->packets = packets;
    items->sim = sim;
    items->first = first;
    traffic_begin(&items->traffic, sim->machine,
                  &(struct traffic_listener){items, on_sent, on_taken, NULL}, first, last);
    return items;
}

void
perfetto_items_destroy(struct perfetto_items *items)
{
    if (!items)
        return;
    traffic_end(&items->traffic);
    for (uint32_t i = 0; i < CLOCK_MAX_QUEUES; i++)
        VEC_FREE(&items->lanes[i].lanes);
    VEC_FREE(&items->waiting);
    VEC_FREE(&items->free);
    free(items);
}
