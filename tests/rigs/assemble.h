/* Programs out of lines, for tests that count what instructions cost. */
#ifndef AETIUS_TESTS_ASSEMBLE_H
#define AETIUS_TESTS_ASSEMBLE_H

#include "isa/program.h"

/* The lines are numbered here. Declared: an input, the stage's output, 16 temporaries, an address,
 * 4 constants, a sampler. NULL is behind the last line. */
struct program *assemble(enum shader_stage stage, const char *const *lines);

/* Lines with an operation of IN[0] and `tail`, which begins with a comma or is empty. */
#define EIGHT_INDEPENDENT(op, tail)                                                                \
    op " TEMP[0], IN[0]" tail, op " TEMP[1], IN[0]" tail, op " TEMP[2], IN[0]" tail,               \
        op " TEMP[3], IN[0]" tail, op " TEMP[4], IN[0]" tail, op " TEMP[5], IN[0]" tail,           \
        op " TEMP[6], IN[0]" tail, op " TEMP[7], IN[0]" tail, "END"
#define FOUR_DEPENDENT(op, tail)                                                                   \
    op " TEMP[0], IN[0]" tail, op " TEMP[0], TEMP[0]" tail, op " TEMP[0], TEMP[0]" tail,           \
        op " TEMP[0], TEMP[0]" tail, "END"

#endif
