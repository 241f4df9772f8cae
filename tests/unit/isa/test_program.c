/* Programs in isa/program.h: decoding of TGSI as Mesa prints it, liveness, refusals, and hostile
 * texts. */
#include "base/mem.h"
#include "isa/exec.h"
#include "rigs/assemble.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A vertex program with lighting, like those of Mesa's fixed function. */
static const char vertex_text[] =
    "VERT\n"
    "DCL IN[0]\n"
    "DCL IN[1]\n"
    "DCL OUT[0], POSITION\n"
    "DCL OUT[1].xyz, COLOR\n"
    "DCL OUT[2..3], GENERIC[9]\n"
    "DCL OUT[4], CLIPVERTEX\n"
    "DCL SV[0], VERTEXID\n"
    "DCL CONST[0][0..12]\n"
    "DCL TEMP[0..7], LOCAL\n"
    "DCL TEMP[8..11], ARRAY(1), LOCAL\n"
    "DCL ADDR[0..1]\n"
    "IMM[0] FLT32 {0x3f800000, 0xbf000000, 0x00000000, 0x7f800000}\n"
    "IMM[1] UINT32 {0, 16, 4294967295, 1}\n"
    "IMM[2] INT32 {-1, 0, 2, 3}\n"
    "IMM[3] FLT32 {    1.5000,    -0.2500, 1e10}\n"
    "  0: MUL TEMP[0], IN[0].xxxx, CONST[0][0]\n"
    "  1: MAD TEMP[0], IN[0].yyyy, CONST[1], TEMP[0]\n"
    "  2: ARL ADDR[1].y, IN[1].xxxx\n"
    "  3: MOV TEMP[ADDR[1].y+9](1).xw, -|IMM[0].yyyy|\n"
    "  4: ADD_SAT TEMP[1].xyz, -CONST[0][ADDR[1].y-3].zyxx, CONST[ADDR[1].y].wwww\n"
    "  5: MOV_PRECISE OUT[0], TEMP[0]\n"
    "  6: MOV_SAT_PRECISE OUT[1].xyz, TEMP[1].xyzx\n"
    "  7: TXL OUT[2], IN[0], SAMP[1], 2D, IMM[2].xyz\n"
    "  8: MOV OUT[3], TEMP[8]\n"
    "  9: MOV OUT[4], SV[0].xxxx\n"
    " 10: END\n";

static void
test_declarations(void **state)
{
    struct program *program = parse_program(STAGE_VERTEX, vertex_text);
    assert_int_equal(program->stage, STAGE_VERTEX);
    assert_int_equal(program->input_count, 2);
    assert_int_equal(program->output_count, 5);
    assert_int_equal(program->outputs[0].semantic, SEMANTIC_POSITION);
    assert_int_equal(program->outputs[1].semantic, SEMANTIC_COLOR);
    assert_int_equal(program->outputs[2].semantic, SEMANTIC_GENERIC);
    assert_int_equal(program->outputs[2].semantic_index, 9);
    assert_int_equal(program->outputs[3].semantic_index, 10);
    assert_int_equal(program->outputs[4].semantic, SEMANTIC_CLIPVERTEX);
    assert_int_equal(program->system_count, 1);
    assert_int_equal(program->systems[0].semantic, SEMANTIC_VERTEXID);
    assert_int_equal(program->constant_count, 13);
    assert_int_equal(program->temp_count, 12);
    assert_int_equal(program->address_count, 2);
    assert_int_equal(program->samplers_used, 2);
    assert_int_equal(program->sampler_targets[1], TEX_2D);
    assert_false(program->writes_depth);
    assert_false(program->uses_derivatives);
    program_destroy(program);
}

/* Constant buffers follow each other in one array, in the order of their numbers. Limits of a
 * block: 13 blocks of 4096 vec4s. */
