/* DAC: reads a frame out of memory (docs/design/memory.md, DAC).
 *
 * Input: CONTROL_SHOW orders and block states. Output: the array `bytes`, which holds the surface's
 * slice (`size_bytes` bytes) in its memory layout. The unit owns `bytes` and `asked`. `bytes` is
 * valid until the next order or refresh. dac_init() cannot fail. */
#ifndef AETIUS_UNIT_DAC_H
#define AETIUS_UNIT_DAC_H

#include "base/ring.h"
#include "params/params.h"
#include "unit/env.h"
#include "unit/rop/colorwrite.h"

struct dac_block {        /* a block that is requested and not yet shown */
    uint32_t offset, end; /* offsets in the surface */
    uint32_t missing;     /* number of transactions in flight */
    bool unpacking;
    uint64_t done_cycle; /* cycle in which the block is decompressed */
};

enum dac_phase {
    DAC_IDLE,
    DAC_STATES,  /* receives the block states of the frame to show */
    DAC_READ,    /* reads the frame */
    DAC_REFRESH, /* reads the surface on the screen again */
};

struct dac {
    struct module module;
    struct dac_stats stats;
    struct queue *control, *done;
    struct queue *states[MAX_ROPS]; /* block states from Color Write */
    struct memory_port port;
    const struct gpu_memory *memory; /* source of frames that are read without timing */
    uint32_t rops, block_bytes, states_cycle, unpack_cycles;
    bool reads_swaps;        /* the display is refreshed at each swap */
    uint64_t refresh_cycles; /* period of timed refreshes in cycles; 0: none */
    uint64_t next_refresh;
    bool shown;                  /* the frame has ended; a new refresh could not complete */
    uint32_t front, front_bytes; /* address and size of the surface on the screen; 0: none */

    enum dac_phase phase;
    struct control_item order;
    const struct blocks *blocks; /* set when the block states of the ROPs have arrived */
    uint32_t states_arrived;
    uint64_t states_done;      /* cycle in which all states have been copied */
    uint32_t base, size_bytes; /* address and size of the surface that is being read */
    uint8_t *bytes;            /* bytes of the surface's slice, in memory layout */
    uint32_t capacity_bytes;
    struct dac_block *asked;
    struct ring asked_ring;
    uint32_t at; /* offset of the next transaction to request */
};

void dac_init(struct dac *dac, const struct unit_env *env, uint32_t index);
/* Sets the surface on the screen. Called at every swap, even if the functional renderer executed
 * it. */
void dac_show(struct dac *dac, const struct resource *res);

#endif
