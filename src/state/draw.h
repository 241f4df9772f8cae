/* A baked draw: the complete state that the pipeline needs for one draw call. The state is copied
 * when the command processor (or the functional renderer) reaches the draw. Later state changes do
 * not affect it. */
#ifndef AETIUS_STATE_DRAW_H
#define AETIUS_STATE_DRAW_H

#include "isa/program.h"
#include "state/cmd.h"

struct bound_view {                   /* a texture with its sampler */
    const struct resource *res;       /* NULL: nothing bound; reads return 0, 0, 0, 1 */
    const struct format_info *format; /* format of the view */
    struct sampler_view view;
    struct sampler_state sampler;
};

struct bound_surface {          /* a render target */
    const struct resource *res; /* NULL: none */
    const struct format_info *format;
    uint32_t level, layer, width, height, samples;
    uint32_t layers; /* number of layers from `layer` on that a geometry program can select */
    bool cleared;    /* the surface held only a clear value when the draw was baked */
};

struct buffer_binding {
    struct resource *res; /* NULL: none */
    uint32_t stride, offset, length;
};

struct bound_attribute {
    uint32_t buffer, offset; /* slot of its vertex buffer; offset in an element of the buffer */
    uint32_t address;        /* address of element 0, including both offsets */
    uint32_t end;            /* first address after the buffer; reads from there on return 0 */
    uint32_t stride, divisor;
    const struct format_info *format; /* NULL: (0, 0, 0, 1) */
};

enum varying_source {                       /* source of a fragment shader input */
                      VARYING_VERTEX,       /* vertex shader output `slot` */
                      VARYING_POSITION,     /* window x, y, z, 1/w */
                      VARYING_FACE,         /* +1 front, -1 back in x */
                      VARYING_SPRITE,       /* point sprite coordinate */
                      VARYING_NONE,         /* not written: 0, 0, 0, 1 */
                      VARYING_PRIMITIVE_ID, /* number of the primitive in its instance */
};

struct varying {
    uint8_t source;        /* enum varying_source */
    uint8_t slot;          /* vertex shader output */
    uint8_t back_slot;     /* slot of BCOLOR with two-sided lighting, otherwise equal to `slot` */
    uint8_t interpolation; /* CONSTANT (flat shading is already resolved), LINEAR or PERSPECTIVE */
    bool centroid;         /* interpolated at a covered sample, unless all are covered */
};

/* Primitive from which the driver made a triangle list. It determines which triangle edges lie
 * inside a polygon. */
enum inner_edges { INNER_NONE, INNER_QUADS, INNER_STRIP, INNER_POLYGON };

enum { MAX_QUAD_BYTES = 256 }; /* bytes of a 2x2 quad in one surface, with all samples */

/* Names given by the program; "" if it gave none. Long names are truncated. */
enum { MAX_LABEL = 255, MAX_NAME = 63 };
struct draw_names {
    char label[MAX_LABEL + 1]; /* groups and marker: "shadows/terrain/sent" */
    char program[MAX_NAME + 1], target[MAX_NAME + 1]; /* names of the current program and target */
};

struct draw {
    uint32_t number; /* number within its frame, from 0 */
    uint32_t client;
    const struct draw_names *names;
    struct draw_params params;
    uint32_t index_address, index_end, index_bytes; /* first index; size of an index: 1, 2 or 4 */
    enum inner_edges inner_edges;

    uint32_t attribute_count;
    struct bound_attribute attributes[MAX_ATTRIBUTES];

    const struct program *program[STAGE_COUNT]; /* geometry: NULL if there is none */
    /* The timed machine clears the constants of uniform blocks, and fills them as they are read. */
    float (*constants[STAGE_COUNT])[4];
    uint32_t constant_count[STAGE_COUNT];
    /* Buffers from which attributes, indices and constants come. Only reports read them. The stride
     * of the index buffer is the size of an index. A command may supply the constants instead. */
    struct buffer_binding vertex_buffers[MAX_ATTRIBUTES], index_buffer;
    struct buffer_binding uniforms[STAGE_COUNT][MAX_CONSTANT_BUFFERS];
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
    uint32_t width, height, samples; /* extent of the framebuffer: the smallest of all surfaces */
    uint32_t layers;                 /* the smallest number of layers of all surfaces */
    /* Each sample has its own coverage. If false, all samples have the coverage of the pixel
     * center. */
    bool multisample;
    bool centroid;               /* at least one varying is interpolated at the centroid */
    struct scissor_state bounds; /* framebuffer clipped by the scissor */

    /* Linkage */
    /* Outputs of the program before the rasterizer (draw_last_program()); -1: none. */
    int8_t position_slot, psize_slot, clipvertex_slot, edgeflag_slot, layer_slot;
    int8_t clipdist_slot[2];
    int8_t geometry_inputs[MAX_VARYINGS]; /* VS output of each input of the geometry program */
    uint32_t varying_count;               /* inputs of the fragment program */
    struct varying varyings[MAX_VARYINGS];
    uint8_t color_output[MAX_COLOR_BUFFERS]; /* fragment shader outputs; 0xff: none */
    int8_t depth_output, stencil_output;     /* fragment shader outputs; -1: none */
    int8_t source1_output;                   /* second source color; valid if has_source1 */
    /* Fragment shader output for alpha test and alpha to coverage, even without a color buffer; -1:
     * none. */
    int8_t alpha_output;

