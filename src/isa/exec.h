/* Runs a program over the lanes of a group, an instruction at a time: the shader unit calls
 * exec_step() when it issues, the functional renderer calls exec_run(). Registers are structures of
 * arrays: value of channel c of register r in lane l is file[(r * 4 + c) * lanes + l]. Lanes are
 * vertices, or fragments in quads (lanes 4q .. 4q+3 are quad q: top left, top right, bottom left,
 * bottom right), helper pixels included.
 *
 * A group of more than 64 lanes is a row of blocks, a struct exec each, that exec_join() makes one:
 * the first block leads (program counter, kinds of the open frames, number of blocks), every block
 * has its own registers and masks, and flow control judges the lanes of all of them.
 *
 * Every operation is IEEE single precision, rounded to nearest, without contraction; EX2, LG2, POW,
 * SIN, COS, RSQ are our own (isa/math.h), and arithmetic gives one NaN only and no denormals, so
 * that results are the same on every host and those of the hardware. */
#ifndef AETIUS_ISA_EXEC_H
#define AETIUS_ISA_EXEC_H

#include "isa/program.h"

/* A thread may run so many instructions, END left out: a program that wants more does not end. */
enum { EXEC_THREAD_LIMIT = 1 << 20 };

enum {
    EXEC_MAX_LANES = 64,  /* of a block */
    EXEC_MAX_BLOCKS = 16, /* of a group */
    EXEC_MAX_NESTING = 32 /* IF, loops and CAL; program.c checks */
};

enum exec_event {
    EXEC_NEXT,    /* went on to the next instruction */
    EXEC_TEXTURE, /* `request` is filled: give the texels to exec_texture_done() before going on */
    EXEC_END,     /* the program is over for all lanes */
    EXEC_ENDLESS, /* nothing was run: a thread has run all that it may, and is not at its end */
};

struct texture_request {
    /* OP_TEX (LOD from derivatives), OP_TXB (with bias), OP_TXL (explicit LOD), OP_TXD (given
     * derivatives), OP_TXF (texel fetch) or OP_TXQ (size query). The others come as one of these:
     * TXP and TEX2 as TEX, TXB2 as TXB, TXL2 and TEX_LZ as TXL, and everything without a LOD in a
     * vertex program as TXL. */
    uint8_t opcode;
    uint8_t target; /* enum texture_target */
    uint8_t sampler;
    int8_t offset[3];
    uint64_t mask; /* lanes that want the result (derivatives use all of a quad); 0: no request */
    /* Coordinates after projection: s, t, r (an array's layer is the last of them), and in [3] the
     * reference of a shadow target (already picked from the place that the target says), [4] bias
     * or explicit LOD. What a target does not have is 0. TXF and TXQ carry integers' bits (TXQ has
     * the level in [4] only), and TXQ gets integers' bits back. */
    float coord[5][EXEC_MAX_LANES];
    float ddx[3][EXEC_MAX_LANES], ddy[3][EXEC_MAX_LANES]; /* TXD only */
};

struct exec {
    const struct program *program;
    const float (*constants)[4]; /* at least constant_count; reads behind it give 0 */
    uint32_t constant_count;
    uint32_t lanes;   /* multiple of 4, at most EXEC_MAX_LANES */
    uint32_t blocks;  /* leader: blocks of the group, this one included */
    uint32_t pc;      /* leader */
    uint64_t full;    /* lanes that it began with */
    uint64_t active;  /* lanes that run the next instruction */
    uint64_t alive;   /* lanes not ended, not killed */
    uint64_t killed;  /* lanes that ran into KILL */
    uint64_t helpers; /* lanes of pixels not covered: for exec_helper_lanes() alone */
    float *inputs, *outputs, *temps; /* see above; memory of exec_size() */
    int32_t *address;
    float *systems;           /* system values: VERTEXID, INSTANCEID as integers' bits; FACE +-1 */
    float *files[FILE_COUNT]; /* the same by enum register_file; NULL: not a file of lanes */
    struct exec_frame {
        uint8_t kind; /* leader */
        uint64_t saved, other;
        uint32_t pc; /* leader */
    } stack[EXEC_MAX_NESTING];
    uint32_t depth;               /* leader */
    uint64_t steps;               /* leader: instructions that exec_run() ran, without the END */
    uint64_t limit;               /* leader: instructions of a thread; EXEC_THREAD_LIMIT */
    uint64_t issued;              /* leader: instructions of the group so far, without the END */
    uint64_t look_at;             /* leader: no thread reaches its limit while fewer have issued */
    uint64_t counted;             /* of those issued, how many `ran` knows */
    uint64_t counted_lanes;       /* that have been active since */
    uint32_t ran[EXEC_MAX_LANES]; /* instructions of each thread */
    uint64_t lane_mask_of;        /* what lane_mask spells out */
    uint32_t lane_mask[EXEC_MAX_LANES] __attribute__((aligned(16)));
    struct texture_request request;
    const struct instruction *texture_instruction; /* that waits for texels */
};

/* Bytes of register memory for `program` with so many lanes, 64-byte aligned. */
uint32_t exec_size(const struct program *program, uint32_t lanes);

/* Points the registers into `memory` (exec_size() bytes, 64-byte aligned; outputs are zeroed,
 * temporaries too) and starts at instruction 0 with the lanes of `mask` (helper pixels included).
 * The caller then fills inputs and systems. Registers of lanes outside the mask hold anything.
 *
 * KILL marks lanes in `killed` and takes them from `alive`; they go on as helpers, for the
 * derivatives of their quad, until no lane of the group is alive: then the program ends. */
void exec_begin(struct exec *exec, const struct program *program, const float (*constants)[4],
                uint32_t constant_count, uint32_t lanes, uint64_t mask, void *memory);

/* Another limit than EXEC_THREAD_LIMIT, before the first step: for tests. */
static inline void
exec_set_limit(struct exec *exec, uint64_t limit)
{
    exec->limit = exec->look_at = limit;
}

/* Makes `count` blocks behind each other, which began with the same program, one group. */
void exec_join(struct exec *blocks, uint32_t count);

/* Runs one instruction of the group; at EXEC_TEXTURE the program counter is already behind it, and
 * every block with an active lane has its request.
 *
 * A thread has run the instructions for which it was active: so their number does not depend on the
 * group. One that runs only for the derivatives of a quad in which no lane is alive is not
 * EXEC_ENDLESS at its limit: it stops. */
enum exec_event exec_step(struct exec *exec);

/* Lanes of the whole group that run the next instruction. */
uint32_t exec_active_lanes(const struct exec *exec);
/* And of these the ones that run for the derivatives of their quad alone: helper pixels, whose bits
 * the caller of exec_begin() has set, and fragments that were killed. */
uint32_t exec_helper_lanes(const struct exec *exec);

/* Writes the texels (rgba[channel][lane]) to the destination of the instruction by which this block
 * asked. */
void exec_texture_done(struct exec *exec, float (*rgba)[EXEC_MAX_LANES]);

/* To the end; `sample` answers the texture requests of each block. false: EXEC_ENDLESS. */
typedef void exec_sample_fn(void *data, const struct texture_request *request, uint32_t lanes,
                            float (*rgba)[EXEC_MAX_LANES]);
bool exec_run(struct exec *exec, exec_sample_fn *sample, void *data);

#endif
