/* Memory channels.
 *
 * Simple model (reference of 2005): transactions in order of arrival; a transaction of 64 bytes is
 * a burst of transfers of MemoryBusWidth bits at double rate (4 cycles for 64 bits); WriteToRead-
 * Latency when a read follows a write; PageOpenLatency when the page is not among the OpenPages of
 * the channel.
 *
 * GDDR3 (MemoryControllerV2): a burst moves V2BurstElementsPerCycle 32-bit elements a cycle. A row
 * must be open in its bank: tRP to close the old one, tRCD to open it, tRRD between openings of two
 * banks; data follows a command by CAS or WL; the bus turns after tRTW and tWTR; a row may close
 * tWR after its last write. Rows are opened ahead for the entries that the scheduler may take next,
 * while the bus is still busy, unless waiting entries still hit the row that is open. The scheduler
 * (V2ChannelScheduler) decides which entries those are: the heads of one queue, of one for reads
 * and one for writes, of one a bank, of one a bank and direction, or any. Among them it keeps the
 * direction (at most MaxConsecutiveReads or Writes while others wait), then prefers open rows, then
 * age. No transaction passes an older one to the same 64 bytes.
 *
 * Source: machine.md (memory controller); the GDDR3 rules of the JEDEC standard. Not modelled:
 * refresh, tRAS and tRC apart from tWR, the command bus. */
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

void
dram_init(struct dram *dram, const struct params *params)
{
    memset(dram, 0, sizeof *dram);
    dram->params = params;
    dram->channels = dram_channel_count(params);
    dram->limit = is_gddr(dram) ? params->MEMORYCONTROLLER.V2MaxChannelTransactions
                                : params->MEMORYCONTROLLER.ServiceQueueSize;
    uint32_t bytes = is_gddr(dram) ? params->MEMORYCONTROLLER.V2BurstElementsPerCycle * 4
                                   : params->MEMORYCONTROLLER.MemoryBusWidth / 8 * 2;
    dram->burst_cycles = bytes < TRANSACTION_BYTES ? TRANSACTION_BYTES / bytes : 1;
    dram->entries = mem_alloc(dram->limit * sizeof *dram->entries);
    dram->heads = mem_alloc(dram->limit * sizeof *dram->heads);
    dram_reset(dram);
}

void
dram_fini(struct dram *dram)
{
    free(dram->entries);
    free(dram->heads);
}

void
dram_reset(struct dram *dram)
{
    BUG_ON(dram->count, "a memory channel is reset with %u transactions in it", dram->count);
    dram->bus_free = dram->last_read_end = dram->last_write_end = dram->last_open = 0;
    dram->last_was_write = false;
    dram->in_a_row = dram->page_count = 0;
    for (uint32_t b = 0; b < DRAM_MAX_BANKS; b++)
        dram->banks[b] = (struct dram_bank){.row = DRAM_NO_ROW};
}

/* Where an address lies in its channel: the channel's own bytes are numbered without those of the
 * other channels, then cut into banks and rows. */
static void
locate(const struct dram *dram, struct dram_entry *entry)
{
    const struct params *p = dram->params;
    uint32_t piece = interleaving(p), address = entry->request.address;
    uint32_t own = address / piece / dram->channels * piece + address % piece;
    if (!is_gddr(dram)) {
        entry->bank = 0;
        entry->row = (int32_t)(own / p->MEMORYCONTROLLER.MemoryPageSize);
        return;
    }
    uint32_t banks = p->MEMORYCONTROLLER.V2BanksPerMemoryChannel;
    uint32_t bank_piece = p->MEMORYCONTROLLER.V2BankInterleaving;
    uint32_t in_bank = own / bank_piece / banks * bank_piece + own % bank_piece;
    entry->bank = own / bank_piece % banks;
    entry->row = (int32_t)(in_bank / p->MEMORYCONTROLLER.V2MemoryRowSize);
}

void
dram_add(struct dram *dram, const struct memory_request *request, uint32_t port)
{
    struct dram_entry *entry = &dram->entries[dram->count++];
    entry->request = *request;
    entry->port = port;
    entry->opened = false;
    locate(dram, entry);
}

