/* The steps of a quad through a ROP (unit/rop/rop.h). Source: docs/design/memory.md, ROP caches.
 * The steps and their queues follow ATTILA's generic ROP. */
#include "unit/rop/rop_internal.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* Parameters that [ZSTENCILTEST] and [COLORWRITE] share. CACHE is the prefix of the cache's
 * names. */
#define SHAPE_OF(params, SECTION, CACHE)                                                           \
    {                                                                                              \
        .quads_cycle = (params)->SECTION.StampsPerCycle,                                           \
        .samples_cycle = (params)->RASTERIZER.MSAASamplesCycle,                                    \
        .element_bytes = (params)->SECTION.BytesPerPixel,                                          \
        .fetch_limit = (params)->SECTION.FetchQueueSize,                                           \
        .read_limit = (params)->SECTION.ReadQueueSize, .op_limit = (params)->SECTION.OpQueueSize,  \
        .write_limit = (params)->SECTION.WriteQueueSize,                                           \
        .blocks_cleared_cycle = (params)->SECTION.BlocksClearedPerCycle, .cache = {                \
            .lines = (params)->SECTION.CACHE##CacheLines * (params)->SECTION.CACHE##CacheWays,     \
            .ways = (params)->SECTION.CACHE##CacheWays,                                            \
            .line_bytes = (params)->SECTION.CACHE##CacheStampsPerLine * ROP_QUAD_BYTES,            \
            .policy = (params)->SECTION.CACHE##CacheReplacement,                                   \
            .port_bytes = (params)->SECTION.CACHE##CachePortWidth,                                 \
            .read_ports =                                                                          \
                (params)->SECTION.CACHE##CachePorts + (params)->SECTION.CACHE##CacheExtraReadPort, \
            .write_ports = (params)->SECTION.CACHE##CachePorts +                                   \
                           (params)->SECTION.CACHE##CacheExtraWritePort,                           \
            .request_limit = (params)->SECTION.CACHE##CacheRequestQueueSize,                       \
            .input_limit = (params)->SECTION.CACHE##CacheInputQueueSize,                           \
            .output_limit = (params)->SECTION.CACHE##CacheOutputQueueSize,                         \
        }                                                                                          \
    }

static struct rop_shape
shape_of(const struct params *params, enum codec_kind kind)
{
    const bool color = kind == CODEC_COLOR;
    const struct rop_shape color_shape = SHAPE_OF(params, COLORWRITE, Color);
    const struct rop_shape depth_shape = SHAPE_OF(params, ZSTENCILTEST, Z);
    struct rop_shape shape = color ? color_shape : depth_shape;
    shape.rate = color ? params->COLORWRITE.BlendALURate : params->ZSTENCILTEST.ZALUTestRate;
    shape.reads_first = !color || params->COLORWRITE.ReadBeforeWrite;
    shape.latency = color ? params->COLORWRITE.BlendALULatency : params->ZSTENCILTEST.ZALULatency;
    return shape;
}

void
rop_blocks_init(struct blocks *blocks, const struct params *params, enum codec_kind kind)
{
    const bool color = kind == CODEC_COLOR;
    const struct rop_shape shape = shape_of(params, kind);
    const struct codec *codec;
    struct error err;
    if (!rop_codec(params, kind, &codec, &err))
        BUG("%s", err.text); /* parameters are checked before a machine is built */
    blocks_init(blocks, params->GPU.NumStampPipes, shape.cache.line_bytes,
                params->MEMORYCONTROLLER.MemoryGrows ? MEMORY_MAX_BYTES
                                                     : params->MEMORYCONTROLLER.MemorySize,
                color ? params->COLORWRITE.BlockStateMemorySize
                      : params->ZSTENCILTEST.BlockStateMemorySize,
                codec);
    blocks->pack_cycles = color ? params->COLORWRITE.CompressionUnitLatency
                                : params->ZSTENCILTEST.CompressionUnitLatency;
    blocks->unpack_cycles = color ? params->COLORWRITE.DecompressionUnitLatency
                                  : params->ZSTENCILTEST.DecompressionUnitLatency;
    if (codec && !blocks->pack_cycles)
        blocks->pack_cycles = codec_latency(codec);
    if (codec && !blocks->unpack_cycles)
        blocks->unpack_cycles = codec_latency(codec);
}

