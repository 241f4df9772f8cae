/* Queues of a rig's machine, watched: in which cycles something was sent. */
#ifndef AETIUS_TESTS_WATCHED_H
#define AETIUS_TESTS_WATCHED_H

#include "rigs/rig.h"

enum { MAX_WATCHED = 8, MAX_SENT = 64 };

struct watched { /* a queue: the cycles in which something was sent */
    const struct queue *queue;
    uint64_t seen, cycles[MAX_SENT];
    uint32_t count;
    uint64_t seen_out, taken[MAX_SENT]; /* and the cycles in which the receiver took it */
    uint32_t taken_count;
};

struct watcher {
    struct watched queues[MAX_WATCHED];
    uint32_t count;
};

static inline void
observe(void *data, uint64_t now)
{
    struct watcher *watcher = ((struct rig *)data)->data;
    for (uint32_t i = 0; i < watcher->count; i++) {
        struct watched *w = &watcher->queues[i];
        for (; w->seen < w->queue->items_in; w->seen++)
            if (w->count < MAX_SENT)
                w->cycles[w->count++] = now;
        for (; w->seen_out < w->queue->items_out; w->seen_out++)
            if (w->taken_count < MAX_SENT)
                w->taken[w->taken_count++] = now;
    }
}

/* From now on. */
static inline const struct watched *
watch(struct rig *rig, const char *name)
{
    struct clock *clock = &rig_machine(rig)->clock;
    if (!rig->data)
        rig->data = calloc(1, sizeof(struct watcher));
    struct watcher *watcher = rig->data;
    for (uint32_t q = 0; q < clock->queue_count; q++) {
        if (strcmp(clock->queues[q]->name, name))
            continue;
        assert_true(watcher->count < MAX_WATCHED);
        struct watched *w = &watcher->queues[watcher->count++];
        w->queue = clock->queues[q];
        w->seen = w->queue->items_in;
        w->seen_out = w->queue->items_out;
        clock_unobserve(clock, rig);
        clock_observe(clock, (struct clock_observer){observe, rig, 0, UINT64_MAX});
        return w;
    }
    fail_msg("there is no queue %s", name);
    return NULL;
}

static inline void
assert_sent(const struct watched *w, uint32_t n, uint64_t cycle)
{
    assert_true(n < w->count);
    if (w->cycles[n] != cycle)
        fail_msg("%s: number %u is sent in cycle %llu, not %llu", w->queue->name, n,
                 (unsigned long long)w->cycles[n], (unsigned long long)cycle);
}

#endif
