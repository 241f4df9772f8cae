/* Color Write and Blend (machine.md): blend functions and factors, logic operations, color masks.
 * Targets of 8 bits a channel blend in 8-bit fixed point, as ROPs of the time and the reference
 * renderer do: source and constant are rounded to bytes first, each product to a byte, and the sum
 * saturates. Others blend in single precision on unpacked pixels and are rounded to nearest by the
 * format's packing; sRGB targets blend linear values. What a format does not store reads as 1
 * (alpha) and is written as ones (the X of B8G8R8X8).
 *
 * B8G8R8A8 and B8G8R8X8 are done a quad at a time here, for speed; the bits are those of the
 * general way. Not modelled: a second source color, dithering (the reference does neither). */
#include "gfx/fragment.h"

#include "base/error.h"

#include <string.h>

typedef float color4 __attribute__((vector_size(16))); /* R, G, B, A */
typedef int32_t int4 __attribute__((vector_size(16)));

enum { /* targets of 8 bits a channel */
       FORMAT_B8G8R8A8_UNORM = 1,
       FORMAT_B8G8R8X8_UNORM = 2,
       FORMAT_A8R8G8B8_UNORM = 3,
       FORMAT_X8R8G8B8_UNORM = 4,
       FORMAT_R8_UNORM = 64,
       FORMAT_R8G8_UNORM = 65,
       FORMAT_R8G8B8A8_UNORM = 67,
       FORMAT_X8B8G8R8_UNORM = 68,
       FORMAT_A8B8G8R8_UNORM = 121,
       FORMAT_R8G8B8X8_UNORM = 134
};
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

/* What the target can hold: the source color and the constant color are clamped to it. */
static color4
clamp_to_target(const struct draw *draw, const struct format_info *format, color4 color)
{
    if (format->is_normalized && !format->is_float && format->is_signed &&
        !draw->rasterizer.clamp_fragment_color)
        return clamp4(color, -1.0f, 1.0f);
    if ((format->is_normalized && !format->is_float) || format->is_srgb ||
        draw->rasterizer.clamp_fragment_color)
        return clamp4(color, 0.0f, 1.0f);
    return color;
}

static color4
factor(uint8_t which, bool is_alpha, color4 src, color4 dst, color4 constant)
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
    case FACTOR_ZERO:
    case FACTOR_SRC1_COLOR:
    case FACTOR_SRC1_ALPHA: return splat(0.0f);
    case FACTOR_INV_SRC_COLOR: return one - src;
    case FACTOR_INV_SRC_ALPHA: return splat(1.0f - src[3]);
    case FACTOR_INV_DST_ALPHA: return splat(1.0f - dst[3]);
    case FACTOR_INV_DST_COLOR: return one - dst;
    case FACTOR_INV_CONST_COLOR: return one - constant;
    case FACTOR_INV_CONST_ALPHA: return splat(1.0f - constant[3]);
    case FACTOR_INV_SRC1_COLOR:
    case FACTOR_INV_SRC1_ALPHA: return one;
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

static color4
blend_color(const struct blend_target *rt, color4 src, color4 dst, color4 constant)
{
    color4 rgb = combine(rt->rgb_func, src, factor(rt->rgb_src, false, src, dst, constant), dst,
                         factor(rt->rgb_dst, false, src, dst, constant));
    if (rt->alpha_func == rt->rgb_func && rt->alpha_src == rt->rgb_src &&
        rt->alpha_dst == rt->rgb_dst && rt->rgb_src != FACTOR_SRC_ALPHA_SATURATE &&
        rt->rgb_dst != FACTOR_SRC_ALPHA_SATURATE)
        return rgb; /* alpha has come out right with the rest */
    const color4 alpha =
        combine(rt->alpha_func, src, factor(rt->alpha_src, true, src, dst, constant), dst,
                factor(rt->alpha_dst, true, src, dst, constant));
    rgb[3] = alpha[3];
    return rgb;
}

/* Bytes of one or four pixels in 16-bit places, alpha at 3, 7, 11, 15. */
enum { BYTES = 16 };

static void
factor8(uint8_t which, bool is_alpha, const uint16_t *src, const uint16_t *dst,
        const uint16_t *constant, uint16_t *out)
{
    for (uint32_t i = 0; i < BYTES; i++) {
        const uint32_t a = i | 3;
        uint32_t value = 0;
        switch ((enum blend_factor)which) {
        case FACTOR_ONE:
        case FACTOR_INV_SRC1_COLOR:
        case FACTOR_INV_SRC1_ALPHA: value = 255; break;
        case FACTOR_SRC_COLOR: value = src[i]; break;
        case FACTOR_SRC_ALPHA: value = src[a]; break;
        case FACTOR_DST_ALPHA: value = dst[a]; break;
        case FACTOR_DST_COLOR: value = dst[i]; break;
        case FACTOR_SRC_ALPHA_SATURATE:
            value = is_alpha ? 255u : src[a] < 255 - dst[a] ? src[a] : 255u - dst[a];
            break;
        case FACTOR_CONST_COLOR: value = constant[i]; break;
        case FACTOR_CONST_ALPHA: value = constant[a]; break;
        case FACTOR_ZERO:
        case FACTOR_SRC1_COLOR:
        case FACTOR_SRC1_ALPHA: break;
        case FACTOR_INV_SRC_COLOR: value = 255u - src[i]; break;
        case FACTOR_INV_SRC_ALPHA: value = 255u - src[a]; break;
        case FACTOR_INV_DST_ALPHA: value = 255u - dst[a]; break;
        case FACTOR_INV_DST_COLOR: value = 255u - dst[i]; break;
        case FACTOR_INV_CONST_COLOR: value = 255u - constant[i]; break;
        case FACTOR_INV_CONST_ALPHA: value = 255u - constant[a]; break;
        }
        out[i] = (uint16_t)value;
    }
}