void
rop_init(struct rop *rop, struct module *module, void *owner, const struct rop_work *work,
         const struct unit_env *env, struct blocks *blocks, uint32_t index)
{
    const struct rop_shape shape = shape_of(env->params, work->kind);
    uint32_t entries = shape.fetch_limit + shape.read_limit + shape.op_limit + shape.write_limit;
    uint32_t ring = 1;
    clock_add_module(env->clock, module, work->name, (int32_t)index, owner, &work->module);
    module->is_core = true;
    memset(rop, 0, sizeof *rop);
    rop->module = module;
    rop->owner = owner;
    rop->work = work;
    rop->shape = shape;
    while (ring < entries)
        ring *= 2;
    rop->entries = mem_array(ring, sizeof *rop->entries);
    rop->mask = ring - 1;
    rop->index = index;
    rop->blocks = blocks;
    rop_cache_init(&rop->cache, module, blocks, &shape.cache);
}

void
rop_fini(struct rop *rop)
{
    rop_cache_fini(&rop->cache);
    free(rop->entries);
}

void
rop_reset(struct rop *rop)
{
    INVARIANT(rop->module, rop->left == rop->fetched && !rop->has_next);
    INVARIANT(rop->module, !rop->executing);
    rop_cache_reset(&rop->cache);
}

/* Checks that the entries between two steps fit in the queue between them. */
static void
check_places(const struct rop *rop, uint64_t now)
{
    const struct rop_shape *shape = &rop->shape;
    INVARIANT(rop->module, rop->fetched - rop->read <= shape->fetch_limit);
    INVARIANT(rop->module, rop->read - rop->started <= shape->read_limit);
    INVARIANT(rop->module, rop->started - rop->ended <= shape->op_limit);
    INVARIANT(rop->module, rop->ended - rop->left <= shape->write_limit);
}

/* The fetch stage represents orders on the critical path, because orders are executed one at a
 * time. */
void
rop_wire(struct rop *rop)
{
    rop->causes = rop->work->kind == CODEC_COLOR
                      ? (struct rop_causes){CAUSE_blend, CAUSE_blend_lines, CAUSE_blend_place}
                      : (struct rop_causes){CAUSE_test, CAUSE_test_lines, CAUSE_test_place};
    rop->module->stage.cause = rop->fetch_stage.cause = rop->causes.work;
    rop->operate_stage.cause = rop->output_stage.cause = rop->causes.work;
    rop->done->from = &rop->output_stage;
}

static void
stall(struct rop_stall *stall, bool stalled, uint64_t now)
{
    if (stalled && !stall->since) {
        stall->since = now + 1;
    } else if (!stalled && stall->since) {
        stall->cycles += now + 1 - stall->since;
        stall->since = 0;
    }
}

void
rop_count_stalls(struct rop *rop, uint64_t now)
{
    struct rop_stall *const stalls[] = {&rop->read_port,  &rop->write_port, &rop->same_place,
                                        &rop->fetch_full, &rop->read_full,  &rop->op_full,
                                        &rop->write_full};
    for (uint32_t i = 0; i < sizeof stalls / sizeof stalls[0]; i++) {
        if (!stalls[i]->since)
            continue;
        stall(stalls[i], false, now);
        stall(stalls[i], true, now);
    }
    if (rop->cache.refused_since) {
        rop->cache.request_stalls += now - rop->cache.refused_since;
        rop->cache.refused_since = now;
    }
}

static struct rop_entry *
entry_at(struct rop *rop, uint32_t n)
{
    return &rop->entries[n & rop->mask];
}

