/* Clipper.
 *
 * Rejects primitives that are entirely outside one plane of the frustum or a user clip plane. Marks
 * the primitives that Triangle Setup must clip geometrically. Each of ClipperUnits test units takes
 * a primitive every StartLatency cycles. At most TrianglesCycle primitives start per cycle. The
 * latency is ExecLatency plus the latency of the bus to Triangle Setup. The queue to Triangle Setup
 * models both. Source: docs/design/machine.md, Clipper; ATTILA's Clipper. */
#include "unit/frontend/clipper.h"

#include <string.h>

static enum unit_state clipper_clock(void *self, uint64_t now);

static const struct module_ops ops = {
    .clock = clipper_clock,
};

void
clipper_init(struct clipper *clipper, const struct unit_env *env, uint32_t index)
{
    const struct params *params = env->params;
    memset(clipper, 0, sizeof *clipper);
    clock_add_module(env->clock, &clipper->module, "clipper", -1, clipper, &ops);
    clipper->module.stage.cause = CAUSE_clip;
    clipper->pools = env->pools;
    clipper->triangles_cycle = params->CLIPPER.TrianglesCycle;
    clipper->start_cycles = params->CLIPPER.StartLatency;
    clipper->lanes.count = params->CLIPPER.ClipperUnits;
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
    clipper->stats.inside += result == CLIP_INSIDE;
    struct primitive_item *out = queue_push(clipper->out, now);
    *out = *item;
    out->clip = result;
}

static enum unit_state
clipper_clock(void *self, uint64_t now)
{
    struct clipper *clipper = self;
    uint32_t done = 0;
    enum unit_state why = UNIT_STARVED;
    for (; done < clipper->triangles_cycle; done++) {
        const struct primitive_item *item = queue_front(clipper->in, now);
        const bool emitted = item && item->kind == ITEM_RESTART;
        if (emitted)
            item = queue_front(clipper->emitted, now);
        if (!item)
            break;
        if (item->kind == ITEM_DATA && !lanes_are_free(&clipper->lanes, &clipper->module, now)) {
            why = UNIT_WAITING;
            break;
        }
        if (!queue_space(clipper->out, now)) {
            why = UNIT_BLOCKED;
            break;
        }
        if (item->kind == ITEM_DATA)
            lanes_start(&clipper->lanes, now, clipper->start_cycles);
        clip(clipper, item, now);
        if (!emitted || item->kind == ITEM_END)
            queue_pop(clipper->in, now);
        if (emitted)
            queue_pop(clipper->emitted, now);
    }
    return done ? UNIT_BUSY : why;
}
