/* Blitter: blits, copies, resolves and mipmap generation, with one slice per ROP.
 *
 * The Command Processor sends every slice the same plan (gfx/transfer.h). A slice produces the
 * destination lines that its ROP owns. They are as long as the lines of the ROP's cache. The
 * parameter Lines limits the lines in progress. A line passes the following four steps.
 *
 * - Plan: divides the line's elements into pieces, one per cycle, of at most 16 source blocks
 *   each, and requests these blocks. A line that is only partly written may also be read. It is
 *   read if it has a block state, or if some bits of its elements are kept.
 * - Operate: processes a piece whose blocks are available, at SamplesCycle samples per cycle. The
 *   number of samples is that of reads or writes, whichever is larger. An element wider than
 *   4 bytes counts once per 4 bytes.
 * - Pack: compresses a line with a block state, as its ROP does, one line at a time.
 * - Write: sends one transaction per cycle. Without a block state, it sends only bytes that the
 *   blit writes.
 *
 * Blocks are read according to their states (unit/block_reader.h). The reader keeps SourceBlocks of
 * them, so that adjacent lines share them. The slice sends one transaction per cycle. It requests
 * blocks until half of its lines wait to be written. It then writes these lines in one run to
 * reduce bus turnarounds.
 *
 * Before the order, the ROPs have flushed their caches and dropped the lines of the destination
 * (sim/machine_blit.c). A compressed line that is copied unchanged passes both codec units,
 * although its bytes could be moved directly. Few copies allow a direct move: source and
 * destination need the same block alignment, format and samples, and a state for each block.
 * Source: docs/design/machine.md, Blitter. Not modelled: the latency of sending block states to the
 * slices. */
#include "unit/blit/blitter.h"

#include "base/mem.h"
#include "gfx/transfer.h"

#include <stdlib.h>
#include <string.h>

static enum unit_state blitter_clock(void *self, uint64_t now);
static void count(void *self, uint64_t now);

static void
blitter_fini(void *self)
{
    struct blitter *blitter = self;
    block_reader_fini(&blitter->reader);
    free(blitter->lines);
    free(blitter->pieces);
}

static void
blitter_reset(void *self)
{
    const struct blitter *blitter = self;
    const struct module *module = &blitter->module;
    INVARIANT(module, !blitter->plan && !blitter->writes_in_flight);
    INVARIANT(module, !blitter->line_ring.count && !blitter->packed_count);
    INVARIANT(module, blitter->piece_ring.count == 0);
}

static const struct module_ops ops = {
    .clock = blitter_clock,
    .settle = count,
    .reset = blitter_reset,
    .fini = blitter_fini,
};

void
blitter_init(struct blitter *blitter, const struct unit_env *env, uint32_t index)
{
    const struct params *params = env->params;
    memset(blitter, 0, sizeof *blitter);
    clock_add_module(env->clock, &blitter->module, "blitter", (int32_t)index, blitter, &ops);
    blitter->module.stage.cause = CAUSE_blit;
    blitter->color = env->color_blocks;
    blitter->depth = env->depth_blocks;
    blitter->index = index;
    blitter->count = params->GPU.NumStampPipes;
    blitter->samples_cycle = params->BLITTER.SamplesCycle;
    blitter->line_ring.capacity = params->BLITTER.Lines;
    blitter->piece_ring.capacity = 2 * params->BLITTER.Lines;
    blitter->lines = mem_array(blitter->line_ring.capacity, sizeof *blitter->lines);
    blitter->pieces = mem_array(blitter->piece_ring.capacity, sizeof *blitter->pieces);
    block_reader_init(&blitter->reader, &blitter->module, &blitter->port, env->color_blocks,
                      env->depth_blocks, params->BLITTER.SourceBlocks);
}

static void
count(void *self, uint64_t now)
{
    struct blitter *blitter = self;
    const struct block_reader *reader = &blitter->reader;
    (void)now;
    blitter->stats.source_accesses = reader->hits + reader->misses;
    blitter->stats.source_hits = reader->hits;
    blitter->stats.source_misses = reader->misses;
    blitter->stats.blocks_from_clear = reader->from_clear;
    blitter->stats.blocks_decompressed = reader->unpacked;
    blitter->stats.decompressor_stalls = reader->unpack_stalls;
}

