/* The setup program of the shader units: its results for a known triangle, and its static cost. */
#include "unit/shader/setup_program.h"
#include "unit/shader/static_cost.h"

#include "isa/exec.h"
#include "rigs/settings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

/* Corners (1, 2), (9, 4) and (5, 7): twice the area is 8 * 5 - 2 * 4 = 32. The depth is x / 8 + y /
 * 4 + 1 / 2. All quotients are exact. */
static const float corners[3][4] = {{1, 9, 5, 0}, {2, 4, 7, 0}, {1.125f, 2.625f, 2.875f, 0}};
enum { AREA = 32, LANES = 4, OUTPUTS = 4 };

static void
program_computes_edges_area_and_depth(void **state)
{
    struct program *program = setup_program_create();
    struct exec exec;
    void *memory = aligned_alloc(64, (exec_size(program, LANES) + 63) / 64 * 64);
    float out[OUTPUTS][4];
    (void)state;
    exec_begin(&exec, program, NULL, 0, LANES, 1, memory);
    exec_join(&exec, 1);
    for (uint32_t i = 0; i < 12; i++)
        exec.inputs[i * LANES] = corners[i / 4][i % 4];
    assert_true(exec_run(&exec, NULL, NULL));
    for (uint32_t i = 0; i < OUTPUTS * 4; i++)
        out[i / 4][i % 4] = exec.outputs[i * LANES];
    /* An edge is 0 at its two corners, and twice the area at the opposite corner. */
    for (uint32_t edge = 0; edge < 3; edge++)
        for (uint32_t i = 0; i < 3; i++)
            assert_float_equal(out[0][edge] * corners[0][i] + out[1][edge] * corners[1][i] +
                                   out[2][edge],
                               i == edge ? AREA : 0, 0);
    assert_float_equal(out[3][0], 0.125f, 0);
    assert_float_equal(out[3][1], 0.25f, 0);
    assert_float_equal(out[3][2], 0.5f, 0);
    assert_float_equal(out[3][3], AREA, 0);
    free(memory);
    program_destroy(program);
}

/* One instruction per cycle (reference-2005 without pipeline stages). A result can be read after
 * the latency (isa.def).
 * - Edges: ADD, ADD and MUL issue in cycles 0, 1 and 2. MAD needs MUL: 2 + 3 = 5.
 * - Area: DP3 needs MAD: 5 + 4 = 9. RCP needs DP3: 9 + 5 = 14.
 * - Depth: DP3 in cycles 15, 16 and 17. MUL needs the last one: 17 + 5 = 22.
 * - Outputs: MOV in 23, 24, 25 and 26. The last result follows in 27. */
static void
program_takes_27_cycles(void **state)
{
    struct program *program = setup_program_create();
    struct static_cost cost;
    struct params params;
    struct error err;
    (void)state;
    assert_true(params_load_preset(&params, "reference-2005", &err));
    settings_apply(&params, NULL, NO_STAGES);
    static_cost_find(&cost, program, &params);
    assert_int_equal(cost.instructions, SETUP_INSTRUCTIONS);
    assert_int_equal(cost.kinds[KIND_SCALAR], 1); /* RCP */
    assert_int_equal(cost.latency_cycles, 27);
    /* TEMP[0], TEMP[1], TEMP[2], and the area are live until the outputs; RCP and depth until MUL.
     */
    assert_int_equal(cost.thread_registers, 6);
    static_cost_fini(&cost);
    program_destroy(program);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(program_computes_edges_area_and_depth),
        cmocka_unit_test(program_takes_27_cycles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
