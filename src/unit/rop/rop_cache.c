/* A ROP's cache and its memory side (unit/rop/rop_cache.h). Source: docs/design/memory.md, ROP
 * caches. The steps of a line, its buffers and its ports follow ATTILA's ROP cache. */
#include "unit/rop/rop_cache.h"

#include "base/bits.h"
#include "base/mem.h"
#include "unit/memory/memctl.h"

#include <stdlib.h>
#include <string.h>

/* A reply tag combines the position in the input buffer and the transaction within the block. */
#define TAG(place, part) ((place) << 4 | (part))

static void
buffer_init(struct rop_buffer *buffer, uint32_t limit)
{
    buffer->ring.capacity = limit;
    buffer->items = mem_array(limit, sizeof *buffer->items);
}

static struct rop_transfer *
buffer_at(const struct rop_buffer *buffer, uint32_t n)
{
    return &buffer->items[ring_at(&buffer->ring, n)];
}

static void
buffer_drop(struct rop_buffer *buffer)
{
    ring_pop(&buffer->ring);
    BUG_ON(INVARIANTS && !buffer->stepped[0], "a line leaves a ROP's buffer before its step");
    buffer->stepped[0]--;
    if (buffer->stepped[1])
        buffer->stepped[1]--;
}

void
rop_cache_init(struct rop_cache *cache, struct module *module, struct blocks *blocks,
               const struct rop_cache_shape *shape)
{
    memset(cache, 0, sizeof *cache);
    cache->module = module;
    cache->shape = *shape;
    cache->blocks = blocks;
    cache_init(&cache->tags, module,
               &(struct cache_shape){.lines = shape->lines,
                                     .ways = shape->ways,
                                     .line_bytes = shape->line_bytes,
                                     .policy = shape->policy});
    cache->parts = mem_array(shape->lines, sizeof *cache->parts);
    cache->request_ring.capacity = shape->request_limit;
    cache->requests = mem_array(shape->request_limit, sizeof *cache->requests);
    buffer_init(&cache->in, shape->input_limit);
    buffer_init(&cache->out, shape->output_limit);
}

void
rop_cache_fini(struct rop_cache *cache)
{
    cache_fini(&cache->tags);
    free(cache->parts);
    free(cache->requests);
    free(cache->in.items);
    free(cache->out.items);
}

void
rop_cache_reset(struct rop_cache *cache)
{
    BUG_ON(!rop_cache_is_quiet(cache), "a ROP cache is reset while it transfers data");
    for (uint32_t i = 0; INVARIANTS && i < cache->shape.lines; i++)
        INVARIANT(cache->module, !cache->tags.lines[i].dirty);
    cache_reset(&cache->tags);
    ring_clear(&cache->in.ring);
    ring_clear(&cache->out.ring);
    ring_clear(&cache->request_ring);
}

static struct rop_request *
add_request(struct rop_cache *cache)
{
    if (ring_is_full(&cache->request_ring))
        return NULL;
    struct rop_request *request = &cache->requests[ring_push(&cache->request_ring)];
    request->has_in = request->has_out = false;
    return request;
}

static void
count_moved(struct rop_cache *cache, uint32_t state, uint64_t counts[4])
{
    uint32_t bytes = blocks_bytes(cache->blocks, state);
    if (state == BLOCK_CLEARED)
        return;
    counts[state < BLOCK_LEVEL ? 3 : bytes / TRANSACTION_BYTES - 1]++;
    cache->bytes_saved += cache->shape.line_bytes - bytes;
}

static bool
is_known(const uint64_t known[BLOCK_MAX_BYTES / 64], uint32_t byte)
{
    return known[byte / 64] >> byte % 64 & 1;
}

static uint32_t
known_bytes(const uint64_t known[BLOCK_MAX_BYTES / 64])
{
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < BLOCK_MAX_BYTES / 64; i++)
        bytes += bits_count(known[i]);
    return bytes;
}

/* Adds a moving line to the capture. The capture keeps its first error, which is reported at the
 * end of the run. */
