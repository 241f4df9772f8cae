/* Texture cache (unit/texture/texcache.h).
 *
 * A first-level miss waits in the request queue (TextureCacheRequestQueueSize). Up to
 * TextureCacheInputQueue of the waiting misses are looked up in the second level, one per cycle.
 * Second-level lines that are ready are read in order, one per cycle. The first-level lines are
 * then expanded, one at a time. The expansion takes TextureCacheDecompressLatency cycles for a
 * compressed texture, and one cycle for other textures. A line is written through all ports at
 * once. With two levels, the second level keeps memory lines and has TextureCacheInputQueueL1 fills
 * in flight. With one level, the transactions in flight are kept until they are read, so that
 * adjacent lines share them.
 *
 * With the parameters of the presets, a second-level hit is ready 3 cycles after the miss: lookup
 * and read, expansion, write.
 *
 * Surfaces that the ROPs have written are read according to their block states. A cleared block
 * needs no read. A compressed block is read in compressed form and decompressed, as in a ROP. The
 * last TextureUnpackedBlocks of these blocks are kept, so that the lines of a block share one read.
 *
 * Source: docs/design/memory.md, Texture caches. The names of the levels follow ATTILA:
 * TextureCache* is the level next to the filter, and TextureCache*L1 the level below it. */
#include "unit/texture/texcache.h"

#include "base/mem.h"
#include "base/morton.h"

#include <stdlib.h>
#include <string.h>

enum { PORTS = 16 }; /* four banks of four ports (texunit.c) */

static void
invalidate_lines(struct texcache *cache)
{
    const uint32_t count = cache->sets * cache->ways;
    for (uint32_t i = 0; i < count; i++) {
        cache->tags[i] = UINT64_MAX;
        cache->lines[i] = (struct texcache_line){.first_waiter = TEXCACHE_NOBODY};
    }
    replacement_reset(&cache->replacement);
}

/* Creates the second level. A cache with one level instead gets a buffer for the transactions in
 * flight, with one line per transaction. */
static void
init_l2(struct texcache *cache, const struct params *params)
{
    struct cache_shape shape = {.lines = cache->input_limit,
                                .ways = cache->input_limit,
                                .line_bytes = TRANSACTION_BYTES,
                                .fill_limit = cache->input_limit};
    cache->l2_limit = cache->input_limit;
    cache->two_levels = params->FRAGMENTSHADER.TwoLevelTextureCache;
    if (cache->two_levels) {
        const uint32_t ways = params->FRAGMENTSHADER.TextureCacheWaysL1;
        shape =
            (struct cache_shape){.lines = ways * params->FRAGMENTSHADER.TextureCacheLinesL1,
                                 .ways = ways,
                                 .line_bytes = params->FRAGMENTSHADER.TextureCacheLineSizeL1,
                                 .fill_limit = params->FRAGMENTSHADER.TextureCacheRequestQueueSize,
                                 .policy = params->FRAGMENTSHADER.TextureCacheReplacementL1};
        cache->l2_limit = params->FRAGMENTSHADER.TextureCacheInputQueueL1;
    }
    cache_init(&cache->l2, cache->owner, &shape);
}

void
texcache_init(struct texcache *cache, const struct params *params, struct module *module,
              const struct gpu_memory *memory, const struct blocks *color,
              const struct blocks *depth, struct texunit_stats *stats)
{
    memset(cache, 0, sizeof *cache);
    cache->owner = module;
    cache->stats = stats;
    cache->memory = params->FRAGMENTSHADER.PerfectTextures ? memory : NULL;
    cache->sets = params->FRAGMENTSHADER.TextureCacheLines;
    cache->ways = params->FRAGMENTSHADER.TextureCacheWays;
    cache->line_bytes = params->FRAGMENTSHADER.TextureCacheLineSize;
    cache->line_log2 = (uint32_t)__builtin_ctz(cache->line_bytes);
    const uint32_t count = cache->sets * cache->ways;
    cache->tags = mem_array(count, sizeof *cache->tags);
    cache->lines = mem_array(count, sizeof *cache->lines);
    cache->data = mem_alloc((size_t)count * cache->line_bytes + TEXCACHE_SPILL_BYTES);
    replacement_init(&cache->replacement, params->FRAGMENTSHADER.TextureCacheReplacement,
                     cache->sets, cache->ways);
    invalidate_lines(cache);
    cache->fill_ring.capacity = params->FRAGMENTSHADER.TextureCacheRequestQueueSize;
    cache->input_limit = params->FRAGMENTSHADER.TextureCacheInputQueue;
    cache->fills = mem_array(cache->fill_ring.capacity, sizeof *cache->fills);
    cache->written_ring.capacity = count;
    cache->written = mem_array(count, sizeof *cache->written);
    cache->decompress_latency = params->FRAGMENTSHADER.TextureCacheDecompressLatency;
    const uint32_t width = PORTS * params->FRAGMENTSHADER.TextureCachePortWidth;
    cache->write_cycles = (cache->line_bytes + width - 1) / width;
    init_l2(cache, params);
    block_reader_init(&cache->blocks, module, &cache->l2.port, color, depth,
                      params->FRAGMENTSHADER.TextureUnpackedBlocks);
    cache->l2.reader = color ? &cache->blocks : NULL;
}

