/* Memory channels.
 *
 * Simple model (reference of 2005): MemoryFrequency / MemoryClockMultiplier GPU cycles are a cycle
 * of the memory, which all its times are in. A transaction of 64 bytes takes the bursts of
 * BurstLength transfers of MemoryBusWidth bits, at double rate, that it needs (one of 8 transfers
 * of 64 bits: 4 cycles). Data follows its command by ReadLatency or WriteLatency, and the next
 * command of the same direction by as many cycles as the data takes; a write command waits for the
 * last data read, a read command for WriteToReadLatency after the last data written. A page that is
 * not open in its bank (page n lies in bank n modulo OpenPages) delays the command by
 * PageOpenLatency. Reads and writes have a queue each, in order. At most one command a channel and
 * GPU cycle.
 *
 * GDDR3 (MemoryControllerV2): a burst moves V2BurstElementsPerCycle 32-bit elements a cycle. A row
 * must be open in its bank: tRP to close the old one, tRCD (tRCDW) to open it for reads (writes),
 * tRRD between openings of two banks, tRC between two of one; data follows a command by CAS or WL;
 * the bus turns after tRTW and tWTR; a row may close tRAS after it was opened, tWR after its last
 * write, and after the length of a burst behind its last read command. Rows are closed and opened,
 * one a cycle, for the entries that the scheduler may take next, while the bus is still busy,
 * unless waiting entries still hit the row that is open. The scheduler (V2ChannelScheduler) decides
 * which entries those are: the heads of one queue, of one for reads and one for writes, of one a
 * bank, of one a bank and direction, or any. Among those whose row is open it keeps the direction
 * (at most MaxConsecutiveReads or Writes while others wait), then prefers age. No transaction
 * passes an older one to the same 64 bytes.
 *
 * Source: machine.md (memory controller); the GDDR3 rules of the JEDEC standard. Not modelled:
 * refresh; the command bus, which row and column commands would share. */
#include "unit/dram.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static bool
is_gddr(const struct dram *dram)
{
    return dram->params->MEMORYCONTROLLER.MemoryControllerV2;
}

uint32_t
dram_channel_count(const struct params *params)
{
    return params->MEMORYCONTROLLER.MemoryControllerV2 ? params->MEMORYCONTROLLER.V2MemoryChannels
                                                       : params->MEMORYCONTROLLER.MemoryBuses;
}

static uint32_t
interleaving(const struct params *params)
{
    return params->MEMORYCONTROLLER.MemoryControllerV2
               ? params->MEMORYCONTROLLER.V2ChannelInterleaving
               : params->MEMORYCONTROLLER.BankGranularity;
}

uint32_t
dram_channel_of(const struct params *params, uint32_t address)
{
    return address / interleaving(params) % dram_channel_count(params);
}

/* Cycles of the channel's clock that a transaction takes the bus for. */
static uint32_t
burst_cycles(const struct dram *dram)
{
    const struct params *p = dram->params;
    if (is_gddr(dram)) {
        uint32_t bytes = p->MEMORYCONTROLLER.V2BurstElementsPerCycle * 4;
        return (TRANSACTION_BYTES + bytes - 1) / bytes;
    }
    uint32_t bits = p->MEMORYCONTROLLER.MemoryBusWidth, length = p->MEMORYCONTROLLER.BurstLength;
    uint32_t transfers = (TRANSACTION_BYTES * 8 + bits - 1) / bits;
    transfers = (transfers + length - 1) / length * length;
    return (transfers + 1) / 2 * dram->memory_cycle;
}

void
dram_init(struct dram *dram, const struct params *params)
{
    memset(dram, 0, sizeof *dram);
    dram->params = params;
    bool shared = !is_gddr(dram) && params->MEMORYCONTROLLER.SharedBanks;
    dram->channels = shared ? 1 : dram_channel_count(params);
    dram->limit = is_gddr(dram) ? params->MEMORYCONTROLLER.V2MaxChannelTransactions
                                : params->MEMORYCONTROLLER.RequestQueueSize;
    dram->gpu_cycle = is_gddr(dram) ? 1 : params->MEMORYCONTROLLER.MemoryClockMultiplier;
    dram->memory_cycle = is_gddr(dram) ? 1 : params->MEMORYCONTROLLER.MemoryFrequency;
    dram->burst_cycles = burst_cycles(dram);
    dram->entries = mem_alloc(dram->limit * sizeof *dram->entries);
    dram->order = mem_alloc(dram->limit * sizeof *dram->order);
    dram->requests = mem_alloc(dram->limit * sizeof *dram->requests);
    dram->heads = mem_alloc(dram->limit * sizeof *dram->heads);
    for (uint32_t i = 0; i < dram->limit; i++)
        dram->order[i] = (uint16_t)i;
    dram_reset(dram, 0);
}

