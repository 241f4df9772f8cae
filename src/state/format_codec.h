/* Components of format.c: tables of the sRGB curve, and decoders of compressed blocks. Private to
 * the format files. */
#ifndef AETIUS_STATE_FORMAT_CODEC_H
#define AETIUS_STATE_FORMAT_CODEC_H

#include <stdbool.h>
#include <stdint.h>

extern const float srgb_linear[256];     /* linear value of each 8-bit code */
extern const float srgb_thresholds[255]; /* linear values >= [i] encode to codes above i */

float format_half_to_float(uint32_t half);

/* format_floats.c: FORMAT_FLOATS */
void format_unpack_R11G11B10_FLOAT(const uint8_t *bytes, float rgba[4]);
void format_pack_R11G11B10_FLOAT(const float rgba[4], uint8_t *bytes);
void format_unpack_R9G9B9E5_FLOAT(const uint8_t *bytes, float rgba[4]);
void format_pack_R9G9B9E5_FLOAT(const float rgba[4], uint8_t *bytes);

enum s3tc_kind {
    S3TC_DXT1_RGB, /* in a three-color block the fourth code is opaque black */
    S3TC_DXT1_RGBA,
    S3TC_DXT3,
    S3TC_DXT5,
};

/* Decodes one texel of a 4x4 block to four 8-bit values. */
void s3tc_texel(enum s3tc_kind kind, const uint8_t *block, uint32_t x, uint32_t y, uint8_t rgba[4]);

/* Decodes one texel of an 8-byte single-channel block: 0..255, or -127..127 if signed. */
int32_t rgtc_texel(bool is_signed, const uint8_t *block, uint32_t x, uint32_t y);

#endif
