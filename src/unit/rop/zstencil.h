/* Z and Stencil Test of one ROP (docs/design/machine.md, Z and Stencil Test).
 *
 * Input: struct quad_item, early or late. Output: the quads that have a fragment left, and struct
 * hz_update. The unit releases quads without fragments. An END item carries the number of samples
 * that passed. The machine owns the block states. zstencil_init() cannot fail. */
#ifndef AETIUS_UNIT_ZSTENCIL_H
#define AETIUS_UNIT_ZSTENCIL_H

#include "unit/env.h"
#include "unit/rop/cover.h"
#include "unit/rop/rop.h"

struct zstencil {
    struct module module;
    struct zstencil_stats stats;
    struct pools *pools;
    struct queue *early_out, *late_out; /* to the Interpolator; to Color Write */
    struct queue *updates;              /* far depths to HZ */
    struct rop rop;
    bool updates_hz;
    uint32_t block_stamps;
    uint32_t hz_entry_bits;
    uint32_t generation;     /* generation of the updates to HZ (unit/raster/hz.h) */
    uint64_t samples_passed; /* of the current draw */
    struct cover *cover;     /* of all z test units; NULL: no statistics of covered fragments */
};

void zstencil_init(struct zstencil *zstencil, const struct unit_env *env, uint32_t index);

#endif
