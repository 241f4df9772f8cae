/* The address texture of the dependent-read experiment. Each texel is the position of the next
 * read, in a second texture. The sweep has named patterns of 32x32 texels, which differ in the
 * distance between neighbouring positions, from `ramp` (adjacent) to `random`. They also differ in
 * the set of positions. Most use all 32 columns and 32 rows. `stripes` uses 32 positions of one
 * row, and `step3r` every other one of the 1,024 positions.
 *
 * `chanceN` is an address texture drawn by the random numbers of seed N. No sweep contains these
 * textures, so they test a fitted model. */
#ifndef AETIUS_MODEL_PATTERN_H
#define AETIUS_MODEL_PATTERN_H

#include "base/error.h"

#include <stdint.h>

enum {
    PATTERN_SIZE = 32,        /* texels per side of the patterns of the sweep */
    PATTERN_MOST_SIZE = 2048, /* largest side of a file's address texture */
};

struct pattern {
    uint32_t width, height;
    float (*texcoords)[2]; /* u and v, 0 to 1, row by row; NULL: no pattern */
};

/* Returns NULL after the last pattern of the sweep. */
const char *pattern_name(uint32_t number);
/* Creates the pattern of that name: one of the sweep, `chanceN`, or the path of a file
 * (pattern_file.c). A text with a dot or a slash is a path. The caller frees the pattern. */
bool pattern_make(struct pattern *pattern, const char *name, struct error *err);
void pattern_fini(struct pattern *pattern);
/* Rounds the addresses as a texture with 8 bits per channel does. */
void pattern_round(struct pattern *pattern);

/* Reads an address texture from a file:
 *
 * - PNG: u is red / 255 and v is green / 255. In a gray picture, both are the gray value. Channels
 *   of 16 bits are rounded to 8 bits.
 * - any other file: width and height as 32-bit unsigned integers, then u and v of each texel, row
 *   by row, as 32-bit floating-point numbers. All numbers are little-endian. */
bool pattern_read(struct pattern *pattern, const char *path, struct error *err);
/* Allocates a pattern of zeros. */
void pattern_init(struct pattern *pattern, uint32_t width, uint32_t height);

#endif
