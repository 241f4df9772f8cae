/* Optional programs that some tests need. */
#include "rigs/needs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

bool
has_program(const char *name)
{
    char command[128];
    snprintf(command, sizeof command, "command -v %s >/dev/null", name);
    return system(command) == 0;
}

void
needs_program(const char *name)
{
    if (has_program(name))
        return;
    print_message("# %s is not installed\n", name);
    skip();
}
