/* One memory channel: what waits for it, and when the next transaction may start. Two models behind
 * one face: the simple one (a bus with latencies, turn-round and, if asked for, pages), and GDDR3
 * with banks and rows. Part of the memory controller; no module of its own. */
#ifndef AETIUS_UNIT_DRAM_H
#define AETIUS_UNIT_DRAM_H

#include "kernel/params.h"
#include "unit/items.h"

enum { DRAM_MAX_BANKS = 64, DRAM_MAX_PAGES = 64, DRAM_NO_ROW = -1 };

struct dram_entry { /* a transaction that waits for the channel */
    struct memory_request request;
    uint32_t port;
    uint32_t bank;
    int32_t row;
    bool opened; /* its row had to be opened for it */
};

struct dram_bank {
    int32_t row;        /* that is open or being opened, or DRAM_NO_ROW */
    uint64_t ready;     /* cycle from which the row can be read and written */
    uint64_t may_close; /* cycle from which it may be closed */
};

struct dram_stats {
    uint64_t burst_cycles, turns, turn_cycles, row_hits, row_misses, rows_closed;
};

struct dram {
    const struct params *params;
    struct dram_entry *entries; /* in order of arrival */
    bool *heads;                /* GDDR3: which of them the scheduler may take, now */
    uint32_t count, limit;
    uint32_t burst_cycles;
    uint64_t bus_free; /* cycle from which the bus can carry data */
    bool last_was_write;
    uint32_t in_a_row;                      /* transactions since the direction changed */
    uint64_t last_read_end, last_write_end; /* of their data on the bus */
    uint64_t last_open;                     /* cycle in which a row was opened last */
    struct dram_bank banks[DRAM_MAX_BANKS];
    /* simple model: pages held open, the most recently used first */
    int32_t pages[DRAM_MAX_PAGES];
    uint32_t page_count;
    uint32_t channels; /* of the machine: to find a row from an address */
    struct dram_stats stats;
};

/* Channels that the parameters ask for, and which one holds an address. */
uint32_t dram_channel_count(const struct params *params);
uint32_t dram_channel_of(const struct params *params, uint32_t address);

void dram_init(struct dram *dram, const struct params *params);
void dram_fini(struct dram *dram);
void dram_reset(struct dram *dram); /* a new frame: rows closed, bus idle */

static inline bool
dram_is_full(const struct dram *dram)
{
    return dram->count == dram->limit;
}
void dram_add(struct dram *dram, const struct memory_request *request, uint32_t port);

/* One cycle of the scheduler. Returns the index of an entry whose data moves now, or -1; the reply
 * is due `*delay` cycles from now. `may_reply(data, port)` says whether the entry's client can take
 * a reply. The caller copies the data and calls dram_remove(). *wake is lowered to the next cycle
 * in which something can happen. */
typedef bool dram_may_reply_fn(void *data, uint32_t port);
int32_t dram_clock(struct dram *dram, uint64_t now, dram_may_reply_fn *may_reply, void *data,
                   uint64_t *delay, uint64_t *wake);
void dram_remove(struct dram *dram, uint32_t entry);

#endif
