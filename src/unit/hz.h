/* Hierarchical Z: drops tiles that lie behind everything drawn there. */
#ifndef AETIUS_UNIT_HZ_H
#define AETIUS_UNIT_HZ_H

#include "kernel/params.h"
#include "unit/items.h"
#include "unit/stats.h"

struct hz {
    struct module module;
    struct hz_stats stats;
    struct pools *pools;
    struct queue *in;
    struct queue *early[MAX_ROPS]; /* quads to the z tests */
    struct queue *late;            /* quads straight to the interpolator */
    struct queue *control, *done;
    struct queue *updates[MAX_ROPS]; /* far depths from the z tests */
    uint32_t rops;
    bool enabled;
    /* The buffer: the farthest depth a block may hold, of one depth surface at a time. */
    float *far_depth;
    uint32_t quads_cycle;              /* out, in all */
    uint32_t entries, tiles_x, blocks; /* blocks: of a tile, an entry each */
    uint32_t surface_address;          /* 0: none; forgotten when the surface is left */
    const struct draw *draw;           /* whose rules are baked below */
    bool may_cull, moves_away;
    float fault_offset; /* fault injection: added to what is compared */
    /* the tile in hand */
    struct tile_item tile; /* .triangle NULL: none */
    uint32_t next_quad;
};

void hz_init(struct hz *hz, struct clock *clock, const struct params *params, struct pools *pools,
             uint32_t rops);
void hz_fini(struct hz *hz);
/* Forgets what it knows: every tile may hold anything. */
void hz_reset(struct hz *hz);

#endif
