#include "base/plural.h"
#include "sim/follow.h"
#include "unit/shader/thread_source.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A tag contains the number of the first hop + 1, and the number of hops. */
enum { TAG_COUNT_BITS = 16 };

static uint64_t
frame_cycle(const struct follow *follow, uint64_t now)
{
    return now - follow->sim->frame_start;
}

static void
add_hop(struct follow *follow, const struct traffic_queue *queue, enum follow_kind kind,
        uint32_t thing, uint64_t now)
{
    const struct follow_hop hop = {queue->queue, kind, thing, frame_cycle(follow, now),
                                   CYCLE_NEVER};
    VEC_PUSH(&follow->hops, hop);
}

/* Finds the followed vertex for a slot of the vertex pool. If several vertices used the slot, the
 * latest one is found. */
static bool
find_vertex(const struct follow *follow, const struct pooled_vertex *vertex, uint32_t *number)
{
    for (size_t i = follow->vertices.count; i-- > 0;)
        if (follow->vertices.items[i].vertex == vertex) {
            *number = (uint32_t)i;
            return true;
        }
    return false;
}

static void
take_vertex(struct follow *follow, const struct traffic_queue *queue,
            const struct vertex_item *item, uint64_t now)
{
    uint32_t number;
    if (item->kind != ITEM_DATA || follow->found)
        return;
    if (queue->queue == follow->sim->machine->vertex_jobs_queue) {
        const struct follow_vertex fresh = {item->vertex, item->vertex->index,
                                            item->vertex->instance, false};
        VEC_PUSH(&follow->vertices, fresh);
    }
    if (!find_vertex(follow, item->vertex, &number))
        return;
    if (queue->queue == follow->sim->machine->shaded_vertices_queue) {
        if (follow->vertices.items[number].is_shaded) /* slot reused by a later draw */
            return;
        follow->vertices.items[number].is_shaded = true;
    }
    add_hop(follow, queue, FOLLOW_VERTEX, number, now);
}

/* Finds the followed triangle for a slot of the triangle pool. If several triangles used the slot,
 * the latest one is found. */
static uint32_t
find_triangle(const struct follow *follow, const struct pooled_triangle *triangle)
{
    uint32_t number = (uint32_t)follow->triangles.count;
    while (number > 0 && follow->triangles.items[number - 1] != triangle)
        number--;
    return number - 1;
}

/* Records a read of attributes. A reply belongs to the oldest unanswered read with the same tag. */
static void
take_attributes(struct follow *follow, const struct traffic_queue *queue, const void *item,
                uint64_t now)
{
    const struct machine *m = follow->sim->machine;
    if (!follow->draw_seen || follow->found)
        return;
    if (queue->queue == m->attribute_memory_requests) {
        const struct memory_request *request = item;
        const struct follow_read read = {request->address, request->tag, false, false};
        VEC_PUSH(&follow->reads, read);
        add_hop(follow, queue, FOLLOW_READ, (uint32_t)follow->reads.count - 1, now);
    }
    if (queue->queue != m->attribute_memory_replies)
        return;
    for (size_t i = 0; i < follow->reads.count; i++) {
        struct follow_read *read = &follow->reads.items[i];
        if (read->is_answered || read->tag != ((const struct memory_reply *)item)->tag)
            continue;
        read->is_answered = true;
        add_hop(follow, queue, FOLLOW_READ, (uint32_t)i, now);
        return;
    }
}

/* The input primitive whose part of the ring contains the address. A part is in use until its
 * vertices are collected, so the latest one is right. */
static bool
find_owner(const struct follow *follow, uint32_t address, uint32_t *number)
{
    const struct overflow *ring = &follow->sim->machine->geomasm->overflow;
    for (size_t i = follow->jobs; i-- > 0;) {
        const struct follow_input *input = &follow->inputs.items[i];
        const uint32_t at = address - ring->address;
        const uint32_t offset =
            at < input->ring_start ? at + ring->size - input->ring_start : at - input->ring_start;
        *number = (uint32_t)i;
        if (offset < input->ring_bytes)
            return true;
    }
    return false;
}

