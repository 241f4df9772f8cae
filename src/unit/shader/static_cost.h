/* What a program costs a shader unit, told from its text by the unit's own rules of issue (head of
 * shader.c): each instruction is run once, in the order of the text, so both sides of a branch and
 * one round of a loop; texels come as soon as the texture unit can give them. */
#ifndef AETIUS_UNIT_STATIC_COST_H
#define AETIUS_UNIT_STATIC_COST_H

#include "params/params.h"
#include "isa/program.h"

struct static_issue { /* an instruction */
    uint32_t cycle;   /* when it issues in a group that is alone, from the first one's on */
    uint32_t takes;   /* cycles that the ALUs have for it alone; 0: it issues beside another one */
};

struct static_cost {
    uint32_t instructions, kinds[KIND_FLOW + 1]; /* without END, which is free; by unit_kind */
    uint32_t turns;                              /* cycles of one thread's ALUs */
    uint32_t alu_cycles;     /* of the unit's ALUs for a full group: what bounds many groups */
    uint32_t latency_cycles; /* of a group that is alone, until its last result is there */
    uint32_t group_threads;  /* of a full group */
    uint32_t thread_registers, threads; /* threads that a unit can hold at once */
    uint32_t limit_threads;             /* as many as it could hold of the smallest program */
    uint32_t units;
    struct static_issue *issues; /* one an instruction */
};

/* `params` is a machine that can be built. */
void static_cost_find(struct static_cost *cost, const struct program *program,
                      const struct params *params);
void static_cost_fini(struct static_cost *cost);

#endif
