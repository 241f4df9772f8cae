/* Common parts of the depth codecs. A word is Z << 8 | stencil; the two are packed separately.
 *
 * Stencil starts with one bit. 0: all elements have the same value, 8 bits. 1: two values, 8 bits
 * each (the first element's, then the first different one), then one bit per element. A block with
 * three stencil values fits no level. So stencil takes 9 or 81 bits of a level and z gets the rest:
 * the width of the corrections is the largest that fits. Z is computed modulo 2^24. */
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

/* Splits a block. Returns false if it has three or more stencil values. */
bool depth_open(const uint32_t *block, struct depth_block *depth);
/* Bits of a level that remain for z. */
uint32_t depth_budget(const struct depth_block *depth, uint32_t level_bytes);
void depth_put_stencil(struct bit_writer *writer, const struct depth_block *depth);
void depth_get_stencil(struct bit_reader *reader, struct depth_block *depth);
/* Inverse of depth_open(). */
void depth_close(const struct depth_block *depth, uint32_t *block);

/* A difference modulo 2^24 as a signed number. */
static inline int32_t
depth_signed(uint32_t difference)
{
    const uint32_t value = difference & DEPTH_MASK;
    return value >> (DEPTH_BITS - 1) ? (int32_t)value - (1 << DEPTH_BITS) : (int32_t)value;
}

/* Width of a difference in two's complement; 0 for 0. */
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

/* The smallest level with room for `fixed` bits and `count` corrections of `width` bits each.
 * CODEC_RAW if none has. */
int32_t depth_choose(const struct codec_levels *levels, const struct depth_block *depth,
                     uint32_t fixed, uint32_t count, uint32_t width);
/* Width of a correction in a level; at most 24 bits. */
uint32_t depth_correction_bits(const struct depth_block *depth, uint32_t level_bytes,
                               uint32_t fixed, uint32_t count);

#endif
