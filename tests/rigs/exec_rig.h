/* Helpers of the tests of shader execution: a program with its memory, inputs and outputs, and a
 * sampler that returns its request. */
#ifndef AETIUS_TESTS_EXEC_RIG_H
#define AETIUS_TESTS_EXEC_RIG_H

#include "isa/exec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A program that is ready to run, with its memory. */
struct exec_rig {
    struct program *program;
    struct exec *exec;
    void *memory;
    uint32_t lanes;
};

static const float constants[4][4] = {
    {1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}, {13, 14, 15, 16}};

void exec_rig_start(struct exec_rig *m, enum shader_stage stage, const char *text, uint32_t lanes);
void exec_rig_end(struct exec_rig *m);

static inline float *
input(struct exec_rig *m, uint32_t index, uint32_t channel)
{
    return m->exec->inputs + (index * 4 + channel) * m->lanes;
}

static inline float
output(struct exec_rig *m, uint32_t index, uint32_t channel, uint32_t lane)
{
    return m->exec->outputs[(index * 4 + channel) * m->lanes + lane];
}

/* Returns the request as texels: s, t, r or reference, and bias or LOD. */
void echo_sample(void *data, const struct texture_request *request, uint32_t lanes,
                 float (*rgba)[EXEC_MAX_LANES]);

void exec_rig_run(struct exec_rig *m);

#endif
