/* Shader programs: TGSI text parsed and decoded once into fixed-size instructions.
 * Opcodes are lines of isa.def; registers are files with an index. */
#ifndef AETIUS_GFX_PROGRAM_H
#define AETIUS_GFX_PROGRAM_H

#include "base/error.h"
#include "gfx/state.h"

enum register_file {
    FILE_NULL,
    FILE_INPUT,
    FILE_OUTPUT,
    FILE_TEMP,
    FILE_CONSTANT,
    FILE_IMMEDIATE,
    FILE_ADDRESS,
    FILE_SAMPLER,
    FILE_SYSTEM, /* system values: VERTEXID, INSTANCEID, FACE, ... */
};

enum semantic { /* as TGSI_SEMANTIC_* names them */
                SEMANTIC_POSITION,
                SEMANTIC_COLOR,
                SEMANTIC_BCOLOR,
                SEMANTIC_FOG,
                SEMANTIC_PSIZE,
                SEMANTIC_GENERIC,
                SEMANTIC_NORMAL,
                SEMANTIC_FACE,
                SEMANTIC_EDGEFLAG,
                SEMANTIC_CLIPDIST,
                SEMANTIC_CLIPVERTEX,
                SEMANTIC_TEXCOORD,
                SEMANTIC_PCOORD,
                SEMANTIC_STENCIL,
                SEMANTIC_VERTEXID,
                SEMANTIC_INSTANCEID,
                SEMANTIC_BASEVERTEX,
                SEMANTIC_SAMPLEID,
                SEMANTIC_SAMPLEPOS,
                SEMANTIC_SAMPLEMASK,
                SEMANTIC_NONE,
};

enum interpolation {
    INTERPOLATE_CONSTANT,
    INTERPOLATE_LINEAR, /* in window space */
    INTERPOLATE_PERSPECTIVE,
    INTERPOLATE_COLOR, /* perspective, or constant under flat shading */
};

struct io_decl {
    enum semantic semantic;
    uint8_t semantic_index;
    enum interpolation interpolation;
    bool centroid;
};

struct source {
    uint8_t file; /* enum register_file */
    uint8_t swizzle[4];
    bool negate, absolute, indirect;
    uint8_t address_index, address_channel; /* ADDR[i].c when indirect */
    uint8_t buffer;                         /* constant buffer */
    int16_t index;
};

struct destination {
    uint8_t file, write_mask; /* 1 x, 2 y, 4 z, 8 w */
    bool saturate, indirect;
    uint8_t address_index, address_channel;
    int16_t index;
};

enum opcode {
#define OPCODE(name, ...) OP_##name,
#include "gfx/isa.def"
#undef OPCODE
    OPCODE_COUNT,
};

enum unit_kind {              /* what executes an opcode, for time and for the statistics */
                 KIND_SIMD,   /* 4-wide ALU */
                 KIND_SCALAR, /* RCP, RSQ, EX2, LG2, POW, SIN, COS */
                 KIND_TEXTURE,
                 KIND_FLOW, /* IF, loops, CAL, RET, KILL, END */
};

struct opcode_info {
    const char *name;
    uint8_t destinations, sources;
    enum unit_kind kind;
    uint8_t latency;    /* cycles of the execute stage, 1..9 */
    uint8_t throughput; /* issue cycles that hardware of 2005 spends on it (DIV, LRP, POW: >1) */
};
extern const struct opcode_info opcode_infos[OPCODE_COUNT];

struct instruction {
    uint8_t opcode;  /* enum opcode */
    uint8_t target;  /* texture opcodes: enum texture_target */
    uint8_t sampler; /* texture opcodes */
    bool saturate;
    uint16_t label; /* flow control: index of the instruction to go to */
    struct destination dst[2];
    struct source src[4];
    int8_t tex_offset[3];
    uint16_t line; /* line of the text, for messages */
};

enum texture_target { /* as TGSI names them in texture instructions */
                      TEX_BUFFER,
                      TEX_1D,
                      TEX_2D,
                      TEX_3D,
                      TEX_CUBE,
                      TEX_RECT,
                      TEX_SHADOW1D,
                      TEX_SHADOW2D,
                      TEX_SHADOWRECT,
                      TEX_1D_ARRAY,
                      TEX_2D_ARRAY,
                      TEX_SHADOW1D_ARRAY,
                      TEX_SHADOW2D_ARRAY,
                      TEX_SHADOWCUBE,
};

struct program {
    uint32_t id; /* 1, 2, ... in order of creation: for statistics and messages */
    enum shader_stage stage;
    uint32_t instruction_count;
    struct instruction *instructions;
    uint32_t input_count, output_count, system_count;
    struct io_decl inputs[MAX_VARYINGS], outputs[MAX_VARYINGS], systems[8];
    uint32_t temp_count, address_count, immediate_count;
    uint32_t constant_count; /* vec4 of constant buffer 0 that are declared */
    float (*immediates)[4];
    uint32_t live_temps;    /* most temporaries alive at once: what a thread needs */
    uint32_t samplers_used; /* a bit each */
    uint8_t sampler_targets[MAX_SAMPLERS];
    bool uses_kill, writes_depth, writes_stencil, writes_all_cbufs, uses_derivatives;
    bool position_lower_left, position_center_integer; /* properties of POSITION input */
    struct so_info so;
};

/* Parses and decodes; err names the line and what it did not understand. */
struct program *program_create(enum shader_stage stage, const char *tgsi, const struct so_info *so,
                               struct error *err);
void program_destroy(struct program *program);

#endif
