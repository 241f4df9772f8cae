/* Instructions of TGSI text: opcode, destinations, sources, texture target and offsets. */
#include "isa/program_parser.h"

#include <ctype.h>
#include <string.h>

static const char channel_names[] = "xyzw";

static const char *const file_names[] = {
    [FILE_NULL] = "NULL",    [FILE_INPUT] = "IN",       [FILE_OUTPUT] = "OUT",
    [FILE_TEMP] = "TEMP",    [FILE_CONSTANT] = "CONST", [FILE_IMMEDIATE] = "IMM",
    [FILE_ADDRESS] = "ADDR", [FILE_SAMPLER] = "SAMP",   [FILE_SYSTEM] = "SV",
};

/* Register as parsed from the text, before it becomes a source or a destination. */
struct parsed_register {
    uint8_t file;
    bool indirect;
    uint8_t address_index, address_channel, array;
    uint8_t buffer; /* of a constant */
    uint8_t scale;  /* factor of the address */
    int32_t index;
};

static uint32_t
declared_count(const struct parser *parser, const struct parsed_register *operand)
{
    const struct program *program = parser->program;
    switch (operand->file) {
    case FILE_NULL: return 1;
    case FILE_INPUT: return program_input_registers(program);
    case FILE_OUTPUT: return program->output_count;
    case FILE_TEMP: return program->temp_count;
    case FILE_CONSTANT: return program->constant_buffers[operand->buffer].count;
    case FILE_IMMEDIATE: return program->immediate_count;
    case FILE_ADDRESS: return program->address_count;
    case FILE_SYSTEM: return program->system_count;
    case FILE_SAMPLER: return MAX_SAMPLERS;
    default: return 0;
    }
}

static bool
parse_channel(struct parser *parser, uint8_t *channel)
{
    const char *at = *parser->at ? strchr(channel_names, *parser->at) : NULL;
    if (!at)
        return parse_fail(parser, "expected a channel at \"%.24s\"", parser->at);
    *channel = (uint8_t)(at - channel_names);
    parser->at++;
    return true;
}

/* Parses the text after "[ADDR": "[0].x+3]" and optionally "(2)". */
static bool
parse_indirect(struct parser *parser, struct parsed_register *operand)
{
    uint32_t number;
    operand->indirect = true;
    if (!parse_expect(parser, '[') ||
        !parse_uint(parser, parser->program->address_count, "address register", &number) ||
        !parse_expect(parser, ']') || !parse_expect(parser, '.') ||
        !parse_channel(parser, &operand->address_channel))
        return false;
    operand->address_index = (uint8_t)number;
    parse_blanks(parser);
    if (*parser->at != ']' && !parse_int(parser, &operand->index))
        return false;
    if (!parse_expect(parser, ']'))
        return false;
    if (!parse_accept(parser, '('))
        return true;
    if (!parse_uint(parser, MAX_ARRAYS, "array number", &number))
        return false;
    operand->array = (uint8_t)number;
    return parse_expect(parser, ')');
}

/* Parses one pair of brackets: "[5]" or "[ADDR[0].x+5]". */
static bool
parse_index(struct parser *parser, struct parsed_register *operand)
{
    char word[16];
    if (!parse_expect(parser, '['))
        return false;
    parse_blanks(parser);
    if (isalpha((unsigned char)*parser->at)) {
        parse_word(parser, word, sizeof word);
        if (strcmp(word, "ADDR"))
            return parse_fail(parser, "%s as an address is not supported", word);
        return parse_indirect(parser, operand);
    }
    return parse_int(parser, &operand->index) && parse_expect(parser, ']');
}

static bool
check_operand(struct parser *parser, const struct parsed_register *operand)
{
    const char *name = file_names[operand->file];
    if (operand->indirect) {
        if (operand->file == FILE_ADDRESS || operand->file == FILE_NULL)
            return parse_fail(parser, "indirect access to %s is not supported", name);
        return true;
    }
    if (operand->index < 0 || (uint32_t)operand->index >= declared_count(parser, operand))
        return parse_fail(parser, "%s[%d] is not declared", name, operand->index);
    return true;
}

/* Parses the second index of an input of a geometry program, "IN[vertex][input]". Inputs of the
 * whole primitive have only one: "IN[input]". */
