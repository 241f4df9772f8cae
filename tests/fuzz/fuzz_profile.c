/* Fuzz target: the readers of nvprof and ncu output, and the trees made from it. */
#include "fuzz_trace.h"

#include "analysis/application.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check(const struct application *application)
{
    BUG_ON(application->has_tree && !topdown_tree_adds_up(&application->tree, 1e-9),
           "a tree does not add up");
    for (size_t i = 0; i < application->kernels.count; i++) {
        const struct application_kernel *kernel = &application->kernels.items[i];
        BUG_ON(kernel->has_tree && !topdown_tree_adds_up(&kernel->tree, 1e-9),
               "a kernel's tree does not add up");
        BUG_ON(kernel->has_tree && !(kernel->tree.values[NVIDIA_retire] >= 0), "retire below 0");
        free(application_missing(application, kernel));
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct memory_file file;
    struct profile profile;
    struct error err = {""};
    application_list list = {0};
    memory_file_init(&file, data, size);
    profile_init(&profile);
    /* may read the file twice, so that the launches of two profiles are matched */
    const char *const paths[] = {file.path, file.path};
    const struct application_filter filter = {.kernel = size % 5 ? NULL : "f",
                                              .level = (uint32_t)(size % 4)};
    const bool ok = profile_read(&profile, paths, 1 + size % 2,
                                 size % 3 ? nvidia_capability(8, 6) : NULL, &err) &&
                    application_list_add(&list, &profile, "a", &filter, &err);
    BUG_ON(!ok && !err.text[0], "a profile is refused without a message");
    for (size_t i = 0; i < list.count; i++)
        check(&list.items[i]);
    application_list_fini(&list);
    profile_fini(&profile);
    memory_file_fini(&file);
    return 0;
}
