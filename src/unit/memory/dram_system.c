/* The bus to system memory, as one more channel of the Memory Controller.
 *
 * It carries SystemBusWidth bytes per cycle. The data of a transaction follows its command after
 * SystemBusLatency cycles. Commands are issued in order, so that their data follows without gaps.
 * The bus has no turnaround, and its reads need no read buffer of the controller. The costs of the
 * memory behind the bus are part of the latency. Source: docs/design/memory.md, System memory and
 * bus. */
#include "unit/memory/dram_model.h"

static void
shape(const struct params *params, struct dram_shape *shape)
{
    const uint32_t width = params->MEMORYCONTROLLER.SystemBusWidth;
    *shape = (struct dram_shape){.channels = 1,
                                 .interleaving = UINT32_MAX,
                                 .limit = params->MEMORYCONTROLLER.RequestQueueSize,
                                 .gpu_cycle = 1,
                                 .memory_cycle = 1,
                                 .burst_cycles = (TRANSACTION_BYTES + width - 1) / width};
}

static void
locate(const struct dram *dram, struct dram_entry *entry)
{
    (void)dram;
    entry->bank = entry->class = 0;
    entry->row = DRAM_NO_ROW;
}

static int32_t
clock(struct dram *dram, uint64_t now, dram_may_reply_fn *may_reply, void *data, uint64_t *delay)
{
    const uint32_t latency = dram->params->MEMORYCONTROLLER.SystemBusLatency;
    const struct dram_entry *first = dram_entry(dram, 0);
    if (!may_reply(data, first))
        return -1;
    const uint64_t start = later(now + latency, dram->bus_free);
    if (start > now + latency) {
        dram_wake_at(dram, start - latency);
        return -1;
    }
    dram_use_bus(dram, first->write, start, 0);
    *delay = dram->gpu_bus_free - now;
    dram_wake_at(dram, now + 1);
    return 0;
}

const struct dram_model dram_system = {shape, NULL, locate, clock};