void
dram_fini(struct dram *dram)
{
    free(dram->entries);
    free(dram->requests);
    free(dram->order);
    free(dram->heads);
}

void
dram_reset(struct dram *dram, uint64_t now)
{
    BUG_ON(dram->count, "a memory channel is reset with %u transactions in it", dram->count);
    dram->bus_free = dram->gpu_bus_free = dram->command_free = dram->next_open = 0;
    dram->last_read_end = dram->last_write_end = 0;
    dram->last_was_write = false;
    dram->origin = now * dram->gpu_cycle;
    dram->in_a_row = 0;
    memset(dram->pages, 0xff, sizeof dram->pages); /* no page */
    dram->heads_listed = false;
    dram->wake = 0;
    /* told in GPU cycles: a frame's figures do not depend on what the one before left over */
    dram->stats.burst_cycles -= dram->stats.burst_cycles % dram->gpu_cycle;
    dram->stats.turn_cycles -= dram->stats.turn_cycles % dram->gpu_cycle;
    for (uint32_t b = 0; b < DRAM_MAX_BANKS; b++)
        dram->banks[b] = (struct dram_bank){.row = DRAM_NO_ROW};
}

/* Queue that an entry stands in, by scheduler. */
static uint32_t
class_of(const struct dram *dram, const struct dram_entry *entry)
{
    bool write = entry->write;
    if (!is_gddr(dram))
        return write;
    switch (dram->params->MEMORYCONTROLLER.V2ChannelScheduler) {
    case SCHEDULER_FIFO: return 0;
    case SCHEDULER_RW_FIFO: return write;
    case SCHEDULER_BANK_FIFO: return entry->bank;
    default: return entry->bank * 2 + write;
    }
}

/* Where an address lies in its channel: the channel's own bytes are numbered without those of the
 * other channels, then cut into banks and rows. */
static void
locate(const struct dram *dram, struct dram_entry *entry)
{
    const struct params *p = dram->params;
    uint32_t piece = interleaving(p), address = entry->address;
    uint32_t own = address / piece / dram->channels * piece + address % piece;
    if (!is_gddr(dram)) {
        entry->bank = 0;
        entry->row = (int32_t)(own / p->MEMORYCONTROLLER.MemoryPageSize);
        return;
    }
    uint32_t banks = p->MEMORYCONTROLLER.V2BanksPerMemoryChannel;
    uint32_t bank_piece = p->MEMORYCONTROLLER.V2BankInterleaving;
    uint32_t in_bank = own / bank_piece / banks * bank_piece + own % bank_piece;
    entry->row = (int32_t)(in_bank / p->MEMORYCONTROLLER.V2MemoryRowSize);
    uint32_t bank = own / bank_piece;
    if (p->MEMORYCONTROLLER.V2BankPermutation)
        bank ^= (uint32_t)entry->row;
    entry->bank = (uint8_t)(bank % banks);
}

void
dram_add(struct dram *dram, const struct memory_request *request, uint32_t port)
{
    uint16_t place = dram->order[dram->count];
    struct dram_entry *entry = &dram->entries[place];
    dram->requests[place] = *request;
    *entry = (struct dram_entry){
        .address = request->address, .write = request->write, .port = (uint8_t)port};
    for (uint32_t i = 0; i < dram->count && !dram->fault_order; i++)
        entry->older += dram_entry(dram, i)->address == request->address;
    locate(dram, entry);
    entry->class = (uint8_t)class_of(dram, entry);
    dram->count++;
    dram->heads_listed = false;
    dram->wake = 0;
}

bool
dram_holds(const struct dram *dram, uint32_t address)
{
    for (uint32_t i = 0; i < dram->count; i++)
        if (dram_entry(dram, i)->address == address)
            return true;
    return false;
}

