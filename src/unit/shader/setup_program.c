/* The setup program: edges, area and depth plane of a triangle.
 *
 * Source: solution of the plane equations by the adjoint matrix, as in ATTILA's setup program. That
 * program has 26 instructions. It starts from clip coordinates, so it also needs the viewport
 * transformation and the offset to pixel centers. Triangle Setup has already clipped the triangles
 * here, and their corners are in window coordinates. */
#include "unit/shader/setup_program.h"

#include <stddef.h>

static const char text[] = "VERT\n"
                           "DCL IN[0..2]\n"
                           "DCL OUT[0], POSITION\n"
                           "DCL OUT[1..3], GENERIC\n"
                           "DCL TEMP[0..5]\n"
                           "IMM[0] FLT32 {1.0, 1.0, 1.0, 0.0}\n"
                           /* edges: a, b and c */
                           "0: ADD TEMP[0].xyz, IN[1].yzxx, -IN[1].zxyy\n"
                           "1: ADD TEMP[1].xyz, IN[0].zxyy, -IN[0].yzxx\n"
                           "2: MUL TEMP[2].xyz, IN[0].zxyy, IN[1].yzxx\n"
                           "3: MAD TEMP[2].xyz, IN[0].yzxx, IN[1].zxyy, -TEMP[2]\n"
                           /* twice the area */
                           "4: DP3 TEMP[3].x, TEMP[2], IMM[0]\n"
                           "5: RCP TEMP[4].x, TEMP[3].xxxx\n"
                           /* plane of the depth */
                           "6: DP3 TEMP[5].x, TEMP[0], IN[2]\n"
                           "7: DP3 TEMP[5].y, TEMP[1], IN[2]\n"
                           "8: DP3 TEMP[5].z, TEMP[2], IN[2]\n"
                           "9: MUL OUT[3].xyz, TEMP[5], TEMP[4].xxxx\n"
                           /* outputs */
                           "10: MOV OUT[0].xyz, TEMP[0]\n"
                           "11: MOV OUT[1].xyz, TEMP[1]\n"
                           "12: MOV OUT[2].xyz, TEMP[2]\n"
                           "13: MOV OUT[3].w, TEMP[3].xxxx\n"
                           "14: END\n";

struct program *
setup_program_create(void)
{
    struct error err;
    struct program *program = program_create(STAGE_VERTEX, text, NULL, &err);
    BUG_ON(!program, "setup program: %s", err.text);
    BUG_ON(program->instruction_count != SETUP_INSTRUCTIONS + 1, "setup program: length");
    return program;
}
