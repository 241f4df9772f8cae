/* Color Write and Blend (docs/design/machine.md, Color Write): blend functions and factors, logic
 * operations, color masks. Targets with 8 bits per channel blend in 8-bit fixed point, like
 * hardware of 2005 and the reference renderer. First the source and constant colors are rounded to
 * bytes. Then each product is rounded to a byte, and the sum saturates. Other targets blend
 * unpacked pixels in single precision, and packing rounds to nearest. sRGB targets blend linear
 * values. A channel that the format lacks reads as 1 (alpha), and its bits are written as ones (the
 * X of B8G8R8X8).
 *
 * B8G8R8A8 and B8G8R8X8 have fast paths for a whole quad, with results that are bit-identical to
 * those of the general code. Not modelled: dithering, which the reference renderer lacks too. */
#include "gfx/fragment.h"

#include "base/error.h"

#include <string.h>

typedef float color4 __attribute__((vector_size(16))); /* R, G, B, A */
typedef int32_t int4 __attribute__((vector_size(16)));

enum { LOGICOP_COPY = 12 };

static color4
splat(float value)
{
    return (color4){value, value, value, value};
}

static color4
select4(int4 which, color4 yes, color4 no)
{
    return (color4)(((int4)yes & which) | ((int4)no & ~which));
}

static color4
min4(color4 a, color4 b)
{
    return select4(a < b, a, b);
}

static color4
max4(color4 a, color4 b)
{
    return select4(a > b, a, b);
}

/* NaN becomes `low`. */
static color4
clamp4(color4 value, float low, float high)
{
    return min4(max4(value, splat(low)), splat(high));
}

static color4
load_color(const float rgba[4])
{
    color4 color;
    memcpy(&color, rgba, sizeof color);
    return color;
}

/* Clamps the source or constant color to the range of the target. */
static color4
clamp_to_target(const struct format_info *format, color4 color)
{
    if (format->is_normalized && !format->is_float && format->is_signed)
        return clamp4(color, -1.0f, 1.0f);
    if ((format->is_normalized && !format->is_float) || format->is_srgb)
        return clamp4(color, 0.0f, 1.0f);
    return color;
}

static color4
factor(uint8_t which, bool is_alpha, color4 src, color4 src1, color4 dst, color4 constant)
{
    const color4 one = splat(1.0f);
    switch ((enum blend_factor)which) {
    case FACTOR_ONE: return one;
    case FACTOR_SRC_COLOR: return src;
    case FACTOR_SRC_ALPHA: return splat(src[3]);
    case FACTOR_DST_ALPHA: return splat(dst[3]);
    case FACTOR_DST_COLOR: return dst;
    case FACTOR_SRC_ALPHA_SATURATE:
        return is_alpha ? one : splat(src[3] < 1.0f - dst[3] ? src[3] : 1.0f - dst[3]);
    case FACTOR_CONST_COLOR: return constant;
    case FACTOR_CONST_ALPHA: return splat(constant[3]);
    case FACTOR_ZERO: return splat(0.0f);
    case FACTOR_SRC1_COLOR: return src1;
    case FACTOR_SRC1_ALPHA: return splat(src1[3]);
    case FACTOR_INV_SRC_COLOR: return one - src;
    case FACTOR_INV_SRC_ALPHA: return splat(1.0f - src[3]);
    case FACTOR_INV_DST_ALPHA: return splat(1.0f - dst[3]);
    case FACTOR_INV_DST_COLOR: return one - dst;
    case FACTOR_INV_CONST_COLOR: return one - constant;
    case FACTOR_INV_CONST_ALPHA: return splat(1.0f - constant[3]);
    case FACTOR_INV_SRC1_COLOR: return one - src1;
    case FACTOR_INV_SRC1_ALPHA: return splat(1.0f - src1[3]);
    }
    BUG("blend factor 0x%x", which);
}

