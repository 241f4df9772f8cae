/* Cost of a program on a shader unit, computed from its text by the unit's rules of issue
 * (shader.c). Each instruction runs once, in the order of the text. So both sides of a branch and
 * one iteration of a loop are counted. Texels arrive after the minimum latency of the Texture
 * Unit. */
#ifndef AETIUS_UNIT_STATIC_COST_H
#define AETIUS_UNIT_STATIC_COST_H

#include "params/params.h"
#include "isa/program.h"

struct static_issue { /* of one instruction */
    uint32_t cycle;   /* issue cycle in a group that is alone; the first instruction has cycle 0 */
    uint32_t takes;   /* cycles of the ALUs for it alone; 0: it issues together with another */
};

struct static_cost {
    uint32_t instructions, kinds[KIND_FLOW + 1]; /* without END, which is free; by unit_kind */
    uint32_t turns;                              /* ALU cycles of one thread */
    uint32_t alu_cycles;     /* ALU cycles for a full group: the limit with many groups */
    uint32_t latency_cycles; /* of a group that is alone, up to its last result */
    uint32_t group_threads;  /* threads of a full group */
    uint32_t thread_registers, threads; /* threads: capacity of a unit */
    uint32_t limit_threads;             /* capacity for the smallest program */
    uint32_t units;
    struct static_issue *issues; /* one per instruction */
};

/* `params` must be valid for a machine. */
void static_cost_find(struct static_cost *cost, const struct program *program,
                      const struct params *params);
void static_cost_fini(struct static_cost *cost);

#endif
