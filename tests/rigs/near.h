/* Comparison of numbers that are nearly equal. */
#ifndef AETIUS_TESTS_NEAR_H
#define AETIUS_TESTS_NEAR_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* Whether `a` differs from `b` by at most `share` of b. */
static inline bool
is_near(double a, double b, double share)
{
    return fabs(a - b) <= share * fabs(b);
}

/* Fails the test if the count differs from `expected` by more than 3 %. */
void assert_near(uint64_t value, uint64_t expected);

#endif
