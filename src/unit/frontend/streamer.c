/* Streamer (fetch, loader, commit).
 *
 * Fetch works on one draw at a time. When all vertices of the draw have been sent to be shaded,
 * fetch notifies the Command Processor and takes the next draw. Buffers may change from then on.
 * Fetch reads the indices of a draw ahead of their use, in 64-byte blocks, into a buffer of
 * IndexBufferSize bytes. It looks up each index in the post-shading vertex cache, which holds the
 * last vertices shaded (first in, first out). On a miss, fetch passes the vertex to the loader. The
 * loader has a small cache and requests the lines of the vertex's attributes ahead of their use. It
 * reads the attributes in order, converts them, and sends the vertex to the Scheduler to be shaded.
 * Commit passes vertices to Primitive Assembly in index order, over VerticesCycle buses.
 *
 * The rates per cycle are IndicesCycle indices, AttributesCycle attributes looked up,
 * AttributesCycle attributes read, and VerticesCycle vertices. Reading an attribute occupies a
 * cache port of InputCachePortWidth bytes per cycle. A vertex occupies its bus for one cycle per
 * AttributesSentCycle outputs. At most InputCacheInputQueueSize lines are in flight. The latency is
 * the memory latency. Source: docs/design/machine.md, Streamer; ATTILA's Streamer. Simplified: the
 * tags of the vertex cache are hashed, so two live indices with the same hash evict each other. */
#include "unit/frontend/streamer.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static enum unit_state streamer_clock(void *self, uint64_t now);

/* Counts stalls up to `now`, at the end of an interval or batch of the tables. */
static void
count_stall(void *self, uint64_t now)
{
    struct streamer *streamer = self;
    stall_note(&streamer->stall, streamer->stall.counter, now);
    stall_note(&streamer->rest, streamer->rest.counter, now);
}

static uint32_t
power_of_two_from(uint32_t least)
{
    uint32_t size = 1;
    while (size < least)
        size *= 2;
    return size;
}

static void
init_rates(struct streamer *streamer, const struct params *params)
{
    streamer->indices_cycle = params->STREAMER.IndicesCycle;
    streamer->attributes_cycle = params->STREAMER.AttributesCycle;
    streamer->vertices_cycle = params->STREAMER.VerticesCycle;
    streamer->port_bytes = params->STREAMER.InputCachePortWidth;
    streamer->fill_limit = params->STREAMER.InputCacheInputQueueSize;
    streamer->sent_cycle = params->STREAMER.AttributesSentCycle;
    streamer->ports.count = params->STREAMER.AttributesCycle;
    streamer->buses.count = params->STREAMER.VerticesCycle;
}

static void
streamer_wire(void *self)
{
    struct streamer *streamer = self;
    streamer->cache.port.requests->from = streamer->jobs->from = &streamer->load_stage;
    streamer->shaded->to = streamer->out->from = &streamer->commit_stage;
}

static void
streamer_reset(void *self)
{
    struct streamer *streamer = self;
    const struct module *module = &streamer->module;
    INVARIANT(module, !streamer->draw && !streamer->order_ring.count);
    INVARIANT(module, !streamer->load_ring.count && !streamer->ahead_count);
    INVARIANT(module, streamer->first_sequence == streamer->sequence);
    cache_reset(&streamer->cache);
}

static void
streamer_fini(void *self)
{
    struct streamer *streamer = self;
    cache_fini(&streamer->cache);
    free(streamer->blocks);
    free(streamer->reuse);
    free(streamer->window);
    free(streamer->order);
    free(streamer->loads);
    repeats_fini(&streamer->repeats);
}

static const struct module_ops ops = {
    .clock = streamer_clock,
    .settle = count_stall,
    .wire = streamer_wire,
    .reset = streamer_reset,
    .fini = streamer_fini,
};

