/* Primitive Assembly.
 *
 * Takes VerticesCycle vertices per cycle in order, and sends at most TrianglesCycle primitives per
 * cycle. The queue to the Clipper models the latency. All primitives of the API are supported;
 * gfx/vertex.h selects the vertices of each primitive. Stream output stores them
 * (unit/frontend/stream_writer.h) before the next vertex is taken, except for those that the next
 * cycle can store. The end of a draw waits until all values are in memory. Source:
 * docs/design/machine.md, Primitive Assembly. */
#include "unit/frontend/primasm.h"

#include <string.h>

static enum unit_state primasm_clock(void *self, uint64_t now);

static void
primasm_reset(void *self)
{
    const struct primasm *primasm = self;
    const struct module *module = &primasm->module;
    INVARIANT(module, !primasm->draw && !primasm->held.count);
    INVARIANT(module, primasm->pending_sent == primasm->pending_count);
    INVARIANT(module, !stream_writer_is_busy(&primasm->stream));
    INVARIANT(module, !stream_writer_is_open(&primasm->stream));
}

static const struct module_ops ops = {
    .clock = primasm_clock,
    .reset = primasm_reset,
};

void
primasm_init(struct primasm *primasm, const struct unit_env *env, uint32_t index)
{
    const struct params *params = env->params;
    memset(primasm, 0, sizeof *primasm);
    clock_add_module(env->clock, &primasm->module, "primasm", -1, primasm, &ops);
    primasm->module.stage.cause = CAUSE_assembly;
    primasm->pools = env->pools;
    stream_writer_init(&primasm->stream, &primasm->module, params, &primasm->stats.stream_bytes,
                       &primasm->stats.stream_cycles);
    primasm->vertices_cycle = params->PRIMITIVEASSEMBLY.VerticesCycle;
    primasm->triangles_cycle = params->PRIMITIVEASSEMBLY.TrianglesCycle;
}

/* Lists the values of the primitive to be written to each stream output buffer. */
static void
list_values(struct primasm *primasm, const struct primitive_item *item)
{
    const struct vertex *v[3] = {0};
    for (uint32_t i = 0; i < item->primitive.vertices; i++)
        v[i] = &item->v[i]->vertex;
    stream_writer_add(&primasm->stream, item->draw, item->primitive.vertices, v);
}

static bool
has_geometry(const struct draw *draw)
{
    return draw->program[STAGE_GEOMETRY] != NULL;
}

static void
hold_adjacent(struct primasm *primasm, struct primitive_item *item)
{
    for (uint32_t i = 0; i < item->primitive.adjacents; i++) {
        item->adjacent[i] = held_find(&primasm->held, item->primitive.adjacent[i]);
        vertex_hold(primasm->pools, item->adjacent[i]);
    }
}

/* Adds an item without a primitive. */
static void
emit_mark(struct primasm *primasm, enum item_kind kind, const struct draw *draw)
{
    struct primitive_item *item = &primasm->pending[primasm->pending_count++];
    item->kind = kind;
    item->draw = draw;
}

static void
begin_draw(struct primasm *primasm, const struct draw *draw)
{
    primasm->draw = draw;
    primasm->number = primasm->instance = 0;
    assembler_begin(&primasm->assembler, draw);
    if (has_geometry(draw))
        emit_mark(primasm, ITEM_RESTART, draw);
}

/* Adds a vertex to the assembler. gl_PrimitiveID counts from 0 in each instance. */
static uint32_t
assemble(struct primasm *primasm, struct pooled_vertex *vertex, struct primitive_out primitives[2])
{
    if (vertex->instance != primasm->instance) {
        primasm->instance = vertex->instance;
        assembler_begin_instance(&primasm->assembler);
    }
    return assembler_vertex(&primasm->assembler, held_add(&primasm->held, vertex), primitives);
}