static void
test_constant_buffers(void **state)
{
    struct program *program = parse_program(STAGE_FRAGMENT, "FRAG\n"
                                                            "DCL CONST[3][0..4]\n"
                                                            "DCL CONST[0..6]\n"
                                                            "DCL CONST[13][0..4095]\n"
                                                            "DCL OUT[0], COLOR\n"
                                                            "0: MUL OUT[0], CONST[3][4], CONST[6]\n"
                                                            "1: MOV OUT[0], CONST[13][4095]\n"
                                                            "2: END\n");
    (void)state;
    assert_int_equal(program->constant_count, 7 + 5 + 4096);
    assert_int_equal(program->constant_buffers[3].first, 7);
    assert_int_equal(program->constant_buffers[3].count, 5);
    assert_int_equal(program->instructions[0].src[0].index, 11);
    assert_int_equal(program->instructions[0].src[0].buffer, 3);
    assert_int_equal(program->instructions[0].src[1].index, 6);
    assert_int_equal(program->instructions[0].src[1].buffer, 0);
    assert_int_equal(program->instructions[1].src[0].index, 12 + 4095);
    program_destroy(program);

    char text[1024] = "FRAG\n";
    for (uint32_t block = 1; block <= 13; block++)
        sprintf(text + strlen(text), "DCL CONST[%u][0..4095]\n", block);
    strcat(text, "DCL OUT[0], COLOR\n0: MOV OUT[0], CONST[13][4095]\n1: END\n");
    program = parse_program(STAGE_FRAGMENT, text);
    assert_int_equal(program->instructions[0].src[0].index, 13 * 4096 - 1);
    program_destroy(program);
}

static void
test_immediates(void **state)
{
    static const float first[4] = {1.0f, -0.5f, 0.0f, __builtin_inff()};
    static const uint32_t second[4] = {0, 16, 0xffffffffu, 1};
    static const int32_t third[4] = {-1, 0, 2, 3};
    static const float fourth[4] = {1.5f, -0.25f, 1e10f, 0.0f};
    struct program *program = parse_program(STAGE_VERTEX, vertex_text);
    assert_int_equal(program->immediate_count, 4);
    assert_memory_equal(program->immediates[0], first, 16);
    assert_memory_equal(program->immediates[1], second, 16);
    assert_memory_equal(program->immediates[2], third, 16);
    assert_memory_equal(program->immediates[3], fourth, 16);
    program_destroy(program);
}

static void
test_instructions(void **state)
{
    struct program *program = parse_program(STAGE_VERTEX, vertex_text);
    assert_int_equal(program->instruction_count, 11);
    const struct instruction *i = &program->instructions[1];
    assert_int_equal(i->opcode, OP_MAD);
    assert_int_equal(i->line, 18);
    assert_int_equal(i->src[0].file, FILE_INPUT);
    assert_int_equal(i->src[0].swizzle[3], 1);
    assert_int_equal(i->src[1].file, FILE_CONSTANT);
    assert_int_equal(i->src[1].index, 1);
    assert_int_equal(i->temps_read, 1);
    assert_int_equal(i->temps_written, 1);
    assert_int_equal(i->port_count, 3);
    i = &program->instructions[3];
    assert_true(i->dst[0].indirect);
    assert_int_equal(i->dst[0].index, 9);
    assert_int_equal(i->dst[0].address_index, 1);
    assert_int_equal(i->dst[0].address_channel, 1);
    assert_int_equal(i->dst[0].write_mask, 0x9);
    assert_int_equal(i->temps_written, 0xf00); /* the whole array is written */
    assert_true(i->src[0].negate && i->src[0].absolute);
    i = &program->instructions[4];
    assert_true(i->saturate && i->dst[0].saturate);
    assert_true(i->src[0].indirect && i->src[0].negate);
    assert_int_equal(i->src[0].index, -3);
    assert_int_equal(i->src[1].index, 0);
    assert_false(program->instructions[5].saturate);
    assert_true(program->instructions[6].saturate);
    i = &program->instructions[7];
    assert_int_equal(i->opcode, OP_TXL);
    assert_int_equal(i->sampler, 1);
    assert_int_equal(i->target, TEX_2D);
    assert_int_equal(i->tex_offset[0], -1);
    assert_int_equal(i->tex_offset[2], 2);
    assert_true(instruction_reads_temp(&program->instructions[8], 8));
    assert_false(instruction_reads_temp(&program->instructions[8], 9));
    assert_false(instruction_writes_temp(&program->instructions[8], 8));
    program_destroy(program);
}

