/* Triangle setup.
 *
 * Edge equations, depth and attribute planes, face culling; primitives that need it are clipped
 * geometrically here and give several triangles, one a place of the rate. TrianglesCycle triangles
 * a cycle; latency SetupLatency, on the queue to the fragment generator. Source: machine.md (units;
 * the one rule of setup). Not modelled: setup on the shader, the number of setup units apart from
 * the rate. */
#include "unit/setup.h"

#include <string.h>

static enum unit_state setup_clock(void *self, uint64_t now);

void
setup_init(struct setup *setup, struct clock *clock, const struct params *params,
           struct pools *pools)
{
    memset(setup, 0, sizeof *setup);
    clock_add_module(clock, &setup->module, "setup", -1, setup, setup_clock);
    setup->pools = pools;
    setup->triangles_cycle = params->RASTERIZER.TrianglesCycle;
}

static void
set_up(struct setup *setup, const struct primitive_item *item)
{
    const struct vertex *v[3] = {0};
    for (uint32_t i = 0; i < item->primitive.vertices; i++)
        v[i] = &item->v[i]->vertex;
    setup->draw = item->draw;
    setup->made_sent = 0;
    setup->made_count =
        setup_primitive(item->draw, &item->primitive, v, item->clip, &setup->state, setup->made);
    setup->number++;
    setup->stats.primitives_in++;
    setup->stats.culled += setup->made_count == 0;
    setup->stats.clipped += item->clip == CLIP_NEEDED;
    for (uint32_t i = 0; i < item->primitive.vertices; i++)
        vertex_release(setup->pools, item->v[i]);
}

static void
send(struct setup *setup, uint64_t now)
{
    struct pooled_triangle *triangle = triangle_create(setup->pools);
    triangle->triangle = setup->made[setup->made_sent++];
    triangle->number = setup->number - 1;
    *(struct triangle_item *)queue_push(setup->out, now) =
        (struct triangle_item){ITEM_DATA, setup->draw, triangle};
    setup->stats.triangles_out++;
}

static enum unit_state
setup_clock(void *self, uint64_t now)
{
    struct setup *setup = self;
    bool worked = false, blocked = false;
    for (uint32_t rate = 0; rate < setup->triangles_cycle; rate++) {
        if (setup->made_sent == setup->made_count) {
            const struct primitive_item *item = queue_front(setup->in, now);
            if (!item)
                break;
            if (item->kind == ITEM_END) {
                if ((blocked = !queue_space(setup->out, now)))
                    break;
                *(struct triangle_item *)queue_push(setup->out, now) =
                    (struct triangle_item){ITEM_END, item->draw, NULL};
                setup->state = (struct setup_state){0};
                setup->number = 0;
            } else {
                set_up(setup, item);
            }
            queue_pop(setup->in, now);
            worked = true;
        }
        if (setup->made_sent < setup->made_count) {
            if ((blocked = !queue_space(setup->out, now)))
                break;
            send(setup, now);
            worked = true;
        }
    }
    return worked ? UNIT_BUSY : blocked ? UNIT_BLOCKED : UNIT_STARVED;
}
