/* Shader programs: converts TGSI text to decoded instructions (docs/design/stream.md, Shaders; the
 * grammar is that of Mesa 22.3's output). A text consists of lines: the stage, declarations,
 * properties, immediates and numbered instructions. The parser checks everything against the
 * declarations and the limits, so that execution needs no checks. */
#include "isa/program.h"

#include "base/hash.h"
#include "isa/program_parser.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const struct opcode_info opcode_infos[OPCODE_COUNT] = {
#define OPCODE(name, destinations, sources, kind, latency, issue, shape, type)                     \
    {#name, destinations, sources, kind, latency, issue, shape, type},
#include "isa/isa.def"
#undef OPCODE
};

const struct texture_target_info texture_target_infos[TEXTURE_TARGET_COUNT] = {
    [TEX_BUFFER] = {"BUFFER", 1, -1, -1},
    [TEX_1D] = {"1D", 1, -1, -1},
    [TEX_2D] = {"2D", 2, -1, -1},
    [TEX_3D] = {"3D", 3, -1, -1},
    [TEX_CUBE] = {"CUBE", 3, -1, -1},
    [TEX_RECT] = {"RECT", 2, -1, -1},
    [TEX_SHADOW1D] = {"SHADOW1D", 1, 2, -1},
    [TEX_SHADOW2D] = {"SHADOW2D", 2, 2, -1},
    [TEX_SHADOWRECT] = {"SHADOWRECT", 2, 2, -1},
    [TEX_1D_ARRAY] = {"1D_ARRAY", 2, -1, 1},
    [TEX_2D_ARRAY] = {"2D_ARRAY", 3, -1, 2},
    [TEX_SHADOW1D_ARRAY] = {"SHADOW1D_ARRAY", 2, 2, 1},
    [TEX_SHADOW2D_ARRAY] = {"SHADOW2D_ARRAY", 3, 3, 2},
    [TEX_SHADOWCUBE] = {"SHADOWCUBE", 3, 3, -1},
    [TEX_2D_MSAA] = {"2D_MSAA", 2, -1, -1},
    [TEX_2D_ARRAY_MSAA] = {"2D_ARRAY_MSAA", 3, -1, 2},
};

/* Returns the channels that source `i` of a texture instruction needs, before the swizzle. */
static uint8_t
texture_channels(const struct instruction *instruction, uint32_t i)
{
    const struct texture_target_info *target = &texture_target_infos[instruction->target];
    uint8_t coordinates = (uint8_t)((1u << target->coordinates) - 1);
    if (i + 1u == opcode_infos[instruction->opcode].sources)
        return 0; /* the sampler */
    if (i > 0)
        return instruction->opcode == OP_TXD ? coordinates : 1;
    switch (instruction->opcode) {
    case OP_TXQ: return 1;
    case OP_TEX2: return coordinates;
    case OP_TXB:
    case OP_TXL:
    case OP_TXF:
    case OP_TXP: coordinates |= 8; break;
    default: break;
    }
    if (target->reference >= 0)
        coordinates |= (uint8_t)(1u << target->reference);
    return coordinates;
}

/* Returns the channels that source `i` needs, before the swizzle. */
static uint8_t
channels_wanted(const struct instruction *instruction, uint32_t i)
{
    uint8_t mask = instruction->dst[0].write_mask;
    switch (instruction->opcode) {
    case OP_DP2: return 0x3;
    case OP_DP3: return 0x7;
    case OP_DP4:
    case OP_KILL_IF: return 0xf;
    case OP_EMIT:
    case OP_ENDPRIM:
    case OP_IF:
    case OP_UIF:
    case OP_EXP:
    case OP_LOG: return 0x1;
    case OP_LIT: return 0xb;
    case OP_DST: return (uint8_t)(mask & (i == 0 ? 0x6 : 0xa));
    default: break;
    }
    switch (opcode_infos[instruction->opcode].shape) {
    case SHAPE_SCALAR: return 0x1;
    case SHAPE_TEXTURE: return texture_channels(instruction, i);
    default: return mask;
    }
}