/* Bit t % 64 represents temporary t. An array of 64 or more temporaries sets all bits. */
static void
test_scoreboard(void **state)
{
    (void)state;
    struct program *program = parse_program(STAGE_FRAGMENT, "FRAG\n"
                                                            "DCL OUT[0], COLOR\n"
                                                            "DCL TEMP[0..99]\n"
                                                            "DCL TEMP[100..170], ARRAY(1), LOCAL\n"
                                                            "DCL ADDR[0]\n"
                                                            "ADD TEMP[70], TEMP[63], TEMP[64]\n"
                                                            "MOV TEMP[6], TEMP[ADDR[0].x+100](1)\n"
                                                            "MOV OUT[0], TEMP[70]\n"
                                                            "END\n");
    const struct instruction *i = program->instructions;
    assert_int_equal(i[0].temps_written, 1u << (70 - 64));
    assert_int_equal(i[0].temps_read, 1ull << 63 | 1ull << (64 - 64));
    assert_int_equal(i[1].temps_written, i[0].temps_written);
    assert_true(i[1].temps_read == ~0ull);
    assert_int_equal(i[2].temps_read, 1u << (70 - 64));
    program_destroy(program);
}

static void
test_fragment_declarations(void **state)
{
    struct program *program =
        parse_program(STAGE_FRAGMENT, "FRAG\n"
                                      "PROPERTY FS_COORD_ORIGIN LOWER_LEFT\n"
                                      "PROPERTY FS_COORD_PIXEL_CENTER INTEGER\n"
                                      "PROPERTY FS_COLOR0_WRITES_ALL_CBUFS 1\n"
                                      "DCL IN[0], POSITION, LINEAR\n"
                                      "DCL IN[1], COLOR, COLOR\n"
                                      "DCL IN[2], COLOR[1], COLOR\n"
                                      "DCL IN[3], GENERIC[3], PERSPECTIVE, CENTROID\n"
                                      "DCL IN[4], FACE, CONSTANT\n"
                                      "DCL IN[5], PCOORD, PERSPECTIVE\n"
                                      "DCL OUT[0], COLOR\n"
                                      "DCL OUT[1].z, POSITION\n"
                                      "DCL SAMP[0]\n"
                                      "DCL SVIEW[0], 2D, FLOAT\n"
                                      "DCL TEMP[0..1]\n"
                                      "  0: TEX TEMP[0], IN[3], SAMP[0], 2D\n"
                                      "  1: MUL OUT[0], TEMP[0], IN[1]\n"
                                      "  2: MOV OUT[1].z, IN[0].zzzz\n"
                                      "  3: END\n");
    assert_true(program->position_lower_left && program->position_center_integer);
    assert_true(program->writes_all_cbufs && program->writes_depth && program->uses_derivatives);
    assert_false(program->uses_kill || program->writes_stencil);
    assert_int_equal(program->inputs[0].interpolation, INTERPOLATE_LINEAR);
    assert_int_equal(program->inputs[1].semantic, SEMANTIC_COLOR);
    assert_int_equal(program->inputs[1].interpolation, INTERPOLATE_COLOR);
    assert_int_equal(program->inputs[2].semantic_index, 1);
    assert_int_equal(program->inputs[3].interpolation, INTERPOLATE_PERSPECTIVE);
    assert_true(program->inputs[3].centroid);
    assert_int_equal(program->inputs[4].interpolation, INTERPOLATE_CONSTANT);
    assert_int_equal(program->temp_count, 1); /* TEMP[1] is never used */
    assert_int_equal(program->live_temps, 1);
    program_destroy(program);
}

static void
test_labels(void **state)
{
    struct program *program = parse_program(STAGE_FRAGMENT, "FRAG\n"
                                                            "IMM[0] FLT32 {0, 0, 0, 0}\n"
                                                            "0: BGNLOOP :99\n"
                                                            "1: IF IMM[0].xxxx\n"
                                                            "2: BRK\n"
                                                            "3: ELSE\n"
                                                            "4: CONT\n"
                                                            "5: ENDIF\n"
                                                            "6: ENDLOOP\n"
                                                            "7: CAL :9\n"
                                                            "8: END\n"
                                                            "9: BGNSUB\n"
                                                            "10: RET\n"
                                                            "11: ENDSUB\n");
    static const int wanted[12] = {6, 3, 6, 5, 6, -1, 0, 9, -1, -1, 11, -1};
    for (uint32_t i = 0; i < 12; i++)
        if (wanted[i] >= 0)
            assert_int_equal(program->instructions[i].label, wanted[i]);
    program_destroy(program);
}