/* Records transactions of emitted vertices. */
static void
take_emission(struct follow *follow, const struct traffic_queue *queue, const void *item,
              uint64_t now)
{
    if (queue->queue == follow->sim->machine->emission_memory_requests) {
        const struct memory_request *request = item;
        struct follow_emission fresh = {.address = request->address, .write = request->write};
        if (!find_owner(follow, fresh.address, &fresh.input))
            return;
        VEC_PUSH(&follow->emissions, fresh);
        add_hop(follow, queue, fresh.write ? FOLLOW_STORE : FOLLOW_LOAD,
                (uint32_t)follow->emissions.count - 1, now);
        return;
    }
    const struct memory_reply *reply = item;
    for (size_t i = 0; i < follow->emissions.count; i++) {
        struct follow_emission *emission = &follow->emissions.items[i];
        if (emission->is_answered || emission->address != reply->address ||
            emission->write != reply->write)
            continue;
        emission->is_answered = true;
        add_hop(follow, queue, emission->write ? FOLLOW_STORE : FOLLOW_LOAD, (uint32_t)i, now);
        return;
    }
}

static void
take_memory(struct follow *follow, const struct traffic_queue *queue, const void *item,
            uint64_t now)
{
    const struct machine *m = follow->sim->machine;
    if (queue->queue != m->emission_memory_requests && queue->queue != m->emission_memory_replies)
        take_attributes(follow, queue, item, now);
    else if (!follow->emission_over)
        take_emission(follow, queue, item, now);
}

/* Marks the reads that fetched attributes of a corner. */
static void
find_reads(struct follow *follow, const struct draw *draw, const struct follow_vertex *vertex)
{
    for (uint32_t a = 0; a < draw->attribute_count; a++) {
        const uint32_t first = fetch_address(draw, a, vertex->index, vertex->instance);
        const uint32_t end = first ? first + draw->attributes[a].format->block_bytes : 0;
        for (size_t i = 0; i < follow->reads.count; i++) {
            struct follow_read *read = &follow->reads.items[i];
            read->is_of_corner |= read->address < end && read->address + TRANSACTION_BYTES > first;
        }
    }
}

/* Predicts the output of clipper and setup for the primitive, by calling the same functions. */
static void
foresee(struct follow *follow, const struct primitive_item *item)
{
    const struct vertex *v[3] = {0};
    struct setup_state state = {0};
    struct triangle *made = mem_array(SETUP_MAX_TRIANGLES, sizeof *made);
    for (uint32_t i = 0; i < item->primitive.vertices; i++)
        v[i] = &item->v[i]->vertex;
    follow->clip = clip_test(item->draw, &item->primitive, v);
    if (follow->clip != CLIP_REJECT)
        follow->made = setup_primitive(item->draw, &item->primitive, v, follow->clip, &state, made);
    follow->lost = state.lost;
    for (uint32_t i = 0; i < follow->made; i++) {
        const struct triangle *t = &made[i];
        follow->front = t->front;
        follow->min_x = i && follow->min_x < t->min_x ? follow->min_x : t->min_x;
        follow->min_y = i && follow->min_y < t->min_y ? follow->min_y : t->min_y;
        follow->max_x = i && follow->max_x > t->max_x ? follow->max_x : t->max_x;
        follow->max_y = i && follow->max_y > t->max_y ? follow->max_y : t->max_y;
    }
    free(made);
}

/* A vertex is sent to assembly once per use. The corner's use is the last one that assembly popped
 * before it assembled the primitive in cycle `assembled`. All other uses become FOLLOW_OTHER_USE.
 */
static void
keep_last_use(struct follow *follow, uint32_t corner, uint64_t assembled)
{
    const struct machine *m = follow->sim->machine;
    bool kept = false;
    for (size_t i = follow->hops.count; i-- > 0;) {
        struct follow_hop *hop = &follow->hops.items[i];
        if (hop->kind != FOLLOW_VERTEX || hop->thing != corner || hop->queue != m->vertices_queue)
            continue;
        if (kept || hop->taken == CYCLE_NEVER || hop->taken > assembled)
            hop->kind = FOLLOW_OTHER_USE;
        else
            kept = true;
    }
}

