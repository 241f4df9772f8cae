/* Memory controller.
 *
 * A crossbar takes at most one transaction of 64 bytes a cycle from each client, in turn, into the
 * channel that holds the address; the channels (unit/dram.c) say when each one's data moves. Data
 * is read from and written to the simulated memory when the scheduler picks the transaction; the
 * reply leaves when its burst is over. Source: machine.md (memory controller). Not modelled: the
 * limits of the controller's own buffers (ReadBufferLines, WriteBufferLines, RequestQueueSize). */
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
    memctl->params = params;
    memctl->channel_count = dram_channel_count(params);
    for (uint32_t c = 0; c < memctl->channel_count; c++)
        dram_init(&memctl->channels[c], params);
}

void
memctl_fini(struct memctl *memctl)
{
    for (uint32_t c = 0; c < memctl->channel_count; c++)
        dram_fini(&memctl->channels[c]);
}

void
memctl_reset(struct memctl *memctl)
{
    memctl->turn = 0;
    for (uint32_t c = 0; c < memctl->channel_count; c++)
        dram_reset(&memctl->channels[c]);
}

void
memctl_add_port(struct memctl *memctl, enum memory_client kind, struct queue *requests,
                struct queue *replies)
{
    BUG_ON(memctl->port_count == MEMCTL_MAX_CLIENTS, "too many memory clients");
    memctl->kinds[memctl->port_count] = kind;
    memctl->ports[memctl->port_count++] = (struct memory_port){requests, replies};
}

static void
count_bytes(struct memctl *memctl, uint32_t port, const struct memory_request *request)
{
    uint64_t read = request->write ? 0 : TRANSACTION_BYTES;
    uint64_t written = request->write ? (uint64_t)__builtin_popcountll(request->bytes_written) : 0;
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
        struct dram *channel = &memctl->channels[dram_channel_of(memctl->params, request->address)];
        if (dram_is_full(channel))
            continue;
        dram_add(channel, request, port);
        queue_pop(memctl->ports[port].requests, now);
        memctl->stats.transactions++;
        worked = true;
    }
    if (worked)
        memctl->turn = (memctl->turn + 1) % memctl->port_count;
    return worked;
}

static void
write_bytes(uint8_t *bytes, const struct memory_request *request)
{
    if (request->bytes_written == ~UINT64_C(0)) {
        memcpy(bytes, request->data, TRANSACTION_BYTES);
        return;
    }
    for (uint64_t left = request->bytes_written; left; left &= left - 1)
        bytes[__builtin_ctzll(left)] = request->data[__builtin_ctzll(left)];
}

/* Moves the data of a transaction and sends the reply on its way. */
static void
serve(struct memctl *memctl, const struct dram_entry *entry, uint64_t delay, uint64_t now)
{
    const struct memory_request *request = &entry->request;
    struct memory_reply *reply = queue_push_later(memctl->ports[entry->port].replies, now, delay);
    bool fault = !request->write && ++memctl->reads_served == memctl->fault_tag_at;
    reply->tag = request->tag ^ (fault ? MEMCTL_FAULT_TAG : 0);
    reply->write = request->write;
    uint8_t *bytes = memctl->memory->bytes + request->address;
    if (request->write)
        write_bytes(bytes, request);
    else
        memcpy(reply->data, bytes, TRANSACTION_BYTES);
    count_bytes(memctl, entry->port, request);
}

static bool
may_reply(void *data, uint32_t port)
{
    struct memctl *memctl = data;
    return queue_space(memctl->ports[port].replies, memctl->now) > 0;
}

static void
add_up_stats(struct memctl *memctl)
{
    struct dram_stats sum = {0};
    for (uint32_t c = 0; c < memctl->channel_count; c++) {
        const struct dram_stats *s = &memctl->channels[c].stats;
        sum.burst_cycles += s->burst_cycles;
        sum.turns += s->turns;
        sum.turn_cycles += s->turn_cycles;
        sum.row_hits += s->row_hits;
        sum.row_misses += s->row_misses;
        sum.rows_closed += s->rows_closed;
    }
    memctl->stats.burst_cycles = sum.burst_cycles;
    memctl->stats.turns = sum.turns;
    memctl->stats.turn_cycles = sum.turn_cycles;
    memctl->stats.row_hits = sum.row_hits;
    memctl->stats.row_misses = sum.row_misses;
    memctl->stats.rows_closed = sum.rows_closed;
}

static enum unit_state
memctl_clock(void *self, uint64_t now)
{
    struct memctl *memctl = self;
    bool bursting = false, blocked = false, served = false;
    uint64_t wake = CYCLE_NEVER;
    memctl->now = now;
    for (uint32_t c = 0; c < memctl->channel_count; c++) {
        struct dram *channel = &memctl->channels[c];
        uint64_t delay;
        int32_t entry = dram_clock(channel, now, may_reply, memctl, &delay, &wake);
        if (entry >= 0) {
            serve(memctl, &channel->entries[entry], delay, now);
            dram_remove(channel, (uint32_t)entry);
            served = true;
        }
        if (channel->bus_free > now) {
            bursting = true;
            wake = channel->bus_free < wake ? channel->bus_free : wake;
        }
        blocked |= channel->count > 0;
    }
    if (served)
        add_up_stats(memctl);
    if (take_requests(memctl, now))
        wake = now + 1;
    module_wake_at(&memctl->module, wake);
    return bursting ? UNIT_BUSY : blocked ? UNIT_WAITING : UNIT_STARVED;
}
