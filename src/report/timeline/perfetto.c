#include "report/timeline/perfetto.h"

#include "report/draw/describe_draw.h"
#include "report/timeline/perfetto_items.h"
#include "report/timeline/perfetto_packets.h"
#include "sim/traffic.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A draw in flight: first and last cycle of work in each unit. */
struct touched {
    uint64_t first, last; /* in cycles; CYCLE_NEVER: no work */
};
struct open_draw {
    const struct draw *draw;
    struct touched *units; /* indexed by module slot */
};

/* Draws overlap in a unit, so a unit has one lane per simultaneous draw. */
struct unit_tracks {
    const struct module *module;
    struct packets_lanes lanes;
};

/* For a queue, the counter is its average occupancy in percent; for a stage of a module, it is the
 * percentage of cycles in which the stage is busy. Other counters are increments of a sum of
 * statistics. */
struct counter {
    char *name;
    const char *unit;
    uint64_t parent, track; /* track 0: no value shown yet */
    const struct queue *queue;
    const struct module_part *part;
    VEC(const uint64_t *) parts;
    uint64_t before, shown;
};

struct perfetto {
    struct packets packets;
    struct simulation *sim;
    struct simulation_listener inner; /* the previous listener, called after this one */
    struct traffic traffic;
    uint64_t frames, work_track; /* track numbers */
    uint64_t work_ended;         /* in cycles */
    struct unit_tracks *units;
    VEC(struct open_draw) open;
    VEC(struct counter) counters;
    uint64_t counted;             /* cycle of the last update of the counters */
    struct perfetto_items *items; /* or NULL */
};

/* ---- units ---- */

static struct open_draw *
open_draw(struct perfetto *p, const struct draw *draw)
{
    for (size_t i = p->open.count; i-- > 0;)
        if (p->open.items[i].draw == draw)
            return &p->open.items[i];
    const uint32_t units = p->sim->machine->clock.module_count;
    const struct open_draw fresh = {draw, mem_array(units, sizeof(struct touched))};
    for (uint32_t i = 0; i < units; i++)
        fresh.units[i].first = CYCLE_NEVER;
    VEC_PUSH(&p->open, fresh);
    return &p->open.items[p->open.count - 1];
}

static void
touch(struct perfetto *p, const struct module *module, const struct draw *draw, uint64_t now)
{
    struct touched *touched = &open_draw(p, draw)->units[module->slot];
    if (touched->first == CYCLE_NEVER)
        touched->first = now;
    touched->last = now;
}

static uint64_t
on_sent(void *data, const struct traffic_queue *queue, const void *item, uint64_t now)
{
    const struct draw *draw = traffic_draw(queue->kind, item);
    if (draw)
        touch(data, queue->queue->sender, draw, now);
    return (uintptr_t)draw;
}

static void
on_taken(void *data, const struct traffic_queue *queue, uint64_t tag, uint64_t now)
{
    touch(data, queue->queue->receiver, (const struct draw *)(uintptr_t)tag, now);
}

/* Writes the slices of the units' work for a draw, and removes the draw from `open`. */
static void
close_draw(struct perfetto *p, const struct draw *draw, uint64_t name)
{
    const uint32_t units = p->sim->machine->clock.module_count;
    size_t at = 0;
    while (at < p->open.count && p->open.items[at].draw != draw)
        at++;
    if (at == p->open.count)
        return;
    const struct open_draw closed = p->open.items[at];
    for (uint32_t i = units; i-- > 0;) {
        const struct touched *touched = &closed.units[p->units[i].module->slot];
        if (touched->first == CYCLE_NEVER)
            continue;
        const uint64_t to = touched->last + 1;
        const uint64_t track = packets_lane(&p->packets, &p->units[i].lanes, touched->first, to);
        packets_slice(&p->packets, track, name, touched->first, to, NULL, 0,
                      (struct packets_flow){0});
    }
    free(closed.units);
    p->open.items[at] = p->open.items[--p->open.count];
}

/* ---- counters ---- */

static struct counter *
add_counter(struct perfetto *p, uint64_t parent, char *name, const char *unit)
{
    const struct counter fresh = {.name = name, .unit = unit, .parent = parent};
    VEC_PUSH(&p->counters, fresh);
    return &p->counters.items[p->counters.count - 1];
}

/* Finds or adds the counter with this name. Takes ownership of `name`. */
static struct counter *
counter_of(struct perfetto *p, uint64_t parent, char *name, const char *unit)
{
    for (size_t i = 0; i < p->counters.count; i++)
        if (p->counters.items[i].parent == parent && !strcmp(p->counters.items[i].name, name)) {
            free(name);
            return &p->counters.items[i];
        }
    return add_counter(p, parent, name, unit);
}

static bool
ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), ending = strlen(end);
    return length >= ending && !strcmp(text + length - ending, end);
}

