/* What a draw is, by content: the same draw has the same identity in another frame, run or trace.
 *
 * In it is what a program compiles, builds and lays out: its shader programs, the primitive and how
 * many vertices and instances of it, the layout of its attributes, the formats and sizes of its
 * textures with their samplers, of its targets, and the blend, depth, stencil and raster state.
 *
 * Not in it is what moves from frame to frame or from run to run though the draw stays the same:
 * addresses, handles and contents of buffers and textures, constants (matrices, colors, time), the
 * viewport, scissor, clip planes, stipple, blend color, stencil reference and alpha reference. So
 * several draws of a frame may have one identity; who joins two frames goes by order among them. */
#ifndef AETIUS_STATE_IDENTITY_H
#define AETIUS_STATE_IDENTITY_H

#include "state/draw.h"

struct draw_identity {
    uint64_t hash;     /* of the programs and the parts below */
    uint64_t geometry; /* primitive, counts, attributes */
    uint64_t textures;
    uint64_t state; /* targets and fixed-function state */
};

void draw_identify(const struct draw *draw, struct draw_identity *identity);

#endif
