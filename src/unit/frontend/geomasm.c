/* Geometry Assembly.
 *
 * Accepts TrianglesCycle primitives of Primitive Assembly per cycle, and sends each to the
 * Scheduler as one thread. A primitive waits until the output buffer has room for all vertices that
 * its program may emit; one primitive is always accepted, even if it needs more than the whole
 * buffer. Collects VerticesCycle emitted vertices of Primitive Assembly per cycle, those of the
 * oldest primitive first, and assembles at most one primitive from each. A primitive that emits
 * nothing takes no cycle. The queue to the Clipper models the latency of GEOMASM_LATENCY cycles.
 *
 * The order is that of the API, so the oldest primitive delays all later ones. Source: DirectX 10
 * requires this order of the geometry shader's output. The size of the buffer and the number of
 * entries are choices of this model: no source states those of a GPU. Not modelled: output that
 * overflows into memory; hardware with that ability would accept more primitives at once. */
#include "unit/frontend/geomasm.h"

#include "base/mem.h"
#include "gfx/stream_out.h"

#include <stdlib.h>
#include <string.h>

static enum unit_state geomasm_clock(void *self, uint64_t now);

static void
geomasm_reset(void *self)
{
    const struct geomasm *geomasm = self;
    const struct module *module = &geomasm->module;
    INVARIANT(module, !geomasm->ring.count && !geomasm->held.count);
    INVARIANT(module, !geomasm->reserved && !geomasm->draw);
}

static void
geomasm_fini(void *self)
{
    struct geomasm *geomasm = self;
    for (uint32_t i = 0; i < GEOMASM_ENTRIES; i++) {
        free(geomasm->entries[i].emitted);
        free(geomasm->entries[i].ends);
    }
    free(geomasm->entries);
}

static const struct module_ops ops = {
    .clock = geomasm_clock,
    .reset = geomasm_reset,
    .fini = geomasm_fini,
};

void
geomasm_init(struct geomasm *geomasm, const struct unit_env *env, uint32_t index)
{
    const struct params *params = env->params;
    memset(geomasm, 0, sizeof *geomasm);
    clock_add_module(env->clock, &geomasm->module, "geomasm", -1, geomasm, &ops);
    geomasm->module.stage.cause = CAUSE_collect;
    geomasm->pools = env->pools;
    geomasm->memory = env->memory;
    geomasm->primitives_cycle = params->PRIMITIVEASSEMBLY.TrianglesCycle;
    geomasm->vertices_cycle = params->PRIMITIVEASSEMBLY.VerticesCycle;
    geomasm->ring.capacity = GEOMASM_ENTRIES;
    geomasm->entries = mem_array(GEOMASM_ENTRIES, sizeof *geomasm->entries);
}

/* Bytes that a primitive of the draw reserves in the buffer. */
static uint32_t
bytes_reserved(const struct draw *draw)
{
    const struct program *program = draw->program[STAGE_GEOMETRY];
    return program->emitted_vertices * program->output_count * 16u;
}

/* Records the threads that have ended. Their entries no longer need the vertices. */
static bool
take_shaded(struct geomasm *geomasm, uint64_t now)
{
    bool worked = false;
    for (const struct geometry_item *item; (item = queue_front(geomasm->shaded, now));) {
        struct geometry_job *job = item->job;
        INVARIANT(&geomasm->module, !job->shaded);
        for (uint32_t i = 0; i < primitive_input_count(&job->primitive); i++)
            vertex_release(geomasm->pools, job->v[i]);
        job->shaded = true;
        queue_pop(geomasm->shaded, now);
        worked = true;
    }
    return worked;
}

static bool
accept(struct geomasm *geomasm, const struct primitive_item *item, uint64_t now)
{
    const uint32_t bytes = item->kind == ITEM_DATA ? bytes_reserved(item->draw) : 0;
    if (ring_is_full(&geomasm->ring))
        return false;
    if (bytes && geomasm->reserved && geomasm->reserved + bytes > GEOMASM_BUFFER_BYTES) {
        geomasm->buffer_full = true;
        return false;
    }
    if (bytes && !queue_space(geomasm->jobs, now))
        return false;
    struct geometry_job *job = &geomasm->entries[ring_push(&geomasm->ring)];
    job->kind = item->kind;
    job->draw = item->draw;
    job->primitive = item->primitive;
    job->shaded = item->kind != ITEM_DATA;
    job->emitted_count = 0;
    if (item->kind != ITEM_DATA)
        return true;
    for (uint32_t i = 0; i < primitive_input_count(&item->primitive); i++) {
        const uint32_t input = primitive_input(&item->primitive, i);
        job->v[i] = input < 3 ? item->v[input] : item->adjacent[input - 3];
    }
    geomasm->reserved += bytes;
    geomasm->stats.primitives_in++;
    *(struct geometry_item *)queue_push(geomasm->jobs, now) =
        (struct geometry_item){item->draw, job};
    return true;
}

