/* Tracks which parts of a resource still hold a clear value, without reading its bytes. The machine
 * uses this at the start of a frame (docs/design/machine.md, Start of a frame). If a surface is
 * unchanged since its clear, its blocks start in the cleared state. While every element has the
 * same stencil value, a clear of depth alone is as fast as a clear of both. Both executors update
 * the tracking with the same calls. */
#ifndef AETIUS_STATE_CLEARED_H
#define AETIUS_STATE_CLEARED_H

#include "state/draw.h"

/* For a new resource, which is all zeros and counts as not cleared. */
void cleared_init(struct resource *res);
/* Records a clear of the whole slice of a surface. `buffers` is MASK_DEPTH, MASK_STENCIL or both; 0
 * for color. */
void cleared_note_clear(const struct bound_surface *surface, struct resource *res, uint32_t buffers,
                        uint32_t stencil);
/* Records another write, which may have changed any element. Both count in res->writes. `stencil`:
 * also stencil values. */
void cleared_note_write(struct resource *res, bool stencil);

/* Returns whether the slice holds only a clear value. */
bool cleared_is(const struct resource *res, uint32_t level, uint32_t layer);

/* Encodes the state for trimmed traces. cleared_restore() checks the code against the level's
 * bytes, because a trace may be damaged. */
struct cleared_code cleared_encode(const struct resource *res, uint32_t level);
void cleared_restore(struct resource *res, uint32_t level, struct cleared_code code,
                     const uint8_t *rows);

#endif
