/* Prints one shell command per run to standard output, for GNU parallel or another batch system. */
#include "sweep/engine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool
engine_list_begin(const struct engine_request *request, struct error *err)
{
    char *dir = realpath(request->sweep->dir, NULL), *self = engine_self();
    if (!dir) {
        free(self);
        return fail(err, "cannot open %s: %s", request->sweep->dir, strerror(errno));
    }
    char *program = shell_word(self), *folder = shell_word(dir);
    for (size_t i = 0; i < request->count; i++)
        printf("%s sweep run %s %s\n", program, folder,
               request->sweep->runs.items[request->todo[i]].key);
    free(program);
    free(folder);
    free(self);
    free(dir);
    return true;
}

const struct sweep_engine engine_list = {.name = "list", .begin = engine_list_begin};
