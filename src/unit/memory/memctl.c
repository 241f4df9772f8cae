/* Memory Controller.
 *
 * A crossbar takes at most one transaction of 64 bytes per cycle from each client, and at most one
 * into each channel. Clients are served round robin. A transaction goes to the channel that holds
 * its address. With SharedBanks it goes to the channel that is free first, unless another channel
 * has a transaction to the same address. The channels (unit/memory/dram.c) schedule the data. When
 * the scheduler selects a transaction, its data is read from or written to the simulated memory.
 * The reply leaves when the burst is over.
 *
 * Limits: RequestQueueSize transactions may wait. At most WriteBufferLines of them are writes.
 * ReadBufferLines reads may be between their command and the client's bus. A client may have
 * ServiceQueueSize transactions between request and reply. Source: docs/design/memory.md, Memory
 * Controller; ATTILA's MemoryController for the contents of the buffers. */
#include "unit/memory/memctl.h"

#include "base/bits.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static enum unit_state memctl_clock(void *self, uint64_t now);
static void add_up_stats(void *self, uint64_t now);

/* Number of the client's transactions in the controller, from request to reply. */
static uint64_t
in_service(const struct memory_port *port)
{
    return port->requests->items_out - port->replies->items_out;
}

static void
memctl_reset(void *self)
{
    struct memctl *memctl = self;
    const struct module *module = &memctl->module;
    INVARIANT(module, !memctl->waiting && !memctl->writes_waiting);
    for (uint32_t p = 0; p < memctl->port_count; p++)
        INVARIANT(module, in_service(&memctl->ports[p]) == 0);
    memctl->rr_next = 0;
    memctl->in_turn = memctl->first_in_turn;
    memctl->buffered_reads = 0;
    for (uint32_t c = 0; c < memctl->channel_count; c++)
        dram_reset(&memctl->channels[c], memctl->module.clock->now);
}

static void
memctl_fini(void *self)
{
    struct memctl *memctl = self;
    for (uint32_t c = 0; c < memctl->channel_count; c++)
        dram_fini(&memctl->channels[c]);
    free(memctl->read_ends);
    free(memctl->packed.ends);
}

static const struct module_ops ops = {
    .clock = memctl_clock,
    .settle = add_up_stats,
    .reset = memctl_reset,
    .fini = memctl_fini,
};

void
memctl_init(struct memctl *memctl, const struct unit_env *env, uint32_t index)
{
    const struct params *params = env->params;
    memset(memctl, 0, sizeof *memctl);
    clock_add_module(env->clock, &memctl->module, "memctl", -1, memctl, &ops);
    memctl->module.keeps_time = true;
    memctl->memory = env->memory;
    memctl->params = params;
    memctl->shape = dram_shape(params);
    memctl->channel_count = memctl->shape.channels;
    memctl->read_ends = mem_array(params->MEMORYCONTROLLER.ReadBufferLines, sizeof(uint64_t));
    memctl->packed.ends = mem_array(params->MEMORYCONTROLLER.RequestQueueSize, sizeof(uint64_t));
    for (uint32_t c = 0; c < memctl->channel_count; c++)
        dram_init(&memctl->channels[c], params);
    if (params->MEMORYCONTROLLER.SystemMemory) {
        memctl->system = &memctl->channels[memctl->channel_count++];
        dram_init_system(memctl->system, params);
    }
}

void
memctl_add_port(struct memctl *memctl, enum memory_client kind, struct queue *requests,
                struct queue *replies)
{
    BUG_ON(memctl->port_count == MEMCTL_MAX_CLIENTS, "too many memory clients");
    memctl->kinds[memctl->port_count] = kind;
    if (kind < CLIENT_constant)
        memctl->first_in_turn = memctl->in_turn = memctl->port_count + 1;
    memctl->ports[memctl->port_count++] =
        (struct memory_port){.requests = requests, .replies = replies};
}

void
memctl_join(struct memctl *memctl)
{
    memctl->in_turn = memctl->port_count;
}

static void
count_bytes(struct memctl *memctl, const struct dram *channel, uint32_t port,
            const struct memory_request *request)
{
    uint64_t read = request->write ? 0 : TRANSACTION_BYTES;
    uint64_t written = request->write ? bits_count(request->bytes_written) : 0;
    struct memctl_stats *s = &memctl->stats;
    s->bytes_read += read;
    s->bytes_written += written;
    struct channel_stats *moved = &memctl->channel_stats[channel - memctl->channels];
    moved->transactions++;
    moved->bytes_read += read;
    moved->bytes_written += written;
    s->client_bytes_read[memctl->kinds[port]] += read;
    s->client_bytes_written[memctl->kinds[port]] += written;
}

