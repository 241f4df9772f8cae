/* Shader programs: TGSI text that is parsed once and decoded into instructions of fixed size. Each
 * opcode is a line of isa.def. A register is identified by a file and an index. */
#ifndef AETIUS_ISA_PROGRAM_H
#define AETIUS_ISA_PROGRAM_H

#include "base/error.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>

/* Limits per shader stage, which also apply to the command stream. */
enum {
    OFFERED_VARYINGS = 32, /* user-defined, one vec4 each */
    /* Inputs or outputs: the varyings, and up to 8 built-in ones, for example POSITION. */
    MAX_VARYINGS = OFFERED_VARYINGS + 8,
    MAX_SAMPLERS = 16,
    OFFERED_CONSTANTS = 4096, /* vec4s of a uniform block, and of the program's other uniforms */
    MAX_CONSTANTS = OFFERED_CONSTANTS + 1024, /* including those of the driver */
    MAX_CONSTANT_BUFFERS = 14,                /* buffer 0 and 13 uniform blocks */
    MAX_SO_BUFFERS = 4,
    MAX_SO_OUTPUTS = 64,
};

/* Programmable stages, in the order in which results are listed. A program's hash includes the
 * number of its stage, so new stages must be added at the end. */
enum shader_stage { STAGE_VERTEX, STAGE_FRAGMENT, STAGE_GEOMETRY, STAGE_COUNT };
const char *shader_stage_name(enum shader_stage stage); /* "vertex" */

/* Limits of a program text. Exceeding one is a user error, which is reported with the line. */
enum {
    MAX_TEMPS = 8192,
    MAX_INSTRUCTIONS = 16384,
    MAX_IMMEDIATES = 4096,
    MAX_ADDRESSES = 16,
    MAX_SYSTEMS = 8,
    /* Geometry programs: vertices of an input primitive, and vertices and vec4s that one thread may
     * emit. */
    MAX_PRIMITIVE_VERTICES = 6,
    MAX_EMITTED_VERTICES = 256,
    MAX_EMITTED_OUTPUTS = 1024,
};

/* Numbers as in PIPE_PRIM_*. */
enum primitive {
    PRIM_POINTS,
    PRIM_LINES,
    PRIM_LINE_LOOP,
    PRIM_LINE_STRIP,
    PRIM_TRIANGLES,
    PRIM_TRIANGLE_STRIP,
    PRIM_TRIANGLE_FAN,
    PRIM_QUADS,
    PRIM_QUAD_STRIP,
    PRIM_POLYGON,
    PRIM_LINES_ADJACENCY,
    PRIM_LINE_STRIP_ADJACENCY,
    PRIM_TRIANGLES_ADJACENCY,
    PRIM_TRIANGLE_STRIP_ADJACENCY,
    PRIM_COUNT,
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
    FILE_SYSTEM, /* VERTEXID, INSTANCEID, FACE, ... */
    FILE_COUNT,
};

/* Names as in TGSI_SEMANTIC_*. */
enum semantic {
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
    SEMANTIC_PRIMID,
    SEMANTIC_LAYER,
    SEMANTIC_NONE,
};

