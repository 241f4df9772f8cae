/* Geometry programs in isa/program.h and isa/exec.h: primitives and inputs, what EMIT and ENDPRIM
 * store, the limit of vertices, and refusals. */
#include "base/mem.h"
#include "isa/exec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD(in, out, count)                                                                       \
    "GEOM\n"                                                                                       \
    "PROPERTY GS_INPUT_PRIMITIVE " in "\n"                                                         \
    "PROPERTY GS_OUTPUT_PRIMITIVE " out "\n"                                                       \
    "PROPERTY GS_MAX_OUTPUT_VERTICES " count "\n"                                                  \
    "PROPERTY GS_INVOCATIONS 1\n"                                                                  \
    "DCL IN[][0], POSITION\n"                                                                      \
    "DCL IN[][1], GENERIC[0]\n"                                                                    \
    "DCL IN[][2], PRIM_ID\n"                                                                       \
    "DCL OUT[0], POSITION, STREAM(0, 0, 0, 0)\n"                                                   \
    "DCL ADDR[0]\n"                                                                                \
    "IMM[0] UINT32 {0, 1, 2, 3}\n"

enum { VERTICES = 6, INPUTS = 3, LANES = 8 };

struct geometry_case {
    const char *text;
    uint32_t vertices; /* of an input primitive */
    /* x of the vertices that lane 0 and lane 1 emit, in order; `|` after the last one of a strip */
    const char *emitted[2];
};

/* Input i of vertex v in lane l has x = 100 l + 10 i + v. The number of the primitive is l. */
static const struct geometry_case cases[] = {
    {HEAD("POINTS", "POINTS", "1") "MOV OUT[0], IN[0][1]\nEMIT IMM[0].xxxx\nEND\n",
     1,
     {"10", "110"}},
    {HEAD("LINES_ADJACENCY", "LINE_STRIP", "4") "MOV OUT[0], IN[3][0]\n"
                                                "EMIT IMM[0].xxxx\n"
                                                "MOV OUT[0], IN[2][1]\n"
                                                "EMIT IMM[0].xxxx\n"
                                                "ENDPRIM IMM[0].xxxx\n"
                                                "MOV OUT[0], IN[0][1]\n"
                                                "EMIT IMM[0].xxxx\n"
                                                "END\n",
     4,
     {"3 12| 10", "103 112| 110"}},
    /* the limit of 2 vertices; ENDPRIM before the first vertex */
    {HEAD("TRIANGLES", "TRIANGLE_STRIP", "2") "ENDPRIM IMM[0].xxxx\n"
                                              "MOV OUT[0], IN[0][0]\n"
                                              "EMIT IMM[0].xxxx\n"
                                              "MOV OUT[0], IN[1][0]\n"
                                              "EMIT IMM[0].xxxx\n"
                                              "MOV OUT[0], IN[2][0]\n"
                                              "EMIT IMM[0].xxxx\n"
                                              "ENDPRIM IMM[0].xxxx\n"
                                              "END\n",
     3,
     {"0 1|", "100 101|"}},
    /* lane 0 emits nothing: its number is 0 */
    {HEAD("TRIANGLES_ADJACENCY", "POINTS", "3") "UIF IN[2].xxxx\n"
                                                "MOV OUT[0], IN[5][1]\n"
                                                "EMIT IMM[0].xxxx\n"
                                                "ENDIF\n"
                                                "END\n",
     6,
     {"", "115"}},
    /* the number of a primitive selects a vertex, and then an input */
    {HEAD("LINES", "POINTS", "2") "UARL ADDR[0].x, IN[2].xxxx\n"
                                  "MOV OUT[0], IN[ADDR[0].x][1]\n"
                                  "EMIT IMM[0].xxxx\n"
                                  "MOV OUT[0], IN[1][ADDR[0].x]\n"
                                  "EMIT IMM[0].xxxx\n"
                                  "END\n",
     2,
     {"10 1", "111 111"}},
};

static void
fill_inputs(struct exec *exec, uint32_t vertices)
{
    for (uint32_t l = 0; l < LANES; l++)
        for (uint32_t r = 0; r < INPUTS * vertices; r++) {
            float *to = &exec->inputs[(size_t)r * 4 * LANES + l];
            *to = (float)(100 * l + 10 * (r / vertices) + r % vertices);
            if (r / vertices == 2)
                memcpy(to, &l, sizeof l);
        }
}

