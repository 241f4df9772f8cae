/* Streamer (fetch, loader, commit).
 *
 * Fetch takes one draw at a time (the next one when all vertices of this one are on their way to be
 * shaded), reads its indices in 64-byte blocks ahead of their use, and looks each index up in the
 * post-shading vertex cache (the last vertices shaded, first in first out). A miss goes to the
 * loader, which reads the vertex's attributes through a small cache, converts them and sends the
 * vertex to the scheduler to be shaded. Commit hands vertices to primitive assembly in the order of
 * the indices.
 *
 * Rates: IndicesCycle indices, AttributesCycle attributes, VerticesCycle vertices a cycle. Latency:
 * memory's. Source: machine.md (units); ATTILA's Streamer. Not modelled: the tags of the vertex
 * cache are hashed, so two live indices of one hash (index mod 4096) evict each other. */
#include "unit/streamer.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static enum unit_state streamer_clock(void *self, uint64_t now);

void
streamer_init(struct streamer *streamer, struct clock *clock, const struct params *params,
              struct pools *pools)
{
    memset(streamer, 0, sizeof *streamer);
    clock_add_module(clock, &streamer->module, "streamer", -1, streamer, streamer_clock);
    streamer->pools = pools;
    streamer->indices_cycle = params->STREAMER.IndicesCycle;
    streamer->attributes_cycle = params->STREAMER.AttributesCycle;
    streamer->vertices_cycle = params->STREAMER.VerticesCycle;
    streamer->window_capacity = params->STREAMER.OutputMemorySize;
    streamer->window = mem_alloc(streamer->window_capacity * sizeof(struct pooled_vertex *));
    streamer->order_capacity = params->STREAMER.OutputFIFOSize;
    streamer->order = mem_alloc(streamer->order_capacity * sizeof *streamer->order);
    streamer->load_capacity = params->STREAMER.InputRequestQueueSize;
    streamer->loads = mem_alloc(streamer->load_capacity * sizeof(struct pooled_vertex *));
    cache_init(&streamer->cache, params->STREAMER.InputCacheLines, params->STREAMER.InputCacheLines,
               params->STREAMER.InputCacheLineSize, params->STREAMER.InputCacheRequestQueueSize);
}

void
streamer_fini(struct streamer *streamer)
{
    cache_fini(&streamer->cache);
    free(streamer->window);
    free(streamer->order);
    free(streamer->loads);
}

static void
forget_reuse(struct streamer *streamer)
{
    for (uint32_t i = 0; i < streamer->window_capacity; i++) {
        if (streamer->window[i])
            vertex_release(streamer->pools, streamer->window[i]);
        streamer->window[i] = NULL;
    }
    memset(streamer->reuse, 0, sizeof streamer->reuse);
    streamer->sequence = 0;
}

static void
begin_blocks(struct streamer *streamer)
{
    uint32_t first = streamer->draw->index_address;
    streamer->block_head = streamer->block_count = 0;
    streamer->next_block = first - first % TRANSACTION_BYTES;
}

static bool
blocks_are_here(const struct streamer *streamer)
{
    for (uint32_t i = 0; i < streamer->block_count; i++)
        if (!streamer->blocks[(streamer->block_head + i) % STREAMER_INDEX_BLOCKS].here)
            return false;
    return true;
}

static void
begin_draw(struct streamer *streamer, const struct draw *draw)
{
    streamer->draw = draw;
    streamer->position = 0;
    streamer->instance = 0;
    streamer->fetched_all = false;
    begin_blocks(streamer);
    forget_reuse(streamer);
    streamer->stats.draws++;
}

