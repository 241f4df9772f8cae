/* Memory controller (the simple one of the reference machine of 2005).
 *
 * A crossbar takes at most one transaction a cycle from each client, in turn, into the queue of the
 * channel that holds the address (channels are interleaved in pieces of 256 bytes). Each channel
 * works its queue in order: a transaction of 64 bytes is a burst of 8 transfers of MemoryBusWidth
 * bits at double rate (4 cycles for 64 bits), with a penalty when the direction turns. Data is read
 * from and written to the simulated memory when the burst starts; the reply leaves ReadLatency or
 * WriteLatency cycles after it. Source: machine.md (memory controller). Not modelled: banks, pages,
 * and schedulers other than first come, first served (MemoryControllerV2). */
#include "unit/memctl.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static enum unit_state memctl_clock(void *self, uint64_t now);

void
memctl_init(struct memctl *memctl, struct clock *clock, const struct params *params,
            struct gpu_memory *memory)
{
    memset(memctl, 0, sizeof *memctl);
    clock_add_module(clock, &memctl->module, "memctl", -1, memctl, memctl_clock);
    memctl->module.keeps_time = true;
    memctl->memory = memory;
    memctl->channel_count = params->MEMORYCONTROLLER.MemoryBuses;
    if (memctl->channel_count > MEMCTL_MAX_CHANNELS)
        memctl->channel_count = MEMCTL_MAX_CHANNELS;
    memctl->queue_limit = params->MEMORYCONTROLLER.ServiceQueueSize;
    memctl->interleaving = 256;
    memctl->burst_cycles = TRANSACTION_BYTES * 8 / (params->MEMORYCONTROLLER.MemoryBusWidth * 2);
    if (memctl->burst_cycles == 0)
        memctl->burst_cycles = 1;
    memctl->read_latency = params->MEMORYCONTROLLER.ReadLatency;
    memctl->write_latency = params->MEMORYCONTROLLER.WriteLatency;
    memctl->turn_write_read = params->MEMORYCONTROLLER.WriteToReadLatency;
    memctl->turn_read_write = 1; /* the bus is turned; reads come back before data goes out */
    for (uint32_t c = 0; c < memctl->channel_count; c++)
        memctl->channels[c].waiting =
            mem_alloc(memctl->queue_limit * sizeof *memctl->channels[c].waiting);
}

void
memctl_fini(struct memctl *memctl)
{
    for (uint32_t c = 0; c < memctl->channel_count; c++)
        free(memctl->channels[c].waiting);
}

void
memctl_reset(struct memctl *memctl)
{
    memctl->turn = 0;
    for (uint32_t c = 0; c < memctl->channel_count; c++) {
        memctl->channels[c].head = 0;
        memctl->channels[c].free_cycle = 0;
        memctl->channels[c].last_was_write = false;
    }
}

void
memctl_add_port(struct memctl *memctl, enum memory_client kind, struct queue *requests,
                struct queue *replies)
{
    BUG_ON(memctl->port_count == MEMCTL_MAX_CLIENTS, "too many memory clients");
    memctl->kinds[memctl->port_count] = kind;
    memctl->ports[memctl->port_count++] = (struct memory_port){requests, replies};
}

static struct memctl_channel *
channel_of(struct memctl *memctl, uint32_t address)
{
    return &memctl->channels[address / memctl->interleaving % memctl->channel_count];
}

static void
count_bytes(struct memctl *memctl, uint32_t port, const struct memory_request *request)
{
    uint64_t read = request->write ? 0 : TRANSACTION_BYTES;
    uint64_t written = request->write ? request->count : 0;
    struct memctl_stats *s = &memctl->stats;
    s->bytes_read += read;
    s->bytes_written += written;
    switch (memctl->kinds[port]) {
    case CLIENT_COMMANDS:
        s->command_bytes_read += read;
        s->command_bytes_written += written;
        break;
    case CLIENT_INDICES: s->index_bytes_read += read; break;
    case CLIENT_ATTRIBUTES: s->attribute_bytes_read += read; break;
    case CLIENT_ZSTENCIL:
        s->z_bytes_read += read;
        s->z_bytes_written += written;
        break;
    case CLIENT_COLOR:
        s->color_bytes_read += read;
        s->color_bytes_written += written;
        break;
    case CLIENT_TEXTURE: s->texture_bytes_read += read; break;
    case CLIENT_DAC: s->dac_bytes_read += read; break;
    case CLIENT_KINDS: break;
    }
}

