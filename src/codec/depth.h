/* What the depth codecs share: a word is Z << 8 | stencil, and the two are packed apart.
 *
 * Stencil: one bit; 0: all elements have one value, 8 bits; 1: two values (the first element's, the
 * first that differs), 8 bits each, and a bit an element. Three values in a block fit no level. So
 * stencil takes 9 or 81 bits of a level, and z has the rest: corrections have as many bits as fit.
 * Z is counted modulo 2^24. */
#ifndef AETIUS_CODEC_DEPTH_H
#define AETIUS_CODEC_DEPTH_H

#include "codec/bits.h"
#include "codec/codec.h"
#include "codec/grid.h"

#include <stdbool.h>

enum { DEPTH_BITS = 24, DEPTH_MASK = (1 << DEPTH_BITS) - 1 };

struct depth_block {
    uint32_t z[CODEC_WORDS];
    uint8_t stencil[2];
    bool two_stencils;
    uint64_t which;
};

/* False: three or more values of stencil. */
bool depth_open(const uint32_t *block, struct depth_block *depth);
/* Bits that a level leaves for z. */
uint32_t depth_budget(const struct depth_block *depth, uint32_t level_bytes);
void depth_put_stencil(struct bit_writer *writer, const struct depth_block *depth);
void depth_get_stencil(struct bit_reader *reader, struct depth_block *depth);
/* The words again. */
void depth_close(const struct depth_block *depth, uint32_t *block);

/* A difference modulo 2^24 as a number with sign. */
static inline int32_t
depth_signed(uint32_t difference)
{
    const uint32_t value = difference & DEPTH_MASK;
    return value >> (DEPTH_BITS - 1) ? (int32_t)value - (1 << DEPTH_BITS) : (int32_t)value;
}

/* Bits of the two's complement of a difference; 0 for 0. */
static inline uint32_t
depth_width(uint32_t difference)
{
    const int32_t value = depth_signed(difference);
    return value ? bits_of((uint32_t)(value < 0 ? ~value : value)) + 1 : 0;
}

static inline uint32_t
depth_get_signed(struct bit_reader *reader, uint32_t bits)
{
    const uint32_t value = bits_get(reader, bits);
    return bits && value >> (bits - 1) ? value - (1u << bits) : value;
}

/* The smallest level with room for `fixed` bits and `count` corrections of `width` bits each. */
int32_t depth_choose(const struct codec_levels *levels, const struct depth_block *depth,
                     uint32_t fixed, uint32_t count, uint32_t width);
/* Bits of a correction in a level; at most 24. */
uint32_t depth_correction_bits(const struct depth_block *depth, uint32_t level_bytes,
                               uint32_t fixed, uint32_t count);

#endif
