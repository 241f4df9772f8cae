#include "model/trace_caches.h"

#include "base/bits.h"
#include "base/mem.h"
#include "unit/rop/rop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 64 };

const char *const trace_client_names[TRACE_CLIENT_COUNT] = {
#define TRACE_CLIENT(name) #name,
    TRACE_CLIENTS(TRACE_CLIENT)
#undef TRACE_CLIENT
};

static void
tags_init(struct tag_cache *cache, uint32_t sets, uint32_t ways, uint32_t line_bytes)
{
    *cache = (struct tag_cache){sets, ways, line_bytes, NULL};
    cache->lines = mem_array((size_t)sets * ways, sizeof *cache->lines);
}

static void
tags_reset(struct tag_cache *cache)
{
    memset(cache->lines, 0, (size_t)cache->sets * cache->ways * sizeof *cache->lines);
}

/* Makes the line of `address` the most recently used one. On a miss, `evicted` is the line that it
 * replaces, and `hit` is false. */
static struct tag_line *
tags_use(struct tag_cache *cache, uint32_t address, bool *hit, struct tag_line *evicted)
{
    const uint32_t first = address / cache->line_bytes * cache->line_bytes;
    struct tag_line *set =
        &cache->lines[(size_t)(address / cache->line_bytes % cache->sets) * cache->ways];
    uint32_t way = 0;
    while (way + 1 < cache->ways && !(set[way].valid && set[way].address == first))
        way++;
    struct tag_line line = set[way];
    *hit = line.valid && line.address == first;
    if (!*hit) {
        *evicted = line;
        line = (struct tag_line){.address = first, .valid = true};
    }
    memmove(set + 1, set, way * sizeof *set);
    set[0] = line;
    return set;
}

void
trace_caches_init(struct trace_caches *caches, const struct params *p)
{
    const bool two = p->FRAGMENTSHADER.TwoLevelTextureCache;
    *caches = (struct trace_caches){.texture_units =
                                        p->GPU.NumFragmentShaders * p->FRAGMENTSHADER.TextureUnits,
                                    .rops = p->GPU.NumStampPipes,
                                    .window_limit = p->STREAMER.InputCacheRequestQueueSize,
                                    .memory_shape = dram_shape(p)};
    rop_blocks_init(&caches->z_blocks, p, CODEC_DEPTH);
    rop_blocks_init(&caches->color_blocks, p, CODEC_COLOR);
    tags_init(&caches->attributes, 1, p->STREAMER.InputCacheLines, p->STREAMER.InputCacheLineSize);
    caches->textures = mem_array(caches->texture_units, sizeof *caches->textures);
    for (uint32_t i = 0; i < caches->texture_units; i++)
        if (two)
            tags_init(&caches->textures[i], p->FRAGMENTSHADER.TextureCacheLinesL1,
                      p->FRAGMENTSHADER.TextureCacheWaysL1,
                      p->FRAGMENTSHADER.TextureCacheLineSizeL1);
        else
            tags_init(&caches->textures[i], p->FRAGMENTSHADER.TextureCacheLines,
                      p->FRAGMENTSHADER.TextureCacheWays, p->FRAGMENTSHADER.TextureCacheLineSize);
    caches->z = mem_array(caches->rops, sizeof *caches->z);
    caches->color = mem_array(caches->rops, sizeof *caches->color);
    for (uint32_t i = 0; i < caches->rops; i++) {
        tags_init(&caches->z[i], p->ZSTENCILTEST.ZCacheLines, p->ZSTENCILTEST.ZCacheWays,
                  p->ZSTENCILTEST.ZCacheStampsPerLine * 16);
        tags_init(&caches->color[i], p->COLORWRITE.ColorCacheLines, p->COLORWRITE.ColorCacheWays,
                  p->COLORWRITE.ColorCacheStampsPerLine * 16);
    }
}

static void
fini_all(struct tag_cache *caches, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        free(caches[i].lines);
    free(caches);
}

void
trace_caches_fini(struct trace_caches *caches)
{
    free(caches->attributes.lines);
    fini_all(caches->textures, caches->texture_units);
    fini_all(caches->z, caches->rops);
    fini_all(caches->color, caches->rops);
    blocks_fini(&caches->z_blocks);
    blocks_fini(&caches->color_blocks);
    *caches = (struct trace_caches){0};
}