static color4
combine(uint8_t func, color4 src, color4 src_factor, color4 dst, color4 dst_factor)
{
    switch ((enum blend_func)func) {
    case BLEND_ADD: return src * src_factor + dst * dst_factor;
    case BLEND_SUBTRACT: return src * src_factor - dst * dst_factor;
    case BLEND_REVERSE_SUBTRACT: return dst * dst_factor - src * src_factor;
    case BLEND_MIN: return min4(src, dst);
    case BLEND_MAX: return max4(src, dst);
    }
    BUG("blend function %u", func);
}

/* Whether alpha is blended with the equation of the colors. */
static bool
has_one_equation(const struct blend_target *rt)
{
    return rt->alpha_func == rt->rgb_func && rt->alpha_src == rt->rgb_src &&
           rt->alpha_dst == rt->rgb_dst && rt->rgb_src != FACTOR_SRC_ALPHA_SATURATE &&
           rt->rgb_dst != FACTOR_SRC_ALPHA_SATURATE;
}

static color4
blend_color(const struct blend_target *rt, color4 src, color4 src1, color4 dst, color4 constant)
{
    color4 rgb = combine(rt->rgb_func, src, factor(rt->rgb_src, false, src, src1, dst, constant),
                         dst, factor(rt->rgb_dst, false, src, src1, dst, constant));
    if (has_one_equation(rt))
        return rgb;
    const color4 alpha =
        combine(rt->alpha_func, src, factor(rt->alpha_src, true, src, src1, dst, constant), dst,
                factor(rt->alpha_dst, true, src, src1, dst, constant));
    rgb[3] = alpha[3];
    return rgb;
}

/* Bytes of two pixels in 16-bit elements. Alpha is in elements 3 and 7. */
typedef uint16_t bytes8 __attribute__((vector_size(16)));
typedef int16_t which8 __attribute__((vector_size(16)));
typedef uint8_t bytes16 __attribute__((vector_size(16))); /* bytes of a quad in memory order */

static bytes8
select8(which8 which, bytes8 yes, bytes8 no)
{
    return (yes & (bytes8)which) | (no & ~(bytes8)which);
}

static bytes8
min8(bytes8 a, bytes8 b)
{
    return select8((which8)(a < b), a, b);
}

static bytes8
alpha8(bytes8 color)
{
    return __builtin_shufflevector(color, color, 3, 3, 3, 3, 7, 7, 7, 7);
}

static bytes8
factor8(uint8_t which, bool is_alpha, bytes8 src, bytes8 src1, bytes8 dst, bytes8 constant)
{
    const bytes8 zero = {0}, one = zero + 255;
    switch ((enum blend_factor)which) {
    case FACTOR_ONE: return one;
    case FACTOR_SRC_COLOR: return src;
    case FACTOR_SRC_ALPHA: return alpha8(src);
    case FACTOR_DST_ALPHA: return alpha8(dst);
    case FACTOR_DST_COLOR: return dst;
    case FACTOR_SRC_ALPHA_SATURATE: return is_alpha ? one : min8(alpha8(src), one - alpha8(dst));
    case FACTOR_CONST_COLOR: return constant;
    case FACTOR_CONST_ALPHA: return alpha8(constant);
    case FACTOR_ZERO: return zero;
    case FACTOR_SRC1_COLOR: return src1;
    case FACTOR_SRC1_ALPHA: return alpha8(src1);
    case FACTOR_INV_SRC1_COLOR: return one - src1;
    case FACTOR_INV_SRC1_ALPHA: return one - alpha8(src1);
    case FACTOR_INV_SRC_COLOR: return one - src;
    case FACTOR_INV_SRC_ALPHA: return one - alpha8(src);
    case FACTOR_INV_DST_ALPHA: return one - alpha8(dst);
    case FACTOR_INV_DST_COLOR: return one - dst;
    case FACTOR_INV_CONST_COLOR: return one - constant;
    case FACTOR_INV_CONST_ALPHA: return one - alpha8(constant);
    }
    return zero;
}

/* Computes a * b / 255 per element with the rounding of the reference renderer, which is not always
 * to nearest. */