static bool
parse_vertex_input(struct parser *parser, struct parsed_register *operand)
{
    const uint32_t vertices = parser->program->input_vertices;
    struct parsed_register vertex = {.file = FILE_INPUT, .scale = 1};
    parse_blanks(parser);
    if (*parser->at == '[') {
        vertex = *operand;
        *operand = (struct parsed_register){.file = FILE_INPUT};
        if (!parse_index(parser, operand))
            return false;
    }
    if (vertex.index < 0 || (uint32_t)vertex.index >= vertices)
        return parse_fail(parser, "vertex %d exceeds %u", vertex.index, vertices - 1);
    if (operand->index < 0 || (uint32_t)operand->index >= parser->program->input_count)
        return parse_fail(parser, "IN[%d] is not declared", operand->index);
    if (operand->indirect && vertex.indirect)
        return parse_fail(parser, "two addresses of one input are not supported");
    const int32_t index = operand->index * (int32_t)vertices + vertex.index;
    operand->scale = (uint8_t)vertices;
    if (vertex.indirect)
        *operand = vertex;
    operand->index = index;
    return true;
}

static bool
parse_register(struct parser *parser, struct parsed_register *operand)
{
    char word[16];
    memset(operand, 0, sizeof *operand);
    parse_word(parser, word, sizeof word);
    int file = parse_name(word, file_names, sizeof file_names / sizeof *file_names);
    if (file < 0)
        return parse_fail(parser, "unknown register file \"%s\"", word);
    operand->file = (uint8_t)file;
    operand->scale = 1;
    if (!parse_index(parser, operand))
        return false;
    parse_blanks(parser);
    if (file == FILE_CONSTANT && *parser->at == '[') { /* CONST[buffer][index] */
        if (operand->indirect)
            return parse_fail(parser, "indirect numbers of constant buffers are not supported");
        if (operand->index < 0 || operand->index >= MAX_CONSTANT_BUFFERS)
            return parse_fail(parser, "constant buffer %d exceeds %u", operand->index,
                              MAX_CONSTANT_BUFFERS - 1);
        operand->buffer = (uint8_t)operand->index;
        operand->index = 0;
        if (!parse_index(parser, operand))
            return false;
    }
    if (file == FILE_INPUT && parser->program->stage == STAGE_GEOMETRY &&
        !parse_vertex_input(parser, operand))
        return false;
    if (!check_operand(parser, operand))
        return false;
    if (file == FILE_CONSTANT)
        operand->index += parser->program->constant_buffers[operand->buffer].first;
    return true;
}

static bool
parse_destination(struct parser *parser, struct destination *destination)
{
    struct parsed_register operand;
    if (!parse_register(parser, &operand))
        return false;
    if (operand.file != FILE_TEMP && operand.file != FILE_OUTPUT && operand.file != FILE_ADDRESS &&
        operand.file != FILE_NULL)
        return parse_fail(parser, "%s cannot be written", file_names[operand.file]);
    *destination = (struct destination){
        .file = operand.file,
        .write_mask = 0xf,
        .indirect = operand.indirect,
        .address_index = operand.address_index,
        .address_channel = operand.address_channel,
        .array = operand.array,
        .index = (int16_t)operand.index,
    };
    if (!parse_accept(parser, '.'))
        return true;
    destination->write_mask = 0;
    while (*parser->at && strchr(channel_names, *parser->at)) {
        uint8_t channel;
        parse_channel(parser, &channel);
        if (destination->write_mask >> channel)
            return parse_fail(parser, "the write mask's channels are not in order");
        destination->write_mask |= (uint8_t)(1u << channel);
    }
    if (!destination->write_mask)
        return parse_fail(parser, "expected a write mask at \"%.24s\"", parser->at);
    return true;
}

/* Parses an optional swizzle. ".x" selects x for all four channels. */
static bool
parse_swizzle(struct parser *parser, uint8_t swizzle[4])
{
    if (!parse_accept(parser, '.'))
        return true;
    uint32_t n = 0;
    while (n < 4 && *parser->at && strchr(channel_names, *parser->at))
        parse_channel(parser, &swizzle[n++]);
    if (n == 1)
        swizzle[1] = swizzle[2] = swizzle[3] = swizzle[0];
    else if (n != 4)
        return parse_fail(parser, "a swizzle has 1 or 4 channels, not %u", n);
    return true;
}

static bool
parse_source(struct parser *parser, struct source *source)
{
    struct parsed_register operand;
    bool negate = parse_accept(parser, '-');
    bool absolute = parse_accept(parser, '|');
    if (!parse_register(parser, &operand))
        return false;
    *source = (struct source){
        .file = operand.file,
        .swizzle = {0, 1, 2, 3},
        .negate = negate,
        .absolute = absolute,
        .indirect = operand.indirect,
        .address_index = operand.address_index,
        .address_channel = operand.address_channel,
        .buffer = operand.buffer,
        .array = operand.array,
        .scale = operand.scale,
        .index = operand.index,
    };
    if (!parse_swizzle(parser, source->swizzle))
        return false;
    return !absolute || parse_expect(parser, '|');
}

