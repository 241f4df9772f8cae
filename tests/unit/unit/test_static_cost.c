/* What a program costs by its text: the numbers are those that the unit's own tests work out by
 * hand for one group (test_shader_timing.c), and arithmetic. */
#include "unit/shader/static_cost.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

static struct params
machine(void)
{
    struct params p;
    struct error err;
    if (!params_load_preset(&p, "reference-2005", &err))
        fail_msg("%s", err.text);
    p.GPU.UnifiedShader = false;
    p.VERTEXSHADER.ThreadResources = 1 << 20;
    return p;
}

static struct program *
assemble(const char *stage, const char *const *lines)
{
    static char text[4096];
    struct error err;
    int at = snprintf(text, sizeof text,
                      "%s\nDCL IN[0]%s\nDCL OUT[0], %s\nDCL TEMP[0..15]\n"
                      "DCL ADDR[0]\nDCL CONST[0..3]\nDCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\n",
                      stage, stage[0] == 'V' ? "" : ", GENERIC[0], PERSPECTIVE",
                      stage[0] == 'V' ? "POSITION" : "COLOR");
    for (int i = 0; lines[i]; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, "%d: %s\n", i, lines[i]);
    struct program *program =
        program_create(stage[0] == 'V' ? STAGE_VERTEX : STAGE_FRAGMENT, text, NULL, &err);
    if (!program)
        fail_msg("%s in\n%s", err.text, text);
    return program;
}

/* Sets parameters, finds the cost of a program, checks (statements on `c`). */
#define COST(stage, set, check, ...)                                                               \
    do {                                                                                           \
        struct params params = machine(), *p = &params;                                            \
        struct static_cost cost, *c = &cost;                                                       \
        (void)p;                                                                                   \
        set;                                                                                       \
        struct program *program = assemble(stage, (const char *const[]){__VA_ARGS__, NULL});       \
        static_cost_find(c, program, p);                                                           \
        check;                                                                                     \
        static_cost_fini(c);                                                                       \
        program_destroy(program);                                                                  \
    } while (0)
#define V p->VERTEXSHADER
#define F p->FRAGMENTSHADER

#define EIGHT_INDEPENDENT(op, tail)                                                                \
    op " TEMP[0], IN[0]" tail, op " TEMP[1], IN[0]" tail, op " TEMP[2], IN[0]" tail,               \
        op " TEMP[3], IN[0]" tail, op " TEMP[4], IN[0]" tail, op " TEMP[5], IN[0]" tail,           \
        op " TEMP[6], IN[0]" tail, op " TEMP[7], IN[0]" tail, "END"
#define FOUR_DEPENDENT(op, tail)                                                                   \
    op " TEMP[0], IN[0]" tail, op " TEMP[0], TEMP[0]" tail, op " TEMP[0], TEMP[0]" tail,           \
        op " TEMP[0], TEMP[0]" tail, "END"

/* Eight at w a cycle: 8 / w turns; the result of the last one is there its latency later. */
static void
test_independent(void **state)
{
    static const uint32_t ways[] = {1, 2, 4}, movs[] = {8, 4, 2}, adds[] = {10, 6, 4};
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        COST("VERT", V.FetchRate = ways[i], assert_int_equal(c->latency_cycles, movs[i]);
             assert_int_equal(c->turns, 8 / ways[i]);
             assert_int_equal(c->instructions, 8), EIGHT_INDEPENDENT("MOV", ""));
        COST("VERT", V.FetchRate = ways[i], assert_int_equal(c->latency_cycles, adds[i]),
             EIGHT_INDEPENDENT("ADD", ", IN[0]"));
    }
}

/* Each waits for the one before: every l cycles one, and four turns of the ALUs all the same. */
static void
test_dependent(void **state)
{
    (void)state;
    for (uint32_t ways = 1; ways <= 4; ways *= 2) {
        COST("VERT", V.FetchRate = ways, assert_int_equal(c->latency_cycles, 12);
             assert_int_equal(c->issues[3].cycle, 9);
             assert_int_equal(c->turns, 4), FOUR_DEPENDENT("ADD", ", IN[0]"));
        COST("VERT", V.FetchRate = ways, assert_int_equal(c->latency_cycles, 20),
             FOUR_DEPENDENT("DP4", ", IN[0]"));
    }
}

/* SIMD beside scalar: 4 turns; the last RCP issues in cycle 3, and takes 7. */
static void
test_pairs(void **state)
{
    (void)state;
    COST("VERT", V.FetchRate = 2; V.ScalarALU = true, assert_int_equal(c->turns, 4);
         assert_int_equal(c->latency_cycles, 3 + 7); assert_int_equal(c->kinds[KIND_SCALAR], 4);
         assert_int_equal(c->issues[0].takes, 1);
         assert_int_equal(c->issues[1].takes, 0), "MOV TEMP[0], IN[0]", "RCP TEMP[4], IN[0].xxxx",
         "MOV TEMP[1], IN[0]", "RCP TEMP[5], IN[0].xxxx", "RCP TEMP[6], IN[0].xxxx",
         "MOV TEMP[2], IN[0]", "MOV TEMP[3], IN[0]", "RCP TEMP[7], IN[0].xxxx", "END");
}

