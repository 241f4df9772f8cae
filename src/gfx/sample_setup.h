/* Functions shared by the sampling steps: LOD and wrapping. Private to the sample files.
 *
 * The rules are those of GL 2.1, sections 3.8.7 to 3.8.9. Where GL permits several results, this
 * code follows the reference renderer. log2 is linear between the powers of two of rho squared. An
 * LOD <= 0 selects magnification for any combination of filters. The mip level rounds to nearest
 * even. */
#ifndef AETIUS_GFX_SAMPLE_SETUP_H
#define AETIUS_GFX_SAMPLE_SETUP_H

#include "gfx/sample.h"

#include <string.h>

/* Returns false if no usable texture is bound. The result is then 0, 0, 0, 1. */
bool sample_setup_init(struct sample_setup *setup, const struct bound_view *bound, uint32_t target);

/* Filter and levels for one lane. */
struct lane_lod {
    bool linear;          /* linear filter within a level */
    uint32_t levels;      /* 1 or 2 */
    uint32_t level[2];    /* level numbers in the resource */
    float fraction;       /* weight of level[1] */
    uint32_t probes;      /* number of probes along the axis of anisotropy; 1: none */
    float axis_s, axis_t; /* step of one pixel along that axis, in coordinates */
};

/* Coordinates of one lane; for cube maps, on the selected face. */
struct lane_coord {
    float s, t, r;
    uint32_t layer; /* slice of the resource; 0 for 3D textures */
};

/* Computes coordinates and LOD of lanes 4 * quad to 4 * quad + 3. Returns whether all lanes have
 * the same LOD. */
bool sample_quad(const struct sample_setup *setup, const struct texture_request *request,
                 uint32_t quad, struct lane_coord coords[4], struct lane_lod lods[4]);

typedef float vec4 __attribute__((vector_size(16)));
typedef int32_t ivec4 __attribute__((vector_size(16)));
typedef uint32_t uvec4 __attribute__((vector_size(16)));

