/* Runs a program over the lanes of a group, one instruction at a time. A shader unit calls
 * exec_step() for each issued instruction. The functional renderer calls exec_run(). Registers are
 * structures of arrays: channel c of register r in lane l is file[(r * 4 + c) * lanes + l]. Lanes
 * are vertices, or fragments in quads with their helper pixels. Lanes 4q to 4q+3 are quad q: top
 * left, top right, bottom left, bottom right.
 *
 * A group of more than 64 lanes is an array of blocks, one struct exec each. exec_join() makes the
 * blocks one group. The first block is the leader: it holds the program counter, the kinds of the
 * open frames and the number of blocks. Each block has its own registers and masks. Flow control
 * depends on the lanes of all blocks.
 *
 * Every operation is IEEE single precision, rounded to nearest, without contraction. EX2, LG2, POW,
 * SIN, COS and RSQ are implemented in isa/math.h. Arithmetic produces a single NaN pattern and no
 * denormals. Therefore results are the same on every host, and match the modelled hardware. */
#ifndef AETIUS_ISA_EXEC_H
#define AETIUS_ISA_EXEC_H

#include "isa/program.h"

#include <stddef.h>

/* Number of instructions that one thread may execute, not counting END. A program that exceeds it
 * is treated as endless. */
enum { EXEC_THREAD_LIMIT = 1 << 20 };

enum {
    EXEC_MAX_LANES = 64,  /* per block */
    EXEC_MAX_BLOCKS = 16, /* per group */
    EXEC_MAX_NESTING = 32 /* IF, loops and CAL; checked in program_flow.c */
};

enum exec_event {
    EXEC_NEXT,    /* the program continues with the next instruction */
    EXEC_TEXTURE, /* `request` is valid: call exec_texture_done() before the next step */
    EXEC_END,     /* all lanes have finished the program */
    EXEC_ENDLESS, /* nothing was executed, because a thread has reached its instruction limit */
};

struct texture_request {
    /* OP_TEX (LOD from derivatives), OP_TXB (with bias), OP_TXL (explicit LOD), OP_TXD (given
     * derivatives), OP_TXF (texel fetch) or OP_TXQ (size query). Other opcodes are converted to one
     * of these: TXP and TEX2 to TEX, TXB2 to TXB, TXL2 and TEX_LZ to TXL. In a vertex program every
     * opcode that needs implicit derivatives becomes TXL. */
    uint8_t opcode;
    uint8_t target; /* enum texture_target */
    uint8_t sampler;
    int8_t offset[3];
    uint64_t mask; /* lanes that need the result (derivatives use whole quads); 0: no request */
    /* Coordinates after projection. [0..2]: s, t, r; the array layer is the last one used. [3]:
     * reference of a shadow target. [4]: bias or explicit LOD. Unused entries are 0. TXF and TXQ
     * use the bits of integers, also in the result of TXQ. TXQ uses only the level in [4]. */
    float coord[5][EXEC_MAX_LANES];
    float ddx[3][EXEC_MAX_LANES], ddy[3][EXEC_MAX_LANES]; /* TXD only */
};

struct exec {
    const struct program *program;
    const float (*constants)[4]; /* at least constant_count entries; reads beyond that return 0 */
    uint32_t constant_count;
    uint32_t lanes;   /* multiple of 4, at most EXEC_MAX_LANES */
    uint32_t blocks;  /* leader: blocks of the group, including this one */
    uint32_t pc;      /* valid in the leader only */
    uint64_t full;    /* lanes that start the program */
    uint64_t active;  /* lanes that execute the next instruction */
    uint64_t alive;   /* lanes that have neither ended nor been killed */
    uint64_t killed;  /* lanes that executed KILL */
    uint64_t helpers; /* lanes of uncovered pixels; only exec_helper_lanes() uses them */
    /* Layout: see the top of this file. Together these have exec_size() bytes of memory. */
    float *inputs, *outputs, *temps;
    int32_t *address;
    /* System values: VERTEXID and INSTANCEID as integer bits, FACE as +1 or -1. */
    float *systems;
    /* Geometry programs: vertices emitted by each lane; exec_emitted() returns one. ends[]: one
     * byte per vertex, 1 if it is the last one of its strip. */
    float *emitted;
    uint32_t *emitted_count;
    uint8_t *ends;
    /* The same pointers, indexed by enum register_file. NULL: not a per-lane file. */
    float *files[FILE_COUNT];
    struct exec_frame {
        uint8_t kind; /* valid in the leader only */
        uint64_t saved, other;
        uint32_t pc; /* valid in the leader only */
    } stack[EXEC_MAX_NESTING];
    uint32_t depth;  /* open frames; valid in the leader only */
    uint64_t steps;  /* leader: instructions executed by exec_run(), not counting END */
    uint64_t limit;  /* leader: instructions allowed per thread, normally EXEC_THREAD_LIMIT */
    uint64_t issued; /* leader: instructions issued by the group, not counting END */
    /* Leader: while `issued` is below this value, no thread can reach its limit. */
    uint64_t look_at;
    uint64_t counted;             /* `ran` includes the instructions up to this value of `issued` */
    uint64_t counted_lanes;       /* lanes that have been active since then */
    uint32_t ran[EXEC_MAX_LANES]; /* instructions executed by each thread */
    uint64_t lane_mask_of;        /* lane mask that is expanded in `lane_mask` */
    uint32_t lane_mask[EXEC_MAX_LANES] __attribute__((aligned(16)));
    struct texture_request request;
    const struct instruction *texture_instruction; /* the instruction that waits for texels */
};

