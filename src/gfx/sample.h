/* Texture sampling in steps, so that the Texture Unit can insert its caches between them:
 *
 *     sample_texture_init()   prepares a bound texture, once, for instructions with a given target
 *     sample_plan()           converts the request of one quad to passes with offsets and weights
 *     (fetch)                 gets the texels at these offsets, from memory or from cache lines
 *     sample_pass_filter()    filters the texels of a pass to one value per lane
 *     sample_add(), sample_result()   combine the values to the result
 *
 * The unit of time is a pass: one bilinear (or nearest) sample for the four lanes of a quad.
 * Trilinear filtering takes 2 passes, linear filtering of 3D textures takes 2, and anisotropic
 * filtering takes up to 16 times as many. All lanes of a quad share an LOD from the quad's
 * derivatives. An explicit LOD or a bias is per lane. */
#ifndef AETIUS_GFX_SAMPLE_H
#define AETIUS_GFX_SAMPLE_H

#include "isa/exec.h"
#include "state/draw.h"
#include "state/memory.h"
#include "state/resource.h"

enum { SAMPLE_MAX_PASSES = 64 };

/* A bound texture, interpreted for a texture target. */
struct sample_setup {
    const struct bound_view *bound;
    const struct resource *res;
    uint8_t dims; /* number of filtered coordinates: 1, 2, 3 */
    bool cube, rect, shadow;
    bool multisample;   /* the level operand of a fetch is the number of a sample */
    int8_t layer_coord; /* coordinate with the array layer; -1: none */
    bool seamless;
    uint8_t wrap[3];
    bool power_of_two[3];
    uint32_t first_level, last_level; /* levels of the resource that the view selects */
    uint32_t first_layer, layers;     /* layers of the resource that the view selects */
};

/* Layout of a level's texels. Offsets are in bytes from the start of the resource. In compressed
 * formats they are in texels instead: 16 times the block number, plus the Morton index in the
 * block. */
struct sample_level {
    int32_t width, height;
    uint32_t first, slice, row;  /* offset of the level; distance of slices; of rows of squares */
    uint32_t square_log2;        /* side of a square in texels */
    uint32_t square_stride_log2; /* log2 of the distance between squares */
};

struct sample_texture {
    struct sample_setup setup;
    bool usable; /* if false, every result is 0, 0, 0, 1 */
    /* Fast paths: planning of four lanes at once; filtering of four 8-bit channels at once, in
     * memory order. */
    bool plans_fast, filters_fast;
    bool repeats[2];           /* the fast plan wraps with repeat; false: with clamp to edge */
    uint8_t source[4];         /* filter channel for each result channel; 4: zero, 5: one */
    uint8_t texel_log2;        /* log2 of the bytes of a texel in the caches */
    uint8_t texel_stride_log2; /* offset per texel: texel_log2, or 0 for compressed formats */
    uint8_t unit_log2;         /* log2 of the bytes that one step of an offset represents */
    float border[4];
    float one; /* value of swizzle source 5: 1, or the bits of the integer 1 */
    struct sample_level levels[RESOURCE_MAX_LEVELS];
};

struct sample_pass {
    uint8_t lanes;            /* lanes that take part in the pass */
    uint8_t linear;           /* lanes that filter 4 texels; the others read 1 */
    uint16_t texels;          /* bit 4 * i + lane: texel i is in memory, not border or corner */
    uint16_t corners;         /* same bits: missing fourth texel at the corner of a seamless cube */
    uint32_t texels_at[4][4]; /* [00, 10, 01, 11][lane] */
    float fx[4], fy[4];       /* bilinear weights */
    float weight[4];          /* weight relative to the earlier passes: r += weight * (p - r) */
};

struct sample_plan {
    const struct sample_texture *texture;
    float reference[4];      /* reference values for shadow targets */
    uint8_t mask;            /* active lanes */
    int8_t offset[3];        /* texel offset, common to all lanes */
    uint32_t probes, levels; /* values of the first lane */
    uint32_t pass_count;
    struct sample_pass passes[SAMPLE_MAX_PASSES];
};

void sample_texture_init(struct sample_texture *texture, const struct bound_view *bound,
                         uint32_t target);

/* Plans lanes 4 * quad to 4 * quad + 3 of the request. */
void sample_plan(struct sample_plan *plan, const struct sample_texture *texture,
                 const struct texture_request *request, uint32_t quad);

typedef float sample_value[4] __attribute__((aligned(16))); /* value of one lane */

/* Level of a texture without mipmaps that the quad would read if the texture had all of them. */
uint32_t sample_missing_level(const struct sample_setup *setup,
                              const struct texture_request *request, uint32_t quad);

/* Filters a pass. Texels are at texels + offset, in expanded form if the format is compressed.
 * Offsets of texels that are not in memory are ignored. */
void sample_pass_filter(const struct sample_texture *texture, const struct sample_pass *pass,
                        const uint8_t *texels, const float reference[4], sample_value value[4]);
/* Adds the value of the request's next pass to the weighted sum. */
void sample_add(sample_value sum[4], const struct sample_pass *pass, bool is_first,
                const sample_value value[4]);
/* Computes the result of the lanes in `mask` from the sum of `passes` passes. */
void sample_result(const struct sample_texture *texture, uint32_t mask, uint32_t passes,
                   const sample_value sum[4], float rgba[4][4] /* [channel][lane] */);

/* Performs all steps for all quads of a request, directly on memory. The results are bit-identical
 * to those of the separate steps. */
void sample_direct(const struct bound_view *bound, const struct gpu_memory *memory,
                   const struct texture_request *request, uint32_t lanes,
                   float (*rgba)[EXEC_MAX_LANES]);

/* Implements the texture size query (TXQ): width, height, depth or layers, levels. */
void sample_size(const struct bound_view *bound, uint32_t level, int32_t size[4]);

#endif
