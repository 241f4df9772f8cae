/* Static cost of programs. The expected numbers are those of test_shader_timing.c for one group,
 * and simple arithmetic. */
#include "unit/shader/static_cost.h"

#include "base/mem.h"
#include "rigs/assemble.h"
#include "rigs/settings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

static struct params
machine(void)
{
    struct params p;
    struct error err;
    if (!params_load_preset(&p, "reference-2005", &err))
        fail_msg("%s", err.text);
    settings_apply(&p, NULL, NO_STAGES);
    p.GPU.UnifiedShader = false;
    p.VERTEXSHADER.ThreadResources = 1 << 20;
    return p;
}

struct found {
    struct program *program;
    struct static_cost cost;
};

static int
set_up(void **state)
{
    *state = mem_alloc(sizeof(struct found));
    return 0;
}

static void
forget(struct found *found)
{
    if (!found->program)
        return;
    static_cost_fini(&found->cost);
    program_destroy(found->program);
}

static int
tear_down(void **state)
{
    forget(*state);
    free(*state);
    return 0;
}

/* Returns the cost of the program on a machine with these settings. Releases the previous
 * result. */
static const struct static_cost *
find(struct found *found, enum shader_stage stage, const char *words, const char *const *lines)
{
    struct params params = machine();
    settings_apply(&params, NULL, words);
    forget(found);
    found->program = assemble(stage, lines);
    static_cost_find(&found->cost, found->program, &params);
    return &found->cost;
}
#define COST(stage, words, ...) find(*state, stage, words, (const char *const[]){__VA_ARGS__, NULL})

/* Eight instructions at w per cycle take 8 / w turns. The result of the last one follows after its
 * latency. */
static void
test_independent(void **state)
{
    static const uint32_t ways[] = {1, 2, 4}, movs[] = {8, 4, 2}, adds[] = {10, 6, 4};
    const struct static_cost *c;
    for (uint32_t i = 0; i < 3; i++) {
        c = COST(STAGE_VERTEX, settings("VERTEXSHADER.FetchRate=%u", ways[i]),
                 EIGHT_INDEPENDENT("MOV", ""));
        assert_int_equal(c->latency_cycles, movs[i]);
        assert_int_equal(c->turns, 8 / ways[i]);
        assert_int_equal(c->instructions, 8);
        c = COST(STAGE_VERTEX, settings("VERTEXSHADER.FetchRate=%u", ways[i]),
                 EIGHT_INDEPENDENT("ADD", ", IN[0]"));
        assert_int_equal(c->latency_cycles, adds[i]);
    }
}

/* Dependent instructions issue every l cycles, but take only four turns of the ALUs. */
static void
test_dependent(void **state)
{
    const struct static_cost *c;
    for (uint32_t ways = 1; ways <= 4; ways *= 2) {
        c = COST(STAGE_VERTEX, settings("VERTEXSHADER.FetchRate=%u", ways),
                 FOUR_DEPENDENT("ADD", ", IN[0]"));
        assert_int_equal(c->latency_cycles, 12);
        assert_int_equal(c->issues[3].cycle, 9);
        assert_int_equal(c->turns, 4);
        c = COST(STAGE_VERTEX, settings("VERTEXSHADER.FetchRate=%u", ways),
                 FOUR_DEPENDENT("DP4", ", IN[0]"));
        assert_int_equal(c->latency_cycles, 20);
    }
}

/* SIMD and scalar instructions pair in 4 turns. The last RCP issues in cycle 3 and takes 7 cycles.
 */
static void
test_pairs(void **state)
{
    const struct static_cost *c;
    c = COST(STAGE_VERTEX, "VERTEXSHADER.FetchRate=2 VERTEXSHADER.ScalarALU=TRUE",
             "MOV TEMP[0], IN[0]", "RCP TEMP[4], IN[0].xxxx", "MOV TEMP[1], IN[0]",
             "RCP TEMP[5], IN[0].xxxx", "RCP TEMP[6], IN[0].xxxx", "MOV TEMP[2], IN[0]",
             "MOV TEMP[3], IN[0]", "RCP TEMP[7], IN[0].xxxx", "END");
    assert_int_equal(c->turns, 4);
    assert_int_equal(c->latency_cycles, 3 + 7);
    assert_int_equal(c->kinds[KIND_SCALAR], 4);
    assert_int_equal(c->issues[0].takes, 1);
    assert_int_equal(c->issues[1].takes, 0);
}

/* With 16 threads at 4 per cycle, each instruction takes 4 cycles of the ALUs, which hide 4 of
 * DP4's 5. DIV has 5 passes (isa.def). */
