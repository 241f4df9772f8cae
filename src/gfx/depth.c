/* Depth and stencil operations on a quad (docs/design/machine.md, Z and Stencil Test). Depth is
 * interpolated, clamped and rounded to the surface's format. It is compared as an integer, or as a
 * float for Z32_FLOAT. All stencil operations support separate front and back faces. An element of
 * a format is a word of 1, 2, 4 or 8 bytes with a depth field, a stencil field or both. */
#include "gfx/compare.h"
#include "gfx/fragment.h"

#include <math.h>
#include <string.h>

typedef float floats4 __attribute__((vector_size(16)));
typedef int32_t ints4 __attribute__((vector_size(16)));
typedef uint32_t words4 __attribute__((vector_size(16)));

static float
clamp_to(float value, float low, float high)
{
    return !(value > low) ? low : value > high ? high : value;
}

void
depth_range(const struct draw *draw, float *low, float *high)
{
    *low = 0.0f;
    *high = 1.0f;
    if (draw->rasterizer.depth_clip)
        return;
    const struct viewport_state *vp = &draw->viewport;
    const float far = vp->translate[2] + vp->scale[2];
    const float near =
        draw->rasterizer.clip_halfz ? vp->translate[2] : vp->translate[2] - vp->scale[2];
    *low = clamp_to(near < far ? near : far, 0.0f, 1.0f);
    *high = clamp_to(near < far ? far : near, 0.0f, 1.0f);
}

void
depth_interpolate(const struct triangle *triangle, uint32_t x, uint32_t y, float z[4])
{
    const float px = (float)x + 0.5f - triangle->origin_x;
    const float py = (float)y + 0.5f - triangle->origin_y;
    const floats4 dx = {px, px + 1.0f, px, px + 1.0f}, dy = {py, py, py + 1.0f, py + 1.0f};
    const struct plane *plane = &triangle->z;
    const floats4 at = plane->c + plane->a * dx + plane->b * dy;
    for (uint32_t i = 0; i < 4; i++)
        z[i] = clamp_to(at[i], triangle->z_min, triangle->z_max);
}

void
depth_interpolate_samples(const struct triangle *triangle, uint32_t x, uint32_t y,
                          float z[MAX_SAMPLES][4])
{
    const struct draw *draw = triangle->draw;
    const struct plane *plane = &triangle->z;
    if (!draw->multisample) {
        depth_interpolate(triangle, x, y, z[0]);
        for (uint32_t s = 1; s < draw->samples; s++)
            memcpy(z[s], z[0], sizeof z[0]);
        return;
    }
    const struct sample_position *at = sample_positions(draw->samples);
    for (uint32_t s = 0; s < draw->samples; s++) {
        const float px = (float)x + 0.5f + (float)at[s].x / SAMPLE_UNITS - triangle->origin_x;
        const float py = (float)y + 0.5f + (float)at[s].y / SAMPLE_UNITS - triangle->origin_y;
        const floats4 dx = {px, px + 1.0f, px, px + 1.0f}, dy = {py, py, py + 1.0f, py + 1.0f};
        const floats4 value = plane->c + plane->a * dx + plane->b * dy;
        for (uint32_t i = 0; i < 4; i++)
            z[s][i] = clamp_to(value[i], triangle->z_min, triangle->z_max);
    }
}

static uint64_t
load_element(const uint8_t *bytes, uint32_t size)
{
    uint64_t word = 0;
    memcpy(&word, bytes, size);
    return word;
}

static uint64_t
field_mask(uint32_t bits)
{
    return bits ? ~UINT64_C(0) >> (64 - bits) : 0;
}

/* Converts a depth in 0..1 to the stored format. */
static uint32_t
quantize(const struct format_info *format, float z)
{
    uint32_t bits;
    if (format->is_float) {
        memcpy(&bits, &z, sizeof bits);
        return bits;
    }
    if (format->depth_bits == 32)
        return (uint32_t)llrint((double)z * 4294967295.0);
    return (uint32_t)lrintf(z * (float)((1u << format->depth_bits) - 1));
}

static bool
compare_depth(const struct format_info *format, uint8_t func, uint32_t a, uint32_t b)
{
    float fa, fb;
    if (!format->is_float)
        return compare_values(func, a, b);
    memcpy(&fa, &a, sizeof fa);
    memcpy(&fb, &b, sizeof fb);
    return compare_values(func, fa, fb);
}

static uint8_t
stencil_apply(uint8_t op, uint8_t old, uint8_t ref)
{
    switch ((enum stencil_op)op) {
    case STENCIL_KEEP: return old;
    case STENCIL_ZERO: return 0;
    case STENCIL_REPLACE: return ref;
    case STENCIL_INCR: return old == 255 ? 255 : (uint8_t)(old + 1);
    case STENCIL_DECR: return old == 0 ? 0 : (uint8_t)(old - 1);
    case STENCIL_INCR_WRAP: return (uint8_t)(old + 1);
    case STENCIL_DECR_WRAP: return (uint8_t)(old - 1);
    case STENCIL_INVERT: return (uint8_t)~old;
    }
    BUG("stencil operation %u", op);
}