static void
capture(struct rop_cache *cache, const struct rop_transfer *transfer, uint32_t moved_bytes,
        uint32_t flags, const uint8_t *line)
{
    uint32_t words[CODEC_WORDS];
    const struct block_surface *surface = blocks_surface(cache->blocks, transfer->address);
    struct rop_capture *to = cache->capture;
    bool ordered = blocks_words(cache->blocks, transfer->address, line, words);
    if (transfer->state == BLOCK_CLEARED)
        flags |= BLOCK_IS_CLEARED;
    else if (transfer->state == BLOCK_RAW || !ordered)
        flags |= BLOCK_IS_PLAIN;
    const struct block_tag tag = {.frame = *to->frame,
                                  .moved_bytes = (uint16_t)moved_bytes,
                                  .samples = (uint8_t)(surface ? surface->bound.res->samples : 1),
                                  .flags = (uint8_t)flags};
    if (!to->failed)
        to->failed = !blocks_writer_add(to->writer, words, &tag, &to->err);
}

static void
send_out(struct rop_cache *cache, struct rop_request *request, uint32_t address, uint32_t line,
         const uint8_t *bytes, bool raw)
{
    struct rop_transfer *out = &request->out;
    if (++cache->writebacks == cache->lose_writeback_at)
        return;
    request->has_out = true;
    out->address = address;
    out->line = line;
    out->state = blocks_pack(cache->blocks, address, bytes, raw, out->data);
    out->bytes = blocks_bytes(cache->blocks, out->state);
    out->sent = 0;
    out->packs = !raw && blocks_compress(cache->blocks, address);
    out->is_part = false;
    count_moved(cache, out->state, cache->blocks_written);
}

/* Skips pieces that have no written byte. */
static void
skip_pieces(struct rop_transfer *out)
{
    while (out->is_part && out->sent < out->bytes && !out->known[out->sent / TRANSACTION_BYTES])
        out->sent += TRANSACTION_BYTES;
}

static void
send_part(struct rop_cache *cache, struct rop_request *request, const struct partial_line *part)
{
    struct rop_transfer *out = &request->out;
    if (!request->has_out)
        return;
    out->is_part = true;
    memcpy(out->known, part->known, sizeof out->known);
    skip_pieces(out);
    request->has_out = out->sent < out->bytes;
    cache->parts_written++;
    for (uint32_t i = 0; i < BLOCK_MAX_BYTES / 64; i++)
        if (out->known[i])
            cache->bytes_masked += 64 - bits_count(out->known[i]);
}

static void
write_line(struct rop_cache *cache, struct rop_request *request, uint32_t line, uint64_t now)
{
    struct cache_line *l = &cache->tags.lines[line];
    const uint8_t *bytes = cache_data(&cache->tags, line);
    const bool raw = cache->raw && l->address >= cache->raw->first && l->address < cache->raw->end;
    if (cache->leaving)
        cache->leaving(cache->owner, l->address, bytes, now);
    const struct partial_line *part = &cache->parts[line];
    send_out(cache, request, l->address, line, bytes, raw || part->is_part);
    if (part->is_part)
        send_part(cache, request, part);
    if (cache->capture && request->has_out) {
        const struct rop_transfer *out = &request->out;
        capture(cache, out, part->is_part ? known_bytes(out->known) : out->bytes, BLOCK_WRITE,
                bytes);
    }
    l->dirty = false;
}

static void
fetch_line(struct rop_cache *cache, struct rop_request *request, uint32_t line)
{
    struct cache_line *l = &cache->tags.lines[line];
    struct rop_transfer *in = &request->in;
    request->has_in = true;
    in->address = l->address;
    in->line = line;
    in->state = blocks_state(cache->blocks, l->address);
    in->bytes = blocks_bytes(cache->blocks, in->state);
    in->sent = in->arrived_mask = in->written_count = 0;
    in->arrival = cache->module->stage.cp_ref; /* used if no transaction comes from memory */
    in->missing = (in->bytes + TRANSACTION_BYTES - 1) / TRANSACTION_BYTES;
    l->filling = 1;
    cache->lines_from_clear += in->state == BLOCK_CLEARED;
    in->is_part = false;
    count_moved(cache, in->state, cache->blocks_read);
}