static bytes8
multiply8(bytes8 a, bytes8 b)
{
    const bytes8 product = a * b;
    return (product + (product >> 8) + 128) >> 8;
}

static bytes8
combine8(uint8_t func, bytes8 src, bytes8 src_factor, bytes8 dst, bytes8 dst_factor)
{
    const bytes8 s = multiply8(src, src_factor), d = multiply8(dst, dst_factor);
    switch ((enum blend_func)func) {
    case BLEND_ADD: return min8(s + d, (bytes8){0} + 255);
    case BLEND_SUBTRACT: return s - min8(s, d);
    case BLEND_REVERSE_SUBTRACT: return d - min8(s, d);
    case BLEND_MIN: return min8(src, dst);
    case BLEND_MAX: return src + dst - min8(src, dst);
    }
    return (bytes8){0};
}

static bytes8
blend8(const struct blend_target *rt, bytes8 src, bytes8 src1, bytes8 dst, bytes8 constant)
{
    const bytes8 rgb =
        combine8(rt->rgb_func, src, factor8(rt->rgb_src, false, src, src1, dst, constant), dst,
                 factor8(rt->rgb_dst, false, src, src1, dst, constant));
    if (has_one_equation(rt))
        return rgb;
    const bytes8 alpha =
        combine8(rt->alpha_func, src, factor8(rt->alpha_src, true, src, src1, dst, constant), dst,
                 factor8(rt->alpha_dst, true, src, src1, dst, constant));
    return select8((which8){0, 0, 0, -1, 0, 0, 0, -1}, alpha, rgb);
}

/* Converts 0..1 to 0..255 with rounding to nearest, ties to even. NaN becomes 0. */
static int4
to_int_bytes(color4 color)
{
    const color4 clamped = select4(color > 0.0f, min4(color, splat(1.0f)), splat(0.0f));
    return (int4)(clamped * 255.0f + 0x1p23f) & 255;
}

/* Converts two pixels to 16-bit elements. */
static bytes8
to_bytes(color4 first, color4 second)
{
    const bytes8 a = (bytes8)to_int_bytes(first), b = (bytes8)to_int_bytes(second);
    return __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14);
}

static color4
from_bytes(bytes8 bytes)
{
    return (color4){bytes[0], bytes[1], bytes[2], bytes[3]} / 255.0f;
}

/* Blends one pixel of a target with 8 bits per channel. */
static color4
blend_color8(const struct blend_target *rt, color4 src, color4 src1, color4 dst, color4 constant)
{
    const bytes8 s = to_bytes(src, src);
    return from_bytes(rt->enable ? blend8(rt, s, to_bytes(src1, src1), to_bytes(dst, dst),
                                          to_bytes(constant, constant))
                                 : s);
}

static bool
has_bytes(const struct format_info *format)
{
    switch (format->number) {
    case FORMAT_B8G8R8A8_UNORM:
    case FORMAT_B8G8R8X8_UNORM:
    case FORMAT_A8R8G8B8_UNORM:
    case FORMAT_X8R8G8B8_UNORM:
    case FORMAT_R8_UNORM:
    case FORMAT_R8G8_UNORM:
    case FORMAT_R8G8B8A8_UNORM:
    case FORMAT_X8B8G8R8_UNORM:
    case FORMAT_A8B8G8R8_UNORM:
    case FORMAT_R8G8B8X8_UNORM: return true;
    default: return false;
    }
}

static uint8_t
logic_operation(uint8_t op, uint8_t s, uint8_t d)
{
    /* `op` is the truth table: bit 0 for s=0 d=0, bit 1 for s=0 d=1, bit 2 for s=1 d=0, bit 3 for
     * s=1 d=1. */
    uint8_t result = 0;
    if (op & 1)
        result |= (uint8_t)(~s & ~d);
    if (op & 2)
        result |= (uint8_t)(~s & d);
    if (op & 4)
        result |= (uint8_t)(s & ~d);
    if (op & 8)
        result |= (uint8_t)(s & d);
    return result;
}