static void
test_groups_and_passes(void **state)
{
    const struct static_cost *c;
#define WIDE                                                                                       \
    "VERTEXSHADER.ThreadGroup=16 VERTEXSHADER.LockedExecutionMode=TRUE "                           \
    "VERTEXSHADER.ThreadRate=4 VERTEXSHADER.ExecutableThreads=16 "                                 \
    "VERTEXSHADER.InputBuffers=0 "
    c = COST(STAGE_VERTEX, WIDE, FOUR_DEPENDENT("DP4", ", IN[0]"));
    assert_int_equal(c->latency_cycles, 23);
    assert_int_equal(c->alu_cycles, 16);
    assert_int_equal(c->turns, 4);
    assert_int_equal(c->group_threads, 16);
    c = COST(STAGE_VERTEX, WIDE, "DIV TEMP[0], IN[0], CONST[0]", "DIV TEMP[1], IN[0], CONST[0]",
             "END");
    assert_int_equal(c->turns, 2 * 5);
    assert_int_equal(c->alu_cycles, 2 * 5 * 4);
}

/* A group of 16 threads issues 4 threads per cycle, and sends each of its four quads when the
 * quad's threads have issued. The last quad leaves in cycle 3. Addresses take 6 cycles and
 * filtering 4, so its texels arrive in cycle 13. Then MUL issues, and the result of its last
 * threads follows 3 + 3 cycles later. */
static void
test_texture(void **state)
{
    const struct static_cost *c;
    c = COST(STAGE_FRAGMENT,
             "FRAGMENTSHADER.ThreadGroup=16 FRAGMENTSHADER.LockedExecutionMode=TRUE "
             "FRAGMENTSHADER.ThreadRate=4 FRAGMENTSHADER.TextureRequestRate=1 "
             "FRAGMENTSHADER.AddressALULatency=6 FRAGMENTSHADER.FilterALULatency=4 "
             "FRAGMENTSHADER.FetchDelay=0",
             "TEX TEMP[0], IN[0], SAMP[0], 2D", "MUL OUT[0], TEMP[0], CONST[0]", "END");
    assert_int_equal(c->issues[1].cycle, 13);
    assert_int_equal(c->latency_cycles, 13 + 3 + 3);
    assert_int_equal(c->kinds[KIND_TEXTURE], 1);
}

/* Three live temporaries take four registers per thread, because registers are allocated in pairs.
 * 100 registers suffice for 25 threads, which are 6 groups of 4. A unit may have 32 + 8 threads, 10
 * groups. */
static void
test_registers(void **state)
{
    const struct static_cost *c;
#define THREE                                                                                      \
    "MOV TEMP[0], IN[0]", "MOV TEMP[1], IN[0]", "MOV TEMP[2], IN[0]",                              \
        "MAD OUT[0], TEMP[0], TEMP[1], TEMP[2]", "END"
#define SMALL                                                                                      \
    "FRAGMENTSHADER.ThreadGroup=4 FRAGMENTSHADER.LockedExecutionMode=TRUE "                        \
    "FRAGMENTSHADER.ExecutableThreads=32 FRAGMENTSHADER.InputBuffers=8 "
    c = COST(STAGE_FRAGMENT, SMALL "FRAGMENTSHADER.ThreadResources=100", THREE);
    assert_int_equal(c->thread_registers, 4);
    assert_int_equal(c->threads, 24);
    assert_int_equal(c->limit_threads, 40);
    c = COST(STAGE_FRAGMENT, SMALL "FRAGMENTSHADER.ThreadResources=1000", THREE);
    assert_int_equal(c->threads, 40);
    c = COST(STAGE_FRAGMENT, SMALL "FRAGMENTSHADER.ThreadResources=100", "MOV OUT[0], IN[0]",
             "END");
    assert_int_equal(c->thread_registers, 2);
    assert_int_equal(c->threads, 40);
}

/* The static cost counts both sides of a branch, one iteration of a loop, and a subroutine after
 * the END of the main program. */
static void
test_flow(void **state)
{
    const struct static_cost *c;
    c = COST(STAGE_VERTEX, "VERTEXSHADER.FetchRate=1", "IF IN[0].xxxx :3", "MOV TEMP[0], IN[0]",
             "ELSE :4", "MOV TEMP[0], -IN[0]", "ENDIF", "MOV OUT[0], TEMP[0]", "RET", "END");
    assert_int_equal(c->instructions, 7);
    assert_int_equal(c->kinds[KIND_FLOW], 4);
    c = COST(STAGE_VERTEX, "VERTEXSHADER.FetchRate=1", "CAL :3", "MOV OUT[0], TEMP[0]", "END",
             "BGNSUB", "MOV TEMP[0], IN[0]", "ENDSUB");
    assert_int_equal(c->instructions, 5);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_independent), TEST(test_dependent),
        TEST(test_pairs),       TEST(test_groups_and_passes),
        TEST(test_texture),     TEST(test_registers),
        TEST(test_flow),
    };
    return cmocka_run_group_tests_name("static_cost", tests, NULL, NULL);
}
