/* Cost of programs with branches and loops, in the parts that the staged model uses. On this
 * machine, each instruction takes one cycle of a pipeline per fragment. */
#include "model/program_cost.h"

#include "rigs/assemble.h"
#include "rigs/settings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static struct program_cost
find(const char *const *lines)
{
    struct params params;
    struct error err;
    struct program_cost cost;
    if (!params_load_preset(&params, "reference-2005", &err))
        fail_msg("%s", err.text);
    settings_apply(&params, NULL, "FRAGMENTSHADER.FetchRate=1");
    struct program *program = assemble(STAGE_FRAGMENT, lines);
    program_cost_find(&cost, program, &params);
    program_destroy(program);
    return cost;
}
#define COST(...) find((const char *const[]){__VA_ARGS__, NULL})

/* Outside: MOV and the last MOV. Branch: UIF, ELSE, ENDIF. */
static void
test_branch(void **state)
{
    const struct program_cost cost =
        COST("MOV TEMP[0], IN[0]", "UIF TEMP[0].xxxx :4", "ADD TEMP[1], TEMP[0], IN[0]", "ELSE :6",
             "MUL TEMP[1], TEMP[0], IN[0]", "ADD TEMP[1], TEMP[1], IN[0]", "ENDIF",
             "MOV OUT[0], TEMP[1]", "END");
    assert_true(cost.cycles == 2 && cost.branch_cycles == 3);
    assert_true(cost.if_cycles == 1 && cost.else_cycles == 2 && cost.loop_cycles == 0);
}

/* Per iteration: FSLT, UIF, ENDIF, ADD and ENDLOOP. Once: MOV, BGNLOOP, BRK, and the last MOV. */
static void
test_break(void **state)
{
    const struct program_cost cost =
        COST("MOV TEMP[0], IN[0]", "BGNLOOP :0", "FSLT TEMP[1].x, TEMP[0].xxxx, IN[0].yyyy",
             "UIF TEMP[1].xxxx :5", "BRK", "ENDIF", "ADD TEMP[0], TEMP[0], IN[0]", "ENDLOOP :0",
             "MOV OUT[0], TEMP[0]", "END");
    assert_true(cost.loop_cycles == 5 && cost.cycles == 4 && cost.branch_cycles == 0);
}

/* The break of an inner loop runs in each iteration of the outer one. Per iteration of the outer
 * loop: all eight instructions from the inner BGNLOOP to the outer ENDLOOP except its own BRK. */
static void
test_inner_break(void **state)
{
    const struct program_cost cost =
        COST("BGNLOOP :0", "BGNLOOP :0", "UIF IN[0].xxxx :4", "BRK", "ENDIF", "ENDLOOP :1",
             "UIF IN[0].yyyy :8", "BRK", "ENDIF", "ENDLOOP :0", "MOV OUT[0], IN[0]", "END");
    assert_true(cost.loop_cycles == 8 && cost.cycles == 3);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_branch),
        cmocka_unit_test(test_break),
        cmocka_unit_test(test_inner_break),
    };
    return cmocka_run_group_tests_name("program_cost", tests, NULL, NULL);
}