/* Parses a texel offset such as ", IMM[1].xyz". Offsets must be constant, as GLSL requires. */
static bool
parse_offset(struct parser *parser, struct instruction *instruction)
{
    struct parsed_register operand;
    if (!parse_register(parser, &operand))
        return false;
    if (operand.file != FILE_IMMEDIATE || operand.indirect)
        return parse_fail(parser, "texture offsets must be immediates");
    if (!parse_expect(parser, '.'))
        return false;
    for (uint32_t i = 0; i < 3; i++) {
        uint8_t channel = 0;
        int32_t value;
        if (!parse_channel(parser, &channel))
            return false;
        memcpy(&value, &parser->immediates.items[operand.index * 4 + channel], sizeof value);
        if (value < -64 || value > 63)
            return parse_fail(parser, "texture offset %d is out of range", value);
        instruction->tex_offset[i] = (int8_t)value;
    }
    return true;
}

/* Checks for a conflict: if the reference value uses the channel of the bias or LOD, the target
 * needs the opcode with one more source. */
static bool
check_texture(struct parser *parser, const struct instruction *instruction)
{
    const struct texture_target_info *target = &texture_target_infos[instruction->target];
    const char *name = opcode_infos[instruction->opcode].name;
    switch (instruction->opcode) {
    case OP_TXB:
    case OP_TXL:
    case OP_TXP:
        if (target->reference == 3)
            return parse_fail(parser, "%s has no component left for the reference of %s", name,
                              target->name);
        break;
    case OP_TEX2:
        if (target->reference < 0)
            return parse_fail(parser, "TEX2 requires a target with a reference value, not %s",
                              target->name);
        break;
    case OP_TXF:
    case OP_TXF_LZ:
        if (target->reference >= 0 || instruction->target == TEX_CUBE)
            return parse_fail(parser, "%s cannot fetch from %s", name, target->name);
        return true;
    case OP_TXQ: return true;
    default: break;
    }
    if (instruction->target == TEX_BUFFER || instruction->target == TEX_2D_MSAA ||
        instruction->target == TEX_2D_ARRAY_MSAA)
        return parse_fail(parser, "%s cannot sample %s", name, target->name);
    return true;
}

/* Adds the samplers that an index can reach, which TGSI does not state. The code assumes the
 * contiguous declared samplers from `first` on, except those already used with another target. */
static void
use_sampler_array(struct parser *parser, uint32_t first, uint8_t target)
{
    struct program *program = parser->program;
    for (uint32_t i = first; i < MAX_SAMPLERS && parser->samplers_declared >> i & 1; i++) {
        if (program->samplers_used >> i & 1)
            continue;
        program->samplers_used |= 1u << i;
        program->sampler_targets[i] = target;
    }
}

static bool
parse_texture(struct parser *parser, struct instruction *instruction)
{
    struct program *program = parser->program;
    const struct source *sampler = &instruction->src[opcode_infos[instruction->opcode].sources - 1];
    char word[24];
    if (sampler->file != FILE_SAMPLER)
        return parse_fail(parser, "the last source is not a sampler");
    if (sampler->index < 0 || sampler->index >= MAX_SAMPLERS)
        return parse_fail(parser, "SAMP[%d] is not declared", sampler->index);
    instruction->sampler = (uint8_t)sampler->index;
    instruction->indirect_sampler = sampler->indirect;
    if (!parse_expect(parser, ','))
        return false;
    parse_word(parser, word, sizeof word);
    uint32_t target = 0;
    while (target < TEXTURE_TARGET_COUNT && strcmp(word, texture_target_infos[target].name))
        target++;
    if (target == TEXTURE_TARGET_COUNT)
        return parse_fail(parser, "texture target \"%s\" is not supported", word);
    instruction->target = (uint8_t)target;
    if (parse_accept(parser, ',') && !parse_offset(parser, instruction))
        return false;
    if (instruction->indirect_sampler)
        use_sampler_array(parser, instruction->sampler, (uint8_t)target);
    program->samplers_used |= 1u << instruction->sampler;
    program->sampler_targets[instruction->sampler] = (uint8_t)target;
    return check_texture(parser, instruction);
}

