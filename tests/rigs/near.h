/* Comparison of floating-point numbers. */
#ifndef AETIUS_TESTS_NEAR_H
#define AETIUS_TESTS_NEAR_H

#include <math.h>
#include <stdbool.h>

/* Whether `a` differs from `b` by at most `share` of b. */
static inline bool
is_near(double a, double b, double share)
{
    return fabs(a - b) <= share * fabs(b);
}

#endif