static void
count_bytes(struct trace_caches *caches, enum trace_client client, uint32_t address, double bytes)
{
    caches->bytes[client] += bytes;
    caches->channel_bytes[dram_channel_of(&caches->memory_shape, address) % TRACE_MOST_CHANNELS] +=
        bytes;
}

double
trace_caches_skew(const struct trace_caches *caches)
{
    double most = 0, all = 0;
    for (uint32_t i = 0; i < TRACE_MOST_CHANNELS; i++) {
        most = fmax(most, caches->channel_bytes[i]);
        all += caches->channel_bytes[i];
    }
    return all > 0 ? most * caches->memory_shape.channels / all : 1;
}

/* Ends a group of lines that the Streamer requests together. */
static void
end_window(struct trace_caches *caches)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < caches->memory_shape.channels && i < TRACE_MOST_CHANNELS; i++)
        most = caches->window[i] > most ? caches->window[i] : most;
    caches->busiest_bytes += (double)most * caches->attributes.line_bytes;
    memset(caches->window, 0, sizeof caches->window);
    caches->window_lines = 0;
}

static void
request_line(struct trace_caches *caches, uint32_t address)
{
    caches->window[dram_channel_of(&caches->memory_shape, address) % TRACE_MOST_CHANNELS]++;
    if (++caches->window_lines == caches->window_limit)
        end_window(caches);
}

double
trace_caches_attribute_bytes(struct trace_caches *caches)
{
    end_window(caches);
    return caches->busiest_bytes * caches->memory_shape.channels;
}

/* ---- ROPs ---- */

static double
write_back(const struct trace_caches *caches, struct blocks *blocks, const struct tag_line *line)
{
    uint8_t out[BLOCK_MAX_BYTES];
    if (!line->dirty)
        return 0;
    const bool raw = line->partial && line->dirty != (1u << blocks->block_bytes / PIECE) - 1;
    const uint32_t state =
        blocks_pack(blocks, line->address, caches->memory->bytes + line->address, raw, out);
    return raw ? PIECE * (double)bits_count(line->dirty) : blocks_bytes(blocks, state);
}

/* Uses the line of a quad. A line that is only written is not read if memory holds it raw. */
static void
use_surface(struct trace_caches *caches, enum trace_client client,
            const struct bound_surface *surface, uint32_t x, uint32_t y, bool reads, bool writes)
{
    const bool is_z = client == CACHED_z;
    struct tag_cache *cache = &(
        is_z ? caches->z : caches->color)[rop_of_tile(x / TILE_SIZE, y / TILE_SIZE, caches->rops)];
    struct blocks *blocks = is_z ? &caches->z_blocks : &caches->color_blocks;
    const uint32_t address = blocks_quad_address(surface, 0, x, y);
    struct tag_line evicted;
    bool hit;
    struct tag_line *line = tags_use(cache, address, &hit, &evicted);
    if (!hit)
        count_bytes(caches, client, evicted.address, write_back(caches, blocks, &evicted));
    if (!hit || (reads && line->partial)) {
        const uint32_t state = blocks_state(blocks, line->address);
        line->partial = !reads && blocks_is_raw(state);
        if (!line->partial && blocks_bytes(blocks, state)) {
            count_bytes(caches, client, line->address, blocks_bytes(blocks, state));
            caches->waits[client] = true;
        }
    }
    if (writes)
        line->dirty |= (uint8_t)(1u << (address - line->address) / PIECE % 8);
}

void
trace_caches_test(struct trace_caches *caches, const struct draw *draw, uint32_t x, uint32_t y)
{
    if (draw->depth.res && (draw->depth_test || draw->stencil_test))
        use_surface(caches, CACHED_z, &draw->depth, x, y, true, false);
}

void
trace_caches_write(struct trace_caches *caches, const struct draw *draw, uint32_t x, uint32_t y)
{
    if (draw->depth.res && (draw->depth_test || draw->stencil_test))
        use_surface(caches, CACHED_z, &draw->depth, x, y, true,
                    draw->depth_write || draw->stencil_write);
    for (uint32_t i = 0; draw->color_write && i < draw->color_count; i++)
        if (draw->color[i].res)
            use_surface(caches, CACHED_color, &draw->color[i], x, y, caches->reads_color[i], true);
}