enum { MAX_PIXEL_BYTES = 16 };

/* Applies the logic operation to the stored bits of the channels in the mask. Bits that belong to
 * no channel stay ones. */
static void
logic_fragment(const struct draw *draw, const struct format_info *format, uint8_t colormask,
               color4 color, uint8_t *pixel)
{
    uint8_t src[MAX_PIXEL_BYTES], written[MAX_PIXEL_BYTES], always[MAX_PIXEL_BYTES];
    float rgba[4], mask[4];
    const float none[4] = {0};

    /* In an integer format, -1 or the largest value sets all bits of a channel. */
    for (uint32_t c = 0; c < 4; c++)
        mask[c] = colormask >> c & 1 ? 1.0f : 0.0f;
    for (uint32_t c = 0; c < 4 && format->is_integer; c++)
        memset(&mask[c], colormask >> c & 1 ? 0xff : 0, sizeof mask[c]);
    memcpy(rgba, &color, sizeof rgba);
    format->pack(rgba, src);
    format->pack(mask, written);
    format->pack(none, always);
    for (uint32_t i = 0; i < format->block_bytes; i++) {
        const uint8_t result = logic_operation(draw->blend.logicop, src[i], pixel[i]);
        pixel[i] = (uint8_t)((pixel[i] & ~written[i]) | (result & written[i]) | always[i]);
    }
}

static bool
logic_applies(const struct draw *draw, const struct format_info *format)
{
    return draw->blend.logicop_enable &&
           (format->is_integer ||
            (format->is_normalized && !format->is_float && !format->is_signed && !format->is_srgb));
}

static void
general_fragment(const struct draw *draw, uint32_t target, const struct format_info *format,
                 color4 src, color4 src1, color4 constant, uint8_t *pixel)
{
    const struct blend_target *rt = &draw->blend.rt[target];
    const uint8_t all = format->channels & 15;
    float dst_rgba[4], out[4];
    color4 dst = splat(0.0f), color = src;

    if (logic_applies(draw, format)) {
        logic_fragment(draw, format, rt->colormask, src, pixel);
        return;
    }
    const bool masked = (rt->colormask & all) != all;
    if (rt->enable || masked) {
        format->unpack(pixel, 0, 0, dst_rgba);
        dst = load_color(dst_rgba);
    }
    if (has_bytes(format))
        color = blend_color8(rt, src, src1, dst, constant);
    else if (rt->enable && !format->is_integer)
        color = blend_color(rt, src, src1, dst, constant);
    for (uint32_t c = 0; c < 4; c++)
        out[c] = masked && !(rt->colormask >> c & 1) ? dst[c] : color[c];
    format->pack(out, pixel);
}

void
blend_quad_general(const struct draw *draw, uint32_t target, uint32_t mask, const float rgba[4][4],
                   const float source1[4][4], uint8_t *bytes)
{
    const struct format_info *format = draw->color[target].format;
    const color4 constant = clamp_to_target(format, load_color(draw->blend_color));

    if (!(draw->blend.rt[target].colormask & format->channels))
        return;
    for (uint32_t i = 0; i < 4; i++)
        if (mask >> i & 1)
            general_fragment(draw, target, format, clamp_to_target(format, load_color(rgba[i])),
                             source1 ? clamp_to_target(format, load_color(source1[i]))
                                     : splat(0.0f),
                             constant, bytes + (size_t)i * format->block_bytes);
}

/* Loads R, G, B, A of a pixel in memory order. */
static color4
load_bgra(const float rgba[4])
{
    const color4 color = load_color(rgba);
    return __builtin_shufflevector(color, color, 2, 1, 0, 3);
}

/* Returns the mask of the bytes to write: those of the channels in the color mask, in the lanes of
 * `mask`. A missing alpha is always written. */