enum interpolation {
    INTERPOLATE_CONSTANT,
    INTERPOLATE_LINEAR, /* linear in window space */
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
    bool indirect, negate : 1, absolute : 1;
    uint8_t address_index, address_channel; /* ADDR[i].c when indirect */
    uint8_t buffer;                         /* constant buffer; `index` includes its first vec4 */
    /* Declared array to which an indirect access is limited. */
    uint8_t array;
    uint8_t scale; /* factor of the address when indirect */
    int32_t index;
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

/* Unit that executes an opcode, for timing and statistics. */
enum unit_kind {
    KIND_SIMD,   /* 4-wide ALU */
    KIND_SCALAR, /* RCP, RSQ, EX2, LG2, POW, SIN, COS */
    KIND_TEXTURE,
    KIND_FLOW, /* IF, loops, CAL, RET, KILL, END */
};

enum opcode_shape {
    SHAPE_COMPONENT,  /* each channel depends on the same channel of the sources */
    SHAPE_SCALAR,     /* one value from the first channel after the swizzle, for all channels */
    SHAPE_DOT,        /* one value from several channels, for all channels */
    SHAPE_SPECIAL,    /* different computation per channel: LIT, DST, EXP, LOG */
    SHAPE_DERIVATIVE, /* differences within the quad */
    SHAPE_TEXTURE,
    SHAPE_FLOW,
};

/* Type on which source modifiers operate. */
enum operand_type {
    TYPE_FLOAT,
    TYPE_INTEGER,
    TYPE_SELECT, /* first source is integer, the others are float */
};

struct opcode_info {
    const char *name;
    uint8_t destinations, sources;
    enum unit_kind kind;
    uint8_t latency;    /* cycles in the execute stage, 1 to 9 */
    uint8_t throughput; /* issue cycles on hardware of 2005; more than 1 for DIV, LRP, POW, ... */
    enum opcode_shape shape;
    enum operand_type type;
};
extern const struct opcode_info opcode_infos[OPCODE_COUNT];

struct instruction {
    uint8_t opcode;  /* enum opcode */
    uint8_t target;  /* texture opcodes: enum texture_target */
    uint8_t sampler; /* texture opcodes; the first sampler of the array if indirect_sampler */
    bool saturate, indirect_sampler;
    uint16_t label; /* flow control: index of the target instruction */
    struct destination dst[2];
    struct source src[4];
    int8_t tex_offset[3];
    uint16_t line; /* line in the program text, for messages */
    bool overlaps; /* writing one channel would change the source of a later channel */
    /* Number of channels that execution can process together; 0: none. The instruction writes
     * exactly channels 0 to contiguous - 1. Each one depends on the same channel of per-lane
     * registers without modifiers. */
    uint8_t contiguous;
    /* Temporaries read and written, for a scoreboard of 64 registers: bit t % 64 represents
     * temporary t. An indirect access sets the bits of its whole array. Mesa uses a new temporary
     * for each result, while a hardware compiler reuses a few registers. Temporaries that share a
     * bit are at least 64 apart, and therefore rarely cause a false dependency. */
    uint64_t temps_read, temps_written;
    bool reads_address, writes_address; /* address registers, also of an indirect access */
    uint8_t block_sources;              /* sources in uniform blocks, one bit each */
    uint8_t port_count;                 /* distinct registers read, in all files (register ports) */
};

enum texture_target { /* names as in TGSI texture instructions */
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
                      TEX_2D_MSAA,
                      TEX_2D_ARRAY_MSAA,
};

struct texture_target_info {
    const char *name;
    uint8_t coordinates; /* channels of the coordinates, including the array layer */
    int8_t reference;    /* channel of the reference value of a shadow target, or -1 */
    int8_t layer;        /* channel of the array layer, or -1 */
};
#define TEXTURE_TARGET_COUNT (TEX_2D_ARRAY_MSAA + 1)
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

/* Vec4s that a program declares in a constant buffer. The constants of all buffers form one
 * array. */
struct constant_range {
    uint16_t first, count;
};

struct program {
    uint32_t id; /* 1, 2, ... in the order of creation; used in messages */
    /* Hash of the program's function. It names the program in tables, and is the same in all runs
     * and traces. */
    uint64_t hash;
    char *text; /* the original text */
    enum shader_stage stage;
    uint32_t instruction_count;
    struct instruction *instructions;
    uint32_t input_count, output_count, system_count;
    struct io_decl inputs[MAX_VARYINGS], outputs[MAX_VARYINGS], systems[MAX_SYSTEMS];
    uint32_t temp_count, address_count, immediate_count;
    uint32_t constant_count; /* vec4s declared in all constant buffers */
    struct constant_range constant_buffers[MAX_CONSTANT_BUFFERS];
    /* Channels of each constant in buffer 0 that instructions read (bit mask: 1 = x, 2 = y, 4 = z,
     * 8 = w). */
    uint8_t *constant_channels;
    bool indirect_constants; /* an address selects constants of buffer 0 */
    float (*immediates)[4];
    uint32_t live_temps;    /* registers that a thread needs: maximum of live temporaries */
    uint32_t samplers_used; /* one bit per sampler */
    uint8_t sampler_targets[MAX_SAMPLERS];
    /* Geometry programs: enum primitive of the input and the output, and vertices that a thread may
     * emit. Input i of vertex v is register i * input_vertices + v; other programs have 1 vertex.
     */
    uint8_t input_primitive, output_primitive, input_vertices;
    uint16_t emitted_vertices;
    bool uses_kill, writes_depth, writes_stencil, writes_all_cbufs, uses_derivatives;
    bool position_lower_left, position_center_integer; /* properties of the POSITION input */
    struct so_info so;
};

/* Number of registers of the input file. */
static inline uint32_t
program_input_registers(const struct program *program)
{
    return program->input_count * program->input_vertices;
}

#define PROGRAM_HASH "%016" PRIx64 /* printf format of the hash */

/* Returns the stage that the first word of the text names, or STAGE_COUNT. */
enum shader_stage program_text_stage(const char *text);

/* Parses and decodes a program, which the caller owns. Returns NULL on an error. The error contains
 * the line number and the text that could not be parsed. */
struct program *program_create(enum shader_stage stage, const char *tgsi, const struct so_info *so,
                               struct error *err);
void program_destroy(struct program *program);
uint64_t program_bytes(const struct program *program); /* host memory used */

/* Returns the channels that source `i` reads from its register, after the swizzle (1 x, 2 y, 4 z, 8
 * w). */
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