/* Tests one fragment against its element. Returns the new element. */
static uint64_t
test_fragment(const struct draw *draw, uint32_t face, uint32_t bit, uint32_t z, uint64_t word,
              struct depth_result *result)
{
    const struct format_info *format = draw->depth.format;
    const uint64_t z_mask = field_mask(format->depth_bits),
                   s_mask = field_mask(format->stencil_bits);
    const bool stencil = draw->stencil_test && format->stencil_bits;
    const struct stencil_face *ops = &draw->dsa.stencil[face];
    const uint8_t ref = draw->stencil_ref[face];
    const uint8_t old = (uint8_t)(word >> format->stencil_shift & s_mask);
    uint8_t op = ops->zpass_op;

    if (stencil && !compare_values(ops->func, ref & ops->valuemask, old & ops->valuemask)) {
        result->stencil_fail |= bit;
        op = ops->fail_op;
    } else if (draw->depth_test && format->depth_bits &&
               !compare_depth(format, draw->dsa.depth_func, z,
                              (uint32_t)(word >> format->depth_shift & z_mask))) {
        result->z_fail |= bit;
        op = ops->zfail_op;
    } else {
        result->pass |= bit;
        if (draw->depth_test && draw->depth_write) {
            word &= ~(z_mask << format->depth_shift);
            word |= (uint64_t)z << format->depth_shift;
            result->wrote = true;
        }
    }
    if (stencil && op != STENCIL_KEEP && ops->writemask) {
        const uint8_t now = stencil_apply(op, old, ref);
        const uint8_t merged = (uint8_t)((old & ~ops->writemask) | (now & ops->writemask));
        word &= ~(s_mask << format->stencil_shift);
        word |= (uint64_t)merged << format->stencil_shift;
        result->wrote = true;
    }
    return word;
}

/* Compares a with b. Returns a mask with all bits set in the lanes in which the comparison is
 * true. */
static ints4
compare4(uint8_t func, ints4 a, ints4 b)
{
    switch ((enum compare_func)func) {
    case FUNC_NEVER: return (ints4){0, 0, 0, 0};
    case FUNC_LESS: return a < b;
    case FUNC_EQUAL: return a == b;
    case FUNC_LEQUAL: return a <= b;
    case FUNC_GREATER: return a > b;
    case FUNC_NOTEQUAL: return a != b;
    case FUNC_GEQUAL: return a >= b;
    case FUNC_ALWAYS: return (ints4){-1, -1, -1, -1};
    }
    BUG("compare function %u", func);
}

/* Fast path for a whole quad: 24-bit depth in a 32-bit word, without stencil test. */
static struct depth_result
test_depth24(const struct draw *draw, uint32_t mask, const float z[4], uint8_t *bytes)
{
    const struct format_info *format = draw->depth.format;
    const uint32_t shift = format->depth_shift;
    struct depth_result result = {0};
    float low, high;
    words4 old;
    ints4 fixed, lanes;

    depth_range(draw, &low, &high);
    memcpy(&old, bytes, sizeof old);
    for (uint32_t i = 0; i < 4; i++) {
        fixed[i] = (int32_t)quantize(format, clamp_to(z[i], low, high));
        lanes[i] = mask >> i & 1 ? -1 : 0;
    }
    const ints4 stored = (ints4)(old >> shift & 0xffffff);
    const ints4 pass = compare4(draw->dsa.depth_func, fixed, stored) & lanes;
    for (uint32_t i = 0; i < 4; i++)
        result.pass |= (uint32_t)pass[i] & 1u << i;
    result.z_fail = mask & ~result.pass;
    if (draw->depth_write && result.pass) {
        const words4 written = (words4)pass & (words4){0xffffff, 0xffffff, 0xffffff, 0xffffff}
                                                  << shift;
        const words4 now = (old & ~written) | ((words4)fixed << shift & written);
        memcpy(bytes, &now, sizeof now);
        result.wrote = true;
    }
    return result;
}

