/* Programs for one draw of several objects. The constants that differ between the objects are a
 * table after the constants of the vertex program, with one row per object. An additional attribute
 * of each vertex is the first constant of its object's row, counted from the start of the table.
 * Constants of the fragment program come from the vertex program, as flat varyings. */
#ifndef AETIUS_ISA_PROGRAM_PALETTE_H
#define AETIUS_ISA_PROGRAM_PALETTE_H

#include "isa/program.h"

/* Semantic index of the first such varying. Programs of OpenGL have lower ones. */
enum { PALETTE_SEMANTIC = 128 };

struct program_palette {
    const struct program *vertex, *fragment;
    /* Numbers of the constants of buffer 0 that differ, in ascending order. A table row holds the
     * constants of the vertex program, followed by those of the fragment program. */
    const uint16_t *vertex_constants, *fragment_constants;
    uint32_t vertex_count, fragment_count;
    uint32_t rows;
};

/* Returns the TGSI text of the changed program, which the caller frees. No address of either
 * program may select a constant of buffer 0. */
char *program_palette_vertex(const struct program_palette *palette);
char *program_palette_fragment(const struct program_palette *palette);

#endif
