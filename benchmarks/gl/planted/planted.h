/* Common code of the programs in this folder. Each program draws a scene with one deliberate
 * performance fault. With `--fixed` it draws the same picture, or nearly the same, without the
 * fault. */
#ifndef AETIUS_BENCHMARKS_PLANTED_H
#define AETIUS_BENCHMARKS_PLANTED_H

#include "../window.h"

/* Like scene_main(), with the additional option `--fixed`, which sets *fixed. */
int planted_main(const struct scene *scene, bool *fixed, int argc, char **argv);

/* Sine and cosine of an angle in turns, the same on every host; accurate to 0.002. */
float sine(float turns);
float cosine(float turns);

/* Smooth noise that repeats after `size` texels, 0 to 255: `cell` texels per lattice cell. Both
 * sizes are powers of two. */
uint8_t noise(uint32_t x, uint32_t y, uint32_t size, uint32_t cell, uint32_t seed);

/* Fills the bound two-dimensional texture with size x size RGBA texels. `size` must be a power of
 * two. With `mipmaps` it fills the smaller levels too, and overwrites `texels`. `format` is the
 * format in OpenGL's memory; the driver compresses each level that is given to it. */
void load_texture(uint32_t format, uint32_t size, bool mipmaps, uint8_t (*texels)[4]);

#endif