static bool
is_system(const struct memctl *memctl, uint32_t address)
{
    return memctl->system && gpu_memory_is_mapped(memctl->memory, address);
}

/* The channel for a request. For system memory it is the bus. If channels are not shared, it is the
 * channel that holds the address. Otherwise it is a channel with a transaction to the same address,
 * which preserves their order, or else the channel that is free first. */
static struct dram *
channel_for(struct memctl *memctl, uint32_t address)
{
    if (is_system(memctl, address))
        return memctl->system;
    if (!memctl->shape.shared)
        return &memctl->channels[dram_channel_of(&memctl->shape, address)];
    struct dram *best = &memctl->channels[0];
    for (uint32_t c = 0; c < memctl->shape.channels; c++) {
        struct dram *channel = &memctl->channels[c];
        if (dram_holds(channel, address))
            return channel;
        if (channel->count < best->count ||
            (channel->count == best->count && channel->command_free < best->command_free))
            best = channel;
    }
    return best;
}

/* Whether the controller has room for one more request of the client. A client's transactions in
 * flight are the requests taken minus the replies popped before this cycle. ServiceQueueSize limits
 * this number. */
static bool
has_room(struct memctl *memctl, const struct memory_port *port,
         const struct memory_request *request, uint64_t now)
{
    const struct params *p = memctl->params;
    struct queue *replies = port->replies;
    uint64_t replied = replies->items_out - (replies->pop_cycle == now ? replies->popped : 0);
    if (port->requests->items_out - replied >= p->MEMORYCONTROLLER.ServiceQueueSize) {
        replies->sender_waits = true;
        if (replied != replies->items_out)
            module_wake_at(&memctl->module, now + 1);
        return false;
    }
    return memctl->waiting < p->MEMORYCONTROLLER.RequestQueueSize &&
           (!request->write || memctl->writes_waiting < p->MEMORYCONTROLLER.WriteBufferLines);
}