/* Starts a partial line without a fetch. None of its bytes is known yet. */
static void
skip_fetch(struct rop_cache *cache, struct rop_request *request, uint32_t line)
{
    struct rop_transfer *in = &request->in;
    request->has_in = true;
    *in = (struct rop_transfer){.address = cache->tags.lines[line].address,
                                .line = line,
                                .state = BLOCK_RAW,
                                .is_part = true,
                                .arrival = cache->module->stage.cp_ref};
    cache->tags.lines[line].filling = 1;
    cache->parts[line] = (struct partial_line){.is_part = true};
    cache->lines_unread++;
}

/* Adds a request for a miss. Returns NULL if the request queue is full or `room` is false. */
static struct rop_request *
request_line(struct rop_cache *cache, bool room, uint64_t now)
{
    struct rop_request *request = room ? add_request(cache) : NULL;
    if (!request) {
        cache->refused_since = cache->refused_since ? cache->refused_since : now;
        return NULL;
    }
    if (cache->refused_since)
        cache->request_stalls += now - cache->refused_since;
    cache->refused_since = 0;
    return request;
}

/* Requests the missing bytes of a partial line. Returns false if there is no room. */
static bool
complete(struct rop_cache *cache, uint32_t line, uint64_t now)
{
    struct partial_line *part = &cache->parts[line];
    struct rop_request *request = request_line(cache, true, now);
    if (!request)
        return false;
    fetch_line(cache, request, line);
    BUG_ON(!blocks_is_raw(request->in.state), "rop: access to a part of a block in state %u",
           request->in.state);
    request->in.is_part = part->completing = true;
    cache->lines_completed++;
    return true;
}

static int32_t
miss(struct rop_cache *cache, uint32_t address, bool reads, uint64_t now)
{
    int32_t victim = cache_victim(&cache->tags, address);
    struct rop_request *request = request_line(cache, victim >= 0, now);
    if (!request)
        return -1;
    const struct cache_line *line = &cache->tags.lines[victim];
    if (line->valid && line->dirty)
        write_line(cache, request, (uint32_t)victim, now);
    cache_replace(&cache->tags, (uint32_t)victim, address);
    cache->parts[victim].is_part = false;
    const uint32_t state = blocks_state(cache->blocks, line->address);
    if (reads || !blocks_is_raw(state))
        fetch_line(cache, request, (uint32_t)victim);
    else
        skip_fetch(cache, request, (uint32_t)victim);
    return victim;
}

int32_t
rop_cache_lock(struct rop_cache *cache, uint32_t address, bool reads, uint64_t now)
{
    int32_t line = cache_find(&cache->tags, address);
    if (line >= 0) {
        const struct partial_line *part = &cache->parts[line];
        if (reads && part->is_part && !part->completing &&
            (!cache_ready(&cache->tags, (uint32_t)line) || !complete(cache, (uint32_t)line, now)))
            return -1;
        cache->hits++;
        cache_touch(&cache->tags, (uint32_t)line);
    } else {
        line = miss(cache, address, reads, now);
        if (line < 0)
            return -1;
        cache->misses++;
    }
    cache->accesses++;
    cache_lock(&cache->tags, (uint32_t)line);
    return line;
}

void
rop_cache_mark_written(struct rop_cache *cache, int32_t line, uint32_t first, uint32_t bytes)
{
    struct partial_line *part = &cache->parts[line];
    if (!part->is_part)
        return;
    part->known[first / 64] |= transaction_bytes(first % 64, bytes);
    part->is_part = part->completing || known_bytes(part->known) < cache->shape.line_bytes;
}

void
rop_cache_unlock(struct rop_cache *cache, int32_t line, bool wrote)
{
    INVARIANT(cache->module,
              !wrote || rop_cache_ready(cache, line) || cache->parts[line].completing);
    cache_unlock(&cache->tags, (uint32_t)line);
    cache->tags.lines[line].dirty |= wrote;
}

static void
peek_transfer(const struct rop_cache *cache, const struct rop_transfer *out, uint32_t address,
              uint8_t *bytes)
{
    if (out->address != address || !blocks_is_raw(out->state))
        return;
    for (uint32_t i = 0; i < cache->shape.line_bytes; i++)
        if (!out->is_part || is_known(out->known, i))
            bytes[i] = out->data[i];
}

/* Copies a block from memory and applies the writes that the cache has not sent yet, oldest first.
 * The output buffers hold all these writes: requests are taken in order, so earlier writes get a
 * buffer before the line arrives. */
