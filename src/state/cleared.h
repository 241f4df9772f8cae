/* Tracks the parts of a resource that still hold a clear value, without reading its bytes. The
 * machine uses this at the start of a frame (docs/design/machine.md, Start of a frame). Block
 * states of a surface untouched since its clear are cleared. A clear of depth alone is as fast as a
 * clear of both while every element has the same stencil value. Both executors update it by the
 * same calls. */
#ifndef AETIUS_STATE_CLEARED_H
#define AETIUS_STATE_CLEARED_H

#include "state/draw.h"

/* A new resource is all zeros and counts as not cleared. */
void cleared_init(struct resource *res);
/* The whole slice of a surface is cleared. `buffers`: MASK_DEPTH, MASK_STENCIL, or 0 for color. */
void cleared_note_clear(const struct bound_surface *surface, struct resource *res, uint32_t buffers,
                        uint32_t stencil);
/* Another write may have changed any element; `stencil`: also stencil values. */
void cleared_note_write(struct resource *res, bool stencil);

/* Whether the slice holds only a clear value. */
bool cleared_is(const struct resource *res, uint32_t level, uint32_t layer);

/* Encodes the state for trimmed traces. cleared_restore() checks the code against the level's
 * bytes, since a trace may be damaged. */
struct cleared_code cleared_encode(const struct resource *res, uint32_t level);
void cleared_restore(struct resource *res, uint32_t level, struct cleared_code code,
                     const uint8_t *rows);

#endif