static struct blitter_line *
line_at(struct blitter *blitter, uint32_t n)
{
    return &blitter->lines[ring_at(&blitter->line_ring, n)];
}

static struct blitter_piece *
piece_at(struct blitter *blitter, uint32_t n)
{
    return &blitter->pieces[ring_at(&blitter->piece_ring, n)];
}

/* Address of the destination's current depth slice or layer. The first line may begin before this
 * address. */
static uint32_t
slice_address(const struct blitter *blitter)
{
    const struct blit_image *dst = &blitter->plan->dst;
    const struct resource_level *level = &dst->res->levels[dst->level];
    return dst->res->address + level->offset + blitter->z * level->slice_bytes;
}

static uint32_t
line_address(const struct blitter *blitter, uint32_t n)
{
    const uint32_t first = slice_address(blitter);
    return first - first % blitter->line_bytes + n * blitter->line_bytes;
}

/* Finds the range of lines that the blit writes in the current depth slice or layer. The range
 * covers whole rows of squares. */
static void
begin_slice(struct blitter *blitter)
{
    const struct blit_plan *plan = blitter->plan;
    const struct resource_level *level = &plan->dst.res->levels[plan->dst.level];
    const uint32_t in_line = slice_address(blitter) % blitter->line_bytes;
    uint32_t first = (uint32_t)plan->x.first, end = (uint32_t)plan->x.last; /* of a buffer: bytes */
    if (plan->dst.res->desc.target != TARGET_BUFFER) {
        const uint32_t k = level->square_log2;
        first = ((uint32_t)plan->y.first >> k) * level->row_bytes;
        end = (((uint32_t)plan->y.last - 1) >> k) * level->row_bytes + level->row_bytes;
    }
    blitter->next = (in_line + first) / blitter->line_bytes;
    blitter->end = (in_line + end + blitter->line_bytes - 1) / blitter->line_bytes;
}

static bool
take_order(struct blitter *blitter, uint64_t now)
{
    const struct blit_item *item = queue_front(blitter->control, now);
    if (!item)
        return false;
    const struct blit_plan *plan = blitter->plan = item->plan;
    blitter->blocks = plan->dst.format->depth_bits ? blitter->depth : blitter->color;
    blitter->source_blocks = plan->src.format->depth_bits ? blitter->depth : blitter->color;
    blitter->line_bytes = blitter->blocks->block_bytes;
    blitter->element_bytes = blit_element_bytes(plan);
    blitter->z = (uint32_t)plan->z.first;
    blitter->planned = plan->x.first >= plan->x.last || plan->y.first >= plan->y.last ||
                       plan->z.first >= plan->z.last;
    blitter->asking = blitter->writing = false;
    block_reader_reset(&blitter->reader);
    if (!blitter->planned)
        begin_slice(blitter);
    queue_pop(blitter->control, now);
    blitter->stats.orders++;
    return true;
}

/* Whether this Blitter slice produces line n. Lines are distributed over Blitter slices as tiles
 * are over ROPs. */
static bool
is_own(const struct blitter *blitter, uint32_t n)
{
    const struct resource *dst = blitter->plan->dst.res;
    if (dst->desc.target == TARGET_BUFFER)
        return n % blitter->count == blitter->index;
    const struct resource_level *level = &dst->levels[blitter->plan->dst.level];
    const uint32_t lines = dst->tile_bytes / blitter->line_bytes;
    const uint32_t tile = lines ? n / lines : n;
    return rop_of_tile(tile % level->tiles_x, tile / level->tiles_x, blitter->count) ==
           blitter->index;
}

/* An element of a line. */
struct element {
    uint32_t at; /* offset in the line */
    struct blit_position position;
    bool inside, covered; /* inside the level; written by the blit */
};