/* a * b / 255 in each place, as the reference divides: not always to nearest. */
static void
multiply8(const uint16_t *a, const uint16_t *b, uint16_t *out)
{
    for (uint32_t i = 0; i < BYTES; i++) {
        const uint16_t product = (uint16_t)(a[i] * b[i]);
        out[i] = (uint16_t)(product + (product >> 8) + 128) >> 8;
    }
}

static void
combine8(uint8_t func, const uint16_t *src, const uint16_t *src_factor, const uint16_t *dst,
         const uint16_t *dst_factor, uint16_t *out)
{
    uint16_t s[BYTES], d[BYTES];
    multiply8(src, src_factor, s);
    multiply8(dst, dst_factor, d);
    for (uint32_t i = 0; i < BYTES; i++) {
        int32_t value = 0;
        switch ((enum blend_func)func) {
        case BLEND_ADD: value = s[i] + d[i] < 255 ? s[i] + d[i] : 255; break;
        case BLEND_SUBTRACT: value = s[i] > d[i] ? s[i] - d[i] : 0; break;
        case BLEND_REVERSE_SUBTRACT: value = d[i] > s[i] ? d[i] - s[i] : 0; break;
        case BLEND_MIN: value = src[i] < dst[i] ? src[i] : dst[i]; break;
        case BLEND_MAX: value = src[i] > dst[i] ? src[i] : dst[i]; break;
        }
        out[i] = (uint16_t)value;
    }
}

static void
blend8(const struct blend_target *rt, const uint16_t *src, const uint16_t *dst,
       const uint16_t *constant, uint16_t *out)
{
    uint16_t src_factor[BYTES], dst_factor[BYTES], alpha[BYTES];
    factor8(rt->rgb_src, false, src, dst, constant, src_factor);
    factor8(rt->rgb_dst, false, src, dst, constant, dst_factor);
    combine8(rt->rgb_func, src, src_factor, dst, dst_factor, out);
    if (rt->alpha_func == rt->rgb_func && rt->alpha_src == rt->rgb_src &&
        rt->alpha_dst == rt->rgb_dst && rt->rgb_src != FACTOR_SRC_ALPHA_SATURATE &&
        rt->rgb_dst != FACTOR_SRC_ALPHA_SATURATE)
        return; /* alpha has come out right with the rest */
    factor8(rt->alpha_src, true, src, dst, constant, src_factor);
    factor8(rt->alpha_dst, true, src, dst, constant, dst_factor);
    combine8(rt->alpha_func, src, src_factor, dst, dst_factor, alpha);
    for (uint32_t i = 3; i < BYTES; i += 4)
        out[i] = alpha[i];
}

/* 0 .. 1 to 0 .. 255, to nearest, ties to even; NaN becomes 0. */
static uint16_t
to_byte(float value)
{
    const float clamped = value > 0.0f ? value < 1.0f ? value : 1.0f : 0.0f;
    const float shifted = clamped * 255.0f + 0x1p23f;
    uint32_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    return (uint16_t)(bits & 255);
}

static void
to_bytes(color4 color, uint16_t bytes[4])
{
    for (uint32_t c = 0; c < 4; c++)
        bytes[c] = to_byte(color[c]);
}

static color4
from_bytes(const uint16_t bytes[4])
{
    return (color4){bytes[0], bytes[1], bytes[2], bytes[3]} / 255.0f;
}

/* One pixel of a target of 8 bits a channel. */
static color4
blend_color8(const struct blend_target *rt, color4 src, color4 dst, color4 constant)
{
    uint16_t s[BYTES] = {0}, d[BYTES] = {0}, k[BYTES] = {0}, out[BYTES];
    to_bytes(src, s);
    if (!rt->enable)
        return from_bytes(s);
    to_bytes(dst, d);
    to_bytes(constant, k);
    blend8(rt, s, d, k, out);
    return from_bytes(out);
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
    /* The number's bits are the truth table: bit 0 for s=0 d=0, 1: s=0 d=1, 2: s=1 d=0, 3: both. */
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

/* Logic operations work on the stored bits, of the channels in the mask; bits that belong to no
 * channel stay ones. */
static void
logic_fragment(const struct draw *draw, const struct format_info *format, uint8_t colormask,
               color4 color, uint8_t *pixel)
{
    uint8_t src[MAX_PIXEL_BYTES], written[MAX_PIXEL_BYTES], always[MAX_PIXEL_BYTES];
    float rgba[4], mask[4];
    const float none[4] = {0};

    for (uint32_t c = 0; c < 4; c++)
        mask[c] = colormask >> c & 1 ? 1.0f : 0.0f;
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
    return draw->blend.logicop_enable && format->is_normalized && !format->is_float &&
           !format->is_signed && !format->is_srgb;
}

static void
general_fragment(const struct draw *draw, uint32_t target, const struct format_info *format,
                 color4 src, color4 constant, uint8_t *pixel)
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
        color = blend_color8(rt, src, dst, constant);
    else if (rt->enable)
        color = blend_color(rt, src, dst, constant);
    for (uint32_t c = 0; c < 4; c++)
        out[c] = masked && !(rt->colormask >> c & 1) ? dst[c] : color[c];
    format->pack(out, pixel);
}