/* 16 threads at 4 a cycle: 4 cycles of the ALUs each, which hide 4 of DP4's 5. DIV has 5 passes
 * (isa.def). */
static void
test_groups_and_passes(void **state)
{
    (void)state;
#define WIDE                                                                                       \
    V.ThreadGroup = 16;                                                                            \
    V.LockedExecutionMode = true;                                                                  \
    V.ThreadRate = 4;                                                                              \
    V.ExecutableThreads = 16;                                                                      \
    V.InputBuffers = 0
    COST("VERT", WIDE, assert_int_equal(c->latency_cycles, 23); assert_int_equal(c->alu_cycles, 16);
         assert_int_equal(c->turns, 4);
         assert_int_equal(c->group_threads, 16), FOUR_DEPENDENT("DP4", ", IN[0]"));
    COST("VERT", WIDE, assert_int_equal(c->turns, 2 * 5);
         assert_int_equal(c->alu_cycles, 2 * 5 * 4), "DIV TEMP[0], IN[0], CONST[0]",
         "DIV TEMP[1], IN[0], CONST[0]", "END");
}

/* A group of 16 sends its four quads as their threads are through, 4 threads a cycle: the last in
 * cycle 3. Addresses take 6 cycles, filtering 4: texels are there in cycle 13; then MUL issues, and
 * its last threads have their result 3 + 3 cycles later. */
static void
test_texture(void **state)
{
    (void)state;
    COST("FRAG", F.ThreadGroup = 16; F.LockedExecutionMode = true; F.ThreadRate = 4;
         F.TextureRequestRate = 1; F.AddressALULatency = 6; F.FilterALULatency = 4;
         F.FetchDelay = 0, assert_int_equal(c->issues[1].cycle, 13);
         assert_int_equal(c->latency_cycles, 13 + 3 + 3);
         assert_int_equal(c->kinds[KIND_TEXTURE], 1), "TEX TEMP[0], IN[0], SAMP[0], 2D",
         "MUL OUT[0], TEMP[0], CONST[0]", "END");
}

/* Three temporaries alive at once are four registers a thread (pairs): 100 registers hold 25
 * threads, that is 6 groups of 4; a unit may have 32 + 8 threads, 10 groups. */
static void
test_registers(void **state)
{
    (void)state;
#define THREE                                                                                      \
    "MOV TEMP[0], IN[0]", "MOV TEMP[1], IN[0]", "MOV TEMP[2], IN[0]",                              \
        "MAD OUT[0], TEMP[0], TEMP[1], TEMP[2]", "END"
#define SMALL                                                                                      \
    F.ThreadGroup = 4;                                                                             \
    F.LockedExecutionMode = true;                                                                  \
    F.ExecutableThreads = 32;                                                                      \
    F.InputBuffers = 8
    COST("FRAG", SMALL; F.ThreadResources = 100, assert_int_equal(c->thread_registers, 4);
         assert_int_equal(c->threads, 24); assert_int_equal(c->limit_threads, 40), THREE);
    COST("FRAG", SMALL; F.ThreadResources = 1000, assert_int_equal(c->threads, 40), THREE);
    COST("FRAG", SMALL; F.ThreadResources = 100, assert_int_equal(c->thread_registers, 2);
         assert_int_equal(c->threads, 40), "MOV OUT[0], IN[0]", "END");
}

/* Both sides of a branch, one round of a loop, a subroutine behind the END of the main program. */
static void
test_flow(void **state)
{
    (void)state;
    COST("VERT", V.FetchRate = 1, assert_int_equal(c->instructions, 7);
         assert_int_equal(c->kinds[KIND_FLOW], 4), "IF IN[0].xxxx :3", "MOV TEMP[0], IN[0]",
         "ELSE :4", "MOV TEMP[0], -IN[0]", "ENDIF", "MOV OUT[0], TEMP[0]", "RET", "END");
    COST("VERT", V.FetchRate = 1, assert_int_equal(c->instructions, 5), "CAL :3",
         "MOV OUT[0], TEMP[0]", "END", "BGNSUB", "MOV TEMP[0], IN[0]", "ENDSUB");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_independent), cmocka_unit_test(test_dependent),
        cmocka_unit_test(test_pairs),       cmocka_unit_test(test_groups_and_passes),
        cmocka_unit_test(test_texture),     cmocka_unit_test(test_registers),
        cmocka_unit_test(test_flow),
    };
    return cmocka_run_group_tests_name("static_cost", tests, NULL, NULL);
}
