/* Attribution of issue slots and lanes to instructions (docs/design/topdown.md, Shader slots). The
 * bench checks after each run that the counts of all instructions add up to the unit's statistics.
 * The expected counts follow from the rules and latencies in test_shader_timing.c. */
#include "rigs/assemble.h"
#include "rigs/shader_bench.h"

#define RUN(settings_, ...) bench_run(b, settings_, (const char *const[]){__VA_ARGS__, NULL})

static uint64_t
count_of(const struct bench *b, uint32_t instruction, uint32_t count)
{
    const struct profiled_program *program =
        handle_map_get(&b->profile->programs, (uint32_t)b->program->hash);
    return program->instructions[instruction].counts[count];
}

/* Checks that these instructions have this count, and that all others of the program have none. */
static void
assert_only(const struct bench *b, uint32_t count, uint64_t instructions, uint64_t expected)
{
    for (uint32_t i = 0; i < b->program->instruction_count; i++)
        if (count_of(b, i, count) != (instructions >> i & 1 ? expected : 0))
            fail_msg("%s of instruction %u is %" PRIu64, profile_count_names[count], i,
                     count_of(b, i, count));
}

/* Four dependent ADDs of latency 3: each of the last three waits 2 cycles for a result, and cannot
 * issue beside the previous one. Only beside the last one, a slot is empty because nothing
 * follows. */
static void
results_are_waited_for_by_the_reader(void **state)
{
    struct bench *b = *state;
    for (uint32_t ways = 1; ways <= 4; ways *= 2) {
        RUN(settings("FetchRate=%u", ways), FOUR_DEPENDENT("ADD", ", IN[0]"));
        assert_only(b, SLOT_ISSUED, 0xf, 1);
        assert_only(b, PROFILE_INSTRUCTIONS, 0xf, 1);
        assert_only(b, SLOT_RESULT, 0xe, 2 * ways + ways - 1);
        assert_only(b, SLOT_PAIR, 0x8, ways - 1);
    }
}

/* An LRP of 2 passes occupies all slots for one more cycle. No other instruction joins it. */
static void
passes_belong_to_their_instruction(void **state)
{
    struct bench *b = *state;
    RUN("FetchRate=2", "MOV TEMP[0], IN[0]", "LRP TEMP[1], IN[0], IN[0], IN[0]",
        "MOV TEMP[2], IN[0]", "END");
    assert_only(b, SLOT_PASSES, 0x2, 2);
    /* the slot beside MOV: LRP cannot join it; beside LRP: MOV joins it */
    assert_int_equal(count_of(b, 0, SLOT_PAIR), 1);
    assert_only(b, SLOT_ISSUED, 0x7, 1);
}

/* The cost of flow control is due at IF. */
static void
flow_belongs_to_the_construct(void **state)
{
    struct bench *b = *state;
    RUN("FetchRate=2 SHADER.IfCost=4", "MOV TEMP[0], IN[0]", "IF TEMP[0].xxxx :3",
        "MOV TEMP[1], IN[0]", "ENDIF", "END");
    assert_only(b, SLOT_FLOW, 0x2, 4 * 2);
}

/* A texture instruction holds its group for 20 cycles, of which it issues in the first. */
static void
texels_belong_to_the_texture_instruction(void **state)
{
    struct bench *b = *state;
    RUN("texels=20", "MOV TEMP[1], IN[0]", "TEX TEMP[0], IN[0], SAMP[0], 2D",
        "TEX TEMP[0], TEMP[0], SAMP[0], 2D", "MOV OUT[0], TEMP[0]", "END");
    assert_only(b, SLOT_TEXELS, 0x6, 19);
}

/* Groups that have ended wait at END, which never issues. */
static void
ends_of_a_group(void **state)
{
    struct bench *b = *state;
    RUN("groups=2 depth=1 taken_from=40", "MOV OUT[0], IN[0]", "MOV TEMP[0], IN[0]", "END");
    assert_only(b, SLOT_OUTPUT, 0x4, b->shader.stats.slot_fates[SLOT_OUTPUT]);
    assert_true(b->shader.stats.slot_fates[SLOT_OUTPUT] > 30);
    assert_int_equal(count_of(b, 2, SLOT_ISSUED), 0);
    assert_int_equal(b->profile->no_group.counts[SLOT_STARVED],
                     b->shader.stats.slot_fates[SLOT_STARVED]);
}

/* The inputs of four threads enter in four cycles. The first instruction issues in the cycle after
 * the third further cycle. */
static void
inputs_are_waited_for_by_the_first_instruction(void **state)
{
    struct bench *b = *state;
    RUN("ThreadGroup=4 threads=4 LockedExecutionMode=TRUE ThreadRate=4 ports=1",
        FOUR_DEPENDENT("MOV", ""));
    assert_only(b, SLOT_LOAD, 0x1, 3);
}

/* Three of four lanes are filled. */
static void
lanes_belong_to_the_issue(void **state)
{
    struct bench *b = *state;
    RUN("ThreadGroup=4 threads=3 LockedExecutionMode=TRUE ThreadRate=4", FOUR_DEPENDENT("MOV", ""));
    assert_only(b, PROFILE_ACTIVE, 0xf, 3);
    assert_only(b, PROFILE_EMPTY, 0xf, 1);
    assert_only(b, PROFILE_DIVERGED, 0, 0);
}

/* With replays, an ADD of latency 3 is fetched after one cycle, and after another, and cannot
 * issue. */
static void
replays_belong_to_the_refused_instruction(void **state)
{
    struct bench *b = *state;
    RUN("FetchRate=1 SHADER.Replay=TRUE", FOUR_DEPENDENT("ADD", ", IN[0]"));
    assert_only(b, SLOT_REPLAY, 0xe, 2);
}

/* Two groups wait for texels at different instructions. The first one issues in cycles 0 and 40,
 * the second one in cycles 1 and 11. All other slots belong to the instruction at which the first
 * group, the oldest, waits. Its last texels arrive in cycle 79, one cycle before it could issue
 * again. It has then ended, and no longer waits for texels. */
static void
the_oldest_group_determines_the_instruction(void **state)
{
    struct bench *b = *state;
    RUN("groups=2 texels=10 first_texels=40", "TEX TEMP[0], IN[0], SAMP[0], 2D",
        "TEX TEMP[1], IN[0], SAMP[0], 2D", "END");
    assert_int_equal(count_of(b, 0, SLOT_TEXELS), 40 - 3);
    assert_int_equal(count_of(b, 1, SLOT_TEXELS), 79 - 41);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_waited_for_by_the_reader),
        cmocka_unit_test(passes_belong_to_their_instruction),
        cmocka_unit_test(flow_belongs_to_the_construct),
        cmocka_unit_test(texels_belong_to_the_texture_instruction),
        cmocka_unit_test(ends_of_a_group),
        cmocka_unit_test(inputs_are_waited_for_by_the_first_instruction),
        cmocka_unit_test(lanes_belong_to_the_issue),
        cmocka_unit_test(replays_belong_to_the_refused_instruction),
        cmocka_unit_test(the_oldest_group_determines_the_instruction),
    };
    return cmocka_run_group_tests(tests, bench_set_up, bench_tear_down);
}
