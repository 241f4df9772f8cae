/* Whole-surface work without time: clears, copies, blits, resolves. */
#ifndef AETIUS_GFX_TRANSFER_H
#define AETIUS_GFX_TRANSFER_H

#include "state/context.h"

void clear_color(const struct bound_surface *surface, struct gpu_memory *memory,
                 const float rgba[4]);
void clear_depth(const struct bound_surface *surface, struct gpu_memory *memory, uint32_t buffers,
                 double depth, uint32_t stencil);
bool copy_region(struct gpu_device *device, const struct gpu_cmd *cmd, struct error *err);
bool blit(struct gpu_device *device, const struct gpu_cmd *cmd, struct error *err);
/* Whether they could be executed, now that gpu_apply() has taken the command. */
bool copy_check(struct gpu_device *device, const struct gpu_cmd *cmd, struct error *err);
bool blit_check(struct gpu_device *device, const struct gpu_cmd *cmd, struct error *err);

/* The picture of a color resource (level 0, slice 0), row 0 on top; multisampled: resolved. */
struct picture; /* base/file.h */
void picture_of_resource(struct picture *picture, const struct resource *res,
                         const struct gpu_memory *memory);
/* Of a level and layer that was read back. Surfaces that are not displayed have row 0 at the
 * bottom, as OpenGL has it; the picture is upright. */
void picture_of_read(struct picture *picture, const struct resource *res,
                     const struct gpu_memory *memory, uint32_t level, const struct box *box);
/* A slice of a level of any format as `format` (the view's) reads it, row 0 of it on top: colors
 * held between 0 and 1, of several samples the first; depth in grey, the nearest depth in it black
 * and the farthest white. */
void picture_of_level(struct picture *picture, const struct resource *res,
                      const struct format_info *format, const struct gpu_memory *memory,
                      uint32_t level, uint32_t slice);
void picture_flip(struct picture *picture);
/* The same of tight rows of a color format. */
void picture_of_rows(struct picture *picture, const struct format_info *format, uint32_t width,
                     uint32_t height, const uint8_t *rows);

#endif