/* Takes requests from the clients into the channels' queues. */
static bool
take_requests(struct memctl *memctl, uint64_t now)
{
    bool worked = false;
    uint32_t port = memctl->rr_next;
    for (uint32_t left = memctl->in_turn; left > 0; left--, port++) {
        if (port == memctl->in_turn)
            port = 0;
        const struct memory_request *request = queue_front(memctl->ports[port].requests, now);
        if (!request)
            continue;
        BUG_ON(request->address % TRANSACTION_BYTES ||
                   request->address >= memctl->memory->size_bytes,
               "memory request at %#x", request->address);
        struct dram *channel = channel_for(memctl, request->address);
        if (channel->request_free > now) {
            memctl->stats.crossbar_conflicts++;
            continue;
        }
        if (dram_is_full(channel) || !has_room(memctl, &memctl->ports[port], request, now))
            continue;
        channel->request_free = now + 1;
        memctl->stats.transactions++;
        if (memctl->stats.transactions != memctl->fault_drop_at) {
            dram_add(channel, request, port, queue_mark(memctl->ports[port].requests));
            memctl->waiting++;
            memctl->writes_waiting += request->write;
        }
        INVARIANT(&memctl->module,
                  memctl->waiting <= memctl->params->MEMORYCONTROLLER.RequestQueueSize);
        INVARIANT(&memctl->module,
                  memctl->writes_waiting <= memctl->params->MEMORYCONTROLLER.WriteBufferLines);
        /* critical path: a request that waits follows the transaction on the bus */
        memctl->module.stage.cp_ref = channel->taken;
        queue_pop(memctl->ports[port].requests, now);
        INVARIANT(&memctl->module, in_service(&memctl->ports[port]) <=
                                       memctl->params->MEMORYCONTROLLER.ServiceQueueSize);
        worked = true;
    }
    if (worked)
        memctl->rr_next = (memctl->rr_next + 1) % memctl->in_turn;
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

static void
peek_write(const struct memory_request *request, uint32_t address, uint8_t *bytes)
{
    if (request->write && request->address == address)
        write_bytes(bytes, request);
}

void
memctl_peek(const struct memctl *memctl, uint32_t address, uint8_t bytes[TRANSACTION_BYTES])
{
    memcpy(bytes, memctl->memory->bytes + address, TRANSACTION_BYTES);
    for (uint32_t c = 0; c < memctl->channel_count; c++)
        for (uint32_t i = 0; i < memctl->channels[c].count; i++)
            peek_write(dram_request(&memctl->channels[c], i), address, bytes);
    for (uint32_t p = 0; p < memctl->port_count; p++)
        for (uint32_t i = 0; i < memctl->ports[p].requests->count; i++)
            peek_write(queue_item(memctl->ports[p].requests, i), address, bytes);
}

/* Moves the data of a transaction and sends its reply. */
static void
serve(struct memctl *memctl, const struct dram *channel, uint32_t port,
      const struct memory_request *request, uint64_t delay, uint64_t now)
{
    struct memory_reply *reply = queue_push_later(memctl->ports[port].replies, now, delay);
    bool fault = !request->write && ++memctl->reads_served == memctl->fault_tag_at;
    reply->tag = request->tag ^ (fault ? MEMCTL_FAULT_TAG : 0);
    reply->address = request->address;
    reply->write = request->write;
    uint8_t *bytes = memctl->memory->bytes + request->address;
    INVARIANT(&memctl->module, memctl->waiting > 0);
    INVARIANT(&memctl->module, memctl->writes_waiting >= request->write);
    memctl->waiting--;
    memctl->writes_waiting -= request->write;
    INVARIANT(&memctl->module, memctl->writes_waiting <= memctl->waiting);
    if (request->write) {
        write_bytes(bytes, request);
    } else {
        memcpy(reply->data, bytes, TRANSACTION_BYTES);
        if (channel != memctl->system) {
            INVARIANT(&memctl->module,
                      memctl->buffered_reads < memctl->params->MEMORYCONTROLLER.ReadBufferLines);
            memctl->read_ends[memctl->buffered_reads++] = now + delay;
        }
    }
    count_bytes(memctl, channel, port, request);
}

/* Whether there is a buffer for the data of another read. If not, lowers memctl->wake to the cycle
 * in which a buffer is free. */
static bool
has_read_buffer(struct memctl *memctl)
{
    uint32_t limit = memctl->params->MEMORYCONTROLLER.ReadBufferLines, left = 0;
    uint64_t first = CYCLE_NEVER;
    if (memctl->buffered_reads < limit)
        return true;
    for (uint32_t i = 0; i < memctl->buffered_reads; i++) {
        if (memctl->read_ends[i] <= memctl->now)
            continue;
        first = memctl->read_ends[i] < first ? memctl->read_ends[i] : first;
        memctl->read_ends[left++] = memctl->read_ends[i];
    }
    memctl->buffered_reads = left;
    if (left == limit && first < memctl->wake)
        memctl->wake = first;
    return left < limit;
}

static bool
may_reply(void *data, const struct dram_entry *entry)
{
    struct memctl *memctl = data;
    const bool needs_buffer = !entry->write && !is_system(memctl, entry->address);
    bool may = (!needs_buffer || has_read_buffer(memctl)) &&
               queue_space(memctl->ports[entry->port].replies, memctl->now) > 0;
    memctl->refused |= !may;
    return may;
}

/* Copies the statistics of the channels. These also change in cycles without a selected
 * transaction. */
static void
add_up_stats(void *self, uint64_t now)
{
    struct memctl *memctl = self;
    struct memctl_stats *all = &memctl->stats;
    (void)now;
    uint64_t burst_cycles = 0, turn_cycles = 0;
    if (memctl->system)
        all->system_cycles = memctl->system->stats.burst_cycles;
    all->turns = all->row_hits = all->row_misses = all->rows_closed = 0;
    for (uint32_t c = 0; c < memctl->channel_count; c++) {
        const struct dram_stats *s = &memctl->channels[c].stats;
        struct channel_stats *channel = &memctl->channel_stats[c];
        const uint32_t gpu_cycle = memctl->channels[c].shape.gpu_cycle;
        channel->burst_cycles = s->burst_cycles / gpu_cycle;
        channel->turn_cycles = s->turn_cycles / gpu_cycle;
        if (&memctl->channels[c] == memctl->system)
            break; /* the last one */
        burst_cycles += s->burst_cycles;
        turn_cycles += s->turn_cycles;
        all->turns += channel->turns = s->turns;
        all->row_hits += channel->row_hits = s->row_hits;
        all->row_misses += channel->row_misses = s->row_misses;
        all->rows_closed += channel->rows_closed = s->rows_closed;
    }
    all->burst_cycles = burst_cycles / memctl->shape.gpu_cycle;
    all->turn_cycles = turn_cycles / memctl->shape.gpu_cycle;
}

/* Adds a transaction to the packed schedule: it enters the queues when an earlier one has left. */
static void
add_packed(struct memctl *memctl, const struct dram *channel, uint64_t gap)
{
    uint64_t *end = &memctl->packed.channel_ends[channel - memctl->channels];
    uint64_t *before = &memctl->packed.ends[memctl->packed.next];
    const uint64_t start = *end > *before ? *end : *before;
    *end = start + channel->shape.burst_cycles + gap * memctl->shape.gpu_cycle;
    *before = *end;
    if (++memctl->packed.next == memctl->params->MEMORYCONTROLLER.RequestQueueSize)
        memctl->packed.next = 0;
}

void
memctl_end_row(struct memctl *memctl)
{
    uint64_t end = memctl->packed.start;
    for (uint32_t c = 0; c < memctl->shape.channels; c++)
        end = memctl->packed.channel_ends[c] > end ? memctl->packed.channel_ends[c] : end;
    for (uint32_t c = 0; c < memctl->shape.channels; c++)
        memctl->packed.channel_ends[c] = end;
    memctl->packed.start = end;
    memctl->stats.packed_cycles = end * memctl->shape.channels / memctl->shape.gpu_cycle;
}

/* Critical path of the entry's reply. It continues the request if the bus was free. Otherwise it
 * continues the transaction that held the bus until `taken`. */
static cp_ref
way_of(struct memctl *memctl, struct dram *channel, const struct dram_entry *entry, uint64_t taken,
       bool turned, uint64_t now)
{
    struct path *path = &memctl->module.clock->path;
    const enum memory_client client = memctl->kinds[entry->port];
    const uint64_t free = channel->gpu_bus_free;
    const uint64_t burst =
        (channel->shape.burst_cycles + channel->shape.gpu_cycle - 1) / channel->shape.gpu_cycle;
    const uint64_t begin = free - burst > taken ? free - burst : taken;
    const bool waited = entry->asked.cycle + (begin - now) < taken && begin >= now;
    const uint64_t gap = waited ? begin - taken : 0;
    if (channel != memctl->system) {
        memctl->stats.gap_cycles += gap;
        add_packed(memctl, channel, gap);
    }
    if (waited)
        channel->taken =
            path_add(path, channel->taken, (uint32_t)gap, turned ? CAUSE_turns : CAUSE_rows,
                     CAUSE_bandwidth_command + client, begin);
    else
        channel->taken =
            path_add(path, entry->asked.cp_ref, (uint32_t)(begin - entry->asked.cycle),
                     CAUSE_latency_command + client, CAUSE_bandwidth_command + client, begin);
    return path_add(path, channel->taken, 0, CAUSE_latency_command + client,
                    CAUSE_latency_command + client, free);
}

/* Serves at most one transaction of the channel. */
static void
clock_channel(struct memctl *memctl, struct dram *channel, uint64_t now)
{
    uint64_t delay;
    memctl->refused = false;
    const uint64_t hits = channel->stats.row_hits, misses = channel->stats.row_misses;
    const uint64_t taken = channel->gpu_bus_free, turns = channel->stats.turns;
    int32_t position = dram_clock(channel, now, may_reply, memctl, &delay);
    if (position >= 0) {
        const uint32_t port = dram_entry(channel, (uint32_t)position)->port;
        /* Attributes the row hit or miss to the entry's client. */
        memctl->stats.client_row_hits[memctl->kinds[port]] += channel->stats.row_hits - hits;
        memctl->stats.client_row_misses[memctl->kinds[port]] += channel->stats.row_misses - misses;
        memctl->module.stage.cp_ref =
            way_of(memctl, channel, dram_entry(channel, (uint32_t)position), taken,
                   channel->stats.turns != turns, now);
        serve(memctl, channel, port, dram_request(channel, (uint32_t)position), delay, now);
        dram_remove(channel, (uint32_t)position);
    }
    if (channel->wake < memctl->wake)
        memctl->wake = channel->wake;
    if (memctl->refused) /* the client may make room at any time */
        channel->wake = 0;
}

static enum unit_state
memctl_clock(void *self, uint64_t now)
{
    struct memctl *memctl = self;
    bool bursting = false, waiting = memctl->waiting > 0;
    memctl->now = now;
    memctl->wake = CYCLE_NEVER;
    for (uint32_t c = 0; c < memctl->channel_count; c++) {
        struct dram *channel = &memctl->channels[c];
        if (channel->count && channel->wake <= now)
            clock_channel(memctl, channel, now);
        else if (channel->count && channel->wake < memctl->wake)
            memctl->wake = channel->wake;
        if (channel->gpu_bus_free > now) {
            bursting = true;
            if (channel->gpu_bus_free < memctl->wake)
                memctl->wake = channel->gpu_bus_free;
        }
    }
    if (take_requests(memctl, now))
        memctl->wake = now + 1;
    module_wake_at(&memctl->module, memctl->wake);
    return bursting ? UNIT_BUSY : waiting ? UNIT_WAITING : UNIT_STARVED;
}
