/* What the command stream brings with a draw: constants that are not in the units' files as they
 * should be, and programs that are not in their instruction memory. Both start a frame unknown, so
 * that its figures do not depend on the frames before it.
 *
 * Source: docs/design/memory.md, Command stream; ATTILA sends a register write a constant and has
 * the command processor read programs from memory. */
#ifndef AETIUS_SIM_COMMAND_STREAM_H
#define AETIUS_SIM_COMMAND_STREAM_H

#include "base/mem.h"
#include "params/params.h"
#include "state/draw.h"

enum { INSTRUCTION_BYTES = 16 };

struct stream_program {
    uint32_t id, instructions;
};
struct stream_memory { /* of instructions; the program that was used last stands last */
    VEC(struct stream_program) programs;
    uint32_t used;
};
struct stream_constant {
    float value[4];
};

struct command_stream {
    bool counts_constants;
    uint32_t memory_size; /* instructions; 0: programs are there without an effort */
    bool unified;         /* one memory for all stages */
    VEC(struct stream_constant) constants[STAGE_COUNT]; /* as they are in the files */
    struct stream_memory memories[STAGE_COUNT];
};

void command_stream_init(struct command_stream *stream, const struct params *params);
void command_stream_fini(struct command_stream *stream);
void command_stream_reset(struct command_stream *stream); /* between frames */

/* How many constants of four numbers the draw changes; they are in the files from now on. */
uint32_t command_stream_take_constants(struct command_stream *stream, const struct draw *draw);
/* How many instructions have to be loaded for the program, which is in the memory from now on; 0:
 * it was. *evicts becomes true when others leave for it. */
uint32_t command_stream_take_program(struct command_stream *stream, const struct program *program,
                                     bool *evicts);

#endif
