#include "model/program_cost.h"

#include "unit/shader/static_cost.h"

#include <string.h>

/* Member of the cost to which an instruction is added. The instruction's position determines it. A
 * fragment leaves the outer loop once. A unit jumps over the break in all other iterations, so the
 * break counts outside the loop. */
static double *
part_of(struct program_cost *cost, enum opcode opcode, uint32_t loops, uint32_t ifs, bool in_else)
{
    const bool is_if = opcode == OP_IF || opcode == OP_UIF;
    if (loops)
        return loops == 1 && opcode == OP_BRK ? &cost->cycles : &cost->loop_cycles;
    if ((is_if && ifs == 0) || ((opcode == OP_ELSE || opcode == OP_ENDIF) && ifs == 1))
        return &cost->branch_cycles;
    return ifs == 0 ? &cost->cycles : in_else ? &cost->else_cycles : &cost->if_cycles;
}

void
program_cost_find(struct program_cost *cost, const struct program *program,
                  const struct params *params)
{
    struct static_cost fixed;
    uint32_t loops = 0, ifs = 0;
    bool in_else = false;
    static_cost_find(&fixed, program, params);
    memset(cost, 0, sizeof *cost);
    /* Converts ALU cycles per group to cycles of one pipeline per fragment. */
    const double scale = machine_pipes(params) / (fixed.group_threads * (double)fixed.units);
    for (uint32_t i = 0; i < program->instruction_count; i++) {
        const enum opcode opcode = program->instructions[i].opcode;
        *part_of(cost, opcode, loops, ifs, in_else) += scale * fixed.issues[i].takes;
        loops -= opcode == OP_ENDLOOP;
        loops += opcode == OP_BGNLOOP;
        if (loops)
            continue;
        ifs += opcode == OP_IF || opcode == OP_UIF;
        ifs -= opcode == OP_ENDIF && ifs > 0;
        in_else = ifs > 0 && (in_else || (opcode == OP_ELSE && ifs == 1));
    }
    static_cost_fini(&fixed);
}

double
machine_pipes(const struct params *params)
{
    return (double)params->GPU.NumFragmentShaders * params->FRAGMENTSHADER.ThreadRate;
}

double
machine_rate(const struct params *params)
{
    return 1e6 * params->GPU.ClockMHz * machine_pipes(params);
}
