/* Identity of a draw by content: the same draw has the same identity in another frame, run or
 * trace.
 *
 * The hash covers everything that a program compiles, builds and lays out: shader programs,
 * primitive type, numbers of vertices and instances, and attribute layout. It also covers formats
 * and sizes of textures with their samplers, the targets, and the blend, depth, stencil and raster
 * state.
 *
 * The hash excludes everything that changes between frames or runs while the draw stays the same:
 * addresses, handles and contents of buffers and textures, constants (matrices, colors, time), the
 * viewport, scissor, clip planes, stipple, blend color, stencil reference and alpha reference.
 * Several draws of a frame may therefore have the same identity. Code that joins two frames matches
 * such draws in order. */
#ifndef AETIUS_STATE_IDENTITY_H
#define AETIUS_STATE_IDENTITY_H

#include "state/draw.h"

struct draw_identity {
    uint64_t hash;     /* hash of the programs and of the members below */
    uint64_t geometry; /* primitive, counts, attributes */
    uint64_t textures;
    uint64_t state; /* targets and fixed-function state */
};

void draw_identify(const struct draw *draw, struct draw_identity *identity);

#endif
