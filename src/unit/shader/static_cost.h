/* Cost of a program on a shader unit, computed from its text by the unit's rules of issue
 * (shader.c). Each instruction runs once, in the order of the text. The cost therefore includes
 * both sides of a branch and one iteration of a loop. Texels arrive after the minimum latency of
 * the Texture Unit. */
#ifndef AETIUS_UNIT_STATIC_COST_H
#define AETIUS_UNIT_STATIC_COST_H

#include "base/mem.h"
#include "isa/program.h"
#include "params/params.h"

struct static_issue { /* cost of one instruction */
    uint32_t cycle;   /* issue cycle if the group is alone; the first instruction has cycle 0 */
    uint32_t takes;   /* ALU cycles of the instruction; 0: it issues together with another */
};

struct static_cost {
    uint32_t instructions, kinds[KIND_FLOW + 1]; /* by unit_kind; END is free and not counted */
    uint32_t turns;                              /* ALU cycles of one thread */
    uint32_t alu_cycles;     /* ALU cycles of a full group; the limit if there are many groups */
    uint32_t latency_cycles; /* latency of a group that is alone, up to its last result */
    uint32_t group_threads;  /* number of threads in a full group */
    uint32_t thread_registers, threads; /* registers per thread; threads that fit in a unit */
    uint32_t limit_threads;             /* threads that fit in a unit with the smallest program */
    uint32_t units;
    struct static_issue *issues; /* one entry per instruction */
};

struct program_static_cost {
    uint64_t hash;
    enum shader_stage stage;
    struct static_cost cost;
};

/* `params` must be valid for a machine. The caller frees the result with static_cost_fini(). */
void static_cost_find(struct static_cost *cost, const struct program *program,
                      const struct params *params);
void static_cost_fini(struct static_cost *cost);

/* Costs of the programs of a trace, each computed once. Starts zeroed. */
struct static_costs {
    VEC(struct program_static_cost) programs;
};

/* The result is valid until static_costs_fini(). */
struct static_cost static_costs_of(struct static_costs *costs, const struct program *program,
                                   const struct params *params);
void static_costs_fini(struct static_costs *costs);

#endif