void
texcache_fini(struct texcache *cache)
{
    cache_fini(&cache->l2);
    block_reader_fini(&cache->blocks);
    replacement_fini(&cache->replacement);
    free(cache->tags);
    free(cache->lines);
    free(cache->data);
    free(cache->fills);
    free(cache->written);
}

bool
texcache_is_quiet(const struct texcache *cache)
{
    return !cache->fill_ring.count && !cache->written_ring.count && cache_is_quiet(&cache->l2);
}

void
texcache_invalidate(struct texcache *cache)
{
    BUG_ON(!texcache_is_quiet(cache), "a texture cache is reset while it transfers data");
    for (uint32_t i = 0; INVARIANTS && i < cache->sets * cache->ways; i++) {
        const struct texcache_line *line = &cache->lines[i];
        INVARIANT(cache->owner, !line->locks && !line->filling);
        INVARIANT(cache->owner, line->first_waiter == TEXCACHE_NOBODY);
    }
    INVARIANT(cache->owner, !cache->fills_looked_up && !cache->staged);
    if (!cache->skip_invalidate)
        invalidate_lines(cache);
    if (!cache->skip_invalidate_l2)
        cache_reset(&cache->l2);
    if (!cache->skip_invalidate_l2)
        block_reader_reset(&cache->blocks);
    cache->skip_invalidate = cache->skip_invalidate_l2 = false;
}

/* Lines of compressed textures have separate tags, with one tag space per format. Their tags use
 * the addresses of the expanded texels. */
void
texcache_name(const struct texcache *cache, struct texcache_texture *texture)
{
    const struct sample_texture *sample = &texture->sample;
    if (!sample->usable)
        return;
    const struct resource *res = sample->setup.res;
    const struct format_info *format = sample->setup.bound->format;
    uint64_t place = res->address, space = 0;
    texture->address = res->address;
    texture->line_stride_log2 = cache->line_log2;
    if (format->expand) {
        texture->line_stride_log2 = cache->line_log2 - sample->texel_log2;
        place = (uint64_t)(res->address / format->block_bytes) * 16;
        space = format->number;
    }
    texture->first_tag = space << 40 | place >> texture->line_stride_log2;
}

int32_t
texcache_search(struct texcache *cache, uint64_t tag)
{
    const uint32_t first = (uint32_t)(tag & (cache->sets - 1)) * cache->ways;
    for (uint32_t i = first; i < first + cache->ways; i++) {
        if (cache->tags[i] == tag) {
            cache->hints[tag % TEXCACHE_HINTS] = i;
            return (int32_t)i;
        }
    }
    return -1;
}

static enum line_state
line_state(const void *self, uint32_t line)
{
    const struct texcache *cache = self;
    const struct texcache_line *l = &cache->lines[line];
    return l->locks || l->filling            ? LINE_STAYS
           : cache->tags[line] == UINT64_MAX ? LINE_EMPTY
                                             : LINE_MAY_GO;
}