static void
peek_memory(const struct rop_cache *cache, uint32_t address, const struct memctl *memctl,
            uint8_t *bytes)
{
    for (uint32_t at = 0; at < cache->shape.line_bytes; at += TRANSACTION_BYTES)
        memctl_peek(memctl, address + at, bytes + at);
    for (uint32_t n = 0; n < cache->out.ring.count; n++)
        peek_transfer(cache, buffer_at(&cache->out, n), address, bytes);
}

void
rop_cache_peek(const struct rop_cache *cache, int32_t line, const struct memctl *memctl,
               uint8_t *bytes)
{
    const struct partial_line *part = &cache->parts[line];
    const uint32_t size = cache->shape.line_bytes;
    const uint8_t *held = cache->tags.data + (size_t)line * size;
    if (part->is_part)
        peek_memory(cache, cache->tags.lines[line].address, memctl, bytes);
    for (uint32_t i = 0; i < size; i++)
        if (!part->is_part || is_known(part->known, i))
            bytes[i] = held[i];
}

uint32_t
rop_cache_take_port(struct rop_cache *cache, bool write, uint32_t bytes, uint64_t now)
{
    uint64_t *ports = write ? cache->write_ports : cache->read_ports;
    uint32_t count = write ? cache->shape.write_ports : cache->shape.read_ports;
    uint32_t cycles = (bytes + cache->shape.port_bytes - 1) / cache->shape.port_bytes;
    uint64_t first_free = UINT64_MAX;
    for (uint32_t i = 0; i < count; i++) {
        if (ports[i] <= now) {
            ports[i] = now + cycles;
            return cycles;
        }
        first_free = ports[i] < first_free ? ports[i] : first_free;
    }
    module_wake_at(cache->module, first_free);
    return 0;
}

/* Takes a port for a line. Only one line at a time may use a port, so a second port stays free for
 * quads. */
static uint32_t
take_line_port(struct rop_cache *cache, bool write, uint32_t bytes, uint64_t now)
{
    uint64_t *line_free = write ? &cache->line_write_free : &cache->line_read_free;
    if (*line_free > now) {
        module_wake_at(cache->module, *line_free);
        return 0;
    }
    uint32_t cycles = rop_cache_take_port(cache, write, bytes, now);
    if (cycles)
        *line_free = now + cycles;
    return cycles;
}

bool
rop_cache_write_back(struct rop_cache *cache, uint32_t line, uint64_t now)
{
    struct rop_request *request = add_request(cache);
    if (!request)
        return false;
    write_line(cache, request, line, now);
    return true;
}

bool
rop_cache_write_block(struct rop_cache *cache, uint32_t address, const uint8_t *bytes)
{
    struct rop_request *request = add_request(cache);
    if (!request)
        return false;
    send_out(cache, request, address, ROP_NO_LINE, bytes, true);
    if (cache->capture && request->has_out)
        capture(cache, &request->out, request->out.bytes, BLOCK_WRITE, bytes);
    return true;
}

bool
rop_cache_is_quiet(const struct rop_cache *cache)
{
    return !cache->request_ring.count && !cache->in.ring.count && !cache->out.ring.count &&
           !cache->writes_in_flight;
}

static bool
rop_cache_take_replies(struct rop_cache *cache, uint64_t now)
{
    bool worked = false;
    for (const struct memory_reply *reply; (reply = queue_front(cache->port.replies, now));) {
        if (reply->write) {
            INVARIANT(cache->module, cache->writes_in_flight > 0);
            cache->writes_in_flight--;
        } else {
            struct rop_transfer *in = &cache->in.items[(reply->tag >> 4) % cache->in.ring.capacity];
            uint32_t part = (reply->tag & 15) * TRANSACTION_BYTES;
            BUG_ON(part >= BLOCK_MAX_BYTES || !in->missing, "rop: an unexpected reply");
            INVARIANT(cache->module, !(in->arrived_mask & 1u << (reply->tag & 15)));
            memcpy(in->data + part, reply->data, TRANSACTION_BYTES);
            in->arrived_mask |= 1u << (reply->tag & 15);
            in->missing--;
            in->arrival = queue_mark(cache->port.replies).cp_ref;
        }
        cache->replied = queue_mark(cache->port.replies);
        queue_pop(cache->port.replies, now);
        worked = true;
    }
    return worked;
}