void
dram_remove(struct dram *dram, uint32_t entry)
{
    dram->count--;
    memmove(&dram->entries[entry], &dram->entries[entry + 1],
            (dram->count - entry) * sizeof dram->entries[0]);
}

static void
count_direction(struct dram *dram, bool write, uint64_t cycles_lost)
{
    if (dram->last_was_write != write) {
        dram->stats.turns++;
        dram->stats.turn_cycles += cycles_lost;
        dram->in_a_row = 0;
    }
    dram->last_was_write = write;
    dram->in_a_row++;
    dram->stats.burst_cycles += dram->burst_cycles;
}

/* Cycles to open the page of an entry: 0 when it is open, or when memory has no pages. */
static uint32_t
open_page(struct dram *dram, int32_t page)
{
    const struct params *p = dram->params;
    uint32_t limit = p->MEMORYCONTROLLER.OpenPages, i = 0;
    if (!p->MEMORYCONTROLLER.PageOpenLatency)
        return 0;
    if (limit > DRAM_MAX_PAGES)
        limit = DRAM_MAX_PAGES;
    while (i < dram->page_count && dram->pages[i] != page)
        i++;
    bool hit = i < dram->page_count;
    if (!hit && dram->page_count < limit)
        i = dram->page_count++;
    else if (!hit)
        i = limit - 1;
    memmove(&dram->pages[1], &dram->pages[0], i * sizeof dram->pages[0]);
    dram->pages[0] = page;
    *(hit ? &dram->stats.row_hits : &dram->stats.row_misses) += 1;
    return hit ? 0 : p->MEMORYCONTROLLER.PageOpenLatency;
}

static int32_t
clock_simple(struct dram *dram, uint64_t now, dram_may_reply_fn *may_reply, void *data,
             uint64_t *delay, uint64_t *wake)
{
    const struct params *p = dram->params;
    if (now < dram->bus_free) {
        *wake = dram->bus_free < *wake ? dram->bus_free : *wake;
        return -1;
    }
    if (!dram->count || !may_reply(data, dram->entries[0].port))
        return -1;
    const struct dram_entry *entry = &dram->entries[0];
    bool write = entry->request.write;
    uint64_t penalty = 0;
    if (write != dram->last_was_write)
        penalty = write ? 1 : p->MEMORYCONTROLLER.WriteToReadLatency;
    count_direction(dram, write, penalty);
    penalty += open_page(dram, entry->row);
    dram->bus_free = now + penalty + dram->burst_cycles;
    *delay = dram->bus_free - now +
             (write ? p->MEMORYCONTROLLER.WriteLatency : p->MEMORYCONTROLLER.ReadLatency);
    *wake = dram->bus_free < *wake ? dram->bus_free : *wake;
    return 0;
}

/* Queue that an entry stands in, by scheduler. */
static uint32_t
class_of(const struct dram *dram, const struct dram_entry *entry)
{
    switch (dram->params->MEMORYCONTROLLER.V2ChannelScheduler) {
    case SCHEDULER_FIFO: return 0;
    case SCHEDULER_RW_FIFO: return entry->request.write;
    case SCHEDULER_BANK_FIFO: return entry->bank;
    default: return entry->bank * 2 + entry->request.write;
    }
}

/* Marks the entries that may be taken: the heads of their queues, with no older one of the same
 * address in front. */
static void
mark_heads(struct dram *dram)
{
    uint64_t seen[DRAM_MAX_BANKS * 2 / 64] = {0};
    bool any = dram->params->MEMORYCONTROLLER.V2ChannelScheduler == SCHEDULER_LOOK_AHEAD;
    for (uint32_t i = 0; i < dram->count; i++) {
        const struct dram_entry *entry = &dram->entries[i];
        uint32_t class = class_of(dram, entry);
        bool head = any || !(seen[class / 64] >> class % 64 & 1);
        seen[class / 64] |= 1ull << class % 64;
        for (uint32_t older = 0; older < i && head; older++)
            head = dram->entries[older].request.address != entry->request.address;
        dram->heads[i] = head;
    }
}