/* Returns the bytes of register memory for `program` with `lanes` lanes. */
uint32_t exec_size(const struct program *program, uint32_t lanes);

/* Starts the program at instruction 0 with the lanes of `mask`, which includes helper pixels. The
 * caller owns `memory`, which holds the registers: exec_size() bytes, 64-byte aligned. Outputs,
 * temporaries and address registers are zeroed. The caller then fills inputs and systems. Registers
 * of lanes outside the mask are undefined.
 *
 * KILL sets lanes in `killed` and clears them in `alive`. Killed lanes continue as helpers for the
 * derivatives of their quad. The program ends when no lane of the group is alive. */
void exec_begin(struct exec *exec, const struct program *program, const float (*constants)[4],
                uint32_t constant_count, uint32_t lanes, uint64_t mask, void *memory);

/* Replaces EXEC_THREAD_LIMIT. Must be called before the first step. For tests. */
static inline void
exec_set_limit(struct exec *exec, uint64_t limit)
{
    exec->limit = exec->look_at = limit;
}

/* Makes `count` consecutive blocks one group. All blocks must have begun the same program. */
void exec_join(struct exec *blocks, uint32_t count);

/* Returns the outputs of a vertex that a lane of a geometry program has emitted. */
static inline float (*exec_emitted(const struct exec *exec, uint32_t lane, uint32_t n))[4]
{
    const size_t vertex = (size_t)lane * exec->program->emitted_vertices + n;
    return (float(*)[4])(exec->emitted + vertex * exec->program->output_count * 4);
}

static inline bool
exec_ends_strip(const struct exec *exec, uint32_t lane, uint32_t n)
{
    return exec->ends[lane * exec->program->emitted_vertices + n] != 0;
}

/* Executes one instruction of the group. After EXEC_TEXTURE the program counter is past the
 * instruction, and every block with an active lane has a valid request.
 *
 * A thread counts only the instructions for which it is active, so its count does not depend on the
 * other threads of the group. A helper thread in a quad without a live lane stops at its limit
 * instead of causing EXEC_ENDLESS. */
enum exec_event exec_step(struct exec *exec);

/* Returns the index of the register that an indirect access addresses in a lane. */
int64_t exec_lane_index(const struct exec *exec, uint8_t address_index, uint8_t address_channel,
                        int32_t index, uint32_t lane);

/* Returns the number of lanes of the whole group that execute the next instruction. */
uint32_t exec_active_lanes(const struct exec *exec);
/* Returns how many of these lanes run only for the derivatives of their quad: killed fragments, and
 * the pixels that the caller set in `helpers` after exec_begin(). */
uint32_t exec_helper_lanes(const struct exec *exec);

/* Writes the texels (rgba[channel][lane]) to the destination of the texture instruction for which
 * this block waits. */
void exec_texture_done(struct exec *exec, float (*rgba)[EXEC_MAX_LANES]);

/* Runs the program to its end. The callback `sample` handles the texture requests of each block.
 * Returns false on EXEC_ENDLESS. */
typedef void exec_sample_fn(void *data, const struct texture_request *request, uint32_t lanes,
                            float (*rgba)[EXEC_MAX_LANES]);
bool exec_run(struct exec *exec, exec_sample_fn *sample, void *data);

#endif
