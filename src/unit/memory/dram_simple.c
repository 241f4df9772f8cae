/* The simple model of memory (reference of 2005).
 *
 * A memory cycle is MemoryFrequency / MemoryClockMultiplier GPU cycles. All times of this model are
 * in memory cycles. A transaction of 64 bytes takes as many bursts as it needs. A burst is
 * BurstLength transfers of MemoryBusWidth bits at double rate. For example, one burst of 8
 * transfers of 64 bits takes 4 cycles. Data follows its command after ReadLatency or WriteLatency.
 * The distance between commands of the same direction is at least the time that their data takes on
 * the bus. A write command waits for the end of the last read data. A read command waits for
 * WriteToReadLatency after the end of the last write data. A page that is not open in its bank
 * (page n is in bank n modulo OpenPages) delays the command by PageOpenLatency. Reads and writes
 * have one queue each, in order. At most one command is issued per channel and GPU cycle.
 *
 * Source: docs/design/memory.md, Simple model. */
#include "unit/memory/dram_model.h"

/* Number of channel clock cycles for which a transaction occupies the bus. */
static uint32_t
burst_cycles(const struct params *p)
{
    uint32_t bits = p->MEMORYCONTROLLER.MemoryBusWidth, length = p->MEMORYCONTROLLER.BurstLength;
    uint32_t transfers = (TRANSACTION_BYTES * 8 + bits - 1) / bits;
    transfers = (transfers + length - 1) / length * length;
    return (transfers + 1) / 2 * p->MEMORYCONTROLLER.MemoryFrequency;
}

static void
shape(const struct params *params, struct dram_shape *shape)
{
    *shape = (struct dram_shape){.channels = params->MEMORYCONTROLLER.MemoryBuses,
                                 .interleaving = params->MEMORYCONTROLLER.BankGranularity,
                                 .shared = params->MEMORYCONTROLLER.SharedBanks,
                                 .limit = params->MEMORYCONTROLLER.RequestQueueSize,
                                 .gpu_cycle = params->MEMORYCONTROLLER.MemoryClockMultiplier,
                                 .memory_cycle = params->MEMORYCONTROLLER.MemoryFrequency,
                                 .burst_cycles = burst_cycles(params)};
}

static void
locate(const struct dram *dram, struct dram_entry *entry)
{
    const uint32_t own = dram_own_address(dram, entry->address);
    entry->bank = 0;
    entry->row = (int32_t)(own / dram->params->MEMORYCONTROLLER.MemoryPageSize);
    entry->class = entry->write;
}

/* Number of cycles to open the page of an entry. It is 0 if the page is open, or if the memory has
 * no pages. Each open page has a separate bank, selected by the low bits of the page number. */
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
clock(struct dram *dram, uint64_t now, dram_may_reply_fn *may_reply, void *data, uint64_t *delay)
{
    const struct params *p = dram->params;
    const uint64_t cycle = dram->shape.memory_cycle, gpu = dram->shape.gpu_cycle;
    struct dram_candidate best = {-1, 0};
    dram_list_heads(dram, false);
    for (uint32_t i = 0; i < dram->head_count; i++)
        dram_consider(dram, dram->heads[i], may_reply, data, &best);
    if (best.position < 0)
        return -1;
    const struct dram_entry *entry = dram_entry(dram, (uint32_t)best.position);
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
        dram_wake_at(dram, command / gpu);
        return -1;
    }
    command += open_page(dram, entry->row) * cycle;
    dram->command_free = command + dram->shape.burst_cycles;
    dram_use_bus(dram, write, command + latency, recovery + latency);
    *delay = dram->gpu_bus_free - now;
    dram_wake_at(dram, later(dram->command_free / gpu, now + 1));
    return best.position;
}

const struct dram_model dram_simple = {shape, NULL, locate, clock};