static uint32_t
lines_of(const struct rop *rop, const struct rop_entry *entry)
{
    return (entry->bytes + rop->shape.cache.line_bytes - 1) / rop->shape.cache.line_bytes;
}

bool
rop_fetch_next(struct rop *rop, uint64_t now)
{
    struct rop_entry *next = &rop->next;
    bool full = rop->fetched - rop->read == rop->shape.fetch_limit;
    stall(&rop->fetch_full, full, now);
    rop->fetch_waited |= full;
    if (full)
        return false;
    uint32_t count = lines_of(rop, next);
    for (; rop->next_locked < count; rop->next_locked++) {
        uint32_t address = next->address + rop->next_locked * rop->shape.cache.line_bytes;
        next->lines[rop->next_locked] = rop_cache_lock(&rop->cache, address, next->reads, now);
        if (next->lines[rop->next_locked] < 0) {
            rop->lock_waited = true;
            return false;
        }
    }
    *entry_at(rop, rop->fetched++) = *next;
    rop->has_next = false;
    return true;
}

/* Critical path: determines the event that released the newest entry. The event is the entry's
 * arrival, the fetch of the previous entry, a freed slot, or a freed line. */
static void
note_fetch(struct rop *rop, const struct queue *in, uint64_t now)
{
    struct rop_entry *entry = entry_at(rop, rop->fetched - 1);
    struct cp_stamp predecessor = path_later(path_last(&rop->fetch_stage), queue_mark(in));
    if (rop->fetch_waited)
        predecessor.cp_ref = rop->read_at.cp_ref;
    else if (rop->lock_waited) { /* a quad held the line, or the line was in flight */
        const struct cp_stamp freed = path_later(rop->left_at, rop->cache.replied);
        predecessor.cp_ref =
            module_step(rop->module, path_later(predecessor, freed).cp_ref, rop->causes.lines, now);
    }
    rop->fetch_waited = rop->lock_waited = false;
    module_begin(rop->module, &rop->fetch_stage, predecessor.cp_ref, now, 1);
    entry->path_end = (struct cp_stamp){rop->fetch_stage.cp_ref, now};
    rop->module->stage.cp_ref = rop->fetch_stage.cp_ref;
}

/* Fetches the quad at the head of the queue. */
static bool
rop_fetch(struct rop *rop, struct queue *in, uint64_t now)
{
    const struct quad_item *item = queue_front(in, now);
    if (!item)
        return false;
    if (!rop->has_next) {
        struct rop_entry *next = &rop->next;
        next->item = *item;
        next->address = next->bytes = 0;
        next->cost = item->kind == ITEM_DATA;
        next->changes = next->is_line = next->wrote = false;
        next->reads = next->last_target = true;
        rop->next_locked = 0;
        rop->has_next = true;
        if (item->kind == ITEM_DATA)
            rop->work->describe(rop->owner, next);
        rop->module->stage.cp_ref = path_next(&rop->fetch_stage, queue_mark(in));
        next->reads |= rop->shape.reads_first;
    }
    bool last = rop->next.last_target;
    if (!rop_fetch_next(rop, now))
        return false;
    note_fetch(rop, in, now);
    if (last)
        queue_pop(in, now);
    return true;
}

static bool
lines_ready(struct rop *rop, const struct rop_entry *entry)
{
    for (uint32_t i = 0, count = lines_of(rop, entry); i < count; i++)
        if (!rop_cache_ready(&rop->cache, entry->lines[i]))
            return false;
    return true;
}

/* Whether an earlier entry of the same pixels has been read and not yet written. */
static bool
is_changing(struct rop *rop, const struct rop_entry *entry)
{
    for (uint32_t n = rop->left; n != rop->read; n++) {
        const struct rop_entry *earlier = entry_at(rop, n);
        if (earlier->changes && earlier->address == entry->address)
            return true;
    }
    return false;
}

