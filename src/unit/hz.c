/* Hierarchical Z.
 *
 * Keeps for every block of the depth surface (a z cache line: an 8x8 tile, or multisampled a part
 * of one) the farthest depth that it may hold, and drops a tile of fragments when the nearest depth
 * of its triangle there is farther than all of them: only under LESS and LEQUAL, and when no
 * stencil operation could have happened. Far depths come from the z tests when a line leaves their
 * cache, and from clears. A draw that can move depth away (other functions with depth writes) makes
 * all that is known void; blits and transfers into the surface, and leaving it for another one, do
 * so by CONTROL_INVALIDATE. One surface at a time: each starts with nothing known.
 *
 * Two tiles a cycle in, and StampsPerCycle quads out (2x64 fragments in the reference of 2005): to
 * the ROP that owns the tile (early test), or to the interpolator (late test). Latency
 * HZAccessLatency, on the queues behind. An entry is a 32-bit float here: hardware would round away
 * from the eye to fewer bits. Source: machine.md (units, order and hazards). Not modelled: the
 * buffer's own cache (HZCacheLines). */
#include "unit/hz.h"

#include "base/mem.h"
#include "unit/watch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static enum unit_state hz_clock(void *self, uint64_t now);

void
hz_init(struct hz *hz, struct clock *clock, const struct params *params, struct pools *pools,
        uint32_t rops)
{
    memset(hz, 0, sizeof *hz);
    clock_add_module(clock, &hz->module, "hz", -1, hz, hz_clock);
    hz->pools = pools;
    hz->rops = rops;
    hz->enabled = !params->RASTERIZER.DisableHZ;
    hz->quads_cycle = params->RASTERIZER.StampsPerCycle;
    hz->entries = params->RASTERIZER.HierarchicalZBufferSize;
    hz->far_depth = mem_alloc(hz->entries * sizeof(float));
}

void
hz_fini(struct hz *hz)
{
    free(hz->far_depth);
}

static void
fill(struct hz *hz, float depth)
{
    for (uint32_t i = 0; i < hz->entries; i++)
        hz->far_depth[i] = depth;
}

void
hz_reset(struct hz *hz)
{
    hz->surface_address = 0;
    hz->draw = NULL;
}

static uint32_t
surface_address(const struct bound_surface *surface)
{
    return surface->res->address +
           resource_offset(surface->res, surface->level, 0, 0, surface->layer, 0);
}

static void
use_surface(struct hz *hz, const struct bound_surface *surface, float depth)
{
    hz->surface_address = surface_address(surface);
    hz->tiles_x = surface->res->levels[surface->level].tiles_x;
    hz->blocks = surface->res->tile_bytes / 256;
    fill(hz, depth);
}

static bool
stencil_has_effect(const struct draw *draw)
{
    for (uint32_t i = 0; i < 2; i++) {
        const struct stencil_face *face = &draw->dsa.stencil[i];
        if (face->enabled && (face->fail_op || face->zpass_op || face->zfail_op))
            return true;
    }
    return false;
}

static void
begin_draw(struct hz *hz, const struct draw *draw)
{
    hz->draw = draw;
    hz->may_cull = false;
    hz->moves_away = false;
    if (!hz->enabled || !draw->depth.res || !draw->depth_test)
        return;
    if (hz->surface_address != surface_address(&draw->depth))
        use_surface(hz, &draw->depth, 1.0f);
    uint8_t func = draw->dsa.depth_func;
    hz->moves_away = draw->depth_write && func != FUNC_LESS && func != FUNC_LEQUAL &&
                     func != FUNC_EQUAL && func != FUNC_NEVER;
    if (hz->moves_away) {
        fill(hz, 1.0f);
        hz->stats.poisoned++;
    }
    hz->may_cull =
        (func == FUNC_LESS || func == FUNC_LEQUAL) && !stencil_has_effect(draw) && draw->early_z;
}

