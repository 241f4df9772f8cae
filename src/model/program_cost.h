/* What a fragment program costs, in the model's terms, from its static cost on a machine: a cycle
 * is one pass of a fragment through one of the machine's pipelines. */
#ifndef AETIUS_MODEL_PROGRAM_COST_H
#define AETIUS_MODEL_PROGRAM_COST_H

#include "isa/program.h"
#include "params/params.h"

struct program_cost {
    double cycles;        /* outside of branches and loops */
    double branch_cycles; /* of if, else and endif themselves */
    double if_cycles, else_cycles;
    double loop_cycles; /* of a round of the loops, with all that is in them */
};

void program_cost_find(struct program_cost *cost, const struct program *program,
                       const struct params *params);

/* Pipelines of the machine for fragments: threads whose instructions begin in a cycle. */
double machine_pipes(const struct params *params);
/* The most fragment cycles a second: clock times pipelines. */
double machine_rate(const struct params *params);

#endif
