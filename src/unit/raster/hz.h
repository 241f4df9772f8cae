/* Hierarchical Z: drops fragments that are farther than all that was drawn at their place
 * (docs/design/rasterizer.md, Hierarchical Z).
 *
 * In: struct tile_item, and struct hz_update from the z tests; out: struct quad_item, to the z test
 * of the tile's ROP (early) or to the Interpolator (late). The unit creates the quads. Far depths
 * are 16 bits, 0 nearest; HZ_FARTHEST means unknown. The unit owns its buffer and `waiting`.
 * hz_init() cannot fail. */
#ifndef AETIUS_UNIT_HZ_H
#define AETIUS_UNIT_HZ_H

#include "base/ring.h"
#include "params/params.h"
#include "unit/env.h"
#include "unit/items.h"
#include "unit/raster/hz_buffer.h"
#include "unit/stall.h"
#include "unit/stats.h"

struct hz_waiting { /* a tile whose far depths are being read */
    struct tile_item tile;
    bool tested;          /* its far depths are wanted; else it goes on as it is */
    uint32_t asked, read; /* of its blocks: those whose cache line is locked; those read */
    uint16_t far[16];     /* of each group of quads: the farthest so far */
};

struct hz {
    struct module module;
    struct hz_stats stats;
    struct stall stall;
    struct pools *pools;
    struct queue *in;
    struct queue *early[MAX_ROPS]; /* quads to the z tests */
    struct queue *late;            /* quads straight to the interpolator */
    struct queue *control, *done;
    struct queue *updates[MAX_ROPS]; /* far depths from the z tests */
    uint32_t rops;
    bool enabled;
    uint32_t quads_cycle; /* out, in all */
    uint32_t read_cycles, blocks_cleared_cycle;
    struct hz_buffer buffer;
    /* A draw that moves depth away makes void what is known of its surface from its first tile on,
     * and updates that were made before its last one. HZ and each z test count the generations of
     * updates alike, HZ when such a draw or a clear of depth begins, the z test when it has ended;
     * HZ accepts updates of its generation only. */
    uint32_t generation;
    uint64_t free_cycle; /* blocks are being cleared until then */
    bool executing;      /* a clear */
    /* the draw in hand */
    const struct draw *draw;
    struct hz_surface *surface; /* its depths; NULL: not tested */
    bool may_cull;
    /* tiles; blocks are asked for from number `ahead` on */
    struct hz_waiting *waiting;
    struct ring ring;
    uint32_t ahead;
    bool sending; /* the first one was tested, its quads are leaving */
    uint32_t next_quad;
    /* fault injection */
    float fault_offset;    /* added to what is compared */
    bool fault_keep_clear; /* clears leave the far depths as they were */
};

void hz_init(struct hz *hz, const struct unit_env *env, uint32_t index);

#endif