void
dram_remove(struct dram *dram, uint32_t place)
{
    uint16_t gone = dram->order[place];
    uint32_t address = dram->entries[gone].address;
    for (uint32_t i = 0; i < place; i++)
        dram->entries[dram->order[i]].passed++;
    dram->count--;
    dram->heads_listed = false;
    for (uint32_t i = place; i < dram->count; i++) {
        dram->order[i] = dram->order[i + 1];
        if (dram->entries[dram->order[i]].older)
            dram->entries[dram->order[i]].older -= dram->entries[dram->order[i]].address == address;
    }
    dram->order[dram->count] = gone;
}

static void
lower(uint64_t *wake, uint64_t cycle)
{
    if (cycle < *wake)
        *wake = cycle;
}

static uint64_t
later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* The transaction's data goes over the bus from `start` on; of the cycles in which the bus did
 * nothing before, at most `turn` are the change of direction's. */
static void
use_bus(struct dram *dram, bool write, uint64_t start, uint64_t turn)
{
    if (dram->last_was_write != write) {
        uint64_t idle = start - dram->bus_free;
        dram->stats.turns++;
        dram->stats.turn_cycles += idle < turn ? idle : turn;
        dram->in_a_row = 0;
    }
    dram->last_was_write = write;
    dram->in_a_row++;
    dram->bus_free = start + dram->burst_cycles;
    dram->gpu_bus_free = (dram->bus_free + dram->gpu_cycle - 1) / dram->gpu_cycle;
    *(write ? &dram->last_write_end : &dram->last_read_end) = dram->bus_free;
    dram->stats.burst_cycles += dram->burst_cycles;
}

static bool
row_is_open(const struct dram *dram, const struct dram_entry *entry)
{
    return dram->banks[entry->bank].row == entry->row;
}

/* Lists the entries that may be taken: the heads of their queues, with no older one of the same
 * address in front. */
static void
list_heads(struct dram *dram)
{
    uint64_t seen[DRAM_MAX_BANKS * 2 / 64] = {0};
    if (dram->heads_listed)
        return;
    dram->heads_listed = true;
    dram->head_count = 0;
    dram->wanted_banks = 0;
    bool any =
        is_gddr(dram) && dram->params->MEMORYCONTROLLER.V2ChannelScheduler == SCHEDULER_LOOK_AHEAD;
    for (uint32_t i = 0; i < dram->count; i++) {
        const struct dram_entry *entry = dram_entry(dram, i);
        uint64_t *word = &seen[entry->class / 64], bit = UINT64_C(1) << entry->class % 64;
        if ((any || !(*word & bit)) && !entry->older) {
            dram->heads[dram->head_count++] = (uint16_t)i;
            dram->wanted_banks |= (uint64_t)row_is_open(dram, entry) << entry->bank;
        }
        *word |= bit;
    }
}

static bool
prefers_direction(const struct dram *dram, const struct dram_entry *entry)
{
    const struct params *p = dram->params;
    uint32_t limit = dram->last_was_write ? p->MEMORYCONTROLLER.MaxConsecutiveWrites
                                          : p->MEMORYCONTROLLER.MaxConsecutiveReads;
    return (entry->write == dram->last_was_write) == (dram->in_a_row < limit);
}

/* Cycles to open the page of an entry: 0 when it is open, or when memory has no pages. Each of the
 * open pages has a bank of its own, which the low bits of a page's number choose. */
static uint32_t
open_page(struct dram *dram, int32_t page)
{
    const struct params *p = dram->params;
    if (!p->MEMORYCONTROLLER.PageOpenLatency)
        return 0;
    int32_t *bank = &dram->pages[(uint32_t)page % p->MEMORYCONTROLLER.OpenPages];
    const bool hit = *bank == page;
    *bank = page;
    *(hit ? &dram->stats.row_hits : &dram->stats.row_misses) += 1;
    return hit ? 0 : p->MEMORYCONTROLLER.PageOpenLatency;
}