static struct element
element_at(const struct blitter *blitter, const struct blitter_line *line, uint32_t at)
{
    const struct blit_plan *plan = blitter->plan;
    const struct blit_image *dst = &plan->dst;
    const struct resource_level *level = &dst->res->levels[dst->level];
    const uint32_t slice = dst->res->address + level->offset + line->z * level->slice_bytes;
    const uint32_t address = line->address + at;
    struct element element = {.at = at, .position.z = (int32_t)line->z};
    uint32_t x, y;
    if (address < slice || address - slice >= level->slice_bytes)
        return element;
    element.inside =
        resource_locate(dst->res, dst->level, address - slice, &x, &y, &element.position.sample);
    const bool bytes = dst->res->desc.target == TARGET_BUFFER;
    const uint32_t width = bytes ? 1 : dst->format->block_width;
    const uint32_t height = bytes ? 1 : dst->format->block_height;
    element.position.x = (int32_t)x;
    element.position.y = (int32_t)y;
    element.inside = element.inside && x * width < level->width && y * height < level->height;
    element.covered = element.inside && blit_covers(plan, &element.position);
    return element;
}

static void
cover(struct blitter_line *line, uint32_t at, uint32_t bytes)
{
    line->covered[at / 64] |= transaction_bytes(at % 64, bytes);
}

/* Whether the bytes of the line at offset `at` belong to the destination's slice. */
static bool
in_slice(const struct blitter *blitter, const struct blitter_line *line, uint32_t at)
{
    const struct blit_image *dst = &blitter->plan->dst;
    const struct resource_level *level = &dst->res->levels[dst->level];
    const uint32_t slice = dst->res->address + level->offset + line->z * level->slice_bytes;
    return line->address + at >= slice && line->address + at - slice < level->slice_bytes;
}

/* Finds the elements of the line that the blit writes (`elements`, 0: none). Padding counts as
 * written if all other bytes of the line are written. It is then filled from the preceding
 * element. */
static void
blitter_describe(const struct blitter *blitter, struct blitter_line *line)
{
    const uint32_t step = blitter->element_bytes;
    uint32_t covered = 0, padding = 0;
    memset(line->covered, 0, sizeof line->covered);
    line->elements = 0;
    for (uint32_t at = 0; at + step <= blitter->line_bytes; at += step) {
        const struct element element = element_at(blitter, line, at);
        if (element.covered) {
            line->elements++;
            covered += step;
            cover(line, at, step);
        } else if (!element.inside && in_slice(blitter, line, at)) {
            padding += step;
        }
    }
    const uint32_t state = blocks_state(blitter->blocks, line->address);
    line->whole = covered + padding == blitter->line_bytes;
    line->packs = line->whole || !blocks_is_raw(state);
    line->merges = blit_keeps(blitter->plan) || (line->packs && !line->whole);
}

/* Begins the next line that this slice writes. Returns false if there is no such line, or no room
 * for it. */
static bool
begin_line(struct blitter *blitter)
{
    if (blitter->planned || ring_is_full(&blitter->line_ring))
        return false;
    struct blitter_line *line = line_at(blitter, blitter->line_ring.count);
    for (;;) {
        while (blitter->next == blitter->end) {
            if (++blitter->z == (uint32_t)blitter->plan->z.last) {
                blitter->planned = true;
                return false;
            }
            begin_slice(blitter);
        }
        const uint32_t n = blitter->next++;
        if (!is_own(blitter, n))
            continue;
        line->address = line_address(blitter, n);
        line->z = blitter->z;
        blitter_describe(blitter, line);
        if (line->elements)
            break;
    }
    line->planned = line->done = line->packed = false;
    line->bytes = line->sent = 0;
    memset(line->data, 0, sizeof line->data);
    ring_push(&blitter->line_ring);
    blitter->next_element = 0;
    return true;
}

/* The source blocks of a set of elements, found by a dry run. */
struct footprint {
    const struct blitter *blitter;
    uint32_t count, reads;
    bool full; /* more blocks than a piece can have */
    struct blitter_block blocks[BLITTER_MAX_BLOCKS];
};

static const uint8_t *
note_read(void *data, uint32_t offset)
{
    static const uint8_t zeros[16];
    struct footprint *footprint = data;
    const struct blit_plan *plan = footprint->blitter->plan;
    const struct blocks *blocks = footprint->blitter->source_blocks;
    const uint32_t address = plan->src.res->address + offset,
                   in_block = address % blocks->block_bytes;
    const uint32_t part = 1u << in_block / TRANSACTION_BYTES;
    footprint->reads++;
    for (uint32_t i = 0; i < footprint->count; i++) {
        if (footprint->blocks[i].address == address - in_block) {
            footprint->blocks[i].parts |= part;
            return zeros;
        }
    }
    if (footprint->count == BLITTER_MAX_BLOCKS)
        footprint->full = true;
    else
        footprint->blocks[footprint->count++] =
            (struct blitter_block){blocks, address - in_block, part, -1};
    return zeros;
}