struct live_case {
    const char *body;
    uint32_t live;
};

static const struct live_case live_cases[] = {
    /* In sequence: the register of the first temporary is free when the second one is written. */
    {"0: MOV TEMP[0], IN[0]\n1: MOV TEMP[5], TEMP[0]\n2: MOV OUT[0], TEMP[5]\n3: END\n", 1},
    {"0: MOV TEMP[0], IN[0]\n1: MOV TEMP[1], IN[0]\n2: ADD OUT[0], TEMP[0], TEMP[1]\n3: END\n", 2},
    /* Two separate writes to halves of a temporary keep one register alive, not two. */
    {"0: MOV TEMP[0].xy, IN[0]\n1: MOV TEMP[0].zw, IN[0]\n2: MOV OUT[0], TEMP[0]\n3: END\n", 1},
    /* A temporary that is never read is alive only where it is written. */
    {"0: MOV TEMP[0], IN[0]\n1: MOV TEMP[1], IN[0]\n2: MOV TEMP[2], IN[0]\n3: END\n", 1},
    /* The write to TEMP[1] is dead, because its x is never read. */
    {"0: MOV TEMP[1].x, IN[0]\n1: MOV TEMP[0], IN[0]\n2: MOV OUT[0], TEMP[0]\n3: END\n", 1},
    /* TEMP[1] is alive throughout the loop, because the next iteration reads it. TEMP[2] is alive
     * only within an iteration. */
    {"0: MOV TEMP[1], IN[0]\n1: BGNLOOP\n2: MOV TEMP[2], TEMP[1]\n3: IF TEMP[2].xxxx\n4: BRK\n"
     "5: ENDIF\n6: ENDLOOP\n7: MOV OUT[0], IN[0]\n8: END\n",
     2},
    /* Each side of the branch uses one of two temporaries. */
    {"0: MOV TEMP[0], IN[0]\n1: MOV TEMP[1], IN[0]\n2: IF IN[0].xxxx\n3: MOV OUT[0], TEMP[0]\n"
     "4: ELSE\n5: MOV OUT[0], TEMP[1]\n6: ENDIF\n7: END\n",
     2},
    /* The subroutine reads TEMP[0]; TEMP[3] is alive until its return. */
    {"0: MOV TEMP[0], IN[0]\n1: MOV TEMP[3], IN[0]\n2: CAL :5\n3: MOV OUT[0], TEMP[3]\n4: END\n"
     "5: BGNSUB\n6: MOV TEMP[4], TEMP[0]\n7: ADD OUT[0], TEMP[4], TEMP[0]\n8: ENDSUB\n",
     3},
    /* All of an indexed array counts as alive. */
    {"0: ARL ADDR[0].x, IN[0].xxxx\n1: MOV TEMP[6], IN[0]\n2: ADD OUT[0], TEMP[6], "
     "TEMP[ADDR[0].x+8](1)\n3: END\n",
     5},
};

static void
test_liveness(void **state)
{
    for (size_t i = 0; i < sizeof live_cases / sizeof *live_cases; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\n"
                 "DCL TEMP[0..7]\nDCL TEMP[8..11], ARRAY(1)\nDCL ADDR[0]\n%s",
                 live_cases[i].body);
        struct program *program = parse_program(STAGE_FRAGMENT, text);
        if (program->live_temps != live_cases[i].live)
            fail_msg("%u alive, not %u, in\n%s", program->live_temps, live_cases[i].live,
                     live_cases[i].body);
        program_destroy(program);
    }
}

struct refusal {
    const char *text, *message; /* text that the message must contain */
};

