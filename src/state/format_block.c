/* Decoders of compressed 4x4 blocks: S3TC (EXT_texture_compression_s3tc) and RGTC
 * (ARB_texture_compression_rgtc; LATC has the same blocks). The extensions define colors as real
 * numbers. Like the reference renderer, this code expands endpoints to 8 bits by repeating their
 * high bits. It interpolates them in integers and rounds toward zero. */
#include "state/format_codec.h"

#include <string.h>

static void
expand_565(uint32_t packed, int32_t rgb[3])
{
    uint32_t r = packed >> 11, g = packed >> 5 & 63, b = packed & 31;
    rgb[0] = (int32_t)(r << 3 | r >> 2);
    rgb[1] = (int32_t)(g << 2 | g >> 4);
    rgb[2] = (int32_t)(b << 3 | b >> 2);
}

static void
color_texel(enum s3tc_kind kind, const uint8_t *block, uint32_t index, uint8_t rgba[4])
{
    uint32_t packed[2] = {block[0] | (uint32_t)block[1] << 8, block[2] | (uint32_t)block[3] << 8};
    uint32_t code = block[4 + index / 4] >> (index % 4 * 2) & 3;
    bool four_colors = kind == S3TC_DXT3 || kind == S3TC_DXT5 || packed[0] > packed[1];
    int32_t c[2][3];
    expand_565(packed[0], c[0]);
    expand_565(packed[1], c[1]);
    rgba[3] = 255;
    for (int i = 0; i < 3; i++) {
        int32_t value;
        if (code < 2)
            value = c[code][i];
        else if (four_colors)
            value = code == 2 ? (2 * c[0][i] + c[1][i]) / 3 : (c[0][i] + 2 * c[1][i]) / 3;
        else
            value = code == 2 ? (c[0][i] + c[1][i]) / 2 : 0;
        rgba[i] = (uint8_t)value;
    }
    if (code == 3 && !four_colors && kind == S3TC_DXT1_RGBA)
        rgba[3] = 0;
}

/* Reads a 3-bit code. Codes are stored row by row, least significant bit first. */
static uint32_t
code3(const uint8_t *bytes, uint32_t index)
{
    uint32_t bit = index * 3, word = bytes[bit / 8];
    if (bit / 8 + 1 < 6)
        word |= (uint32_t)bytes[bit / 8 + 1] << 8;
    return word >> (bit % 8) & 7;
}

static int32_t
interpolate8(int32_t a, int32_t b, uint32_t code, int32_t lowest, int32_t highest)
{
    int32_t i = (int32_t)code;
    if (code == 0)
        return a;
    if (code == 1)
        return b;
    if (a > b)
        return (a * (8 - i) + b * (i - 1)) / 7;
    if (code < 6)
        return (a * (6 - i) + b * (i - 1)) / 5;
    return code == 6 ? lowest : highest;
}

int32_t
rgtc_texel(bool is_signed, const uint8_t *block, uint32_t x, uint32_t y)
{
    uint32_t code = code3(block + 2, y * 4 + x);
    if (!is_signed)
        return interpolate8(block[0], block[1], code, 0, 255);
    int32_t value = interpolate8((int8_t)block[0], (int8_t)block[1], code, -127, 127);
    return value < -127 ? -127 : value;
}

void
s3tc_texel(enum s3tc_kind kind, const uint8_t *block, uint32_t x, uint32_t y, uint8_t rgba[4])
{
    uint32_t index = y * 4 + x;
    bool has_alpha = kind == S3TC_DXT3 || kind == S3TC_DXT5;
    color_texel(kind, block + (has_alpha ? 8 : 0), index, rgba);
    if (kind == S3TC_DXT3) {
        uint32_t nibble = block[index / 2] >> (index % 2 * 4) & 15;
        rgba[3] = (uint8_t)(nibble << 4 | nibble);
    }
    if (kind == S3TC_DXT5)
        rgba[3] = (uint8_t)interpolate8(block[0], block[1], code3(block + 2, index), 0, 255);
}
