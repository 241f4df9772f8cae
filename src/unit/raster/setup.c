/* Triangle Setup.
 *
 * Computes edge equations, and planes of depth and attributes. Culls faces. Clips primitives
 * geometrically if they need it; such a primitive may produce several triangles. Each of SetupUnits
 * units starts a triangle every SetupStartLatency cycles, including culled ones. At most
 * TrianglesCycle triangles start per cycle. A triangle occupies one of EmulatorStoredTriangles
 * entries until the Fragment Generator has walked it. The latency is SetupLatency plus the latency
 * of the bus. The queue to the Fragment Generator models both.
 *
 * With TriangleSetupOnShader, each triangle that is not culled is one thread of a program on the
 * shader units. Its time replaces SetupLatency. A triangle occupies one of TriangleShaderQueueSize
 * entries from its start until the Fragment Generator takes it. Results return in any order.
 * Triangles, and the ends of draws, which also occupy an entry, leave in order.
 *
 * Source: docs/design/machine.md, Triangle Setup; ATTILA's TriangleSetup. Not modelled: the traffic
 * of loading the setup program. */
#include "unit/raster/setup.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static enum unit_state setup_clock(void *self, uint64_t now);

static void
setup_wire(void *self)
{
    struct setup *setup = self;
    if (!setup->on_shader)
        return;
    setup->result_stage.cause = CAUSE_setup;
    setup->shaded->to = setup->credits->to = setup->out->from = &setup->result_stage;
}

static void
setup_reset(void *self)
{
    const struct setup *setup = self;
    const struct module *module = &setup->module;
    INVARIANT(module, setup->stored == 0);
    INVARIANT(module, setup->outputs_sent == setup->output_count);
    INVARIANT(module, setup->ring.count == 0);
}

static void
setup_fini(void *self)
{
    struct setup *setup = self;
    free(setup->entries);
}

static const struct module_ops ops = {
    .clock = setup_clock,
    .wire = setup_wire,
    .reset = setup_reset,
    .fini = setup_fini,
};

void
setup_init(struct setup *setup, const struct unit_env *env, uint32_t index)
{
    const struct params *params = env->params;
    memset(setup, 0, sizeof *setup);
    clock_add_module(env->clock, &setup->module, "setup", -1, setup, &ops);
    setup->module.stage.cause = CAUSE_setup;
    setup->pools = env->pools;
    setup->triangles_cycle = params->RASTERIZER.TrianglesCycle;
    setup->start_cycles = params->RASTERIZER.SetupStartLatency;
    setup->lanes.count = params->RASTERIZER.SetupUnits;
    setup->stored_limit = params->RASTERIZER.EmulatorStoredTriangles;
    setup->on_shader = params->RASTERIZER.TriangleSetupOnShader;
    if (!setup->on_shader)
        return;
    setup->ring.capacity = params->RASTERIZER.TriangleShaderQueueSize;
    setup->entries = mem_array(setup->ring.capacity, sizeof *setup->entries);
}

static void
count_lost(struct setup *setup)
{
    setup->stats.culled++;
    setup->stats.culled_face += setup->state.lost == SETUP_LOST_FACE;
    setup->stats.culled_no_area += setup->state.lost == SETUP_LOST_AREA;
    setup->stats.culled_no_pixel += setup->state.lost == SETUP_LOST_PIXELS;
}

static void
set_up(struct setup *setup, const struct primitive_item *item)
{
    const struct vertex *v[3] = {0};
    for (uint32_t i = 0; i < item->primitive.vertices; i++)
        v[i] = &item->v[i]->vertex;
    setup->draw = item->draw;
    setup->outputs_sent = 0;
    setup->output_count =
        setup_primitive(item->draw, &item->primitive, v, item->clip, &setup->state, setup->outputs);
    setup->number = item->number;
    setup->stats.primitives_in++;
    setup->stats.clipped += item->clip == CLIP_NEEDED;
    if (setup->output_count == 0)
        count_lost(setup);
    else
        setup->stats.extra_triangles += setup->output_count - 1;
    for (uint32_t i = 0; i < item->primitive.vertices; i++)
        vertex_release(setup->pools, item->v[i]);
}

/* Whether the Fragment Generator can take an item of this kind. */
static bool
can_send(struct setup *setup, enum item_kind kind, uint64_t now)
{
    return !(kind == ITEM_DATA && setup->stored == setup->stored_limit) &&
           queue_space(setup->out, now);
}

static void
send(struct setup *setup, const struct triangle_item *item, uint64_t now)
{
    *(struct triangle_item *)queue_push(setup->out, now) = *item;
    if (item->kind == ITEM_END)
        return;
    const struct triangle *triangle = &item->triangle->triangle;
    setup->stored++;
    INVARIANT(&setup->module, setup->stored <= setup->stored_limit);
    setup->stats.triangles_out++;
    setup->stats.one_tile += triangle->min_x / TILE_SIZE == triangle->max_x / TILE_SIZE &&
                             triangle->min_y / TILE_SIZE == triangle->max_y / TILE_SIZE;
}

/* Whether a triangle, or the end of a draw, can leave the setup units. */
static bool
can_pass_on(struct setup *setup, enum item_kind kind, uint64_t now)
{
    if (!setup->on_shader)
        return can_send(setup, kind, now);
    setup->ring_awaited |= ring_is_full(&setup->ring);
    return !ring_is_full(&setup->ring) && queue_space(setup->jobs, now);
}

