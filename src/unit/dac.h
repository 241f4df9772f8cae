/* DAC: reads a frame out of memory. */
#ifndef AETIUS_UNIT_DAC_H
#define AETIUS_UNIT_DAC_H

#include "kernel/params.h"
#include "unit/colorwrite.h"

struct dac {
    struct module module;
    struct dac_stats stats;
    struct queue *control, *done;
    struct queue *states[MAX_ROPS]; /* block states from color write */
    struct memory_port memory;
    uint32_t rops;
    const struct rop *rop[MAX_ROPS]; /* whose states have come */
    uint32_t states_here;
    bool busy;
    struct control_item order;
    uint8_t *bytes; /* of the surface's slice, as it lies in memory */
    uint32_t size_bytes, capacity_bytes;
    uint32_t next, missing; /* transactions asked for up to; still on their way */
};

void dac_init(struct dac *dac, struct clock *clock, const struct params *params, uint32_t rops);
void dac_fini(struct dac *dac);

#endif