static uint32_t
corner_of(const struct follow *follow, const struct primitive_item *item,
          const struct pooled_vertex *vertex)
{
    uint32_t number;
    if (!find_vertex(follow, vertex, &number))
        BUG("a vertex of primitive %u did not arrive through a queue", item->number);
    return number;
}

/* Records the input primitives of a geometry program, until the followed primitive is found. */
static void
take_input(struct follow *follow, const struct traffic_queue *queue,
           const struct primitive_item *item, uint64_t now)
{
    struct follow_input fresh = {.corner_count = primitive_input_count(&item->primitive),
                                 .assembled = frame_cycle(follow, now)};
    if (item->kind != ITEM_DATA || follow->found)
        return;
    for (uint32_t i = 0; i < fresh.corner_count; i++) {
        const uint32_t input = primitive_input(&item->primitive, i);
        fresh.corners[i] =
            corner_of(follow, item, input < 3 ? item->v[input] : item->adjacent[input - 3]);
    }
    VEC_PUSH(&follow->inputs, fresh);
    add_hop(follow, queue, FOLLOW_INPUT, (uint32_t)follow->inputs.count - 1, now);
}

/* Finds the input primitive of a job. If several primitives used the job's entry, the latest one is
 * found. */
static bool
find_input(const struct follow *follow, const struct geometry_job *job, uint32_t *number)
{
    for (size_t i = follow->jobs; i-- > 0;)
        if (follow->inputs.items[i].job == job) {
            *number = (uint32_t)i;
            return true;
        }
    return false;
}

/* Number of primitives that Geometry Assembly assembles from the emitted vertices. */
static uint32_t
count_made(const struct geometry_job *job)
{
    struct assembler assembler;
    struct primitive_out out[2];
    uint32_t made = 0;
    assembler_begin_emitted(&assembler, job->draw);
    for (uint32_t n = 0; n < job->emitted_count; n++) {
        made += assembler_vertex(&assembler, n, out);
        if (job->ends[n])
            assembler_end(&assembler, out);
    }
    return made;
}

/* A primitive on its way to the Scheduler, or back. */
static void
take_job(struct follow *follow, const struct traffic_queue *queue, const struct geometry_job *job,
         uint64_t now)
{
    uint32_t number;
    if (queue->queue == follow->sim->machine->geometry_jobs_queue) {
        if (follow->jobs == follow->inputs.count)
            return; /* after the followed primitive */
        struct follow_input *input = &follow->inputs.items[follow->jobs++];
        input->job = job;
        input->ring_start = job->in_memory ? job->range.start : 0;
        input->ring_bytes = job->in_memory ? job->range.reserved : 0;
    }
    if (!find_input(follow, job, &number))
        return;
    if (queue->queue == follow->sim->machine->shaded_primitives_queue)
        follow->inputs.items[number].made = count_made(job);
    add_hop(follow, queue, FOLLOW_INPUT, number, now);
}

/* Finds the input primitive that emitted the followed one. */
static void
find_source(struct follow *follow)
{
    uint32_t made = follow->inputs.items[0].made;
    while (made <= follow->target.triangle)
        made += follow->inputs.items[++follow->source].made;
    const struct follow_input *source = &follow->inputs.items[follow->source];
    follow->vertex_count = source->corner_count;
    memcpy(follow->corners, source->corners, sizeof source->corners);
}

/* Records the primitive's vertices. */
static void
find_corners(struct follow *follow, const struct primitive_item *item, uint64_t now)
{
    follow->found = true;
    follow->corner_count = item->primitive.vertices;
    if (follow->inputs.count) {
        find_source(follow);
        now = follow->inputs.items[follow->source].assembled;
    } else {
        follow->vertex_count = item->primitive.vertices;
        for (uint32_t i = 0; i < item->primitive.vertices; i++)
            follow->corners[i] = corner_of(follow, item, item->v[i]);
        now = frame_cycle(follow, now);
    }
    for (uint32_t i = 0; i < follow->vertex_count; i++)
        keep_last_use(follow, follow->corners[i], now);
    for (uint32_t i = 0; i < follow->vertex_count; i++)
        find_reads(follow, item->draw, &follow->vertices.items[follow->corners[i]]);
}