void
streamer_init(struct streamer *streamer, const struct unit_env *env, uint32_t index)
{
    const struct params *params = env->params;
    memset(streamer, 0, sizeof *streamer);
    clock_add_module(env->clock, &streamer->module, "streamer", -1, streamer, &ops);
    streamer->module.stage.cause = CAUSE_streamer;
    streamer->pools = env->pools;
    init_rates(streamer, params);
    streamer->block_ring.capacity = params->STREAMER.IndexBufferSize / TRANSACTION_BYTES;
    streamer->blocks = mem_array(streamer->block_ring.capacity, sizeof *streamer->blocks);
    streamer->window_capacity = params->STREAMER.OutputMemorySize;
    streamer->window = mem_array(streamer->window_capacity, sizeof(struct pooled_vertex *));
    uint32_t tags = power_of_two_from(8 * streamer->window_capacity);
    streamer->reuse = mem_array(tags, sizeof *streamer->reuse);
    streamer->reuse_mask = tags - 1;
    streamer->order_ring.capacity = params->STREAMER.OutputFIFOSize;
    streamer->order = mem_array(streamer->order_ring.capacity, sizeof *streamer->order);
    streamer->load_ring.capacity = params->STREAMER.InputRequestQueueSize;
    streamer->loads = mem_array(streamer->load_ring.capacity, sizeof *streamer->loads);
    streamer->load_stage.cause = streamer->commit_stage.cause = CAUSE_streamer;
    /* One entry of the request queue is reserved for the write-back that a fill may cause. Lines
     * that are only read never use that entry. */
    const struct cache_shape shape = {.lines = params->STREAMER.InputCacheLines,
                                      .ways = params->STREAMER.InputCacheLines,
                                      .line_bytes = params->STREAMER.InputCacheLineSize,
                                      .fill_limit = params->STREAMER.InputCacheRequestQueueSize - 1,
                                      .policy = params->STREAMER.InputCacheReplacement};
    cache_init(&streamer->cache, &streamer->module, &shape);
}

static void
clear_reuse_buffer(struct streamer *streamer)
{
    uint64_t first = streamer->first_sequence;
    if (streamer->sequence - first > streamer->window_capacity)
        first = streamer->sequence - streamer->window_capacity;
    for (; first < streamer->sequence; first++)
        vertex_release(streamer->pools, streamer->window[first % streamer->window_capacity]);
    streamer->first_sequence = streamer->sequence;
}

static void
begin_blocks(struct streamer *streamer)
{
    uint32_t first = streamer->draw->index_address;
    ring_clear(&streamer->block_ring);
    streamer->next_block = first - first % TRANSACTION_BYTES;
}

static bool
blocks_arrived(const struct streamer *streamer)
{
    for (uint32_t i = 0; i < streamer->block_ring.count; i++)
        if (!streamer->blocks[ring_at(&streamer->block_ring, i)].arrived)
            return false;
    return true;
}

static void
begin_draw(struct streamer *streamer, const struct draw_item *item)
{
    if (item->invalidate_inputs)
        cache_reset(&streamer->cache);
    streamer->draw = item->draw;
    repeats_begin_draw(&streamer->repeats);
    streamer->counts_repeats = draw_reorders(item->draw);
    streamer->position = 0;
    streamer->instance = 0;
    streamer->fetched_all = false;
    begin_blocks(streamer);
    clear_reuse_buffer(streamer);
    streamer->stats.draws++;
}

/* Sends the first entry to Primitive Assembly. Returns false if the entry must wait. */
static bool
send_vertex(struct streamer *streamer, uint64_t now)
{
    const struct commit_entry *entry = &streamer->order[streamer->order_ring.head];
    const struct vertex_item *first = &entry->item;
    uint64_t cycles = 1; /* cycles on a bus */
    if (first->kind == ITEM_DATA) {
        if (!first->vertex->shaded || !lanes_are_free(&streamer->buses, &streamer->module, now))
            return false;
        cycles = (first->draw->program[STAGE_VERTEX]->output_count + streamer->sent_cycle - 1) /
                 streamer->sent_cycle;
    }
    if (!queue_space(streamer->out, now))
        return false;
    module_begin(&streamer->module, &streamer->commit_stage,
                 path_next(&streamer->commit_stage, entry->ready), now, cycles);
    *(struct vertex_item *)queue_push_later(streamer->out, now, cycles - 1) = *first;
    if (first->kind == ITEM_DATA) {
        lanes_start(&streamer->buses, now, cycles);
        streamer->stats.vertices_out++;
        streamer->stats.bus_cycles += cycles;
    }
    ring_pop(&streamer->order_ring);
    return true;
}

/* Commit: marks the vertices that return from shading. Sends shaded entries in order. */
static bool
commit(struct streamer *streamer, uint64_t now)
{
    bool worked = false;
    for (struct vertex_item *item; (item = queue_front(streamer->shaded, now));) {
        INVARIANT(&streamer->module, !item->vertex->shaded);
        item->vertex->shaded = true;
        vertex_release(streamer->pools, item->vertex);
        streamer->commit_stage.free_cycle = now + 1;
        queue_pop(streamer->shaded, now);
        worked = true;
    }
    for (uint32_t i = 0; i < streamer->vertices_cycle && streamer->order_ring.count; i++) {
        if (!send_vertex(streamer, now))
            break;
        worked = true;
    }
    return worked;
}

