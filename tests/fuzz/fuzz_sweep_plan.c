/* Fuzzed: the reader of sweeps' plans, and the formulas in them. */
#include "fuzz_trace.h"

#include "sweep/outputs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"cycles", "shader[0].instructions", "frames"};
    static const double values[] = {3, 0, 1};
    struct memory_file file;
    struct sweep_plan plan;
    struct params params;
    struct error err = {""};
    memory_file_init(&file, data, size);
    params_init(&params);
    bool ok = sweep_plan_load(&plan, file.path, &err);
    if (ok) {
        const struct totals totals = {names, values, 3, &params};
        ok = outputs_check(&plan, &totals, &err);
        sweep_plan_fini(&plan);
    }
    BUG_ON(!ok && !err.text[0], "a plan is refused without a word");
    memory_file_fini(&file);
    return 0;
}
