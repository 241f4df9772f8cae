/* Primitive Assembly.
 *
 * Takes VerticesCycle vertices per cycle in order, and sends at most TrianglesCycle primitives per
 * cycle. The queue to the Clipper models the latency. All primitives of the API are supported;
 * gfx/vertex.h selects the vertices of each primitive. Source: docs/design/machine.md, Primitive
 * Assembly. */
#include "unit/frontend/primasm.h"

#include "gfx/stream_out.h"

#include <string.h>

static enum unit_state primasm_clock(void *self, uint64_t now);

static void
primasm_reset(void *self)
{
    const struct primasm *primasm = self;
    const struct module *module = &primasm->module;
    INVARIANT(module, !primasm->draw && !primasm->held_count);
    INVARIANT(module, primasm->pending_sent == primasm->pending_count);
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
    primasm->memory = env->memory;
    primasm->vertices_cycle = params->PRIMITIVEASSEMBLY.VerticesCycle;
    primasm->triangles_cycle = params->PRIMITIVEASSEMBLY.TrianglesCycle;
}

static struct pooled_vertex *
held_vertex(const struct primasm *primasm, uint32_t handle)
{
    for (uint32_t i = 0; i < primasm->held_count; i++)
        if (primasm->held_handles[i] == handle)
            return primasm->held[i];
    BUG("primitive assembly: vertex %u is not stored", handle);
}

/* Releases the vertices that the assembler no longer needs. */
static void
keep_only_needed(struct primasm *primasm)
{
    uint32_t needed[ASSEMBLER_HELD], kept = 0;
    uint32_t count = assembler_held(&primasm->assembler, needed);
    for (uint32_t i = 0; i < primasm->held_count; i++) {
        bool keep = false;
        for (uint32_t n = 0; n < count; n++)
            keep |= needed[n] == primasm->held_handles[i];
        if (!keep) {
            vertex_release(primasm->pools, primasm->held[i]);
            continue;
        }
        primasm->held[kept] = primasm->held[i];
        primasm->held_handles[kept++] = primasm->held_handles[i];
    }
    primasm->held_count = kept;
}

/* Stores the primitive in the buffers of the stream output. This takes no cycles here: the command
 * processor moves the bytes after the draw. */
static void
store_primitive(struct primasm *primasm, const struct primitive_item *item)
{
    const struct vertex *v[3] = {0};
    for (uint32_t i = 0; i < item->primitive.vertices; i++)
        v[i] = &item->v[i]->vertex;
    stream_out(item->draw, primasm->memory, item->primitive.vertices, v);
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
            item->v[i] = held_vertex(primasm, primitives[p].v[i]);
            vertex_hold(primasm->pools, item->v[i]);
        }
        if (primasm->draw->streams_out)
            store_primitive(primasm, item);
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
    if (primasm->draw != item->draw) {
        primasm->draw = item->draw;
        primasm->number = 0;
        assembler_begin(&primasm->assembler, item->draw);
    }
    if (item->kind == ITEM_DATA) {
        uint32_t handle = primasm->next_handle++;
        primasm->held[primasm->held_count] = item->vertex;
        primasm->held_handles[primasm->held_count++] = handle;
        primasm->stats.vertices_in++;
        emit(primasm, primitives, assembler_vertex(&primasm->assembler, handle, primitives));
        keep_only_needed(primasm);
        return;
    }
    emit(primasm, primitives, assembler_end(&primasm->assembler, primitives));
    keep_only_needed(primasm);
    if (item->kind == ITEM_END) {
        struct primitive_item *end = &primasm->pending[primasm->pending_count++];
        end->kind = ITEM_END;
        end->draw = item->draw;
        primasm->draw = NULL;
    }
}

static enum unit_state
primasm_clock(void *self, uint64_t now)
{
    struct primasm *primasm = self;
    uint32_t taken = 0, sent = 0;
    for (;;) {
        if (primasm->pending_sent < primasm->pending_count) {
            if (sent == primasm->triangles_cycle)
                break;
            if (!queue_space(primasm->out, now))
                return taken || sent ? UNIT_BUSY : UNIT_BLOCKED;
            *(struct primitive_item *)queue_push(primasm->out, now) =
                primasm->pending[primasm->pending_sent++];
            sent++;
            continue;
        }
        const struct vertex_item *item =
            taken < primasm->vertices_cycle ? queue_front(primasm->in, now) : NULL;
        if (!item)
            break;
        primasm_take(primasm, item);
        queue_pop(primasm->in, now);
        taken++;
    }
    return taken || sent ? UNIT_BUSY : UNIT_STARVED;
}
