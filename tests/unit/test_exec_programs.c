/* gfx/exec.h: whole programs. Integers that are floats, arrays of samplers, a loop without end, and
 * lanes that do not depend on the group they are in. */
#include "exec_support.h"

/* Integer opcodes where all numbers are floats, as Mesa writes them at GLSL 1.20: elements 2 i + 1
 * of an array, whose constant 1 is an integer's bits; a shift by 1.0; float constants. */
static void
test_integer_opcodes_on_floats(void **state)
{
    static const float constants_x[4] = {1, 5, 9, 13};
    struct machine m;
    machine_start(&m, STAGE_FRAGMENT,
                  "FRAG\n"
                  "DCL IN[0], GENERIC[0], PERSPECTIVE\n"
                  "DCL OUT[0], COLOR\n"
                  "DCL OUT[1], COLOR[1]\n"
                  "DCL CONST[0..7]\n"
                  "DCL TEMP[0..1]\n"
                  "DCL ADDR[0]\n"
                  "IMM[0] FLT32 {0x00000001, 0xffffffff, 0x3f800000, 0x40a00000}\n"
                  "0: SHL TEMP[0].x, IN[0].xxxx, IMM[0].xxxx\n"
                  "1: UADD TEMP[1].x, IMM[0].xxxx, TEMP[0].xxxx\n"
                  "2: ARL ADDR[0].x, TEMP[1].xxxx\n"
                  "3: MOV OUT[0].x, CONST[ADDR[0].x].xxxx\n"
                  "4: SHL OUT[0].y, IN[0].xxxx, IMM[0].zzzz\n"
                  "5: UMAD OUT[0].z, IN[0].xxxx, IMM[0].yyyy, IMM[0].wwww\n"
                  "6: UMUL OUT[0].w, IN[0].xxxx, IMM[0].wwww\n"
                  "7: ISSG TEMP[0].x, -IN[0].xxxx\n"
                  "8: USHR TEMP[0].y, IN[0].xxxx, IMM[0].zzzz\n"
                  "9: MAD OUT[1].x, TEMP[0].xxxx, IMM[0].wwww, TEMP[0].yyyy\n"
                  "10: ISHR OUT[1].y, -IN[0].xxxx, IMM[0].xxxx\n"
                  "11: END\n",
                  8);
    for (uint32_t lane = 0; lane < 8; lane++)
        input(&m, 0, 0)[lane] = (float)lane;
    machine_run(&m);
    for (uint32_t lane = 0; lane < 8; lane++) {
        assert_true(output(&m, 1, 0, lane) == (float)(lane / 2) - (lane ? 5.0f : 0.0f));
        assert_true(output(&m, 1, 1, lane) == -(float)((lane + 1) / 2));
        uint32_t element = 2 * lane + 1;
        assert_true(output(&m, 0, 0, lane) == (element < 4 ? constants_x[element] : 0.0f));
        assert_true(output(&m, 0, 1, lane) == 2.0f * (float)lane);
        assert_true(output(&m, 0, 2, lane) == 5.0f - (float)lane);
        assert_true(output(&m, 0, 3, lane) == 5.0f * (float)lane);
    }
    machine_end(&m);
}

static void
test_endless_loop_is_bounded(void **state)
{
    struct machine m;
    machine_start(&m, STAGE_FRAGMENT, "FRAG\n0: BGNLOOP\n1: CONT\n2: ENDLOOP\n3: END\n", 4);
    assert_false(exec_run(m.exec, echo_sample, NULL, 1000));
    machine_end(&m);
}