/* Finds the location in memory of the texture's n-th line. */
static void
locate(const struct texcache *cache, const struct texcache_texture *texture, uint32_t n,
       struct texcache_fill *fill)
{
    const struct format_info *format = texture->sample.setup.bound->format;
    const uint32_t place = n << texture->line_stride_log2;
    fill->format = NULL;
    fill->skip = 0;
    fill->address = texture->address + place;
    fill->bytes = cache->line_bytes;
    if (!format->expand)
        return;
    const uint32_t texels = 1u << texture->line_stride_log2;
    fill->format = format;
    fill->address = texture->address + place / 16 * format->block_bytes;
    fill->bytes = (texels + 15) / 16 * format->block_bytes;
    fill->skip = place % 16;
}

/* Expands the texels of whole blocks, or some texels of one block, in Morton order. */
static void
expand(const struct texcache *cache, const struct texcache_fill *fill, uint8_t *out)
{
    const struct format_info *format = fill->format;
    const uint32_t texels = cache->line_bytes / format->expanded_bytes;
    for (uint32_t i = 0; i < texels; i++, out += format->expanded_bytes) {
        const uint32_t n = fill->skip + i;
        format->expand(cache->staging + (size_t)(n / 16) * format->block_bytes, morton8_x(n % 16),
                       morton8_y(n % 16), out);
    }
}

/* Converts the line from its memory format to the filter's format. */
static void
write_line(struct texcache *cache, const struct texcache_fill *fill)
{
    uint8_t *data = cache->data + (size_t)fill->line * cache->line_bytes;
    if (fill->format)
        expand(cache, fill, data);
    else
        memcpy(data, cache->staging, fill->bytes);
}

/* Perfect cache: fills the line in the cycle of its miss. */
static void
read_at_once(struct texcache *cache, const struct texcache_fill *fill)
{
    uint8_t block[BLOCK_MAX_BYTES];
    const uint32_t end = fill->address + fill->bytes;
    for (uint32_t at = fill->address, next; at < end; at = next) {
        const struct blocks *packed =
            cache->l2.reader ? block_reader_packed(cache->l2.reader, at) : NULL;
        const uint32_t bytes = packed ? packed->block_bytes : MEMORY_ALIGN;
        const uint32_t first = at - at % bytes;
        const uint8_t *from = cache->memory->bytes + first;
        next = first + bytes < end ? first + bytes : end;
        if (packed) {
            blocks_unpack(packed, first, blocks_state(packed, first), from, block);
            from = block;
        }
        memcpy(cache->staging + (at - fill->address), from + (at - first), next - at);
    }
    write_line(cache, fill);
}

int32_t
texcache_allocate(struct texcache *cache, const struct texcache_texture *texture, uint32_t n)
{
    const uint64_t tag = texture->first_tag + n;
    if (ring_is_full(&cache->fill_ring))
        return TEXCACHE_NO_REQUEST;
    const uint32_t set = (uint32_t)(tag & (cache->sets - 1));
    const int32_t victim = replacement_victim(&cache->replacement, set, line_state, cache);
    if (victim < 0)
        return TEXCACHE_NO_WAY;
    struct texcache_fill *fill = &cache->fills[ring_at(&cache->fill_ring, cache->fill_ring.count)];
    locate(cache, texture, n, fill);
    if (++cache->fill_number == cache->wrong_fill_at)
        fill->address += fill->bytes;
    fill->line = (uint32_t)victim;
    fill->looked_up = fill->read = 0;
    fill->asked = (struct cp_stamp){cache->owner->stage.cp_ref, cache->owner->clock->now};
    const uint32_t l2_bytes = cache->l2.line_bytes;
    fill->parts = (fill->address + fill->bytes - 1) / l2_bytes - fill->address / l2_bytes + 1;
    cache->tags[victim] = tag;
    cache->lines[victim].filling = !cache->memory;
    if (cache->memory)
        read_at_once(cache, fill);
    else
        ring_push(&cache->fill_ring);
    replacement_fill(&cache->replacement, (uint32_t)victim);
    cache->hints[tag % TEXCACHE_HINTS] = (uint32_t)victim;
    return victim;
}

