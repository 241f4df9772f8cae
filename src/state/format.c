/* The format table and its converters. Each line of format.def becomes a pair of functions with a
 * constant layout. The compiler then reduces the general code below to a few instructions. Rules:
 * GL 2.1 sections 2.14.9 and 3.8.1. Normalized signed values are c / (2^(n-1) - 1). */
#include "state/format.h"
#include "state/format_codec.h"

#include <string.h>

#define ALWAYS_INLINE __attribute__((always_inline)) inline

enum conversion { UNORM, SNORM, USCALED, SSCALED, FLOAT, FIXED, SRGB, UINT, SINT };

float
format_half_to_float(uint32_t half)
{
    uint32_t sign = (half & 0x8000) << 16, exponent = half >> 10 & 31, mantissa = half & 1023;
    uint32_t bits;
    float value;
    if (exponent == 0) {
        value = (float)mantissa * 0x1p-24f;
        memcpy(&bits, &value, 4);
        bits |= sign;
    } else if (exponent == 31) {
        bits = sign | 0x7f800000 | mantissa << 13;
    } else {
        bits = sign | (exponent + 112) << 23 | mantissa << 13;
    }
    memcpy(&value, &bits, 4);
    return value;
}

/* Rounds to nearest, ties to even. Values out of range become infinity. */
static uint32_t
float_to_half(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, 4);
    uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000)
        return sign | 0x7e00;
    if (magnitude >= 0x477ff000) /* 65520: halfway between 65504 and 2^16 */
        return sign | 0x7c00;
    if (magnitude < 0x38800000) { /* below 2^-14: denormal, a multiple of 2^-24 */
        float absolute;
        memcpy(&absolute, &magnitude, 4);
        float rounded = absolute + 0.5f; /* the distance between floats near 0.5 is 2^-24 */
        memcpy(&bits, &rounded, 4);
        return sign | (bits - 0x3f000000);
    }
    return sign | ((magnitude + 0xfff + (magnitude >> 13 & 1) - 0x38000000) >> 13);
}

