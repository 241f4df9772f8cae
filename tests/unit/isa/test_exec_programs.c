/* Whole programs in isa/exec.h: arrays of samplers, endless threads, and results that do not depend
 * on the group of a lane. */
#include "rigs/exec_rig.h"

/* An index selects the sampler. An index outside of the array, which begins at 3, selects the first
 * sampler. */
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
        struct exec_rig m;
        struct texture_request request;
        exec_rig_start(&m, STAGE_FRAGMENT, text, 4);
        for (uint32_t lane = 0; lane < 4; lane++)
            input(&m, 0, 2)[lane] = cases[i].index;
        assert_true(exec_run(m.exec, echo_sample, &request));
        assert_int_equal(request.sampler, cases[i].sampler);
        assert_int_equal(m.program->samplers_used & 0x38, 0x38); /* samplers 3, 4 and 5 */
        exec_rig_end(&m);
    }
}

/* A program with many features. The result of a lane must not depend on its group. */
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

/* Fills the inputs of a block. `first` is the number of its first lane, counted over all blocks. */
static void
fill_inputs(struct exec *exec, uint32_t first)
{
    for (uint32_t lane = 0; lane < exec->lanes; lane++) {
        uint32_t seed = first + lane + 1;
        for (uint32_t k = 0; k < 8; k++)
            exec->inputs[k * exec->lanes + lane] =
                (float)(int32_t)(next_random(&seed) % 4096 - 1024) / 512.0f;
    }
}

/* Runs 64 lanes in groups of `lanes` and stores their outputs as [register][channel][lane]. Returns
 * the mask of killed lanes. */
static uint64_t
run_mixed(uint32_t lanes, float out[2][4][64])
{
    uint64_t killed = 0;
    struct exec_rig m;
    for (uint32_t first = 0; first < 64; first += lanes) {
        exec_rig_start(&m, STAGE_FRAGMENT, mixed_text, lanes);
        fill_inputs(m.exec, first);
        exec_rig_run(&m);
        killed |= m.exec->killed << first;
        for (uint32_t k = 0; k < 8; k++)
            for (uint32_t lane = 0; lane < lanes; lane++)
                out[k / 4][k % 4][first + lane] = output(&m, k / 4, k % 4, lane);
        exec_rig_end(&m);
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
        /* a group stops early if all its lanes are killed, so the outputs of such a group are
         * ignored */
        assert_int_equal(run_mixed(lanes, narrow), killed);
        for (uint32_t k = 0; k < 8; k++)
            for (uint32_t lane = 0; lane < 64; lane++)
                if (!(killed >> lane & 1))
                    assert_memory_equal(&narrow[k / 4][k % 4][lane], &wide[k / 4][k % 4][lane], 4);
    }
}

/* A group of `lanes` lanes in several blocks. */
struct wide {
    struct program *program;
    struct exec *blocks;
    uint8_t *memory;
    uint32_t lanes, count, block_bytes;
};

static void
wide_start(struct wide *w, const char *text, uint32_t lanes)
{
    struct error err;
    w->program = program_create(STAGE_FRAGMENT, text, NULL, &err);
    assert_non_null(w->program);
    w->lanes = lanes;
    w->count = (lanes + 63) / 64;
    w->block_bytes = (exec_size(w->program, 64) + 63) & ~63u;
    w->blocks = aligned_alloc(64, (w->count * sizeof *w->blocks + 63) & ~(size_t)63);
    w->memory = aligned_alloc(64, (size_t)w->count * w->block_bytes);
    for (uint32_t b = 0; b < w->count; b++) {
        uint32_t here = lanes - b * 64 < 64 ? lanes - b * 64 : 64;
        exec_begin(&w->blocks[b], w->program, constants, 4, here,
                   here == 64 ? UINT64_MAX : (1ull << here) - 1,
                   w->memory + (size_t)b * w->block_bytes);
        fill_inputs(&w->blocks[b], b * 64);
    }
    exec_join(w->blocks, w->count);
}

