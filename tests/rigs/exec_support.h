/* What the tests of shader execution share: a program with its memory, inputs and outputs, and a
 * sampler that tells what it was asked. */
#ifndef AETIUS_TESTS_EXEC_SUPPORT_H
#define AETIUS_TESTS_EXEC_SUPPORT_H

#include "isa/exec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A program that is ready to run, with its memory. */
struct machine {
    struct program *program;
    struct exec *exec;
    void *memory;
    uint32_t lanes;
};

static const float constants[4][4] = {
    {1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}, {13, 14, 15, 16}};

static inline void
machine_start(struct machine *m, enum shader_stage stage, const char *text, uint32_t lanes)
{
    struct error err = {""};
    m->program = program_create(stage, text, NULL, &err);
    if (!m->program)
        fail_msg("%s in\n%s", err.text, text);
    m->lanes = lanes;
    uint32_t size = (exec_size(m->program, lanes) + 63) & ~63u;
    m->memory = aligned_alloc(64, size);
    memset(m->memory, 0xff, size);
    m->exec = aligned_alloc(64, (sizeof *m->exec + 63) & ~63u);
    exec_begin(m->exec, m->program, constants, 4, lanes,
               lanes == 64 ? UINT64_MAX : (1ull << lanes) - 1, m->memory);
}

static inline void
machine_end(struct machine *m)
{
    program_destroy(m->program);
    free(m->memory);
    free(m->exec);
}

static inline float *
input(struct machine *m, uint32_t index, uint32_t channel)
{
    return m->exec->inputs + (index * 4 + channel) * m->lanes;
}

static inline float
output(struct machine *m, uint32_t index, uint32_t channel, uint32_t lane)
{
    return m->exec->outputs[(index * 4 + channel) * m->lanes + lane];
}

/* Texels that tell the request: s, t, r or reference, and bias or LOD. */
static inline void
echo_sample(void *data, const struct texture_request *request, uint32_t lanes,
            float (*rgba)[EXEC_MAX_LANES])
{
    if (data)
        *(struct texture_request *)data = *request;
    for (uint32_t lane = 0; lane < lanes; lane++) {
        rgba[0][lane] = request->coord[0][lane];
        rgba[1][lane] = request->coord[1][lane] * 0.5f;
        rgba[2][lane] = request->coord[2][lane] + request->coord[3][lane];
        rgba[3][lane] = request->coord[4][lane];
    }
}

static inline void
machine_run(struct machine *m)
{
    assert_true(exec_run(m->exec, echo_sample, NULL));
}

#endif