static void
take_primitive(struct follow *follow, const struct traffic_queue *queue,
               const struct primitive_item *item, uint64_t now)
{
    const struct machine *m = follow->sim->machine;
    const bool assembled =
        queue->queue == m->primitives_queue || queue->queue == m->emitted_primitives_queue;
    if (queue->queue == m->geometry_inputs_queue) {
        take_input(follow, queue, item, now);
        return;
    }
    /* a later draw may have the same ring */
    follow->emission_over |= item->kind == ITEM_END && queue->queue == m->emitted_primitives_queue;
    if (item->kind != ITEM_DATA)
        return;
    if (assembled)
        follow->primitives = item->number + 1;
    if (item->number != follow->target.triangle)
        return;
    if (assembled) {
        find_corners(follow, item, now);
        foresee(follow, item);
    }
    add_hop(follow, queue, FOLLOW_PRIMITIVE, 0, now);
}

static bool
is_of_it(const struct follow *follow, const struct pooled_triangle *triangle)
{
    return triangle->number == follow->target.triangle;
}

static void
take_triangle(struct follow *follow, const struct traffic_queue *queue,
              const struct triangle_item *item, uint64_t now)
{
    if (item->kind != ITEM_DATA || !is_of_it(follow, item->triangle))
        return;
    const struct machine *m = follow->sim->machine;
    const bool on_shader = m->triangle_jobs_queue_count > 0;
    if (queue->queue == (on_shader ? m->triangle_jobs_queue : m->triangles_queue))
        VEC_PUSH(&follow->triangles, item->triangle);
    add_hop(follow, queue, FOLLOW_TRIANGLE, find_triangle(follow, item->triangle), now);
}

static void
take_tile(struct follow *follow, const struct traffic_queue *queue, const struct tile_item *item,
          uint64_t now)
{
    if (item->kind != ITEM_DATA || !is_of_it(follow, item->triangle))
        return;
    const struct follow_tile tile = {item->x, item->y, find_triangle(follow, item->triangle),
                                     bits_count(item->mask)};
    VEC_PUSH(&follow->tiles, tile);
    add_hop(follow, queue, FOLLOW_TILE, (uint32_t)follow->tiles.count - 1, now);
}

static void
take_quad(struct follow *follow, const struct traffic_queue *queue, enum follow_kind kind,
          const struct quad *quad, uint64_t now)
{
    const uint32_t course = watch_course(quad);
    if (course)
        add_hop(follow, queue, kind, course - 1, now);
}

static void
take_group(struct follow *follow, const struct traffic_queue *queue, const struct group *group,
           uint64_t now)
{
    uint32_t number;
    for (uint32_t i = 0; i < group->count; i++)
        if (group->source == &thread_triangles) {
            if (is_of_it(follow, group->triangles[i]))
                add_hop(follow, queue, FOLLOW_TRIANGLE, find_triangle(follow, group->triangles[i]),
                        now);
        } else if (group->source == &thread_quads)
            take_quad(follow, queue, FOLLOW_QUAD, group->quads[i], now);
        else if (group->source == &thread_primitives) {
            if (find_input(follow, group->primitives[i], &number))
                add_hop(follow, queue, FOLLOW_INPUT, number, now);
        } else if (!follow->found && find_vertex(follow, group->vertices[i], &number))
            add_hop(follow, queue, FOLLOW_VERTEX, number, now);
}

static void
follow_take(struct follow *follow, const struct traffic_queue *queue, const void *item,
            uint64_t now)
{
    switch (queue->kind) {
    case TRAFFIC_DRAW:
        follow->draw_seen = true;
        add_hop(follow, queue, FOLLOW_DRAW, 0, now);
        break;
    case TRAFFIC_VERTEX: take_vertex(follow, queue, item, now); break;
    case TRAFFIC_PRIMITIVE: take_primitive(follow, queue, item, now); break;
    case TRAFFIC_JOB:
        take_job(follow, queue, ((const struct geometry_item *)item)->job, now);
        break;
    case TRAFFIC_TRIANGLE: take_triangle(follow, queue, item, now); break;
    case TRAFFIC_TILE: take_tile(follow, queue, item, now); break;
    case TRAFFIC_QUAD:
        if (((const struct quad_item *)item)->kind == ITEM_DATA)
            take_quad(follow, queue, FOLLOW_QUAD, ((const struct quad_item *)item)->quad, now);
        break;
    case TRAFFIC_GROUP:
        take_group(follow, queue, ((const struct group_item *)item)->group, now);
        break;
    case TRAFFIC_TEXTURE: {
        const struct quad *quad = watch_quad_of(item);
        if (quad)
            take_quad(follow, queue, FOLLOW_REQUEST, quad, now);
        break;
    }
    case TRAFFIC_REQUEST:
    case TRAFFIC_REPLY: take_memory(follow, queue, item, now); break;
    case TRAFFIC_ORDER:
    case TRAFFIC_DONE:
    case TRAFFIC_UPDATE: break;
    }
}

