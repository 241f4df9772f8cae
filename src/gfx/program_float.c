/* Integers where there are none. At GLSL 1.20 every number of a shader is a float, but Mesa (22.3,
 * nir_to_tgsi) computes the addresses of arrays, and doubles what it indexes with, by integer
 * opcodes all the same: UADD, UMUL, UMAD and SHL on floats, with a constant that is an integer's
 * bits or, as a shift, a float. Taken as they stand they give nonsense for every index but 0 (spec:
 * frontend.md, "What the stream means", shader text). A program whose only integer opcodes are
 * those four has no integers: then they are what was meant, ADD, MUL, MAD and a MUL by 2^n. */
#include "gfx/program_parser.h"

#include <string.h>

/* Opcodes that make or take integers, and so say that the program has them. */
static bool
needs_integers(uint8_t opcode)
{
    switch (opcode) {
    case OP_UADD:
    case OP_UMUL:
    case OP_UMAD:
    case OP_SHL: return false;
    case OP_UARL:
    case OP_F2I:
    case OP_F2U:
    case OP_FSEQ:
    case OP_FSNE:
    case OP_FSLT:
    case OP_FSGE: return true;
    default: return opcode_infos[opcode].type != TYPE_FLOAT;
    }
}

static bool
has_integers(const struct parser *parser)
{
    const struct program *program = parser->program;
    if (parser->integer_immediates)
        return true;
    for (uint32_t i = 0; i < program->system_count; i++)
        if (program->systems[i].semantic == SEMANTIC_VERTEXID ||
            program->systems[i].semantic == SEMANTIC_INSTANCEID ||
            program->systems[i].semantic == SEMANTIC_BASEVERTEX)
            return true;
    for (size_t i = 0; i < parser->instructions.count; i++)
        if (needs_integers(parser->instructions.items[i].opcode))
            return true;
    return false;
}

/* The number that a constant stands for: bits of a denormal, or of a NaN with its sign, are those
 * of an integer. */
static float
number_meant(float constant)
{
    int32_t bits;
    memcpy(&bits, &constant, sizeof bits);
    bool small = bits >= 0 ? bits < 0x00800000 : bits > (int32_t)0xff800000;
    return small ? (float)bits : constant;
}

static bool
is_power(float n)
{
    return n >= 0.0f && n < 32.0f && n == (float)(uint32_t)n;
}

static bool
acts_on_floats(const struct parser *parser, const struct instruction *instruction)
{
    const struct source *src = instruction->src;
    switch (instruction->opcode) {
    case OP_UADD:
    case OP_UMUL:
    case OP_UMAD:
        return parser->program->address_count || src[0].file == FILE_IMMEDIATE ||
               src[1].file == FILE_IMMEDIATE || src[2].file == FILE_IMMEDIATE;
    case OP_SHL: return src[1].file == FILE_IMMEDIATE && !src[1].indirect;
    default: return false;
    }
}

/* An immediate of its own with what the constants of a source mean; shifts become factors. */
static bool
reword_source(struct parser *parser, struct source *source, bool shift)
{
    float values[4];
    if (source->file != FILE_IMMEDIATE || source->indirect)
        return true;
    if (parser->program->immediate_count >= MAX_IMMEDIATES)
        return fail(parser->err, "shader: more than %d immediates", MAX_IMMEDIATES);
    for (uint32_t c = 0; c < 4; c++) {
        values[c] = number_meant(parser->immediates.items[source->index * 4 + c]);
        if (shift)
            values[c] = is_power(values[c]) ? (float)(1u << (uint32_t)values[c]) : 0.0f;
    }
    source->index = (int16_t)parser->program->immediate_count++;
    for (uint32_t c = 0; c < 4; c++)
        VEC_PUSH(&parser->immediates, values[c]);
    return true;
}

bool
program_reword_integers(struct parser *parser)
{
    if (has_integers(parser))
        return true;
    for (size_t i = 0; i < parser->instructions.count; i++) {
        struct instruction *instruction = &parser->instructions.items[i];
        if (!acts_on_floats(parser, instruction))
            continue;
        bool shift = instruction->opcode == OP_SHL;
        uint32_t sources = opcode_infos[instruction->opcode].sources;
        instruction->opcode = instruction->opcode == OP_UADD   ? OP_ADD
                              : instruction->opcode == OP_UMAD ? OP_MAD
                                                               : OP_MUL;
        for (uint32_t s = 0; s < sources; s++)
            if (!reword_source(parser, &instruction->src[s], shift && s == 1))
                return false;
    }
    return true;
}
