#include "report/draw/primitive_trace.h"

#include <stdlib.h>
#include <string.h>

/* Sort key of a hop, with all compared values, because qsort() cannot pass the hops to its
 * callback. */
struct hop_key {
    enum follow_kind kind;
    uint32_t thing, hop;
};

static int
compare_hops(const void *a, const void *b)
{
    const struct hop_key *p = a, *q = b;
    if (p->kind != q->kind)
        return p->kind < q->kind ? -1 : 1;
    if (p->thing != q->thing)
        return p->thing < q->thing ? -1 : 1;
    return p->hop < q->hop ? -1 : p->hop > q->hop;
}

static void
sort_hops(struct primitive_trace *trace)
{
    const size_t count = trace->follow->hops.count;
    struct hop_key *keys = mem_array(count + 1, sizeof *keys);
    trace->order = mem_array(count + 1, sizeof *trace->order);
    for (size_t i = 0; i < count; i++) {
        const struct follow_hop *hop = &trace->follow->hops.items[i];
        keys[i] = (struct hop_key){hop->kind, hop->thing, (uint32_t)i};
    }
    qsort(keys, count, sizeof *keys, compare_hops);
    for (size_t i = 0; i < count; i++)
        trace->order[i] = keys[i].hop;
    free(keys);
}

static uint64_t
later(uint64_t a, uint64_t b)
{
    return a == CYCLE_NEVER || (b != CYCLE_NEVER && b > a) ? b : a;
}

/* Cycle in which the last item derived from this one was sent; CYCLE_NEVER: no item was sent. */
static uint64_t
became(const struct follow *follow, enum follow_kind kind, uint32_t thing)
{
    uint64_t last = CYCLE_NEVER;
    for (size_t i = 0; i < follow->hops.count; i++) {
        const struct follow_hop *hop = &follow->hops.items[i];
        if ((kind == FOLLOW_VERTEX && hop->kind == FOLLOW_INPUT && hop->thing == follow->source) ||
            (kind == FOLLOW_VERTEX && hop->kind == FOLLOW_PRIMITIVE) ||
            (kind == FOLLOW_INPUT && hop->kind == FOLLOW_PRIMITIVE) ||
            (kind == FOLLOW_TRIANGLE && hop->kind == FOLLOW_TILE &&
             follow->tiles.items[hop->thing].triangle == thing))
            last = kind != FOLLOW_TRIANGLE && last != CYCLE_NEVER ? last : hop->sent;
        if (kind == FOLLOW_PRIMITIVE && hop->kind == FOLLOW_TRIANGLE)
            last = hop->sent;
    }
    return last;
}

/* Whether the hop belongs to the triangle. The draw's other vertices and their reads do not. */
static bool
is_kept(const struct follow *follow, const struct follow_hop *hop)
{
    if (hop->kind == FOLLOW_READ)
        return follow->reads.items[hop->thing].is_of_corner;
    if (hop->kind == FOLLOW_INPUT)
        return hop->thing == follow->source;
    if (hop->kind == FOLLOW_STORE || hop->kind == FOLLOW_LOAD)
        return follow->emissions.items[hop->thing].input == follow->source;
    bool corner = hop->kind != FOLLOW_VERTEX;
    for (uint32_t i = 0; i < follow->vertex_count; i++)
        corner |= follow->corners[i] == hop->thing;
    return corner && hop->kind != FOLLOW_OTHER_USE;
}

/* Cycle in which the last unit on the item's path released it. */
static uint64_t
end_of(const struct follow *follow, const struct follow_hop *hop)
{
    switch (hop->kind) {
    case FOLLOW_QUAD: return follow->watch->courses.items[hop->thing].retired;
    case FOLLOW_VERTEX:
    case FOLLOW_INPUT:
    case FOLLOW_PRIMITIVE:
    case FOLLOW_TRIANGLE: {
        const uint64_t last = became(follow, hop->kind, hop->thing);
        return last == CYCLE_NEVER || !is_kept(follow, hop) ? hop->taken : last;
    }
    default: return hop->taken;
    }
}

/* HZ processes tiles in order, so all quads of a tile precede those of the next tile. */
static void
find_ends_of_tiles(struct primitive_trace *trace)
{
    const struct follow *follow = trace->follow;
    size_t quad = 0;
    for (size_t i = 0; i < follow->hops.count; i++) {
        const struct follow_hop *hop = &follow->hops.items[i];
        if (hop->kind != FOLLOW_TILE)
            continue;
        const struct follow_tile *tile = &follow->tiles.items[hop->thing];
        for (; quad < follow->watch->courses.count; quad++) {
            const struct watched_course *course = &follow->watch->courses.items[quad];
            if ((course->x & ~7) != (tile->x & ~7) || (course->y & ~7) != (tile->y & ~7))
                break;
            trace->left[i] = later(trace->left[i], course->generated);
        }
    }
}

static bool
is_answer(const struct follow *follow, const struct follow_hop *hop)
{
    const struct machine *m = follow->sim->machine;
    return hop->queue >= m->texels_queue && hop->queue < m->texels_queue + m->texels_queue_count;
}