static bool
prefers_direction(const struct dram *dram, const struct dram_entry *entry)
{
    const struct params *p = dram->params;
    uint32_t limit = dram->last_was_write ? p->MEMORYCONTROLLER.MaxConsecutiveWrites
                                          : p->MEMORYCONTROLLER.MaxConsecutiveReads;
    return (entry->request.write == dram->last_was_write) == (dram->in_a_row < limit);
}

static bool
row_is_open(const struct dram *dram, const struct dram_entry *entry)
{
    return dram->banks[entry->bank].row == entry->row;
}

/* Whether an entry that may be taken hits the row that is open. */
static bool
row_is_wanted(const struct dram *dram, uint32_t bank)
{
    for (uint32_t i = 0; i < dram->count; i++)
        if (dram->heads[i] && dram->entries[i].bank == bank && row_is_open(dram, &dram->entries[i]))
            return true;
    return false;
}

/* Opens the row that an entry needs if its bank can do so now; lowers *wake when it can later. */
static bool
open_row(struct dram *dram, struct dram_entry *entry, uint64_t now, uint64_t *wake)
{
    const struct params *p = dram->params;
    struct dram_bank *bank = &dram->banks[entry->bank];
    uint64_t at = dram->last_open ? dram->last_open + p->MEMORYCONTROLLER.V2GDDR_tRRD : 0;
    if (bank->row != DRAM_NO_ROW && bank->may_close > at)
        at = bank->may_close;
    if (bank->row != DRAM_NO_ROW && bank->ready > at)
        at = bank->ready;
    if (at > now) {
        *wake = at < *wake ? at : *wake;
        return false;
    }
    uint64_t close = bank->row == DRAM_NO_ROW ? 0 : p->MEMORYCONTROLLER.V2GDDR_tRP;
    dram->stats.rows_closed += bank->row != DRAM_NO_ROW;
    bank->row = entry->row;
    bank->ready = now + close + p->MEMORYCONTROLLER.V2GDDR_tRCD;
    dram->last_open = now + close;
    entry->opened = true;
    return true;
}

/* First cycle in which the entry's data may be on the bus if its command goes out at `now`. */
static uint64_t
data_cycle(const struct dram *dram, const struct dram_entry *entry, uint64_t now)
{
    const struct params *p = dram->params;
    bool write = entry->request.write;
    uint64_t command = now;
    if (!write && dram->last_write_end &&
        dram->last_write_end + p->MEMORYCONTROLLER.V2GDDR_tWTR > command)
        command = dram->last_write_end + p->MEMORYCONTROLLER.V2GDDR_tWTR;
    uint64_t data =
        command + (write ? p->MEMORYCONTROLLER.V2GDDR_WL : p->MEMORYCONTROLLER.V2GDDR_CAS);
    if (write && dram->last_read_end &&
        dram->last_read_end + p->MEMORYCONTROLLER.V2GDDR_tRTW > data)
        data = dram->last_read_end + p->MEMORYCONTROLLER.V2GDDR_tRTW;
    return data > dram->bus_free ? data : dram->bus_free;
}

/* Sends the entry's command: its data will be on the bus from the cycle that comes back. */
static uint64_t
transfer(struct dram *dram, struct dram_entry *entry, uint64_t now)
{
    const struct params *p = dram->params;
    struct dram_bank *bank = &dram->banks[entry->bank];
    bool write = entry->request.write;
    uint64_t start = data_cycle(dram, entry, now), end = start + dram->burst_cycles;
    uint64_t idle = dram->bus_free > now ? dram->bus_free : now;
    count_direction(dram, write, start > idle ? start - idle : 0);
    *(entry->opened ? &dram->stats.row_misses : &dram->stats.row_hits) += 1;
    dram->bus_free = end;
    *(write ? &dram->last_write_end : &dram->last_read_end) = end;
    uint64_t may_close = write ? end + p->MEMORYCONTROLLER.V2GDDR_tWR : end;
    if (may_close > bank->may_close)
        bank->may_close = may_close;
    return end;
}

