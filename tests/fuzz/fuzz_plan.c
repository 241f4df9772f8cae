/* Fuzz target: the reader of plans, and the checks of a plan before its runs. */
#include "fuzz_trace.h"

#include "sweep/outputs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
read_plan(const char *path, size_t size)
{
    static const char *const files[] = {"/dev/null", "/dev/zero"};
    static const char *const names[] = {"cycles", "shader[0].instructions", "frames"};
    static const double values[] = {3, 0, 1};
    struct sweep_plan plan;
    struct params params;
    struct error err = {""};
    params_init(&params);
    bool ok = sweep_plan_load(&plan, path, &err);
    if (ok) {
        const struct totals totals = {names, values, 3, &params, NULL};
        BUG_ON(!plan.machines.count || !plan.inputs.count || !plan.outputs.count,
               "a sweep's plan lacks a part");
        ok = outputs_check(&plan, &totals, &err) &&
             (size % 2 || sweep_plan_use_files(&plan, files, 2, &err)) &&
             (size % 3 || sweep_plan_narrow(&plan, "x4,x0", &err));
        sweep_plan_fini(&plan);
    }
    BUG_ON(!ok && !err.text[0], "a sweep's plan is refused without a message");
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct memory_file file;
    memory_file_init(&file, data, size);
    read_plan(file.path, size);
    memory_file_fini(&file);
    return 0;
}
