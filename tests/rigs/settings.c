/* Parameters of machines. */
#include "rigs/settings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum { LONGEST = 512 };

void
settings_apply(struct params *params, const char *section, const char *words)
{
    char copy[LONGEST], *rest = NULL;
    struct error err;
    assert_true((size_t)snprintf(copy, sizeof copy, "%s", words) < sizeof copy);
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        char full[LONGEST];
        const bool has_section = strcspn(word, ".") < strcspn(word, "=");
        snprintf(full, sizeof full, "%s%s%s", has_section ? "" : section, has_section ? "" : ".",
                 word);
        if (!params_set(params, full, &err))
            fail_msg("%s", err.text);
    }
}

const char *
settings(const char *format, ...)
{
    static char text[LONGEST];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return text;
}

struct params
simple_memory(void)
{
    struct params p;
    params_init(&p);
    p.MEMORYCONTROLLER.MemoryControllerV2 = false;
    p.MEMORYCONTROLLER.MemoryBuses = 1;
    p.MEMORYCONTROLLER.BurstLength = 8;
    p.MEMORYCONTROLLER.PageOpenLatency = 0;
    return p;
}
