/* The shader's transcendental functions, our own so that every host draws the same picture: only
 * IEEE double + - * / and bits. Computed in double and rounded once, they are within about half a
 * unit in the last place of the exact value (tests/unit/isa/test_math.c measures it).
 *
 * Edges: EX2(-inf) = 0, LG2(0) = -inf, LG2 of a negative number is NaN, SIN and COS of infinities
 * are NaN, RSQ(0) = inf, RSQ of a negative number is NaN. POW(x, 0) = POW(1, y) = 1 (the lighting
 * of OpenGL's fixed function needs 0^0 = 1), POW of a negative base is NaN else, as from
 * EX2(y * LG2(x)). */
#ifndef AETIUS_ISA_MATH_H
#define AETIUS_ISA_MATH_H

float math_ex2(float x);
float math_lg2(float x);
float math_pow(float x, float y);
float math_sin(float x);
float math_cos(float x);

#endif