/* Takes a port for the entry's bytes. Sets *cycles to the number of cycles that they take. */
static bool
take_port(struct rop *rop, const struct rop_entry *entry, bool write, uint32_t *cycles,
          uint64_t now)
{
    *cycles = rop_cache_take_port(&rop->cache, write, entry->bytes, now);
    stall(write ? &rop->write_port : &rop->read_port, !*cycles, now);
    return *cycles != 0;
}

/* Critical path: determines the event that released a read. The event is the arrival of its last
 * line, the write of the same pixels, the read of the previous entry, or a freed slot. */
static void
note_read(struct rop *rop, struct rop_entry *entry, uint64_t now, uint32_t cycles)
{
    struct cp_stamp predecessor = path_later(rop->read_at, entry->path_end);
    if (rop->read_waited)
        predecessor = (struct cp_stamp){rop->operate_stage.cp_ref, now};
    for (uint32_t i = 0, count = lines_of(rop, entry); i < count; i++) {
        const struct cp_stamp arrival = rop->cache.tags.lines[entry->lines[i]].arrival;
        if (arrival.cycle > predecessor.cycle)
            predecessor = (struct cp_stamp){
                module_step(rop->module, arrival.cp_ref, rop->causes.lines, arrival.cycle),
                arrival.cycle};
    }
    if (rop->slot_awaited)
        predecessor.cp_ref = path_add(&rop->module->clock->path, rop->left_at.cp_ref,
                                      (uint32_t)(now - rop->slot_awaited), rop->causes.hazard,
                                      rop->causes.work, now);
    rop->read_waited = false;
    rop->slot_awaited = 0;
    entry->path_end = (struct cp_stamp){predecessor.cp_ref, now};
    rop->read_at = (struct cp_stamp){predecessor.cp_ref, now + cycles};
}

static bool
read_next(struct rop *rop, uint64_t now, enum unit_state *why)
{
    if (rop->read == rop->fetched)
        return false;
    struct rop_entry *entry = entry_at(rop, rop->read);
    uint32_t cycles = 1;
    if (entry->bytes && !lines_ready(rop, entry)) {
        *why = UNIT_WAITING;
        return false;
    }
    bool full = rop->read - rop->started == rop->shape.read_limit;
    stall(&rop->read_full, full, now);
    rop->read_waited |= full;
    if (full)
        return false;
    if (entry->bytes && entry->reads) {
        bool changing = is_changing(rop, entry);
        stall(&rop->same_place, changing, now);
        if (changing && !rop->slot_awaited)
            rop->slot_awaited = now;
        if (changing || !take_port(rop, entry, false, &cycles, now))
            return false;
    }
    entry->ready_cycle = now + cycles - 1;
    note_read(rop, entry, now, cycles);
    rop->read++;
    return true;
}

/* Marks the bytes that an entry writes without reading them. */
static void
mark_bytes_written(struct rop *rop, const struct rop_entry *entry)
{
    if (entry->reads)
        return;
    const uint32_t line_bytes = rop->shape.cache.line_bytes, samples = entry->item.draw->samples;
    const uint32_t element_bytes = entry->bytes / (4 * samples);
    uint32_t at = entry->address % line_bytes;
    for (uint32_t fragment = 0; fragment < 4; fragment++)
        for (uint32_t sample = 0; sample < samples; sample++, at += element_bytes)
            if (entry->item.quad->mask >> (4 * sample + fragment) & 1)
                rop_cache_mark_written(&rop->cache, entry->lines[at / line_bytes], at % line_bytes,
                                       element_bytes);
}

void
rop_peek(const struct rop *rop, const struct rop_entry *entry, const struct memctl *memctl,
         uint8_t bytes[MAX_QUAD_BYTES])
{
    const uint32_t line_bytes = rop->shape.cache.line_bytes;
    uint8_t line[BLOCK_MAX_BYTES];
    for (uint32_t i = 0, at = entry->address % line_bytes, done = 0; done < entry->bytes; i++) {
        const uint32_t left = entry->bytes - done, available = line_bytes - at;
        const uint32_t count = left < available ? left : available;
        rop_cache_peek(&rop->cache, entry->lines[i], memctl, line);
        memcpy(bytes + done, line + at, count);
        done += count;
        at = 0;
    }
}