static void
emit(struct primasm *primasm, const struct primitive_out *primitives, uint32_t count)
{
    for (uint32_t p = 0; p < count; p++) {
        struct primitive_item *item = &primasm->pending[primasm->pending_count++];
        item->kind = ITEM_DATA;
        item->draw = primasm->draw;
        item->number = primasm->number++;
        item->primitive = primitives[p];
        for (uint32_t i = 0; i < primitives[p].vertices; i++) {
            item->v[i] = held_find(&primasm->held, primitives[p].v[i]);
            vertex_hold(primasm->pools, item->v[i]);
        }
        if (has_geometry(primasm->draw))
            hold_adjacent(primasm, item);
        else if (primasm->draw->streams_out)
            list_values(primasm, item);
        primasm->stats.primitives_out++;
        primasm->stats.triangles += primitives[p].vertices == 3;
        primasm->stats.lines += primitives[p].vertices == 2;
        primasm->stats.points += primitives[p].vertices == 1;
    }
}

static void
primasm_take(struct primasm *primasm, const struct vertex_item *item)
{
    struct primitive_out primitives[2];
    primasm->pending_count = primasm->pending_sent = 0;
    if (primasm->draw != item->draw)
        begin_draw(primasm, item->draw);
    if (item->kind == ITEM_DATA) {
        primasm->stats.vertices_in++;
        emit(primasm, primitives, assemble(primasm, item->vertex, primitives));
        held_keep(&primasm->held, &primasm->assembler, primasm->pools);
        return;
    }
    emit(primasm, primitives, assembler_end(&primasm->assembler, primitives));
    held_keep(&primasm->held, &primasm->assembler, primasm->pools);
    if (item->kind == ITEM_END) {
        emit_mark(primasm, ITEM_END, item->draw);
        primasm->draw = NULL;
    }
}

static struct queue *
queue_of(const struct primasm *primasm, const struct primitive_item *item)
{
    return has_geometry(item->draw) && item->kind != ITEM_RESTART ? primasm->geometry
                                                                  : primasm->out;
}

/* Whether the next pending item is the end of a draw. */
static bool
draw_ends(const struct primasm *primasm)
{
    return primasm->pending_sent < primasm->pending_count &&
           primasm->pending[primasm->pending_sent].kind == ITEM_END;
}

/* Whether the next pending item is the end of a draw whose stream output is not in memory yet. */
static bool
end_waits(const struct primasm *primasm)
{
    return draw_ends(primasm) && stream_writer_is_open(&primasm->stream);
}

/* Moves items from the input to the output. Returns whether it moved any; *blocked: the output is
 * full. */
static bool
move_items(struct primasm *primasm, bool *blocked, uint64_t now)
{
    uint32_t taken = 0, sent = 0;
    for (;;) {
        if (primasm->pending_sent < primasm->pending_count) {
            if (sent == primasm->triangles_cycle || end_waits(primasm))
                break;
            const struct primitive_item *item = &primasm->pending[primasm->pending_sent];
            struct queue *out = queue_of(primasm, item);
            *blocked = !queue_space(out, now);
            if (*blocked)
                break;
            *(struct primitive_item *)queue_push(out, now) = *item;
            primasm->pending_sent++;
            sent++;
            continue;
        }
        const bool room = stream_writer_has_room(&primasm->stream);
        const struct vertex_item *item =
            room && taken < primasm->vertices_cycle ? queue_front(primasm->in, now) : NULL;
        if (!item)
            break;
        primasm_take(primasm, item);
        queue_pop(primasm->in, now);
        taken++;
    }
    return taken || sent;
}

static enum unit_state
primasm_clock(void *self, uint64_t now)
{
    struct primasm *primasm = self;
    bool blocked = false;
    bool worked = stream_writer_take_replies(&primasm->stream, now);
    worked |= move_items(primasm, &blocked, now);
    worked |= stream_writer_clock(&primasm->stream, draw_ends(primasm), now);
    if (worked)
        return UNIT_BUSY;
    if (blocked || stream_writer_is_busy(&primasm->stream))
        return UNIT_BLOCKED;
    return stream_writer_is_open(&primasm->stream) ? UNIT_WAITING : UNIT_STARVED;
}