/* Number of passes of 4 bytes that an element takes. */
static uint32_t
width_of(uint32_t bytes)
{
    return bytes > 4 ? bytes / 4 : 1;
}

/* Extends a piece by an element, and adds the blocks that the element reads. Returns false if the
 * piece would have too many blocks. */
static bool
add_element(const struct blitter *blitter, const struct element *element, struct footprint *all,
            struct blitter_piece *piece)
{
    struct footprint wider = *all;
    uint8_t old[16] = {0};
    const struct blit_source source = {note_read, &wider};
    wider.reads = 0;
    blit_element(blitter->plan, &element->position, &source, old);
    if (wider.full)
        return false;
    const uint32_t reads = wider.reads * width_of(blitter->plan->src.format->block_bytes);
    const uint32_t writes = width_of(blitter->element_bytes);
    piece->samples += reads > writes ? reads : writes;
    *all = wider;
    return true;
}

/* Creates the next piece of the newest line. */
static void
cut_piece(struct blitter *blitter)
{
    struct blitter_line *line = line_at(blitter, blitter->line_ring.count - 1);
    struct blitter_piece *piece = &blitter->pieces[ring_push(&blitter->piece_ring)];
    struct footprint all = {.blitter = blitter};
    uint32_t at = blitter->next_element;
    piece->line = line;
    piece->first = at;
    piece->samples = 0;
    for (; at + blitter->element_bytes <= blitter->line_bytes; at += blitter->element_bytes) {
        const struct element element = element_at(blitter, line, at);
        if (element.covered && !add_element(blitter, &element, &all, piece))
            break;
    }
    BUG_ON(at == piece->first, "blitter: an element of more than %d blocks", BLITTER_MAX_BLOCKS);
    piece->end = blitter->next_element = at;
    piece->last = line->planned = at + blitter->element_bytes > blitter->line_bytes;
    piece->block_count = all.count;
    memcpy(piece->blocks, all.blocks, all.count * sizeof *all.blocks);
    if (line->merges && piece->first == 0) {
        piece->blocks[piece->block_count++] =
            (struct blitter_block){blitter->blocks, line->address, 0, -1};
        for (uint32_t part = 0; part < blitter->line_bytes / TRANSACTION_BYTES; part++)
            if (line->packs || line->covered[part])
                piece->blocks[piece->block_count - 1].parts |= 1u << part;
        blitter->stats.lines_merged++;
    }
    if (blitter->plan->dst.res->desc.target == TARGET_BUFFER)
        piece->samples = (piece->samples + 3) / 4;
}

/* Requests the blocks of the newest piece while slots are free. */
static bool
request_block(struct blitter *blitter, uint64_t now)
{
    struct blitter_piece *piece = piece_at(blitter, blitter->piece_ring.count - 1);
    bool worked = false;
    for (uint32_t i = 0; i < piece->block_count; i++) {
        struct blitter_block *block = &piece->blocks[i];
        if (block->slot >= 0)
            continue;
        block->slot =
            block_reader_lock(&blitter->reader, block->blocks, block->address, block->parts, now);
        if (block->slot < 0)
            return worked;
        worked = true;
    }
    blitter->asking = false;
    return true;
}

static bool
plan_next(struct blitter *blitter, uint64_t now)
{
    if (!blitter->asking) {
        if (ring_is_full(&blitter->piece_ring))
            return false;
        const struct blitter_line *last =
            blitter->line_ring.count ? line_at(blitter, blitter->line_ring.count - 1) : NULL;
        if ((!last || last->planned) && !begin_line(blitter))
            return false;
        cut_piece(blitter);
        blitter->asking = true;
    }
    return request_block(blitter, now);
}

