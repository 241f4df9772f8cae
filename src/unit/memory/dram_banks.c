/* Memory with banks and rows.
 *
 * A burst moves V2BurstElementsPerCycle 32-bit elements per cycle. The row of a transaction must be
 * open in its bank. The following rules apply.
 *
 * - Closing a row takes tRP. Opening a row takes tRCD for reads and tRCDW for writes.
 * - Openings in different banks are at least tRRD apart, and openings in the same bank tRC. At most
 *   four rows are opened in tFAW.
 * - Data follows a read after CAS and a write after WL. The bus turns around in tRTW or tWTR.
 * - A row may close tRAS after it was opened, tWR after its last write, and one burst length
 *   after its last read command.
 *
 * Banks whose numbers are equal modulo the number of bank groups form a group. A group has a
 * minimum distance between commands. While the bus is busy, rows are closed and opened for the
 * entries that the scheduler may take next. One row is closed or opened per cycle. An open row that
 * queued entries still hit is not closed. The scheduler (V2ChannelScheduler) determines the entries
 * that may be taken. These are the heads of its queues, or all entries. It has one queue, or one
 * queue per direction, per bank, or per bank and direction. Among the entries whose row is open,
 * the scheduler keeps the direction, then prefers the oldest.
 *
 * Source: docs/design/memory.md, Banks and rows; the rules of the JEDEC standards. Not modelled:
 * refresh; the command bus, which row and column commands would share. */
#include "unit/memory/dram_model.h"

void
dram_banks_shape(const struct params *params, struct dram_shape *shape)
{
    const uint32_t bytes = params->MEMORYCONTROLLER.V2BurstElementsPerCycle * 4;
    *shape = (struct dram_shape){.channels = params->MEMORYCONTROLLER.V2MemoryChannels,
                                 .interleaving = params->MEMORYCONTROLLER.V2ChannelInterleaving,
                                 .limit = params->MEMORYCONTROLLER.V2MaxChannelTransactions,
                                 .gpu_cycle = 1,
                                 .memory_cycle = 1,
                                 .burst_cycles = (TRANSACTION_BYTES + bytes - 1) / bytes};
}

/* Index of the entry's queue. The assignment depends on the scheduler. */
static uint32_t
class_of(const struct dram *dram, const struct dram_entry *entry)
{
    bool write = entry->write;
    switch (dram->params->MEMORYCONTROLLER.V2ChannelScheduler) {
    case SCHEDULER_FIFO: return 0;
    case SCHEDULER_RW_FIFO: return write;
    case SCHEDULER_BANK_FIFO: return entry->bank;
    default: return entry->bank * 2 + write;
    }
}

void
dram_banks_locate(const struct dram *dram, struct dram_entry *entry)
{
    const struct params *p = dram->params;
    uint32_t own = dram_own_address(dram, entry->address);
    uint32_t banks = p->MEMORYCONTROLLER.V2BanksPerMemoryChannel;
    uint32_t bank_piece = p->MEMORYCONTROLLER.V2BankInterleaving;
    uint32_t in_bank = own / bank_piece / banks * bank_piece + own % bank_piece;
    entry->row = (int32_t)(in_bank / p->MEMORYCONTROLLER.V2MemoryRowSize);
    uint32_t bank = own / bank_piece;
    if (p->MEMORYCONTROLLER.V2BankPermutation)
        bank ^= (uint32_t)entry->row;
    entry->bank = (uint8_t)(bank % banks);
    entry->class = (uint8_t)class_of(dram, entry);
}

/* Whether enough entries have overtaken this one that it may replace an open row that is still
 * needed. That row must have been used at least once. */
static bool
is_overdue(const struct dram *dram, const struct dram_entry *entry)
{
    const struct params *p = dram->params;
    return dram->banks[entry->bank].used &&
           entry->passed >=
               p->MEMORYCONTROLLER.MaxConsecutiveReads + p->MEMORYCONTROLLER.MaxConsecutiveWrites;
}

static void
close_row(struct dram *dram, struct dram_bank *bank, uint64_t cycle)
{
    bank->row = DRAM_NO_ROW;
    dram->heads_listed = false;
    bank->may_reopen = later(bank->may_reopen, cycle + dram->timing.tRP);
    dram->stats.rows_closed++;
}

/* First cycle in which any bank may open a row (tRRD, tFAW). */
static uint64_t
may_open(const struct dram *dram)
{
    return later(dram->next_open, dram->window[dram->window_next]);
}

static void
note_opening(struct dram *dram, uint64_t now)
{
    dram->next_open = now + dram->timing.tRRD;
    if (dram->timing.tFAW) {
        dram->window[dram->window_next] = now + dram->timing.tFAW;
        dram->window_next = (dram->window_next + 1) % DRAM_WINDOW_ROWS;
    }
}

/* Closes the conflicting row of an entry's bank, or opens the entry's row, if the bank can do so
 * now. Otherwise lowers dram->wake to the cycle in which the bank can. */
static bool
prepare_row(struct dram *dram, struct dram_entry *entry, uint64_t now)
{
    struct dram_bank *bank = &dram->banks[entry->bank];
    bool closes = bank->row != DRAM_NO_ROW;
    uint64_t at = closes ? bank->may_close : later(bank->may_reopen, may_open(dram));
    if (at > now) {
        dram_wake_at(dram, at);
        return false;
    }
    dram_wake_at(dram, now + 1);
    if (closes) {
        close_row(dram, bank, now);
        return true;
    }
    bank->row = entry->row;
    dram->heads_listed = false;
    bank->opened = now;
    bank->used = false;
    bank->may_close = now + dram->timing.tRAS;
    bank->may_reopen = now + dram->timing.tRC;
    note_opening(dram, now);
    entry->opened = true;
    return true;
}

