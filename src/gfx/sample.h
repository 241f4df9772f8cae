/* Texture sampling in steps, so that the Texture Unit can insert its caches between them:
 *
 *     sample_texture_init()   prepares a bound texture for instructions of a target; once
 *     sample_plan()           the request of one quad -> a list of passes: offsets and weights
 *     (fetch)                 the texels at these offsets, from memory or from cache lines
 *     sample_pass_filter()    the texels of a pass -> a value per lane
 *     sample_add(), sample_result()   values -> the result
 *
 * The unit of time is a pass: one bilinear (or nearest) sample for the four lanes of a quad.
 * Trilinear takes 2 passes, 3D linear 2, anisotropic up to 16 times as many. The LOD comes from the
 * quad's derivatives, one per quad; explicit LOD and bias are per lane. */
#ifndef AETIUS_GFX_SAMPLE_H
#define AETIUS_GFX_SAMPLE_H

#include "isa/exec.h"
#include "state/draw.h"
#include "state/memory.h"
#include "state/resource.h"

enum { SAMPLE_MAX_PASSES = 64 };

/* A bound texture as a texture target uses it. */
struct sample_setup {
    const struct bound_view *bound;
    const struct resource *res;
    uint8_t dims; /* number of filtered coordinates: 1, 2, 3 */
    bool cube, rect, shadow;
    int8_t layer_coord; /* coordinate of the array layer, -1: none */
    bool seamless;
    uint8_t wrap[3];
    bool power_of_two[3];
    uint32_t first_level, last_level; /* levels of the resource, clamped to its range */
    uint32_t first_layer, layers;     /* that the view shows, within the resource */
};

/* Layout of a level's texels. Offsets count bytes from the resource's start. In compressed formats
 * they count texels: 16 times the number of the block, plus the texel's Morton index. */
struct sample_level {
    int32_t width, height;
    uint32_t first, slice, row;  /* offset of the level; between slices; between rows of squares */
    uint32_t square_log2;        /* side of a square in texels */
    uint32_t square_stride_log2; /* distance between squares */
};

struct sample_texture {
    struct sample_setup setup;
    bool usable; /* false: every result is 0, 0, 0, 1 */
    /* Fast paths: planning four lanes at once; filtering four 8-bit channels at once, in memory
     * order. */
    bool plans_fast, filters_fast;
    bool repeats[2];           /* the fast plan wraps by repeat; false: by clamp to edge */
    uint8_t source[4];         /* filter channel of each result channel; 4: zero, 5: one */
    uint8_t texel_log2;        /* bytes of a texel as the caches hold it */
    uint8_t texel_stride_log2; /* offset step per texel: texel_log2, or 0 for compressed formats */
    float border[4];
    struct sample_level levels[RESOURCE_MAX_LEVELS];
};

struct sample_pass {
    uint8_t lanes;    /* lanes that need the pass */
    uint8_t linear;   /* lanes that filter 4 texels; the others read 1 */
    uint16_t texels;  /* bit 4 * i + lane: texel i of the lane is in memory; else border, or: */
    uint16_t corners; /* the missing fourth texel at the corner of a seamless cube */
    uint32_t texels_at[4][4]; /* [00, 10, 01, 11][lane] */
    float fx[4], fy[4];       /* bilinear weights */
    float weight[4];          /* relative to the passes before it: r += weight * (p - r) */
};

struct sample_plan {
    const struct sample_texture *texture;
    float reference[4];      /* shadow targets */
    uint8_t mask;            /* active lanes */
    int8_t offset[3];        /* texel offset, common to all lanes */
    uint32_t probes, levels; /* values of the first lane */
    uint32_t pass_count;
    struct sample_pass passes[SAMPLE_MAX_PASSES];
};

void sample_texture_init(struct sample_texture *texture, const struct bound_view *bound,
                         uint32_t target);

/* Plans lanes 4 * quad .. + 3 of the request. */
void sample_plan(struct sample_plan *plan, const struct sample_texture *texture,
                 const struct texture_request *request, uint32_t quad);

typedef float sample_value[4] __attribute__((aligned(16))); /* value of one lane */

/* Filters a pass. Texels are at texels + offset, expanded if the format is compressed. Offsets of
 * texels that are not in memory are ignored. */
void sample_pass_filter(const struct sample_texture *texture, const struct sample_pass *pass,
                        const uint8_t *texels, const float reference[4], sample_value value[4]);
/* Adds the value of the request's next pass to the sum. */
void sample_add(sample_value sum[4], const struct sample_pass *pass, bool is_first,
                const sample_value value[4]);
/* Computes the result of the lanes in the mask after `passes` passes. */
void sample_result(const struct sample_texture *texture, uint32_t mask, uint32_t passes,
                   const sample_value sum[4], float rgba[4][4] /* [channel][lane] */);

/* Runs all steps over all quads of a request, directly from memory. The results are bit-identical
 * to those of the single steps. */
void sample_direct(const struct bound_view *bound, const struct gpu_memory *memory,
                   const struct texture_request *request, uint32_t lanes,
                   float (*rgba)[EXEC_MAX_LANES]);

/* Texture size query (TXQ): width, height, depth or layers, levels. */
void sample_size(const struct bound_view *bound, uint32_t level, int32_t size[4]);

#endif
