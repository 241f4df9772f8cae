/* Layout of a resource in the memory that the client and the virtual GPU share. Levels follow each
 * other without gaps. Rows and slices (depth slices, layers, six cube faces) have no padding
 * (docs/design/frontend.md, Shared memory). The rows of a transfer in a message instead contain
 * only the box. */
#ifndef AETIUS_TRACE_GUEST_H
#define AETIUS_TRACE_GUEST_H

#include "state/resource.h"

struct guest_layout {
    const struct format_info *format;
    bool buffer;
    uint32_t level_count;
    struct guest_level {
        uint32_t width, height, slices; /* in texels */
        uint32_t stride, layer_stride, offset;
    } levels[RESOURCE_MAX_LEVELS];
    uint32_t size_bytes; /* 0 for multisampled resources, which have no shared memory */
};

bool guest_layout_init(struct guest_layout *layout, const struct resource_desc *desc,
                       struct error *err);

/* A box of a level within the mapping. All sizes except `rows` and `slices` are in bytes. */
struct guest_region {
    uint32_t offset; /* offset of the box's first block */
    uint32_t row_bytes, rows, slices;
    uint32_t stride, layer_stride;
    uint32_t tight_bytes; /* size of the box without padding */
};

/* Clips a box of a texture to its level. Boxes that exceed the level occur, for example, when the
 * driver copies stencil pixels partly outside the window. The function adjusts *offset, the offset
 * of the box's first block. Returns false if the clipped box is empty. */
bool guest_cut_box(const struct guest_layout *layout, uint32_t level, struct box *box,
                   uint32_t *offset);

/* Computes the region of a box, with the offset from the layout. Fails if the box exceeds the
 * level. */
bool guest_region_init(struct guest_region *region, const struct guest_layout *layout,
                       uint32_t level, const struct box *box, struct error *err);

/* Returns whether the region is contiguous in the mapping. */
static inline bool
guest_region_is_tight(const struct guest_region *region)
{
    const bool rows = region->rows == 1 || region->stride == region->row_bytes;
    return rows &&
           (region->slices == 1 || region->layer_stride == region->row_bytes * region->rows);
}

/* Returns the offset after the region's last byte. The region must fit into 32 bits. */
static inline uint32_t
guest_region_end(const struct guest_region *region)
{
    return region->offset + (region->slices - 1) * region->layer_stride +
           (region->rows - 1) * region->stride + region->row_bytes;
}

/* Returns whether the whole region is within a mapping of `mapping_bytes`. */
bool guest_region_fits(const struct guest_region *region, uint32_t mapping_bytes);

void guest_gather(const struct guest_region *region, const uint8_t *mapping, uint8_t *rows);
void guest_scatter(const struct guest_region *region, const uint8_t *rows, uint8_t *mapping);

#endif
