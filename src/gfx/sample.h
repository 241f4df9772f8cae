/* Texture sampling in steps, so that the texture unit can put its caches between them:
 *
 *   sample_texture_init()   what a bound texture is to the instructions of a target; once
 *   sample_plan()           the request of one quad -> a list of passes: places and weights
 *   (fetch)                 the texels at these places, from memory or out of cache lines
 *   sample_pass_filter()    the texels of a pass -> a value a lane
 *   sample_add(), sample_result()   values -> the result
 *
 * The unit of time is a pass: one bilinear (or nearest) sample for the four lanes of a quad.
 * Trilinear is 2 passes, 3D linear 2, anisotropic up to 16 times as many. LOD comes from the quad's
 * derivatives, one for the quad; explicit LOD and bias a lane. */
#ifndef AETIUS_GFX_SAMPLE_H
#define AETIUS_GFX_SAMPLE_H

#include "isa/exec.h"
#include "state/draw.h"
#include "state/memory.h"
#include "state/resource.h"

enum { SAMPLE_MAX_PASSES = 64 };

/* What a target makes of a texture. */
struct sample_setup {
    const struct bound_view *bound;
    const struct resource *res;
    uint8_t dims; /* coordinates that are filtered: 1, 2, 3 */
    bool cube, rect, shadow;
    int8_t layer_coord; /* which coordinate is the array layer, -1: none */
    bool seamless;
    uint8_t wrap[3];
    bool power_of_two[3];
    uint32_t first_level, last_level; /* of the resource, inside it */
    uint32_t first_layer, layers;     /* that the view shows, inside the resource */
};

/* Where a level's texels lie. A place counts bytes from the resource's start; in compressed formats
 * texels: 16 times the number of the block, plus the texel's in Morton order. */
struct sample_level {
    int32_t width, height;
    uint32_t first, slice, row; /* place of the level; from a slice, a row of squares to the next */
    uint32_t square_log2;       /* texels a side of a square */
    uint32_t square_stride_log2; /* from a square to the next */
};

struct sample_texture {
    struct sample_setup setup;
    bool usable; /* else every result is 0, 0, 0, 1 */
    /* Short ways: planning four lanes at once; filtering four 8-bit channels at once, in the order
     * in which they lie in memory. */
    bool plans_fast, filters_fast;
    bool repeats[2];    /* of the short plan: else clamped to the edge */
    uint8_t source[4];  /* channel of the filter that each of the result's is; 4: zero, 5: one */
    uint8_t texel_log2; /* bytes of a texel as the caches hold it */
    uint8_t texel_stride_log2; /* places of a texel: texel_log2, or 0 for compressed formats */
    float border[4];
    struct sample_level levels[RESOURCE_MAX_LEVELS];
};

struct sample_pass {
    uint8_t lanes;    /* which lanes need it */
    uint8_t linear;   /* which of them filter 4 texels; the others read 1 */
    uint16_t texels;  /* bit 4 * i + lane: texel i of the lane lies in memory; else border, or: */
    uint16_t corners; /* the missing fourth texel at the corner of a seamless cube */
    uint32_t texels_at[4][4]; /* [00, 10, 01, 11][lane] */
    float fx[4], fy[4];       /* bilinear weights */
    float weight[4];          /* of the pass against those before it: r += weight * (p - r) */
};

struct sample_plan {
    const struct sample_texture *texture;
    float reference[4];      /* shadow targets */
    uint8_t mask;            /* lanes wanted */
    int8_t offset[3];        /* texels by which all of them look elsewhere */
    uint32_t probes, levels; /* of the first lane */
    uint32_t pass_count;
    struct sample_pass passes[SAMPLE_MAX_PASSES];
};

void sample_texture_init(struct sample_texture *texture, const struct bound_view *bound,
                         uint32_t target);

/* Lanes 4 * quad .. + 3 of the request. */
void sample_plan(struct sample_plan *plan, const struct sample_texture *texture,
                 const struct texture_request *request, uint32_t quad);

typedef float sample_value[4] __attribute__((aligned(16))); /* of a lane */

/* The texels lie at texels + place, expanded where the format is compressed; places of texels that
 * are not in memory are not looked at. */
void sample_pass_filter(const struct sample_texture *texture, const struct sample_pass *pass,
                        const uint8_t *texels, const float reference[4], sample_value value[4]);
/* Adds the value of the request's next pass to the sum. */
void sample_add(sample_value sum[4], const struct sample_pass *pass, bool is_first,
                const sample_value value[4]);
/* The result of the lanes of the mask; `passes` were added. */
void sample_result(const struct sample_texture *texture, uint32_t mask, uint32_t passes,
                   const sample_value sum[4], float rgba[4][4] /* [channel][lane] */);

/* All steps over all quads of a request, straight from memory; same bits as the steps. */
void sample_direct(const struct bound_view *bound, const struct gpu_memory *memory,
                   const struct texture_request *request, uint32_t lanes,
                   float (*rgba)[EXEC_MAX_LANES]);

/* Texture size query (TXQ): width, height, depth or layers, levels. */
void sample_size(const struct bound_view *bound, uint32_t level, int32_t size[4]);

#endif