static uint32_t
linear_to_srgb(float linear)
{
    uint32_t low = 0, high = 255; /* binary search for the number of thresholds <= `linear` */
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (linear >= srgb_thresholds[middle])
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static ALWAYS_INLINE uint64_t
load_bits(const uint8_t *bytes, uint32_t bits)
{
    uint16_t b16;
    uint32_t b32;
    uint64_t b64;
    switch (bits) {
    case 8: return bytes[0];
    case 16: memcpy(&b16, bytes, 2); return b16;
    case 32: memcpy(&b32, bytes, 4); return b32;
    default: memcpy(&b64, bytes, 8); return b64;
    }
}

static ALWAYS_INLINE void
store_bits(uint8_t *bytes, uint32_t bits, uint64_t value)
{
    uint16_t b16 = (uint16_t)value;
    uint32_t b32 = (uint32_t)value;
    switch (bits) {
    case 8: bytes[0] = (uint8_t)value; break;
    case 16: memcpy(bytes, &b16, 2); break;
    case 32: memcpy(bytes, &b32, 4); break;
    default: memcpy(bytes, &value, 8); break;
    }
}

static ALWAYS_INLINE int64_t
sign_extend(uint64_t raw, uint32_t bits)
{
    uint64_t sign = (uint64_t)1 << (bits - 1);
    return (int64_t)(raw ^ sign) - (int64_t)sign;
}

static ALWAYS_INLINE float
decode_float(uint64_t raw, uint32_t bits)
{
    uint32_t b32 = (uint32_t)raw;
    float f32;
    double f64;
    if (bits == 16)
        return format_half_to_float(b32);
    memcpy(&f32, &b32, 4);
    memcpy(&f64, &raw, 8);
    return bits == 32 ? f32 : (float)f64;
}

static ALWAYS_INLINE uint64_t
encode_float(float value, uint32_t bits)
{
    double f64 = value;
    uint32_t b32;
    uint64_t b64;
    if (bits == 16)
        return float_to_half(value);
    memcpy(&b32, &value, 4);
    memcpy(&b64, &f64, 8);
    return bits == 32 ? b32 : b64;
}

/* Integers keep their bits in a float, which is only copied. */
static ALWAYS_INLINE float
float_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static ALWAYS_INLINE uint32_t
bits_of_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static ALWAYS_INLINE float
decode(enum conversion conversion, uint32_t bits, uint64_t raw)
{
    uint64_t umax = ((uint64_t)1 << (bits & 63)) - 1;
    int64_t smax = (int64_t)(umax >> 1), value;
    switch (conversion) {
    case UNORM: return bits <= 24 ? (float)raw / (float)umax : (float)((double)raw / (double)umax);
    case SNORM:
        value = sign_extend(raw, bits);
        value = value < -smax ? -smax : value;
        return bits <= 24 ? (float)value / (float)smax : (float)((double)value / (double)smax);
    case USCALED: return (float)raw;
    case SSCALED: return (float)sign_extend(raw, bits);
    case FLOAT: return decode_float(raw, bits);
    case FIXED: return (float)((double)sign_extend(raw, bits) / 65536.0);
    case UINT: return float_of_bits((uint32_t)raw);
    case SINT: return float_of_bits((uint32_t)sign_extend(raw, bits));
    default: return srgb_linear[raw & 255];
    }
}

/* Rounds value * scale to the nearest integer in [low, high]. NaN becomes 0. */
static ALWAYS_INLINE int64_t
scaled_integer(float value, double scale, double low, double high)
{
    double scaled = (double)value * scale;
    if (!(scaled == scaled))
        return 0;
    scaled = scaled < low ? low : scaled;
    scaled = scaled > high ? high : scaled;
    return (int64_t)(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
}

static ALWAYS_INLINE int64_t
clamp_integer(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

static ALWAYS_INLINE uint64_t
encode(enum conversion conversion, uint32_t bits, float value)
{
    uint64_t mask = ((uint64_t)1 << (bits & 63)) - 1;
    double umax = (double)mask, smax = (double)(mask >> 1);
    switch (conversion) {
    case UNORM: return (uint64_t)scaled_integer(value, umax, 0, umax);
    case SNORM: return (uint64_t)scaled_integer(value, smax, -smax, smax) & mask;
    case USCALED: return (uint64_t)scaled_integer(value, 1, 0, umax);
    case SSCALED: return (uint64_t)scaled_integer(value, 1, -smax - 1, smax) & mask;
    case FLOAT: return encode_float(value, bits);
    case FIXED: return (uint64_t)scaled_integer(value, 65536, -smax - 1, smax) & mask;
    case UINT: return (uint64_t)clamp_integer(bits_of_float(value), 0, (int64_t)mask);
    case SINT:
        return (uint64_t)clamp_integer((int32_t)bits_of_float(value), -(int64_t)(mask >> 1) - 1,
                                       (int64_t)(mask >> 1)) &
               mask;
    default: return linear_to_srgb(value);
    }
}

/* sRGB formats store alpha as a linear value. */
static ALWAYS_INLINE enum conversion
element_conversion(enum conversion conversion, const char *swizzle, uint32_t element)
{
    return conversion == SRGB && swizzle[3] == "xyzw"[element] ? UNORM : conversion;
}

static ALWAYS_INLINE void
swizzle_out(const float element[4], const char *swizzle, float one, float rgba[4])
{
    for (int c = 0; c < 4; c++) {
        switch (swizzle[c]) {
        case 'x': rgba[c] = element[0]; break;
        case 'y': rgba[c] = element[1]; break;
        case 'z': rgba[c] = element[2]; break;
        case 'w': rgba[c] = element[3]; break;
        default: rgba[c] = swizzle[c] == '1' ? one : 0.0f; break;
        }
    }
}

/* Returns the value to store in an element: the first channel that reads it, or 1 if no channel
 * does. */
static ALWAYS_INLINE float
swizzle_in(const float rgba[4], const char *swizzle, uint32_t element)
{
    for (int c = 0; c < 4; c++)
        if (swizzle[c] == "xyzw"[element])
            return rgba[c];
    return 1.0f;
}

/* The value of 1 in a format. */
static ALWAYS_INLINE float
one_of(enum conversion conversion)
{
    return conversion == UINT || conversion == SINT ? float_of_bits(1) : 1.0f;
}

static ALWAYS_INLINE void
unpack_array(const uint8_t *block, uint32_t elements, uint32_t bits, enum conversion conversion,
             const char *swizzle, float rgba[4])
{
    float element[4] = {0};
    for (uint32_t i = 0; i < elements; i++)
        element[i] = decode(element_conversion(conversion, swizzle, i), bits,
                            load_bits(block + i * bits / 8, bits));
    swizzle_out(element, swizzle, one_of(conversion), rgba);
}

static ALWAYS_INLINE void
pack_array(const float rgba[4], uint32_t elements, uint32_t bits, enum conversion conversion,
           const char *swizzle, uint8_t *block)
{
    for (uint32_t i = 0; i < elements; i++)
        store_bits(
            block + i * bits / 8, bits,
            encode(element_conversion(conversion, swizzle, i), bits, swizzle_in(rgba, swizzle, i)));
}

static ALWAYS_INLINE void
unpack_packed(const uint8_t *block, uint32_t bytes, enum conversion conversion,
              const uint8_t bits[4], const char *swizzle, float rgba[4])
{
    uint64_t word = load_bits(block, bytes * 8);
    float element[4] = {0};
    uint32_t shift = 0;
    for (uint32_t i = 0; i < 4 && bits[i]; shift += bits[i++])
        element[i] = decode(conversion, bits[i], word >> shift & (((uint64_t)1 << bits[i]) - 1));
    swizzle_out(element, swizzle, one_of(conversion), rgba);
}

static ALWAYS_INLINE void
pack_packed(const float rgba[4], uint32_t bytes, enum conversion conversion, const uint8_t bits[4],
            const char *swizzle, uint8_t *block)
{
    uint64_t word = 0;
    uint32_t shift = 0;
    for (uint32_t i = 0; i < 4 && bits[i]; shift += bits[i++])
        word |= encode(conversion, bits[i], swizzle_in(rgba, swizzle, i)) << shift;
    store_bits(block, bytes * 8, word);
}

static ALWAYS_INLINE void
unpack_depth(const uint8_t *block, uint32_t bytes, uint32_t bits, uint32_t shift, bool is_float,
             float rgba[4])
{
    uint64_t raw = load_bits(block, bytes * 8) >> shift & (((uint64_t)1 << bits) - 1);
    rgba[0] = decode(is_float ? FLOAT : UNORM, bits, raw);
    rgba[1] = rgba[2] = 0;
    rgba[3] = 1;
}

static ALWAYS_INLINE void
pack_depth(const float rgba[4], uint32_t bytes, uint32_t bits, uint32_t shift, bool is_float,
           uint8_t *block)
{
    store_bits(block, bytes * 8, encode(is_float ? FLOAT : UNORM, bits, rgba[0]) << shift);
}

static ALWAYS_INLINE void
unpack_s3tc_texel(bool srgb, const uint8_t *texel, float rgba[4])
{
    for (int c = 0; c < 3; c++)
        rgba[c] = decode(srgb ? SRGB : UNORM, 8, texel[c]);
    rgba[3] = decode(UNORM, 8, texel[3]);
}

/* Signed values are stored in two's complement. */
static ALWAYS_INLINE void
unpack_rgtc_texel(uint32_t channels, bool is_signed, const char *swizzle, const uint8_t *texel,
                  float rgba[4])
{
    float element[4] = {0}, max = is_signed ? 127.0f : 255.0f;
    for (uint32_t i = 0; i < channels; i++)
        element[i] = (float)(is_signed ? (int8_t)texel[i] : texel[i]) / max;
    swizzle_out(element, swizzle, 1.0f, rgba);
}

static ALWAYS_INLINE void
expand_rgtc(uint32_t channels, bool is_signed, const uint8_t *block, uint32_t x, uint32_t y,
            uint8_t *texel)
{
    for (uint32_t i = 0; i < channels; i++)
        texel[i] = (uint8_t)rgtc_texel(is_signed, block + 8 * i, x, y);
}

#define UNPACK(name)                                                                               \
    static void unpack_##name(const uint8_t *block, uint32_t x, uint32_t y, float rgba[4])
#define EXPAND(name)                                                                               \
    static void expand_##name(const uint8_t *block, uint32_t x, uint32_t y, uint8_t *texel)
#define UNPACK_EXPANDED(name)                                                                      \
    static void unpack_expanded_##name(const uint8_t *texel, float rgba[4])
#define PACK(name) static void pack_##name(const float rgba[4], uint8_t *block)

#define FORMAT_ARRAY(number, name, uses, elements, bits, conversion, swizzle)                      \
    UNPACK(name)                                                                                   \
    {                                                                                              \
        unpack_array(block, elements, bits, conversion, swizzle, rgba);                            \
    }                                                                                              \
    PACK(name)                                                                                     \
    {                                                                                              \
        pack_array(rgba, elements, bits, conversion, swizzle, block);                              \
    }
#define FORMAT_PACKED(number, name, uses, bytes, conversion, b0, b1, b2, b3, swizzle)              \
    UNPACK(name)                                                                                   \
    {                                                                                              \
        unpack_packed(block, bytes, conversion, (const uint8_t[]){b0, b1, b2, b3}, swizzle, rgba); \
    }                                                                                              \
    PACK(name)                                                                                     \
    {                                                                                              \
        pack_packed(rgba, bytes, conversion, (const uint8_t[]){b0, b1, b2, b3}, swizzle, block);   \
    }
#define FORMAT_FLOATS(number, name, uses)                                                          \
    UNPACK(name)                                                                                   \
    {                                                                                              \
        format_unpack_##name(block, rgba);                                                         \
    }                                                                                              \
    PACK(name)                                                                                     \
    {                                                                                              \
        format_pack_##name(rgba, block);                                                           \
    }
#define FORMAT_DEPTH(number, name, bytes, dbits, dshift, sbits, sshift, is_float)                  \
    UNPACK(name)                                                                                   \
    {                                                                                              \
        unpack_depth(block, bytes, dbits, dshift, is_float, rgba);                                 \
    }                                                                                              \
    PACK(name)                                                                                     \
    {                                                                                              \
        pack_depth(rgba, bytes, dbits, dshift, is_float, block);                                   \
    }
#define FORMAT_S3TC(number, name, bytes, kind, srgb)                                               \
    EXPAND(name)                                                                                   \
    {                                                                                              \
        s3tc_texel(kind, block, x, y, texel);                                                      \
    }                                                                                              \
    UNPACK_EXPANDED(name)                                                                          \
    {                                                                                              \
        unpack_s3tc_texel(srgb, texel, rgba);                                                      \
    }                                                                                              \
    UNPACK(name)                                                                                   \
    {                                                                                              \
        uint8_t texel[4];                                                                          \
        expand_##name(block, x, y, texel);                                                         \
        unpack_expanded_##name(texel, rgba);                                                       \
    }
#define FORMAT_RGTC(number, name, channels, is_signed, swizzle)                                    \
    EXPAND(name)                                                                                   \
    {                                                                                              \
        expand_rgtc(channels, is_signed, block, x, y, texel);                                      \
    }                                                                                              \
    UNPACK_EXPANDED(name)                                                                          \
    {                                                                                              \
        unpack_rgtc_texel(channels, is_signed, swizzle, texel, rgba);                              \
    }                                                                                              \
    UNPACK(name)                                                                                   \
    {                                                                                              \
        uint8_t texel[2];                                                                          \
        expand_##name(block, x, y, texel);                                                         \
        unpack_expanded_##name(texel, rgba);                                                       \
    }
#include "state/format.def"
#undef FORMAT_ARRAY
#undef FORMAT_PACKED
#undef FORMAT_FLOATS
#undef FORMAT_DEPTH
#undef FORMAT_S3TC
#undef FORMAT_RGTC

/* The table of formats. */
#define V               FORMAT_VERTEX
#define T               FORMAT_TEXTURE
#define C               FORMAT_COLOR
#define HAS(swizzle, c) ((swizzle)[c] >= 'w' ? 1 << (c) : 0)
#define CHANNELS(swizzle)                                                                          \
    (uint8_t)(HAS(swizzle, 0) | HAS(swizzle, 1) | HAS(swizzle, 2) | HAS(swizzle, 3))
#define PLAIN(number_, name_, uses_, bytes, conversion, swizzle)                                   \
    {                                                                                              \
        .number = number_, .name = #name_, .block_bytes = bytes, .block_width = 1,                 \
        .block_height = 1, .uses = uses_, .channels = CHANNELS(swizzle),                           \
        .is_srgb = conversion == SRGB, .is_float = conversion == FLOAT,                            \
        .is_signed = conversion == SNORM || conversion == SSCALED || conversion == FLOAT ||        \
                     conversion == FIXED || conversion == SINT,                                    \
        .is_integer = conversion == UINT || conversion == SINT,                                    \
        .is_normalized = conversion == UNORM || conversion == SNORM || conversion == SRGB,         \
        .expanded_bytes = bytes, .unpack = unpack_##name_, .pack = pack_##name_                    \
    }
#define FORMAT_ARRAY(number, name, uses, elements, bits, conversion, swizzle)                      \
    PLAIN(number, name, uses, (elements) * (bits) / 8, conversion, swizzle),
#define FORMAT_PACKED(number, name, uses, bytes, conversion, b0, b1, b2, b3, swizzle)              \
    PLAIN(number, name, uses, bytes, conversion, swizzle),
#define FORMAT_FLOATS(number, name, uses) PLAIN(number, name, uses, 4, FLOAT, "xyz1"),
#define FORMAT_DEPTH(number_, name_, bytes, dbits, dshift, sbits, sshift, float_)                  \
    {.number = number_,                                                                            \
     .name = #name_,                                                                               \
     .block_bytes = bytes,                                                                         \
     .block_width = 1,                                                                             \
     .block_height = 1,                                                                            \
     .uses = FORMAT_TEXTURE | FORMAT_DEPTH,                                                        \
     .channels = 1,                                                                                \
     .is_float = float_,                                                                           \
     .is_normalized = !(float_),                                                                   \
     .depth_bits = dbits,                                                                          \
     .depth_shift = dshift,                                                                        \
     .stencil_bits = sbits,                                                                        \
     .stencil_shift = sshift,                                                                      \
     .expanded_bytes = bytes,                                                                      \
     .unpack = unpack_##name_,                                                                     \
     .pack = pack_##name_},
#define FORMAT_S3TC(number_, name_, bytes, kind, srgb)                                             \
    {.number = number_,                                                                            \
     .name = #name_,                                                                               \
     .block_bytes = bytes,                                                                         \
     .block_width = 4,                                                                             \
     .block_height = 4,                                                                            \
     .uses = FORMAT_TEXTURE,                                                                       \
     .channels = (kind) == S3TC_DXT1_RGB ? 7 : 15,                                                 \
     .is_srgb = srgb,                                                                              \
     .is_normalized = true,                                                                        \
     .unpack = unpack_##name_,                                                                     \
     .expanded_bytes = 4,                                                                          \
     .expand = expand_##name_,                                                                     \
     .unpack_expanded = unpack_expanded_##name_},
#define FORMAT_RGTC(number_, name_, channels_, signed_, swizzle)                                   \
    {.number = number_,                                                                            \
     .name = #name_,                                                                               \
     .block_bytes = 8 * (channels_),                                                               \
     .block_width = 4,                                                                             \
     .block_height = 4,                                                                            \
     .uses = FORMAT_TEXTURE,                                                                       \
     .channels = CHANNELS(swizzle),                                                                \
     .is_signed = signed_,                                                                         \
     .is_normalized = true,                                                                        \
     .unpack = unpack_##name_,                                                                     \
     .expanded_bytes = channels_,                                                                  \
     .expand = expand_##name_,                                                                     \
     .unpack_expanded = unpack_expanded_##name_},

static const struct format_info formats[] = {
#include "state/format.def"
};

size_t
format_count(void)
{
    return sizeof formats / sizeof *formats;
}

const struct format_info *
format_at(size_t i)
{
    return &formats[i];
}

const struct format_info *
format_get(uint32_t number)
{
    size_t low = 0, high = format_count(); /* the table is sorted by number */
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (formats[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < format_count() && formats[low].number == number ? &formats[low] : NULL;
}