/* The farthest depth that the tile at (x, y) may hold; false when the buffer does not reach it. */
static bool
farthest(const struct hz *hz, uint32_t x, uint32_t y, float *depth)
{
    uint32_t first = (y / TILE_SIZE * hz->tiles_x + x / TILE_SIZE) * hz->blocks;
    if (first + hz->blocks > hz->entries)
        return false;
    *depth = hz->far_depth[first];
    for (uint32_t i = 1; i < hz->blocks; i++)
        if (hz->far_depth[first + i] > *depth)
            *depth = hz->far_depth[first + i];
    return true;
}

/* The nearest depth that the triangle's plane has over the tile, not nearer than its vertices;
 * samples may lie half a pixel beyond the pixel centres. */
static float
nearest(const struct triangle *t, uint32_t x, uint32_t y)
{
    float near = 2;
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t px = x + (i & 1) * (TILE_SIZE - 2), py = y + (i >> 1) * (TILE_SIZE - 2);
        float z[4];
        depth_interpolate(t, px, py, z); /* clamped; corners of the tile are among these */
        for (uint32_t f = 0; f < 4; f++)
            near = z[f] < near ? z[f] : near;
    }
    if (t->draw->multisample)
        near -= 0.5f * (fabsf(t->z.a) + fabsf(t->z.b));
    return near > t->z_min ? near : t->z_min;
}

/* How much nearer the test behind may see a fragment than nearest() says: two steps of the depth
 * format, and the rounding of the plane's terms. */
static float
margin(const struct tile_item *tile)
{
    const struct triangle *t = &tile->triangle->triangle;
    float reach_x = fabsf((float)tile->x - t->origin_x) + TILE_SIZE;
    float reach_y = fabsf((float)tile->y - t->origin_y) + TILE_SIZE;
    float terms = fabsf(t->z.a) * reach_x + fabsf(t->z.b) * reach_y + fabsf(t->z.c);
    uint32_t bits = tile->draw->depth.format->depth_bits;
    float step = bits == 16 ? 1.0f / 65535.0f : 1.0f / 16777215.0f;
    return 2 * step + terms * (1.0f / 2097152.0f);
}

static bool
culled(struct hz *hz, const struct tile_item *tile)
{
    if (!hz->may_cull)
        return false;
    float far_depth;
    if (!farthest(hz, tile->x, tile->y, &far_depth))
        return false;
    hz->stats.tiles_tested++;
    const struct triangle *t = &tile->triangle->triangle;
    return nearest(t, tile->x, tile->y) + hz->fault_offset - margin(tile) > far_depth;
}

static void
drop_tile(struct hz *hz)
{
    triangle_release(hz->pools, hz->tile.triangle);
    hz->tile.triangle = NULL;
}

/* Sends quads of the tile in hand, as many as there are places left in this cycle; false when a
 * queue is full or the places are used up. */
static bool
send_quads(struct hz *hz, uint64_t now, uint32_t *places, bool *worked)
{
    const uint32_t samples = hz->tile.draw->samples;
    struct queue *out = hz->late;
    if (hz->tile.draw->early_z)
        out = hz->early[rop_of_tile(hz->tile.x / TILE_SIZE, hz->tile.y / TILE_SIZE, hz->rops)];
    for (; hz->next_quad < 16; hz->next_quad++) {
        uint32_t q = hz->next_quad, mask = hz->tile.mask >> (4 * q) & 15;
        if (!mask)
            continue;
        if (!*places) {
            module_wake_at(&hz->module, now + 1);
            return false;
        }
        if (!queue_space(out, now))
            return false;
        --*places;
        struct quad *quad = quad_create(hz->pools, hz->tile.triangle);
        /* quad q of Morton order: bits 0, 2 are x, bits 1, 3 are y */
        quad->x = (uint16_t)(hz->tile.x + ((q & 1) | (q >> 1 & 2)) * 2);
        quad->y = (uint16_t)(hz->tile.y + ((q >> 1 & 1) | (q >> 2 & 2)) * 2);
        quad->mask = samples == 1 ? mask : raster_quad_mask(hz->tile.samples, samples, q);
        depth_interpolate_samples(&hz->tile.triangle->triangle, quad->x, quad->y, quad->z);
        WATCH_QUAD(hz->pools, quad, hz->tile.draw);
        *(struct quad_item *)queue_push(out, now) =
            (struct quad_item){ITEM_DATA, hz->tile.draw, quad, 0};
        hz->stats.quads_out++;
        *worked = true;
    }
    drop_tile(hz);
    return true;
}

