/* Samples the counts of queues each cycle. */
#include "rigs/watched.h"

static void
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

const struct watched *
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

void
assert_sent(const struct watched *w, uint32_t n, uint64_t cycle)
{
    assert_true(n < w->count);
    if (w->cycles[n] != cycle)
        fail_msg("%s: number %u is sent in cycle %llu, not %llu", w->queue->name, n,
                 (unsigned long long)w->cycles[n], (unsigned long long)cycle);
}
