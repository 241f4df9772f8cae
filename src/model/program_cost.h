/* Static cost of a fragment program on a machine, in the model's unit: a cycle is one pass of a
 * fragment through one pipeline. */
#ifndef AETIUS_MODEL_PROGRAM_COST_H
#define AETIUS_MODEL_PROGRAM_COST_H

#include "isa/program.h"
#include "params/params.h"

struct program_cost {
    double cycles;        /* cycles outside branches and loops */
    double branch_cycles; /* cycles of the instructions if, else and endif */
    double if_cycles, else_cycles;
    /* cycles per iteration of the outer loop, with all nested instructions, without its breaks */
    double loop_cycles;
};

void program_cost_find(struct program_cost *cost, const struct program *program,
                       const struct params *params);

/* Fragment pipelines of the machine: threads that can start an instruction per cycle. */
double machine_pipes(const struct params *params);
/* Largest number of fragment cycles per second: clock times pipelines. */
double machine_rate(const struct params *params);

#endif