static bool
send_end(struct hz *hz, const struct draw *draw, uint64_t now)
{
    struct quad_item end = {ITEM_END, draw, NULL, 0};
    if (!draw->early_z) {
        if (!queue_space(hz->late, now))
            return false;
        *(struct quad_item *)queue_push(hz->late, now) = end;
        return true;
    }
    for (uint32_t r = 0; r < hz->rops; r++)
        if (!queue_space(hz->early[r], now))
            return false;
    for (uint32_t r = 0; r < hz->rops; r++)
        *(struct quad_item *)queue_push(hz->early[r], now) = end;
    return true;
}

static bool
take_updates(struct hz *hz, uint64_t now)
{
    bool worked = false;
    for (uint32_t r = 0; r < hz->rops; r++) {
        for (const struct hz_update *update; (update = queue_front(hz->updates[r], now));) {
            if (update->block < hz->entries && hz->surface_address == update->surface_address &&
                !hz->moves_away) {
                hz->far_depth[update->block] = update->far_depth;
                hz->stats.updates++;
            }
            queue_pop(hz->updates[r], now);
            worked = true;
        }
    }
    return worked;
}

static bool
obey(struct hz *hz, uint64_t now)
{
    const struct control_item *item = queue_front(hz->control, now);
    if (!item || !queue_space(hz->done, now))
        return false;
    if (item->kind == CONTROL_CLEAR && (item->buffers & MASK_DEPTH))
        use_surface(hz, &item->surface, (float)item->depth);
    else if (item->kind == CONTROL_INVALIDATE)
        hz_reset(hz);
    *(struct done_item *)queue_push(hz->done, now) = (struct done_item){false, 0};
    queue_pop(hz->control, now);
    return true;
}

static enum unit_state
hz_clock(void *self, uint64_t now)
{
    struct hz *hz = self;
    bool worked = take_updates(hz, now), blocked = false;
    worked |= obey(hz, now);
    uint32_t places = hz->quads_cycle;
    for (uint32_t tiles = 0; tiles < 2; tiles++) {
        if (hz->tile.triangle) {
            if ((blocked = !send_quads(hz, now, &places, &worked)))
                break;
            continue;
        }
        const struct tile_item *item = queue_front(hz->in, now);
        if (!item)
            break;
        if (item->kind == ITEM_END) {
            if ((blocked = !send_end(hz, item->draw, now)))
                break;
            queue_pop(hz->in, now);
            worked = true;
            break;
        }
        if (item->draw != hz->draw)
            begin_draw(hz, item->draw);
        hz->tile = *item;
        hz->next_quad = 0;
        queue_pop(hz->in, now);
        worked = true;
        hz->stats.tiles_in++;
        if (culled(hz, &hz->tile)) {
            hz->stats.tiles_culled++;
            WATCH_TILE(hz->pools, &hz->tile);
            hz->stats.fragments_culled += (uint64_t)__builtin_popcountll(hz->tile.mask);
            drop_tile(hz);
        } else if ((blocked = !send_quads(hz, now, &places, &worked))) {
            break;
        }
    }
    return worked ? UNIT_BUSY : blocked ? UNIT_BLOCKED : UNIT_STARVED;
}
