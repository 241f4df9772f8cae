#include "trace/virgl/vtest/guest.h"

#include <string.h>

/* Larger than the offered limits, but small enough that the sizes below cannot overflow 64 bits. */
#define EXTENT_MAX 16384u

static uint32_t
minify(uint32_t extent, uint32_t level)
{
    return extent >> level ? extent >> level : 1;
}

static uint32_t
slices_at(const struct resource_desc *desc, uint32_t level)
{
    if (desc->target == TARGET_3D)
        return minify(desc->depth, level);
    if (desc->target == TARGET_CUBE)
        return 6;
    return desc->array_size ? desc->array_size : 1;
}

static bool
check_desc(const struct resource_desc *desc, struct error *err)
{
    if (desc->target > TARGET_CUBE_ARRAY)
        return fail(err, "resource %u has the unknown target %u", desc->handle, desc->target);
    bool buffer = desc->target == TARGET_BUFFER;
    if (desc->width == 0 || desc->width > (buffer ? RESOURCE_MOST_BYTES : EXTENT_MAX) ||
        desc->height == 0 || desc->height > EXTENT_MAX || desc->depth == 0 ||
        desc->depth > EXTENT_MAX || desc->array_size > EXTENT_MAX)
        return fail(err, "resource %u has the extents %ux%ux%u, %u layers", desc->handle,
                    desc->width, desc->height, desc->depth, desc->array_size);
    if (desc->last_level >= RESOURCE_MAX_LEVELS)
        return fail(err, "resource %u has %u levels", desc->handle, desc->last_level);
    return true;
}

bool
guest_layout_init(struct guest_layout *layout, const struct resource_desc *desc, struct error *err)
{
    memset(layout, 0, sizeof *layout);
    if (!check_desc(desc, err))
        return false;
    const struct format_info *format = format_get(desc->format);
    if (!format)
        return fail(err, "resource %u has the format %u, which this GPU does not offer",
                    desc->handle, desc->format);
    layout->format = format;
    layout->buffer = desc->target == TARGET_BUFFER;
    layout->level_count = desc->last_level + 1;
    uint64_t offset = 0;
    /* The first bound repeats a check of check_desc(), because gcc with sanitizers requires it
     * here. */
    for (uint32_t i = 0; i < RESOURCE_MAX_LEVELS && i < layout->level_count; i++) {
        struct guest_level *level = &layout->levels[i];
        level->width = minify(desc->width, i);
        level->height = minify(desc->height, i);
        level->slices = slices_at(desc, i);
        uint32_t columns = (level->width + format->block_width - 1) / format->block_width;
        uint32_t rows = (level->height + format->block_height - 1) / format->block_height;
        uint64_t stride = layout->buffer ? level->width : (uint64_t)columns * format->block_bytes;
        uint64_t bytes = stride * rows * level->slices;
        if (offset + bytes > RESOURCE_MOST_BYTES)
            return fail(err, "resource %u needs more than %u bytes", desc->handle,
                        RESOURCE_MOST_BYTES);
        level->stride = (uint32_t)stride;
        level->layer_stride = (uint32_t)(stride * rows);
        level->offset = (uint32_t)offset;
        offset += bytes;
    }
    layout->size_bytes = desc->samples > 1 ? 0 : (uint32_t)offset;
    return true;
}

/* Clips a range to 0 .. limit. Returns the number of elements removed at its start. */
static uint32_t
cut_range(int32_t *start, int32_t *length, uint32_t limit)
{
    const int64_t from = *start < 0 ? 0 : *start, end = (int64_t)*start + *length;
    const int64_t to = end < limit ? end : limit;
    const uint32_t front = (uint32_t)(from - *start);
    *start = (int32_t)from;
    *length = to > from ? (int32_t)(to - from) : 0;
    return front;
}

bool
guest_cut_box(const struct guest_layout *layout, uint32_t level, struct box *box, uint32_t *offset)
{
    if (layout->buffer || layout->format->block_width != 1 || level >= layout->level_count)
        return true;
    const struct guest_level *l = &layout->levels[level];
    *offset += cut_range(&box->x, &box->width, l->width) * layout->format->block_bytes;
    *offset += cut_range(&box->y, &box->height, l->height) * l->stride;
    return box->width > 0 && box->height > 0;
}

static bool
range_ok(int32_t start, int32_t length, uint32_t limit, uint32_t block)
{
    if (start < 0 || length <= 0 || (uint32_t)start % block)
        return false;
    uint64_t end = (uint64_t)start + (uint64_t)length;
    uint64_t padded = ((uint64_t)limit + block - 1) / block * block;
    return end <= padded && (end % block == 0 || end >= limit);
}

bool
guest_region_init(struct guest_region *region, const struct guest_layout *layout, uint32_t level,
                  const struct box *box, struct error *err)
{
    if (level >= layout->level_count)
        return fail(err, "level %u of a resource that has %u", level, layout->level_count);
    const struct guest_level *l = &layout->levels[level];
    uint32_t bw = layout->buffer ? 1 : layout->format->block_width;
    uint32_t bh = layout->buffer ? 1 : layout->format->block_height;
    uint32_t bytes = layout->buffer ? 1 : layout->format->block_bytes;
    if (!range_ok(box->x, box->width, l->width, bw) ||
        !range_ok(box->y, box->height, l->height, bh) ||
        !range_ok(box->z, box->depth, l->slices, 1))
        return fail(err, "the box %d,%d,%d %dx%dx%d is outside level %u of %ux%ux%u", box->x,
                    box->y, box->z, box->width, box->height, box->depth, level, l->width, l->height,
                    l->slices);
    region->row_bytes = ((uint32_t)box->width + bw - 1) / bw * bytes;
    region->rows = ((uint32_t)box->height + bh - 1) / bh;
    region->slices = (uint32_t)box->depth;
    region->stride = l->stride;
    region->layer_stride = l->layer_stride;
    region->offset = l->offset + (uint32_t)box->z * l->layer_stride +
                     (uint32_t)box->y / bh * l->stride + (uint32_t)box->x / bw * bytes;
    region->tight_bytes = region->row_bytes * region->rows * region->slices;
    return true;
}

bool
guest_region_fits(const struct guest_region *region, uint32_t mapping_bytes)
{
    uint64_t end = region->offset + (uint64_t)(region->slices - 1) * region->layer_stride +
                   (uint64_t)(region->rows - 1) * region->stride + region->row_bytes;
    return end <= mapping_bytes;
}

void
guest_gather(const struct guest_region *region, const uint8_t *mapping, uint8_t *rows)
{
    for (uint32_t z = 0; z < region->slices; z++)
        for (uint32_t y = 0; y < region->rows; y++, rows += region->row_bytes)
            memcpy(rows,
                   mapping + region->offset + (size_t)z * region->layer_stride +
                       (size_t)y * region->stride,
                   region->row_bytes);
}

void
guest_scatter(const struct guest_region *region, const uint8_t *rows, uint8_t *mapping)
{
    for (uint32_t z = 0; z < region->slices; z++)
        for (uint32_t y = 0; y < region->rows; y++, rows += region->row_bytes)
            memcpy(mapping + region->offset + (size_t)z * region->layer_stride +
                       (size_t)y * region->stride,
                   rows, region->row_bytes);
}