uint8_t
instruction_channels_read(const struct instruction *instruction, uint32_t i)
{
    uint8_t wanted = channels_wanted(instruction, i), channels = 0;
    for (uint32_t c = 0; c < 4; c++)
        if (wanted >> c & 1)
            channels |= (uint8_t)(1u << instruction->src[i].swizzle[c]);
    return channels;
}

/* Parses an instruction such as "  3: MOV OUT[0], IN[0]". The number must equal the instruction's
 * index. */
static bool
parse_numbered(struct parser *parser)
{
    uint32_t number;
    if (!parse_uint(parser, MAX_INSTRUCTIONS, "instruction number", &number))
        return false;
    if (number != parser->instructions.count)
        return parse_fail(parser, "found instruction %u, expected %zu", number,
                          parser->instructions.count);
    return parse_expect(parser, ':') && parse_instruction(parser);
}

static bool
parse_statement(struct parser *parser)
{
    char word[32];
    parse_blanks(parser);
    if (isdigit((unsigned char)*parser->at))
        return parse_numbered(parser);
    const char *begin = parser->at;
    parse_word(parser, word, sizeof word);
    if (!strcmp(word, "DCL"))
        return parse_declaration(parser);
    if (!strcmp(word, "PROPERTY"))
        return parse_property(parser);
    if (!strcmp(word, "IMM"))
        return parse_immediate(parser);
    parser->at = begin;
    return parse_instruction(parser);
}

static const char *const stage_words[STAGE_COUNT] = {
    [STAGE_VERTEX] = "VERT",
    [STAGE_FRAGMENT] = "FRAG",
    [STAGE_GEOMETRY] = "GEOM",
};

enum shader_stage
program_text_stage(const char *text)
{
    enum shader_stage stage = 0;
    text += strspn(text, " \t\r\n");
    while (stage < STAGE_COUNT && strncmp(text, stage_words[stage], strlen(stage_words[stage])))
        stage++;
    return stage;
}

static bool
parse_stage(struct parser *parser)
{
    const char *wanted = stage_words[parser->program->stage];
    char word[32];
    parse_word(parser, word, sizeof word);
    return !strcmp(word, wanted) || parse_fail(parser, "expected %s, not \"%s\"", wanted, word);
}

static bool
parse_line(struct parser *parser, bool *staged)
{
    if (parse_at_end(parser))
        return true;
    if (!*staged) {
        if (!parse_stage(parser))
            return false;
        *staged = true;
    } else if (!parse_statement(parser)) {
        return false;
    }
    if (!parse_at_end(parser))
        return parse_fail(parser, "cannot parse \"%.24s\"", parser->at);
    return true;
}

static bool
parse_lines(struct parser *parser, char *text)
{
    bool staged = false;
    char *rest = text;
    while (rest) {
        char *line = rest;
        rest = strchr(line, '\n');
        if (rest)
            *rest++ = '\0';
        parser->at = line;
        if (++parser->line > UINT16_MAX)
            return parse_fail(parser, "a shader has more than %d lines", UINT16_MAX);
        if (!parse_line(parser, &staged))
            return false;
    }
    if (!parser->instructions.count)
        return fail(parser->err, "shader: no instructions");
    return true;
}

/* Adds a position output that stays 0 to a vertex or geometry program without one. GLSL 1.20, 7.1,
 * permits such a program and leaves its position undefined, but later units need a position. */
static void
complete_outputs(struct program *program)
{
    for (uint32_t i = 0; i < program->output_count; i++)
        if (program->outputs[i].semantic == SEMANTIC_POSITION)
            return;
    if (program->stage != STAGE_FRAGMENT && program->output_count < MAX_VARYINGS)
        program->outputs[program->output_count++].semantic = SEMANTIC_POSITION;
}

static void
note_outputs(struct program *program)
{
    for (uint32_t i = 0; i < program->output_count && program->stage == STAGE_FRAGMENT; i++) {
        if (program->outputs[i].semantic == SEMANTIC_POSITION)
            program->writes_depth = true;
        if (program->outputs[i].semantic == SEMANTIC_STENCIL)
            program->writes_stencil = true;
    }
}