static void
wide_end(struct wide *w)
{
    program_destroy(w->program);
    free(w->blocks);
    free(w->memory);
}

/* Each block of a wide group computes the same results as it does alone. */
static void
test_wide_groups(void **state)
{
    static const uint32_t lanes[] = {68, 128, 256, 1024};
    (void)state;
    for (uint32_t i = 0; i < sizeof lanes / sizeof lanes[0]; i++) {
        struct wide all, one;
        wide_start(&all, mixed_text, lanes[i]);
        assert_int_equal(exec_active_lanes(all.blocks), lanes[i]);
        assert_true(exec_run(all.blocks, echo_sample, NULL));
        for (uint32_t b = 0; b < all.count; b++) {
            wide_start(&one, mixed_text, all.blocks[b].lanes);
            fill_inputs(one.blocks, b * 64);
            assert_true(exec_run(one.blocks, echo_sample, NULL));
            assert_int_equal(one.blocks->killed, all.blocks[b].killed);
            for (uint32_t lane = 0; lane < one.lanes; lane++)
                for (uint32_t k = 0; k < 8 && !(one.blocks->killed >> lane & 1); k++)
                    assert_memory_equal(&one.blocks->outputs[k * one.lanes + lane],
                                        &all.blocks[b].outputs[k * one.lanes + lane], 4);
            wide_end(&one);
        }
        wide_end(&all);
    }
}

static const char counting_text[] = "FRAG\n"
                                    "DCL IN[0..1], GENERIC[0], LINEAR\n"
                                    "DCL OUT[0], COLOR\n"
                                    "DCL TEMP[0..1]\n"
                                    "IMM[0] FLT32 {0.0, 1.0, 0.0, 0.0}\n"
                                    "0: MOV TEMP[0], IMM[0].xxxx\n"
                                    "1: BGNLOOP\n"
                                    "2:   SGE TEMP[1].x, TEMP[0].xxxx, IN[0].xxxx\n"
                                    "3:   IF TEMP[1].xxxx\n"
                                    "4:     BRK\n"
                                    "5:   ENDIF\n"
                                    "6:   ADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy\n"
                                    "7: ENDLOOP\n"
                                    "8: MOV OUT[0], TEMP[0]\n"
                                    "9: END\n";

/* Lane n counts to n in a loop. All lanes share a program counter, so the group runs until its last
 * lane has finished. Each iteration executes SGE, IF and BRK, where one lane leaves, and ENDIF,
 * ADD, ENDLOOP for the others. In the last iteration no lane remains after BRK, but ENDLOOP
 * executes to close the loop. MOV and BGNLOOP precede the loop; MOV and END follow it. */
static void
test_divergence_over_blocks(void **state)
{
    const uint32_t lanes = 256;
    struct wide w;
    uint32_t steps = 0, adds = 0, add_lanes = 0;
    (void)state;
    wide_start(&w, counting_text, lanes);
    for (uint32_t lane = 0; lane < lanes; lane++)
        w.blocks[lane / 64].inputs[lane % 64] = (float)lane;
    for (bool ends = false; !ends; steps++) {
        if (w.program->instructions[w.blocks->pc].opcode == OP_ADD) {
            adds++;
            add_lanes += exec_active_lanes(w.blocks);
        }
        ends = exec_step(w.blocks) == EXEC_END;
    }
    for (uint32_t lane = 0; lane < lanes; lane++)
        assert_true(w.blocks[lane / 64].outputs[lane % 64] == (float)lane);
    /* executed by the lane that counts farthest */
    assert_int_equal(adds, lanes - 1);
    assert_int_equal(add_lanes, lanes * (lanes - 1) / 2); /* 0 + 1 + ... + L - 1 */
    assert_int_equal(steps, 2 + (lanes - 1) * 6 + 5 + 2);
    wide_end(&w);
}