static uint64_t
on_sent(void *data, const struct traffic_queue *queue, const void *item, uint64_t now)
{
    struct follow *follow = data;
    const struct draw *draw = traffic_draw(queue->kind, item);
    const uint64_t before = follow->hops.count;
    if (!follow->sim->frame_open || follow->sim->frame != follow->target.frame)
        return 0;
    follow->frame_seen = true;
    /* Shaded vertices on their return do not name their draw, and memory items have no draw. */
    if (draw && draw->number != follow->target.draw)
        return 0;
    follow_take(follow, queue, item, now);
    const uint64_t made = follow->hops.count - before;
    return made ? (before + 1) << TAG_COUNT_BITS | made : 0;
}

static void
on_taken(void *data, const struct traffic_queue *queue, uint64_t tag, uint64_t now)
{
    struct follow *follow = data;
    const uint64_t first = (tag >> TAG_COUNT_BITS) - 1;
    const uint64_t count = tag & ((UINT64_C(1) << TAG_COUNT_BITS) - 1);
    for (uint64_t i = first; i < first + count; i++)
        follow->hops.items[i].taken = frame_cycle(follow, now);
}

bool
follow_parse(struct follow_target *target, const char *text, struct error *err)
{
    uint32_t *const parts[] = {&target->frame, &target->draw, &target->triangle};
    const char *at = text;
    for (uint32_t i = 0; i < 3; i++) {
        char *end;
        const unsigned long long value = strtoull(at, &end, 10);
        if (*at < '0' || *at > '9' || value >= UINT32_MAX || *end != (i < 2 ? ':' : '\0'))
            return fail(err, "--follow '%s': expected FRAME:DRAW:TRIANGLE, three numbers", text);
        *parts[i] = (uint32_t)value;
        at = end + 1;
    }
    return true;
}

void
follow_begin(struct follow *follow, const struct follow_target *target, struct simulation *sim,
             struct watch *watch)
{
    *follow = (struct follow){.target = *target, .sim = sim, .watch = watch};
    watch->follows = true;
    watch->followed_frame = target->frame;
    watch->followed_draw = target->draw;
    watch->followed_primitive = target->triangle;
    traffic_begin(&follow->traffic, sim->machine,
                  &(struct traffic_listener){follow, on_sent, on_taken, NULL}, 0, UINT64_MAX);
}

void
follow_end(struct follow *follow)
{
    traffic_end(&follow->traffic);
}

void
follow_fini(struct follow *follow)
{
    VEC_FREE(&follow->hops);
    VEC_FREE(&follow->vertices);
    VEC_FREE(&follow->reads);
    VEC_FREE(&follow->inputs);
    VEC_FREE(&follow->emissions);
    VEC_FREE(&follow->triangles);
    VEC_FREE(&follow->tiles);
}

bool
follow_check(const struct follow *follow, struct error *err)
{
    const struct follow_target *t = &follow->target;
    if (follow->found)
        return true;
    if (!follow->frame_seen)
        return fail(err, "--follow %u:%u:%u: no draw of frame %u was simulated with timing",
                    t->frame, t->draw, t->triangle, t->frame);
    if (!follow->draw_seen)
        return fail(err, "--follow %u:%u:%u: frame %u has no draw %u (aetius draws lists them)",
                    t->frame, t->draw, t->triangle, t->frame, t->draw);
    return fail(err, "--follow %u:%u:%u: draw %u has %u triangle%s (counted from 0)", t->frame,
                t->draw, t->triangle, t->draw, follow->primitives, plural(follow->primitives));
}