/* Looks up the next second-level line of the next fill. */
static bool
look_up_l2(struct texcache *cache)
{
    if (cache->fills_looked_up == cache->fill_ring.count ||
        cache->fills_looked_up == cache->input_limit)
        return false;
    struct texcache_fill *fill = &cache->fills[ring_at(&cache->fill_ring, cache->fills_looked_up)];
    struct cache *l2 = &cache->l2;
    const uint32_t address = (fill->address / l2->line_bytes + fill->looked_up) * l2->line_bytes;
    int32_t line = cache_find(l2, address);
    const bool hit = line >= 0;
    if (hit) {
        cache_touch(l2, (uint32_t)line);
    } else {
        if (l2->fills_under_way >= cache->l2_limit)
            return false;
        line = cache_allocate(l2, address);
        if (line < 0)
            return false;
    }
    if (cache->two_levels) {
        cache->stats->cache_l1_accesses++;
        *(hit ? &cache->stats->cache_l1_hits : &cache->stats->cache_l1_misses) += 1;
    }
    cache_lock(l2, (uint32_t)line);
    fill->part_line[fill->looked_up++] = (uint32_t)line;
    cache->fills_looked_up += fill->looked_up == fill->parts;
    return true;
}

/* Completes the first fill, which has all its bytes. Its line will be ready after expansion and
 * write. */
static void
finish_fill(struct texcache *cache, const struct texcache_fill *fill, uint64_t now)
{
    write_line(cache, fill);
    cache->stats->lines_decompressed += fill->format != NULL;
    cache->stats->bytes_filled += cache->line_bytes;
    const struct cp_stamp predecessor = path_later(cache->filled, fill->asked);
    cache->filled.cp_ref = module_step(cache->owner, predecessor.cp_ref, CAUSE_fill,
                                       predecessor.cycle < now ? predecessor.cycle : now);
    uint64_t done = now + (fill->format ? cache->decompress_latency : 1);
    cache->decompressor_free = done;
    done = done > cache->write_port_free ? done : cache->write_port_free;
    cache->write_port_free = done + cache->write_cycles;
    cache->filled.cycle = cache->write_port_free;
    cache->lines[fill->line].cp_ref = cache->filled.cp_ref;
    const uint32_t at = ring_push(&cache->written_ring);
    cache->written[at].line = fill->line;
    cache->written[at].cycle = cache->write_port_free;
    ring_pop(&cache->fill_ring);
    cache->fills_looked_up--;
    cache->staged = 0;
}

/* Reads the next second-level line of the first fill, if that line is ready. */
static bool
read_l2(struct texcache *cache, uint64_t now)
{
    struct texcache_fill *fill = &cache->fills[cache->fill_ring.head];
    struct cache *l2 = &cache->l2;
    if (!cache->fill_ring.count || fill->read == fill->looked_up || cache->decompressor_free > now)
        return false;
    const uint32_t line = fill->part_line[fill->read];
    if (!cache_ready(l2, line))
        return false;
    const uint32_t offset = (fill->address + cache->staged) % l2->line_bytes;
    const uint32_t left = fill->bytes - cache->staged, available = l2->line_bytes - offset;
    const uint32_t bytes = left < available ? left : available;
    memcpy(cache->staging + cache->staged, cache_data(l2, line) + offset, bytes);
    fill->asked = path_later(fill->asked, l2->lines[line].arrival);
    cache->staged += bytes;
    cache_unlock(l2, line);
    if (!l2->lines[line].locks && !cache->two_levels)
        l2->lines[line].valid = false;
    if (++fill->read == fill->parts)
        finish_fill(cache, fill, now);
    return true;
}

int32_t
texcache_next_filled(struct texcache *cache, uint64_t now)
{
    if (!cache->written_ring.count || cache->written[cache->written_ring.head].cycle > now)
        return -1;
    const uint32_t line = cache->written[ring_pop(&cache->written_ring)].line;
    INVARIANT(cache->owner, cache->lines[line].filling);
    cache->lines[line].filling = false;
    return (int32_t)line;
}

uint64_t
texcache_clock(struct texcache *cache, uint64_t now)
{
    bool moved = look_up_l2(cache);
    moved |= cache_clock(&cache->l2, now);
    moved |= read_l2(cache, now);
    if (moved)
        return now + 1;
    uint64_t next = CYCLE_NEVER;
    if (cache->fill_ring.count && cache->decompressor_free > now)
        next = cache->decompressor_free;
    if (cache->written_ring.count && cache->written[cache->written_ring.head].cycle < next)
        next = cache->written[cache->written_ring.head].cycle;
    return next;
}
