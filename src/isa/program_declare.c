/* Declarations, properties and immediates of TGSI text. */
#include "isa/program_parser.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(names) ((uint32_t)(sizeof(names) / sizeof *(names)))

static const char *const semantic_names[] = {
    [SEMANTIC_POSITION] = "POSITION",     [SEMANTIC_COLOR] = "COLOR",
    [SEMANTIC_BCOLOR] = "BCOLOR",         [SEMANTIC_FOG] = "FOG",
    [SEMANTIC_PSIZE] = "PSIZE",           [SEMANTIC_GENERIC] = "GENERIC",
    [SEMANTIC_NORMAL] = "NORMAL",         [SEMANTIC_FACE] = "FACE",
    [SEMANTIC_EDGEFLAG] = "EDGEFLAG",     [SEMANTIC_CLIPDIST] = "CLIPDIST",
    [SEMANTIC_CLIPVERTEX] = "CLIPVERTEX", [SEMANTIC_TEXCOORD] = "TEXCOORD",
    [SEMANTIC_PCOORD] = "PCOORD",         [SEMANTIC_STENCIL] = "STENCIL",
    [SEMANTIC_VERTEXID] = "VERTEXID",     [SEMANTIC_INSTANCEID] = "INSTANCEID",
    [SEMANTIC_BASEVERTEX] = "BASEVERTEX", [SEMANTIC_SAMPLEID] = "SAMPLEID",
    [SEMANTIC_SAMPLEPOS] = "SAMPLEPOS",   [SEMANTIC_SAMPLEMASK] = "SAMPLEMASK",
    [SEMANTIC_PRIMID] = "PRIM_ID",        [SEMANTIC_LAYER] = "LAYER",
};

static const char *const interpolation_names[] = {
    [INTERPOLATE_CONSTANT] = "CONSTANT",
    [INTERPOLATE_LINEAR] = "LINEAR",
    [INTERPOLATE_PERSPECTIVE] = "PERSPECTIVE",
    [INTERPOLATE_COLOR] = "COLOR",
};

struct declaration {
    const char *file;
    uint32_t first, last, array;
    struct io_decl io;
    bool has_semantic, has_interpolation;
};

/* Parses a range of registers: "[0]" or "[0..3]". */
static bool
parse_range(struct parser *parser, uint32_t limit, struct declaration *declaration)
{
    if (!parse_expect(parser, '[') ||
        !parse_uint(parser, limit, "register number", &declaration->first))
        return false;
    declaration->last = declaration->first;
    if (parse_accept(parser, '.')) {
        if (!parse_expect(parser, '.') ||
            !parse_uint(parser, limit, "register number", &declaration->last))
            return false;
        if (declaration->last < declaration->first)
            return parse_fail(parser, "the range ends before it begins");
    }
    return parse_expect(parser, ']');
}

/* Parses the vertex stream of each channel: "STREAM(0, 0, 0, 0)". OpenGL 3.3 has stream 0 only. */
static bool
parse_streams(struct parser *parser)
{
    uint32_t stream;
    char separator = '(';
    for (uint32_t c = 0; c < 4; c++) {
        if (!parse_expect(parser, separator) || !parse_uint(parser, 1, "vertex stream", &stream))
            return false;
        separator = ',';
    }
    return parse_expect(parser, ')');
}

/* Parses an attribute after a comma: semantic, interpolation, location, ARRAY(n), LOCAL, ... */
static bool
parse_attribute(struct parser *parser, struct declaration *declaration)
{
    char word[32];
    uint32_t number;
    parse_word(parser, word, sizeof word);
    if (!strcmp(word, "ARRAY"))
        return parse_expect(parser, '(') &&
               parse_uint(parser, MAX_ARRAYS, "array number", &declaration->array) &&
               parse_expect(parser, ')');
    if (!strcmp(word, "STREAM"))
        return parse_streams(parser);
    if (!strcmp(word, "LOCAL") || !strcmp(word, "INVARIANT") || !strcmp(word, "CENTER"))
        return true;
    if (!strcmp(word, "CENTROID"))
        return declaration->io.centroid = true;
    int name = parse_name(word, semantic_names, COUNT(semantic_names));
    /* The first COLOR is a semantic. A COLOR after a semantic is an interpolation. */
    if (name >= 0 && !declaration->has_semantic) {
        declaration->has_semantic = true;
        declaration->io.semantic = (enum semantic)name;
        if (!parse_accept(parser, '['))
            return true;
        if (!parse_uint(parser, 256, "semantic index", &number))
            return false;
        declaration->io.semantic_index = (uint8_t)number;
        return parse_expect(parser, ']');
    }
    name = parse_name(word, interpolation_names, COUNT(interpolation_names));
    if (name < 0 || declaration->has_interpolation)
        return parse_fail(parser, "unknown attribute \"%s\" of a declaration", word);
    declaration->has_interpolation = true;
    declaration->io.interpolation = (enum interpolation)name;
    return true;
}

