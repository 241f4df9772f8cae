/* Internals of the TGSI parser, shared only by program.c and the program_*.c files. */
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
    const char *at; /* current position in the line */
    uint32_t line;
    VEC(struct instruction) instructions;
    VEC(uint32_t) calls; /* pairs of an instruction index and a label in the text */
    VEC(float) immediates;
    uint32_t samplers_declared; /* one bit per sampler */
    /* TEMP arrays, indexed by their number in the text. Not declared: last < first. */
    struct temp_range arrays[MAX_ARRAYS];
};

/* Tokenizer for one line (program_text.c). Each function skips leading blanks. */
bool parse_fail(struct parser *parser, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void parse_blanks(struct parser *parser);
bool parse_accept(struct parser *parser, char c);
bool parse_expect(struct parser *parser, char c);
bool parse_at_end(struct parser *parser);
/* Reads a word of letters, digits and '_'. Returns its length, or 0 if there is none. */
size_t parse_word(struct parser *parser, char *word, size_t size);
/* Returns the index of the word in `names`, or -1 if it is not found. */
int parse_name(const char *word, const char *const *names, uint32_t count);
bool parse_uint(struct parser *parser, uint64_t limit, const char *what, uint32_t *value);
bool parse_int(struct parser *parser, int32_t *value);
/* Parse the bits of a number: a float or an integer in decimal, or raw bits in hexadecimal after
 * 0x. */
bool parse_float_bits(struct parser *parser, uint32_t *bits);
bool parse_integer_bits(struct parser *parser, uint32_t *bits);

bool parse_declaration(struct parser *parser); /* program_declare.c: text after "DCL" */
bool parse_property(struct parser *parser);
bool parse_immediate(struct parser *parser);

/* program_instruction.c: text after "N:", starting with the opcode */
bool parse_instruction(struct parser *parser);

bool program_resolve_flow(struct parser *parser);  /* defined in program_flow.c */
void program_find_liveness(struct parser *parser); /* defined in program_live.c */

#endif
