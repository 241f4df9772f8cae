/* The program that sets up triangles on the shader units (RASTERIZER.TriangleSetupOnShader). */
#ifndef AETIUS_UNIT_SETUP_PROGRAM_H
#define AETIUS_UNIT_SETUP_PROGRAM_H

#include "isa/program.h"

/* Number of instructions, without END: edges 4, area and its reciprocal 2, depth plane 4, outputs
 * 4. */
enum { SETUP_INSTRUCTIONS = 14 };

/* Returns the program, which the caller frees with program_destroy().
 *
 * A thread is one triangle. IN[0] to IN[2] hold x, y and z of its corners 0, 1 and 2 in window
 * coordinates, one corner per channel. Edge i is opposite corner i. Its value at (x, y) is
 * a x + b y + c. OUT[0] to OUT[2] hold a, b and c of the three edges, and OUT[3].w holds twice the
 * signed area. The depth at (x, y) is OUT[3].x x + OUT[3].y y + OUT[3].z. */
struct program *setup_program_create(void);

#endif
