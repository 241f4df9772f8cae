/* The mass-spring program of the staged model (docs/works/staged-model-2006.md): a rectangular
 * sheet of particles, and the fragment shader that sums the forces of the springs at each particle.
 *
 * A spring connects two particles whose distance in the sheet at rest is at most two columns or
 * rows: 12 springs per particle. The outer two columns and rows are clamped: their mass is nearly
 * infinite.
 *
 * Textures have four floats per texel and coordinates in texels:
 *
 *     geometry    1024x1024  position and mass; particle (x, y) is texel (x, y)
 *     hood        1024x1024  column and row of the particle's first spring in `neighbours`, and the
 *                            number of springs
 *     neighbours  512x256    per spring: columns and rows to the other particle, length at rest,
 *                            stiffness; 32 texels per list
 *
 * The sheet has as many particles as `neighbours` has texels. So the pointers are relative, and
 * each 8x4 particles share a list. */
#ifndef AETIUS_BENCHMARKS_SPRINGS_H
#define AETIUS_BENCHMARKS_SPRINGS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum {
    SPRINGS_WIDTH = 1024, /* of the largest sheet, in particles */
    SPRINGS_HEIGHT = 128,
    SPRINGS_SIDE = 1024, /* of the textures geometry and hood */
    SPRINGS_NEIGHBOURS_WIDTH = 512,
    SPRINGS_NEIGHBOURS_HEIGHT = 256,
    SPRINGS_OF_PARTICLE = 12,
    SPRINGS_ROUNDS = 30, /* iterations of the loop without a break */
};

/* Fills the textures for a sheet of width x height particles. */
void springs_fill_geometry(float (*texels)[4], uint32_t width, uint32_t height);
void springs_fill_hood(float (*texels)[4], uint32_t width, uint32_t height);
void springs_fill_neighbours(float (*texels)[4]);

/* Writes the fragment shader. `variant`: which reads are texture reads (none, outside the loop,
 * all), and the loop (unrolled, loop, break), as in "all-loop". A square root replaces each other
 * read. */
void springs_shader(const char *variant, FILE *out);

/* Mean number of iterations of a loop with a break. `reads_count`: the number of springs comes from
 * the texture, not from a square root. */
double springs_mean_rounds(bool reads_count, uint32_t width, uint32_t height);

#endif
