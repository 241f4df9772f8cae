/* Runs a program over the lanes of a group, one instruction at a time. A shader unit calls
 * exec_step() when it issues. The functional renderer calls exec_run(). Registers are structures of
 * arrays: channel c of register r in lane l is file[(r * 4 + c) * lanes + l]. Lanes are vertices,
 * or fragments in quads with their helper pixels. Lanes 4q to 4q+3 are quad q: top left, top right,
 * bottom left, bottom right.
 *
 * A group of more than 64 lanes is an array of blocks, one struct exec each, which exec_join()
 * makes one group. The first block is the leader: it holds the program counter, the kinds of the
 * open frames and the number of blocks. Each block has its own registers and masks. Flow control
 * depends on the lanes of all blocks.
 *
 * Every operation is IEEE single precision, rounded to nearest, without contraction. EX2, LG2, POW,
 * SIN, COS and RSQ are our implementations (isa/math.h). Arithmetic produces a single NaN pattern
 * and no denormals. So results are the same on every host, and match the modelled hardware. */
#ifndef AETIUS_ISA_EXEC_H
#define AETIUS_ISA_EXEC_H

#include "isa/program.h"

/* Instructions that one thread may execute, without END. A program that exceeds this is treated as
 * endless. */
enum { EXEC_THREAD_LIMIT = 1 << 20 };

enum {
    EXEC_MAX_LANES = 64,  /* per block */
    EXEC_MAX_BLOCKS = 16, /* per group */
    EXEC_MAX_NESTING = 32 /* IF, loops and CAL; program_flow.c checks it */
};

enum exec_event {
    EXEC_NEXT,    /* the program continues with the next instruction */
    EXEC_TEXTURE, /* `request` is valid: call exec_texture_done() before the next step */
    EXEC_END,     /* all lanes have finished the program */
    EXEC_ENDLESS, /* nothing was executed: a thread reached its limit before its end */
};

struct texture_request {
    /* OP_TEX (LOD from derivatives), OP_TXB (with bias), OP_TXL (explicit LOD), OP_TXD (given
     * derivatives), OP_TXF (texel fetch) or OP_TXQ (size query). The other opcodes are converted:
     * TXP and TEX2 to TEX, TXB2 to TXB, TXL2 and TEX_LZ to TXL. In a vertex program every opcode
     * that needs implicit derivatives becomes TXL. */
    uint8_t opcode;
    uint8_t target; /* enum texture_target */
    uint8_t sampler;
    int8_t offset[3];
    uint64_t mask; /* lanes that need the result (derivatives use the whole quad); 0: no request */
    /* Coordinates after projection. [0..2]: s, t, r; an array's layer is the last one used. [3]:
     * reference of a shadow target, wherever the target keeps it. [4]: bias or explicit LOD. Unused
     * entries are 0. TXF and TXQ use integer bits, in the result of TXQ too; TXQ uses only the
     * level in [4]. */
    float coord[5][EXEC_MAX_LANES];
    float ddx[3][EXEC_MAX_LANES], ddy[3][EXEC_MAX_LANES]; /* TXD only */
};

struct exec {
    const struct program *program;
    const float (*constants)[4]; /* at least constant_count; reads beyond it return 0 */
    uint32_t constant_count;
    uint32_t lanes;   /* multiple of 4, at most EXEC_MAX_LANES */
    uint32_t blocks;  /* leader: blocks of the group, including this one */
    uint32_t pc;      /* valid in the leader only */
    uint64_t full;    /* lanes at the start of the program */
    uint64_t active;  /* lanes that execute the next instruction */
    uint64_t alive;   /* lanes neither ended nor killed */
    uint64_t killed;  /* lanes that executed KILL */
    uint64_t helpers; /* lanes of uncovered pixels; used only by exec_helper_lanes() */
    float *inputs, *outputs, *temps; /* layout: see the top; memory of exec_size() bytes */
    int32_t *address;
    /* system values: VERTEXID, INSTANCEID as integer bits; FACE is +1 or -1 */
    float *systems;
    /* the same pointers by enum register_file; NULL: not a per-lane file */
    float *files[FILE_COUNT];
    struct exec_frame {
        uint8_t kind; /* valid in the leader only */
        uint64_t saved, other;
        uint32_t pc; /* valid in the leader only */
    } stack[EXEC_MAX_NESTING];
    uint32_t depth;  /* open frames; valid in the leader only */
    uint64_t steps;  /* leader: instructions that exec_run() executed, without END */
    uint64_t limit;  /* leader: instructions allowed per thread; EXEC_THREAD_LIMIT */
    uint64_t issued; /* leader: instructions the group has issued, without END */
    /* leader: value of `issued` below which no thread can reach its limit */
    uint64_t look_at;
    uint64_t counted;             /* value of `issued` up to which `ran` is current */
    uint64_t counted_lanes;       /* lanes active since then */
    uint32_t ran[EXEC_MAX_LANES]; /* instructions executed by each thread */
    uint64_t lane_mask_of;        /* the mask that lane_mask expands */
    uint32_t lane_mask[EXEC_MAX_LANES] __attribute__((aligned(16)));
    struct texture_request request;
    const struct instruction *texture_instruction; /* the one waiting for texels */
};

/* Bytes of register memory for `program` with `lanes` lanes. The memory must be 64-byte aligned. */
uint32_t exec_size(const struct program *program, uint32_t lanes);

/* Points the registers into `memory`, which the caller owns: exec_size() bytes, 64-byte aligned.
 * Starts at instruction 0 with the lanes of `mask`, helper pixels included. Outputs, temporaries
 * and address registers are zeroed; the caller then fills inputs and systems. Registers of lanes
 * outside the mask are undefined.
 *
 * KILL sets lanes in `killed` and clears them in `alive`. Killed lanes continue as helpers for the
 * derivatives of their quad. The program ends when no lane of the group is alive. */
void exec_begin(struct exec *exec, const struct program *program, const float (*constants)[4],
                uint32_t constant_count, uint32_t lanes, uint64_t mask, void *memory);

/* Replaces EXEC_THREAD_LIMIT; call it before the first step. For tests. */
static inline void
exec_set_limit(struct exec *exec, uint64_t limit)
{
    exec->limit = exec->look_at = limit;
}

/* Makes `count` consecutive blocks one group. All must have begun with the same program. */
void exec_join(struct exec *blocks, uint32_t count);

/* Executes one instruction of the group. At EXEC_TEXTURE the program counter is past it, and every
 * block with an active lane has a valid request.
 *
 * A thread counts only the instructions for which it is active. So its count does not depend on the
 * other threads of the group. A helper thread in a quad without a live lane does not cause
 * EXEC_ENDLESS at its limit: it stops. */
enum exec_event exec_step(struct exec *exec);

/* Lanes of the whole group that execute the next instruction. */
uint32_t exec_active_lanes(const struct exec *exec);
/* Those of exec_active_lanes() that run only for the derivatives of their quad: killed fragments,
 * and the pixels that the caller set in `helpers` after exec_begin(). */
uint32_t exec_helper_lanes(const struct exec *exec);

/* Writes the texels (rgba[channel][lane]) to the destination of this block's pending texture
 * instruction. */
void exec_texture_done(struct exec *exec, float (*rgba)[EXEC_MAX_LANES]);

/* Runs the program to its end. `sample` answers the texture requests of each block. Returns false
 * on EXEC_ENDLESS. */
typedef void exec_sample_fn(void *data, const struct texture_request *request, uint32_t lanes,
                            float (*rgba)[EXEC_MAX_LANES]);
bool exec_run(struct exec *exec, exec_sample_fn *sample, void *data);

#endif