/* Whether the entry's row is open and can be used now. If the row is not open, prepares it.
 * `*prepared` limits this to one row per cycle. */
static bool
row_is_ready(struct dram *dram, struct dram_entry *entry, uint64_t now, bool *prepared)
{
    const struct dram_bank *bank = &dram->banks[entry->bank];
    if (!dram_row_is_open(dram, entry)) {
        bool may = bank->row == DRAM_NO_ROW || is_overdue(dram, entry) ||
                   !(dram->wanted_banks >> entry->bank & 1);
        if (may && *prepared)
            dram_wake_at(dram, now + 1);
        else if (may)
            *prepared = prepare_row(dram, entry, now);
    }
    if (!dram_row_is_open(dram, entry))
        return false;
    uint64_t ready = bank->opened + (entry->write ? dram->timing.tRCDW : dram->timing.tRCD);
    if (ready > now)
        dram_wake_at(dram, ready);
    return ready <= now;
}

static uint64_t
latency_of(const struct dram *dram, bool write)
{
    return write ? dram->timing.WL : dram->timing.CAS;
}

static uint32_t
group_of(const struct dram *dram, const struct dram_entry *entry)
{
    return entry->bank % dram->timing.bank_groups;
}

/* First cycle, from `now` on, in which the entry's command may be issued. When its data arrives,
 * the bus must be free and turned to its direction. */
static uint64_t
command_cycle(const struct dram *dram, const struct dram_entry *entry, uint64_t now)
{
    const bool write = entry->write;
    uint64_t latency = latency_of(dram, write), bus = dram->bus_free;
    uint64_t command = later(now, dram->group_free[group_of(dram, entry)]);
    if (write && dram->last_read_end)
        bus = later(bus, dram->last_read_end + dram->timing.tRTW);
    if (!write && dram->last_write_end)
        command = later(command, dram->last_write_end + dram->timing.tWTR);
    return bus > command + latency ? bus - latency : command;
}

/* Issues the entry's command now. */
static void
transfer(struct dram *dram, const struct dram_entry *entry, uint64_t now)
{
    struct dram_bank *bank = &dram->banks[entry->bank];
    bool write = entry->write;
    uint64_t latency = latency_of(dram, write);
    uint64_t turnaround = write ? dram->timing.tRTW : dram->timing.tWTR + latency;
    dram_use_bus(dram, write, now + latency, turnaround);
    dram->group_free[group_of(dram, entry)] = now + dram->timing.group_cycles;
    bank->used = true;
    *(entry->opened ? &dram->stats.row_misses : &dram->stats.row_hits) += 1;
    uint64_t row_end = write ? dram->bus_free + dram->timing.tWR
                             : now + dram->shape.burst_cycles; /* read: one burst later */
    bank->may_close = later(bank->may_close, row_end);
}

/* Implements the closing page policy: closes the row after an access if no other queued entry needs
 * it. */
static void
apply_page_policy(struct dram *dram, uint32_t bank, uint32_t except)
{
    if (dram->params->MEMORYCONTROLLER.V2PagePolicy != PAGE_CLOSE)
        return;
    for (uint32_t i = 0; i < dram->count; i++) {
        const struct dram_entry *entry = dram_entry(dram, i);
        if (i != except && entry->bank == bank && dram_row_is_open(dram, entry))
            return;
    }
    close_row(dram, &dram->banks[bank], dram->banks[bank].may_close);
}

static int32_t
clock_perfect(struct dram *dram, uint64_t now, dram_may_reply_fn *may_reply, void *data,
              uint64_t *delay)
{
    if (now < dram->bus_free) {
        dram_wake_at(dram, dram->bus_free);
        return -1;
    }
    if (!dram->count || !may_reply(data, dram_entry(dram, 0)))
        return -1;
    dram_use_bus(dram, dram_entry(dram, 0)->write, now, 0);
    *delay = dram->shape.burst_cycles;
    dram_wake_at(dram, dram->bus_free);
    return 0;
}

int32_t
dram_banks_clock(struct dram *dram, uint64_t now, dram_may_reply_fn *may_reply, void *data,
                 uint64_t *delay)
{
    if (dram->params->MEMORYCONTROLLER.V2PerfectMemory)
        return clock_perfect(dram, now, may_reply, data, delay);
    struct dram_candidate best = {-1, 0};
    bool prepared = false;
    dram_list_heads(dram,
                    dram->params->MEMORYCONTROLLER.V2ChannelScheduler == SCHEDULER_LOOK_AHEAD);
    for (uint32_t i = 0; i < dram->head_count; i++) {
        struct dram_entry *entry = &dram->entries[dram->order[dram->heads[i]]];
        if (row_is_ready(dram, entry, now, &prepared))
            dram_consider(dram, dram->heads[i], may_reply, data, &best);
    }
    if (best.position < 0)
        return -1;
    const struct dram_entry *entry = dram_entry(dram, (uint32_t)best.position);
    uint64_t command = command_cycle(dram, entry, now);
    dram_wake_at(dram, later(command, now + 1));
    if (command > now)
        return -1;
    transfer(dram, entry, now);
    *delay = dram->bus_free - now;
    apply_page_policy(dram, entry->bank, (uint32_t)best.position);
    return best.position;
}
