/* Memory channels: code shared by all models. Transactions are queued in order of arrival. No
 * transaction overtakes an older one to the same 64 bytes. While transactions of the other
 * direction wait, the bus keeps its direction for at most MaxConsecutiveReads or
 * MaxConsecutiveWrites. Source: docs/design/memory.md, Memory Controller. */
#include "unit/memory/dram_model.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static const struct dram_model *const models[] = {
#define DRAM(symbol, name) [DRAM_##symbol] = &dram_##symbol,
#include "drams.def"
};

static const struct dram_model *
model_of(const struct params *params)
{
    return params->MEMORYCONTROLLER.MemoryControllerV2 ? models[params->MEMORYCONTROLLER.V2Memory]
                                                       : &dram_simple;
}

struct dram_shape
dram_shape(const struct params *params)
{
    struct dram_shape shape = {0};
    model_of(params)->shape(params, &shape);
    return shape;
}

static void
init(struct dram *dram, const struct params *params, const struct dram_model *model)
{
    memset(dram, 0, sizeof *dram);
    dram->params = params;
    dram->model = model;
    model->shape(params, &dram->shape);
    if (dram->model->time)
        dram->model->time(params, &dram->timing);
    /* a single group of all banks, without a minimum command distance */
    if (!dram->timing.bank_groups)
        dram->timing.bank_groups = 1;
    const uint32_t limit = dram->shape.limit;
    dram->entries = mem_array(limit, sizeof *dram->entries);
    dram->order = mem_array(limit, sizeof *dram->order);
    dram->requests = mem_array(limit, sizeof *dram->requests);
    dram->heads = mem_array(limit, sizeof *dram->heads);
    for (uint32_t i = 0; i < limit; i++)
        dram->order[i] = (uint16_t)i;
    dram_reset(dram, 0);
}

void
dram_init(struct dram *dram, const struct params *params)
{
    init(dram, params, model_of(params));
}

void
dram_init_system(struct dram *dram, const struct params *params)
{
    init(dram, params, &dram_system);
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
    BUG_ON(dram->count, "a memory channel is reset with %u transactions in flight", dram->count);
    dram->bus_free = dram->gpu_bus_free = dram->command_free = dram->next_open = 0;
    dram->last_read_end = dram->last_write_end = 0;
    dram->last_was_write = false;
    dram->origin = now * dram->shape.gpu_cycle;
    dram->same_direction_run = 0;
    memset(dram->window, 0, sizeof dram->window);
    memset(dram->group_free, 0, sizeof dram->group_free);
    memset(dram->pages, 0xff, sizeof dram->pages); /* no page */
    dram->heads_listed = false;
    dram->wake = 0;
    /* Drops fractions of GPU cycles, so that the statistics of a frame do not depend on the
     * previous frame. */
    dram->stats.burst_cycles -= dram->stats.burst_cycles % dram->shape.gpu_cycle;
    dram->stats.turn_cycles -= dram->stats.turn_cycles % dram->shape.gpu_cycle;
    for (uint32_t b = 0; b < DRAM_MAX_BANKS; b++)
        dram->banks[b] = (struct dram_bank){.row = DRAM_NO_ROW};
}

uint32_t
dram_own_address(const struct dram *dram, uint32_t address)
{
    const uint32_t piece = dram->shape.interleaving;
    const uint32_t channels = dram->shape.shared ? 1 : dram->shape.channels;
    return address / piece / channels * piece + address % piece;
}

void
dram_add(struct dram *dram, const struct memory_request *request, uint32_t port,
         struct cp_stamp asked)
{
    BUG_ON(INVARIANTS && dram_is_full(dram), "a transaction for a memory channel that is full");
    uint16_t position = dram->order[dram->count];
    struct dram_entry *entry = &dram->entries[position];
    dram->requests[position] = *request;
    *entry = (struct dram_entry){.address = request->address,
                                 .write = request->write,
                                 .port = (uint8_t)port,
                                 .asked = asked};
    for (uint32_t i = 0; i < dram->count && !dram->fault_order; i++)
        entry->older += dram_entry(dram, i)->address == request->address;
    dram->model->locate(dram, entry);
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
dram_remove(struct dram *dram, uint32_t position)
{
    BUG_ON(INVARIANTS && position >= dram->count, "a memory channel serves what does not wait");
    uint16_t removed = dram->order[position];
    uint32_t address = dram->entries[removed].address;
    for (uint32_t i = 0; i < position; i++)
        dram->entries[dram->order[i]].passed++;
    dram->count--;
    dram->heads_listed = false;
    for (uint32_t i = position; i < dram->count; i++) {
        dram->order[i] = dram->order[i + 1];
        if (dram->entries[dram->order[i]].older)
            dram->entries[dram->order[i]].older -= dram->entries[dram->order[i]].address == address;
    }
    dram->order[dram->count] = removed;
}

void
dram_use_bus(struct dram *dram, bool write, uint64_t start, uint64_t turnaround)
{
    if (dram->last_was_write != write) {
        uint64_t idle = start - dram->bus_free;
        dram->stats.turns++;
        dram->stats.turn_cycles += idle < turnaround ? idle : turnaround;
        dram->same_direction_run = 0;
    }
    dram->last_was_write = write;
    dram->same_direction_run++;
    dram->bus_free = start + dram->shape.burst_cycles;
    dram->gpu_bus_free = (dram->bus_free + dram->shape.gpu_cycle - 1) / dram->shape.gpu_cycle;
    *(write ? &dram->last_write_end : &dram->last_read_end) = dram->bus_free;
    dram->stats.burst_cycles += dram->shape.burst_cycles;
}

void
dram_list_heads(struct dram *dram, bool any)
{
    uint64_t seen[DRAM_MAX_BANKS * 2 / 64] = {0};
    if (dram->heads_listed)
        return;
    dram->heads_listed = true;
    dram->head_count = 0;
    dram->wanted_banks = 0;
    for (uint32_t i = 0; i < dram->count; i++) {
        const struct dram_entry *entry = dram_entry(dram, i);
        uint64_t *word = &seen[entry->class / 64], bit = UINT64_C(1) << entry->class % 64;
        if ((any || !(*word & bit)) && !entry->older) {
            dram->heads[dram->head_count++] = (uint16_t)i;
            dram->wanted_banks |= (uint64_t)dram_row_is_open(dram, entry) << entry->bank;
        }
        *word |= bit;
    }
}

int32_t
dram_clock(struct dram *dram, uint64_t now, dram_may_reply_fn *may_reply, void *data,
           uint64_t *delay)
{
    dram->wake = CYCLE_NEVER;
    return dram->model->clock(dram, now, may_reply, data, delay);
}
