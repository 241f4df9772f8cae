/* Encoder of S3TC blocks, for textures that the simulator compresses itself (sim/whatif.h). */
#ifndef AETIUS_STATE_FORMAT_ENCODE_H
#define AETIUS_STATE_FORMAT_ENCODE_H

#include "state/format.h"

/* The S3TC format that can replace a color format: DXT1, or DXT5 if the format has alpha. Returns
 * NULL if there is none, or if it would not be smaller. */
const struct format_info *s3tc_format_for(const struct format_info *format);

/* The format of the texels of an S3TC format that s3tc_encode() makes, otherwise NULL. */
const struct format_info *s3tc_texels_of(const struct format_info *format);

/* Encodes 4x4 texels, row by row: to a block of DXT5 (16 bytes) if `alpha` is set, otherwise to one
 * of DXT1 without alpha (8 bytes). */
void s3tc_encode(bool alpha, const uint8_t texels[16][4], uint8_t *block);

#endif
