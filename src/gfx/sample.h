/* Texture sampling in three steps, so that the texture unit can put its caches between them:
 *
 *   sample_plan()    the request of one quad -> a list of passes: addresses and weights
 *   (fetch)          the bytes of each block, from memory or out of a cache line
 *   sample_filter()  texels and weights -> the result
 *
 * The unit of time is a pass: one bilinear (or nearest) sample for the four lanes of a quad.
 * Trilinear is 2 passes, 3D linear 2, anisotropic up to 16 times as many. LOD comes from the quad's
 * derivatives, one for the quad; explicit LOD and bias a lane. */
#ifndef AETIUS_GFX_SAMPLE_H
#define AETIUS_GFX_SAMPLE_H

#include "gfx/exec.h"
#include "gfx/memory.h"

enum { SAMPLE_MAX_PASSES = 64 };

/* The address of a texel that is not in memory: the border color, or, with x = TEXEL_CORNER, the
 * missing fourth texel at the corner of a seamless cube. */
#define TEXEL_BORDER 0u
enum { TEXEL_CORNER = 1 };

struct texel_ref {
    uint32_t address; /* of the block's first byte in memory, or TEXEL_BORDER */
    uint8_t x, y;     /* inside the block */
};

struct sample_pass {
    uint8_t lanes;                 /* which lanes need it */
    uint8_t linear;                /* which of them filter 4 texels; the others read 1 */
    struct texel_ref texels[4][4]; /* [lane][00, 10, 01, 11] */
    float fx[4], fy[4];            /* bilinear weights */
    float weight[4];               /* of the pass against those before it: r += weight * (p - r) */
};

struct sample_plan {
    const struct bound_view *bound;
    uint8_t target;
    float reference[4]; /* shadow targets */
    uint8_t mask;       /* lanes wanted */
    uint32_t pass_count;
    struct sample_pass passes[SAMPLE_MAX_PASSES];
};

/* Lanes 4 * quad .. + 3 of the request. */
void sample_plan(struct sample_plan *plan, const struct bound_view *bound,
                 const struct texture_request *request, uint32_t quad);

/* blocks[pass][lane][texel]: pointer to the block's bytes; NULL for the border. */
void sample_filter(const struct sample_plan *plan, const uint8_t *const (*blocks)[4][4],
                   float rgba[4][4] /* [channel][lane] */);

/* All three steps over all quads of a request, straight from memory; same bits as the steps. */
void sample_direct(const struct bound_view *bound, const struct gpu_memory *memory,
                   const struct texture_request *request, uint32_t lanes,
                   float (*rgba)[EXEC_MAX_LANES]);

/* Texture size query (TXQ): width, height, depth or layers, levels. */
void sample_size(const struct bound_view *bound, uint32_t level, int32_t size[4]);

#endif