static const struct refusal refusals[] = {
    {"", "no instructions"},
    {"VERT\n0: END\n", "line 1: expected FRAG"},
    {"FRAG\n\n0: FOO TEMP[0]\n1: END\n", "line 3: unknown opcode \"FOO\""},
    {"FRAG\n0: MOV TEMP[0], TEMP[0]\n1: END\n", "line 2: TEMP[0] is not declared"},
    {"FRAG\nDCL TEMP[0]\n0: MOV TEMP[0], CONST[3]\n1: END\n", "line 3: CONST[3] is not declared"},
    {"FRAG\nDCL TEMP[0..9999]\n0: END\n", "line 2"},
    {"FRAG\nDCL TEMP[5..2]\n0: END\n", "line 2: the range ends before it begins"},
    {"FRAG\nDCL TEMP[99999999999999999999]\n0: END\n", "line 2"},
    {"FRAG\nDCL IN[40], GENERIC[0], PERSPECTIVE\n0: END\n", "line 2"},
    {"FRAG\nDCL IN[0], COLOUR, PERSPECTIVE\n0: END\n", "line 2: unknown attribute \"COLOUR\""},
    {"FRAG\nDCL TEMP[0]\nDCL SAMP[0]\n0: TEX TEMP[0], TEMP[0], SAMP[0], 2D_MSAA\n1: END\n",
     "line 4: TEX cannot sample 2D_MSAA"},
    {"FRAG\nDCL CONST[14][0..3]\n0: END\n", "line 2: constant buffer 14 exceeds 13"},
    {"FRAG\nDCL CONST[1][0..4096]\n0: END\n", "line 2"},
    {"FRAG\nDCL CONST[1][0..3]\nDCL OUT[0], COLOR\n0: MOV OUT[0], CONST[0]\n1: END\n",
     "line 4: CONST[0] is not declared"},
    {"FRAG\nDCL CONST[1][0..3]\nDCL OUT[0], COLOR\n0: MOV OUT[0], CONST[1][4]\n1: END\n",
     "line 4: CONST[4] is not declared"},
    {"FRAG\nDCL IMAGE[0]\n0: END\n", "line 2: unknown register file \"IMAGE\""},
    {"FRAG\nPROPERTY FS_POST_DEPTH_COVERAGE 1\n0: END\n", "line 2: property"},
    {"FRAG\nIMM[0] FLT64 {1.0, 2.0}\n0: END\n", "line 2: immediates of type \"FLT64\""},
    {"FRAG\nIMM[0] FLT32 {1, 2, 3, 4, 5}\n0: END\n", "line 2: an immediate has more than 4"},
    {"FRAG\nIMM[0] FLT32 {0x123456789}\n0: END\n", "line 2: a hexadecimal number"},
    {"FRAG\n0: IF TEMP[0].xxxx\n1: END\n", "line 2: TEMP[0]"},
    {"FRAG\n0: BGNLOOP\n1: END\n", "line 2: BGNLOOP has no end"},
    {"FRAG\n0: ENDLOOP\n1: END\n", "line 2: ENDLOOP has no matching BGNLOOP"},
    {"FRAG\n0: ELSE\n1: END\n", "line 2: ELSE has no matching IF"},
    {"FRAG\n0: BRK\n1: END\n", "line 2: BRK is outside of a loop"},
    {"FRAG\n0: NOP\n", "END is missing"},
    {"FRAG\n0: END\n1: NOP\n", "line 3: NOP is outside"},
    {"FRAG\n0: CAL :1\n1: END\n", "line 2: CAL calls an address that is not a BGNSUB"},
    {"FRAG\n0: CAL :2\n1: END\n2: BGNSUB\n3: CAL :2\n4: ENDSUB\n",
     "CAL is nested too deeply, or calls itself"},
    {"FRAG\n1: END\n", "line 2: found instruction 1, expected 0"},
    {"FRAG\n0: END junk\n", "line 2: cannot parse \"junk\""},
    {"FRAG\nDCL TEMP[0]\n0: TEX TEMP[0], TEMP[0], SAMP[16], 2D\n1: END\n", "SAMP[16]"},
    {"FRAG\nDCL TEMP[0]\n0: TEX TEMP[0], TEMP[0], SAMP[0], CUBE_ARRAY\n1: END\n", "\"CUBE_ARRAY\""},
    {"FRAG\nDCL TEMP[0]\n0: TXB TEMP[0], TEMP[0], SAMP[0], SHADOWCUBE\n1: END\n",
     "TXB has no component left"},
    {"FRAG\nDCL TEMP[0]\n0: MOV TEMP[0].xx, TEMP[0]\n1: END\n", "write mask"},
    {"FRAG\nDCL TEMP[0]\n0: MOV TEMP[0], TEMP[0].xy\n1: END\n", "swizzle"},
    {"FRAG\nDCL TEMP[0]\n0: MOV TEMP[0], TEMP[TEMP[0].x]\n1: END\n", "as an address"},
    {"FRAG\nDCL TEMP[0]\n0: MOV TEMP[0], TEMP[ADDR[0].x]\n1: END\n", "address register"},
    {"FRAG\nDCL TEMP[0]\n0: MOV TEMP[0], SAMP[0]\n1: END\n", "a sampler cannot be used as a value"},
    {"FRAG\nDCL CONST[0]\n0: MOV CONST[0], CONST[0]\n1: END\n", "CONST cannot be written"},
};