/* Sends an item to the Fragment Generator, or first to the shader units. */
static void
pass_on(struct setup *setup, struct triangle_item item, uint64_t now)
{
    if (!setup->on_shader) {
        send(setup, &item, now);
        return;
    }
    if (setup->ring_awaited) /* critical path: a result has freed an entry */
        module_resume(&setup->module, &setup->module.stage, setup->result_stage.cp_ref, now);
    setup->ring_awaited = false;
    if (item.kind == ITEM_DATA) {
        triangle_hold(setup->pools, item.triangle); /* until its result returns */
        item.triangle->set_up = false;
    }
    setup->entries[ring_push(&setup->ring)] =
        (struct setup_entry){item, {setup->module.stage.cp_ref, now}};
    *(struct triangle_item *)queue_push(setup->jobs, now) = item;
}

/* Takes the results of the shader units. */
static bool
take_results(struct setup *setup, uint64_t now)
{
    bool worked = false;
    for (const struct triangle_item *item; (item = queue_front(setup->shaded, now));) {
        INVARIANT(&setup->module, !item->triangle->set_up);
        item->triangle->set_up = true;
        triangle_release(setup->pools, item->triangle);
        setup->result_cycle = now;
        queue_pop(setup->shaded, now);
        worked = true;
    }
    return worked;
}

/* Sends triangles that the shader units have set up, and ends of draws, in order. */
static bool
send_results(struct setup *setup, uint64_t now, enum unit_state *why)
{
    bool worked = false;
    for (uint32_t rate = 0; rate < setup->triangles_cycle && setup->ring.count; rate++) {
        const struct setup_entry *entry = &setup->entries[setup->ring.head];
        if (entry->item.kind == ITEM_DATA && !entry->item.triangle->set_up) {
            *why = UNIT_WAITING;
            break;
        }
        if (!can_send(setup, entry->item.kind, now)) {
            *why = UNIT_BLOCKED;
            break;
        }
        /* Critical path: the item leaves after its arrival, and after the last result. */
        const struct cp_stamp result = {setup->result_stage.cp_ref, setup->result_cycle};
        module_resume(&setup->module, &setup->result_stage,
                      path_later(entry->arrival, result).cp_ref, now);
        send(setup, &entry->item, now);
        ring_pop(&setup->ring);
        worked = true;
    }
    return worked;
}

/* Frees the entries of triangles that the Fragment Generator has finished. */
static void
take_credits(struct setup *setup, uint64_t now)
{
    for (const struct triangle_credit *item; (item = queue_front(setup->credits, now));) {
        INVARIANT(&setup->module, setup->stored >= item->triangles);
        setup->stored -= item->triangles;
        queue_pop(setup->credits, now);
    }
}

/* Whether a triangle can start in this cycle. If not, sets *why. */
static bool
can_start(struct setup *setup, uint64_t now, enum unit_state *why)
{
    if (lanes_are_free(&setup->lanes, &setup->module, now))
        return true;
    *why = UNIT_WAITING;
    return false;
}

/* Sends a triangle of the current primitive. Returns false if the triangle must wait. */
static bool
send_output(struct setup *setup, uint64_t now, enum unit_state *why)
{
    if (setup->outputs_sent && !can_start(setup, now, why)) /* the first one has already started */
        return false;
    if (!can_pass_on(setup, ITEM_DATA, now)) {
        *why = UNIT_BLOCKED;
        return false;
    }
    if (setup->outputs_sent)
        lanes_start(&setup->lanes, now, setup->start_cycles);
    struct pooled_triangle *triangle = triangle_create(setup->pools);
    triangle->triangle = setup->outputs[setup->outputs_sent++];
    triangle->number = setup->number;
    pass_on(setup, (struct triangle_item){ITEM_DATA, setup->draw, triangle}, now);
    return true;
}

/* Takes the next primitive, or passes on the end of a draw. Returns false if there is no item, or
 * if the item must wait. */
static bool
setup_take(struct setup *setup, uint64_t now, enum unit_state *why)
{
    const struct primitive_item *item = queue_front(setup->in, now);
    if (!item)
        return false;
    if (item->kind == ITEM_END) {
        if (!can_pass_on(setup, ITEM_END, now)) {
            *why = UNIT_BLOCKED;
            return false;
        }
        pass_on(setup, (struct triangle_item){ITEM_END, item->draw, NULL}, now);
        setup->state = (struct setup_state){0};
    } else {
        if (!can_start(setup, now, why))
            return false;
        lanes_start(&setup->lanes, now, setup->start_cycles);
        set_up(setup, item);
    }
    queue_pop(setup->in, now);
    return true;
}

static enum unit_state
setup_clock(void *self, uint64_t now)
{
    struct setup *setup = self;
    enum unit_state why = UNIT_STARVED;
    bool worked = false;
    take_credits(setup, now);
    if (setup->on_shader)
        worked = take_results(setup, now);
    for (uint32_t rate = 0; rate < setup->triangles_cycle; rate++) {
        if (setup->outputs_sent == setup->output_count) {
            if (!setup_take(setup, now, &why))
                break;
            worked = true;
        }
        if (setup->outputs_sent < setup->output_count) {
            if (!send_output(setup, now, &why))
                break;
            worked = true;
        }
    }
    if (setup->on_shader) /* last, so that a free entry is used from the next cycle on */
        worked |= send_results(setup, now, &why);
    return worked ? UNIT_BUSY : why;
}