static double
flush_all(struct trace_caches *caches, struct tag_cache *cache, struct blocks *blocks)
{
    double bytes = 0;
    for (uint32_t i = 0; i < caches->rops; i++) {
        for (uint32_t n = 0; n < cache[i].sets * cache[i].ways; n++)
            bytes += write_back(caches, blocks, &cache[i].lines[n]);
        tags_reset(&cache[i]);
    }
    return bytes;
}

double
trace_caches_flush(struct trace_caches *caches)
{
    memset(caches->surfaces, 0, sizeof caches->surfaces);
    return flush_all(caches, caches->z, &caches->z_blocks) +
           flush_all(caches, caches->color, &caches->color_blocks);
}

/* Gives the surface block states. A surface that has just been cleared holds only the clear
 * value. */
static void
begin_surface(struct trace_caches *caches, struct tag_cache *cache, struct blocks *blocks,
              const struct bound_surface *bound)
{
    if (!bound->res)
        return;
    struct block_surface *surface = blocks_find(blocks, bound);
    if (surface && surface->bound.res != bound->res) {
        blocks_remove(blocks, surface);
        surface = NULL;
    }
    while (!surface && blocks->surface_count && !blocks_have_room(blocks, bound))
        blocks_remove(blocks, &blocks->surfaces[0]);
    if (!surface)
        surface = blocks_add(blocks, bound);
    if (!bound->cleared)
        return;
    for (uint32_t i = 0; i < caches->rops; i++)
        for (uint32_t n = 0; n < cache[i].sets * cache[i].ways; n++)
            if (cache[i].lines[n].address - surface->first < surface->end - surface->first)
                cache[i].lines[n] = (struct tag_line){0};
    for (uint32_t n = 0; n < blocks_of_surface(blocks, surface); n++)
        if (blocks_reach(blocks, surface, n))
            blocks_note(blocks, surface->first + n * blocks->block_bytes, BLOCK_CLEARED);
}

static void
begin_surfaces(struct trace_caches *caches, const struct draw *draw)
{
    const struct resource *bound[MAX_COLOR_BUFFERS + 1] = {0};
    for (uint32_t i = 0; i < draw->color_count; i++) {
        bound[i] = draw->color[i].res;
        caches->reads_color[i] = draw_reads_color(draw, i);
    }
    bound[MAX_COLOR_BUFFERS] = draw->depth.res;
    if (memcmp(bound, caches->surfaces, sizeof bound) != 0) {
        caches->bytes[CACHED_z] += flush_all(caches, caches->z, &caches->z_blocks);
        caches->bytes[CACHED_color] += flush_all(caches, caches->color, &caches->color_blocks);
        memcpy(caches->surfaces, bound, sizeof bound);
    }
    for (uint32_t i = 0; i < draw->color_count; i++)
        begin_surface(caches, caches->color, &caches->color_blocks, &draw->color[i]);
    begin_surface(caches, caches->z, &caches->z_blocks, &draw->depth);
}

double
trace_caches_shown(const struct trace_caches *caches, const struct resource *res)
{
    const struct blocks *blocks = &caches->color_blocks;
    double bytes = 0;
    if (res->cleared.is_whole && res->cleared.level == 0)
        return 0;
    for (uint32_t at = 0; at < res->levels[0].slice_bytes; at += blocks->block_bytes)
        bytes += blocks_bytes(blocks, blocks_state(blocks, res->address + at));
    return bytes;
}

/* ---- vertices and textures ---- */

static void
read_bytes(struct trace_caches *caches, struct tag_cache *cache, enum trace_client client,
           uint32_t first, uint32_t bytes)
{
    struct tag_line evicted;
    bool hit;
    for (uint32_t at = first / cache->line_bytes * cache->line_bytes; at < first + bytes;
         at += cache->line_bytes) {
        tags_use(cache, at, &hit, &evicted);
        if (!hit) {
            count_bytes(caches, client, at, cache->line_bytes);
            if (client == CACHED_attribute)
                request_line(caches, at);
            caches->waits[client] = true;
        }
    }
}