static void
note_constants(struct program *program)
{
    program->constant_channels =
        mem_array(program->constant_buffers[0].count, sizeof *program->constant_channels);
    for (uint32_t i = 0; i < program->instruction_count; i++) {
        const struct instruction *instruction = &program->instructions[i];
        for (uint32_t s = 0; s < opcode_infos[instruction->opcode].sources; s++) {
            const struct source *source = &instruction->src[s];
            if (source->file != FILE_CONSTANT || source->buffer)
                continue;
            if (source->indirect)
                program->indirect_constants = true;
            else
                program->constant_channels[source->index] |=
                    instruction_channels_read(instruction, s);
        }
    }
}

/* Copies the parser's results into the program. */
static void
program_take(struct program *program, struct parser *parser)
{
    program->instruction_count = (uint32_t)parser->instructions.count;
    program->instructions = mem_array(parser->instructions.count, sizeof *program->instructions);
    memcpy(program->instructions, parser->instructions.items,
           parser->instructions.count * sizeof *program->instructions);
    if (parser->immediates.count) {
        program->immediates = mem_array(parser->immediates.count, sizeof(float));
        memcpy(program->immediates, parser->immediates.items,
               parser->immediates.count * sizeof(float));
    }
}

/* Hashes a source, with only those channels of its swizzle that the instruction needs. */
static uint64_t
hash_source(uint64_t hash, const struct instruction *instruction, uint32_t i)
{
    const struct source *src = &instruction->src[i];
    const uint8_t wanted = channels_wanted(instruction, i);
    hash = hash_number(hash, src->file | src->negate << 8 | src->absolute << 9 |
                                 src->indirect << 10 | (uint32_t)src->buffer << 16);
    hash = hash_number(hash, (uint16_t)src->index);
    if (src->indirect)
        hash = hash_number(hash, src->address_index | src->address_channel << 8 | src->array << 16 |
                                     (src->scale - 1u) << 24);
    for (uint32_t c = 0; c < 4; c++)
        if (wanted >> c & 1)
            hash = hash_number(hash, c | src->swizzle[c] << 4);
    return hash;
}

static uint64_t
hash_destination(uint64_t hash, const struct destination *dst)
{
    hash = hash_number(hash, dst->file | dst->write_mask << 8 | dst->saturate << 16 |
                                 dst->indirect << 17);
    hash = hash_number(hash, (uint16_t)dst->index);
    return dst->indirect ? hash_number(hash, dst->address_index | dst->address_channel << 8 |
                                                 dst->array << 16)
                         : hash;
}

static uint64_t
hash_instruction(uint64_t hash, const struct instruction *instruction)
{
    const struct opcode_info *info = &opcode_infos[instruction->opcode];
    hash = hash_number(hash, instruction->opcode | instruction->saturate << 16 |
                                 (uint64_t)instruction->label << 32);
    for (uint32_t i = 0; i < info->destinations; i++)
        hash = hash_destination(hash, &instruction->dst[i]);
    for (uint32_t i = 0; i < info->sources; i++)
        hash = hash_source(hash, instruction, i);
    if (info->shape != SHAPE_TEXTURE)
        return hash;
    hash = hash_number(hash, instruction->target | instruction->sampler << 8 |
                                 instruction->indirect_sampler << 16);
    return hash_bytes(hash, instruction->tex_offset, sizeof instruction->tex_offset);
}

static uint64_t
hash_declarations(uint64_t hash, const struct io_decl *declarations, uint32_t count)
{
    hash = hash_number(hash, count);
    for (uint32_t i = 0; i < count; i++)
        hash = hash_number(hash, (uint32_t)declarations[i].semantic |
                                     (uint32_t)declarations[i].semantic_index << 8 |
                                     (uint32_t)declarations[i].interpolation << 16 |
                                     (uint32_t)declarations[i].centroid << 24);
    return hash;
}