static void
test_refusals(void **state)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        struct error err = {""};
        struct program *program = program_create(STAGE_FRAGMENT, refusals[i].text, NULL, &err);
        if (program || !strstr(err.text, refusals[i].message))
            fail_msg("\"%s\" says \"%s\", not \"%s\"", refusals[i].text, err.text,
                     refusals[i].message);
        assert_null(strchr(err.text, '\n'));
    }
    struct error err;
    assert_null(program_create(STAGE_VERTEX, "VERT\n0: KILL\n1: END\n", NULL, &err));
}

/* Returns whether a program with `depth` nested blocks is accepted. */
static bool
parses_nested(uint32_t depth)
{
    char *text = mem_alloc(64 + depth * 64), *at = text;
    uint32_t n = 0;
    at += sprintf(at, "FRAG\nIMM[0] FLT32 {1, 1, 1, 1}\n");
    for (uint32_t i = 0; i < depth; i++)
        at += sprintf(at, "%u: IF IMM[0].xxxx\n", n++);
    for (uint32_t i = 0; i < depth; i++)
        at += sprintf(at, "%u: ENDIF\n", n++);
    sprintf(at, "%u: END\n", n);
    struct program *program = program_create(STAGE_FRAGMENT, text, NULL, NULL);
    bool well = program != NULL;
    program_destroy(program);
    free(text);
    return well;
}

static void
test_nesting_limit(void **state)
{
    assert_true(parses_nested(EXEC_MAX_NESTING));
    assert_false(parses_nested(EXEC_MAX_NESTING + 1));
    assert_false(parses_nested(5000));
}

static uint32_t
next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static void
mutate(char *text, size_t capacity, uint32_t *seed)
{
    static const char *const words[] = {
        "99999999",
        "-1",
        "[",
        "]",
        "\n",
        "0x",
        "TEMP[7]",
        "ADDR[0]",
        "IF",
        "ENDIF\n",
        "BGNLOOP\n",
        "ENDLOOP\n",
        "|",
        ".xyzw",
        "..",
        "{",
        "32767",
        "SAMP[0]",
        "OUT[0]",
        "CUBE",
        "1e999",
        ", ",
        ":",
        "BRK\n",
        "CAL :0\n",
        "ENDSUB\n",
        "END\n",
        "-|",
        "CONT\n",
        "(1)",
        "CONST[0]",
        "TEMP[ADDR[0].x-9]",
        "TEMP[ADDR[0].x+30000]",
    };
    size_t size = strlen(text), at = next_random(seed) % (size + 1);
    const char *word = words[next_random(seed) % (sizeof words / sizeof *words)];
    switch (next_random(seed) % 5) {
    case 0: /* change a byte */
        text[at] = at < size ? (char)(next_random(seed) % 127 + 1) : '\0';
        break;
    case 1: /* remove some bytes */ {
        size_t hole = next_random(seed) % 24;
        if (at + hole < size)
            memmove(text + at, text + at + hole, size - at - hole + 1);
        break;
    }
    case 2: /* truncate */ text[at] = '\0'; break;
    default: /* write a word over bytes, or insert it */
        if (next_random(seed) % 2 && at + strlen(word) < size)
            memcpy(text + at, word, strlen(word));
        else if (size + strlen(word) < capacity - 1) {
            memmove(text + at + strlen(word), text + at, size - at + 1);
            memcpy(text + at, word, strlen(word));
        }
    }
}

static void
no_texels(void *data, const struct texture_request *request, uint32_t lanes,
          float (*rgba)[EXEC_MAX_LANES])
{
    memset(rgba, 0, 4 * sizeof *rgba);
}