/* Decodes four 8-bit channels in memory order. */
static inline vec4
decode8(const uint8_t *texel)
{
    typedef uint8_t bytes16 __attribute__((vector_size(16)));
    typedef uint16_t words8 __attribute__((vector_size(16)));
    uvec4 word = {0};
    const bytes16 zero = {0};
    memcpy(&word, texel, 4);
    const words8 words = (words8)__builtin_shufflevector((bytes16)word, zero, 0, 16, 1, 17, 2, 18,
                                                         3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const ivec4 bytes =
        (ivec4)__builtin_shufflevector(words, (words8)zero, 0, 8, 1, 9, 2, 10, 3, 11);
    return __builtin_convertvector(bytes, vec4) / 255.0f;
}

static inline vec4
mix4(vec4 a, vec4 b, float f)
{
    return a + f * (b - a);
}

/* Returns floor(v) and the remaining fraction. The integer saturates at +-2^30; NaN gives -2^30. */
static inline int32_t
floor_fract(float v, float *fract)
{
    if (!(v > -0x1p30f && v < 0x1p30f)) {
        *fract = 0;
        return v > 0 ? 1 << 30 : -(1 << 30);
    }
    int32_t i = (int32_t)v;
    i -= v < (float)i;
    *fract = v - (float)i;
    return i;
}

static inline int32_t
floor_int(float v)
{
    float fract;
    return floor_fract(v, &fract);
}

/* Rounds to the nearest integer, ties to even. Large values are already integers. */
static inline float
round_even(float v)
{
    float magic = v < 0 ? -0x1p23f : 0x1p23f;
    return v > -0x1p22f && v < 0x1p22f ? (v + magic) - magic : v;
}

static inline float
absolute(float v)
{
    return v < 0 ? -v : v;
}

struct wrapped { /* neighbors along an axis; outside 0 .. size - 1: border */
    int32_t i0, i1;
    float f; /* weight of i1 */
};

/* Returns the distance of the coordinate from the nearest even integer, 0..1, for mirrored
 * wrapping. */
static inline float
mirror(float v)
{
    float half = v * 0.5f, f = half - round_even(half);
    f = absolute(f + f);
    return f >= 0 && f <= 1 ? f : 0;
}

static inline struct wrapped
repeat_linear(float v, int32_t size, bool power_of_two)
{
    struct wrapped w;
    if (power_of_two) {
        w.i0 = floor_fract(v * (float)size - 0.5f, &w.f);
        w.i1 = (w.i0 + 1) & (size - 1);
        w.i0 &= size - 1;
        return w;
    }
    float fract;
    floor_fract(v, &fract);
    w.i0 = floor_fract(fract * (float)size - 0.5f, &w.f);
    if (w.i0 < 0)
        w.i0 = size - 1;
    w.i1 = w.i0 < size - 1 ? w.i0 + 1 : 0;
    return w;
}

static inline struct wrapped
wrap_linear(uint32_t mode, float v, int32_t size, bool power_of_two, bool normalized)
{
    struct wrapped w;
    if (mode == WRAP_REPEAT && normalized)
        return repeat_linear(v, size, power_of_two);
    float length = (float)size;
    float u = mode == WRAP_MIRROR_REPEAT ? mirror(v) * length : normalized ? v * length : v;
    if (mode == WRAP_MIRROR_CLAMP || mode == WRAP_MIRROR_CLAMP_TO_EDGE ||
        mode == WRAP_MIRROR_CLAMP_TO_BORDER)
        u = absolute(u);
    if (mode != WRAP_CLAMP_TO_BORDER && mode != WRAP_MIRROR_CLAMP_TO_BORDER) {
        u = u < length ? u : length;
        u = u > 0 ? u : 0;
    }
    u -= 0.5f;
    bool to_edge = mode == WRAP_CLAMP_TO_EDGE || mode == WRAP_MIRROR_CLAMP_TO_EDGE ||
                   mode == WRAP_MIRROR_REPEAT || mode == WRAP_REPEAT;
    if (to_edge)
        u = u > 0 ? u : 0;
    w.i0 = floor_fract(u, &w.f);
    w.i1 = w.i0 + 1;
    if (to_edge && w.i1 > size - 1)
        w.i1 = size - 1;
    return w;
}

static inline int32_t
wrap_nearest(uint32_t mode, float v, int32_t size, bool power_of_two, bool normalized)
{
    float length = (float)size, fract;
    int32_t i;
    if (mode == WRAP_REPEAT && normalized && power_of_two)
        return floor_int(v * length) & (size - 1);
    if (mode == WRAP_REPEAT && normalized) {
        floor_fract(v, &fract);
        i = floor_int(fract * length);
    } else if (mode == WRAP_MIRROR_REPEAT) {
        i = floor_int(mirror(v) * length);
    } else {
        float u = normalized ? v * length : v;
        bool mirrored = mode == WRAP_MIRROR_CLAMP || mode == WRAP_MIRROR_CLAMP_TO_EDGE ||
                        mode == WRAP_MIRROR_CLAMP_TO_BORDER;
        i = floor_int(mirrored ? absolute(u) : u);
    }
    if (mode == WRAP_CLAMP_TO_BORDER || mode == WRAP_MIRROR_CLAMP_TO_BORDER)
        return i;
    i = i < size - 1 ? i : size - 1;
    return i > 0 ? i : 0;
}

/* Returns the offset of a texel within the level. */
static inline uint32_t
texel_address(const struct sample_texture *texture, uint32_t level, uint32_t x, uint32_t y,
              uint32_t z)
{
    const struct sample_level *l = &texture->levels[level];
    const uint32_t k = l->square_log2, inside = (1u << k) - 1;
    return l->first + z * l->slice + (y >> k) * l->row + ((x >> k) << l->square_stride_log2) +
           ((morton_spread(x & inside) | morton_spread(y & inside) << 1)
            << texture->texel_stride_log2);
}

/* Fast path of sample_plan(), for a texture with plans_fast and lanes with a common LOD. Returns
 * false if the general path is needed. */
bool sample_plan_fast(struct sample_plan *plan, const struct lane_coord coords[4],
                      const struct lane_lod *lod);

#endif
