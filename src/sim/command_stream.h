/* Traffic that the command stream carries with a draw. It consists of constants that differ from
 * those in the units' constant files, and of programs that are not in the instruction memory. Both
 * memories are empty at the start of a frame, so a frame's figures do not depend on earlier frames.
 *
 * Source: docs/design/memory.md, Command stream. ATTILA sends one register write per constant, and
 * its command processor reads programs from memory. */
#ifndef AETIUS_SIM_COMMAND_STREAM_H
#define AETIUS_SIM_COMMAND_STREAM_H

#include "base/mem.h"
#include "params/params.h"
#include "state/draw.h"

enum { INSTRUCTION_BYTES = 16 };

struct stream_program {
    uint32_t id, instructions;
};
struct stream_memory { /* programs are sorted by last use, oldest first */
    VEC(struct stream_program) programs;
    uint32_t used;
};
struct stream_constant {
    float value[4];
};

struct command_stream {
    bool counts_constants;
    uint32_t memory_size; /* in instructions; 0: loading programs is free */
    bool unified;         /* one memory for all stages */
    /* Current contents of the units' constant files. */
    VEC(struct stream_constant) constants[STAGE_COUNT];
    struct stream_memory memories[STAGE_COUNT];
};

void command_stream_init(struct command_stream *stream, const struct params *params);
void command_stream_fini(struct command_stream *stream);
void command_stream_reset(struct command_stream *stream); /* call between frames */

/* Returns the number of vec4 constants of buffer 0 that the draw changes, and marks them as
 * present. */
uint32_t command_stream_take_constants(struct command_stream *stream, const struct draw *draw);
/* Returns the number of instructions to load for the program, or 0 if it is present. Marks the
 * program as present. Sets *evicts to true if the load evicts other programs. */
uint32_t command_stream_take_program(struct command_stream *stream, const struct program *program,
                                     bool *evicts);

#endif
