/* Z & stencil test of one ROP. */
#ifndef AETIUS_UNIT_ZSTENCIL_H
#define AETIUS_UNIT_ZSTENCIL_H

#include "kernel/params.h"
#include "unit/hz_buffer.h"
#include "unit/rop.h"
#include "unit/stats.h"

struct zstencil_depths { /* the surface whose far depths are told to HZ */
    bool there;
    uint64_t resource;
    uint32_t level, layer;
    uint32_t first, end; /* addresses */
    const struct format_info *format;
    struct hz_cut cut;
};

struct zstencil {
    struct module module;
    struct zstencil_stats stats;
    struct pools *pools;
    struct queue *early_in, *late_in;   /* from HZ; from the scheduler */
    struct queue *early_out, *late_out; /* to the interpolator; to color write */
    struct queue *control, *done;
    struct queue *updates; /* far depths to HZ */
    struct rop rop;
    uint32_t quads_cycle;
    const struct draw *draw; /* of the last quad; NULL: its draw has ended */
    struct zstencil_depths depths;
    uint32_t block_stamps;
    uint64_t samples_passed; /* of the draw */
};

void zstencil_init(struct zstencil *zstencil, struct clock *clock, const struct params *params,
                   struct pools *pools, uint32_t index, uint32_t count);
void zstencil_fini(struct zstencil *zstencil);

#endif