/* Locks the line that holds `address`, and requests it from memory on a miss. Returns -1 if this is
 * not possible now. */
static int32_t
lock_line(struct streamer *streamer, uint32_t address)
{
    struct cache *cache = &streamer->cache;
    const struct cache_line *last = &cache->lines[streamer->last_line];
    int32_t line = streamer->last_line;
    if (!last->valid || address - last->address >= cache->line_bytes)
        line = cache_find(cache, address);
    if (line >= 0) {
        streamer->stats.cache_hits++;
        cache_touch(cache, (uint32_t)line);
    } else {
        if (cache->fills_under_way >= streamer->fill_limit)
            return -1;
        line = cache_allocate(cache, address);
        if (line < 0)
            return -1;
        streamer->stats.cache_misses++;
    }
    streamer->stats.cache_accesses++;
    streamer->last_line = line;
    cache_lock(cache, (uint32_t)line);
    return line;
}

/* Locks the one or two lines that hold an attribute. An attribute without a buffer has no line.
 * Returns false if a line cannot be locked now. */
static bool
lock_attribute(struct streamer *streamer, struct streamer_load *load, uint32_t attribute)
{
    const struct bound_attribute *bound = &streamer->draw->attributes[attribute];
    const uint32_t line_bytes = streamer->cache.line_bytes;
    int32_t *lines = load->lines[attribute];
    uint32_t address = bound->format ? fetch_address(streamer->draw, attribute, load->vertex->index,
                                                     load->vertex->instance)
                                     : 0;
    if (!address) {
        lines[0] = lines[1] = -1;
        return true;
    }
    const uint32_t last = address + bound->format->block_bytes - 1;
    if (lines[0] < 0 && (lines[0] = lock_line(streamer, address)) < 0)
        return false;
    lines[1] = -1;
    return last / line_bytes == address / line_bytes || (lines[1] = lock_line(streamer, last)) >= 0;
}

/* First half of the loader. It runs ahead of the second half and looks up the lines of
 * AttributesCycle attributes. */
static bool
look_ahead(struct streamer *streamer)
{
    uint32_t budget = streamer->attributes_cycle;
    while (budget && streamer->ahead_count < streamer->load_ring.count) {
        struct streamer_load *load =
            &streamer->loads[ring_at(&streamer->load_ring, streamer->ahead_count)];
        if (streamer->ahead_attribute == streamer->draw->attribute_count) {
            streamer->ahead_count++;
            streamer->ahead_attribute = 0;
            continue;
        }
        if (!lock_attribute(streamer, load, streamer->ahead_attribute))
            break;
        if (++streamer->ahead_attribute < streamer->draw->attribute_count)
            load->lines[streamer->ahead_attribute][0] = -1;
        budget--;
    }
    return budget < streamer->attributes_cycle;
}

/* Reads one attribute from its lines. Returns false if they have not arrived or no port is free. */
static bool
read_attribute(struct streamer *streamer, struct streamer_load *load, uint32_t attribute,
               uint64_t now)
{
    const struct draw *draw = streamer->draw;
    struct cache *cache = &streamer->cache;
    const int32_t *lines = load->lines[attribute];
    float *out = load->vertex->inputs[attribute];
    if (lines[0] < 0) {
        fetch_attribute(draw->attributes[attribute].format, NULL, out);
        return true;
    }
    const bool arrived = cache_ready(cache, (uint32_t)lines[0]) &&
                         (lines[1] < 0 || cache_ready(cache, (uint32_t)lines[1]));
    if (!arrived || !lanes_are_free(&streamer->ports, &streamer->module, now)) {
        streamer->loader_waits = !arrived;
        return false;
    }
    if (streamer->loader_waits) /* critical path: the line that arrived last */
        module_resume(&streamer->module, &streamer->load_stage,
                      cache->lines[lines[lines[1] >= 0]].arrival.cp_ref, now);
    streamer->loader_waits = false;
    streamer->load_stage.free_cycle = now + 1;
    const struct format_info *format = draw->attributes[attribute].format;
    const uint32_t bytes = format->block_bytes;
    const uint32_t address =
        fetch_address(draw, attribute, load->vertex->index, load->vertex->instance);
    const uint32_t in_line = address % cache->line_bytes;
    const uint8_t *first = cache_data(cache, (uint32_t)lines[0]) + in_line;
    cache_unlock(cache, (uint32_t)lines[0]);
    if (lines[1] < 0) {
        fetch_attribute(format, first, out);
    } else {
        uint8_t value[64];
        const uint32_t part = cache->line_bytes - in_line;
        memcpy(value, first, part);
        memcpy(value + part, cache_data(cache, (uint32_t)lines[1]), bytes - part);
        cache_unlock(cache, (uint32_t)lines[1]);
        fetch_attribute(format, value, out);
    }
    lanes_start(&streamer->ports, now, (bytes + streamer->port_bytes - 1) / streamer->port_bytes);
    return true;
}