/* Commit: vertices that came back are marked; the first of the order leaves when it is shaded. */
static bool
commit(struct streamer *streamer, uint64_t now)
{
    bool worked = false;
    for (struct vertex_item *item; (item = queue_front(streamer->shaded, now));) {
        item->vertex->shaded = true;
        vertex_release(streamer->pools, item->vertex);
        queue_pop(streamer->shaded, now);
        worked = true;
    }
    for (uint32_t i = 0; i < streamer->vertices_cycle && streamer->order_count; i++) {
        struct vertex_item *first = &streamer->order[streamer->order_head];
        if (first->kind == ITEM_DATA && !first->vertex->shaded)
            break;
        if (!queue_space(streamer->out, now))
            break;
        *(struct vertex_item *)queue_push(streamer->out, now) = *first;
        streamer->stats.vertices_out += first->kind == ITEM_DATA;
        streamer->order_head = (streamer->order_head + 1) % streamer->order_capacity;
        streamer->order_count--;
        worked = true;
    }
    return worked;
}

/* Loads one attribute of the first vertex; false when its bytes are still on their way. */
static bool
load_attribute(struct streamer *streamer, struct pooled_vertex *vertex, uint32_t attribute)
{
    const struct draw *draw = streamer->draw;
    const struct bound_attribute *bound = &draw->attributes[attribute];
    struct cache *cache = &streamer->cache;
    float *out = vertex->inputs[attribute];
    uint32_t address =
        bound->format ? fetch_address(draw, attribute, vertex->index, vertex->instance) : 0;
    if (!address) {
        memcpy(out, (const float[4]){0, 0, 0, 1}, 4 * sizeof(float));
        return true;
    }
    uint32_t bytes = bound->format->block_bytes;
    /* It may lie in two lines; what was read of it stays, though prefetching evicts its line. */
    while (streamer->value_bytes < bytes) {
        uint32_t at = streamer->value_bytes, in_line = (address + at) % cache->line_bytes;
        uint32_t part = cache->line_bytes - in_line;
        if (part > bytes - at)
            part = bytes - at;
        int32_t line = cache_find(cache, address + at);
        if (line < 0) {
            if (cache_allocate(cache, address + at, true) >= 0)
                streamer->stats.cache_misses++;
            return false;
        }
        if (!cache_ready(cache, (uint32_t)line))
            return false;
        cache_touch(cache, (uint32_t)line);
        memcpy(streamer->value + at, cache_data(cache, (uint32_t)line) + in_line, part);
        streamer->value_bytes += part;
    }
    streamer->stats.cache_accesses++;
    streamer->value_bytes = 0;
    fetch_attribute(bound->format, streamer->value, out);
    return true;
}

/* Asks for the lines of later vertices while the first one waits. */
static void
prefetch(struct streamer *streamer)
{
    for (uint32_t v = 1; v < streamer->load_count && v < 8; v++) {
        struct pooled_vertex *vertex =
            streamer->loads[(streamer->load_head + v) % streamer->load_capacity];
        for (uint32_t a = 0; a < streamer->draw->attribute_count; a++) {
            const struct bound_attribute *bound = &streamer->draw->attributes[a];
            uint32_t address =
                bound->format ? fetch_address(streamer->draw, a, vertex->index, vertex->instance)
                              : 0;
            if (!address || cache_find(&streamer->cache, address) >= 0)
                continue;
            if (cache_allocate(&streamer->cache, address, true) >= 0)
                streamer->stats.cache_misses++;
            return;
        }
    }
}

static bool
load(struct streamer *streamer, uint64_t now)
{
    bool worked = false;
    uint64_t misses = streamer->stats.cache_misses;
    uint32_t budget = streamer->attributes_cycle;
    while (budget && streamer->load_count) {
        struct pooled_vertex *vertex = streamer->loads[streamer->load_head];
        while (budget && streamer->load_attribute < streamer->draw->attribute_count &&
               load_attribute(streamer, vertex, streamer->load_attribute)) {
            streamer->load_attribute++;
            streamer->stats.attributes++;
            budget--;
            worked = true;
        }
        if (streamer->load_attribute < streamer->draw->attribute_count) {
            if (budget)
                prefetch(streamer);
            break;
        }
        if (!queue_space(streamer->jobs, now))
            break;
        struct vertex_item *job = queue_push(streamer->jobs, now);
        *job = (struct vertex_item){ITEM_DATA, streamer->draw, vertex};
        vertex->references++; /* until it comes back shaded */
        streamer->load_head = (streamer->load_head + 1) % streamer->load_capacity;
        streamer->load_count--;
        streamer->load_attribute = 0;
        streamer->stats.vertices_shaded++;
        worked = true;
        if (budget)
            budget--;
    }
    return worked || streamer->stats.cache_misses != misses;
}

