/* Whole-surface work without time: clears, copies, blits, resolves, pictures.
 *
 * All functions work on simulated memory and change nothing else. Functions that return bool fail
 * if the command names a missing resource, a box outside its level, or a conversion that is not
 * supported; `err` then names it, and memory is unchanged. */
#ifndef AETIUS_GFX_TRANSFER_H
#define AETIUS_GFX_TRANSFER_H

#include "state/context.h"

/* Fills a slice with its padding. A surface without a resource is ignored. `rgba` is converted to
 * the format; `buffers` are MASK_DEPTH and MASK_STENCIL; depth is 0 to 1. */
void clear_color(const struct bound_surface *surface, struct gpu_memory *memory,
                 const float rgba[4]);
void clear_depth(const struct bound_surface *surface, struct gpu_memory *memory, uint32_t buffers,
                 double depth, uint32_t stencil);
/* COPY_REGION and BLIT. Overlapping boxes are safe: the source is read before any write. */
bool copy_region(struct gpu_device *device, const struct gpu_cmd *cmd, struct error *err);
bool blit(struct gpu_device *device, const struct gpu_cmd *cmd, struct error *err);
/* Whether the command can be executed. gpu_apply() must have accepted it. */
bool copy_check(struct gpu_device *device, const struct gpu_cmd *cmd, struct error *err);
bool blit_check(struct gpu_device *device, const struct gpu_cmd *cmd, struct error *err);

/* A BLIT or a COPY_REGION, element by element, so that an executor can fetch source elements in its
 * own way. An element is a pixel's sample, a block of a compressed format, or a byte of a buffer.
 * Positions count elements. */
struct blit_image {
    const struct resource *res;
    const struct format_info *format;
    uint32_t level;
};
/* One axis: elements first .. last - 1 of the destination, and the source position of a pixel's
 * center. */
struct blit_axis {
    int32_t first, last;
    int32_t origin; /* start of the destination box */
    double start, step;
    uint32_t size; /* size of the source level */
};
struct blit_plan {
    struct blit_image dst, src;
    struct blit_axis x, y, z;
    bool copies;      /* COPY_REGION: */
    int32_t shift[3]; /* from an element to its source element */
    /* BLIT */
    uint32_t mask;
    bool linear, same;
};
struct blit_position {
    int32_t x, y, z;
    uint32_t sample;
};
/* Access to the source's elements: returns the bytes of the element at an offset from the
 * resource's start. They must be valid until the next call. */
struct blit_source {
    const uint8_t *(*read)(void *data, uint32_t offset);
    void *data;
};
/* Checks like copy_check() and blit_check(), and fills the plan. */
bool blit_plan_init(struct blit_plan *plan, struct gpu_device *device, const struct gpu_cmd *cmd,
                    struct error *err);
/* Whether this element of the destination is written. */
bool blit_covers(const struct blit_plan *plan, const struct blit_position *to);
/* Writes the element to `out`, which must hold its old value (used only if blit_keeps()). */
void blit_element(const struct blit_plan *plan, const struct blit_position *to,
                  const struct blit_source *source, uint8_t *out);
/* Whether a part of each element keeps its old value. */
bool blit_keeps(const struct blit_plan *plan);
/* Whether source and destination are the same level. Its source elements must then be read before
 * they are overwritten. */
static inline bool
blit_in_place(const struct blit_plan *plan)
{
    return plan->dst.res == plan->src.res && plan->dst.level == plan->src.level;
}
static inline uint32_t
blit_element_bytes(const struct blit_plan *plan)
{
    return plan->dst.res->desc.target == TARGET_BUFFER ? 1 : plan->dst.format->block_bytes;
}

/* The picture of a color resource (level 0, slice 0), row 0 on top; multisampled: resolved. */
struct picture; /* base/file.h */
void picture_of_resource(struct picture *picture, const struct resource *res,
                         const struct gpu_memory *memory);
/* The picture of a level and layer that was read back, always upright. Surfaces that are not
 * displayed have row 0 at the bottom, as in OpenGL. */
void picture_of_read(struct picture *picture, const struct resource *res,
                     const struct gpu_memory *memory, uint32_t level, const struct box *box);
/* The picture of one slice of a level of any format as `format` (the view's) reads it, with row 0
 * on top. Colors are clamped to 0..1, with the first of several samples. Depth is gray: black for
 * the nearest depth in the slice, white for the farthest. */
void picture_of_level(struct picture *picture, const struct resource *res,
                      const struct format_info *format, const struct gpu_memory *memory,
                      uint32_t level, uint32_t slice);
void picture_flip(struct picture *picture);
/* The same from tight rows of a color format. */
void picture_of_rows(struct picture *picture, const struct format_info *format, uint32_t width,
                     uint32_t height, const uint8_t *rows);

#endif
