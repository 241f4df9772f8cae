/* Color Write of one ROP: blend, logic operation, mask (docs/design/machine.md, Color Write).
 *
 * Input: struct quad_item in draw order. The unit releases each quad after its last color buffer.
 * Output: done_items for the end of each draw, and block states for the DAC. The machine owns the
 * block states. colorwrite_init() cannot fail. */
#ifndef AETIUS_UNIT_COLORWRITE_H
#define AETIUS_UNIT_COLORWRITE_H

#include "unit/env.h"
#include "unit/rop/rop.h"

/* Block states of a surface. Color Write sends them to the DAC when a frame is shown. */
struct block_states_item {
    const struct blocks *blocks;
};

struct colorwrite {
    struct module module;
    struct colorwrite_stats stats;
    struct pools *pools;
    struct queue *states; /* to the DAC */
    struct rop rop;
    uint32_t next_target; /* color buffer that the first quad accesses next */
};

void colorwrite_init(struct colorwrite *colorwrite, const struct unit_env *env, uint32_t index);

#endif