/* The value of the next index; false when its bytes are not here yet. */
static bool
next_index(struct streamer *streamer, uint32_t *index)
{
    const struct draw *draw = streamer->draw;
    if (!draw->params.indexed) {
        *index = draw->params.start + streamer->position;
        return true;
    }
    uint32_t address = fetch_index_address(draw, streamer->position);
    if (!address) {
        *index = 0;
        return true;
    }
    uint32_t block = address - address % TRANSACTION_BYTES;
    while (streamer->block_count && streamer->blocks[streamer->block_head].address < block &&
           streamer->blocks[streamer->block_head].here) {
        streamer->block_head = (streamer->block_head + 1) % STREAMER_INDEX_BLOCKS;
        streamer->block_count--;
    }
    if (!streamer->block_count || streamer->blocks[streamer->block_head].address != block ||
        !streamer->blocks[streamer->block_head].here)
        return false;
    uint8_t value[8] = {0};
    const uint8_t *data = streamer->blocks[streamer->block_head].data;
    uint32_t at = address % TRANSACTION_BYTES;
    if (at + draw->index_bytes > TRANSACTION_BYTES) { /* an unaligned index buffer */
        uint32_t second = (streamer->block_head + 1) % STREAMER_INDEX_BLOCKS;
        uint32_t part = TRANSACTION_BYTES - at;
        if (streamer->block_count < 2 || !streamer->blocks[second].here)
            return false;
        memcpy(value, data + at, part);
        memcpy(value + part, streamer->blocks[second].data, draw->index_bytes - part);
    } else {
        memcpy(value, data + at, draw->index_bytes);
    }
    *index = fetch_decode_index(draw, value);
    return true;
}

static void
add_order(struct streamer *streamer, enum item_kind kind, struct pooled_vertex *vertex)
{
    uint32_t i = (streamer->order_head + streamer->order_count++) % streamer->order_capacity;
    streamer->order[i] = (struct vertex_item){kind, streamer->draw, vertex};
}

/* One index through the vertex cache. */
static void
reuse_or_load(struct streamer *streamer, uint32_t index)
{
    uint32_t slot = index % STREAMER_HASH;
    if (streamer->reuse[slot].vertex && streamer->reuse[slot].index == index &&
        streamer->sequence - streamer->reuse[slot].sequence < streamer->window_capacity) {
        streamer->reuse[slot].vertex->references++;
        add_order(streamer, ITEM_DATA, streamer->reuse[slot].vertex);
        streamer->stats.vertices_reused++;
        return;
    }
    struct pooled_vertex *vertex = vertex_create(streamer->pools);
    vertex->index = index;
    vertex->instance = streamer->instance;
    add_order(streamer, ITEM_DATA, vertex);
    uint32_t at = (uint32_t)(streamer->sequence % streamer->window_capacity);
    if (streamer->window[at])
        vertex_release(streamer->pools, streamer->window[at]);
    vertex->references++;
    streamer->window[at] = vertex;
    streamer->reuse[slot].index = index;
    streamer->reuse[slot].sequence = streamer->sequence++;
    streamer->reuse[slot].vertex = vertex;
    uint32_t i = (streamer->load_head + streamer->load_count++) % streamer->load_capacity;
    streamer->loads[i] = vertex;
}

/* The draw in hand is over when its vertices are on their way to be shaded; commit knows theirs. */
static void
end_draw(struct streamer *streamer)
{
    if (!streamer->draw || !streamer->fetched_all || streamer->load_count ||
        !blocks_are_here(streamer))
        return;
    streamer->draw = NULL;
    forget_reuse(streamer);
}