struct depth_result
depth_test_quad(const struct draw *draw, bool front, uint32_t mask, const float z[4],
                uint8_t *bytes)
{
    const struct format_info *format = draw->depth.format;
    struct depth_result result = {0};
    float low, high;

    if ((!draw->depth_test && !draw->stencil_test) || !format) {
        result.pass = mask;
        return result;
    }
    if (draw->depth_test && !draw->stencil_test && format->depth_bits == 24 &&
        format->block_bytes == 4)
        return test_depth24(draw, mask, z, bytes);
    depth_range(draw, &low, &high);
    const uint32_t face = !front && draw->dsa.stencil[1].enabled;
    for (uint32_t i = 0; i < 4; i++) {
        if (!(mask >> i & 1))
            continue;
        uint8_t *element = bytes + (size_t)i * format->block_bytes;
        const uint64_t old = load_element(element, format->block_bytes);
        const uint32_t fixed = quantize(format, clamp_to(z[i], low, high));
        const uint64_t now = test_fragment(draw, face, 1u << i, fixed, old, &result);
        if (now != old)
            memcpy(element, &now, format->block_bytes);
    }
    return result;
}

enum { MAX_DEPTH_BYTES = 8 };

struct depth_result
depth_test_samples(const struct draw *draw, bool front, uint32_t mask,
                   const float z[MAX_SAMPLES][4], uint8_t *bytes)
{
    const struct format_info *format = draw->depth.format;
    struct depth_result result = {0};
    uint8_t quad[4 * MAX_DEPTH_BYTES];

    if (draw->samples == 1)
        return depth_test_quad(draw, front, mask, z[0], bytes);
    if ((!draw->depth_test && !draw->stencil_test) || !format) {
        result.pass = mask;
        return result;
    }
    for (uint32_t s = 0; s < draw->samples; s++) {
        if (!(mask >> (4 * s) & 15))
            continue;
        sample_gather(bytes, format->block_bytes, draw->samples, s, quad);
        const struct depth_result one =
            depth_test_quad(draw, front, mask >> (4 * s) & 15, z[s], quad);
        if (one.wrote)
            sample_scatter(quad, format->block_bytes, draw->samples, s, bytes);
        result.pass |= one.pass << (4 * s);
        result.z_fail |= one.z_fail << (4 * s);
        result.stencil_fail |= one.stencil_fail << (4 * s);
        result.wrote |= one.wrote;
    }
    return result;
}

/* Rounds a clear value in double precision to the nearest value of the format. */
static uint32_t
quantize_clear(const struct format_info *format, double depth)
{
    if (format->is_float)
        return quantize(format, clamp_to((float)depth, 0.0f, 1.0f));
    return (uint32_t)llrint(fmin(fmax(depth, 0.0), 1.0) * (double)field_mask(format->depth_bits));
}

void
depth_clear_element(const struct format_info *format, uint32_t buffers, double depth,
                    uint32_t stencil, uint8_t *element)
{
    uint64_t word = load_element(element, format->block_bytes);
    if (buffers & MASK_DEPTH && format->depth_bits) {
        word &= ~(field_mask(format->depth_bits) << format->depth_shift);
        word |= (uint64_t)quantize_clear(format, depth) << format->depth_shift;
    }
    if (buffers & MASK_STENCIL && format->stencil_bits) {
        const uint64_t mask = field_mask(format->stencil_bits);
        word &= ~(mask << format->stencil_shift);
        word |= (stencil & mask) << format->stencil_shift;
    }
    memcpy(element, &word, format->block_bytes);
}

float
depth_of_element(const struct format_info *format, const uint8_t *element)
{
    const uint64_t word = load_element(element, format->block_bytes) >> format->depth_shift;
    const uint32_t bits = (uint32_t)(word & field_mask(format->depth_bits));
    float depth;
    if (!format->is_float)
        return (float)((double)bits / (double)field_mask(format->depth_bits));
    memcpy(&depth, &bits, sizeof depth);
    return depth;
}

uint32_t
alpha_test_quad(const struct draw *draw, uint32_t mask, const float alpha[4])
{
    uint32_t pass = 0;
    if (!draw->dsa.alpha_enable)
        return mask;
    /* For an 8-bit target, alpha is compared with 8 bits, as in the reference renderer. */
    const struct format_info *format = draw->color_count ? draw->color[0].format : NULL;
    const bool bytes = format && format->is_normalized && !format->is_signed &&
                       format->block_bytes == 4 && format->channels & 1;
    for (uint32_t i = 0; i < 4; i++) {
        float a = alpha[i], ref = draw->dsa.alpha_ref;
        if (bytes) {
            a = rintf(clamp_to(a, 0.0f, 1.0f) * 255.0f);
            ref = rintf(clamp_to(ref, 0.0f, 1.0f) * 255.0f);
        }
        if (mask >> i & 1 && compare_values(draw->dsa.alpha_func, a, ref))
            pass |= 1u << i;
    }
    return pass;
}

uint32_t
alpha_to_coverage(const struct draw *draw, uint32_t mask, const float alpha[4])
{
    for (uint32_t s = 0; s < draw->samples; s++)
        for (uint32_t i = 0; i < 4; i++)
            if (!(alpha[i] > (float)s / (float)draw->samples))
                mask &= ~(1u << (4 * s + i));
    return mask;
}
