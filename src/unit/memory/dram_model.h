/* Models of a memory channel: the scheduling rules of each kind of memory (drams.def). The simple
 * model, of MemoryControllerV2 = FALSE, is not listed there. unit/memory/dram.c contains the parts
 * that all models share, and unit/memory/dram_banks.c those of models with banks and rows. */
#ifndef AETIUS_UNIT_DRAM_MODEL_H
#define AETIUS_UNIT_DRAM_MODEL_H

#include "unit/memory/dram.h"

struct dram_model {
    void (*shape)(const struct params *params, struct dram_shape *shape);
    void (*time)(const struct params *params, struct dram_timing *timing); /* NULL: no banks */
    /* Sets bank, row and queue of an entry from its address. */
    void (*locate)(const struct dram *dram, struct dram_entry *entry);
    /* As dram_clock(). The caller has set dram->wake to CYCLE_NEVER. */
    int32_t (*clock)(struct dram *dram, uint64_t now, dram_may_reply_fn *may_reply, void *data,
                     uint64_t *delay);
};

extern const struct dram_model dram_simple;
#define DRAM(symbol, name) extern const struct dram_model dram_##symbol;
#include "drams.def"

/* The address within the channel, without the bytes of other channels. */
uint32_t dram_own_address(const struct dram *dram, uint32_t address);
/* Lists the entries that may be taken: the heads of their queues, or all entries (`any`). Entries
 * with an older one of the same address are left out. */
void dram_list_heads(struct dram *dram, bool any);
/* Puts the transaction's data on the bus from `start` on. Of the idle cycles before it, at most
 * `turnaround` count for a change of direction. */
void dram_use_bus(struct dram *dram, bool write, uint64_t start, uint64_t turnaround);

static inline bool
dram_row_is_open(const struct dram *dram, const struct dram_entry *entry)
{
    return dram->banks[entry->bank].row == entry->row;
}

static inline bool
dram_prefers_direction(const struct dram *dram, const struct dram_entry *entry)
{
    const struct params *p = dram->params;
    uint32_t limit = dram->last_was_write ? p->MEMORYCONTROLLER.MaxConsecutiveWrites
                                          : p->MEMORYCONTROLLER.MaxConsecutiveReads;
    return (entry->write == dram->last_was_write) == (dram->same_direction_run < limit);
}

static inline void
dram_wake_at(struct dram *dram, uint64_t cycle)
{
    if (cycle < dram->wake)
        dram->wake = cycle;
}

static inline uint64_t
later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* unit/memory/dram_banks.c: shape, address mapping and clock of a memory with banks and rows. */
void dram_banks_shape(const struct params *params, struct dram_shape *shape);
void dram_banks_locate(const struct dram *dram, struct dram_entry *entry);
int32_t dram_banks_clock(struct dram *dram, uint64_t now, dram_may_reply_fn *may_reply, void *data,
                         uint64_t *delay);

#endif