/* Returns an element from the blocks that have arrived. */
static const uint8_t *
read_block(void *data, uint32_t offset)
{
    const struct blitter *blitter = data;
    const struct blitter_piece *piece = &blitter->pieces[blitter->piece_ring.head];
    const uint32_t address = blitter->plan->src.res->address + offset;
    for (uint32_t i = 0; i < piece->block_count; i++) {
        const struct blitter_block *block = &piece->blocks[i];
        const uint32_t in_block = address - block->address;
        if (block->blocks == blitter->source_blocks && address >= block->address &&
            in_block < block->blocks->block_bytes)
            return block_reader_data(&blitter->reader, (uint32_t)block->slot) + in_block;
    }
    BUG("blitter: a part reads data that it did not request");
}

static void
compute(struct blitter *blitter, struct blitter_piece *piece)
{
    struct blitter_line *line = piece->line;
    const struct blit_source source = {read_block, blitter};
    const uint32_t step = blitter->element_bytes;
    if (line->merges && piece->first == 0)
        memcpy(line->data,
               block_reader_data(&blitter->reader,
                                 (uint32_t)piece->blocks[piece->block_count - 1].slot),
               blitter->line_bytes);
    for (uint32_t at = piece->first; at < piece->end; at += step) {
        const struct element element = element_at(blitter, line, at);
        if (element.covered)
            blit_element(blitter->plan, &element.position, &source, line->data + at);
        else if (line->whole && at >= step)
            memcpy(line->data + at, line->data + at - step, step);
    }
}

static bool
blocks_arrived(struct blitter *blitter, const struct blitter_piece *piece, uint64_t now)
{
    for (uint32_t i = 0; i < piece->block_count; i++)
        if (!block_reader_ready(&blitter->reader, (uint32_t)piece->blocks[i].slot,
                                piece->blocks[i].parts, now))
            return false;
    return true;
}

/* Critical path: a piece waits for its blocks and for the end of the preceding piece. */
static void
note_operation(struct blitter *blitter, const struct blitter_piece *piece, uint64_t now)
{
    struct cp_stamp predecessor = {blitter->module.stage.cp_ref, blitter->op_free};
    for (uint32_t i = 0; i < piece->block_count; i++)
        predecessor = path_later(
            predecessor, block_reader_mark(&blitter->reader, (uint32_t)piece->blocks[i].slot));
    module_resume(&blitter->module, &blitter->module.stage, predecessor.cp_ref, now);
}

static bool
operate(struct blitter *blitter, uint64_t now)
{
    struct blitter_piece *piece = piece_at(blitter, 0);
    if (!blitter->piece_ring.count || (blitter->asking && blitter->piece_ring.count == 1) ||
        !blocks_arrived(blitter, piece, now))
        return false;
    if (blitter->op_free > now) {
        module_wake_at(&blitter->module, blitter->op_free);
        return false;
    }
    note_operation(blitter, piece, now);
    compute(blitter, piece);
    blitter->op_free = now + (piece->samples + blitter->samples_cycle - 1) / blitter->samples_cycle;
    blitter->stats.samples += piece->samples;
    blitter->stats.pieces++;
    for (uint32_t i = 0; i < piece->block_count; i++)
        block_reader_unlock(&blitter->reader, (uint32_t)piece->blocks[i].slot);
    if (piece->last) {
        piece->line->done = true;
        piece->line->done_cycle = blitter->op_free;
    }
    ring_pop(&blitter->piece_ring);
    return true;
}

/* Converts the next line to its form in memory. */
static bool
pack_next(struct blitter *blitter, uint64_t now)
{
    if (blitter->packed_count == blitter->line_ring.count)
        return false;
    struct blitter_line *line = line_at(blitter, blitter->packed_count);
    if (!line->done)
        return false;
    if (line->done_cycle > now) {
        module_wake_at(&blitter->module, line->done_cycle);
        return false;
    }
    line->packed_cycle = now;
    line->bytes = blitter->line_bytes;
    if (line->packs) {
        const bool packs = blocks_compress(blitter->blocks, line->address);
        const uint32_t state =
            blocks_pack(blitter->blocks, line->address, line->data, false, line->out);
        line->bytes = blocks_bytes(blitter->blocks, state);
        blitter->stats.lines_compressed += state >= BLOCK_LEVEL;
        if (packs) {
            if (blitter->pack_free > now)
                blitter->stats.compressor_stalls += blitter->pack_free - now;
            line->packed_cycle = blitter->pack_free > now ? blitter->pack_free : now;
            line->packed_cycle += blitter->blocks->pack_cycles;
            blitter->pack_free = line->packed_cycle;
        }
        memset(line->covered, 0xff, sizeof line->covered);
    } else {
        memcpy(line->out, line->data, blitter->line_bytes);
    }
    blitter->packed_count++;
    return true;
}

