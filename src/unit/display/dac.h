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

struct dac_block {        /* asked for, not yet shown */
    uint32_t offset, end; /* in the surface */
    uint32_t missing;     /* transactions on their way */
    bool unpacking;
    uint64_t done_cycle; /* decompressed */
};

enum dac_phase {
    DAC_IDLE,
    DAC_STATES,  /* a frame is to be shown: block states come */
    DAC_READ,    /* and it is read */
    DAC_REFRESH, /* what is on the screen is read again */
};

struct dac {
    struct module module;
    struct dac_stats stats;
    struct queue *control, *done;
    struct queue *states[MAX_ROPS]; /* block states from color write */
    struct memory_port port;
    const struct gpu_memory *memory; /* for a frame that is not read in time */
    uint32_t rops, block_bytes, states_cycle, unpack_cycles;
    bool reads_swaps;        /* a refresh at each swap */
    uint64_t refresh_cycles; /* and by the clock: between two refreshes; 0: none */
    uint64_t next_refresh;
    bool shown;                  /* the frame is over: no refresh begins that would be cut off */
    uint32_t front, front_bytes; /* address and size of what the screen shows; 0: nothing yet */

    enum dac_phase phase;
    struct control_item order;
    const struct blocks *blocks; /* when the ROPs' states have come: */
    uint32_t states_arrived;
    uint64_t states_done;      /* cycle in which all are taken over */
    uint32_t base, size_bytes; /* what is being read: address, size */
    uint8_t *bytes;            /* of the surface's slice, as it lies in memory */
    uint32_t capacity_bytes;
    struct dac_block *asked;
    struct ring asked_ring;
    uint32_t at; /* offset of the next transaction to ask for */
};

void dac_init(struct dac *dac, const struct unit_env *env, uint32_t index);
/* What the screen shows from now on, in time or not. */
void dac_show(struct dac *dac, const struct resource *res);

#endif
