/* Geometry Assembly.
 *
 * Accepts TrianglesCycle primitives of Primitive Assembly per cycle, and sends each to the
 * Scheduler as one thread. A primitive waits until the output buffer has room for all vertices that
 * its program may emit; one primitive is always accepted, even if it needs more than the whole
 * buffer. A draw goes to memory (unit/frontend/overflow.h) if the buffer has no room for those of
 * OnChipPrimitives primitives. Its primitives reserve their room in memory instead, and the buffer
 * holds what is read back.
 *
 * Collects VerticesCycle emitted vertices of Primitive Assembly per cycle, those of the oldest
 * primitive first, and assembles at most one primitive from each. A primitive that emits nothing
 * takes no cycle. Stream output stores the primitives (unit/frontend/stream_writer.h) before the
 * next vertex is collected, except for those that the next cycle can store. The queue to the
 * Clipper models the latency of GEOMASM_LATENCY cycles. The order is that of the API, so the oldest
 * primitive delays all later ones.
 *
 * Sources: DirectX 10 requires the order. NVIDIA's Cg Toolkit (profile gp4gp) states that the
 * throughput of geometry shaders is inversely proportional to the declared number of vertices,
 * hence the reservation. The defaults of BufferSize and OnChipPrimitives are those of AMD's
 * compiler LLPC for GPUs of 2012 to 2016: 8192 words of on-chip memory, and output in memory if
 * fewer than 32 primitives fit (gsOnChipDefaultLdsSizePerSubgroup, gsOffChipDefaultThreshold).
 * Entries and OverflowSize are assumptions: 256 primitives with the largest output of DirectX 10,
 * 1024 values, need 1 MiB. */
#include "unit/frontend/geomasm.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static enum unit_state geomasm_clock(void *self, uint64_t now);

static void
geomasm_reset(void *self)
{
    const struct geomasm *geomasm = self;
    const struct module *module = &geomasm->module;
    INVARIANT(module, !geomasm->ring.count && !geomasm->held.count);
    INVARIANT(module, !geomasm->reserved && !geomasm->draw && !geomasm->shaded_entries);
    INVARIANT(module, !geomasm->overflow.used && !geomasm->overflow.staged);
    INVARIANT(module, !stream_writer_is_busy(&geomasm->stream));
    INVARIANT(module, !stream_writer_is_open(&geomasm->stream));
    INVARIANT(module, !geomasm->overflow.writing && !geomasm->overflow.writes);
}

static void
geomasm_fini(void *self)
{
    struct geomasm *geomasm = self;
    for (uint32_t i = 0; i < geomasm->ring.capacity; i++) {
        free(geomasm->entries[i].emitted);
        free(geomasm->entries[i].ends);
        free(geomasm->entries[i].range.has_arrived);
    }
    free(geomasm->entries);
}

static void
count_stalls(void *self, uint64_t now)
{
    struct geomasm *geomasm = self;
    stall_note(&geomasm->input_stall, geomasm->input_stall.counter, now);
    stall_note(&geomasm->output_stall, geomasm->output_stall.counter, now);
}

static const struct module_ops ops = {
    .clock = geomasm_clock,
    .settle = count_stalls,
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
    geomasm->params = params;
    geomasm->pools = env->pools;
    stream_writer_init(&geomasm->stream, &geomasm->module, params, &geomasm->stats.stream_bytes,
                       &geomasm->stats.stream_cycles);
    geomasm->primitives_cycle = params->PRIMITIVEASSEMBLY.TrianglesCycle;
    geomasm->vertices_cycle = params->PRIMITIVEASSEMBLY.VerticesCycle;
    geomasm->buffer_bytes = params->GEOMETRYASSEMBLY.BufferSize;
    geomasm->overflow.places = geomasm->buffer_bytes / TRANSACTION_BYTES;
    geomasm->ring.capacity = params->GEOMETRYASSEMBLY.Entries;
    geomasm->entries = mem_array(geomasm->ring.capacity, sizeof *geomasm->entries);
}

/* Bytes that a primitive reserves in the buffer. */
static uint32_t
bytes_reserved(const struct program *program)
{
    return program->emitted_vertices * program->output_count * 16u;
}

/* Whether the emitted vertices of the program go to memory. */
static bool
is_large(const struct params *params, const struct program *program)
{
    return (uint64_t)bytes_reserved(program) * params->GEOMETRYASSEMBLY.OnChipPrimitives >
           params->GEOMETRYASSEMBLY.BufferSize;
}