static void
emitted_text(const struct exec *exec, uint32_t lane, char *text)
{
    *text = '\0';
    for (uint32_t n = 0; n < exec->emitted_count[lane]; n++)
        text += sprintf(text, "%s%g%s", n ? " " : "", (double)exec_emitted(exec, lane, n)[0][0],
                        exec_ends_strip(exec, lane, n) ? "|" : "");
}

static void
test_emission(void **state)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct error err = {""};
        struct program *program = program_create(STAGE_GEOMETRY, cases[i].text, NULL, &err);
        if (!program)
            fail_msg("%s in\n%s", err.text, cases[i].text);
        assert_int_equal(program->input_vertices, cases[i].vertices);
        void *memory = mem_alloc(exec_size(program, LANES));
        struct exec *exec = mem_alloc(sizeof *exec);
        exec_begin(exec, program, NULL, 0, LANES, 0xff, memory);
        fill_inputs(exec, cases[i].vertices);
        assert_true(exec_run(exec, NULL, NULL));
        for (uint32_t lane = 0; lane < 2; lane++) {
            char text[64];
            emitted_text(exec, lane, text);
            assert_string_equal(text, cases[i].emitted[lane]);
        }
        free(exec);
        free(memory);
        program_destroy(program);
    }
}

static void
test_refusals(void **state)
{
    static const struct {
        const char *text, *error;
    } refused[] = {
        {HEAD("LINES", "POINTS", "1") "EMIT IMM[0].yyyy\nEND\n", "vertex streams above 0"},
        {HEAD("LINES", "POINTS", "1") "MOV OUT[0], IN[2][0]\nEND\n", "vertex 2 exceeds 1"},
        {HEAD("LINES", "POINTS", "1") "MOV OUT[0], IN[1][3]\nEND\n", "IN[3] is not declared"},
        {HEAD("LINES", "POINTS", "1") "MOV OUT[0], IN[ADDR[0].x][ADDR[0].x]\nEND\n",
         "two addresses"},
        {HEAD("LINES", "POINTS", "257") "END\n", "GS_MAX_OUTPUT_VERTICES 257"},
        {HEAD("LINES", "POINTS", "0") "END\n", "GS_MAX_OUTPUT_VERTICES 0"},
        {HEAD("LINE_STRIP", "POINTS", "1") "END\n", "LINE_STRIP is not an input"},
        {HEAD("LINES", "LINES", "1") "END\n", "LINES is not an output"},
        {"GEOM\nPROPERTY GS_INVOCATIONS 2\nEND\n", "GS_INVOCATIONS 2"},
        {"GEOM\nDCL IN[][0], POSITION\nEND\n", "not declared before"},
        {"GEOM\nDCL OUT[0], POSITION, STREAM(0, 1, 0, 0)\nEND\n", "vertex stream"},
        {"GEOM\nDCL OUT[39], GENERIC[38]\nDCL OUT[40], GENERIC[39]\nEND\n",
         "register number is not below 40"},
        {"VERT\nDCL OUT[0], POSITION\nIMM[0] UINT32 {0}\nEMIT IMM[0].xxxx\nEND\n",
         "only allowed in geometry"},
        {"FRAG\nPROPERTY GS_INVOCATIONS 1\nEND\n", "only allowed in geometry"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        struct error err = {""};
        const enum shader_stage stage = program_text_stage(refused[i].text);
        assert_null(program_create(stage, refused[i].text, NULL, &err));
        if (!strstr(err.text, refused[i].error))
            fail_msg("\"%s\" does not contain \"%s\"", err.text, refused[i].error);
    }
}

/* Programs that differ only in their primitives or in the limit have different hashes. */
static void
test_hash(void **state)
{
    static const char *const texts[] = {
        HEAD("LINES", "POINTS", "1") "END\n",
        HEAD("LINES", "POINTS", "2") "END\n",
        HEAD("LINES", "LINE_STRIP", "1") "END\n",
        HEAD("TRIANGLES", "POINTS", "1") "END\n",
    };
    enum { TEXTS = sizeof texts / sizeof texts[0] };
    uint64_t hashes[TEXTS];
    for (size_t i = 0; i < TEXTS; i++) {
        struct error err = {""};
        struct program *program = program_create(STAGE_GEOMETRY, texts[i], NULL, &err);
        assert_non_null(program);
        hashes[i] = program->hash;
        program_destroy(program);
        for (size_t k = 0; k < i; k++)
            assert_true(hashes[i] != hashes[k]);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_emission),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_hash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