/* Adds cache counters per kind of unit, and bytes per client. */
static void
add_statistics(struct perfetto *p, uint64_t caches, uint64_t memory)
{
    const struct stat_set *set = &p->sim->machine->stats;
    for (uint32_t i = 0; i < set->count; i++) {
        const char *name = set->entries[i].name, *dot = strchr(name, '.');
        const int unit = (int)strcspn(name, "[.");
        struct counter *to = NULL;
        if (ends_with(name, ".cache_hits") || ends_with(name, ".cache_misses"))
            to = counter_of(p, caches, mem_printf("%.*s %s", unit, name, dot + 7), "accesses");
        else if (!strncmp(name, "memctl.", 7) && ends_with(name, "_bytes_read"))
            to =
                counter_of(p, memory, mem_printf("%.*s", (int)strlen(name) - 18, dot + 1), "bytes");
        else if (!strncmp(name, "memctl.", 7) && ends_with(name, "_bytes_written"))
            to =
                counter_of(p, memory, mem_printf("%.*s", (int)strlen(name) - 21, dot + 1), "bytes");
        if (to)
            VEC_PUSH(&to->parts, set->entries[i].value);
    }
}

/* Sum of the queue's items over all cycles before `now`. */
static uint64_t
occupancy(const struct queue *queue, uint64_t now)
{
    return queue->occupancy_sum + queue->count * (now - queue->occupancy_since);
}

static uint64_t
count(const struct counter *counter, uint64_t now)
{
    if (counter->queue)
        return occupancy(counter->queue, now);
    if (counter->part)
        return counter->part->cycles[UNIT_BUSY];
    uint64_t sum = 0;
    for (size_t i = 0; i < counter->parts.count; i++)
        sum += *counter->parts.items[i];
    return sum;
}

static void
show(struct perfetto *p, struct counter *counter, uint64_t cycle, uint64_t value)
{
    if (value == counter->shown)
        return;
    if (!counter->track)
        counter->track = packets_track(&p->packets, counter->parent, counter->name, counter->unit);
    packets_counter(&p->packets, counter->track, cycle, value);
    counter->shown = value;
}

/* Writes the counts since the last update. Their timestamp is the time of that update, because in
 * Perfetto a value applies to the interval after its timestamp. */
static void
count_all(struct perfetto *p, uint64_t now)
{
    if (now == p->counted)
        return;
    for (uint32_t i = 0; i < p->sim->machine->clock.module_count; i++)
        module_view(p->sim->machine->clock.modules[i], now);
    for (size_t i = 0; i < p->counters.count; i++) {
        struct counter *counter = &p->counters.items[i];
        const uint64_t sum = count(counter, now), grown = sum - counter->before;
        const uint64_t full = (now - p->counted) * (counter->queue  ? counter->queue->capacity
                                                    : counter->part ? 1
                                                                    : 0);
        show(p, counter, p->counted, full ? (100 * grown + full / 2) / full : grown);
        counter->before = sum;
    }
    p->counted = now;
}

static void
on_cycle(void *data, uint64_t now)
{
    struct perfetto *p = data;
    if (now - p->counted >= PERFETTO_INTERVAL)
        count_all(p, now);
}

/* ---- frames and work ---- */

static uint64_t
name_of(struct perfetto *p, const struct work *row)
{
    const char *label = row->baked ? row->baked->names->label : "";
    char *shown = mem_printable(label);
    char *name = row->kind == WORK_DRAW
                     ? mem_printf("draw %u%s%s", row->draw, *label ? " " : "", shown)
                     : mem_strdup(work_kind_names[row->kind]);
    const uint64_t number = packets_name(&p->packets, name);
    free(name);
    free(shown);
    return number;
}

enum { MOST_FACTS = 12 };

/* Splits a table row into its columns, in place. Omits empty columns. */
static uint32_t
split_facts(char *names, char *values, struct packets_fact facts[MOST_FACTS])
{
    uint32_t n = 0;
    while (names && values && n < MOST_FACTS) {
        facts[n].name = strsep(&names, ",");
        facts[n].value = strsep(&values, ",");
        n += *facts[n].value != '\0';
    }
    return n;
}

static void
on_work(void *data, uint32_t frame, const struct work *row)
{
    struct perfetto *p = data;
    const uint64_t now = p->sim->machine->clock.now, name = name_of(p, row);
    char *names = mem_strdup(DRAW_FACTS), *values = describe_facts(row);
    char *shown = mem_printable(values);
    struct packets_fact facts[MOST_FACTS];
    p->packets.frame_start = p->sim->frame_start;
    if (p->work_ended < p->sim->frame_start)
        p->work_ended = p->sim->frame_start;
    packets_slice(&p->packets, p->work_track, name, p->work_ended, now, facts,
                  split_facts(names, shown, facts), (struct packets_flow){0});
    p->work_ended = now;
    if (row->baked)
        close_draw(p, row->baked, name);
    free(shown);
    free(values);
    free(names);
    if (p->inner.work)
        p->inner.work(p->inner.data, frame, row);
}

