/* Fragment Generator.
 *
 * Walks triangles with one of several generators (generators.def). For each 8x8 tile that a
 * triangle covers, sends the tile with a coverage mask. A generator walks the triangles of a batch
 * together. A batch is one triangle, or several once enough have arrived or the draw ends.
 *
 * The unit generates MSAASamplesCycle samples of each fragment per cycle, so a multisampled quad
 * takes several passes. It holds BatchQueueSize triangles, including the current batch. The latency
 * is one cycle, modelled by the queue to Hierarchical Z. Source: docs/design/machine.md, Fragment
 * Generator; ATTILA's TriangleTraversal. */
#include "base/bits.h"
#include "unit/raster/generator.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static enum unit_state fraggen_clock(void *self, uint64_t now);

static const struct generator *const generators[] = {
#define GENERATOR(symbol, name) [GENERATOR_##symbol] = &generator_##symbol,
#include "generators.def"
};

static void
fraggen_fini(void *self)
{
    struct fraggen *fraggen = self;
    free(fraggen->waiting);
    free(fraggen->walk);
}

static void
fraggen_reset(void *self)
{
    const struct fraggen *fraggen = self;
    const struct module *module = &fraggen->module;
    INVARIANT(module, !fraggen->ring.count && !fraggen->batch);
    INVARIANT(module, fraggen->finished == 0); /* all are reported to Triangle Setup */
}

static void
fraggen_view(void *self, uint64_t now)
{
    struct fraggen *fraggen = self;
    fraggen->generator->view(fraggen, now);
}

static const struct module_ops ops = {
    .clock = fraggen_clock,
    .view = fraggen_view,
    .reset = fraggen_reset,
    .fini = fraggen_fini,
};

void
fraggen_init(struct fraggen *fraggen, const struct unit_env *env, uint32_t index)
{
    const struct params *params = env->params;
    memset(fraggen, 0, sizeof *fraggen);
    clock_add_module(env->clock, &fraggen->module, "fraggen", -1, fraggen, &ops);
    fraggen->module.stage.cause = CAUSE_generate;
    fraggen->module.keeps_time = true;
    fraggen->pools = env->pools;
    fraggen->quads_cycle = params->RASTERIZER.StampsPerCycle;
    fraggen->samples_cycle = params->RASTERIZER.MSAASamplesCycle;
    fraggen->ring.capacity = params->RASTERIZER.BatchQueueSize;
    fraggen->waiting = mem_array(fraggen->ring.capacity, sizeof *fraggen->waiting);
    fraggen->batch_limit = 1;
    fraggen->generator = generators[params_generator(params)];
    fraggen->generator->create(fraggen, params);
}

/* The n-th triangle that the unit holds. */
static struct fraggen_waiting *
waiting_at(const struct fraggen *fraggen, uint32_t n)
{
    return &fraggen->waiting[ring_at(&fraggen->ring, n)];
}

const struct triangle *
fraggen_triangle(const struct fraggen *fraggen, uint32_t n)
{
    return &waiting_at(fraggen, n)->item.triangle->triangle;
}

uint64_t
fraggen_arrival(const struct fraggen *fraggen, uint32_t n)
{
    return waiting_at(fraggen, n)->arrival;
}

uint32_t
fraggen_passes(const struct fraggen *fraggen, uint32_t n)
{
    return (waiting_at(fraggen, n)->item.draw->samples + fraggen->samples_cycle - 1) /
           fraggen->samples_cycle;
}

/* Takes all items that fit. Returns whether the next item is the end of the draw. */
static bool
fraggen_take(struct fraggen *fraggen, uint64_t now)
{
    for (const struct triangle_item *item; (item = queue_front(fraggen->in, now));) {
        if (item->kind == ITEM_END)
            return true;
        if (ring_is_full(&fraggen->ring))
            return false;
        fraggen->waiting[ring_push(&fraggen->ring)] = (struct fraggen_waiting){*item, now, 0};
        fraggen->stats.triangles_in++;
        queue_pop(fraggen->in, now);
    }
    return false;
}

static void
fraggen_begin(struct fraggen *fraggen, uint64_t now)
{
    fraggen->batch = least(fraggen->ring.count, fraggen->batch_limit);
    fraggen->begun_cycle = now;
    fraggen->stats.batches++;
    fraggen->generator->begin(fraggen);
}

/* Counts the triangle in its size class: 0, 1, 2 to 3, 4 to 7, ... fragments. */
static void
count_size(struct fraggen_stats *stats, uint32_t fragments)
{
    const uint32_t last = sizeof stats->size / sizeof stats->size[0] - 1;
    const uint32_t class = fragments ? 32 - (uint32_t)__builtin_clz(fragments) : 0;
    stats->size[least(class, last)]++;
}