static bool
accept_primitives(struct geomasm *geomasm, uint64_t now)
{
    uint32_t taken = 0;
    for (; taken < geomasm->primitives_cycle; taken++) {
        const struct primitive_item *item = queue_front(geomasm->in, now);
        if (!item || !accept(geomasm, item, now))
            break;
        queue_pop(geomasm->in, now);
    }
    return taken > 0;
}

static void
send_primitive(struct geomasm *geomasm, const struct primitive_out *primitive, uint64_t now)
{
    struct primitive_item *out = queue_push(geomasm->out, now);
    const struct vertex *v[3] = {0};
    *out = (struct primitive_item){.kind = ITEM_DATA,
                                   .draw = geomasm->draw,
                                   .number = geomasm->number++,
                                   .primitive = *primitive};
    for (uint32_t i = 0; i < primitive->vertices; i++) {
        out->v[i] = held_find(&geomasm->held, primitive->v[i]);
        vertex_hold(geomasm->pools, out->v[i]);
        v[i] = &out->v[i]->vertex;
    }
    if (geomasm->draw->streams_out)
        stream_out(geomasm->draw, primitive->vertices, v, stream_store, geomasm->memory);
    geomasm->stats.primitives_out++;
}

/* Collects the next vertex of the oldest entry. */
static void
collect_vertex(struct geomasm *geomasm, const struct geometry_job *job, uint64_t now)
{
    const uint32_t n = geomasm->next_vertex++;
    struct primitive_out primitives[2];
    struct pooled_vertex *vertex = vertex_create(geomasm->pools);
    vertex->vertex = job->emitted[n];
    const uint32_t handle = held_add(&geomasm->held, vertex);
    if (assembler_vertex(&geomasm->assembler, handle, primitives))
        send_primitive(geomasm, &primitives[0], now);
    if (job->ends[n] || n + 1 == job->emitted_count)
        assembler_end(&geomasm->assembler, primitives);
    held_keep(&geomasm->held, &geomasm->assembler, geomasm->pools);
    geomasm->stats.vertices++;
}

static void
end_entry(struct geomasm *geomasm, const struct geometry_job *job)
{
    if (job->kind == ITEM_DATA)
        geomasm->reserved -= bytes_reserved(job->draw);
    else
        geomasm->draw = NULL;
    geomasm->next_vertex = 0;
    ring_pop(&geomasm->ring);
}

static void
begin_draw(struct geomasm *geomasm, const struct draw *draw)
{
    geomasm->draw = draw;
    geomasm->number = 0;
    assembler_begin_emitted(&geomasm->assembler, draw);
}

static bool
collect(struct geomasm *geomasm, uint64_t now, bool *blocked)
{
    bool worked = false;
    for (uint32_t collected = 0; geomasm->ring.count;) {
        const struct geometry_job *job = &geomasm->entries[geomasm->ring.head];
        if (!job->shaded)
            break;
        if (geomasm->draw != job->draw)
            begin_draw(geomasm, job->draw);
        if (geomasm->next_vertex == job->emitted_count && job->kind == ITEM_DATA) {
            end_entry(geomasm, job);
            worked = true;
            continue;
        }
        *blocked = !queue_space(geomasm->out, now);
        if (*blocked || collected++ == geomasm->vertices_cycle)
            break;
        worked = true;
        if (job->kind == ITEM_DATA) {
            collect_vertex(geomasm, job, now);
            continue;
        }
        *(struct primitive_item *)queue_push(geomasm->out, now) =
            (struct primitive_item){.kind = ITEM_END, .draw = job->draw};
        end_entry(geomasm, job);
    }
    return worked;
}

static enum unit_state
geomasm_clock(void *self, uint64_t now)
{
    struct geomasm *geomasm = self;
    bool blocked = false;
    geomasm->buffer_full = false;
    bool worked = take_shaded(geomasm, now);
    worked |= collect(geomasm, now, &blocked);
    worked |= accept_primitives(geomasm, now);
    stall_note(&geomasm->stall, geomasm->buffer_full ? &geomasm->stats.cycles_buffer : NULL, now);
    if (worked)
        return UNIT_BUSY;
    if (blocked)
        return UNIT_BLOCKED;
    return geomasm->ring.count ? UNIT_WAITING : UNIT_STARVED;
}
