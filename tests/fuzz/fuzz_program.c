/* Fuzz target: the TGSI parser, and the execution of each accepted program. A text that names no
 * stage is a fragment program. */
#include "base/mem.h"
#include "isa/exec.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LANES = 8, STEPS = 2000, CONSTANTS = 16 };

static void
sample_nothing(void *data, const struct texture_request *request, uint32_t lanes,
               float (*rgba)[EXEC_MAX_LANES])
{
    for (uint32_t c = 0; c < 4; c++)
        for (uint32_t lane = 0; lane < lanes; lane++)
            rgba[c][lane] = request->coord[c][lane];
}

static void
execute(const struct program *program)
{
    static const float constants[CONSTANTS][4] = {{0, 1, 2, 3}, {-1, 0.5f, 1e9f, -1e30f}};
    uint32_t bytes = (exec_size(program, LANES) + 63) / 64 * 64;
    void *memory = aligned_alloc(64, bytes);
    struct exec *exec = mem_alloc(sizeof *exec);
    BUG_ON(!memory, "%u bytes of registers", bytes);
    memset(memory, 0, bytes);
    exec_begin(exec, program, constants, CONSTANTS, LANES, 0xff, memory);
    for (uint32_t i = 0; i < program_input_registers(program) * 4 * LANES; i++)
        exec->inputs[i] = (float)i * 0.37f - 3.0f;
    exec_set_limit(exec, STEPS);
    exec_run(exec, sample_nothing, NULL);
    free(exec);
    free(memory);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error err = {""};
    char *text = mem_alloc(size + 1);
    memcpy(text, data, size);
    const enum shader_stage stage = program_text_stage(text);
    struct program *program =
        program_create(stage == STAGE_COUNT ? STAGE_FRAGMENT : stage, text, NULL, &err);
    BUG_ON(!program && !err.text[0], "a text is refused without a message");
    if (program)
        execute(program);
    program_destroy(program);
    free(text);
    return 0;
}
