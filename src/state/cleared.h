/* What clears left in a resource and nothing has changed since: known without a look at its bytes,
 * so that the machine knows of it too (docs/design/machine.md, Start of a frame: block states of a
 * surface untouched since its clear are cleared; and a clear of depth alone is as fast as one of
 * both while every element has the same stencil). Both executors keep it, by the same calls. */
#ifndef AETIUS_STATE_CLEARED_H
#define AETIUS_STATE_CLEARED_H

#include "state/draw.h"

/* A new resource is zeros; it has not been cleared. */
void cleared_init(struct resource *res);
/* The whole slice of a surface is cleared; buffers: MASK_DEPTH, MASK_STENCIL, or 0 for color. */
void cleared_note_clear(const struct bound_surface *surface, struct resource *res, uint32_t buffers,
                        uint32_t stencil);
/* Anything else may have written anywhere in it; stencil: there too. */
void cleared_note_write(struct resource *res, bool stencil);

/* Whether the slice holds nothing but a clear's value. */
bool cleared_is(const struct resource *res, uint32_t level, uint32_t layer);

/* For trimmed traces; and back, with the level's bytes, which decide: a trace may be damaged. */
struct cleared_code cleared_encode(const struct resource *res, uint32_t level);
void cleared_restore(struct resource *res, uint32_t level, struct cleared_code code,
                     const uint8_t *rows);

#endif