static bool
fetch(struct streamer *streamer, uint64_t now)
{
    bool worked = false;
    end_draw(streamer);
    if (!streamer->draw) {
        const struct draw_item *item = queue_front(streamer->draws, now);
        if (!item)
            return false;
        begin_draw(streamer, item->draw);
        queue_pop(streamer->draws, now);
        worked = true;
    }
    const struct draw_params *params = &streamer->draw->params;
    for (uint32_t i = 0; i < streamer->indices_cycle && !streamer->fetched_all; i++) {
        if (streamer->order_count + 2 > streamer->order_capacity ||
            streamer->load_count == streamer->load_capacity)
            break;
        uint32_t index;
        worked = true;
        if (streamer->position == params->count) {
            bool last = streamer->instance + 1 >= params->instance_count;
            if (!last && !blocks_are_here(streamer)) {
                worked = i > 0;
                break;
            }
            if (!last)
                forget_reuse(streamer);
            add_order(streamer, last ? ITEM_END : ITEM_RESTART, NULL);
            streamer->fetched_all = last;
            streamer->instance++;
            streamer->position = 0;
            begin_blocks(streamer);
            continue;
        }
        if (!next_index(streamer, &index)) {
            worked = i > 0;
            break;
        }
        streamer->position++;
        streamer->stats.indices++;
        if (params->indexed && params->primitive_restart && index == params->restart_index)
            add_order(streamer, ITEM_RESTART, NULL);
        else
            reuse_or_load(streamer, params->indexed ? index + (uint32_t)params->index_bias : index);
    }
    return worked;
}

/* Index blocks: takes what came, asks for the next one ahead of its use. */
static bool
move_blocks(struct streamer *streamer, uint64_t now)
{
    bool worked = false;
    for (const struct memory_reply *reply;
         (reply = queue_front(streamer->index_memory.replies, now));) {
        streamer->blocks[reply->tag].here = true;
        memcpy(streamer->blocks[reply->tag].data, reply->data, TRANSACTION_BYTES);
        queue_pop(streamer->index_memory.replies, now);
        worked = true;
    }
    const struct draw *draw = streamer->draw;
    if (!draw || !draw->params.indexed || streamer->fetched_all ||
        streamer->block_count == STREAMER_INDEX_BLOCKS)
        return worked;
    uint64_t end = draw->index_address + (uint64_t)draw->params.count * draw->index_bytes;
    if (end > draw->index_end)
        end = draw->index_end;
    if (streamer->next_block >= end || !queue_space(streamer->index_memory.requests, now))
        return worked;
    uint32_t i = (streamer->block_head + streamer->block_count++) % STREAMER_INDEX_BLOCKS;
    streamer->blocks[i].address = streamer->next_block;
    streamer->blocks[i].here = false;
    struct memory_request *request = queue_push(streamer->index_memory.requests, now);
    request->address = streamer->next_block;
    request->tag = i;
    request->write = false;
    streamer->next_block += TRANSACTION_BYTES;
    return true;
}

static bool
obey(struct streamer *streamer, uint64_t now)
{
    const struct control_item *item = queue_front(streamer->control, now);
    if (!item || !queue_space(streamer->done, now))
        return false;
    cache_reset(&streamer->cache);
    *(struct done_item *)queue_push(streamer->done, now) = (struct done_item){false, 0};
    queue_pop(streamer->control, now);
    return true;
}

static enum unit_state
streamer_clock(void *self, uint64_t now)
{
    struct streamer *streamer = self;
    bool worked = commit(streamer, now);
    worked |= load(streamer, now);
    worked |= fetch(streamer, now);
    worked |= move_blocks(streamer, now);
    worked |= cache_clock(&streamer->cache, now);
    worked |= obey(streamer, now);
    if (worked)
        return UNIT_BUSY;
    if (!streamer->draw && !streamer->order_count)
        return UNIT_STARVED;
    const struct vertex_item *first = &streamer->order[streamer->order_head];
    if (streamer->order_count && (first->kind != ITEM_DATA || first->vertex->shaded))
        return UNIT_BLOCKED;
    return UNIT_WAITING;
}
