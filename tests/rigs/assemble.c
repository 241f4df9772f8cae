/* Builds programs from lines of TGSI. */
#include "rigs/assemble.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

struct program *
parse_program(enum shader_stage stage, const char *text)
{
    struct error err = {""};
    struct program *program = program_create(stage, text, NULL, &err);
    if (!program)
        fail_msg("%s in\n%s", err.text, text);
    return program;
}

struct program *
assemble(enum shader_stage stage, const char *const *lines)
{
    static char text[4096];
    int at = snprintf(text, sizeof text,
                      "%s\nDCL IN[0]%s\nDCL OUT[0], %s\nDCL TEMP[0..15]\n"
                      "DCL ADDR[0]\nDCL CONST[0..3]\nDCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\n",
                      stage == STAGE_VERTEX ? "VERT" : "FRAG",
                      stage == STAGE_VERTEX ? "" : ", GENERIC[0], PERSPECTIVE",
                      stage == STAGE_VERTEX ? "POSITION" : "COLOR");
    for (int i = 0; lines[i]; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, "%d: %s\n", i, lines[i]);
    return parse_program(stage, text);
}