/* After an access under the closing policy: the row goes when nobody waits for it. */
static void
apply_page_policy(struct dram *dram, uint32_t bank_index, uint32_t except)
{
    struct dram_bank *bank = &dram->banks[bank_index];
    if (dram->params->MEMORYCONTROLLER.V2PagePolicy != PAGE_CLOSE)
        return;
    for (uint32_t i = 0; i < dram->count; i++)
        if (i != except && dram->entries[i].bank == bank_index &&
            row_is_open(dram, &dram->entries[i]))
            return;
    bank->row = DRAM_NO_ROW;
    bank->ready = bank->may_close + dram->params->MEMORYCONTROLLER.V2GDDR_tRP;
    dram->stats.rows_closed++;
}

static int32_t
clock_perfect(struct dram *dram, uint64_t now, dram_may_reply_fn *may_reply, void *data,
              uint64_t *delay, uint64_t *wake)
{
    if (now < dram->bus_free) {
        *wake = dram->bus_free < *wake ? dram->bus_free : *wake;
        return -1;
    }
    if (!dram->count || !may_reply(data, dram->entries[0].port))
        return -1;
    count_direction(dram, dram->entries[0].request.write, 0);
    dram->bus_free = now + dram->burst_cycles;
    *delay = dram->burst_cycles;
    *wake = dram->bus_free < *wake ? dram->bus_free : *wake;
    return 0;
}

static void
lower(uint64_t *wake, uint64_t cycle)
{
    if (cycle < *wake)
        *wake = cycle;
}

/* Whether the entry's row is open and can be used now. At most one row is opened a cycle. */
static bool
row_is_ready(struct dram *dram, struct dram_entry *entry, uint64_t now, bool *opened,
             uint64_t *wake)
{
    struct dram_bank *bank = &dram->banks[entry->bank];
    if (!row_is_open(dram, entry)) {
        if (bank->row == DRAM_NO_ROW && bank->ready > now)
            lower(wake, bank->ready);
        else if (*opened)
            lower(wake, now + 1);
        else if (bank->row == DRAM_NO_ROW || !row_is_wanted(dram, entry->bank))
            *opened = open_row(dram, entry, now, wake);
    }
    if (!row_is_open(dram, entry))
        return false;
    if (bank->ready > now)
        lower(wake, bank->ready);
    return bank->ready <= now;
}

static int32_t
clock_gddr(struct dram *dram, uint64_t now, dram_may_reply_fn *may_reply, void *data,
           uint64_t *delay, uint64_t *wake)
{
    const struct params *p = dram->params;
    int32_t best = -1;
    uint32_t best_score = 0;
    bool opened = false;
    /* commands run ahead of the bus by the longer of the two latencies, not further */
    uint64_t ahead = p->MEMORYCONTROLLER.V2GDDR_CAS > p->MEMORYCONTROLLER.V2GDDR_WL
                         ? p->MEMORYCONTROLLER.V2GDDR_CAS
                         : p->MEMORYCONTROLLER.V2GDDR_WL;
    bool bus_near = dram->bus_free <= now + ahead;
    if (dram->count && !bus_near)
        lower(wake, dram->bus_free - ahead);
    mark_heads(dram);
    for (uint32_t i = 0; i < dram->count; i++) {
        struct dram_entry *entry = &dram->entries[i];
        if (!dram->heads[i] || !row_is_ready(dram, entry, now, &opened, wake) || !bus_near ||
            !may_reply(data, entry->port))
            continue;
        uint32_t score = 1 + prefers_direction(dram, entry);
        if (score > best_score) {
            best = (int32_t)i;
            best_score = score;
        }
    }
    if (best < 0)
        return -1;
    uint32_t bank = dram->entries[best].bank;
    *delay = transfer(dram, &dram->entries[best], now) - now;
    apply_page_policy(dram, bank, (uint32_t)best);
    lower(wake, now + 1);
    return best;
}

int32_t
dram_clock(struct dram *dram, uint64_t now, dram_may_reply_fn *may_reply, void *data,
           uint64_t *delay, uint64_t *wake)
{
    if (!is_gddr(dram))
        return clock_simple(dram, now, may_reply, data, delay, wake);
    if (dram->params->MEMORYCONTROLLER.V2PerfectMemory)
        return clock_perfect(dram, now, may_reply, data, delay, wake);
    return clock_gddr(dram, now, may_reply, data, delay, wake);
}
