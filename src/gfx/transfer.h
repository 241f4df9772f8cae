/* Whole-surface work without timing: clears, copies, blits, resolves, pictures.
 *
 * All functions work on simulated memory and change nothing else. Functions that return bool fail
 * if the command names a missing resource, a box outside its level, or an unsupported conversion.
 * They then set `err` and leave memory unchanged. */
#ifndef AETIUS_GFX_TRANSFER_H
#define AETIUS_GFX_TRANSFER_H

#include "state/context.h"

/* Fills a slice including its padding. A surface without a resource is ignored. `rgba` is converted
 * to the format. `buffers` is MASK_DEPTH, MASK_STENCIL or both. `depth` is 0 to 1. */
void clear_color(const struct bound_surface *surface, struct gpu_memory *memory,
                 const float rgba[4]);
void clear_depth(const struct bound_surface *surface, struct gpu_memory *memory, uint32_t buffers,
                 double depth, uint32_t stencil);
/* Execute COPY_REGION and BLIT. Overlapping boxes are safe, because the source is read before any
 * write. */
bool copy_region(struct gpu_device *device, const struct gpu_cmd *cmd, struct error *err);
bool blit(struct gpu_device *device, const struct gpu_cmd *cmd, struct error *err);
/* Return whether the command can be executed. gpu_apply() must have accepted it. */
bool copy_check(struct gpu_device *device, const struct gpu_cmd *cmd, struct error *err);
bool blit_check(struct gpu_device *device, const struct gpu_cmd *cmd, struct error *err);

/* A BLIT or COPY_REGION, processed element by element, so that the executor controls how source
 * elements are fetched. An element is a sample of a pixel, a block of a compressed format, or a
 * byte of a buffer. Positions count elements. */
struct blit_image {
    const struct resource *res;
    const struct format_info *format;
    uint32_t level;
};
/* One axis: the destination elements first to last - 1, and the source position of a pixel's
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
    bool copies;      /* true: COPY_REGION, which uses `shift` */
    int32_t shift[3]; /* from an element to its source element */
    /* BLIT only */
    uint32_t mask;
    bool linear, same;
};
struct blit_position {
    int32_t x, y, z;
    uint32_t sample;
};
/* Access to the elements of the source. `read` returns the bytes of the element at an offset from
 * the start of the resource. They must stay valid until the next call. */
struct blit_source {
    const uint8_t *(*read)(void *data, uint32_t offset);
    void *data;
};
/* Checks the command like copy_check() or blit_check(), and fills the plan. */
bool blit_plan_init(struct blit_plan *plan, struct gpu_device *device, const struct gpu_cmd *cmd,
                    struct error *err);
/* Returns whether this element of the destination is written. */
bool blit_covers(const struct blit_plan *plan, const struct blit_position *to);
/* Writes the element to `out`. If blit_keeps(), `out` must hold the old value of the element. */
void blit_element(const struct blit_plan *plan, const struct blit_position *to,
                  const struct blit_source *source, uint8_t *out);
/* Returns whether part of each element keeps its old value. */
bool blit_keeps(const struct blit_plan *plan);
/* Returns whether source and destination are the same level. Source elements must then be read
 * before they are overwritten. */
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

/* Makes the picture of a color resource (level 0, slice 0) with row 0 on top. Resolves samples. */
struct picture; /* base/file.h */
void picture_of_resource(struct picture *picture, const struct resource *res,
                         const struct gpu_memory *memory);
/* Makes an upright picture of a level and layer that was read back. Surfaces that are not displayed
 * have row 0 at the bottom, as in OpenGL. */
void picture_of_read(struct picture *picture, const struct resource *res,
                     const struct gpu_memory *memory, uint32_t level, const struct box *box);
/* Makes the picture of one slice of a level, in the format of a view, with row 0 on top. Supports
 * all formats. Colors are clamped to 0..1; of several samples it shows the first. Depth is gray:
 * the nearest depth in the slice is black, the farthest is white. */
void picture_of_level(struct picture *picture, const struct resource *res,
                      const struct format_info *format, const struct gpu_memory *memory,
                      uint32_t level, uint32_t slice);
void picture_flip(struct picture *picture);
/* Makes a picture from rows of a color format without padding. */
void picture_of_rows(struct picture *picture, const struct format_info *format, uint32_t width,
                     uint32_t height, const uint8_t *rows);

#endif
