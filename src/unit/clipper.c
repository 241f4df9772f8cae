/* Clipper.
 *
 * Drops primitives that lie wholly outside one plane of the frustum or a user plane, and notes
 * which of the others setup has to clip geometrically. TrianglesCycle primitives a cycle; latency
 * ExecLatency, on the queue to setup. Source: machine.md (units). Not modelled: start latency and
 * the number of clipper units apart from the rate. */
#include "unit/clipper.h"

#include <string.h>

static enum unit_state clipper_clock(void *self, uint64_t now);

void
clipper_init(struct clipper *clipper, struct clock *clock, const struct params *params,
             struct pools *pools)
{
    memset(clipper, 0, sizeof *clipper);
    clock_add_module(clock, &clipper->module, "clipper", -1, clipper, clipper_clock);
    clipper->pools = pools;
    clipper->triangles_cycle = params->CLIPPER.TrianglesCycle;
}

static void
clip(struct clipper *clipper, const struct primitive_item *item, uint64_t now)
{
    if (item->kind == ITEM_END) {
        *(struct primitive_item *)queue_push(clipper->out, now) = *item;
        return;
    }
    const struct vertex *v[3] = {0};
    for (uint32_t i = 0; i < item->primitive.vertices; i++)
        v[i] = &item->v[i]->vertex;
    enum clip_result result = clip_test(item->draw, &item->primitive, v);
    clipper->stats.primitives_in++;
    if (result == CLIP_REJECT) {
        clipper->stats.rejected++;
        for (uint32_t i = 0; i < item->primitive.vertices; i++)
            vertex_release(clipper->pools, item->v[i]);
        return;
    }
    clipper->stats.to_clip += result == CLIP_NEEDED;
    struct primitive_item *out = queue_push(clipper->out, now);
    *out = *item;
    out->clip = result;
}

static enum unit_state
clipper_clock(void *self, uint64_t now)
{
    struct clipper *clipper = self;
    uint32_t done = 0;
    bool blocked = false;
    for (; done < clipper->triangles_cycle; done++) {
        const struct primitive_item *item = queue_front(clipper->in, now);
        if (!item)
            break;
        if (!queue_space(clipper->out, now)) {
            blocked = true;
            break;
        }
        clip(clipper, item, now);
        queue_pop(clipper->in, now);
    }
    return done ? UNIT_BUSY : blocked ? UNIT_BLOCKED : UNIT_STARVED;
}
