/* How a resource lies in the memory that the client and the virtual GPU share: levels packed one
 * after the other, rows tight, slices (depth slices, layers, six cube faces) tight
 * (docs/design/frontend.md, Shared memory). Transfers in messages have tight rows of their box
 * instead. */
#ifndef AETIUS_TRACE_GUEST_H
#define AETIUS_TRACE_GUEST_H

#include "state/resource.h"

struct guest_layout {
    const struct format_info *format;
    bool buffer;
    uint32_t level_count;
    struct guest_level {
        uint32_t width, height, slices; /* texels */
        uint32_t stride, layer_stride, offset;
    } levels[RESOURCE_MAX_LEVELS];
    uint32_t size_bytes; /* 0 for multisampled resources: they have no shared memory */
};

bool guest_layout_init(struct guest_layout *layout, const struct resource_desc *desc,
                       struct error *err);

/* A box of a level inside the mapping. */
struct guest_region {
    uint32_t offset; /* of the box's first block */
    uint32_t row_bytes, rows, slices;
    uint32_t stride, layer_stride;
    uint32_t tight_bytes; /* of the box with tight rows */
};

/* Cuts a box of a texture that reaches over its level, as the driver's copy of stencil pixels to a
 * place partly beside the window does; `offset` is of the box's first block and follows. False when
 * nothing is left. */
bool guest_cut_box(const struct guest_layout *layout, uint32_t level, struct box *box,
                   uint32_t *offset);

/* Checks that the box lies in the level; the region's offset is the layout's own. */
bool guest_region_init(struct guest_region *region, const struct guest_layout *layout,
                       uint32_t level, const struct box *box, struct error *err);

/* Whether its rows lie in one piece, from its offset on. */
static inline bool
guest_region_is_tight(const struct guest_region *region)
{
    const bool rows = region->rows == 1 || region->stride == region->row_bytes;
    return rows &&
           (region->slices == 1 || region->layer_stride == region->row_bytes * region->rows);
}

/* Behind its last byte in the mapping; it fits. */
static inline uint32_t
guest_region_end(const struct guest_region *region)
{
    return region->offset + (region->slices - 1) * region->layer_stride +
           (region->rows - 1) * region->stride + region->row_bytes;
}

/* Whether all of the region lies in a mapping of so many bytes. */
bool guest_region_fits(const struct guest_region *region, uint32_t mapping_bytes);

void guest_gather(const struct guest_region *region, const uint8_t *mapping, uint8_t *rows);
void guest_scatter(const struct guest_region *region, const uint8_t *rows, uint8_t *mapping);

#endif
