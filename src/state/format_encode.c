/* Encoder of S3TC blocks. The endpoints of a block are its two colors that differ most, rounded to
 * 5, 6 and 5 bits. Each texel takes the nearest of the four colors that the decoder makes of them.
 * Alpha takes the nearest of eight steps between its least and its largest value. */
#include "state/format_encode.h"

#include "state/format_codec.h"

#include <string.h>

enum { TEXELS = 16, COLOR_CODES = 4, ALPHA_CODES = 8 };

const struct format_info *
s3tc_format_for(const struct format_info *format)
{
    const bool alpha = format->channels & 8;
    const uint32_t unorm = alpha ? FORMAT_DXT5_RGBA : FORMAT_DXT1_RGB;
    const uint32_t srgb = alpha ? FORMAT_DXT5_SRGBA : FORMAT_DXT1_SRGB;
    const struct format_info *to = format_get(format->is_srgb ? srgb : unorm);
    const bool can = format->pack && format->block_width == 1 && format->is_normalized &&
                     !format->is_signed && !format->depth_bits && !format->stencil_bits;
    return can && format->block_bytes * TEXELS > to->block_bytes ? to : NULL;
}

const struct format_info *
s3tc_texels_of(const struct format_info *format)
{
    static const uint16_t texels[] = {FORMAT_R8G8B8X8_UNORM, FORMAT_R8G8B8X8_SRGB,
                                      FORMAT_R8G8B8A8_UNORM, FORMAT_R8G8B8A8_SRGB};
    for (size_t i = 0; i < sizeof texels / sizeof *texels; i++)
        if (s3tc_format_for(format_get(texels[i])) == format)
            return format_get(texels[i]);
    return NULL;
}

static uint32_t
distance(const uint8_t *a, const uint8_t *b)
{
    uint32_t sum = 0;
    for (uint32_t c = 0; c < 3; c++)
        sum += (uint32_t)((a[c] - b[c]) * (a[c] - b[c]));
    return sum;
}

static uint32_t
pack_565(const uint8_t *rgba)
{
    return (rgba[0] * 31u + 127) / 255 << 11 | (rgba[1] * 63u + 127) / 255 << 5 |
           (rgba[2] * 31u + 127) / 255;
}

static void
find_ends(const uint8_t texels[TEXELS][4], uint32_t *first, uint32_t *second)
{
    uint32_t most = 0;
    *first = *second = 0;
    for (uint32_t i = 0; i < TEXELS; i++)
        for (uint32_t j = 0; j < i; j++)
            if (distance(texels[i], texels[j]) > most) {
                most = distance(texels[i], texels[j]);
                *first = i;
                *second = j;
            }
}

static uint32_t
nearest_color(uint8_t palette[COLOR_CODES][4], const uint8_t *texel)
{
    uint32_t best = 0;
    for (uint32_t code = 1; code < COLOR_CODES; code++)
        if (distance(palette[code], texel) < distance(palette[best], texel))
            best = code;
    return best;
}

static void
encode_color(const uint8_t texels[TEXELS][4], uint8_t block[8])
{
    uint32_t first, second;
    uint8_t palette[COLOR_CODES][4];
    find_ends(texels, &first, &second);
    uint32_t ends[2] = {pack_565(texels[first]), pack_565(texels[second])};
    if (ends[0] < ends[1]) { /* the larger one first: four colors */
        const uint32_t least = ends[0];
        ends[0] = ends[1];
        ends[1] = least;
    }
    for (uint32_t i = 0; i < 2; i++) {
        block[2 * i] = (uint8_t)ends[i];
        block[2 * i + 1] = (uint8_t)(ends[i] >> 8);
    }
    block[4] = 0 | 1 << 2 | 2 << 4 | 3 << 6; /* the first four texels have all codes */
    for (uint32_t code = 0; code < COLOR_CODES; code++)
        s3tc_texel(S3TC_DXT1_RGB, block, code, 0, palette[code]);
    memset(block + 4, 0, 4);
    for (uint32_t i = 0; i < TEXELS && ends[0] != ends[1]; i++)
        block[4 + i / 4] |= (uint8_t)(nearest_color(palette, texels[i]) << i % 4 * 2);
}

/* Code of the step nearest to `alpha` between `most` (code 0) and `least` (code 1). Codes 2 to 7
 * are the steps from `most` to `least`. */
static uint64_t
alpha_code(uint32_t alpha, uint32_t least, uint32_t most)
{
    const uint32_t range = most - least, steps = ALPHA_CODES - 1;
    const uint32_t step = range ? ((most - alpha) * steps + range / 2) / range : 0;
    return step == 0 ? 0 : step == steps ? 1 : step + 1;
}

static void
encode_alpha(const uint8_t texels[TEXELS][4], uint8_t block[8])
{
    uint32_t least = 255, most = 0;
    uint64_t codes = 0;
    for (uint32_t i = 0; i < TEXELS; i++) {
        least = texels[i][3] < least ? texels[i][3] : least;
        most = texels[i][3] > most ? texels[i][3] : most;
    }
    for (uint32_t i = 0; i < TEXELS; i++)
        codes |= alpha_code(texels[i][3], least, most) << 3 * i;
    block[0] = (uint8_t)most;
    block[1] = (uint8_t)least;
    for (uint32_t i = 0; i < 6; i++)
        block[2 + i] = (uint8_t)(codes >> 8 * i);
}

void
s3tc_encode(bool alpha, const uint8_t texels[TEXELS][4], uint8_t *block)
{
    if (alpha)
        encode_alpha(texels, block);
    encode_color(texels, block + (alpha ? 8 : 0));
}
