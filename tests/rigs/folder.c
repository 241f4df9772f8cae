/* Temporary folders of tests. */
#include "rigs/folder.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>

bool
remove_folder(const char *folder)
{
    char *command = mem_printf("rm -rf %s", folder);
    const bool removed = system(command) == 0;
    free(command);
    if (!removed)
        fprintf(stderr, "%s stays\n", folder);
    return removed;
}
