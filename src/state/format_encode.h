/* Encoder of S3TC blocks, for textures that the simulator compresses itself (sim/whatif.h). */
#ifndef AETIUS_STATE_FORMAT_ENCODE_H
#define AETIUS_STATE_FORMAT_ENCODE_H

#include <stdbool.h>
#include <stdint.h>

/* Encodes 4x4 texels, row by row: to a block of DXT5 (16 bytes) if `alpha` is set, otherwise to one
 * of DXT1 without alpha (8 bytes). */
void s3tc_encode(bool alpha, const uint8_t texels[16][4], uint8_t *block);

#endif