static int32_t
clock_simple(struct dram *dram, uint64_t now, dram_may_reply_fn *may_reply, void *data,
             uint64_t *delay)
{
    const struct params *p = dram->params;
    const uint64_t cycle = dram->memory_cycle, gpu = dram->gpu_cycle;
    int32_t best = -1;
    uint32_t best_score = 0;
    list_heads(dram);
    for (uint32_t i = 0; i < dram->head_count; i++) {
        const struct dram_entry *entry = dram_entry(dram, dram->heads[i]);
        uint32_t score = 1 + prefers_direction(dram, entry);
        if (score > best_score && may_reply(data, entry)) {
            best = dram->heads[i];
            best_score = score;
        }
    }
    if (best < 0)
        return -1;
    const struct dram_entry *entry = dram_entry(dram, (uint32_t)best);
    bool write = entry->write;
    uint64_t latency =
        (write ? p->MEMORYCONTROLLER.WriteLatency : p->MEMORYCONTROLLER.ReadLatency) * cycle;
    uint64_t recovery = write ? 0 : p->MEMORYCONTROLLER.WriteToReadLatency * cycle;
    uint64_t command = later(now * gpu, dram->command_free);
    if (write)
        command = later(command, dram->last_read_end);
    else if (dram->last_write_end)
        command = later(command, dram->last_write_end + recovery);
    command = dram->origin + (command - dram->origin + cycle - 1) / cycle * cycle;
    if (command >= (now + 1) * gpu) {
        lower(&dram->wake, command / gpu);
        return -1;
    }
    command += open_page(dram, entry->row) * cycle;
    dram->command_free = command + dram->burst_cycles;
    use_bus(dram, write, command + latency, recovery + latency);
    *delay = dram->gpu_bus_free - now;
    lower(&dram->wake, later(dram->command_free / gpu, now + 1));
    return best;
}

/* Whether an entry has been passed by so many others that its row may be opened for it though the
 * one that is open is still wanted: but not before that has been of use. */
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
    bank->may_reopen = later(bank->may_reopen, cycle + dram->params->MEMORYCONTROLLER.V2GDDR_tRP);
    dram->stats.rows_closed++;
}

/* Closes the row that is in an entry's way, or opens its own, if the bank can do so now; dram->wake
 * is lowered when it can later. */
static bool
prepare_row(struct dram *dram, struct dram_entry *entry, uint64_t now)
{
    const struct params *p = dram->params;
    struct dram_bank *bank = &dram->banks[entry->bank];
    bool closes = bank->row != DRAM_NO_ROW;
    uint64_t at = closes ? bank->may_close : later(bank->may_reopen, dram->next_open);
    if (at > now) {
        lower(&dram->wake, at);
        return false;
    }
    lower(&dram->wake, now + 1);
    if (closes) {
        close_row(dram, bank, now);
        return true;
    }
    bank->row = entry->row;
    dram->heads_listed = false;
    bank->opened = now;
    bank->used = false;
    bank->may_close = now + p->MEMORYCONTROLLER.V2GDDR_tRAS;
    bank->may_reopen = now + p->MEMORYCONTROLLER.V2GDDR_tRC;
    dram->next_open = now + p->MEMORYCONTROLLER.V2GDDR_tRRD;
    entry->opened = true;
    return true;
}

/* Whether the entry's row is open and can be used now. At most one row is opened or closed a cycle.
 */
static bool
row_is_ready(struct dram *dram, struct dram_entry *entry, uint64_t now, bool *prepared)
{
    const struct params *p = dram->params;
    const struct dram_bank *bank = &dram->banks[entry->bank];
    if (!row_is_open(dram, entry)) {
        bool may = bank->row == DRAM_NO_ROW || is_overdue(dram, entry) ||
                   !(dram->wanted_banks >> entry->bank & 1);
        if (may && *prepared)
            lower(&dram->wake, now + 1);
        else if (may)
            *prepared = prepare_row(dram, entry, now);
    }
    if (!row_is_open(dram, entry))
        return false;
    uint64_t ready = bank->opened + (entry->write ? p->MEMORYCONTROLLER.V2GDDR_tRCDW
                                                  : p->MEMORYCONTROLLER.V2GDDR_tRCD);
    if (ready > now)
        lower(&dram->wake, ready);
    return ready <= now;
}

static uint64_t
latency_of(const struct dram *dram, bool write)
{
    const struct params *p = dram->params;
    return write ? p->MEMORYCONTROLLER.V2GDDR_WL : p->MEMORYCONTROLLER.V2GDDR_CAS;
}

/* First cycle, from `now` on, in which the entry's command may go out: its data then finds the bus
 * free and turned. */
