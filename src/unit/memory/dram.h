/* One memory channel: what waits for it, and when the next transaction may start. Several models
 * behind one face (unit/memory/dram_model.h): the simple one (a bus with latencies, turn-round and,
 * if asked for, pages), and those with banks and rows. Part of the memory controller; no module of
 * its own. */
#ifndef AETIUS_UNIT_DRAM_H
#define AETIUS_UNIT_DRAM_H

#include "params/params.h"
#include "unit/items.h"

enum {
    DRAM_MAX_BANKS = 64,
    DRAM_MAX_PAGES = 1024,
    DRAM_NO_ROW = -1,
    DRAM_WINDOW_ROWS = 4, /* of tFAW */
};

struct dram_shape {
    uint32_t channels, interleaving; /* bytes that lie together on one channel */
    bool shared;                     /* every channel reaches all of the memory */
    uint32_t limit;                  /* transactions that a channel's scheduler holds */
    /* The channel's clock: GPU cycles, or reference clock cycles in the simple model */
    uint32_t gpu_cycle, memory_cycle; /* their lengths in it */
    uint32_t burst_cycles;            /* a transaction on the bus */
};

/* Of a memory with banks and rows, in the channel's cycles. */
struct dram_timing {
    uint32_t tRRD, tRCD, tRCDW, tRAS, tRC, tRP; /* rows: docs/memory.md */
    uint32_t tWTR, tRTW, tWR, CAS, WL;          /* columns */
    uint32_t tFAW;         /* in which at most four rows are opened; 0: any number */
    uint32_t bank_groups;  /* 0: none */
    uint32_t group_cycles; /* commands of transactions in one group are so far apart */
};

struct dram_entry { /* what the scheduler looks at of a transaction that waits for the channel */
    uint32_t address;
    int32_t row;
    uint32_t passed;     /* younger ones that went before it */
    uint16_t older;      /* transactions in front of it that are of the same 64 bytes */
    uint8_t bank, class; /* class: the queue that it stands in */
    uint8_t port;
    bool write;
    bool opened;           /* its row had to be opened for it */
    struct cp_stamp asked; /* it came to the controller */
};

struct dram_bank {
    int32_t row;         /* that is open or being opened, or DRAM_NO_ROW */
    bool used;           /* a transaction has hit it */
    uint64_t opened;     /* cycle in which it was */
    uint64_t may_close;  /* cycle from which it may be closed */
    uint64_t may_reopen; /* cycle from which a row may be opened */
};

struct dram_stats { /* cycles are the channel's own */
    uint64_t burst_cycles, turns, turn_cycles, row_hits, row_misses, rows_closed;
};

struct dram {
    const struct params *params;
    const struct dram_model *model;
    struct dram_shape shape;
    struct dram_timing timing;
    struct dram_entry *entries;
    struct memory_request *requests; /* of the entries */
    uint16_t *order; /* positions in entries: those that wait, as they came; then free ones */
    uint32_t count;
    uint16_t *heads; /* which of those that wait the scheduler may take, now: positions in order */
    uint32_t head_count;
    bool heads_listed;     /* nothing has changed since heads and wanted_banks were made */
    uint64_t wanted_banks; /* of which the open row is what some head needs */
    uint64_t origin;       /* the frame began: with a cycle of the memory */
    uint64_t bus_free;     /* cycle from which the bus can carry data */
    uint64_t gpu_bus_free; /* first GPU cycle in which the bus is idle */
    uint64_t command_free; /* simple model: cycle from which it takes a command */
    bool last_was_write;
    uint32_t same_direction_run;            /* transactions since the direction changed */
    uint64_t last_read_end, last_write_end; /* of their data on the bus */
    uint64_t next_open;                     /* cycle from which a row may be opened in any bank */
    uint64_t window[DRAM_WINDOW_ROWS];      /* tFAW: until when each of the last rows counts */
    uint32_t window_next;
    uint64_t
        group_free[DRAM_MAX_BANKS]; /* of each bank group: cycle from which it takes a command */
    struct dram_bank banks[DRAM_MAX_BANKS];
    int32_t pages[DRAM_MAX_PAGES]; /* simple model: the open one of each bank, or -1 */
    bool fault_order; /* fault injection: transactions pass others of the same address */
    uint64_t wake;    /* GPU cycle from which something can happen; new entries set it to 0 */
    cp_ref taken;     /* of who has the bus until gpu_bus_free */
    struct dram_stats stats;
};

/* The channels that the parameters ask for. */
struct dram_shape dram_shape(const struct params *params);
/* Which one holds an address, when they are not shared. */
static inline uint32_t
dram_channel_of(const struct dram_shape *shape, uint32_t address)
{
    return address / shape->interleaving % shape->channels;
}

void dram_init(struct dram *dram, const struct params *params);
void dram_fini(struct dram *dram);
void dram_reset(struct dram *dram, uint64_t now); /* a new frame: rows closed, bus idle */

static inline bool
dram_is_full(const struct dram *dram)
{
    return dram->count == dram->shape.limit;
}
void dram_add(struct dram *dram, const struct memory_request *request, uint32_t port,
              struct cp_stamp asked);
bool dram_holds(const struct dram *dram, uint32_t address);

/* One cycle of the scheduler. Returns the position of an entry whose command goes out now, or -1;
 * the reply is due `*delay` cycles from now. `may_reply` says whether the entry's client can take a
 * reply. The caller copies the data and calls dram_remove(). dram->wake becomes the next cycle in
 * which something can happen by itself. */
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
