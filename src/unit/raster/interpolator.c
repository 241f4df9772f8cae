/* Interpolator.
 *
 * Takes quads from the z tests round robin, or from Hierarchical Z. A pixel always comes from the
 * same z test, so the order per pixel is kept. The unit evaluates the inputs of the fragment
 * program from the triangle's planes, NumInterpolators attributes of each quad per cycle.
 * InterpolatedStampsPerCycle quads start together, by default as many as there are ROPs (2x4
 * fragments in the reference of 2005). The next quads
 * start when all attributes of these are complete. The latency is one cycle longer than the
 * attributes take, but at most 8 cycles if they take 8 or fewer. Source: docs/design/machine.md,
 * Interpolator; ATTILA's Interpolator. */
#include "unit/raster/interpolator.h"

#include <string.h>

static enum unit_state interpolator_clock(void *self, uint64_t now);

static void
interpolator_reset(void *self)
{
    struct interpolator *interpolator = self;
    const struct module *module = &interpolator->module;
    INVARIANT(module, !interpolator->ends && !interpolator->samples_passed);
    interpolator->rr_next = 0;
}

static const struct module_ops ops = {
    .clock = interpolator_clock,
    .reset = interpolator_reset,
};

void
interpolator_init(struct interpolator *interpolator, const struct unit_env *env, uint32_t index)
{
    const struct params *params = env->params;
    memset(interpolator, 0, sizeof *interpolator);
    clock_add_module(env->clock, &interpolator->module, "interpolator", -1, interpolator, &ops);
    interpolator->module.stage.cause = CAUSE_interpolate;
    interpolator->rops = env->rops;
    interpolator->quads_cycle =
        params_or_rops(params, params->RASTERIZER.InterpolatedStampsPerCycle);
    interpolator->attributes_cycle = params->RASTERIZER.NumInterpolators;
    interpolator->view.lanes = 4;
}

/* Number of cycles for the attributes of one quad of the draw. */
static uint32_t
attribute_cycles(const struct interpolator *interpolator, const struct draw *draw)
{
    const uint32_t a_cycle = interpolator->attributes_cycle;
    return draw->varying_count ? (draw->varying_count + a_cycle - 1) / a_cycle : 1;
}

static uint32_t
latency_of(uint32_t cycles)
{
    const uint32_t longest = cycles > 8 ? cycles : 8;
    return cycles + 1 < longest ? cycles + 1 : longest;
}

static void
interpolate(struct interpolator *interpolator, const struct quad_item *item, uint64_t now)
{
    struct quad *quad = item->quad;
    struct exec *view = &interpolator->view;
    view->program = item->draw->program[STAGE_FRAGMENT];
    view->inputs = quad->inputs;
    view->systems = quad->systems;
    interpolate_quad(&quad->triangle->triangle, quad->x, quad->y, view, 0);
    if (item->draw->centroid)
        interpolate_centroids(&quad->triangle->triangle, quad->x, quad->y, quad->mask, view, 0);
    const uint32_t cycles = attribute_cycles(interpolator, item->draw);
    *(struct quad_item *)queue_push_later(interpolator->out, now,
                                          latency_of(cycles) - interpolator->out->latency) = *item;
    if (cycles > 1)
        interpolator->free_cycle = now + cycles;
    interpolator->stats.quads++;
    interpolator->stats.fragments += quad_fragments(quad->mask);
    interpolator->stats.attributes += item->draw->varying_count;
}

/* Takes the end of a draw from one source. Sends it on when it has arrived from every z test. */
static bool
take_end(struct interpolator *interpolator, uint32_t source, const struct quad_item *item,
         uint64_t now)
{
    bool last = !item->draw->early_z || interpolator->ends + 1 == interpolator->rops;
    if (last && !queue_space(interpolator->out, now))
        return false;
    interpolator->samples_passed += item->samples_passed;
    interpolator->ends++;
    INVARIANT(&interpolator->module, interpolator->ends <= interpolator->rops);
    INVARIANT(&interpolator->module, source == interpolator->rops || !interpolator->ended[source]);
    if (source < interpolator->rops)
        interpolator->ended[source] = true;
    if (last) {
        struct quad_item *end = queue_push(interpolator->out, now);
        *end = *item;
        end->samples_passed = interpolator->samples_passed;
        interpolator->samples_passed = 0;
        interpolator->ends = 0;
        memset(interpolator->ended, 0, sizeof interpolator->ended);
    }
    return true;
}

static enum unit_state
interpolator_clock(void *self, uint64_t now)
{
    struct interpolator *interpolator = self;
    uint32_t done = 0;
    bool blocked = false;
    if (now < interpolator->free_cycle) {
        module_wake_at(&interpolator->module, interpolator->free_cycle);
        return UNIT_BUSY;
    }
    uint32_t inputs = interpolator->rops + 1;
    for (uint32_t i = 0; i < inputs; i++) {
        uint32_t source = (interpolator->rr_next + i) % inputs;
        struct queue *in =
            source < interpolator->rops ? interpolator->in[source] : interpolator->late_in;
        const struct quad_item *item;
        while (done < interpolator->quads_cycle &&
               !(source < interpolator->rops && interpolator->ended[source]) &&
               (item = queue_front(in, now))) {
            if (item->kind == ITEM_END) {
                if ((blocked = !take_end(interpolator, source, item, now)))
                    break;
            } else {
                if ((blocked = !queue_space(interpolator->out, now)))
                    break;
                interpolate(interpolator, item, now);
            }
            queue_pop(in, now);
            done++;
        }
    }
    if (done)
        interpolator->rr_next = (interpolator->rr_next + 1) % inputs;
    return done ? UNIT_BUSY : blocked ? UNIT_BLOCKED : UNIT_STARVED;
}
