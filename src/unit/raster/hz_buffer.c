/* Far depths in the on-chip buffer of Hierarchical Z (docs/design/rasterizer.md, Hierarchical Z;
 * ATTILA's HierarchicalZ).
 *
 * A block contains the depths of StampsPerHZBlock quads, in memory order, with 4 bytes per depth.
 * It is at most as long as a line of the z cache. Its entry has HZEntryBits bits and is rounded
 * away from the eye. The buffer keeps each entry on a scale of 16 bits. Each surface has a
 * contiguous range of entries, allocated in ring order. Surfaces whose entries are overwritten are
 * removed. If a surface is larger than the buffer, only its first blocks have entries. */
#include "unit/raster/hz_buffer.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

void
hz_buffer_init(struct hz_buffer *buffer, const struct params *params)
{
    memset(buffer, 0, sizeof *buffer);
    buffer->block_stamps = params->RASTERIZER.StampsPerHZBlock;
    buffer->entry_bits = params->RASTERIZER.HZEntryBits;
    buffer->z_line_bytes = params->ZSTENCILTEST.ZCacheStampsPerLine * 16;
    buffer->entries = params->RASTERIZER.HierarchicalZBufferSize;
    buffer->line_count = params->RASTERIZER.HZCacheLines;
    buffer->line_blocks = params->RASTERIZER.HZCacheLineSize;
    buffer->buffer_lines = (buffer->entries + buffer->line_blocks - 1) / buffer->line_blocks;
    const size_t rounded = (size_t)buffer->buffer_lines * buffer->line_blocks;
    buffer->far = mem_array(rounded, sizeof *buffer->far);
    buffer->lines = mem_array(buffer->line_count, sizeof *buffer->lines);
    buffer->cached =
        mem_array((size_t)buffer->line_count * buffer->line_blocks, sizeof *buffer->cached);
    buffer->line_of = mem_array(buffer->buffer_lines, sizeof *buffer->line_of);
    replacement_init(&buffer->replacement, params->RASTERIZER.HZCacheReplacement, 1,
                     buffer->line_count);
    hz_buffer_reset(buffer);
}

void
hz_buffer_fini(struct hz_buffer *buffer)
{
    replacement_fini(&buffer->replacement);
    free(buffer->far);
    free(buffer->lines);
    free(buffer->cached);
    free(buffer->line_of);
}

void
hz_buffer_reset(struct hz_buffer *buffer)
{
    memset(buffer->surfaces, 0, sizeof buffer->surfaces);
    memset(buffer->lines, 0, buffer->line_count * sizeof *buffer->lines);
    memset(buffer->line_of, 0xff, buffer->buffer_lines * sizeof *buffer->line_of);
    buffer->next_entry = buffer->next_surface = 0;
    replacement_reset(&buffer->replacement);
}

void
hz_buffer_remove(struct hz_buffer *buffer, uint64_t resource)
{
    for (uint32_t i = 0; i < HZ_SURFACES; i++)
        if (buffer->surfaces[i].resource == resource)
            buffer->surfaces[i].used = false;
}

static uint32_t
least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Only the first bytes of a tile are used if its elements are small (state/resource.h). */
struct hz_cut
hz_cut(const struct resource *res, uint32_t line_bytes, uint32_t stamps)
{
    const uint32_t element_bytes = res->format->block_bytes, quad_elements = 4 * res->samples;
    const uint32_t tile_elements = TILE_SIZE * TILE_SIZE * res->samples;
    const uint32_t line_elements = least(line_bytes / element_bytes, tile_elements);
    struct hz_cut cut = {.elements = least(4 * stamps, line_elements)};
    cut.tile_lines = res->tile_bytes > line_bytes ? res->tile_bytes / line_bytes : 1;
    cut.line_blocks = line_elements / cut.elements;
    cut.tile_blocks = tile_elements / cut.elements;
    cut.group_quads = cut.elements > quad_elements ? cut.elements / quad_elements : 1;
    cut.group_blocks = cut.elements < quad_elements ? quad_elements / cut.elements : 1;
    return cut;
}

static uint32_t
round_up(double value)
{
    const uint32_t whole = (uint32_t)value;
    return whole + ((double)whole < value);
}

uint16_t
hz_entry(float depth, uint32_t bits)
{
    const uint32_t farthest = (1u << bits) - 1;
    if (!(depth < 1.0f))
        return HZ_FARTHEST;
    if (depth <= 0.0f)
        return 0;
    const uint32_t entry = round_up((double)depth * farthest);
    return (uint16_t)((entry * HZ_FARTHEST + farthest - 1) / farthest);
}

uint32_t
hz_surface_offset(const struct bound_surface *surface)
{
    return resource_offset(surface->res, surface->level, 0, 0, surface->layer, 0);
}

