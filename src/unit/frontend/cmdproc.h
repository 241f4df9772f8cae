/* Command processor: runs the work of one command at a time as a list of steps. A step is over when
 * its draw is sent, its transactions are in line to be sent, or its orders are executed; orders
 * wait for the draws before them. So draws and transfers go on behind the steps, and who gives
 * these says what to wait for (struct cmdproc_goal). */
#ifndef AETIUS_UNIT_CMDPROC_H
#define AETIUS_UNIT_CMDPROC_H

#include "base/ring.h"
#include "params/params.h"
#include "unit/env.h"
#include "unit/items.h"
#include "unit/stats.h"

enum { CMDPROC_MAX_STEPS = 32, CMDPROC_MAX_BATCHES = 64, CMDPROC_MAX_TRANSFERS = 64 };

enum step_target { /* who executes a control step: a bit each */
                   STEP_STREAMER = 1,
                   STEP_HZ = 2,
                   STEP_ZSTENCIL = 4,
                   STEP_TEXUNIT = 8,
                   STEP_COLOR = 16,
                   STEP_DAC = 32,
};

enum step_kind {
    STEP_CONTROL, /* send `control` to `targets`, wait until all are done */
    STEP_DRAW,    /* send the draw; its end will come back from every ROP */
    STEP_MOVE,    /* a transfer: send the memory transactions of `moves` */
    STEP_BLIT,    /* send `blit` to every slice of the blitter, wait until all are done */
};

struct cmdproc_move { /* a transaction of an upload or readback */
    uint32_t address;
    bool write;
    bool synthetic; /* no transaction in memory: the data is on chip, only the bus is taken */
    uint64_t bytes_written; /* by a write, a bit each */
    const uint8_t *bytes;   /* of the whole transaction */
};

struct cmdproc_step {
    enum step_kind kind;
    uint32_t targets; /* enum step_target bits */
    struct control_item control;
    const struct draw *draw;
    const struct blit_plan *blit;
    bool invalidate_inputs;           /* of a draw: see struct draw_item */
    uint32_t constants;               /* that come with a draw, of 16 bytes */
    const struct cmdproc_move *moves; /* alive until the transfer has ended */
    uint32_t move_count;
    uint64_t after; /* of a transfer: it is sent when those up to this number are */
};

/* Draws and transfers are numbered 1, 2, ... as their steps are added; draws end in that order. */
enum cmdproc_event {
    CMDPROC_SENT,     /* all steps are over */
    CMDPROC_DRAWS,    /* and no draw is on its way */
    CMDPROC_ALL,      /* nor a transfer */
    CMDPROC_FETCHED,  /* the draw of that number has read its vertices and indices */
    CMDPROC_ENDED,    /* the draw of that number has ended */
    CMDPROC_TRANSFER, /* the transfer of that number has ended */
};
struct cmdproc_goal {
    enum cmdproc_event event;
    uint64_t number;
};

struct cmdproc_transfer {   /* one that is on its way */
    uint64_t number, after; /* number 0: none */
    const struct cmdproc_move *moves;
    uint32_t count, sent, missing; /* missing: replies */
    struct cp_stamp begun;
};

struct cmdproc_batch { /* a draw on its way */
    const struct draw *draw;
    uint32_t ends; /* that have come */
    uint64_t samples_passed;
};

struct cmdproc {
    struct module module;
    struct cmdproc_stats stats;
    struct queue *draws, *fetched; /* to and from the streamer */
    struct queue *streamer_control, *hz_control, *dac_control;
    struct queue *z_control[MAX_ROPS], *color_control[MAX_ROPS], *texunit_control[MAX_TEXUNITS];
    struct queue *blitter_control[MAX_ROPS], *blitter_done[MAX_ROPS];
    struct queue *streamer_done, *hz_done, *dac_done;
    struct queue *z_done[MAX_ROPS], *color_done[MAX_ROPS], *texunit_done[MAX_TEXUNITS];
    struct memory_port memory;
    uint32_t rops, texunits;
    uint32_t move_cycles; /* a transaction over CommandProcessorBusWidth */
    uint32_t bus_bytes;   /* a cycle */
    uint32_t move_limit;  /* transactions on their way */
    uint32_t transfer_limit;

    struct cmdproc_step steps[CMDPROC_MAX_STEPS];
    uint32_t step_count, step;
    bool sent;        /* the step's orders are out */
    uint32_t awaited; /* completions still to come */
    uint64_t draws_added, draws_fetched, draws_ended, transfers_added, transfers_begun;
    struct cmdproc_transfer transfers[CMDPROC_MAX_TRANSFERS];
    uint32_t transfer_count, transfer_rr; /* on their way; whose turn the bus is */
    uint32_t moves_in_flight;
    uint64_t bus_free_cycle;
    bool stream_begun; /* the constants of the step's draw are on the bus */
    uint64_t stream_end;
    struct cmdproc_batch batches[CMDPROC_MAX_BATCHES]; /* oldest first */
    struct ring batch_ring;                            /* capacity: draws on their way at once */
    uint32_t rop_ends[MAX_ROPS];        /* batches on their way that the ROP has ended */
    struct cmdproc_batch finished;      /* the one that has just ended; draw NULL: none */
    struct cp_stage carrier;            /* of transfers; steps are the module's stage */
    bool carrier_waits;                 /* for transactions to end */
    struct cmdproc_transfer *synthetic; /* whose synthetic move is on the bus; NULL */
    uint64_t synthetic_end;             /* when it is over, or the last one was */
    struct cmdproc_goal goal;
    bool stop; /* the goal is reached, or a draw or transfer has ended: the clock's run is over */
};

void cmdproc_init(struct cmdproc *cmdproc, const struct unit_env *env, uint32_t index);

/* Adds a step; the machine then runs until `stop`, and again while cmdproc_is_done() is false. */
struct cmdproc_step *cmdproc_add(struct cmdproc *cmdproc, enum step_kind kind);
void cmdproc_start(struct cmdproc *cmdproc, struct cmdproc_goal goal);
bool cmdproc_is_done(const struct cmdproc *cmdproc);
bool cmdproc_has_ended(const struct cmdproc *cmdproc, uint64_t transfer);
/* The oldest draw that is on its way; NULL: none is. */
const struct draw *cmdproc_oldest(const struct cmdproc *cmdproc);
/* The batch that has ended, if one has (else draw is NULL), and goes on. */
struct cmdproc_batch cmdproc_take_finished(struct cmdproc *cmdproc);

#endif