static void
finish_triangle(struct fraggen *fraggen)
{
    for (uint32_t i = 0; i < fraggen->batch; i++) {
        const struct fraggen_waiting *done = &fraggen->waiting[ring_pop(&fraggen->ring)];
        count_size(&fraggen->stats, done->fragments);
        triangle_release(fraggen->pools, done->item.triangle);
    }
    fraggen->finished += fraggen->batch;
    fraggen->batch = 0;
}

/* Mask of the tile's quads that have at least one fragment: one bit each, four bits apart. */
static uint64_t
quads_of(uint64_t mask)
{
    mask |= mask >> 1;
    mask |= mask >> 2;
    return mask & UINT64_C(0x1111111111111111);
}

uint32_t
fraggen_give(struct fraggen *fraggen, uint32_t n, int32_t x, int32_t y, uint64_t in, uint64_t now)
{
    struct fraggen_waiting *waiting = waiting_at(fraggen, n);
    const struct triangle_item *from = &waiting->item;
    const struct draw *draw = from->draw;
    uint64_t samples[MAX_SAMPLES];
    const uint64_t mask = raster_tile_samples(&from->triangle->triangle, x, y, samples) & in;
    fraggen->stats.tiles_tested++;
    if (!mask) {
        fraggen->stats.tiles_empty++;
        return 0;
    }
    triangle_hold(fraggen->pools, from->triangle);
    struct tile_item *out = queue_push(fraggen->out, now);
    out->kind = ITEM_DATA;
    out->draw = draw;
    out->triangle = from->triangle;
    out->x = (uint16_t)x;
    out->y = (uint16_t)y;
    out->mask = mask;
    for (uint32_t s = 0; s < draw->samples; s++)
        out->samples[s] = samples[s] & in;
    const uint32_t quads = bits_count(quads_of(mask));
    fraggen->stats.tiles_out++;
    fraggen->stats.tiles_full += mask == ~UINT64_C(0);
    fraggen->stats.fragments += bits_count(mask);
    waiting->fragments += bits_count(mask);
    fraggen->stats.quads += quads;
    fraggen->stats.quads_full += bits_count(quads_of(~mask) ^ UINT64_C(0x1111111111111111));
    return quads * fraggen_passes(fraggen, n);
}

static bool
pass_end(struct fraggen *fraggen, uint64_t now, enum unit_state *why)
{
    const struct triangle_item *item = queue_front(fraggen->in, now);
    if (!queue_space(fraggen->out, now)) {
        *why = UNIT_BLOCKED;
        return false;
    }
    *(struct tile_item *)queue_push(fraggen->out, now) =
        (struct tile_item){.kind = ITEM_END, .draw = item->draw};
    queue_pop(fraggen->in, now);
    return true;
}

static void
send_credits(struct fraggen *fraggen, uint64_t now)
{
    if (!fraggen->finished || !queue_space(fraggen->credits, now))
        return;
    *(struct triangle_credit *)queue_push(fraggen->credits, now) =
        (struct triangle_credit){fraggen->finished};
    fraggen->finished = 0;
}

static enum unit_state
generate_tiles(struct fraggen *fraggen, uint64_t now)
{
    enum unit_state why = UNIT_STARVED;
    bool worked = false;
    const bool ending = fraggen_take(fraggen, now);
    if (!fraggen->batch && fraggen->ring.count &&
        (ending || fraggen->ring.count >= fraggen->batch_limit)) {
        fraggen_begin(fraggen, now);
        worked = true;
    }
    if (fraggen->batch) {
        worked |= fraggen->generator->step(fraggen, now, &why);
        if (fraggen->generator->is_done(fraggen))
            finish_triangle(fraggen);
    } else if (ending && !fraggen->ring.count) {
        worked = pass_end(fraggen, now, &why);
    }
    send_credits(fraggen, now);
    return worked ? UNIT_BUSY : why;
}

static enum unit_state
fraggen_clock(void *self, uint64_t now)
{
    struct fraggen *fraggen = self;
    if (now < fraggen->free_cycle) {
        module_wake_at(&fraggen->module, fraggen->free_cycle);
        send_credits(fraggen, now);
        return UNIT_BUSY;
    }
    const enum unit_state state = generate_tiles(fraggen, now);
    if (state == UNIT_BUSY)
        module_wake_at(&fraggen->module, fraggen->free_cycle > now ? fraggen->free_cycle : now + 1);
    return state;
}
