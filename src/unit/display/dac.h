/* DAC: reads a frame out of memory (docs/design/memory.md, DAC).
 *
 * In: CONTROL_SHOW orders and block states; out: `bytes`, `size_bytes` of them, of the surface's
 * slice as it is in memory. The unit owns `bytes` and `asked`; `bytes` stays valid until the next
 * order or refresh. dac_init() cannot fail. */
#ifndef AETIUS_UNIT_DAC_H
#define AETIUS_UNIT_DAC_H

#include "base/ring.h"
#include "params/params.h"
#include "unit/env.h"
#include "unit/rop/colorwrite.h"

struct dac_block {        /* requested, not yet shown */
    uint32_t offset, end; /* offsets in the surface */
    uint32_t missing;     /* transactions in flight */
    bool unpacking;
    uint64_t done_cycle; /* cycle in which it is decompressed */
};

enum dac_phase {
    DAC_IDLE,
    DAC_STATES,  /* receives the block states of the frame to show */
    DAC_READ,    /* reads the frame */
    DAC_REFRESH, /* reads again what the screen shows */
};

struct dac {
    struct module module;
    struct dac_stats stats;
    struct queue *control, *done;
    struct queue *states[MAX_ROPS]; /* block states from Color Write */
    struct memory_port port;
    const struct gpu_memory *memory; /* for a frame that is not read in time */
    uint32_t rops, block_bytes, states_cycle, unpack_cycles;
    bool reads_swaps;        /* refresh at each swap */
    uint64_t refresh_cycles; /* period of timed refreshes; 0: none */
    uint64_t next_refresh;
    bool shown;                  /* the frame has ended: a new refresh would be cut off */
    uint32_t front, front_bytes; /* address and size of what the screen shows; 0: nothing */

    enum dac_phase phase;
    struct control_item order;
    const struct blocks *blocks; /* set when the ROPs' states have arrived */
    uint32_t states_arrived;
    uint64_t states_done;      /* cycle in which all states have been taken over */
    uint32_t base, size_bytes; /* address and size of what is being read */
    uint8_t *bytes;            /* of the surface's slice, as in memory */
    uint32_t capacity_bytes;
    struct dac_block *asked;
    struct ring asked_ring;
    uint32_t at; /* offset of the next transaction to request */
};

void dac_init(struct dac *dac, const struct unit_env *env, uint32_t index);
/* Sets what the screen shows, in time or not. */
void dac_show(struct dac *dac, const struct resource *res);

#endif
