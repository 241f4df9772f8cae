/* Identity of a draw by content: the same draw has the same identity in another frame, run or
 * trace.
 *
 * It covers everything that a program compiles, builds and lays out: shader programs, primitive
 * type, numbers of vertices and instances, and attribute layout. It also covers formats and sizes
 * of textures with their samplers, the targets, and the blend, depth, stencil and raster state.
 *
 * It excludes everything that changes between frames or runs while the draw stays the same:
 * addresses, handles and contents of buffers and textures, constants (matrices, colors, time), the
 * viewport, scissor, clip planes, stipple, blend color, stencil reference and alpha reference. So
 * several draws of a frame may have one identity. Code that joins two frames matches these in
 * order. */
#ifndef AETIUS_STATE_IDENTITY_H
#define AETIUS_STATE_IDENTITY_H

#include "state/draw.h"

struct draw_identity {
    uint64_t hash;     /* hash of the programs and the parts below */
    uint64_t geometry; /* primitive, counts, attributes */
    uint64_t textures;
    uint64_t state; /* targets and fixed-function state */
};

void draw_identify(const struct draw *draw, struct draw_identity *identity);

#endif
