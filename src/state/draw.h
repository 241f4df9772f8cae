/* A baked draw: everything that the pipeline needs to know of one draw call, fixed when the command
 * processor (or the functional renderer) reaches it, so that later state changes do not touch it.
 */
#ifndef AETIUS_STATE_DRAW_H
#define AETIUS_STATE_DRAW_H

#include "isa/program.h"
#include "state/cmd.h"

struct bound_view {                   /* a texture with its sampler */
    const struct resource *res;       /* NULL: nothing bound; reads give 0, 0, 0, 1 */
    const struct format_info *format; /* the view's */
    struct sampler_view view;
    struct sampler_state sampler;
};

struct bound_surface {          /* a render target */
    const struct resource *res; /* NULL: none */
    const struct format_info *format;
    uint32_t level, layer, width, height, samples;
    bool cleared; /* it held nothing but a clear's value when it was baked */
};

struct bound_attribute {
    uint32_t address; /* of element 0 in memory, offset and element offset included */
    uint32_t end;     /* first address outside the buffer: reads behind it give 0 */
    uint32_t stride, divisor;
    const struct format_info *format; /* NULL: (0, 0, 0, 1) */
};

enum varying_source {                   /* what feeds a fragment shader input */
                      VARYING_VERTEX,   /* vertex shader output `slot` */
                      VARYING_POSITION, /* window x, y, z, 1/w */
                      VARYING_FACE,     /* +1 front, -1 back in x */
                      VARYING_SPRITE,   /* point sprite coordinate */
                      VARYING_NONE,     /* nothing writes it: 0, 0, 0, 1 */
};

struct varying {
    uint8_t source;        /* enum varying_source */
    uint8_t slot;          /* vertex shader output */
    uint8_t back_slot;     /* under two-sided lighting: BCOLOR's, else = slot */
    uint8_t interpolation; /* CONSTANT (flat resolved already), LINEAR, PERSPECTIVE */
    bool centroid;         /* at a covered sample of the pixel, when not all are covered */
};

/* What a triangle list was made of: which edges are not a polygon's. */
enum inner_edges { INNER_NONE, INNER_QUADS, INNER_STRIP, INNER_POLYGON };

enum { MAX_QUAD_BYTES = 256 }; /* of 2x2 pixels in one surface, with all samples */

/* The program's own names, each "" when it said none; longer ones are cut. */
enum { MAX_LABEL = 255, MAX_NAME = 63 };
struct draw_names {
    char label[MAX_LABEL + 1]; /* groups and marker: "shadows/terrain/sent" */
    char program[MAX_NAME + 1], target[MAX_NAME + 1]; /* what is in use */
};

struct draw {
    uint32_t number; /* in its frame, 0, 1, ... */
    uint32_t client;
    const struct draw_names *names;
    struct draw_params params;
    uint32_t index_address, index_end, index_bytes; /* indexed: first index; 1, 2, 4 bytes each */
    enum inner_edges inner_edges;

    uint32_t attribute_count;
    struct bound_attribute attributes[MAX_ATTRIBUTES];

    const struct program *program[STAGE_COUNT];
    const float (*constants[STAGE_COUNT])[4];
    uint32_t constant_count[STAGE_COUNT];
    struct bound_view views[STAGE_COUNT][MAX_SAMPLERS];

    struct rasterizer_state rasterizer;
    struct viewport_state viewport;
    struct dsa_state dsa;
    struct blend_state blend;
    float blend_color[4];
    uint8_t stencil_ref[2];
    float clip_planes[MAX_CLIP_PLANES][4];
    uint32_t stipple[32];
    uint32_t sample_mask;

    uint32_t color_count;
    struct bound_surface color[MAX_COLOR_BUFFERS], depth;
    uint32_t width, height, samples; /* of the framebuffer: smallest of the surfaces */
    bool multisample;            /* samples have a coverage each; else all are the pixel centre's */
    bool centroid;               /* some varying is interpolated at the centroid */
    struct scissor_state bounds; /* framebuffer cut by the scissor: pixels that may be drawn */

    /* Linkage */
    int8_t position_slot, psize_slot, clipvertex_slot, edgeflag_slot; /* VS outputs, -1: none */
    int8_t clipdist_slot[2];
    uint32_t varying_count; /* inputs of the fragment program */
    struct varying varyings[MAX_VARYINGS];
    uint8_t color_output[MAX_COLOR_BUFFERS]; /* FS output of each color buffer, 0xff: none */
    int8_t depth_output, stencil_output;     /* FS outputs or -1 */
    int8_t alpha_output; /* FS output that alpha test and coverage go by, bound or not, or -1 */

    /* Decided once */
    bool depth_test, depth_write, stencil_test, stencil_write; /* with a surface to do it on */
    bool early_z;     /* z and stencil may be tested before shading */
    bool color_write; /* some channel of some target is written */
    bool occlusion;   /* an occlusion query counts samples */

    struct so_target streamout[MAX_SO_BUFFERS]; /* resource 0: none */
    struct gpu_query *query;                    /* the active occlusion query or NULL */
};

/* Whether the draw can leave a depth behind that is farther from the eye than what was there. */
static inline bool
draw_moves_depth_away(const struct draw *draw)
{
    const uint8_t func = draw->dsa.depth_func;
    return draw->depth_write && func != FUNC_LESS && func != FUNC_LEQUAL && func != FUNC_EQUAL &&
           func != FUNC_NEVER;
}

/* Whether the draw writes some channel of a color buffer, and whether what it writes depends on
 * what is there. */
bool draw_writes_color(const struct draw *draw, uint32_t target);
bool draw_reads_color(const struct draw *draw, uint32_t target);

/* A thread of the draw's program has run EXEC_THREAD_LIMIT instructions: the message for that, with
 * the draw's frame; returns false, always. */
bool draw_fail_endless(const struct draw *draw, uint32_t frame, enum shader_stage stage,
                       struct error *err);

/* Index number i of an indexed draw: address of its bytes (0: outside), and decoding. */
uint32_t draw_index_address(const struct draw *draw, uint32_t i);
uint32_t draw_decode_index(const struct draw *draw, const uint8_t *bytes);

#endif