static bool
parse_write_mask_of_declaration(struct parser *parser)
{
    char word[8];
    if (!parse_accept(parser, '.'))
        return true;
    size_t n = parse_word(parser, word, sizeof word);
    if (n < 1 || n > 4 || strspn(word, "xyzw") != n)
        return parse_fail(parser, "bad usage mask \".%s\"", word);
    return true;
}

static bool
parse_attributes(struct parser *parser, struct declaration *declaration)
{
    declaration->io.semantic = SEMANTIC_NONE;
    declaration->io.interpolation = INTERPOLATE_PERSPECTIVE;
    if (!parse_write_mask_of_declaration(parser))
        return false;
    while (parse_accept(parser, ','))
        if (!parse_attribute(parser, declaration))
            return false;
    return true;
}

static bool
declare_io(struct parser *parser, struct io_decl *decls, uint32_t limit, uint32_t *count)
{
    struct declaration declaration = {0};
    if (!parse_range(parser, limit, &declaration) || !parse_attributes(parser, &declaration))
        return false;
    if (declaration.io.semantic_index + (declaration.last - declaration.first) > 255)
        return parse_fail(parser, "semantic index exceeds 255");
    for (uint32_t i = declaration.first; i <= declaration.last; i++) {
        decls[i] = declaration.io;
        if (declaration.has_semantic)
            decls[i].semantic_index += (uint8_t)(i - declaration.first);
    }
    if (declaration.last >= *count)
        *count = declaration.last + 1;
    return true;
}

static bool
declare_temps(struct parser *parser)
{
    struct declaration declaration = {0};
    if (!parse_range(parser, MAX_TEMPS, &declaration) || !parse_attributes(parser, &declaration))
        return false;
    if (declaration.last >= parser->program->temp_count)
        parser->program->temp_count = declaration.last + 1;
    if (declaration.array)
        parser->arrays[declaration.array] =
            (struct temp_range){declaration.first, declaration.last};
    return true;
}

/* Adds the vec4s up to `last` to a constant buffer, and places the buffers one after another. */
static void
grow_constants(struct program *program, uint32_t number, uint32_t last)
{
    struct constant_range *range = &program->constant_buffers[number];
    if (last >= range->count)
        range->count = (uint16_t)(last + 1);
    program->constant_count = 0;
    for (uint32_t i = 0; i < MAX_CONSTANT_BUFFERS; i++) {
        program->constant_buffers[i].first = (uint16_t)program->constant_count;
        program->constant_count += program->constant_buffers[i].count;
    }
}

/* Parses a range of constants: "[0..7]" of buffer 0, or "[buffer][0..7]". */
static bool
declare_constants(struct parser *parser)
{
    struct declaration declaration = {0};
    uint32_t buffer = 0;
    if (!parse_range(parser, MAX_CONSTANTS, &declaration))
        return false;
    parse_blanks(parser);
    if (*parser->at == '[') {
        buffer = declaration.first;
        if (buffer != declaration.last || buffer >= MAX_CONSTANT_BUFFERS)
            return parse_fail(parser, "constant buffer %u exceeds %u", declaration.last,
                              MAX_CONSTANT_BUFFERS - 1);
        if (!parse_range(parser, buffer ? OFFERED_CONSTANTS : MAX_CONSTANTS, &declaration))
            return false;
    }
    if (!parse_attributes(parser, &declaration))
        return false;
    grow_constants(parser->program, buffer, declaration.last);
    return true;
}