struct hz_surface *
hz_buffer_find(struct hz_buffer *buffer, uint64_t resource, uint32_t offset)
{
    for (uint32_t i = 0; i < HZ_SURFACES; i++) {
        struct hz_surface *s = &buffer->surfaces[i];
        if (s->used && s->resource == resource && s->offset == offset)
            return s;
    }
    return NULL;
}

struct hz_surface *
hz_buffer_add(struct hz_buffer *buffer, const struct bound_surface *surface)
{
    const struct resource_level *level = &surface->res->levels[surface->level];
    const struct hz_cut cut = hz_cut(surface->res, buffer->z_line_bytes, buffer->block_stamps);
    uint32_t count = level->tiles_x * level->tiles_y * cut.tile_blocks;
    if (count > buffer->entries)
        count = buffer->entries;
    if (buffer->next_entry + count > buffer->entries)
        buffer->next_entry = 0;
    for (uint32_t i = 0; i < HZ_SURFACES; i++) {
        struct hz_surface *other = &buffer->surfaces[i];
        if (other->first < buffer->next_entry + count &&
            buffer->next_entry < other->first + other->entries)
            other->used = false;
    }
    struct hz_surface *s = &buffer->surfaces[buffer->next_surface++ % HZ_SURFACES];
    *s = (struct hz_surface){.used = true,
                             .resource = surface->res->created,
                             .offset = hz_surface_offset(surface),
                             .tiles_x = level->tiles_x,
                             .first = buffer->next_entry,
                             .entries = count,
                             .cut = cut};
    buffer->next_entry += count;
    return s;
}

void
hz_buffer_fill(struct hz_buffer *buffer, struct hz_surface *surface, uint16_t far)
{
    for (uint32_t i = 0; i < surface->entries; i++)
        buffer->far[surface->first + i] = far;
    surface->has_depths = far != HZ_FARTHEST;
    for (uint32_t i = 0; i < buffer->line_count && !buffer->fault_keep_lines; i++) {
        struct hz_cache_line *line = &buffer->lines[i];
        if (line->valid)
            buffer->line_of[line->line] = -1;
        line->valid = false;
    }
}

bool
hz_buffer_update(struct hz_buffer *buffer, const struct hz_update *update)
{
    struct hz_surface *s = hz_buffer_find(buffer, update->resource, update->offset);
    if (!s)
        return false;
    const uint32_t tile = update->line / s->cut.tile_lines, part = update->line % s->cut.tile_lines;
    const uint32_t first = tile * s->cut.tile_blocks + part * s->cut.line_blocks;
    s->has_depths = true;
    for (uint32_t i = 0; i < s->cut.line_blocks; i++) {
        const uint32_t block = first + i + buffer->fault_block;
        if (block >= s->entries || part * s->cut.line_blocks >= s->cut.tile_blocks)
            break;
        const uint32_t entry = s->first + block;
        buffer->far[entry] = update->far[i];
        const int32_t line = buffer->line_of[entry / buffer->line_blocks];
        if (line >= 0)
            buffer->cached[(uint32_t)line * buffer->line_blocks + entry % buffer->line_blocks] =
                update->far[i];
    }
    return true;
}

int32_t
hz_cache_lock(struct hz_buffer *buffer, uint32_t line)
{
    const int32_t at = buffer->line_of[line];
    if (at >= 0) {
        buffer->lines[at].locks++;
        replacement_use(&buffer->replacement, (uint32_t)at);
    }
    return at;
}

uint32_t
hz_buffer_locks(const struct hz_buffer *buffer)
{
    uint32_t locks = 0;
    for (uint32_t i = 0; i < buffer->line_count; i++)
        locks += buffer->lines[i].locks;
    return locks;
}

/* Lines that a fill has invalidated keep their rank, so they are not reported as empty. */
static enum line_state
line_state(const void *buffer, uint32_t line)
{
    return ((const struct hz_buffer *)buffer)->lines[line].locks ? LINE_STAYS : LINE_MAY_GO;
}

int32_t
hz_cache_read(struct hz_buffer *buffer, uint32_t line, uint64_t ready_cycle)
{
    const int32_t victim = replacement_victim(&buffer->replacement, 0, line_state, buffer);
    if (victim < 0)
        return -1;
    struct hz_cache_line *l = &buffer->lines[victim];
    if (l->valid)
        buffer->line_of[l->line] = -1;
    *l = (struct hz_cache_line){line, true, 1, ready_cycle};
    replacement_fill(&buffer->replacement, (uint32_t)victim);
    buffer->line_of[line] = victim;
    memcpy(buffer->cached + (size_t)(uint32_t)victim * buffer->line_blocks,
           buffer->far + (size_t)line * buffer->line_blocks,
           buffer->line_blocks * sizeof *buffer->cached);
    return victim;
}
