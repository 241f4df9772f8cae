/* Shader programs: TGSI text parsed and decoded once into fixed-size instructions.
 * Opcodes are lines of isa.def; registers are files with an index. */
#ifndef AETIUS_ISA_PROGRAM_H
#define AETIUS_ISA_PROGRAM_H

#include "base/error.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>

enum {                    /* a shader stage's; the command stream's limits too */
       MAX_VARYINGS = 32, /* inputs and outputs, a vec4 each */
       MAX_SAMPLERS = 16,
       OFFERED_CONSTANTS = 4096,                 /* vec4: for the program's own */
       MAX_CONSTANTS = OFFERED_CONSTANTS + 1024, /* with what the driver adds for built-in state */
       MAX_SO_BUFFERS = 4,
       MAX_SO_OUTPUTS = 64,
};

/* The programmable stages, in the order in which their results are told. A program's hash takes its
 * stage in: a new one goes at the end. */
enum shader_stage { STAGE_VERTEX, STAGE_FRAGMENT, STAGE_COUNT };
const char *shader_stage_name(enum shader_stage stage); /* "vertex" */

enum { /* what a text may ask for; more is the user's fault, with the line */
       MAX_TEMPS = 8192,
       MAX_INSTRUCTIONS = 16384,
       MAX_IMMEDIATES = 4096,
       MAX_ADDRESSES = 16,
       MAX_SYSTEMS = 8,
};

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
    FILE_COUNT,
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
    uint8_t buffer;                         /* constant buffer: 0, others are refused */
    uint8_t array;                          /* declared array that an indirect access stays in */
    int16_t index;
};

struct destination {
    uint8_t file, write_mask; /* 1 x, 2 y, 4 z, 8 w */
    bool saturate, indirect;
    uint8_t address_index, address_channel, array;
    int16_t index;
};

enum opcode {
#define OPCODE(name, ...) OP_##name,
#include "isa/isa.def"
#undef OPCODE
    OPCODE_COUNT,
};

enum unit_kind {              /* what executes an opcode, for time and for the statistics */
                 KIND_SIMD,   /* 4-wide ALU */
                 KIND_SCALAR, /* RCP, RSQ, EX2, LG2, POW, SIN, COS */
                 KIND_TEXTURE,
                 KIND_FLOW, /* IF, loops, CAL, RET, KILL, END */
};

enum opcode_shape {
    SHAPE_COMPONENT,  /* each channel from the same channel of the sources */
    SHAPE_SCALAR,     /* one value, from the first channel (after swizzle), for all */
    SHAPE_DOT,        /* one value, from several channels, for all */
    SHAPE_SPECIAL,    /* channels differ: LIT, DST, EXP, LOG */
    SHAPE_DERIVATIVE, /* differences in the quad */
    SHAPE_TEXTURE,
    SHAPE_FLOW,
};

enum operand_type { /* what modifiers act on */
                    TYPE_FLOAT,
                    TYPE_INTEGER,
                    TYPE_SELECT, /* first source integer, the others floats */
};

struct opcode_info {
    const char *name;
    uint8_t destinations, sources;
    enum unit_kind kind;
    uint8_t latency;    /* cycles of the execute stage, 1..9 */
    uint8_t throughput; /* issue cycles that hardware of 2005 spends on it (DIV, LRP, POW: >1) */
    enum opcode_shape shape;
    enum operand_type type;
};
extern const struct opcode_info opcode_infos[OPCODE_COUNT];

struct instruction {
    uint8_t opcode;  /* enum opcode */
    uint8_t target;  /* texture opcodes: enum texture_target */
    uint8_t sampler; /* texture opcodes; the first of an array when indirect */
    bool saturate, indirect_sampler;
    uint16_t label; /* flow control: index of the instruction to go to */
    struct destination dst[2];
    struct source src[4];
    int8_t tex_offset[3];
    uint16_t line; /* line of the text, for messages */
    bool overlaps; /* writing one channel would change the source of a later one */
    /* Channels 0 .. contiguous - 1 are all that is written, each from the same channel of plain
     * registers of lanes: execution can take them in one go. 0: not so. */
    uint8_t contiguous;
    /* For a scoreboard of 64 registers: bit t % 64 is temporary t; an indirect access has the bits
     * of its whole array. Programs come with a temporary a result; compilers of hardware use the
     * few that are alive again and again, so that temporaries 64 apart hardly ever meet. */
    uint64_t temps_read, temps_written;
    bool reads_address, writes_address; /* any address register, also for an indirect access */
    uint8_t port_count; /* different registers that it reads (all files): register ports */
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

struct texture_target_info {
    const char *name;
    uint8_t coordinates; /* channels of coordinates, array layer included */
    int8_t reference;    /* channel of a shadow target's reference, or -1 */
    int8_t layer;        /* channel of an array's layer, or -1 */
};
#define TEXTURE_TARGET_COUNT (TEX_SHADOWCUBE + 1)
extern const struct texture_target_info texture_target_infos[TEXTURE_TARGET_COUNT];

/* Outputs that stream-out writes to buffers. */
struct so_output {
    uint8_t register_index, start_component, num_components, buffer, stream;
    uint16_t dst_offset; /* dwords */
};
struct so_info {
    uint32_t count;
    uint16_t stride[MAX_SO_BUFFERS]; /* dwords */
    struct so_output outputs[MAX_SO_OUTPUTS];
};

struct program {
    uint32_t id;   /* 1, 2, ... in order of creation: for messages */
    uint64_t hash; /* of what it does: its name in tables, in every run and trace */
    char *text;    /* as it came */
    enum shader_stage stage;
    uint32_t instruction_count;
    struct instruction *instructions;
    uint32_t input_count, output_count, system_count;
    struct io_decl inputs[MAX_VARYINGS], outputs[MAX_VARYINGS], systems[MAX_SYSTEMS];
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

#define PROGRAM_HASH "%016" PRIx64 /* how it is written */

/* The stage that a text says it is of in its first word, or STAGE_COUNT. */
enum shader_stage program_text_stage(const char *text);

/* Parses and decodes; err names the line and what it did not understand. */
struct program *program_create(enum shader_stage stage, const char *tgsi, const struct so_info *so,
                               struct error *err);
void program_destroy(struct program *program);
uint64_t program_bytes(const struct program *program); /* of the host's memory */

/* Channels (1 x, 2 y, 4 z, 8 w; after the swizzle) of its register that source `i` reads. */
uint8_t instruction_channels_read(const struct instruction *instruction, uint32_t i);

static inline bool
instruction_reads_temp(const struct instruction *instruction, uint32_t temp)
{
    return instruction->temps_read >> temp % 64 & 1;
}

static inline bool
instruction_writes_temp(const struct instruction *instruction, uint32_t temp)
{
    return instruction->temps_written >> temp % 64 & 1;
}

static inline uint32_t
instruction_issue_cycles(const struct instruction *instruction)
{
    return opcode_infos[instruction->opcode].throughput;
}

#endif