static bool
declare_addresses(struct parser *parser)
{
    struct declaration declaration = {0};
    if (!parse_range(parser, MAX_ADDRESSES, &declaration) ||
        !parse_attributes(parser, &declaration))
        return false;
    if (declaration.last >= parser->program->address_count)
        parser->program->address_count = declaration.last + 1;
    return true;
}

static bool
declare_samplers(struct parser *parser)
{
    struct declaration declaration = {0};
    if (!parse_range(parser, MAX_SAMPLERS, &declaration) || !parse_attributes(parser, &declaration))
        return false;
    for (uint32_t i = declaration.first; i <= declaration.last; i++)
        parser->samplers_declared |= 1u << i;
    return true;
}

/* Ignores a declaration such as "SVIEW[0], 2D, FLOAT". Instructions repeat the target, and the
 * bound view provides the format. */
static bool
declare_sampler_views(struct parser *parser)
{
    struct declaration declaration = {0};
    char word[32];
    if (!parse_range(parser, MAX_SAMPLERS, &declaration) ||
        !parse_write_mask_of_declaration(parser))
        return false;
    while (parse_accept(parser, ','))
        if (!parse_word(parser, word, sizeof word))
            return parse_fail(parser, "expected a target or a type at \"%.24s\"", parser->at);
    return true;
}

/* Inputs of a geometry program are declared for all vertices: "IN[][0]". */
static bool
parse_vertex_brackets(struct parser *parser)
{
    if (parser->program->stage != STAGE_GEOMETRY)
        return true;
    if (!parser->program->emitted_vertices || !parser->program->input_vertices)
        return parse_fail(parser, "the primitives are not declared before the inputs");
    return parse_expect(parser, '[') && parse_expect(parser, ']');
}

bool
parse_declaration(struct parser *parser)
{
    struct program *program = parser->program;
    char file[16];
    parse_word(parser, file, sizeof file);
    if (!strcmp(file, "IN"))
        return parse_vertex_brackets(parser) &&
               declare_io(parser, program->inputs, MAX_VARYINGS, &program->input_count);
    if (!strcmp(file, "OUT"))
        return declare_io(parser, program->outputs, MAX_VARYINGS, &program->output_count);
    if (!strcmp(file, "SV"))
        return declare_io(parser, program->systems, MAX_SYSTEMS, &program->system_count);
    if (!strcmp(file, "TEMP"))
        return declare_temps(parser);
    if (!strcmp(file, "CONST"))
        return declare_constants(parser);
    if (!strcmp(file, "ADDR"))
        return declare_addresses(parser);
    if (!strcmp(file, "SAMP"))
        return declare_samplers(parser);
    if (!strcmp(file, "SVIEW"))
        return declare_sampler_views(parser);
    return parse_fail(parser, "unknown register file \"%s\"", file);
}

static const struct {
    const char *name;
    enum primitive primitive;
    uint8_t vertices; /* of an input primitive; 0: not an input */
    bool is_output;
} geometry_primitives[] = {
    {"POINTS", PRIM_POINTS, 1, true},
    {"LINES", PRIM_LINES, 2, false},
    {"LINE_STRIP", PRIM_LINE_STRIP, 0, true},
    {"LINES_ADJACENCY", PRIM_LINES_ADJACENCY, 4, false},
    {"TRIANGLES", PRIM_TRIANGLES, 3, false},
    {"TRIANGLE_STRIP", PRIM_TRIANGLE_STRIP, 0, true},
    {"TRIANGLES_ADJACENCY", PRIM_TRIANGLES_ADJACENCY, 6, false},
};

static bool
parse_geometry_primitive(struct parser *parser, const char *value, bool is_output)
{
    struct program *program = parser->program;
    for (uint32_t i = 0; i < COUNT(geometry_primitives); i++) {
        const bool allowed =
            is_output ? geometry_primitives[i].is_output : geometry_primitives[i].vertices > 0;
        if (!allowed || strcmp(value, geometry_primitives[i].name))
            continue;
        if (is_output) {
            program->output_primitive = (uint8_t)geometry_primitives[i].primitive;
            return true;
        }
        program->input_primitive = (uint8_t)geometry_primitives[i].primitive;
        program->input_vertices = geometry_primitives[i].vertices;
        return true;
    }
    return parse_fail(parser, "%s is not an %s primitive of a geometry program", value,
                      is_output ? "output" : "input");
}