void
blend_quad_general(const struct draw *draw, uint32_t target, uint32_t mask, const float rgba[4][4],
                   uint8_t *bytes)
{
    const struct format_info *format = draw->color[target].format;
    const color4 constant = clamp_to_target(draw, format, load_color(draw->blend_color));

    if (!(draw->blend.rt[target].colormask & format->channels))
        return;
    for (uint32_t i = 0; i < 4; i++)
        if (mask >> i & 1)
            general_fragment(draw, target, format,
                             clamp_to_target(draw, format, load_color(rgba[i])), constant,
                             bytes + (size_t)i * format->block_bytes);
}

static void
blend_quad_bgra8(const struct draw *draw, uint32_t target, uint32_t mask, const float rgba[4][4],
                 bool has_alpha, uint8_t *bytes)
{
    static const uint8_t place[4] = {2, 1, 0, 3};
    const struct blend_target *rt = &draw->blend.rt[target];
    uint16_t color[BYTES], src[BYTES], dst[BYTES], constant[BYTES];
    uint8_t old[BYTES], now[BYTES], kept[4];

    for (uint32_t i = 0; i < BYTES; i++)
        color[i] = to_byte(rgba[i / 4][i % 4]);
    for (uint32_t i = 0; i < BYTES; i++)
        src[i] = color[(i & ~3u) + place[i % 4]];
    memcpy(old, bytes, sizeof old);
    if (rt->enable) {
        for (uint32_t i = 0; i < BYTES; i++) {
            dst[i] = i % 4 == 3 && !has_alpha ? 255 : old[i];
            constant[i] = to_byte(draw->blend_color[place[i % 4]]);
        }
        uint16_t out[BYTES];
        blend8(rt, src, dst, constant, out);
        memcpy(src, out, sizeof src);
    }
    for (uint32_t i = 0; i < 4; i++)
        kept[i] = rt->colormask >> place[i] & 1 ? 0 : 255;
    for (uint32_t i = 0; i < BYTES; i++) {
        const uint8_t keep = mask >> i / 4 & 1 ? kept[i % 4] : 255;
        const uint8_t written = i % 4 == 3 && !has_alpha ? 255 : (uint8_t)src[i];
        now[i] = (uint8_t)((old[i] & keep) | (written & ~keep));
    }
    if (!has_alpha)
        for (uint32_t i = 0; i < 4; i++)
            if (mask >> i & 1)
                now[i * 4 + 3] = 255;
    memcpy(bytes, now, sizeof now);
}

void
blend_quad(const struct draw *draw, uint32_t target, uint32_t mask, const float rgba[4][4],
           uint8_t *bytes)
{
    const struct format_info *format = draw->color[target].format;
    const bool has_alpha = format->number == FORMAT_B8G8R8A8_UNORM;
    const bool by_logic = draw->blend.logicop_enable && draw->blend.logicop != LOGICOP_COPY;

    if (by_logic || (!has_alpha && format->number != FORMAT_B8G8R8X8_UNORM))
        blend_quad_general(draw, target, mask, rgba, bytes);
    else if (draw->blend.rt[target].colormask & format->channels)
        blend_quad_bgra8(draw, target, mask, rgba, has_alpha, bytes);
}

void
blend_quad_samples(const struct draw *draw, uint32_t target, uint32_t mask, const float rgba[4][4],
                   uint8_t *bytes)
{
    const uint32_t element_bytes = draw->color[target].format->block_bytes;
    uint8_t quad[4 * MAX_PIXEL_BYTES];
    float color[4][4];

    if (draw->samples == 1) {
        blend_quad(draw, target, mask, rgba, bytes);
        return;
    }
    memcpy(color, rgba, sizeof color);
    for (uint32_t i = 0; draw->multisample && draw->blend.alpha_to_one && i < 4; i++)
        color[i][3] = 1.0f;
    for (uint32_t s = 0; s < draw->samples; s++) {
        if (!(mask >> (4 * s) & 15))
            continue;
        sample_gather(bytes, element_bytes, draw->samples, s, quad);
        blend_quad(draw, target, mask >> (4 * s) & 15, color, quad);
        sample_scatter(quad, element_bytes, draw->samples, s, bytes);
    }
}
