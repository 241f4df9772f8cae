/* Inside of the TGSI parser: shared by program.c and the program_*.c files, by nobody else. */
#ifndef AETIUS_ISA_PROGRAM_PARSER_H
#define AETIUS_ISA_PROGRAM_PARSER_H

#include "base/mem.h"
#include "isa/program.h"

#include <stddef.h>

struct temp_range {
    uint32_t first, last; /* inclusive */
};

enum { MAX_ARRAYS = 256 };

struct parser {
    struct program *program;
    struct error *err;
    const char *at; /* in the line's text */
    uint32_t line;
    VEC(struct instruction) instructions;
    VEC(uint32_t) calls; /* pairs: instruction, label of the text */
    VEC(float) immediates;
    uint32_t samplers_declared;           /* a bit each */
    struct temp_range arrays[MAX_ARRAYS]; /* of TEMP, by their number; last < first: none */
};

/* Words of a line (program_text.c). Each skips blanks first. */
bool parse_fail(struct parser *parser, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void parse_blanks(struct parser *parser);
bool parse_accept(struct parser *parser, char c);
bool parse_expect(struct parser *parser, char c);
bool parse_at_end(struct parser *parser);
/* A word of letters, digits and '_'; its length, 0 when there is none. */
size_t parse_word(struct parser *parser, char *word, size_t size);
/* A number of `names`, or -1 when the word is none of them. */
int parse_name(const char *word, const char *const *names, uint32_t count);
bool parse_uint(struct parser *parser, uint64_t limit, const char *what, uint32_t *value);
bool parse_int(struct parser *parser, int32_t *value);
/* A number's bits: float or integer in decimal, or bits in hexadecimal after 0x. */
bool parse_float_bits(struct parser *parser, uint32_t *bits);
bool parse_integer_bits(struct parser *parser, uint32_t *bits);

bool parse_declaration(struct parser *parser); /* program_declare.c: behind "DCL" */
bool parse_property(struct parser *parser);
bool parse_immediate(struct parser *parser);

/* program_instruction.c: behind "N:", beginning with the opcode */
bool parse_instruction(struct parser *parser);

bool program_resolve_flow(struct parser *parser);  /* program_flow.c */
void program_find_liveness(struct parser *parser); /* program_live.c */

#endif