static bytes16
written_bytes(uint8_t colormask, uint32_t mask, bool has_alpha)
{
    const uint32_t pixel = (colormask & 4 ? 0xffu : 0) | (colormask & 2 ? 0xff00u : 0) |
                           (colormask & 1 ? 0xff0000u : 0) |
                           (colormask & 8 || !has_alpha ? 0xff000000u : 0);
    const int4 lanes = {1, 2, 4, 8};
    return (bytes16)(((lanes & (int32_t)mask) != 0) & (int32_t)pixel);
}

static void
blend_quad_bgra8(const struct draw *draw, uint32_t target, uint32_t mask, const float rgba[4][4],
                 bool has_alpha, uint8_t *bytes)
{
    const struct blend_target *rt = &draw->blend.rt[target];
    const bytes16 zero = {0}, write = written_bytes(rt->colormask, mask, has_alpha);
    const which8 ones = has_alpha ? (which8){0} : (which8){0, 0, 0, 255, 0, 0, 0, 255};
    bytes8 first = to_bytes(load_bgra(rgba[0]), load_bgra(rgba[1]));
    bytes8 second = to_bytes(load_bgra(rgba[2]), load_bgra(rgba[3]));
    bytes16 old, new;

    memcpy(&old, bytes, sizeof old);
    if (rt->enable) {
        const color4 constant_color = load_bgra(draw->blend_color);
        const bytes8 none = {0}, constant = to_bytes(constant_color, constant_color);
        const bytes8 a = (bytes8)__builtin_shufflevector(old, zero, 0, 16, 1, 17, 2, 18, 3, 19, 4,
                                                         20, 5, 21, 6, 22, 7, 23);
        const bytes8 b = (bytes8)__builtin_shufflevector(old, zero, 8, 24, 9, 25, 10, 26, 11, 27,
                                                         12, 28, 13, 29, 14, 30, 15, 31);
        first = blend8(rt, first, none, a | (bytes8)ones, constant);
        second = blend8(rt, second, none, b | (bytes8)ones, constant);
    }
    new = __builtin_shufflevector((bytes16)(first | (bytes8)ones), (bytes16)(second | (bytes8)ones),
                                  0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    new = (new &write) | (old & ~write);
    memcpy(bytes, &new, sizeof new);
}

void
blend_quad(const struct draw *draw, uint32_t target, uint32_t mask, const float rgba[4][4],
           const float source1[4][4], uint8_t *bytes)
{
    const struct format_info *format = draw->color[target].format;
    const bool has_alpha = format->number == FORMAT_B8G8R8A8_UNORM;
    const bool by_logic = draw->blend.logicop_enable && draw->blend.logicop != LOGICOP_COPY;

    if (by_logic || source1 || (!has_alpha && format->number != FORMAT_B8G8R8X8_UNORM))
        blend_quad_general(draw, target, mask, rgba, source1, bytes);
    else if (draw->blend.rt[target].colormask & format->channels)
        blend_quad_bgra8(draw, target, mask, rgba, has_alpha, bytes);
}

void
blend_quad_samples(const struct draw *draw, uint32_t target, uint32_t mask, const float rgba[4][4],
                   const float source1[4][4], uint8_t *bytes)
{
    const uint32_t element_bytes = draw->color[target].format->block_bytes;
    uint8_t quad[4 * MAX_PIXEL_BYTES];
    float color[4][4];

    if (draw->samples == 1) {
        blend_quad(draw, target, mask, rgba, source1, bytes);
        return;
    }
    memcpy(color, rgba, sizeof color);
    for (uint32_t i = 0; draw->multisample && draw->blend.alpha_to_one && i < 4; i++)
        color[i][3] = 1.0f;
    for (uint32_t s = 0; s < draw->samples; s++) {
        if (!(mask >> (4 * s) & 15))
            continue;
        sample_gather(bytes, element_bytes, draw->samples, s, quad);
        blend_quad(draw, target, mask >> (4 * s) & 15, color, source1, quad);
        sample_scatter(quad, element_bytes, draw->samples, s, bytes);
    }
}