enum { MOST_LANES = 1024, COUNT_LIMIT = 4 * 100 + 6 };

static void
start_counting(struct wide *w, const char *text, uint32_t lanes, uint64_t limit)
{
    wide_start(w, text, lanes);
    exec_set_limit(w->blocks, limit);
}

static void
set_input(struct wide *w, uint32_t register_number, uint32_t lane, float value)
{
    struct exec *block = &w->blocks[lane / 64];
    block->inputs[register_number * 4 * block->lanes + lane % 64] = value;
}

/* A lane that counts to n executes MOV and BGNLOOP, and n times SGE, IF, ADD and ENDLOOP. Then it
 * executes SGE, IF and BRK, and the final MOV. These are 4 n + 6 instructions, independent of other
 * lanes. */
static void
test_threads_are_counted(void **state)
{
    static const uint32_t widths[] = {4, 8, 64, 68, 256, MOST_LANES};
    (void)state;
    for (uint32_t i = 0; i < sizeof widths / sizeof widths[0]; i++)
        for (uint32_t farthest = 0; farthest < 4; farthest++)
            for (uint32_t others = 0; others <= 99; others += 33)
                for (uint32_t over = 0; over < 2; over++) {
                    struct wide w;
                    const uint32_t lane = farthest * (widths[i] / 4) + i % (widths[i] / 4);
                    start_counting(&w, counting_text, widths[i], COUNT_LIMIT - over);
                    for (uint32_t l = 0; l < widths[i]; l++)
                        set_input(&w, 0, l, (float)(l % (others + 1)));
                    set_input(&w, 0, lane, 100);
                    assert_int_equal(exec_run(w.blocks, echo_sample, NULL), !over);
                    wide_end(&w);
                }
}

/* The count includes both branches of a condition and a subroutine. The instructions are CAL,
 * BGNSUB, SGE and IF, then MUL and ELSE or MUL and ENDIF, then RET and MOV. */
static const char branches_text[] = "FRAG\n"
                                    "DCL IN[0], GENERIC[0], LINEAR\n"
                                    "DCL OUT[0], COLOR\n"
                                    "DCL TEMP[0]\n"
                                    "IMM[0] FLT32 {0.5, 0.0, 0.0, 0.0}\n"
                                    "0: CAL :3\n"
                                    "1: MOV OUT[0], TEMP[0]\n"
                                    "2: END\n"
                                    "3: BGNSUB\n"
                                    "4: SGE TEMP[0].x, IN[0].xxxx, IMM[0].xxxx\n"
                                    "5: IF TEMP[0].xxxx\n"
                                    "6:   MUL TEMP[0], IN[0], IMM[0]\n"
                                    "7: ELSE\n"
                                    "8:   MUL TEMP[0], IN[0], IMM[0]\n"
                                    "9: ENDIF\n"
                                    "10: RET\n"
                                    "11: ENDSUB\n";

static void
test_branches_are_counted(void **state)
{
    enum { OF_A_THREAD = 8, WIDTH = 128 };
    (void)state;
    for (uint32_t mix = 0; mix < 3; mix++)
        for (uint32_t over = 0; over < 2; over++) {
            struct wide w;
            start_counting(&w, branches_text, WIDTH, OF_A_THREAD - over);
            for (uint32_t lane = 0; lane < WIDTH; lane++)
                set_input(&w, 0, lane, mix == 2 ? (float)(lane % 3 == 0) : (float)mix);
            assert_int_equal(exec_run(w.blocks, echo_sample, NULL), !over);
            wide_end(&w);
        }
}

/* Lanes that count in the first branch wait for those of the second one. If a waiting lane has used
 * its limit of instructions, it is endless when it continues. IF, the loop (4 n + 5), ELSE or
 * ENDIF, and MOV are 4 n + 8 instructions. */