static uint64_t
hash_stream_out(uint64_t hash, const struct so_info *so)
{
    hash = hash_number(hash, so->count);
    for (uint32_t i = 0; i < MAX_SO_BUFFERS && so->count; i++)
        hash = hash_number(hash, so->stride[i]);
    for (uint32_t i = 0; i < so->count; i++) {
        const struct so_output *o = &so->outputs[i];
        hash = hash_number(hash, o->register_index | o->start_component << 8 |
                                     o->num_components << 16 | (uint32_t)o->buffer << 24);
        hash = hash_number(hash, o->stream | (uint32_t)o->dst_offset << 8);
    }
    return hash;
}

/* Hashes the program's function, not its text. Mesa leaves unused swizzle channels uninitialized,
 * so the text differs between runs. */
static uint64_t
hash_program(const struct program *p)
{
    uint64_t hash = hash_number(HASH_START, p->stage);
    hash = hash_declarations(hash, p->inputs, p->input_count);
    hash = hash_declarations(hash, p->outputs, p->output_count);
    hash = hash_declarations(hash, p->systems, p->system_count);
    hash = hash_number(hash, p->writes_all_cbufs | p->position_lower_left << 1 |
                                 p->position_center_integer << 2);
    if (p->stage == STAGE_GEOMETRY)
        hash = hash_number(hash, p->input_primitive | p->output_primitive << 8 |
                                     (uint32_t)p->emitted_vertices << 16);
    hash = hash_number(hash, p->immediate_count);
    for (uint32_t i = 0; i < 4 * p->immediate_count; i++) {
        uint32_t bits;
        memcpy(&bits, &p->immediates[i / 4][i % 4], sizeof bits);
        hash = hash_number(hash, bits);
    }
    for (uint32_t i = 0; i < p->instruction_count; i++)
        hash = hash_instruction(hash, &p->instructions[i]);
    return hash_stream_out(hash, &p->so);
}

const char *
shader_stage_name(enum shader_stage stage)
{
    static const char *const names[STAGE_COUNT] = {
        [STAGE_VERTEX] = "vertex",
        [STAGE_FRAGMENT] = "fragment",
        [STAGE_GEOMETRY] = "geometry",
    };
    return names[stage];
}

struct program *
program_create(enum shader_stage stage, const char *tgsi, const struct so_info *so,
               struct error *err)
{
    struct program *program = mem_alloc(sizeof *program);
    struct parser *parser = mem_alloc(sizeof *parser);
    char *text = mem_strdup(tgsi);
    program->stage = stage;
    program->input_vertices = 1;
    if (so)
        program->so = *so;
    program->text = mem_strdup(tgsi);
    for (uint32_t i = 0; i < MAX_VARYINGS; i++)
        program->inputs[i].semantic = program->outputs[i].semantic = SEMANTIC_NONE;
    parser->program = program;
    parser->err = err;
    for (uint32_t i = 0; i < MAX_ARRAYS; i++)
        parser->arrays[i] = (struct temp_range){1, 0};
    bool well = parse_lines(parser, text) && program_resolve_flow(parser);
    if (well) {
        program_find_liveness(parser);
        complete_outputs(program);
        note_outputs(program);
        program_take(program, parser);
        note_constants(program);
        program->hash = hash_program(program);
    }
    VEC_FREE(&parser->instructions);
    VEC_FREE(&parser->calls);
    VEC_FREE(&parser->immediates);
    free(parser);
    free(text);
    if (well)
        return program;
    program_destroy(program);
    return NULL;
}

void
program_destroy(struct program *program)
{
    if (!program)
        return;
    free(program->text);
    free(program->instructions);
    free(program->constant_channels);
    free(program->immediates);
    free(program);
}

uint64_t
program_bytes(const struct program *program)
{
    return sizeof *program + strlen(program->text) + 1 +
           program->instruction_count * sizeof *program->instructions +
           program->constant_buffers[0].count * sizeof *program->constant_channels +
           program->immediate_count * sizeof *program->immediates;
}
