/* Hierarchical Z: drops fragments that are farther than every depth that their block may hold
 * (docs/design/rasterizer.md, Hierarchical Z).
 *
 * Input: struct tile_item, and struct hz_update from the z tests. Output: struct quad_item, to the
 * z test of the tile's ROP (early) or to the Interpolator (late). The unit creates the quads. Far
 * depths are on a scale of 16 bits; 0 is nearest, and HZ_FARTHEST means unknown. The unit owns its
 * buffer and `waiting`. hz_init() cannot fail. */
#ifndef AETIUS_UNIT_HZ_H
#define AETIUS_UNIT_HZ_H

#include "base/ring.h"
#include "params/params.h"
#include "unit/env.h"
#include "unit/items.h"
#include "unit/raster/hz_buffer.h"
#include "unit/stall.h"
#include "unit/stats.h"

struct hz_waiting { /* a tile that waits for far depths */
    struct tile_item tile;
    bool tested;          /* will be tested; if false, it passes unchanged */
    uint32_t asked, read; /* blocks whose cache line is locked; blocks read */
    uint16_t far[16];     /* farthest depth found so far for each group of quads */
};

struct hz {
    struct module module;
    struct hz_stats stats;
    struct stall stall;
    struct pools *pools;
    const struct cover *cover; /* draws in front */
    struct queue *in;
    struct queue *early[MAX_ROPS]; /* quads to the z tests */
    struct queue *late;            /* quads directly to the Interpolator */
    struct queue *control, *done;
    struct queue *updates[MAX_ROPS]; /* far depths from the z tests */
    uint32_t rops;
    bool enabled;
    uint32_t tiles_cycle, quads_cycle; /* input rate, total output rate */
    uint32_t read_cycles, blocks_cleared_cycle;
    struct hz_buffer buffer;
    /* Generation of the far depths. A draw that moves depth away invalidates the far depths of its
     * surface from its first tile on. It also invalidates updates made before its last tile.
     * Hierarchical Z and each z test count generations in the same way: at each such draw, and at
     * each clear of depth. Hierarchical Z counts when these begin, and the z tests count when they
     * have ended. Hierarchical Z accepts only updates of its current generation. */
    uint32_t generation;
    uint64_t free_cycle; /* cycle in which the clear of blocks is complete */
    bool executing;      /* a clear is being executed */
    /* the current draw */
    const struct draw *draw;
    struct hz_surface *surface; /* depth surface of the draw; NULL: not tested */
    bool may_cull;
    /* Waiting tiles. Tile number `ahead` is the next one to request blocks. */
    struct hz_waiting *waiting;
    struct ring ring;
    uint32_t ahead;
    bool sending; /* the first tile was tested; its quads are leaving */
    uint32_t next_quad;
    /* fault injection */
    float fault_offset;    /* added to the depth that is compared */
    bool fault_keep_clear; /* clears do not change the far depths */
};

void hz_init(struct hz *hz, const struct unit_env *env, uint32_t index);

#endif
