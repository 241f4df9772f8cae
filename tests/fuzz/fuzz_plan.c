/* Fuzzed: the reader of studies' plans, and what is done to one before anything runs. */
#include "fuzz_trace.h"

#include "analysis/study_plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const files[] = {"a.trace", "b/a.b.trace", ".trace"};
    struct memory_file file;
    struct study_plan plan;
    struct error err = {""};
    memory_file_init(&file, data, size);
    bool ok = study_plan_load(&plan, file.path, &err);
    if (ok) {
        ok = (size % 2 || study_plan_use_files(&plan, files, 3, &err)) &&
             (size % 3 || study_plan_narrow(&plan, "x4,x0", &err)) && study_plan_check(&plan, &err);
        study_plan_fini(&plan);
    }
    BUG_ON(!ok && !err.text[0], "a plan is refused without a word");
    memory_file_fini(&file);
    return 0;
}