/* Runs a damaged program that was still accepted, which must be safe. */
static void
run_survivor(const struct program *program)
{
    static const float constants[2][4] = {{1, -2, 3e38f, 0.5f}, {7, 8, 9, 1e-40f}};
    uint32_t size = (exec_size(program, 8) + 63) & ~63u;
    void *memory = aligned_alloc(64, size);
    struct exec *exec = aligned_alloc(64, (sizeof *exec + 63) & ~63u);
    memset(memory, 0, size);
    exec_begin(exec, program, constants, 2, 8, 0xff, memory);
    for (uint32_t i = 0; i < program->input_count * 4 * 8; i++)
        exec->inputs[i] = (float)i * 1e7f - 3e8f;
    exec_set_limit(exec, 500);
    exec_run(exec, no_texels, NULL);
    free(memory);
    free(exec);
}

static const char hostile_seed[] = "VERT\n"
                                   "DCL IN[0..1]\n"
                                   "DCL OUT[0], POSITION\n"
                                   "DCL CONST[0..5]\n"
                                   "DCL TEMP[0..3], ARRAY(1)\n"
                                   "DCL ADDR[0]\n"
                                   "DCL SAMP[0]\n"
                                   "IMM[0] FLT32 {0x3f800000, 2.0, 0, 0}\n"
                                   "IMM[1] INT32 {1, 2, 3, -4}\n"
                                   "F2I TEMP[0], IN[0]\n"
                                   "BGNLOOP\n"
                                   "ARL ADDR[0].x, TEMP[0].xxxx\n"
                                   "MOV TEMP[ADDR[0].x+1](1), CONST[ADDR[0].x]\n"
                                   "IF TEMP[1].xxxx\n"
                                   "BRK\n"
                                   "ELSE\n"
                                   "CAL :19\n"
                                   "ENDIF\n"
                                   "ISHR TEMP[2], TEMP[0], IMM[1]\n"
                                   "IDIV TEMP[3], TEMP[2], TEMP[0]\n"
                                   "UIF TEMP[2].yyyy\n"
                                   "CONT\n"
                                   "ENDIF\n"
                                   "ENDLOOP\n"
                                   "TXL TEMP[0], TEMP[1], SAMP[0], 2D, IMM[1].xyz\n"
                                   "POW_SAT OUT[0].xyz, |TEMP[0]|, -IMM[0].yyyy\n"
                                   "RET\n"
                                   "END\n"
                                   "BGNSUB\n"
                                   "ADD TEMP[1], TEMP[1], IMM[0]\n"
                                   "RET\n"
                                   "ENDSUB\n";

static void
test_hostile_texts(void **state)
{
    uint32_t seed = 1, survivors = 0;
    char text[8192];
    struct program *whole = parse_program(STAGE_VERTEX, hostile_seed);
    run_survivor(whole);
    program_destroy(whole);
    for (uint32_t i = 0; i < 6000; i++) {
        snprintf(text, sizeof text, "%s", i % 3 ? hostile_seed : vertex_text);
        for (uint32_t k = next_random(&seed) % 4 ? 2 : 0; k < 3; k++)
            mutate(text, sizeof text, &seed);
        struct error err = {""};
        struct program *program = program_create(STAGE_VERTEX, text, NULL, &err);
        if (program) {
            survivors++;
            run_survivor(program);
            program_destroy(program);
        } else if (!err.text[0]) {
            fail_msg("refused without a message:\n%s", text);
        }
    }
    assert_in_range(survivors, 100, 5000); /* some texts are accepted and some are refused */
}

/* A vertex program without a position output gets one after its other outputs. */
static void
test_position_is_there(void **state)
{
    struct error err;
    struct program *program = program_create(
        STAGE_VERTEX, "VERT\nDCL OUT[0], COLOR\n0: MOV OUT[0], OUT[0]\n1: END\n", NULL, &err);
    assert_non_null(program);
    assert_int_equal(program->output_count, 2);
    assert_int_equal(program->outputs[1].semantic, SEMANTIC_POSITION);
    program_destroy(program);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_declarations),
        cmocka_unit_test(test_constant_buffers),
        cmocka_unit_test(test_immediates),
        cmocka_unit_test(test_instructions),
        cmocka_unit_test(test_fragment_declarations),
        cmocka_unit_test(test_labels),
        cmocka_unit_test(test_liveness),
        cmocka_unit_test(test_scoreboard),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_nesting_limit),
        cmocka_unit_test(test_hostile_texts),
        cmocka_unit_test(test_position_is_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
