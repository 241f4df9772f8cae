/* Programs with memory for their lanes. */
#include "rigs/exec_rig.h"

void
exec_rig_start(struct exec_rig *m, enum shader_stage stage, const char *text, uint32_t lanes)
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

void
exec_rig_end(struct exec_rig *m)
{
    program_destroy(m->program);
    free(m->memory);
    free(m->exec);
}

void
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

void
exec_rig_run(struct exec_rig *m)
{
    assert_true(exec_run(m->exec, echo_sample, NULL));
}