static bool
on_frame(void *data, const struct simulation_frame *frame, struct error *err)
{
    struct perfetto *p = data;
    if (frame->timed) {
        const uint64_t now = p->sim->machine->clock.now;
        char name[32];
        snprintf(name, sizeof name, "frame %" PRIu32, frame->number);
        p->packets.frame_start = p->sim->frame_start;
        packets_slice(&p->packets, p->frames, packets_name(&p->packets, name), p->sim->frame_start,
                      now, NULL, 0, (struct packets_flow){0});
        count_all(p, now);
    }
    return !p->inner.frame || p->inner.frame(p->inner.data, frame, err);
}

static void
on_interval(void *data, uint32_t frame, uint64_t cycle)
{
    struct perfetto *p = data;
    if (p->inner.interval)
        p->inner.interval(p->inner.data, frame, cycle);
}

static bool
has_parts(const struct clock *clock)
{
    bool has = false;
    for (uint32_t i = 0; i < clock->module_count; i++)
        has |= clock->modules[i]->part_count > 0;
    return has;
}

struct perfetto *
perfetto_create(const char *path, struct simulation *sim, struct error *err)
{
    struct clock *clock = &sim->machine->clock;
    struct perfetto *p = mem_alloc(sizeof *p);
    if (!packets_open(&p->packets, path, sim->machine->params.GPU.ClockMHz, err)) {
        free(p);
        return NULL;
    }
    p->sim = sim;
    p->frames = packets_track(&p->packets, 0, "frames", NULL);
    p->work_track = packets_track(&p->packets, 0, "work", NULL);
    p->units = mem_array(clock->module_count, sizeof *p->units);
    for (uint32_t i = 0; i < clock->module_count; i++)
        p->units[i] = (struct unit_tracks){clock->modules[i], {.name = clock->modules[i]->name}};
    /* Modules are stored in reverse pipeline order. */
    for (uint32_t i = clock->module_count; i-- > 0;)
        packets_lane(&p->packets, &p->units[i].lanes, 0, 0);
    const uint64_t memory = packets_track(&p->packets, 0, "memory", NULL);
    const uint64_t caches = packets_track(&p->packets, 0, "caches", NULL);
    const uint64_t queues = packets_track(&p->packets, 0, "queues", NULL);
    const uint64_t levels = has_parts(clock) ? packets_track(&p->packets, 0, "levels", NULL) : 0;
    add_statistics(p, caches, memory);
    for (uint32_t i = 0; i < clock->queue_count; i++)
        add_counter(p, queues, mem_strdup(clock->queues[i]->name), "%")->queue = clock->queues[i];
    for (uint32_t i = 0; i < clock->module_count; i++)
        for (uint32_t part = 0; part < clock->modules[i]->part_count; part++) {
            const struct module_part *shown = &clock->modules[i]->parts[part];
            add_counter(p, levels, mem_strdup(shown->name), "%")->part = shown;
        }
    p->counted = clock->now;
    p->inner = sim->listener;
    sim->listener = (struct simulation_listener){p, on_frame, on_work, on_interval};
    traffic_begin(&p->traffic, sim->machine,
                  &(struct traffic_listener){p, on_sent, on_taken, on_cycle}, 0, UINT64_MAX);
    return p;
}

void
perfetto_show_items(struct perfetto *p, uint64_t first, uint64_t last)
{
    p->items = perfetto_items_create(&p->packets, p->sim, first, last);
}

/* Writes the slices of draws that an interrupted run did not end. */
static void
close_open(struct perfetto *p)
{
    const uint64_t name = p->open.count ? packets_name(&p->packets, "draw (not ended)") : 0;
    while (p->open.count)
        close_draw(p, p->open.items[0].draw, name);
}

bool
perfetto_destroy(struct perfetto *p, struct error *err)
{
    if (!p)
        return true;
    const struct clock *clock = &p->sim->machine->clock;
    traffic_end(&p->traffic);
    perfetto_items_destroy(p->items);
    p->sim->listener = p->inner;
    close_open(p);
    count_all(p, clock->now);
    for (size_t i = 0; i < p->counters.count; i++) {
        show(p, &p->counters.items[i], clock->now, 0);
        free(p->counters.items[i].name);
        VEC_FREE(&p->counters.items[i].parts);
    }
    for (uint32_t i = 0; i < clock->module_count; i++)
        VEC_FREE(&p->units[i].lanes.lanes);
    const bool ok = packets_close(&p->packets, err);
    VEC_FREE(&p->counters);
    VEC_FREE(&p->open);
    free(p->units);
    free(p);
    return ok;
}
