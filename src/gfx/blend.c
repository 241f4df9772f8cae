/* Color Write and Blend (machine.md): blend functions and factors, logic operations, color masks.
 * Blending is done in single precision on unpacked pixels and rounded to nearest by the format's
 * packing; sRGB targets blend linear values. What a format does not store reads as 1 (alpha) and
 * is written as ones (the X of B8G8R8X8).
 *
 * B8G8R8A8 and B8G8R8X8 have their conversions written out here, for speed; the bits are those of
 * the general way. Not modelled: a second source color, dithering (the reference does neither). */
#include "gfx/fragment.h"

#include "base/error.h"

#include <string.h>

typedef float color4 __attribute__((vector_size(16))); /* R, G, B, A */
typedef double double4 __attribute__((vector_size(32)));
typedef int32_t int4 __attribute__((vector_size(16)));

enum { FORMAT_B8G8R8A8_UNORM = 1, FORMAT_B8G8R8X8_UNORM = 2 };
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
    if (rt->enable)
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

static color4
unpack_bgra8(uint32_t word)
{
    const int4 raw = {word >> 16 & 255, word >> 8 & 255, word & 255, word >> 24};
    return __builtin_convertvector(raw, color4) / 255.0f;
}

/* Of values from 0 to 1; the product and the sum are exact in double precision. */
static uint32_t
pack_bgra8(color4 color)
{
    const double4 scaled = __builtin_convertvector(color, double4) * 255.0;
    const int4 raw = __builtin_convertvector(scaled + 0.5, int4);
    return (uint32_t)raw[0] << 16 | (uint32_t)raw[1] << 8 | (uint32_t)raw[2] |
           (uint32_t)raw[3] << 24;
}

static void
blend_quad_bgra8(const struct draw *draw, uint32_t target, uint32_t mask, const float rgba[4][4],
                 bool has_alpha, uint8_t *bytes)
{
    const struct blend_target *rt = &draw->blend.rt[target];
    const uint32_t opaque = has_alpha ? 0 : UINT32_C(0xff000000);
    const color4 constant = clamp4(load_color(draw->blend_color), 0.0f, 1.0f);
    uint32_t kept = 0;

    for (uint32_t c = 0; c < 4; c++)
        if (!(rt->colormask >> c & 1))
            kept |= 255u << (c == 3 ? 24 : 16 - 8 * c);
    for (uint32_t i = 0; i < 4; i++) {
        if (!(mask >> i & 1))
            continue;
        color4 color = clamp4(load_color(rgba[i]), 0.0f, 1.0f);
        uint32_t old;
        memcpy(&old, bytes + 4 * i, sizeof old);
        if (rt->enable)
            color =
                clamp4(blend_color(rt, color, unpack_bgra8(old | opaque), constant), 0.0f, 1.0f);
        const uint32_t now = (old & kept) | (pack_bgra8(color) & ~kept) | opaque;
        memcpy(bytes + 4 * i, &now, sizeof now);
    }
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
