/* One memory channel: holds queued transactions and selects the next one to start. Several models
 * share this interface (unit/memory/dram_model.h). The simple model is a bus with latencies,
 * turnaround and, as an option, pages. The other models have banks and rows. A channel is part of
 * the Memory Controller, not a separate module. */
#ifndef AETIUS_UNIT_DRAM_H
#define AETIUS_UNIT_DRAM_H

#include "params/params.h"
#include "unit/items.h"

enum {
    DRAM_MAX_BANKS = 64,
    DRAM_MAX_PAGES = 1024,
    DRAM_NO_ROW = -1,
    DRAM_WINDOW_ROWS = 4, /* number of rows per tFAW window */
};

struct dram_shape {
    uint32_t channels, interleaving; /* interleaving: contiguous bytes on one channel */
    bool shared;                     /* every channel reaches the whole memory */
    uint32_t limit;                  /* maximum number of transactions in a channel's scheduler */
    /* The channel's clock counts GPU cycles. In the simple model it counts reference clock
     * cycles. */
    uint32_t gpu_cycle, memory_cycle; /* lengths of a GPU cycle and a memory cycle in this clock */
    uint32_t burst_cycles;            /* length of a transaction on the bus */
};

/* Timing of a memory with banks and rows, in the channel's cycles. */
struct dram_timing {
    uint32_t tRRD, tRCD, tRCDW, tRAS, tRC, tRP; /* rows (docs/memory.md) */
    uint32_t tWTR, tRTW, tWR, CAS, WL;          /* columns */
    uint32_t tFAW;         /* window in which at most four rows are opened; 0: no limit */
    uint32_t bank_groups;  /* 0: none */
    uint32_t group_cycles; /* minimum distance between commands to one group */
};

struct dram_entry { /* scheduler data for a queued transaction */
    uint32_t address;
    int32_t row;
    uint32_t passed;     /* number of younger transactions that overtook it */
    uint16_t older;      /* number of older transactions to the same 64 bytes */
    uint8_t bank, class; /* class: the queue that contains it */
    uint8_t port;
    bool write;
    bool opened;           /* the row was opened for this transaction */
    struct cp_stamp asked; /* arrival at the controller */
};

struct dram_bank {
    int32_t row;         /* row that is open or being opened, or DRAM_NO_ROW */
    bool used;           /* a transaction has hit the row */
    uint64_t opened;     /* cycle in which the row was opened */
    uint64_t may_close;  /* first cycle in which the row may be closed */
    uint64_t may_reopen; /* first cycle in which a row may be opened */
};

struct dram_stats { /* cycles are those of the channel's clock */
    uint64_t burst_cycles, turns, turn_cycles, row_hits, row_misses, rows_closed;
};

struct dram {
    const struct params *params;
    const struct dram_model *model;
    struct dram_shape shape;
    struct dram_timing timing;
    struct dram_entry *entries;
    struct memory_request *requests; /* requests of the entries */
    uint16_t *order; /* indices of entries: queued ones in order of arrival, then free ones */
    uint32_t count;
    uint16_t *heads; /* positions in `order` of the entries that the scheduler may take now */
    uint32_t head_count;
    bool heads_listed;     /* heads and wanted_banks are up to date */
    uint64_t wanted_banks; /* mask of banks whose open row a head needs */
    uint64_t origin;       /* start of the frame; a memory cycle begins there */
    uint64_t bus_free;     /* first cycle in which the bus is free */
    uint64_t gpu_bus_free; /* first GPU cycle in which the bus is idle */
    uint64_t command_free; /* simple model: first cycle for the next command */
    uint64_t request_free; /* first GPU cycle in which the channel takes another request */
    bool last_was_write;
    uint32_t same_direction_run; /* number of transactions since the last change of direction */
    /* end of the last read data, and the last write data, on the bus */
    uint64_t last_read_end, last_write_end;
    uint64_t next_open;                /* first cycle in which any bank may open a row */
    uint64_t window[DRAM_WINDOW_ROWS]; /* tFAW: end of the window of each of the last rows */
    uint32_t window_next;
    uint64_t group_free[DRAM_MAX_BANKS]; /* first cycle for a command to each group */
    struct dram_bank banks[DRAM_MAX_BANKS];
    int32_t pages[DRAM_MAX_PAGES]; /* simple model: open page of each bank, or -1 */
    bool fault_order; /* fault injection: transactions overtake others to the same address */
    uint64_t wake;    /* next GPU cycle with a possible event; new entries set it to 0 */
    cp_ref taken;     /* critical path: the transaction that holds the bus until gpu_bus_free */
    struct dram_stats stats;
};

/* Derives the properties of the channels from the parameters. */
struct dram_shape dram_shape(const struct params *params);
/* Index of the channel that holds an address. The channels must not be shared. */
static inline uint32_t
dram_channel_of(const struct dram_shape *shape, uint32_t address)
{
    return address / shape->interleaving % shape->channels;
}

void dram_init(struct dram *dram, const struct params *params);
/* Initializes the channel as the bus to system memory. */
void dram_init_system(struct dram *dram, const struct params *params);
void dram_fini(struct dram *dram);
/* Starts a frame with all rows closed and an idle bus. */
void dram_reset(struct dram *dram, uint64_t now);

static inline bool
dram_is_full(const struct dram *dram)
{
    return dram->count == dram->shape.limit;
}
void dram_add(struct dram *dram, const struct memory_request *request, uint32_t port,
              struct cp_stamp asked);
bool dram_holds(const struct dram *dram, uint32_t address);

/* Runs one cycle of the scheduler. Returns the position of an entry whose command is issued now, or
 * -1. The reply is due `*delay` cycles from now. `may_reply` returns whether the entry's client can
 * take a reply. The caller copies the data and calls dram_remove(). Sets dram->wake to the next
 * cycle in which an event can occur without a new entry. */
typedef bool dram_may_reply_fn(void *data, const struct dram_entry *entry);
int32_t dram_clock(struct dram *dram, uint64_t now, dram_may_reply_fn *may_reply, void *data,
                   uint64_t *delay);
static inline const struct dram_entry *
dram_entry(const struct dram *dram, uint32_t position)
{
    return &dram->entries[dram->order[position]];
}
static inline const struct memory_request *
dram_request(const struct dram *dram, uint32_t position)
{
    return &dram->requests[dram->order[position]];
}
void dram_remove(struct dram *dram, uint32_t position);

#endif