static bool
parse_geometry_property(struct parser *parser, const char *name, const char *value)
{
    if (parser->program->stage != STAGE_GEOMETRY)
        return parse_fail(parser, "property %s is only allowed in geometry programs", name);
    if (!strcmp(name, "GS_INPUT_PRIMITIVE"))
        return parse_geometry_primitive(parser, value, false);
    if (!strcmp(name, "GS_OUTPUT_PRIMITIVE"))
        return parse_geometry_primitive(parser, value, true);
    const unsigned long number = strtoul(value, NULL, 10);
    if (!strcmp(name, "GS_MAX_OUTPUT_VERTICES") && number && number <= MAX_EMITTED_VERTICES) {
        parser->program->emitted_vertices = (uint16_t)number;
        return true;
    }
    if (!strcmp(name, "GS_INVOCATIONS") && number == 1)
        return true;
    return parse_fail(parser, "property %s %s is not supported", name, value);
}

/* Accepts properties that cannot change the picture, by name (for example the depth layout, a hint
 * for early tests). Rejects all others. */
bool
parse_property(struct parser *parser)
{
    static const char *const harmless[] = {"FS_DEPTH_LAYOUT", "SEPARABLE_PROGRAM", "NEXT_SHADER",
                                           "NUM_CLIPDIST_ENABLED"};
    struct program *program = parser->program;
    char name[48], value[32];
    parse_word(parser, name, sizeof name);
    parse_word(parser, value, sizeof value);
    if (!strcmp(name, "FS_COORD_ORIGIN")) {
        program->position_lower_left = !strcmp(value, "LOWER_LEFT");
        if (!program->position_lower_left && strcmp(value, "UPPER_LEFT"))
            return parse_fail(parser, "unknown coordinate origin \"%s\"", value);
    } else if (!strcmp(name, "FS_COORD_PIXEL_CENTER")) {
        program->position_center_integer = !strcmp(value, "INTEGER");
        if (!program->position_center_integer && strcmp(value, "HALF_INTEGER"))
            return parse_fail(parser, "unknown pixel center \"%s\"", value);
    } else if (!strcmp(name, "FS_COLOR0_WRITES_ALL_CBUFS")) {
        program->writes_all_cbufs = strcmp(value, "0") != 0;
    } else if (!strncmp(name, "GS_", 3)) {
        return parse_geometry_property(parser, name, value);
    } else if (parse_name(name, harmless, COUNT(harmless)) < 0 && strcmp(value, "0")) {
        return parse_fail(parser, "property %s %s is not supported", name, value);
    }
    return true;
}

/* Parses "IMM[0] FLT32 {0x3f800000, 0x00000000}": up to four numbers; missing ones are 0. */
bool
parse_immediate(struct parser *parser)
{
    uint32_t number, bits[4] = {0}, n = 0;
    char type[16];
    if (parse_accept(parser, '[') &&
        (!parse_uint(parser, MAX_IMMEDIATES, "immediate number", &number) ||
         !parse_expect(parser, ']')))
        return false;
    if (parser->program->immediate_count >= MAX_IMMEDIATES)
        return parse_fail(parser, "more than %d immediates", MAX_IMMEDIATES);
    parse_word(parser, type, sizeof type);
    bool is_float = !strcmp(type, "FLT32");
    if (!is_float && strcmp(type, "UINT32") && strcmp(type, "INT32"))
        return parse_fail(parser, "immediates of type \"%s\" are not supported", type);
    if (!parse_expect(parser, '{'))
        return false;
    do {
        if (n == 4)
            return parse_fail(parser, "an immediate has more than 4 numbers");
        if (is_float ? !parse_float_bits(parser, &bits[n]) : !parse_integer_bits(parser, &bits[n]))
            return false;
        n++;
    } while (parse_accept(parser, ','));
    for (uint32_t i = 0; i < 4; i++) {
        float value;
        memcpy(&value, &bits[i], sizeof value);
        VEC_PUSH(&parser->immediates, value);
    }
    parser->program->immediate_count++;
    return parse_expect(parser, '}');
}
