/* Z & stencil test of one ROP. */
#ifndef AETIUS_UNIT_ZSTENCIL_H
#define AETIUS_UNIT_ZSTENCIL_H

#include "unit/rop/rop.h"

struct zstencil {
    struct module module;
    struct zstencil_stats stats;
    struct pools *pools;
    struct queue *early_out, *late_out; /* to the interpolator; to color write */
    struct queue *updates;              /* far depths to HZ */
    struct rop rop;
    bool tells_hz;
    uint32_t block_stamps;
    uint32_t generation;     /* of what is told to HZ: see unit/raster/hz.h */
    uint64_t samples_passed; /* of the draw */
};

void zstencil_init(struct zstencil *zstencil, struct clock *clock, const struct params *params,
                   struct pools *pools, struct blocks *blocks, uint32_t index);
/* Its queues are there: which stage sends into which. */
void zstencil_wire(struct zstencil *zstencil);
void zstencil_fini(struct zstencil *zstencil);

#endif
