/* Programs for one draw of several objects (isa/program_palette.h). The expected texts follow from
 * the rules of the header. */
#include "isa/program_palette.h"
#include "rigs/assemble.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Constants 0 and 2 differ. Constant 1 and those of buffer 1 stay, and so does the immediate. Two
 * instructions are added, so numbers and labels increase by 2. */
static const char vertex[] = "VERT\n"
                             "DCL IN[0]\n"
                             "DCL OUT[0], POSITION\n"
                             "DCL CONST[0][0..2]\n"
                             "DCL CONST[1][0..3]\n"
                             "DCL TEMP[0], LOCAL\n"
                             "DCL ADDR[0]\n"
                             "IMM[0] FLT32 {1.0, 0.0, 0.0, 0.0}\n"
                             "  0: MUL TEMP[0], IN[0], CONST[0][0].xxyy\n"
                             "  1: UIF CONST[2].wwww :3\n"
                             "  2:   MAD TEMP[0], -|CONST[0][2]|, CONST[0][1], CONST[1][2]\n"
                             "  3: ENDIF\n"
                             "  4: MOV OUT[0], TEMP[0]\n"
                             "  5: END\n";

static const char changed_vertex[] =
    "VERT\n"
    "DCL IN[0]\n"
    "DCL OUT[0], POSITION\n"
    "DCL CONST[0][0..2]\n"
    "DCL CONST[1][0..3]\n"
    "DCL TEMP[0], LOCAL\n"
    "DCL ADDR[0]\n"
    "IMM[0] FLT32 {1.0, 0.0, 0.0, 0.0}\n"
    "DCL IN[1]\n"
    "DCL ADDR[1]\n"
    "DCL CONST[0][3..17]\n" /* 5 rows of 3 constants */
    "DCL OUT[0], POSITION\n"
    "DCL OUT[1], GENERIC[128]\n"
    "0: ARL ADDR[1].x, IN[1].xxxx\n"
    "1: MOV OUT[1], CONST[0][ADDR[1].x+5]\n"
    "2: MUL TEMP[0], IN[0], CONST[0][ADDR[1].x+3].xxyy\n"
    "3: UIF CONST[0][ADDR[1].x+4].wwww :5\n"
    "4:   MAD TEMP[0], -|CONST[0][ADDR[1].x+4]|, CONST[0][1], CONST[1][2]\n"
    "5: ENDIF\n"
    "6: MOV OUT[0], TEMP[0]\n"
    "7: END\n";

static const char fragment[] = "FRAG\n"
                               "DCL IN[0], GENERIC[9], PERSPECTIVE\n"
                               "DCL OUT[0], COLOR\n"
                               "DCL CONST[0..7]\n"
                               "  0: MAD OUT[0], IN[0], CONST[7], -CONST[0]\n"
                               "  1: END\n";

static const char changed_fragment[] = "FRAG\n"
                                       "DCL IN[0], GENERIC[9], PERSPECTIVE\n"
                                       "DCL OUT[0], COLOR\n"
                                       "DCL CONST[0..7]\n"
                                       "DCL IN[1], GENERIC[128], CONSTANT\n"
                                       "0: MAD OUT[0], IN[0], IN[1], -CONST[0]\n"
                                       "1: END\n";

static void
constants_come_from_the_table(void **state)
{
    static const uint16_t of_vertex[] = {0, 2}, of_fragment[] = {7};
    (void)state;
    struct program *vs = parse_program(STAGE_VERTEX, vertex),
                   *fs = parse_program(STAGE_FRAGMENT, fragment);
    const struct program_palette palette = {.vertex = vs,
                                            .fragment = fs,
                                            .vertex_constants = of_vertex,
                                            .vertex_count = 2,
                                            .fragment_constants = of_fragment,
                                            .fragment_count = 1,
                                            .rows = 5};
    char *text = program_palette_vertex(&palette);
    assert_string_equal(text, changed_vertex);
    program_destroy(parse_program(STAGE_VERTEX, text));
    free(text);
    text = program_palette_fragment(&palette);
    assert_string_equal(text, changed_fragment);
    program_destroy(parse_program(STAGE_FRAGMENT, text));
    free(text);
    program_destroy(vs);
    program_destroy(fs);
}

/* The channels after the swizzle, of those that the instruction needs. */
static void
channels_of_constants_are_known(void **state)
{
    (void)state;
    struct program *vs = parse_program(STAGE_VERTEX, vertex);
    assert_int_equal(vs->constant_channels[0], 1 | 2);
    assert_int_equal(vs->constant_channels[1], 15);
    assert_int_equal(vs->constant_channels[2], 15);
    assert_false(vs->indirect_constants);
    program_destroy(vs);
    vs = parse_program(STAGE_VERTEX, changed_vertex);
    assert_int_equal(vs->constant_channels[0], 0);
    assert_true(vs->indirect_constants);
    program_destroy(vs);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_come_from_the_table),
        cmocka_unit_test(channels_of_constants_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