/* Takes requests from the clients into the channels' queues. */
static bool
take_requests(struct memctl *memctl, uint64_t now)
{
    bool worked = false;
    for (uint32_t i = 0; i < memctl->port_count; i++) {
        uint32_t port = (memctl->turn + i) % memctl->port_count;
        const struct memory_request *request = queue_front(memctl->ports[port].requests, now);
        if (!request)
            continue;
        BUG_ON(request->address % TRANSACTION_BYTES ||
                   request->address >= memctl->memory->size_bytes,
               "memory request at %#x", request->address);
        struct memctl_channel *channel = channel_of(memctl, request->address);
        if (channel->count == memctl->queue_limit)
            continue;
        struct memctl_waiting *waiting =
            &channel->waiting[(channel->head + channel->count++) % memctl->queue_limit];
        waiting->request = *request;
        waiting->port = port;
        queue_pop(memctl->ports[port].requests, now);
        memctl->stats.transactions++;
        worked = true;
    }
    if (worked)
        memctl->turn = (memctl->turn + 1) % memctl->port_count;
    return worked;
}

/* Moves the data of the first transaction of the channel and sends the reply on its way. */
static void
serve(struct memctl *memctl, struct memctl_channel *channel, uint64_t now)
{
    const struct memctl_waiting *waiting = &channel->waiting[channel->head];
    const struct memory_request *request = &waiting->request;
    uint64_t penalty = 0;
    if (channel->last_was_write != request->write) {
        penalty = request->write ? memctl->turn_read_write : memctl->turn_write_read;
        memctl->stats.turn_cycles += penalty;
        memctl->stats.turns++;
    }
    channel->last_was_write = request->write;
    channel->free_cycle = now + penalty + memctl->burst_cycles;
    memctl->stats.burst_cycles += memctl->burst_cycles;
    uint64_t latency = request->write ? memctl->write_latency : memctl->read_latency;
    struct memory_reply *reply = queue_push_later(memctl->ports[waiting->port].replies, now,
                                                  channel->free_cycle - now + latency);
    bool fault = !request->write && ++memctl->reads_served == memctl->fault_tag_at;
    reply->tag = request->tag ^ (fault ? MEMCTL_FAULT_TAG : 0);
    reply->write = request->write;
    uint8_t *bytes = memctl->memory->bytes + request->address;
    if (request->write)
        memcpy(bytes + request->first, request->data + request->first, request->count);
    else
        memcpy(reply->data, bytes, TRANSACTION_BYTES);
    count_bytes(memctl, waiting->port, request);
    channel->head = (channel->head + 1) % memctl->queue_limit;
    channel->count--;
}

static enum unit_state
memctl_clock(void *self, uint64_t now)
{
    struct memctl *memctl = self;
    bool bursting = false, blocked = false;
    for (uint32_t c = 0; c < memctl->channel_count; c++) {
        struct memctl_channel *channel = &memctl->channels[c];
        if (channel->free_cycle <= now && channel->count) {
            uint32_t port = channel->waiting[channel->head].port;
            if (queue_space(memctl->ports[port].replies, now))
                serve(memctl, channel, now);
            else
                blocked = true;
        }
        if (channel->free_cycle > now) {
            bursting = true;
            module_wake_at(&memctl->module, channel->free_cycle);
        }
    }
    if (take_requests(memctl, now))
        module_wake_at(&memctl->module, now + 1);
    return bursting ? UNIT_BUSY : blocked ? UNIT_BLOCKED : UNIT_STARVED;
}
