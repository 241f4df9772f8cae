/* Integers where there are none. At GLSL 1.20 every number of a shader is a float, but Mesa (22.3,
 * nir_to_tgsi) multiplies and divides by powers of two, and computes the addresses of arrays, by
 * integer opcodes all the same: they act on floats, with a constant that is an integer's bits or a
 * float. Taken as they stand they give nonsense for nearly every number (spec: frontend.md, "What
 * the stream means", shader text). A program that has no integers, neither as constants nor by
 * other opcodes, gets what was meant:
 *
 *   UADD, UMUL, UMAD, ISSG   ADD, MUL, MAD, SSG
 *   SHL by n                 MUL by 2^n
 *   USHR, ISHR by n          MUL by 2^-n, FLR */
#include "gfx/program_parser.h"

#include <stdlib.h>
#include <string.h>

/* Opcodes that make or take integers, and so say that the program has them. */
static bool
needs_integers(uint8_t opcode)
{
    switch (opcode) {
    case OP_UADD:
    case OP_UMUL:
    case OP_UMAD:
    case OP_ISSG:
    case OP_SHL:
    case OP_USHR:
    case OP_ISHR: return false;
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

static bool
is_shift(uint8_t opcode)
{
    return opcode == OP_SHL || opcode == OP_USHR || opcode == OP_ISHR;
}

static uint8_t
opcode_meant(const struct instruction *instruction)
{
    switch (instruction->opcode) {
    case OP_UADD: return OP_ADD;
    case OP_UMUL: return OP_MUL;
    case OP_UMAD: return OP_MAD;
    case OP_ISSG: return OP_SSG;
    case OP_SHL:
    case OP_USHR:
    case OP_ISHR:
        if (instruction->src[1].file == FILE_IMMEDIATE && !instruction->src[1].indirect)
            return OP_MUL;
        return instruction->opcode;
    default: return instruction->opcode;
    }
}

/* The number that a constant stands for: bits of a denormal, or of a NaN with its sign, are those
 * of an integer. */
static float
number_meant(float constant)
{
    int32_t bits;
    memcpy(&bits, &constant, sizeof bits);
    bool small = bits >= 0 ? bits < 0x00800000 : bits > -0x00800000;
    return small ? (float)bits : constant;
}

/* What a shift by n multiplies with. */
static float
factor_of_shift(float n, bool left)
{
    if (!(n >= 0.0f && n < 32.0f))
        return 0.0f;
    float power = (float)(1u << (uint32_t)n);
    return left ? power : 1.0f / power;
}

/* An immediate of its own with what the constants of source `s` mean. */
static bool
reword_source(struct parser *parser, struct instruction *instruction, uint32_t s)
{
    struct source *source = &instruction->src[s];
    bool amount = s == 1 && is_shift(instruction->opcode);
    float values[4];
    if (source->file != FILE_IMMEDIATE || source->indirect)
        return true;
    if (parser->program->immediate_count >= MAX_IMMEDIATES)
        return fail(parser->err, "shader: more than %d immediates", MAX_IMMEDIATES);
    for (uint32_t c = 0; c < 4; c++) {
        values[c] = number_meant(parser->immediates.items[source->index * 4 + c]);
        if (amount)
            values[c] = factor_of_shift(values[c], instruction->opcode == OP_SHL);
    }
    source->index = (int16_t)parser->program->immediate_count++;
    for (uint32_t c = 0; c < 4; c++)
        VEC_PUSH(&parser->immediates, values[c]);
    return true;
}

static struct instruction
floor_of_result(const struct instruction *instruction)
{
    const struct destination *dst = &instruction->dst[0];
    struct instruction floor = {
        .opcode = OP_FLR,
        .line = instruction->line,
        .dst[0] = *dst,
        .src[0] = {.file = dst->file,
                   .swizzle = {0, 1, 2, 3},
                   .indirect = dst->indirect,
                   .address_index = dst->address_index,
                   .address_channel = dst->address_channel,
                   .array = dst->array,
                   .index = dst->index},
    };
    return floor;
}

/* Appends an instruction as it is meant. */
static bool
reword(struct parser *parser, struct instruction instruction)
{
    uint8_t opcode = instruction.opcode, meant = opcode_meant(&instruction);
    if (meant != opcode) {
        for (uint32_t s = 0; s < opcode_infos[opcode].sources; s++)
            if (!reword_source(parser, &instruction, s))
                return false;
        instruction.opcode = meant;
    }
    VEC_PUSH(&parser->instructions, instruction);
    if (meant != opcode && (opcode == OP_USHR || opcode == OP_ISHR))
        VEC_PUSH(&parser->instructions, floor_of_result(&instruction));
    return parser->instructions.count <= MAX_INSTRUCTIONS ||
           fail(parser->err, "shader line %u: more than %d instructions", instruction.line,
                MAX_INSTRUCTIONS);
}

bool
program_reword_integers(struct parser *parser)
{
    size_t count = parser->instructions.count;
    bool well = true, any = false;
    for (size_t i = 0; i < count; i++)
        any |= opcode_meant(&parser->instructions.items[i]) != parser->instructions.items[i].opcode;
    if (!any || parser->program->immediate_count == 0 || has_integers(parser))
        return true;
    struct instruction *old = mem_alloc(count * sizeof *old);
    uint32_t *places = mem_alloc(count * sizeof *places); /* of the old instructions */
    memcpy(old, parser->instructions.items, count * sizeof *old);
    parser->instructions.count = 0;
    for (size_t i = 0; i < count && well; i++) {
        places[i] = (uint32_t)parser->instructions.count;
        well = reword(parser, old[i]);
    }
    for (size_t c = 0; c < parser->calls.count && well; c++)
        if (parser->calls.items[c] < count)
            parser->calls.items[c] = places[parser->calls.items[c]];
    free(places);
    free(old);
    return well;
}