/* Sends the next transaction of the first line. Skips transactions without a written byte. */
static bool
write_next(struct blitter *blitter, uint64_t now)
{
    struct blitter_line *line = blitter->packed_count ? line_at(blitter, 0) : NULL;
    if (!line || line->packed_cycle > now) {
        if (line)
            module_wake_at(&blitter->module, line->packed_cycle);
        return false;
    }
    while (line->sent < line->bytes && !line->covered[line->sent / TRANSACTION_BYTES])
        line->sent += TRANSACTION_BYTES;
    if (line->sent < line->bytes) {
        if (!queue_space(blitter->port.requests, now))
            return false;
        struct memory_request *request = queue_push(blitter->port.requests, now);
        request->address = line->address + line->sent;
        request->tag = 0;
        request->write = true;
        request->bytes_written = line->covered[line->sent / TRANSACTION_BYTES];
        memcpy(request->data, line->out + line->sent, TRANSACTION_BYTES);
        line->sent += TRANSACTION_BYTES;
        blitter->writes_in_flight++;
        blitter->stats.transactions++;
    }
    while (line->sent < line->bytes && !line->covered[line->sent / TRANSACTION_BYTES])
        line->sent += TRANSACTION_BYTES;
    if (line->sent >= line->bytes) {
        blitter->stats.lines++;
        ring_pop(&blitter->line_ring);
        blitter->packed_count--;
    }
    return true;
}

static bool
ask_next(struct blitter *blitter, uint64_t now)
{
    if (!block_reader_send(&blitter->reader, now))
        return false;
    blitter->stats.transactions++;
    return true;
}

/* Sends one transaction. Changes between reads and writes if enough lines wait to be written, if no
 * line waits, or if there is nothing to request. */
static bool
send_transaction(struct blitter *blitter, uint64_t now)
{
    if (blitter->packed_count > blitter->line_ring.capacity / 2)
        blitter->writing = true;
    else if (!blitter->packed_count)
        blitter->writing = false;
    if (blitter->writing)
        return write_next(blitter, now) || ask_next(blitter, now);
    return ask_next(blitter, now) || write_next(blitter, now);
}

static void
end_write(struct blitter *blitter, uint64_t now)
{
    INVARIANT(&blitter->module, blitter->writes_in_flight > 0);
    blitter->writes_in_flight--;
}

static bool
blitter_take_replies(struct blitter *blitter, uint64_t now)
{
    bool worked = false;
    for (const struct memory_reply *reply; (reply = queue_front(blitter->port.replies, now));) {
        if (reply->write)
            end_write(blitter, now);
        else
            block_reader_take(&blitter->reader, reply, now);
        queue_pop(blitter->port.replies, now);
        worked = true;
    }
    return worked;
}

/* Ends the order when all its lines are in memory. */
static bool
end_order(struct blitter *blitter, uint64_t now)
{
    if (!blitter->planned || blitter->line_ring.count || blitter->writes_in_flight ||
        !queue_space(blitter->done, now))
        return false;
    blitter->module.stage.cp_ref = blitter->port.arrival.cp_ref;
    *(struct done_item *)queue_push(blitter->done, now) = (struct done_item){false, 0};
    blitter->plan = NULL;
    return true;
}

static enum unit_state
blitter_clock(void *self, uint64_t now)
{
    struct blitter *blitter = self;
    if (!blitter->plan)
        return take_order(blitter, now) ? UNIT_BUSY : UNIT_STARVED;
    bool worked = blitter_take_replies(blitter, now);
    worked |= operate(blitter, now);
    worked |= pack_next(blitter, now);
    worked |= plan_next(blitter, now);
    worked |= send_transaction(blitter, now);
    worked |= end_order(blitter, now);
    return worked ? UNIT_BUSY : UNIT_WAITING;
}