#define LOOP                                                                                       \
    "MOV TEMP[0], IMM[0].xxxx\nBGNLOOP\nSGE TEMP[1].x, TEMP[0].xxxx, IN[0].xxxx\n"                 \
    "IF TEMP[1].xxxx\nBRK\nENDIF\nADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy\nENDLOOP\n"
static const char waiting_text[] = "FRAG\n"
                                   "DCL IN[0..1], GENERIC[0], LINEAR\n"
                                   "DCL OUT[0], COLOR\n"
                                   "DCL TEMP[0..1]\n"
                                   "IMM[0] FLT32 {0.0, 1.0, 0.0, 0.0}\n"
                                   "IF IN[1].xxxx\n" LOOP "ELSE\n" LOOP "ENDIF\n"
                                   "MOV OUT[0], TEMP[0]\n"
                                   "END\n";

static void
test_waiting_threads_are_counted(void **state)
{
    enum { FAR = 100, NEAR = 50, WIDTH = 128 };
    (void)state;
    for (uint32_t first_is_far = 0; first_is_far < 2; first_is_far++)
        for (uint32_t over = 0; over < 2; over++) {
            struct wide w;
            start_counting(&w, waiting_text, WIDTH, 4 * FAR + 8 - over);
            for (uint32_t lane = 0; lane < WIDTH; lane++) {
                set_input(&w, 0, lane, lane % 2 == first_is_far ? FAR : NEAR);
                set_input(&w, 1, lane, (float)(lane % 2));
            }
            assert_int_equal(exec_run(w.blocks, echo_sample, NULL), !over);
            wide_end(&w);
        }
}

/* Lanes whose number is 1 or more are killed and loop endlessly. */
static const char killed_text[] = "FRAG\n"
                                  "DCL IN[0..1], GENERIC[0], LINEAR\n"
                                  "DCL OUT[0], COLOR\n"
                                  "DCL TEMP[0]\n"
                                  "IMM[0] FLT32 {0.5, 1.0, 0.0, 0.0}\n"
                                  "0: SGE TEMP[0].x, IN[0].xxxx, IMM[0].xxxx\n"
                                  "1: KILL_IF -TEMP[0].xxxx\n"
                                  "2: IF TEMP[0].xxxx\n"
                                  "3:   BGNLOOP\n"
                                  "4:   ENDLOOP\n"
                                  "5: ENDIF\n"
                                  "6: MOV OUT[0], IMM[0].yyyy\n"
                                  "7: END\n";

/* A killed fragment continues for the derivatives of its quad, so its endless loop is an error. A
 * quad whose fragments are all killed is no error. It ends at once, or at the limit if other quads
 * wait for it. */
static void
test_killed_quads_end(void **state)
{
    static const uint32_t widths[] = {4, 8, 64, 256};
    (void)state;
    for (uint32_t i = 0; i < sizeof widths / sizeof widths[0]; i++)
        for (uint32_t killed = 1; killed <= 4; killed++) {
            struct wide w;
            start_counting(&w, killed_text, widths[i], 1000);
            for (uint32_t lane = 0; lane < widths[i]; lane++)
                set_input(&w, 0, lane, lane < killed ? 1 : 0);
            assert_int_equal(exec_run(w.blocks, echo_sample, NULL), killed == 4);
            for (uint32_t lane = 4; lane < widths[i] && killed == 4; lane++)
                assert_true(w.blocks[lane / 64].outputs[lane % 64] == 1.0f);
            wide_end(&w);
        }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_are_counted),
        cmocka_unit_test(test_branches_are_counted),
        cmocka_unit_test(test_waiting_threads_are_counted),
        cmocka_unit_test(test_killed_quads_end),
        cmocka_unit_test(test_sampler_arrays),
        cmocka_unit_test(test_lane_count_does_not_matter),
        cmocka_unit_test(test_wide_groups),
        cmocka_unit_test(test_divergence_over_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
