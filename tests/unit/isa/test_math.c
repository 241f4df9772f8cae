/* isa/math.h compared with the host's long double functions, in units of the last place. */
#include "isa/math.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static float
float_of_bits(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* Returns the error in units of the last place of a float near `exact`. */
static double
error_in_ulp(float got, long double exact)
{
    int exponent;
    frexpl(exact, &exponent);
    int last = exponent - 24 < -149 ? -149 : exponent - 24;
    return (double)(fabsl((long double)got - exact) / ldexpl(1.0L, last));
}

static bool
is_inside(long double exact)
{
    return fabsl(exact) < 3.4028234e38L;
}

typedef float float_fn(float);
typedef long double exact_fn(long double);

/* Returns the worst error over floats of all sizes: every `stride`-th bit pattern from `from` to
 * `to`, and with `negative` also their negatives. */
static double
worst_error(float_fn *fn, exact_fn *exact, float from, float to, uint32_t stride, bool negative)
{
    double worst = 0;
    uint32_t first, last;
    memcpy(&first, &from, 4);
    memcpy(&last, &to, 4);
    for (uint32_t bits = first; bits < last; bits += stride) {
        for (int sign = 0; sign <= negative; sign++) {
            float x = float_of_bits(bits | (uint32_t)sign << 31);
            long double wanted = exact((long double)x);
            if (!is_inside(wanted))
                continue;
            double error = error_in_ulp(fn(x), wanted);
            if (error > worst)
                worst = error;
        }
    }
    return worst;
}

static void
test_accuracy(void **state)
{
    assert_true(worst_error(math_ex2, exp2l, 1e-30f, 200.0f, 9973, true) <= 0.501);
    assert_true(worst_error(math_lg2, log2l, 1e-44f, INFINITY, 19937, false) <= 0.501);
    assert_true(worst_error(math_lg2, log2l, 0.9f, 1.1f, 13, false) <= 0.501);
    assert_true(worst_error(math_sin, sinl, 1e-30f, 100.0f, 9973, true) <= 0.501);
    assert_true(worst_error(math_cos, cosl, 1e-30f, 100.0f, 9973, true) <= 0.501);
    assert_true(worst_error(math_sin, sinl, 100.0f, INFINITY, 3989, true) <= 0.501);
    assert_true(worst_error(math_cos, cosl, 100.0f, INFINITY, 3989, true) <= 0.501);
}

/* Range reduction loses most precision for floats next to multiples of pi / 2. */
static void
test_near_multiples_of_pi(void **state)
{
    double worst = 0;
    for (uint32_t k = 1; k < 40000000; k += k < 20000 ? 1 : 997) {
        float x = (float)(k * 1.57079632679489661923132169163975144L);
        double error = error_in_ulp(math_sin(x), sinl((long double)x));
        worst = error > worst ? error : worst;
        error = error_in_ulp(math_cos(x), cosl((long double)x));
        worst = error > worst ? error : worst;
    }
    assert_true(worst <= 0.501);
}

static void
test_power_accuracy(void **state)
{
    double worst = 0;
    for (uint32_t bits = 0x00800000; bits < 0x7f800000; bits += 3000017) {
        float x = float_of_bits(bits);
        for (float y = -40.25f; y < 40.0f; y += 0.37f) {
            long double wanted = powl((long double)x, (long double)y);
            if (!is_inside(wanted) || wanted < 1e-45L)
                continue;
            double error = error_in_ulp(math_pow(x, y), wanted);
            worst = error > worst ? error : worst;
        }
    }
    assert_true(worst <= 0.501);
}

static void
test_edges(void **state)
{
    assert_true(math_ex2(0.0f) == 1.0f);
    assert_true(math_ex2(-INFINITY) == 0.0f);
    assert_true(math_ex2(INFINITY) == INFINITY);
    assert_true(math_ex2(128.0f) == INFINITY);
    assert_true(math_ex2(127.0f) == 0x1p127f);
    assert_true(math_ex2(-149.0f) == 0x1p-149f);
    assert_true(math_ex2(-160.0f) == 0.0f);
    assert_true(isnan(math_ex2(NAN)));
    assert_true(math_lg2(0.0f) == -INFINITY);
    assert_true(math_lg2(-0.0f) == -INFINITY);
    assert_true(math_lg2(INFINITY) == INFINITY);
    assert_true(math_lg2(0x1p-149f) == -149.0f);
    assert_true(isnan(math_lg2(-1.0f)));
    assert_true(isnan(math_lg2(NAN)));
    assert_true(math_pow(0.0f, 0.0f) == 1.0f);
    assert_true(math_pow(0.0f, 2.0f) == 0.0f);
    assert_true(math_pow(0.0f, -2.0f) == INFINITY);
    assert_true(math_pow(3.0f, 0.0f) == 1.0f);
    assert_true(math_pow(1.0f, INFINITY) == 1.0f);
    assert_true(math_pow(2.0f, INFINITY) == INFINITY);
    assert_true(math_pow(0.5f, INFINITY) == 0.0f);
    assert_true(math_pow(INFINITY, 2.0f) == INFINITY);
    assert_true(math_pow(INFINITY, -2.0f) == 0.0f);
    assert_true(isnan(math_pow(-2.0f, 2.0f)));
    assert_true(isnan(math_pow(NAN, 2.0f)));
    assert_true(math_sin(0.0f) == 0.0f && !signbit(math_sin(0.0f)));
    assert_true(signbit(math_sin(-0.0f)));
    assert_true(math_cos(0.0f) == 1.0f);
    assert_true(isnan(math_sin(INFINITY)));
    assert_true(isnan(math_cos(-INFINITY)));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accuracy),
        cmocka_unit_test(test_near_multiples_of_pi),
        cmocka_unit_test(test_power_accuracy),
        cmocka_unit_test(test_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
