/* Builds programs from lines of TGSI, for tests that count the cost of instructions. */
#ifndef AETIUS_TESTS_ASSEMBLE_H
#define AETIUS_TESTS_ASSEMBLE_H

#include "isa/program.h"

/* Returns the program of a TGSI text. A test with an invalid text fails. */
struct program *parse_program(enum shader_stage stage, const char *text);

/* Returns a program of these lines; NULL ends the lines. The function numbers the lines. It
 * declares one input, the output of the stage, 16 temporaries, an address register, 4 constants and
 * a sampler. */
struct program *assemble(enum shader_stage stage, const char *const *lines);

/* Lines of a program that apply an operation to IN[0]. `tail` is empty or begins with a comma. */
#define EIGHT_INDEPENDENT(op, tail)                                                                \
    op " TEMP[0], IN[0]" tail, op " TEMP[1], IN[0]" tail, op " TEMP[2], IN[0]" tail,               \
        op " TEMP[3], IN[0]" tail, op " TEMP[4], IN[0]" tail, op " TEMP[5], IN[0]" tail,           \
        op " TEMP[6], IN[0]" tail, op " TEMP[7], IN[0]" tail, "END"
#define FOUR_DEPENDENT(op, tail)                                                                   \
    op " TEMP[0], IN[0]" tail, op " TEMP[0], TEMP[0]" tail, op " TEMP[0], TEMP[0]" tail,           \
        op " TEMP[0], TEMP[0]" tail, "END"

#endif