void
trace_caches_begin_draw(struct trace_caches *caches, const struct draw *draw,
                        const struct gpu_memory *memory)
{
    caches->memory = memory;
    memset(caches->bytes, 0, sizeof caches->bytes);
    memset(caches->channel_bytes, 0, sizeof caches->channel_bytes);
    memset(caches->window, 0, sizeof caches->window);
    caches->window_lines = 0;
    caches->busiest_bytes = 0;
    memset(caches->waits, 0, sizeof caches->waits);
    for (uint32_t i = 0; i < MAX_SAMPLERS; i++)
        caches->targets[i] = UINT32_MAX;
    begin_surfaces(caches, draw);
    if (draw->params.indexed)
        read_bytes(caches, &caches->attributes, CACHED_attribute, draw->index_address,
                   draw->params.count * draw->index_bytes);
}

void
trace_caches_vertex(struct trace_caches *caches, const struct draw *draw, uint32_t vertex,
                    uint32_t instance)
{
    for (uint32_t i = 0; i < draw->attribute_count; i++) {
        const struct bound_attribute *a = &draw->attributes[i];
        const uint32_t element = a->divisor ? instance / a->divisor : vertex;
        const uint64_t first = (uint64_t)a->address + (uint64_t)element * a->stride;
        if (a->format && first + a->format->block_bytes <= a->end)
            read_bytes(caches, &caches->attributes, CACHED_attribute, (uint32_t)first,
                       a->format->block_bytes);
    }
}

/* The Texture Unit of a tile, as in unit/shader/thread_quads.c. */
static struct tag_cache *
texture_cache(struct trace_caches *caches, uint32_t x, uint32_t y)
{
    const uint32_t tile_x = x / TILE_SIZE, tile_y = y / TILE_SIZE;
    const uint32_t tile = morton8(tile_x, tile_y) + 64 * morton8(tile_x / 8, tile_y / 8);
    return &caches->textures[tile % caches->texture_units];
}

void
trace_caches_texels(struct trace_caches *caches, const struct draw *draw,
                    const struct texture_request *request, uint32_t quad, uint32_t x, uint32_t y)
{
    const uint32_t n = request->sampler;
    const struct bound_view *bound = &draw->views[STAGE_FRAGMENT][n];
    struct sample_texture *texture = &caches->samplers[n];
    struct tag_cache *cache = texture_cache(caches, x, y);
    struct sample_plan plan;
    if (request->opcode == OP_TXQ || !bound->res)
        return;
    if (caches->targets[n] != request->target) {
        sample_texture_init(texture, bound, request->target);
        caches->targets[n] = request->target;
    }
    if (!texture->usable)
        return;
    sample_plan(&plan, texture, request, quad);
    const bool blocks = texture->texel_stride_log2 == 0 && bound->format->block_width > 1;
    const uint32_t block_bytes = bound->format->block_bytes;
    uint32_t last = UINT32_MAX;
    for (uint32_t p = 0; p < plan.pass_count; p++)
        for (uint32_t i = 0; i < 16; i++) {
            if (!(plan.passes[p].texels >> i & 1))
                continue;
            const uint32_t at = plan.passes[p].texels_at[i / 4][i % 4];
            const uint32_t address = bound->res->address + (blocks ? at / 16 * block_bytes : at);
            if (address / cache->line_bytes == last)
                continue;
            last = address / cache->line_bytes;
            read_bytes(caches, cache, CACHED_texture, address, 1);
        }
}

void
trace_caches_upload(struct trace_caches *caches, const struct resource *res)
{
    if (res->desc.target == TARGET_BUFFER) {
        tags_reset(&caches->attributes);
        return;
    }
    for (uint32_t i = 0; i < caches->texture_units; i++)
        tags_reset(&caches->textures[i]);
    for (uint32_t at = 0; at < res->size_bytes; at += caches->color_blocks.block_bytes)
        if (blocks_surface(&caches->color_blocks, res->address + at))
            blocks_note(&caches->color_blocks, res->address + at, BLOCK_RAW);
}