/* Whether an equal vertex of the draw was shaded before. */
static bool
is_repeated(struct streamer *streamer, const struct pooled_vertex *vertex)
{
    const uint32_t bytes = streamer->draw->attribute_count * (uint32_t)sizeof *vertex->inputs;
    return streamer->counts_repeats &&
           repeats_add(&streamer->repeats, repeats_hash(1, vertex->inputs, bytes));
}

/* Second half of the loader: reads attributes and sends vertices to be shaded. */
static bool
load(struct streamer *streamer, uint64_t now)
{
    bool worked = false;
    uint32_t budget = streamer->attributes_cycle;
    while (streamer->load_ring.count) {
        struct streamer_load *first = &streamer->loads[streamer->load_ring.head];
        if (!streamer->load_attribute)
            streamer->load_stage.cp_ref = path_next(&streamer->load_stage, first->asked);
        uint32_t there =
            streamer->ahead_count ? streamer->draw->attribute_count : streamer->ahead_attribute;
        while (budget && streamer->load_attribute < there &&
               read_attribute(streamer, first, streamer->load_attribute, now)) {
            streamer->load_attribute++;
            streamer->stats.attributes++;
            budget--;
            worked = true;
        }
        if (!streamer->ahead_count || streamer->load_attribute < there ||
            !queue_space(streamer->jobs, now))
            break;
        struct vertex_item *job = queue_push(streamer->jobs, now);
        *job = (struct vertex_item){ITEM_DATA, streamer->draw, first->vertex};
        vertex_hold(streamer->pools, first->vertex); /* until commit receives the shaded vertex */
        streamer->stats.vertices_repeated += is_repeated(streamer, first->vertex);
        ring_pop(&streamer->load_ring);
        streamer->ahead_count--;
        streamer->load_attribute = 0;
        streamer->stats.vertices_shaded++;
        worked = true;
    }
    return look_ahead(streamer) || worked;
}

/* Reads the next index. Returns false if its bytes have not arrived yet. */
static bool
next_index(struct streamer *streamer, uint32_t *index)
{
    const struct draw *draw = streamer->draw;
    if (!draw->params.indexed) {
        *index = draw->params.start + streamer->position;
        return true;
    }
    uint32_t address = draw_index_address(draw, streamer->position);
    if (!address) {
        *index = 0;
        return true;
    }
    uint32_t block = address - address % TRANSACTION_BYTES;
    struct ring *ring = &streamer->block_ring;
    while (ring->count && streamer->blocks[ring->head].address < block &&
           streamer->blocks[ring->head].arrived)
        ring_pop(ring);
    const struct streamer_block *first = &streamer->blocks[ring->head];
    if (!ring->count || first->address != block || !first->arrived)
        return false;
    uint8_t value[8] = {0};
    uint32_t at = address % TRANSACTION_BYTES;
    if (at + draw->index_bytes > TRANSACTION_BYTES) { /* an unaligned index buffer */
        const struct streamer_block *second = &streamer->blocks[ring_at(ring, 1)];
        uint32_t part = TRANSACTION_BYTES - at;
        if (ring->count < 2 || !second->arrived)
            return false;
        memcpy(value, first->data + at, part);
        memcpy(value + part, second->data, draw->index_bytes - part);
    } else {
        memcpy(value, first->data + at, draw->index_bytes);
    }
    *index = draw_decode_index(draw, value);
    return true;
}

static void
add_order(struct streamer *streamer, enum item_kind kind, struct pooled_vertex *vertex)
{
    streamer->order[ring_push(&streamer->order_ring)] =
        (struct commit_entry){{kind, streamer->draw, vertex},
                              {streamer->module.stage.cp_ref, streamer->module.clock->now + 1}};
}

