/* Command Processor: executes a command as a list of steps, one command at a time. A step is
 * complete when its draw is sent, its transfer has begun, or its orders are executed. Orders wait
 * for earlier draws. Draws and transfers continue after their step is complete. The caller that
 * adds the steps therefore chooses the event to wait for (struct cmdproc_goal). */
#ifndef AETIUS_UNIT_CMDPROC_H
#define AETIUS_UNIT_CMDPROC_H

#include "base/ring.h"
#include "params/params.h"
#include "unit/env.h"
#include "unit/items.h"
#include "unit/stats.h"

enum { CMDPROC_MAX_STEPS = 32, CMDPROC_MAX_BATCHES = 64, CMDPROC_MAX_TRANSFERS = 64 };

enum step_target { /* units that execute a control step, one bit each */
                   STEP_STREAMER = 1,
                   STEP_HZ = 2,
                   STEP_ZSTENCIL = 4,
                   STEP_TEXUNIT = 8,
                   STEP_COLOR = 16,
                   STEP_DAC = 32,
};

enum step_kind {
    STEP_CONTROL, /* sends `control` to `targets` and waits until all have executed it */
    STEP_DRAW,    /* sends the draw; every ROP later reports its end */
    STEP_MOVE,    /* a transfer: sends the memory transactions of `moves` */
    STEP_BLIT,    /* sends `blit` to every slice of the Blitter and waits for all of them */
};

struct cmdproc_move { /* a transaction of an upload or readback */
    uint32_t address;
    bool write;
    bool synthetic; /* the data is on chip: uses only the bus, without a memory transaction */
    bool repeats;   /* of an upload whose bytes were uploaded before */
    uint64_t bytes_written; /* one bit per byte that a write changes */
    const uint8_t *bytes;   /* bytes of the whole transaction */
};

struct cmdproc_step {
    enum step_kind kind;
    uint32_t targets; /* bits of enum step_target */
    struct control_item control;
    const struct draw *draw;
    const struct blit_plan *blit;
    bool invalidate_inputs;           /* of a draw (struct draw_item) */
    uint32_t constants;               /* number of constants sent with a draw, 16 bytes each */
    const struct cmdproc_move *moves; /* valid until the transfer has ended */
    uint32_t move_count;
    uint64_t after; /* number of the last transfer that must be sent before this one */
};

/* Draws and transfers are numbered 1, 2, ... in the order in which their steps are added. Draws end
 * in that order. */
enum cmdproc_event {
    CMDPROC_SENT,     /* all steps are complete */
    CMDPROC_DRAWS,    /* CMDPROC_SENT, and no draw is in flight */
    CMDPROC_ALL,      /* CMDPROC_DRAWS, and no transfer is in flight */
    CMDPROC_FETCHED,  /* draw `number` has read its vertices and indices */
    CMDPROC_ENDED,    /* draw `number` has ended */
    CMDPROC_TRANSFER, /* transfer `number` has ended */
};
struct cmdproc_goal {
    enum cmdproc_event event;
    uint64_t number;
};

struct cmdproc_transfer {   /* a transfer in flight */
    uint64_t number, after; /* number 0: unused entry */
    const struct cmdproc_move *moves;
    uint32_t count, sent, missing; /* missing: replies that have not arrived */
    struct cp_stamp begun;
};

struct cmdproc_batch { /* a draw in flight */
    const struct draw *draw;
    uint32_t ends; /* number of ROPs that have ended it */
    uint64_t samples_passed;
};

struct cmdproc {
    struct module module;
    struct cmdproc_stats stats;
    /* Transactions sent with `repeats`. They depend on the previous frame, so they are not a
     * statistic.
     */
    uint64_t repeated;
    struct queue *draws, *fetched; /* to and from the Streamer */
    struct queue *streamer_control, *hz_control, *dac_control;
    struct queue *z_control[MAX_ROPS], *color_control[MAX_ROPS], *texunit_control[MAX_TEXUNITS];
    struct queue *blitter_control[MAX_ROPS], *blitter_done[MAX_ROPS];
    struct queue *streamer_done, *hz_done, *dac_done;
    struct queue *z_done[MAX_ROPS], *color_done[MAX_ROPS], *texunit_done[MAX_TEXUNITS];
    struct memory_port memory;
    uint32_t rops, texunits;
    uint32_t move_cycles; /* bus cycles per transaction */
    uint32_t bus_bytes;   /* bus width in bytes per cycle */
    uint32_t move_limit;  /* maximum number of transactions in flight */
    uint32_t transfer_limit;

    struct cmdproc_step steps[CMDPROC_MAX_STEPS];
    uint32_t step_count, step;
    bool sent;        /* the orders of the current step have been sent */
    uint32_t awaited; /* number of completions that have not arrived */
    uint64_t draws_added, draws_fetched, draws_ended, transfers_added, transfers_begun;
    struct cmdproc_transfer transfers[CMDPROC_MAX_TRANSFERS];
    uint32_t transfer_count, transfer_rr; /* transfers in flight; next in turn on the bus */
    uint32_t moves_in_flight;
    uint64_t bus_free_cycle;
    bool stream_begun; /* the constants of the step's draw use the bus */
    uint64_t stream_end;
    struct cmdproc_batch batches[CMDPROC_MAX_BATCHES]; /* oldest first */
    struct ring batch_ring;             /* capacity: maximum number of draws in flight */
    uint32_t rop_ends[MAX_ROPS];        /* number of batches in flight that each ROP has ended */
    struct cmdproc_batch finished;      /* the batch that has just ended; draw NULL: none */
    struct cp_stage carrier;            /* stage of transfers; the module's stage is for steps */
    bool carrier_waits;                 /* transfers wait for transactions to end */
    struct cmdproc_transfer *synthetic; /* transfer whose synthetic move uses the bus, or NULL */
    uint64_t synthetic_end;             /* end of the current or last synthetic move */
    struct cmdproc_goal goal;
    bool stop; /* stops the clock: the goal is reached, or a draw or transfer has ended */
};

void cmdproc_init(struct cmdproc *cmdproc, const struct unit_env *env, uint32_t index);

/* Adds a step. The caller then calls cmdproc_start() and runs the clock until `stop` is set. It
 * runs the clock again while cmdproc_is_done() is false. */
struct cmdproc_step *cmdproc_add(struct cmdproc *cmdproc, enum step_kind kind);
void cmdproc_start(struct cmdproc *cmdproc, struct cmdproc_goal goal);
bool cmdproc_is_done(const struct cmdproc *cmdproc);
bool cmdproc_has_ended(const struct cmdproc *cmdproc, uint64_t transfer);
/* The oldest draw in flight, or NULL. */
const struct draw *cmdproc_oldest(const struct cmdproc *cmdproc);
/* Returns and removes the batch that has ended, so that the Command Processor can continue. If none
 * has ended, its `draw` is NULL. */
struct cmdproc_batch cmdproc_take_finished(struct cmdproc *cmdproc);

#endif
