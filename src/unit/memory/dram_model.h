/* Models of a memory channel: the scheduling rules of each kind of memory. The file drams.def lists
 * the models with banks and rows. The simple model (MemoryControllerV2 = FALSE) and the bus to
 * system memory are not in that list. All models share unit/memory/dram.c. The models with banks
 * and rows also share unit/memory/dram_banks.c. */
#ifndef AETIUS_UNIT_DRAM_MODEL_H
#define AETIUS_UNIT_DRAM_MODEL_H

#include "unit/memory/dram.h"

struct dram_model {
    void (*shape)(const struct params *params, struct dram_shape *shape);
    void (*time)(const struct params *params, struct dram_timing *timing); /* NULL: no banks */
    /* Sets the bank, row and queue of an entry from its address. */
    void (*locate)(const struct dram *dram, struct dram_entry *entry);
    /* See dram_clock(). The caller has set dram->wake to CYCLE_NEVER. */
    int32_t (*clock)(struct dram *dram, uint64_t now, dram_may_reply_fn *may_reply, void *data,
                     uint64_t *delay);
};

extern const struct dram_model dram_simple, dram_system;
#define DRAM(symbol, name) extern const struct dram_model dram_##symbol;
#include "drams.def"

/* Converts a memory address to an address within the channel. */
uint32_t dram_own_address(const struct dram *dram, uint32_t address);
/* Lists the entries that may be taken: the heads of their queues, or all entries (`any`). Omits an
 * entry if an older one has the same address. */
void dram_list_heads(struct dram *dram, bool any);
/* Puts the transaction's data on the bus from `start` on. If the direction changes, at most
 * `turnaround` of the preceding idle cycles are counted as turn cycles. */
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

/* The best head so far while a scheduler goes through dram->heads. Starts as {-1, 0}. */
struct dram_candidate {
    int32_t position; /* in dram->order, or -1 */
    uint32_t score;
};

/* Makes the head at `position` the best if its score is higher. A tie leaves the older
 * one. */
static inline void
dram_consider(const struct dram *dram, uint32_t position, dram_may_reply_fn *may_reply, void *data,
              struct dram_candidate *best)
{
    const struct dram_entry *entry = dram_entry(dram, position);
    const uint32_t score = 1 + dram_prefers_direction(dram, entry);
    if (score > best->score && may_reply(data, entry))
        *best = (struct dram_candidate){(int32_t)position, score};
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

/* Shape, address mapping and clock of a memory with banks and rows (unit/memory/dram_banks.c). */
void dram_banks_shape(const struct params *params, struct dram_shape *shape);
void dram_banks_locate(const struct dram *dram, struct dram_entry *entry);
int32_t dram_banks_clock(struct dram *dram, uint64_t now, dram_may_reply_fn *may_reply, void *data,
                         uint64_t *delay);

#endif
