/* Transcendental functions of the shader unit (docs/design/shader.md, Arithmetic). The series are
 * Taylor series on small, reduced intervals. They reach an error of 1e-13 in double precision, far
 * below that of the rounding to float. A minimax polynomial would need a few terms fewer. */
#include "isa/math.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static double
double_of_bits(uint64_t bits)
{
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}

static uint64_t
bits_of_double(double d)
{
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    return bits;
}

/* Returns 2^n for -1022 <= n <= 1023. */
static double
power_of_two(int n)
{
    return double_of_bits((uint64_t)(n + 1023) << 52);
}

/* Returns 2^x for |x| < 1000, as 2^n * e^(f ln 2) with |f| <= 1/2. */
static double
exp2_double(double x)
{
    int n = (int)(x + (x < 0 ? -0.5 : 0.5));
    double r = (x - n) * 0.69314718055994530942;
    double sum = 1.0 / 3628800 + r * (1.0 / 39916800);
    sum = 1.0 / 362880 + r * sum;
    sum = 1.0 / 40320 + r * sum;
    sum = 1.0 / 5040 + r * sum;
    sum = 1.0 / 720 + r * sum;
    sum = 1.0 / 120 + r * sum;
    sum = 1.0 / 24 + r * sum;
    sum = 1.0 / 6 + r * sum;
    sum = 0.5 + r * sum;
    sum = 1.0 + r * sum;
    return (1.0 + r * sum) * power_of_two(n);
}

/* Returns log2 of a positive, finite, normal double, with m between sqrt(1/2) and sqrt(2): e + 2 /
 * ln 2 * artanh((m - 1) / (m + 1)). */
static double
log2_double(double x)
{
    uint64_t bits = bits_of_double(x);
    int exponent = (int)(bits >> 52) - 1023;
    double m = double_of_bits((bits & 0xfffffffffffffu) | (uint64_t)1023 << 52);
    if (m > 1.41421356237309504880) {
        m *= 0.5;
        exponent++;
    }
    double s = (m - 1.0) / (m + 1.0), t = s * s;
    double sum = 1.0 / 15 + t * (1.0 / 17);
    sum = 1.0 / 13 + t * sum;
    sum = 1.0 / 11 + t * sum;
    sum = 1.0 / 9 + t * sum;
    sum = 1.0 / 7 + t * sum;
    sum = 1.0 / 5 + t * sum;
    sum = 1.0 / 3 + t * sum;
    return exponent + (s + s * t * sum) * 2.88539008177792681472;
}

float
math_ex2(float x)
{
    if (x >= 128.0f)
        return INFINITY;
    if (x <= -151.0f)
        return 0.0f;
    if (x != x)
        return NAN;
    return (float)exp2_double((double)x);
}

float
math_lg2(float x)
{
    if (x == 0.0f)
        return -INFINITY;
    if (!(x > 0.0f))
        return NAN;
    if (x == INFINITY)
        return x;
    return (float)log2_double((double)x);
}

float
math_pow(float x, float y)
{
    if (y == 0.0f || x == 1.0f)
        return 1.0f;
    if (x != x || y != y || x < 0.0f)
        return NAN;
    if (x == 0.0f)
        return y > 0.0f ? 0.0f : INFINITY;
    if (x == INFINITY)
        return y > 0.0f ? INFINITY : 0.0f;
    double product = (double)y * log2_double((double)x);
    if (product >= 128.0)
        return INFINITY;
    if (product <= -151.0)
        return 0.0f;
    return (float)exp2_double(product);
}

/* Reduces a large argument in integer arithmetic: returns its quadrant and sets *rest to the
 * remainder. Skips the bits of 2 / pi that contribute only whole turns, and multiplies by the next
 * 96 bits. */
static uint32_t
reduce_large(float x, double *rest)
{
    static const uint32_t two_over_pi[] = {0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0,
                                           0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561};
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    uint32_t mantissa = (bits & 0x7fffff) | 0x800000;
    /* not negative, because arguments are at least 2^25 */
    uint32_t skip = (bits >> 23) - 127 - 23 - 2;
    uint64_t words[4];
    for (uint32_t i = 0; i < 4; i++)
        words[i] = two_over_pi[skip / 32 + i];
    uint32_t shift = skip % 32;
    unsigned __int128 window = 0;
    for (uint32_t i = 0; i < 3; i++)
        window = window << 32 | (uint32_t)((words[i] << 32 | words[i + 1]) >> (32 - shift));
    /* Fraction of a full turn in units of 2^-128. The top two bits are the quadrant. */
    unsigned __int128 turn = window * mantissa << 32;
    uint32_t quadrant = (uint32_t)(turn >> 126);
    uint64_t fraction = (uint64_t)(turn >> 62); /* fraction of a quadrant, in units of 2^-64 */
    /* A fraction above one half becomes negative, because it belongs to the next quadrant. */
    double part = (double)(int64_t)fraction;
    *rest = part * (1.0 / 18446744073709551616.0) * 1.57079632679489661923;
    return quadrant + (uint32_t)(fraction >> 63);
}

/* Splits |x| into (4 k + quadrant) * pi / 2 + rest, with |rest| <= pi / 4. Returns the quadrant. x
 * must be finite and not negative. */
static uint32_t
reduce(float x, double *rest)
{
    if (x >= 33554432.0f)
        return reduce_large(x, rest);
    /* pi / 2 is split into three summands. The first two have so few bits that their products with
     * n are exact. */
    double n = (double)(int64_t)((double)x * 0.63661977236758134308 + 0.5);
    *rest =
        (((double)x - n * 0x1.921fb4p+0) - n * 0x1.4442d18000000p-24) - n * 0x1.1a62633145c07p-54;
    return (uint32_t)n;
}

static double
sin_small(double r)
{
    double t = r * r;
    double sum = 1.0 / 6227020800.0 - t * (1.0 / 1307674368000.0);
    sum = 1.0 / 39916800 - t * sum;
    sum = 1.0 / 362880 - t * sum;
    sum = 1.0 / 5040 - t * sum;
    sum = 1.0 / 120 - t * sum;
    sum = 1.0 / 6 - t * sum;
    return r - r * t * sum;
}

static double
cos_small(double r)
{
    double t = r * r;
    double sum = 1.0 / 479001600.0 - t * (1.0 / 87178291200.0);
    sum = 1.0 / 3628800 - t * sum;
    sum = 1.0 / 40320 - t * sum;
    sum = 1.0 / 720 - t * sum;
    sum = 1.0 / 24 - t * sum;
    return 1.0 - t * (0.5 - t * sum);
}

static float
sine_of_quadrant(uint32_t quadrant, double rest)
{
    double value = quadrant & 1 ? cos_small(rest) : sin_small(rest);
    return (float)(quadrant & 2 ? -value : value);
}

float
math_sin(float x)
{
    double rest;
    if (!(fabsf(x) < INFINITY))
        return NAN;
    if (x == 0.0f)
        return x;
    uint32_t quadrant = reduce(fabsf(x), &rest);
    float sine = sine_of_quadrant(quadrant, rest);
    return x < 0.0f ? -sine : sine;
}

float
math_cos(float x)
{
    double rest;
    if (!(fabsf(x) < INFINITY))
        return NAN;
    uint32_t quadrant = reduce(fabsf(x), &rest);
    return sine_of_quadrant(quadrant + 1, rest);
}