static uint64_t
command_cycle(const struct dram *dram, bool write, uint64_t now)
{
    const struct params *p = dram->params;
    uint64_t latency = latency_of(dram, write), bus = dram->bus_free, command = now;
    if (write && dram->last_read_end)
        bus = later(bus, dram->last_read_end + p->MEMORYCONTROLLER.V2GDDR_tRTW);
    if (!write && dram->last_write_end)
        command = later(command, dram->last_write_end + p->MEMORYCONTROLLER.V2GDDR_tWTR);
    return bus > command + latency ? bus - latency : command;
}

/* The entry's command goes out now. */
static void
transfer(struct dram *dram, const struct dram_entry *entry, uint64_t now)
{
    const struct params *p = dram->params;
    struct dram_bank *bank = &dram->banks[entry->bank];
    bool write = entry->write;
    uint64_t latency = latency_of(dram, write);
    uint64_t turn =
        write ? p->MEMORYCONTROLLER.V2GDDR_tRTW : p->MEMORYCONTROLLER.V2GDDR_tWTR + latency;
    use_bus(dram, write, now + latency, turn);
    bank->used = true;
    *(entry->opened ? &dram->stats.row_misses : &dram->stats.row_hits) += 1;
    uint64_t row_end = write ? dram->bus_free + p->MEMORYCONTROLLER.V2GDDR_tWR
                             : now + dram->burst_cycles; /* read out, on its way to the bus */
    bank->may_close = later(bank->may_close, row_end);
}

/* After an access under the closing policy: the row goes when nobody waits for it. */
static void
apply_page_policy(struct dram *dram, uint32_t bank, uint32_t except)
{
    if (dram->params->MEMORYCONTROLLER.V2PagePolicy != PAGE_CLOSE)
        return;
    for (uint32_t i = 0; i < dram->count; i++) {
        const struct dram_entry *entry = dram_entry(dram, i);
        if (i != except && entry->bank == bank && row_is_open(dram, entry))
            return;
    }
    close_row(dram, &dram->banks[bank], dram->banks[bank].may_close);
}

static int32_t
clock_perfect(struct dram *dram, uint64_t now, dram_may_reply_fn *may_reply, void *data,
              uint64_t *delay)
{
    if (now < dram->bus_free) {
        lower(&dram->wake, dram->bus_free);
        return -1;
    }
    if (!dram->count || !may_reply(data, dram_entry(dram, 0)))
        return -1;
    use_bus(dram, dram_entry(dram, 0)->write, now, 0);
    *delay = dram->burst_cycles;
    lower(&dram->wake, dram->bus_free);
    return 0;
}

static int32_t
clock_gddr(struct dram *dram, uint64_t now, dram_may_reply_fn *may_reply, void *data,
           uint64_t *delay)
{
    int32_t best = -1;
    uint32_t best_score = 0;
    bool prepared = false;
    list_heads(dram);
    for (uint32_t i = 0; i < dram->head_count; i++) {
        struct dram_entry *entry = &dram->entries[dram->order[dram->heads[i]]];
        if (!row_is_ready(dram, entry, now, &prepared))
            continue;
        uint32_t score = 1 + prefers_direction(dram, entry);
        if (score > best_score && may_reply(data, entry)) {
            best = dram->heads[i];
            best_score = score;
        }
    }
    if (best < 0)
        return -1;
    const struct dram_entry *entry = dram_entry(dram, (uint32_t)best);
    uint64_t command = command_cycle(dram, entry->write, now);
    lower(&dram->wake, later(command, now + 1));
    if (command > now)
        return -1;
    transfer(dram, entry, now);
    *delay = dram->bus_free - now;
    apply_page_policy(dram, entry->bank, (uint32_t)best);
    return best;
}

int32_t
dram_clock(struct dram *dram, uint64_t now, dram_may_reply_fn *may_reply, void *data,
           uint64_t *delay)
{
    dram->wake = CYCLE_NEVER;
    if (!is_gddr(dram))
        return clock_simple(dram, now, may_reply, data, delay);
    if (dram->params->MEMORYCONTROLLER.V2PerfectMemory)
        return clock_perfect(dram, now, may_reply, data, delay);
    return clock_gddr(dram, now, may_reply, data, delay);
}
