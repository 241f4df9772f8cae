#include "rigs/near.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

void
assert_near(uint64_t value, uint64_t expected)
{
    const uint64_t off = value > expected ? value - expected : expected - value;
    if (off * 100 > expected * 3)
        fail_msg("%llu, not %llu within 3 %%", (unsigned long long)value,
                 (unsigned long long)expected);
}
