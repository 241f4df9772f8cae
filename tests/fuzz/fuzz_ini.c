/* Fuzz target: the reader of parameter files. If it accepts parameters, they must be equal after
 * they are written and read again. */
#include "fuzz_trace.h"

#include "base/mem.h"
#include "params/params.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool
load(struct params *params, const void *bytes, size_t size)
{
    struct memory_file file;
    struct error err = {""};
    memory_file_init(&file, bytes, size);
    params_init(params);
    const bool ok = params_load_file(params, file.path, &err);
    BUG_ON(!ok && !err.text[0], "a file is refused without a message");
    memory_file_fini(&file);
    return ok;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct params first, second;
    if (!load(&first, data, size))
        return 0;
    char *text = params_to_ini(&first, NULL);
    BUG_ON(!load(&second, text, strlen(text)), "what was written is not read");
    char *again = params_to_ini(&second, NULL);
    BUG_ON(strcmp(text, again), "what was written is read as something else");
    free(text);
    free(again);
    return 0;
}