uint32_t
geomasm_memory_bytes(const struct params *params, const struct program *program)
{
    if (!program || !is_large(params, program))
        return 0;
    const uint64_t one = overflow_bytes(bytes_reserved(program));
    const uint64_t all = one * params->GEOMETRYASSEMBLY.Entries;
    const uint64_t most = params->GEOMETRYASSEMBLY.OverflowSize, ring = all < most ? all : most;
    return ring < one ? (uint32_t)one : (uint32_t)(ring / TRANSACTION_BYTES) * TRANSACTION_BYTES;
}

void
geomasm_use_memory(struct geomasm *geomasm, uint32_t address, uint32_t bytes)
{
    geomasm->overflow.address = address;
    geomasm->overflow.size = bytes;
    geomasm->overflow.tail = 0;
}

/* Records the threads that have ended, one at a time while vertices are written to memory. Their
 * entries no longer need the input vertices. */
static bool
take_shaded(struct geomasm *geomasm, uint64_t now)
{
    bool worked = false;
    for (const struct geometry_item *item;
         !geomasm->overflow.writing && (item = queue_front(geomasm->shaded, now));) {
        struct geometry_job *job = item->job;
        INVARIANT(&geomasm->module, !job->shaded);
        for (uint32_t i = 0; i < primitive_input_count(&job->primitive); i++)
            vertex_release(geomasm->pools, job->v[i]);
        job->shaded = true;
        geomasm->shaded_entries++;
        if (job->in_memory)
            overflow_write(&geomasm->overflow, job);
        queue_pop(geomasm->shaded, now);
        worked = true;
    }
    return worked;
}

/* Reserves room for what the next entry's program may emit. */
static bool
reserve(struct geomasm *geomasm, struct geometry_job *job)
{
    const struct program *program = job->draw->program[STAGE_GEOMETRY];
    const uint32_t bytes = bytes_reserved(program);
    job->in_memory = is_large(geomasm->params, program);
    if (job->in_memory)
        return overflow_reserve(&geomasm->overflow, job, bytes);
    if (geomasm->reserved && geomasm->reserved + bytes > geomasm->buffer_bytes)
        return false;
    geomasm->reserved += bytes;
    return true;
}

static bool
accept(struct geomasm *geomasm, const struct primitive_item *item, uint64_t now)
{
    if (ring_is_full(&geomasm->ring)) {
        geomasm->input_stall_reason = &geomasm->stats.cycles_entries;
        return false;
    }
    if (item->kind == ITEM_DATA && !queue_space(geomasm->jobs, now))
        return false;
    struct geometry_job *job = &geomasm->entries[ring_at(&geomasm->ring, geomasm->ring.count)];
    job->kind = item->kind;
    job->draw = item->draw;
    job->number = item->number;
    job->primitive = item->primitive;
    job->shaded = item->kind != ITEM_DATA;
    job->in_memory = false;
    job->emitted_count = 0;
    if (item->kind == ITEM_DATA && !reserve(geomasm, job)) {
        geomasm->input_stall_reason = &geomasm->stats.cycles_buffer;
        return false;
    }
    ring_push(&geomasm->ring);
    if (item->kind != ITEM_DATA)
        return true;
    for (uint32_t i = 0; i < primitive_input_count(&item->primitive); i++) {
        const uint32_t input = primitive_input(&item->primitive, i);
        job->v[i] = input < 3 ? item->v[input] : item->adjacent[input - 3];
    }
    geomasm->stats.primitives_in++;
    geomasm->stats.overflow_primitives += job->in_memory;
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
        stream_writer_add(&geomasm->stream, geomasm->draw, primitive->vertices, v);
    geomasm->stats.primitives_out++;
}

/* Collects the next vertex of the oldest entry. */
static void
collect_vertex(struct geomasm *geomasm, struct geometry_job *job, uint64_t now)
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
    if (job->in_memory)
        overflow_free(&geomasm->overflow, job, n + 1);
    held_keep(&geomasm->held, &geomasm->assembler, geomasm->pools);
    geomasm->stats.vertices++;
}

static void
end_entry(struct geomasm *geomasm, struct geometry_job *job)
{
    if (job->kind != ITEM_DATA)
        geomasm->draw = NULL;
    else if (job->in_memory)
        overflow_end(&geomasm->overflow, job);
    else
        geomasm->reserved -= bytes_reserved(job->draw->program[STAGE_GEOMETRY]);
    geomasm->shaded_entries -= job->kind == ITEM_DATA;
    geomasm->next_vertex = 0;
    geomasm->reading -= geomasm->reading > 0;
    ring_pop(&geomasm->ring);
}