    /* Derived from several kinds of state */
    /* The next four are false if the framebuffer lacks the surface. */
    bool depth_test, depth_write, stencil_test, stencil_write;
    bool early_z;     /* z and stencil may be tested before shading */
    bool color_write; /* at least one channel of a target is written */
    /* Replaces all channels of its targets, tests `less` or `less or equal`, and writes depth: its
     * order among such draws changes the picture only where depths are equal. */
    bool opaque;
    bool has_source1; /* target 0 is blended with a second source color */
    bool occlusion;   /* an occlusion query counts samples */
    /* Could have been part of the previous draw. The machine sets it for reports. */
    enum draw_merges {
        MERGES_NOT,
        MERGES,          /* (state/draw_run.h) */
        MERGES_CONSTANTS /* with a table of the constants that differ */
    } merges;
    uint32_t textures_uploaded; /* textures into which the frame has uploaded, likewise */

    struct gpu_query *query; /* the active occlusion query or NULL */

    /* Stream output stores primitives, or a query counts them. */
    bool streams_out;
    struct gpu_stream *streams[MAX_SO_BUFFERS];                  /* NULL: not bound */
    struct gpu_query *primitives_generated, *primitives_written; /* active queries or NULL */
};

/* Returns the program whose outputs are clipped, rasterized and streamed out: the geometry program,
 * or the vertex program if there is none. */
static inline const struct program *
draw_last_program(const struct draw *draw)
{
    const struct program *geometry = draw->program[STAGE_GEOMETRY];
    return geometry ? geometry : draw->program[STAGE_VERTEX];
}

/* Returns the kind of primitive that is rasterized (enum primitive). */
static inline uint32_t
draw_rasterized_mode(const struct draw *draw)
{
    const struct program *geometry = draw->program[STAGE_GEOMETRY];
    return geometry ? geometry->output_primitive : draw->params.mode;
}

/* Returns whether the primitives of the draw select a layer of the surfaces. */
static inline bool
draw_is_layered(const struct draw *draw)
{
    return draw->layer_slot >= 0 && draw->layers > 1;
}

/* Returns whether the draw can increase a depth value. */
static inline bool
draw_moves_depth_away(const struct draw *draw)
{
    const uint8_t func = draw->dsa.depth_func;
    return draw->depth_write && func != FUNC_LESS && func != FUNC_LEQUAL && func != FUNC_EQUAL &&
           func != FUNC_NEVER;
}

/* A constant of a uniform block in memory. */
struct block_constant {
    uint32_t address, bytes; /* bytes: at most 16; 0: the block does not hold it, and it is 0 */
};
/* Finds the constant at `index` of the stage's array. Returns false for constants of buffer 0. */
bool draw_block_constant(const struct draw *draw, enum shader_stage stage, uint32_t index,
                         struct block_constant *constant);
/* Whether the stage's program declares uniform blocks. */
static inline bool
draw_has_blocks(const struct draw *draw, enum shader_stage stage)
{
    return draw->program[stage] &&
           draw->program[stage]->constant_count > draw->program[stage]->constant_buffers[0].count;
}

/* The block that the program reads through buffer `buffer`, which is at least 1, or NULL. */
static inline const struct buffer_binding *
draw_uniform_block(const struct draw *draw, enum shader_stage stage, uint32_t buffer)
{
    const struct buffer_binding *block = &draw->uniforms[stage][buffer];
    return block->res && draw->program[stage]->constant_buffers[buffer].count ? block : NULL;
}

/* Whether mipmaps could be added: the program uploads the texture, which has one level. */
bool bound_view_has_one_level(const struct bound_view *bound);
/* Returns whether the target is blended with the second source color. */
bool draw_uses_source1(const struct draw *draw, uint32_t target);
/* Return whether the draw writes any channel of a color buffer, and whether the written color
 * depends on the existing one. */
bool draw_writes_color(const struct draw *draw, uint32_t target);
bool draw_reads_color(const struct draw *draw, uint32_t target);

/* Returns whether the draw consists of separate triangles whose order changes the picture at most
 * where depths are equal, or where triangles overlap without a depth test. */
bool draw_reorders(const struct draw *draw);

/* Sets the error for a program in which a thread has run EXEC_THREAD_LIMIT instructions. Always
 * returns false. */
bool draw_fail_endless(const struct draw *draw, uint32_t frame, enum shader_stage stage,
                       struct error *err);

/* Index number `i` of an indexed draw. draw_index_address() returns the address of its bytes, or 0
 * if they are outside the buffer. draw_decode_index() returns the value of these bytes. */
uint32_t draw_index_address(const struct draw *draw, uint32_t i);
uint32_t draw_decode_index(const struct draw *draw, const uint8_t *bytes);

#endif
