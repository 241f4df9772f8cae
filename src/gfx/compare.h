/* Comparisons of depth, stencil and alpha values. */
#ifndef AETIUS_GFX_COMPARE_H
#define AETIUS_GFX_COMPARE_H

#include "base/error.h"
#include "state/state.h"

#include <stdbool.h>

/* Compares a with b. A double represents every float and every 32-bit integer exactly. */
static inline bool
compare_values(uint8_t func, double a, double b)
{
    switch ((enum compare_func)func) {
    case FUNC_NEVER: return false;
    case FUNC_LESS: return a < b;
    case FUNC_EQUAL: return a == b;
    case FUNC_LEQUAL: return a <= b;
    case FUNC_GREATER: return a > b;
    case FUNC_NOTEQUAL: return a != b;
    case FUNC_GEQUAL: return a >= b;
    case FUNC_ALWAYS: return true;
    }
    BUG("compare function %u", func);
}

#endif