static void
add_load(struct streamer *streamer, struct pooled_vertex *vertex)
{
    struct streamer_load *load = &streamer->loads[ring_push(&streamer->load_ring)];
    load->vertex = vertex;
    load->lines[0][0] = -1;
    load->asked = (struct cp_stamp){streamer->module.stage.cp_ref, streamer->module.clock->now};
}

/* Looks up an index in the vertex cache. On a miss, creates a vertex that must be loaded. */
static void
reuse_or_load(struct streamer *streamer, uint32_t index)
{
    struct streamer_reuse *reuse = &streamer->reuse[index & streamer->reuse_mask];
    if (reuse->vertex && reuse->index == index && reuse->sequence >= streamer->first_sequence &&
        streamer->sequence - reuse->sequence <= streamer->window_capacity) {
        vertex_hold(streamer->pools, reuse->vertex);
        add_order(streamer, ITEM_DATA, reuse->vertex);
        streamer->stats.vertices_reused++;
        return;
    }
    struct pooled_vertex *vertex = vertex_create(streamer->pools);
    vertex->index = index;
    vertex->instance = streamer->instance;
    add_order(streamer, ITEM_DATA, vertex);
    uint32_t at = (uint32_t)(streamer->sequence % streamer->window_capacity);
    if (streamer->sequence - streamer->first_sequence >= streamer->window_capacity)
        vertex_release(streamer->pools, streamer->window[at]);
    vertex_hold(streamer->pools, vertex);
    streamer->window[at] = vertex;
    *reuse = (struct streamer_reuse){index, streamer->sequence++, vertex};
    add_load(streamer, vertex);
}

/* Ends the current draw when all its vertices have been sent to be shaded. Entries of the commit
 * queue keep their pointer to the draw. */
static void
end_draw(struct streamer *streamer, uint64_t now)
{
    if (!streamer->draw || !streamer->fetched_all || streamer->load_ring.count ||
        !blocks_arrived(streamer) || !queue_space(streamer->fetched, now))
        return;
    *(struct done_item *)queue_push(streamer->fetched, now) = (struct done_item){false, 0};
    streamer->draw = NULL;
    streamer->fetch_end = now;
    clear_reuse_buffer(streamer);
}

/* Continues fetch. The critical path follows the event for which fetch waited. */
static void
resume_fetch(struct streamer *streamer, uint64_t now)
{
    cp_ref predecessor = streamer->module.stage.cp_ref;
    switch (streamer->fetch_wait) {
    case FETCH_GOES_ON: return;
    case FETCH_WAITS_INDEX: predecessor = streamer->index_memory.arrival.cp_ref; break;
    case FETCH_WAITS_ORDER: predecessor = streamer->commit_stage.cp_ref; break;
    case FETCH_WAITS_LOAD: predecessor = streamer->load_stage.cp_ref; break;
    }
    streamer->fetch_wait = FETCH_GOES_ON;
    module_resume(&streamer->module, &streamer->module.stage, predecessor, now);
}

static bool
streamer_fetch(struct streamer *streamer, uint64_t now)
{
    bool worked = false;
    end_draw(streamer, now);
    if (!streamer->draw) {
        const struct draw_item *item = queue_front(streamer->draws, now);
        if (!item)
            return false;
        begin_draw(streamer, item);
        queue_pop(streamer->draws, now);
        worked = true;
    }
    const struct draw_params *params = &streamer->draw->params;
    for (uint32_t i = 0; i < streamer->indices_cycle && !streamer->fetched_all; i++) {
        if (streamer->order_ring.count + 2 > streamer->order_ring.capacity) {
            streamer->fetch_wait = FETCH_WAITS_ORDER;
            break;
        }
        if (ring_is_full(&streamer->load_ring)) {
            streamer->fetch_wait = FETCH_WAITS_LOAD;
            break;
        }
        uint32_t index;
        worked = true;
        if (streamer->position == params->count) {
            bool last = streamer->instance + 1 >= params->instance_count;
            if (!last && !blocks_arrived(streamer)) {
                worked = i > 0;
                break;
            }
            if (!last)
                clear_reuse_buffer(streamer);
            resume_fetch(streamer, now);
            add_order(streamer, last ? ITEM_END : ITEM_RESTART, NULL);
            streamer->fetched_all = last;
            streamer->instance++;
            streamer->position = 0;
            begin_blocks(streamer);
            continue;
        }
        if (!next_index(streamer, &index)) {
            streamer->fetch_wait = FETCH_WAITS_INDEX;
            worked = i > 0;
            break;
        }
        resume_fetch(streamer, now);
        streamer->position++;
        streamer->stats.indices++;
        if (params->indexed && params->primitive_restart && index == params->restart_index)
            add_order(streamer, ITEM_RESTART, NULL);
        else
            reuse_or_load(streamer, params->indexed ? index + (uint32_t)params->index_bias : index);
    }
    return worked;
}