/* Copies the bytes of an arrived line into the cache. A partial line keeps its written bytes. */
static void
take_line(struct rop_cache *cache, const struct rop_transfer *in)
{
    uint8_t *line = cache_data(&cache->tags, in->line), whole[BLOCK_MAX_BYTES];
    const uint8_t *arrived = line;
    struct partial_line *part = &cache->parts[in->line];
    if (!in->is_part) {
        blocks_unpack(cache->blocks, in->address, in->state, in->data, line);
    } else if (part->completing) {
        blocks_unpack(cache->blocks, in->address, in->state, in->data, whole);
        for (uint32_t i = 0; i < cache->shape.line_bytes; i++)
            if (!is_known(part->known, i))
                line[i] = whole[i];
        part->is_part = part->completing = false;
        arrived = whole;
    }
    if (cache->capture && (in->bytes || in->state == BLOCK_CLEARED))
        capture(cache, in, in->bytes, 0, arrived);
}

/* Completes the fills whose bytes have all been written into the cache. */
static bool
end_fills(struct rop_cache *cache, uint64_t now)
{
    bool worked = false;
    while (cache->in.stepped[1]) {
        struct rop_transfer *in = buffer_at(&cache->in, 0);
        if (in->written_cycle > now) {
            module_wake_at(cache->module, in->written_cycle);
            break;
        }
        take_line(cache, in);
        cache->tags.lines[in->line].filling = 0;
        cache->tags.lines[in->line].arrival = (struct cp_stamp){in->arrival, now};
        buffer_drop(&cache->in);
        worked = true;
    }
    return worked;
}

static bool
is_read_out(struct rop_cache *cache, uint32_t line)
{
    for (uint32_t n = cache->out.stepped[0]; n < cache->out.ring.count; n++)
        if (buffer_at(&cache->out, n)->line == line)
            return false;
    return true;
}

/* Writes the next line into the cache. A raw line is written piece by piece as it arrives. */
static bool
write_next(struct rop_cache *cache, uint64_t now)
{
    struct rop_buffer *buffer = &cache->in;
    if (buffer->stepped[1] == buffer->stepped[0])
        return false;
    struct rop_transfer *in = buffer_at(buffer, buffer->stepped[1]);
    const bool raw = blocks_is_raw(in->state);
    if (raw && !in->bytes && is_read_out(cache, in->line)) { /* not fetched */
        in->written_cycle = now;
        buffer->stepped[1]++;
        return true;
    }
    if (raw && !(in->arrived_mask & 1u << in->written_count))
        return false;
    if (in->packed_cycle > now) {
        module_wake_at(cache->module, in->packed_cycle);
        return false;
    }
    if (!is_read_out(cache, in->line))
        return false;
    uint32_t bytes = raw ? TRANSACTION_BYTES : cache->shape.line_bytes;
    uint32_t cycles = take_line_port(cache, true, bytes, now);
    if (!cycles)
        return false;
    in->written_cycle = now + cycles;
    in->written_count++;
    buffer->stepped[1] += !raw || in->written_count * TRANSACTION_BYTES == in->bytes;
    return true;
}

/* Starts the decompression of the next line when all its bytes have arrived. */
static bool
unpack_next(struct rop_cache *cache, uint64_t now)
{
    struct rop_buffer *buffer = &cache->in;
    if (buffer->stepped[0] == buffer->ring.count)
        return false;
    struct rop_transfer *in = buffer_at(buffer, buffer->stepped[0]);
    in->packed_cycle = now;
    if (in->state >= BLOCK_LEVEL) {
        if (in->missing)
            return false;
        if (cache->unpack_free > now) {
            cache->unpack_stalls += cache->unpack_free - now;
            in->packed_cycle = cache->unpack_free;
        }
        in->packed_cycle += cache->blocks->unpack_cycles;
        cache->unpack_free = in->packed_cycle;
    }
    buffer->stepped[0]++;
    return true;
}