/* An index picks the sampler; outside the array, which begins at 3, it is the first one. */
static void
test_sampler_arrays(void **state)
{
    static const char text[] = "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR[0]\n"
                               "DCL SAMP[2..5]\nDCL SVIEW[2..5], 2D, FLOAT\nDCL ADDR[0]\n"
                               "0: ARL ADDR[0].x, IN[0].zzzz\n"
                               "1: TEX OUT[0], IN[0], SAMP[ADDR[0].x+3], 2D\n2: END\n";
    static const struct {
        float index;
        uint8_t sampler;
    } cases[] = {{-1.0f, 3}, {0.5f, 3}, {2.0f, 5}, {3.0f, 3}, {-9.0f, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct machine m;
        struct texture_request request;
        machine_start(&m, STAGE_FRAGMENT, text, 4);
        for (uint32_t lane = 0; lane < 4; lane++)
            input(&m, 0, 2)[lane] = cases[i].index;
        assert_true(exec_run(m.exec, echo_sample, &request, 10));
        assert_int_equal(request.sampler, cases[i].sampler);
        assert_int_equal(m.program->samplers_used & 0x38, 0x38); /* 3, 4 and 5 */
        machine_end(&m);
    }
}

/* Everything at once: what a lane computes must not depend on the group it is in. */
static const char mixed_text[] = "FRAG\n"
                                 "DCL IN[0..1], GENERIC[0], PERSPECTIVE\n"
                                 "DCL OUT[0..1], COLOR[0]\n"
                                 "DCL CONST[0..3]\n"
                                 "DCL SAMP[0]\n"
                                 "DCL TEMP[0..3]\n"
                                 "DCL ADDR[0]\n"
                                 "IMM[0] FLT32 {0x00000000, 0x3f800000, 0x40000000, 0x3dcccccd}\n"
                                 "0: MUL TEMP[0], IN[0], CONST[1].wzyx\n"
                                 "1: POW TEMP[1].x, |TEMP[0].xxxx|, IN[1].yyyy\n"
                                 "2: SIN TEMP[1].y, TEMP[0].zzzz\n"
                                 "3: EX2 TEMP[1].z, IN[1].xxxx\n"
                                 "4: LG2 TEMP[1].w, |IN[1].wwww|\n"
                                 "5: TEX TEMP[2], TEMP[1], SAMP[0], 2D\n"
                                 "6: MOV TEMP[3], IMM[0].xxxx\n"
                                 "7: BGNLOOP\n"
                                 "8:   ADD TEMP[3].x, TEMP[3].xxxx, IMM[0].yyyy\n"
                                 "9:   SGT TEMP[3].y, TEMP[3].xxxx, |TEMP[0].xxxx|\n"
                                 "10:  IF TEMP[3].yyyy\n"
                                 "11:    BRK\n"
                                 "12:  ENDIF\n"
                                 "13:  MAD TEMP[2].xzw, TEMP[2].zwxx, IMM[0].wwww, TEMP[2]\n"
                                 "14:  RSQ TEMP[2].y, |TEMP[2].yyyy|\n"
                                 "15: ENDLOOP\n"
                                 "16: ARL ADDR[0].x, TEMP[3].xxxx\n"
                                 "17: MOV TEMP[3], CONST[ADDR[0].x]\n"
                                 "18: SLT TEMP[1].x, TEMP[2].xxxx, IMM[0].xxxx\n"
                                 "19: KILL_IF TEMP[2]\n"
                                 "20: IF TEMP[1].xxxx\n"
                                 "21:   LRP_SAT OUT[0], TEMP[3], TEMP[2].yzxw, TEMP[1].wzyx\n"
                                 "22: ELSE\n"
                                 "23:   DP4 OUT[0].xzw, TEMP[3], TEMP[2]\n"
                                 "24:   LIT TEMP[3], TEMP[2]\n"
                                 "25: ENDIF\n"
                                 "26: DDY OUT[1], TEMP[2]\n"
                                 "27: ADD OUT[1].xy, TEMP[3], OUT[1].yxxx\n"
                                 "28: END\n";

static uint32_t
next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

/* Outputs of 64 lanes, run in groups of `lanes`: [register][channel][lane] and who was killed. */
static uint64_t
run_mixed(uint32_t lanes, float out[2][4][64])
{
    uint64_t killed = 0;
    struct machine m;
    for (uint32_t first = 0; first < 64; first += lanes) {
        machine_start(&m, STAGE_FRAGMENT, mixed_text, lanes);
        for (uint32_t lane = 0; lane < lanes; lane++) {
            uint32_t seed = first + lane + 1;
            for (uint32_t k = 0; k < 8; k++)
                input(&m, k / 4, k % 4)[lane] =
                    (float)(int32_t)(next_random(&seed) % 4096 - 1024) / 512.0f;
        }
        machine_run(&m);
        killed |= m.exec->killed << first;
        for (uint32_t k = 0; k < 8; k++)
            for (uint32_t lane = 0; lane < lanes; lane++)
                out[k / 4][k % 4][first + lane] = output(&m, k / 4, k % 4, lane);
        machine_end(&m);
    }
    return killed;
}

static void
test_lane_count_does_not_matter(void **state)
{
    static float wide[2][4][64], narrow[2][4][64];
    uint64_t killed = run_mixed(64, wide);
    assert_true(killed != 0 && killed != UINT64_MAX);
    for (uint32_t lanes = 4; lanes <= 32; lanes *= 2) {
        /* A group that is all killed stops early: its outputs count for nothing. */
        assert_int_equal(run_mixed(lanes, narrow), killed);
        for (uint32_t k = 0; k < 8; k++)
            for (uint32_t lane = 0; lane < 64; lane++)
                if (!(killed >> lane & 1))
                    assert_memory_equal(&narrow[k / 4][k % 4][lane], &wide[k / 4][k % 4][lane], 4);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integer_opcodes_on_floats),
        cmocka_unit_test(test_endless_loop_is_bounded),
        cmocka_unit_test(test_sampler_arrays),
        cmocka_unit_test(test_lane_count_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