static bool
parse_opcode(struct parser *parser, struct instruction *instruction)
{
    char word[32];
    size_t n = parse_word(parser, word, sizeof word);
    for (;;) { /* suffixes may have any order */
        if (n > 4 && !strcmp(word + n - 4, "_SAT")) {
            word[n -= 4] = '\0';
            instruction->saturate = true;
        } else if (n > 8 && !strcmp(word + n - 8, "_PRECISE")) {
            word[n -= 8] = '\0'; /* no effect: instructions are never reordered */
        } else {
            break;
        }
    }
    for (uint32_t i = 0; i < OPCODE_COUNT; i++) {
        if (!strcmp(word, opcode_infos[i].name)) {
            instruction->opcode = (uint8_t)i;
            return true;
        }
    }
    return parse_fail(parser, "unknown opcode \"%s\"", word);
}

static bool
parse_operands(struct parser *parser, struct instruction *instruction)
{
    const struct opcode_info *info = &opcode_infos[instruction->opcode];
    for (uint32_t i = 0; i < info->destinations; i++) {
        if ((i && !parse_expect(parser, ',')) || !parse_destination(parser, &instruction->dst[i]))
            return false;
        instruction->dst[i].saturate = instruction->saturate;
    }
    for (uint32_t i = 0; i < info->sources; i++) {
        bool first = i == 0 && info->destinations == 0;
        if ((!first && !parse_expect(parser, ',')) || !parse_source(parser, &instruction->src[i]))
            return false;
        bool sampler_place = info->shape == SHAPE_TEXTURE && i + 1 == info->sources;
        if (instruction->src[i].file == FILE_SAMPLER && !sampler_place)
            return parse_fail(parser, "a sampler cannot be used as a value");
    }
    return true;
}

static void
note_use(struct program *program, const struct instruction *instruction)
{
    switch (instruction->opcode) {
    case OP_KILL:
    case OP_KILL_IF: program->uses_kill = true; break;
    case OP_TEX:
    case OP_TEX2:
    case OP_TXP:
    case OP_TXB:
    case OP_TXB2:
        if (program->stage == STAGE_FRAGMENT)
            program->uses_derivatives = true;
        break;
    default:
        if (opcode_infos[instruction->opcode].shape == SHAPE_DERIVATIVE)
            program->uses_derivatives = true;
    }
}

/* Checks that the source of EMIT or ENDPRIM selects vertex stream 0, the only one of OpenGL 3.3. */
static bool
check_stream(struct parser *parser, const struct instruction *instruction)
{
    const struct source *source = &instruction->src[0];
    uint32_t stream = 1;
    if (source->file == FILE_IMMEDIATE && !source->indirect)
        memcpy(&stream, &parser->immediates.items[source->index * 4 + source->swizzle[0]],
               sizeof stream);
    return stream == 0 || parse_fail(parser, "vertex streams above 0 are not supported");
}

bool
parse_instruction(struct parser *parser)
{
    struct instruction instruction = {.line = (uint16_t)parser->line};
    if (parser->instructions.count >= MAX_INSTRUCTIONS)
        return parse_fail(parser, "more than %d instructions", MAX_INSTRUCTIONS);
    if (!parse_opcode(parser, &instruction) || !parse_operands(parser, &instruction))
        return false;
    const struct opcode_info *info = &opcode_infos[instruction.opcode];
    if (info->shape == SHAPE_TEXTURE && !parse_texture(parser, &instruction))
        return false;
    bool fragment_only = info->shape == SHAPE_DERIVATIVE || instruction.opcode == OP_KILL ||
                         instruction.opcode == OP_KILL_IF;
    if (instruction.opcode == OP_EMIT || instruction.opcode == OP_ENDPRIM) {
        if (parser->program->stage != STAGE_GEOMETRY)
            return parse_fail(parser, "%s is only allowed in geometry programs", info->name);
        if (!check_stream(parser, &instruction))
            return false;
    }
    if (fragment_only && parser->program->stage != STAGE_FRAGMENT)
        return parse_fail(parser, "%s is only allowed in fragment programs", info->name);
    /* Only a call needs its label. The ends of other constructs follow from the nesting. */
    uint32_t label = UINT32_MAX;
    if (info->shape == SHAPE_FLOW && parse_accept(parser, ':') &&
        !parse_uint(parser, MAX_INSTRUCTIONS, "label", &label))
        return false;
    if (instruction.opcode == OP_CAL) {
        VEC_PUSH(&parser->calls, (uint32_t)parser->instructions.count);
        VEC_PUSH(&parser->calls, label);
    }
    note_use(parser->program, &instruction);
    VEC_PUSH(&parser->instructions, instruction);
    return true;
}