/* Performs the operation on an entry, directly in its lines. */
static bool
operate(struct rop *rop, struct rop_entry *entry)
{
    uint8_t gathered[ROP_MAX_LINES * BLOCK_MAX_BYTES];
    const uint32_t line_bytes = rop->shape.cache.line_bytes, count = lines_of(rop, entry);
    uint8_t *bytes = NULL;
    if (entry->is_line) {
        if (rop->order.kind == CONTROL_CLEAR)
            rop->work->modify(&rop->order, rop_cache_data(&rop->cache, entry->lines[0]),
                              line_bytes);
        return true;
    }
    if (count == 1)
        bytes = rop_cache_data(&rop->cache, entry->lines[0]) + entry->address % line_bytes;
    if (count <= 1)
        return rop->work->operate(rop->owner, entry, bytes);
    for (uint32_t i = 0; i < count; i++)
        memcpy(gathered + i * line_bytes, rop_cache_data(&rop->cache, entry->lines[i]), line_bytes);
    bool wrote = rop->work->operate(rop->owner, entry, gathered);
    for (uint32_t i = 0; i < count; i++)
        memcpy(rop_cache_data(&rop->cache, entry->lines[i]), gathered + i * line_bytes, line_bytes);
    return wrote;
}

static bool
start_next(struct rop *rop, uint64_t now, enum unit_state *why)
{
    const uint32_t lanes = rop->shape.quads_cycle;
    if (rop->started == rop->read)
        return false;
    struct rop_entry *entry = entry_at(rop, rop->started);
    bool full = rop->started - rop->ended == rop->shape.op_limit;
    stall(&rop->op_full, full, now);
    rop->start_waited |= full;
    if (full)
        return false;
    uint64_t start =
        rop->op_free / lanes > entry->ready_cycle ? rop->op_free / lanes : entry->ready_cycle;
    if (start > now) {
        module_wake_at(rop->module, start);
        *why = UNIT_BUSY;
        return false;
    }
    if (entry->cost) {
        if (rop->op_free < now * lanes)
            rop->op_free = now * lanes;
        rop->op_free += entry->cost * rop->shape.rate;
        rop->passes += entry->cost;
    }
    module_begin(rop->module, &rop->operate_stage,
                 rop->start_waited ? rop->left_at.cp_ref
                                   : path_next(&rop->operate_stage, entry->path_end),
                 now, entry->cost ? rop->op_free / lanes - now : 0);
    rop->start_waited = false;
    entry->wrote = operate(rop, entry);
    mark_bytes_written(rop, entry);
    entry->ready_cycle = now + rop->shape.latency - 1;
    entry->path_end = (struct cp_stamp){rop->operate_stage.cp_ref, entry->ready_cycle};
    rop->started++;
    return true;
}

static bool
end_next(struct rop *rop, uint64_t now, enum unit_state *why)
{
    if (rop->ended == rop->started)
        return false;
    const struct rop_entry *entry = entry_at(rop, rop->ended);
    if (entry->ready_cycle > now) {
        module_wake_at(rop->module, entry->ready_cycle);
        *why = UNIT_BUSY;
        return false;
    }
    bool full = rop->ended - rop->left == rop->shape.write_limit;
    stall(&rop->write_full, full, now);
    if (full)
        return false;
    rop->ended++;
    return true;
}

/* Writes the changed bytes of the oldest entry into its lines, and unlocks the lines. */
static bool
write_first(struct rop *rop, struct rop_entry *entry, uint64_t now)
{
    uint32_t cycles;
    if (entry->wrote && !take_port(rop, entry, true, &cycles, now))
        return false;
    for (uint32_t i = 0, count = lines_of(rop, entry); i < count; i++)
        rop_cache_unlock(&rop->cache, entry->lines[i], entry->wrote);
    entry->wrote = entry->changes = false;
    entry->bytes = 0;
    return true;
}