static void
begin_draw(struct geomasm *geomasm, const struct draw *draw)
{
    geomasm->draw = draw;
    geomasm->number = 0;
    assembler_begin_emitted(&geomasm->assembler, draw);
}

/* Whether the next vertex of the oldest entry is on its way through memory. */
static bool
awaits_memory(const struct geomasm *geomasm)
{
    if (!geomasm->ring.count)
        return false;
    const struct geometry_job *job = &geomasm->entries[geomasm->ring.head];
    return job->in_memory && job->shaded && geomasm->next_vertex < job->emitted_count &&
           !overflow_has_vertex(job, geomasm->next_vertex);
}

/* Whether the oldest entry is the end of a draw. */
static bool
draw_ends(const struct geomasm *geomasm)
{
    return geomasm->ring.count && geomasm->entries[geomasm->ring.head].kind == ITEM_END;
}

/* Whether the oldest entry waits for stream output: the end of a draw until all values are in
 * memory, a vertex until the next cycle can store all earlier values. */
static bool
awaits_stores(const struct geomasm *geomasm)
{
    return draw_ends(geomasm)
               ? stream_writer_is_busy(&geomasm->stream) || stream_writer_is_open(&geomasm->stream)
               : !stream_writer_has_room(&geomasm->stream);
}

static bool
collect(struct geomasm *geomasm, uint64_t now, bool *blocked)
{
    bool worked = false;
    for (uint32_t collected = 0; geomasm->ring.count;) {
        struct geometry_job *job = &geomasm->entries[geomasm->ring.head];
        if (!job->shaded || awaits_memory(geomasm))
            break;
        if (geomasm->draw != job->draw)
            begin_draw(geomasm, job->draw);
        if (geomasm->next_vertex == job->emitted_count && job->kind == ITEM_DATA) {
            end_entry(geomasm, job);
            worked = true;
            continue;
        }
        if (awaits_stores(geomasm))
            break;
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

/* Requests the vertices of the next primitive in memory, in order. */
static bool
read_back(struct geomasm *geomasm, uint64_t now)
{
    for (; geomasm->reading < geomasm->ring.count; geomasm->reading++) {
        const uint32_t entry = ring_at(&geomasm->ring, geomasm->reading);
        struct geometry_job *job = &geomasm->entries[entry];
        if (!job->in_memory)
            continue;
        if (!overflow_is_written(job))
            return false;
        if (job->range.requested < job->range.count)
            return overflow_request(&geomasm->overflow, job, entry, now);
    }
    return false;
}

/* Moves emitted vertices to memory and back. Returns whether it did any work. */
static bool
clock_overflow(struct geomasm *geomasm, uint64_t now)
{
    struct overflow *overflow = &geomasm->overflow;
    if (!overflow->size)
        return false;
    const bool waited = awaits_memory(geomasm);
    const bool worked = overflow_take_replies(overflow, geomasm->entries, now);
    if (waited && !awaits_memory(geomasm))
        module_resume(&geomasm->module, &geomasm->module.stage, overflow->port.arrival.cp_ref, now);
    return read_back(geomasm, now) || overflow_send(overflow, now) || worked;
}

/* Counts the cycles in which the oldest primitive delays later ones. */
static void
note_output_stall(struct geomasm *geomasm, uint64_t now)
{
    uint64_t *reason = NULL;
    if (awaits_memory(geomasm))
        reason = &geomasm->stats.cycles_memory;
    else if (geomasm->shaded_entries && !geomasm->entries[geomasm->ring.head].shaded)
        reason = &geomasm->stats.cycles_order;
    stall_note(&geomasm->output_stall, reason, now);
}

static enum unit_state
geomasm_clock(void *self, uint64_t now)
{
    struct geomasm *geomasm = self;
    bool blocked = false;
    geomasm->input_stall_reason = NULL;
    bool worked = take_shaded(geomasm, now);
    worked |= clock_overflow(geomasm, now);
    worked |= stream_writer_take_replies(&geomasm->stream, now);
    worked |= collect(geomasm, now, &blocked);
    worked |= stream_writer_clock(&geomasm->stream, draw_ends(geomasm), now);
    worked |= accept_primitives(geomasm, now);
    stall_note(&geomasm->input_stall, geomasm->input_stall_reason, now);
    note_output_stall(geomasm, now);
    if (worked)
        return UNIT_BUSY;
    if (blocked || stream_writer_is_busy(&geomasm->stream))
        return UNIT_BLOCKED;
    return geomasm->ring.count ? UNIT_WAITING : UNIT_STARVED;
}