/* Takes index blocks that have arrived, and requests the next block ahead of its use. */
static bool
move_blocks(struct streamer *streamer, uint64_t now)
{
    bool worked = false;
    for (const struct memory_reply *reply;
         (reply = queue_front(streamer->index_memory.replies, now));) {
        INVARIANT(&streamer->module, !streamer->blocks[reply->tag].arrived);
        streamer->blocks[reply->tag].arrived = true;
        memcpy(streamer->blocks[reply->tag].data, reply->data, TRANSACTION_BYTES);
        queue_pop(streamer->index_memory.replies, now);
        worked = true;
    }
    const struct draw *draw = streamer->draw;
    if (!draw || !draw->params.indexed || streamer->fetched_all ||
        ring_is_full(&streamer->block_ring))
        return worked;
    uint64_t end = draw->index_address + (uint64_t)draw->params.count * draw->index_bytes;
    if (end > draw->index_end)
        end = draw->index_end;
    if (streamer->next_block >= end || !queue_space(streamer->index_memory.requests, now))
        return worked;
    const uint32_t i = ring_push(&streamer->block_ring);
    streamer->blocks[i].address = streamer->next_block;
    streamer->blocks[i].arrived = false;
    struct memory_request *request = queue_push(streamer->index_memory.requests, now);
    request->address = streamer->next_block;
    request->tag = i;
    request->write = false;
    streamer->next_block += TRANSACTION_BYTES;
    return true;
}

static bool
exec_control(struct streamer *streamer, uint64_t now)
{
    const struct control_item *item = queue_front(streamer->control, now);
    if (!item || !queue_space(streamer->done, now))
        return false;
    cache_reset(&streamer->cache);
    *(struct done_item *)queue_push(streamer->done, now) = (struct done_item){false, 0};
    queue_pop(streamer->control, now);
    return true;
}

/* Determines why the unit did no work in a cycle. */
static enum unit_state
why_idle(struct streamer *streamer, uint64_t now)
{
    struct streamer_stats *stats = &streamer->stats;
    const struct vertex_item *first = &streamer->order[streamer->order_ring.head].item;
    if (!streamer->draw && !streamer->order_ring.count) {
        stall_note(&streamer->stall, NULL, now);
        return UNIT_STARVED;
    }
    if (streamer->order_ring.count && (first->kind != ITEM_DATA || first->vertex->shaded)) {
        bool bus =
            first->kind == ITEM_DATA && streamer->buses.free_cycle[streamer->buses.next] > now;
        stall_note(&streamer->stall, bus ? &stats->cycles_bus : &stats->cycles_assembly, now);
        return bus ? UNIT_WAITING : UNIT_BLOCKED;
    }
    if (streamer->load_ring.count) {
        bool loaded =
            streamer->ahead_count && streamer->load_attribute == streamer->draw->attribute_count;
        stall_note(&streamer->stall, loaded ? &stats->cycles_shader : &stats->cycles_attributes,
                   now);
        return loaded ? UNIT_BLOCKED : UNIT_WAITING;
    }
    stall_note(&streamer->stall,
               streamer->order_ring.count ? &stats->cycles_shading : &stats->cycles_indices, now);
    return UNIT_WAITING;
}

static enum unit_state
streamer_clock(void *self, uint64_t now)
{
    struct streamer *streamer = self;
    bool worked = commit(streamer, now);
    if (streamer->load_ring.count)
        worked |= load(streamer, now);
    worked |= streamer_fetch(streamer, now);
    worked |= move_blocks(streamer, now);
    worked |= cache_clock(&streamer->cache, now);
    worked |= exec_control(streamer, now);
    stall_note(&streamer->rest, streamer->draw ? NULL : &streamer->stats.cycles_rest, now);
    if (!worked)
        return why_idle(streamer, now);
    stall_note(&streamer->stall, NULL, now);
    return UNIT_BUSY;
}
