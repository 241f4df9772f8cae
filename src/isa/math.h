/* Transcendental functions of the shader. They use only + - * / on IEEE doubles and bit operations,
 * so that every host renders the same picture. Results are computed in double and rounded once. The
 * error is about half a unit in the last place (measured by tests/unit/isa/test_math.c).
 *
 * Edge cases: EX2(-inf) = 0. LG2(0) = -inf, and LG2 of a negative number is NaN. SIN and COS of
 * infinities are NaN. RSQ(0) = inf, and RSQ of a negative number is NaN. POW(x, 0) = POW(1, y) = 1,
 * because the lighting of OpenGL's fixed function needs 0^0 = 1. Otherwise POW of a negative base
 * is NaN, like EX2(y * LG2(x)). */
#ifndef AETIUS_ISA_MATH_H
#define AETIUS_ISA_MATH_H

float math_ex2(float x);
float math_lg2(float x);
float math_pow(float x, float y);
float math_sin(float x);
float math_cos(float x);

#endif