/* Reads the next outgoing line from the cache, then compresses it. */
static bool
read_next(struct rop_cache *cache, uint64_t now)
{
    struct rop_buffer *buffer = &cache->out;
    if (buffer->stepped[0] == buffer->ring.count)
        return false;
    struct rop_transfer *out = buffer_at(buffer, buffer->stepped[0]);
    out->packed_cycle = now;
    if (out->line != ROP_NO_LINE) {
        uint32_t cycles = take_line_port(cache, false, cache->shape.line_bytes, now);
        if (!cycles)
            return false;
        out->packed_cycle = now + cycles;
        if (out->packs) {
            if (cache->pack_free > out->packed_cycle) {
                cache->pack_stalls += cache->pack_free - out->packed_cycle;
                out->packed_cycle = cache->pack_free;
            }
            out->packed_cycle += cache->blocks->pack_cycles;
            cache->pack_free = out->packed_cycle;
        }
    }
    buffer->stepped[0]++;
    return true;
}

/* Moves requests into free buffers, in order. */
static bool
accept(struct rop_cache *cache)
{
    bool worked = false;
    while (cache->request_ring.count) {
        struct rop_request *request = &cache->requests[cache->request_ring.head];
        if ((request->has_in && ring_is_full(&cache->in.ring)) ||
            (request->has_out && ring_is_full(&cache->out.ring)))
            break;
        if (request->has_out)
            cache->out.items[ring_push(&cache->out.ring)] = request->out;
        if (request->has_in)
            cache->in.items[ring_push(&cache->in.ring)] = request->in;
        ring_pop(&cache->request_ring);
        worked = true;
    }
    return worked;
}

static struct memory_request *
push_part(struct rop_cache *cache, struct rop_transfer *transfer, uint64_t now)
{
    struct memory_request *request = queue_push(cache->port.requests, now);
    request->address = transfer->address + transfer->sent;
    transfer->sent += TRANSACTION_BYTES;
    cache->transactions++;
    return request;
}

/* The first incoming line that still has transactions to request. NULL: there is no such line, or a
 * write of its block is pending. */
static struct rop_transfer *
next_read(struct rop_cache *cache)
{
    for (uint32_t n = 0; n < cache->in.ring.count; n++) {
        struct rop_transfer *in = buffer_at(&cache->in, n);
        if (in->sent >= in->bytes)
            continue;
        for (uint32_t o = 0; o < cache->out.ring.count; o++)
            if (buffer_at(&cache->out, o)->address == in->address)
                return NULL;
        return in;
    }
    return NULL;
}

static bool
send_transaction(struct rop_cache *cache, uint64_t now)
{
    struct rop_transfer *out = cache->out.stepped[0] ? buffer_at(&cache->out, 0) : NULL;
    struct rop_transfer *in = next_read(cache);
    if (out && out->packed_cycle > now) {
        module_wake_at(cache->module, out->packed_cycle);
        out = NULL;
    }
    if ((!in && !out) || !queue_space(cache->port.requests, now))
        return false;
    if (in) {
        uint32_t part = in->sent / TRANSACTION_BYTES;
        struct memory_request *request = push_part(cache, in, now);
        request->write = false;
        request->tag = TAG((uint32_t)(in - cache->in.items), part);
        return true;
    }
    uint32_t at = out->sent;
    struct memory_request *request = push_part(cache, out, now);
    request->write = true;
    request->tag = 0;
    request->bytes_written = out->is_part ? out->known[at / TRANSACTION_BYTES] : ~UINT64_C(0);
    skip_pieces(out);
    memcpy(request->data, out->data + at, TRANSACTION_BYTES);
    cache->writes_in_flight++;
    if (out->sent >= out->bytes)
        buffer_drop(&cache->out);
    return true;
}

void
rop_cache_receive(struct rop_cache *cache, uint64_t now)
{
    bool worked = rop_cache_take_replies(cache, now);
    if (cache->in.ring.count) {
        worked |= end_fills(cache, now);
        worked |= write_next(cache, now);
        worked |= unpack_next(cache, now);
    }
    if (worked)
        module_wake_at(cache->module, now + 1);
}

void
rop_cache_send(struct rop_cache *cache, uint64_t now)
{
    if (!cache->request_ring.count && !cache->in.ring.count && !cache->out.ring.count)
        return;
    bool worked = accept(cache);
    worked |= read_next(cache, now);
    worked |= send_transaction(cache, now);
    if (worked)
        module_wake_at(cache->module, now + 1);
}
