/* Formats with three small floats in a word (OpenGL 3.0 specification, 2.1.3, 2.1.4 and 3.9.1).
 *
 * R11G11B10: floats without a sign, with 5 bits of exponent and 6, 6 and 5 bits of mantissa. They
 * are halves without the sign and the lowest bits of the mantissa.
 * R9G9B9E5: three mantissas of 9 bits without a hidden bit, and a common exponent. A channel is
 * mantissa * 2^(exponent - 24). */
#include "state/format_codec.h"

#include <math.h>
#include <string.h>

enum { HALF_MANTISSA = 10, SHARED_MANTISSA = 9, SHARED_BIAS = 24 };

/* Largest value of R9G9B9E5: 511 * 2^(31 - 24). */
#define SHARED_MOST 65408.0f

static float
small_to_float(uint32_t bits, uint32_t mantissa_bits)
{
    return format_half_to_float(bits << (HALF_MANTISSA - mantissa_bits));
}

/* Rounds to nearest, ties to even. Negative values become 0, and finite values out of range the
 * largest finite value. */
static uint32_t
float_to_small(float value, uint32_t mantissa_bits)
{
    const uint32_t infinity = 31u << mantissa_bits, cut = 23 - mantissa_bits;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (isnan(value))
        return infinity | 1;
    if (!(value > 0))
        return 0;
    if (isinf(value))
        return infinity;
    if (bits < 0x38800000) { /* below 2^-14: denormal, a multiple of 2^-(14 + mantissa bits) */
        const float scaled = value * (float)(1u << 14) * (float)(1u << mantissa_bits);
        return (uint32_t)lrintf(scaled);
    }
    const uint32_t rounded = bits + (1u << (cut - 1)) - 1 + (bits >> cut & 1);
    const uint32_t small = (rounded >> cut) - (112u << mantissa_bits);
    return small < infinity ? small : infinity - 1;
}

void
format_unpack_R11G11B10_FLOAT(const uint8_t *bytes, float rgba[4])
{
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
    rgba[0] = small_to_float(word & 0x7ff, 6);
    rgba[1] = small_to_float(word >> 11 & 0x7ff, 6);
    rgba[2] = small_to_float(word >> 22, 5);
    rgba[3] = 1.0f;
}

void
format_pack_R11G11B10_FLOAT(const float rgba[4], uint8_t *bytes)
{
    const uint32_t word = float_to_small(rgba[0], 6) | float_to_small(rgba[1], 6) << 11 |
                          float_to_small(rgba[2], 5) << 22;
    memcpy(bytes, &word, sizeof word);
}

void
format_unpack_R9G9B9E5_FLOAT(const uint8_t *bytes, float rgba[4])
{
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
    const float scale = ldexpf(1.0f, (int)(word >> 27) - SHARED_BIAS);
    for (uint32_t c = 0; c < 3; c++)
        rgba[c] = (float)(word >> (SHARED_MANTISSA * c) & 0x1ff) * scale;
    rgba[3] = 1.0f;
}

static float
clamp_shared(float value)
{
    return !(value > 0) ? 0 : value < SHARED_MOST ? value : SHARED_MOST;
}

/* The exponent is the smallest with which the largest channel, after rounding, fits. */
void
format_pack_R9G9B9E5_FLOAT(const float rgba[4], uint8_t *bytes)
{
    const float r = clamp_shared(rgba[0]), g = clamp_shared(rgba[1]), b = clamp_shared(rgba[2]);
    const float most = r > g ? (r > b ? r : b) : (g > b ? g : b), channel[3] = {r, g, b};
    int exponent = most > 0 ? ilogbf(most) + 1 + SHARED_BIAS - SHARED_MANTISSA : 0;
    exponent = exponent > 0 ? exponent : 0;
    if (floorf(ldexpf(most, SHARED_BIAS - exponent) + 0.5f) >= (float)(1 << SHARED_MANTISSA))
        exponent++;
    uint32_t word = (uint32_t)exponent << 27;
    for (uint32_t c = 0; c < 3; c++)
        word |= (uint32_t)floorf(ldexpf(channel[c], SHARED_BIAS - exponent) + 0.5f)
                << (SHARED_MANTISSA * c);
    memcpy(bytes, &word, sizeof word);
}