/* Writes the oldest entry and passes it on. */
static bool
retire_next(struct rop *rop, uint64_t now, enum unit_state *why)
{
    bool wrote = false;
    if (rop->left == rop->ended)
        return false;
    struct rop_entry *entry = entry_at(rop, rop->left);
    if (entry->bytes) {
        wrote = write_first(rop, entry, now);
        if (!wrote)
            return false;
    }
    rop->output_stage.cp_ref = path_later(rop->left_at, entry->path_end).cp_ref;
    if (!entry->is_line && !rop->work->leave(rop->owner, entry, now)) {
        *why = UNIT_BLOCKED;
        return wrote;
    }
    rop->left_at = (struct cp_stamp){rop->output_stage.cp_ref, now + 1};
    if (rop->work->kind == CODEC_COLOR)
        path_leave(&rop->module->clock->path, rop->output_stage.cp_ref, rop->index, now);
    rop->left++;
    return true;
}

enum unit_state
rop_clock(struct rop *rop, uint64_t now)
{
    const uint32_t lanes = rop->shape.quads_cycle;
    enum unit_state why = UNIT_STARVED;
    bool worked = false;
    rop_cache_receive(&rop->cache, now);
    if (!rop->executing) {
        for (uint32_t i = 0; i < lanes; i++)
            worked |= rop_fetch(rop, rop->early_in, now) || rop_fetch(rop, rop->late_in, now);
    }
    if (rop->left != rop->fetched) {
        for (uint32_t i = 0; i < lanes; i++)
            worked |= read_next(rop, now, &why);
        for (uint32_t i = 0; i < lanes; i++)
            worked |= start_next(rop, now, &why);
        for (uint32_t i = 0; i < lanes; i++)
            worked |= end_next(rop, now, &why);
        for (uint32_t i = 0; i < lanes; i++)
            worked |= retire_next(rop, now, &why);
    }
    if (!rop_is_empty(rop) && why == UNIT_STARVED)
        why = UNIT_WAITING;
    if ((rop->executing || (!worked && rop_is_empty(rop))) && rop_exec_control(rop, now, &worked))
        why = UNIT_WAITING;
    rop_cache_send(&rop->cache, now);
    check_places(rop, now);
    return worked ? UNIT_BUSY : why;
}

bool
rop_codec(const struct params *params, enum codec_kind kind, const struct codec **codec,
          struct error *err)
{
    const bool color = kind == CODEC_COLOR;
    const char *section = color ? "COLORWRITE" : "ZSTENCILTEST";
    char name[PARAM_TEXT_BYTES];
    param_format(param_find(section, "CompressionAlgorithm"), params, name, sizeof name);
    *codec = NULL;
    if (!strcmp(name, "none") ||
        (color ? params->COLORWRITE.DisableCompression : params->ZSTENCILTEST.DisableCompression))
        return true;
    *codec = codec_find(name);
    if (!*codec)
        return fail(err, "%s.CompressionAlgorithm: unknown codec %s", section, name);
    if (!((*codec)->applies & kind))
        return fail(err, "%s.CompressionAlgorithm: the codec %s is not for %s", section, name,
                    color ? "color" : "depth");
    uint32_t quads = color ? params->COLORWRITE.ColorCacheStampsPerLine
                           : params->ZSTENCILTEST.ZCacheStampsPerLine;
    return quads * ROP_QUAD_BYTES == CODEC_BLOCK_BYTES ||
           fail(err,
                "%s.%s = %u: only lines of %u quads can be compressed; other sizes require "
                "%s.DisableCompression=TRUE",
                section, color ? "ColorCacheStampsPerLine" : "ZCacheStampsPerLine", quads,
                CODEC_BLOCK_BYTES / ROP_QUAD_BYTES, section);
}
