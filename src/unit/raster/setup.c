/* Triangle Setup.
 *
 * Computes edge equations, and planes of depth and attributes. Culls faces. Clips primitives
 * geometrically if they need it; such a primitive may produce several triangles. Each of SetupUnits
 * units starts a triangle every SetupStartLatency cycles, including culled ones. At most
 * TrianglesCycle triangles start per cycle. A triangle occupies one of EmulatorStoredTriangles
 * entries until the Fragment Generator has walked it. The latency is SetupLatency plus the latency
 * of the bus. The queue to the Fragment Generator models both. Source: docs/design/machine.md,
 * Triangle Setup; ATTILA's TriangleSetup. Not modelled: setup by a program on the shader units. */
#include "unit/raster/setup.h"

#include <string.h>

static enum unit_state setup_clock(void *self, uint64_t now);

static void
setup_reset(void *self)
{
    const struct setup *setup = self;
    const struct module *module = &setup->module;
    INVARIANT(module, setup->stored == 0);
    INVARIANT(module, setup->outputs_sent == setup->output_count);
}

static const struct module_ops ops = {
    .clock = setup_clock,
    .reset = setup_reset,
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

static void
send_triangle(struct setup *setup, uint64_t now)
{
    struct pooled_triangle *triangle = triangle_create(setup->pools);
    const struct triangle *output = &setup->outputs[setup->outputs_sent++];
    triangle->triangle = *output;
    triangle->number = setup->number;
    *(struct triangle_item *)queue_push(setup->out, now) =
        (struct triangle_item){ITEM_DATA, setup->draw, triangle};
    setup->stored++;
    INVARIANT(&setup->module, setup->stored <= setup->stored_limit);
    setup->stats.triangles_out++;
    setup->stats.one_tile += output->min_x / TILE_SIZE == output->max_x / TILE_SIZE &&
                             output->min_y / TILE_SIZE == output->max_y / TILE_SIZE;
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
    if (setup->stored == setup->stored_limit || !queue_space(setup->out, now)) {
        *why = UNIT_BLOCKED;
        return false;
    }
    if (setup->outputs_sent)
        lanes_start(&setup->lanes, now, setup->start_cycles);
    send_triangle(setup, now);
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
        if (!queue_space(setup->out, now)) {
            *why = UNIT_BLOCKED;
            return false;
        }
        *(struct triangle_item *)queue_push(setup->out, now) =
            (struct triangle_item){ITEM_END, item->draw, NULL};
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
    return worked ? UNIT_BUSY : why;
}