/* Texel requests of a quad are answered in order. */
static void
find_answers(struct primitive_trace *trace, size_t first, size_t end)
{
    const struct follow *follow = trace->follow;
    size_t answer = first;
    for (size_t i = first; i < end; i++) {
        if (is_answer(follow, &follow->hops.items[trace->order[i]]))
            continue;
        while (answer < end && !is_answer(follow, &follow->hops.items[trace->order[answer]]))
            answer++;
        if (answer == end)
            break;
        trace->left[trace->order[i]] = follow->hops.items[trace->order[answer++]].sent;
    }
}

static void
find_ends(struct primitive_trace *trace)
{
    const struct follow *follow = trace->follow;
    const size_t count = follow->hops.count;
    trace->left = mem_array(count + 1, sizeof *trace->left);
    for (size_t i = 0, first = 0; i < count; i++) {
        const struct follow_hop *hop = &follow->hops.items[trace->order[i]];
        const struct follow_hop *next =
            i + 1 < count ? &follow->hops.items[trace->order[i + 1]] : NULL;
        const bool same = next && next->kind == hop->kind && next->thing == hop->thing;
        trace->left[trace->order[i]] =
            same && hop->kind != FOLLOW_REQUEST ? next->sent : end_of(follow, hop);
        if (same)
            continue;
        if (hop->kind == FOLLOW_REQUEST)
            find_answers(trace, first, i + 1);
        first = i + 1;
    }
    find_ends_of_tiles(trace);
}

static bool
is_same_family(const char *a, const char *b)
{
    const size_t length = strcspn(a, "[");
    return length == strcspn(b, "[") && !strncmp(a, b, length);
}

static struct primitive_trace_stage *
stage_of(struct primitive_trace *trace, const struct follow_hop *hop)
{
    for (size_t i = 0; i < trace->stages.count; i++) {
        struct primitive_trace_stage *stage = &trace->stages.items[i];
        if (stage->kind == hop->kind && is_same_family(stage->queue, hop->queue->name) &&
            (hop->kind != FOLLOW_VERTEX || stage->thing == hop->thing))
            return stage;
    }
    const struct primitive_trace_stage fresh = {.kind = hop->kind,
                                                .thing = hop->thing,
                                                .queue = hop->queue->name,
                                                .unit = hop->queue->receiver,
                                                .first = CYCLE_NEVER,
                                                .last = CYCLE_NEVER};
    VEC_PUSH(&trace->stages, fresh);
    return &trace->stages.items[trace->stages.count - 1];
}

static void
add_to_stage(struct primitive_trace *trace, const struct follow_hop *hop, uint64_t left)
{
    struct primitive_trace_stage *stage = stage_of(trace, hop);
    stage->count++;
    stage->several |= stage->unit != hop->queue->receiver;
    if (hop->taken == CYCLE_NEVER)
        return;
    if (stage->first == CYCLE_NEVER || hop->taken < stage->first)
        stage->first = hop->taken;
    stage->waited += hop->taken - hop->sent;
    if (left == CYCLE_NEVER)
        return;
    stage->last = later(stage->last, left);
    stage->stayed += left - hop->taken;
}

static int
compare_stages(const void *a, const void *b)
{
    const struct primitive_trace_stage *p = a, *q = b;
    const enum follow_kind kinds[2] = {p->kind == FOLLOW_REQUEST ? FOLLOW_QUAD : p->kind,
                                       q->kind == FOLLOW_REQUEST ? FOLLOW_QUAD : q->kind};
    if (kinds[0] != kinds[1])
        return kinds[0] < kinds[1] ? -1 : 1;
    if (p->kind == FOLLOW_VERTEX && p->thing != q->thing)
        return p->thing < q->thing ? -1 : 1;
    return p->first < q->first ? -1 : p->first > q->first;
}

static void
count_fates(struct primitive_trace *trace)
{
    const struct watch *watch = trace->follow->watch;
    for (size_t i = 0; i < watch->courses.count; i++)
        for (uint32_t f = 0; f < 4; f++) {
            const struct watched_course *course = &watch->courses.items[i];
            if (!(course->fragments >> f & 1))
                continue;
            trace->fragments++;
            trace->fates[course->fates[f]] += course->retired != CYCLE_NEVER;
        }
    for (size_t i = 0; i < watch->culls.count; i++)
        trace->fates[FATE_HZ] += bits_count(watch->culls.items[i].fragments);
    trace->fragments += trace->fates[FATE_HZ];
}

void
primitive_trace_make(struct primitive_trace *trace, const struct follow *follow)
{
    *trace = (struct primitive_trace){.follow = follow};
    sort_hops(trace);
    find_ends(trace);
    for (size_t i = 0; i < follow->hops.count; i++) {
        const uint32_t at = trace->order[i];
        const struct follow_hop *hop = &follow->hops.items[at];
        if (is_kept(follow, hop))
            add_to_stage(trace, hop, trace->left[at]);
    }
    if (trace->stages.count)
        qsort(trace->stages.items, trace->stages.count, sizeof *trace->stages.items,
              compare_stages);
    count_fates(trace);
}

void
primitive_trace_fini(struct primitive_trace *trace)
{
    free(trace->order);
    free(trace->left);
    VEC_FREE(&trace->stages);
}
