/* Curves through measurements: the number of segments, least squares, and refusals. */
#include "model/spline.h"
#include "rigs/model.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* 10 up to x = 20, falling to 4 at x = 40, and constant after that; or a straight line. */
static double
truth(double x, bool bent)
{
    if (!bent)
        return 5 + x / 10;
    return x < 20 ? 10 : x > 40 ? 4 : 10 - 0.3 * (x - 20);
}

static void
segments_are_chosen(void **state)
{
    uint32_t right = 0, single = 0, held = 0, knots = 0;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        double x[61], y[61];
        uint64_t random = seed * 77;
        struct spline spline;
        for (uint32_t bent = 0; bent < 2; bent++) {
            for (uint32_t i = 0; i <= 60; i++) {
                x[i] = i;
                y[i] = truth(i, bent) * (1 + 0.02 * noise(&random));
            }
            assert_true(spline_fit(&spline, x, y, NULL, 61, false, NULL));
            if (!bent) {
                single += spline.knots == 2;
                for (uint32_t k = 0; k < spline.knots; k++, knots++)
                    held += fabs(spline.y[k] - truth(spline.x[k], false)) <= spline.half[k];
                continue;
            }
            right += spline.knots == 4;
            for (uint32_t i = 0; i <= 60; i++)
                assert_true(is_near(spline_at(&spline, i), truth(i, true), 0.06));
        }
    }
    /* sometimes noise adds a segment, but no segment is ever missing */
    assert_true(right >= 40);
    assert_true(single >= 40);
    /* nominally 95 %; choosing a bend by noise reduces it */
    assert_true(held >= knots * 88 / 100);
}

/* Fits 2 + 3 u without noise, then with a duplicate column. */
static void
squares(void **state)
{
    const double a[] = {1, 0, 1, 1, 1, 2, 1, 3}, b[] = {2, 5, 8, 11};
    const double twice[] = {1, 1, 2, 2, 3, 3}, same[] = {1, 2, 3};
    double factors[2], half[2];
    assert_true(least_squares(a, b, 4, 2, factors, half));
    assert_true(is_near(factors[0], 2, 1e-9) && is_near(factors[1], 3, 1e-9));
    assert_true(half[0] < 1e-6 && half[1] < 1e-6);
    assert_false(least_squares(twice, same, 3, 2, factors, half));
    /* for 1, 2, 3, 6 the mean is 3 and the variance 14 / 3; the mean has a deviation of sqrt(14 /
     * 12), and t has 3 degrees of freedom */
    const double ones[] = {1, 1, 1, 1}, values[] = {1, 2, 3, 6};
    assert_true(least_squares(ones, values, 4, 1, factors, half));
    assert_true(is_near(factors[0], 3, 1e-9));
    assert_true(is_near(half[0], 3.182 * sqrt(14.0 / 12), 1e-6));
}

static void
curves_are_refused(void **state)
{
    const double x[] = {1, 1, 2, 3, 3}, y[] = {1, 1, 2, 3, 3};
    struct spline spline;
    struct error err = {""};
    assert_false(spline_fit(&spline, x, y, NULL, 5, false, &err));
    assert_non_null(strstr(err.text, "3 points"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(segments_are_chosen),
        cmocka_unit_test(squares),
        cmocka_unit_test(curves_are_refused),
    };
    return cmocka_run_group_tests_name("curves", tests, NULL, NULL);
}
