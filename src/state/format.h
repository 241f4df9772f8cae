/* Formats of vertices, texels and pixels, defined by one line each in format.def.
 *
 * A block is 1x1 texels, or 4x4 texels for S3TC and RGTC. Unpacking returns four floats. It sets
 * missing channels to 0, 0, 0, 1, expands luminance, alpha and intensity, and converts sRGB to
 * linear. Packing takes four floats. Integer formats (is_integer) store the bits of 32-bit integers
 * in these floats, so code must copy them without arithmetic. */
#ifndef AETIUS_STATE_FORMAT_H
#define AETIUS_STATE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum format_use {
    FORMAT_VERTEX = 1,  /* the vertex fetch can read it */
    FORMAT_TEXTURE = 2, /* the texture unit can read it */
    FORMAT_COLOR = 4,   /* the ROPs can write it as color */
    FORMAT_DEPTH = 8,   /* the ROPs can write it as depth and stencil */
};

enum format_number {
#define FORMAT_ARRAY(number, name, ...)  FORMAT_##name = number,
#define FORMAT_PACKED(number, name, ...) FORMAT_##name = number,
#define FORMAT_FLOATS(number, name, ...) FORMAT_##name = number,
#define FORMAT_DEPTH(number, name, ...)  FORMAT_##name = number,
#define FORMAT_S3TC(number, name, ...)   FORMAT_##name = number,
#define FORMAT_RGTC(number, name, ...)   FORMAT_##name = number,
#include "state/format.def"
#undef FORMAT_ARRAY
#undef FORMAT_PACKED
#undef FORMAT_FLOATS
#undef FORMAT_DEPTH
#undef FORMAT_S3TC
#undef FORMAT_RGTC
};

struct format_info {
    uint32_t number; /* enum format_number */
    const char *name;
    uint8_t block_bytes, block_width, block_height;
    uint8_t uses;     /* enum format_use bits */
    uint8_t channels; /* channels that exist, one bit each: 1 R, 2 G, 4 B, 8 A */
    bool is_srgb, is_float, is_signed, is_integer, is_normalized;
    /* Both are 0 for color formats. Z32_FLOAT has 32 depth bits and is_float. */
    uint8_t depth_bits, stencil_bits;
    uint8_t depth_shift, stencil_shift;

    /* Unpacks one texel of a block; x and y are inside the block. Depth formats return the depth as
     * 0..1 in r, without the stencil value. */
    void (*unpack)(const uint8_t *block, uint32_t x, uint32_t y, float rgba[4]);
    /* Packs one texel into a 1x1 block: rounds to nearest and clamps to the format's range. NULL
     * for compressed formats. */
    void (*pack)(const float rgba[4], uint8_t *block);

    /* Only for compressed formats: expand() extracts a texel from its block in the form that
     * texture caches store. unpack_expanded() unpacks such a texel. For other formats,
     * expanded_bytes equals block_bytes and both functions are NULL. */
    uint8_t expanded_bytes;
    void (*expand)(const uint8_t *block, uint32_t x, uint32_t y, uint8_t *texel);
    void (*unpack_expanded)(const uint8_t *texel, float rgba[4]);
};

/* Returns NULL if this GPU does not support the format. */
const struct format_info *format_get(uint32_t number);

/* Returns whether an image can show a resource of this format: each block is a single color. */
static inline bool
format_is_shown(const struct format_info *format)
{
    return format->unpack && format->block_width == 1 && !format->depth_bits &&
           !format->stencil_bits;
}

/* To iterate: for (size_t i = 0; i < format_count(); i++) format_at(i). */
size_t format_count(void);
const struct format_info *format_at(size_t i);

#endif
