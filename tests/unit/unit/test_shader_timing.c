/* Cycles of one shader unit, derived from the latencies and passes of isa.def. The unit is a vertex
 * shader, so its parameters are in VERTEXSHADER. The bench connects it to a source of groups, a
 * sink, and a Texture Unit that answers each request after a fixed time.
 *
 * In cycle 0 the first group may issue for the first time. Each further group may issue one cycle
 * later, because its inputs take one cycle. The outputs of a group also take one cycle. "Over" is
 * the cycle in which the outputs of a group begin to leave. By then its last instruction has issued
 * and its last result is written.
 *
 * Latencies used here: MOV and UARL 1, ARL 2, ADD and MUL 3, MAD 4, DP4 5, RCP 7, LRP 4 in 2
 * passes. If an instruction of latency l issues in cycle c, its result can be read from cycle c + l
 * on. END marks the last instruction and is not an instruction itself. */
#include "rigs/assemble.h"
#include "rigs/shader_bench.h"

/* Runs a program with the settings; the other arguments are the lines of the program. */
#define RUN(settings_, ...) bench_run(b, settings_, (const char *const[]){__VA_ARGS__, NULL})

static void
assert_over(const struct bench *b, uint32_t group, uint64_t cycle)
{
    assert_int_equal(b->over[group], cycle);
}

static void
assert_slots(const struct bench *b, enum slot_fate fate, uint64_t count)
{
    assert_int_equal(b->shader.stats.slot_fates[fate], count);
}

/* The last of eight independent instructions issues in cycle 7, 3 or 1, at a fetch rate of 1, 2 or
 * 4. The result of MOV follows one cycle later, that of ADD three cycles later. In each cycle, all
 * instructions but the first are paired. */
static void
test_independent(void **state)
{
    static const uint32_t ways[] = {1, 2, 4}, movs[] = {8, 4, 2}, adds[] = {10, 6, 4};
    struct bench *b = *state;
    for (uint32_t i = 0; i < 3; i++) {
        RUN(settings("FetchRate=%u", ways[i]), EIGHT_INDEPENDENT("MOV", ""));
        assert_over(b, 0, movs[i]);
        assert_int_equal(b->shader.stats.paired_instructions, 8 - movs[i]);
        RUN(settings("FetchRate=%u", ways[i]), EIGHT_INDEPENDENT("ADD", ", IN[0]"));
        assert_over(b, 0, adds[i]);
    }
}

/* Dependent instructions of latency l issue every l cycles, whatever the issue rate. The last of
 * the four issues in cycle 3 l, and its result follows in 4 l.
 *
 * At w instructions per cycle, each of the 3 gaps loses w (l - 1) slots to waiting for results.
 * Beside each of the first 3 instructions w - 1 more slots are lost. The last instruction loses
 * none, because nothing follows it. */
static void
test_dependent(void **state)
{
    struct bench *b = *state;
    for (uint32_t ways = 1; ways <= 4; ways *= 2) {
        RUN(settings("FetchRate=%u", ways), FOUR_DEPENDENT("ADD", ", IN[0]"));
        assert_over(b, 0, 12);
        assert_slots(b, SLOT_RESULT, 3 * 2 * ways + 3 * (ways - 1));
        assert_slots(b, SLOT_PAIR, ways - 1);
        assert_slots(b, SLOT_ISSUED, 4);
        assert_int_equal(b->shader.stats.paired_instructions, 0);
        RUN(settings("FetchRate=%u", ways), FOUR_DEPENDENT("MAD", ", IN[0], IN[0]"));
        assert_over(b, 0, 16);
        assert_slots(b, SLOT_RESULT, 3 * 3 * ways + 3 * (ways - 1));
        RUN(settings("FetchRate=%u", ways), FOUR_DEPENDENT("DP4", ", IN[0]"));
        assert_over(b, 0, 20);
    }
}

#define FOUR_PAIRS                                                                                 \
    "MOV TEMP[0], IN[0]", "RCP TEMP[4], IN[0].xxxx", "MOV TEMP[1], IN[0]",                         \
        "RCP TEMP[5], IN[0].xxxx", "RCP TEMP[6], IN[0].xxxx", "MOV TEMP[2], IN[0]",                \
        "MOV TEMP[3], IN[0]", "RCP TEMP[7], IN[0].xxxx", "END"

/* A SIMD and a scalar instruction pair in either order, so four pairs take 4 cycles. The last RCP
 * issues in cycle 3 and takes 7 cycles. At one instruction per cycle it issues in cycle 7. Two SIMD
 * instructions do not pair, so eight of them take 8 cycles. */
static void
test_simd_and_scalar(void **state)
{
    struct bench *b = *state;
    RUN("FetchRate=2 ScalarALU=TRUE", FOUR_PAIRS);
    assert_over(b, 0, 3 + 7);
    assert_slots(b, SLOT_PAIR, 0);
    assert_int_equal(b->shader.stats.paired_instructions, 4);
    assert_int_equal(b->shader.stats.scalar_instructions, 4);
    RUN("FetchRate=1 ScalarALU=TRUE", FOUR_PAIRS);
    assert_over(b, 0, 7 + 7);
    RUN("FetchRate=2 ScalarALU=TRUE", EIGHT_INDEPENDENT("MOV", ""));
    assert_over(b, 0, 8);
    assert_slots(b, SLOT_PAIR, 8);
}

/* With 16 threads at 4 per cycle an instruction takes 4 cycles. This hides the 4 cycles of MAD's
 * latency, and all but one of DP4's 5. The first threads of the last instruction issue in cycle 12
 * (DP4: 15), and its last threads 3 cycles later. Their result follows in 15 + 4 (DP4: 18 + 5).
 * With 1024 threads an instruction takes 256 cycles. The last threads of the last instruction issue
 * in cycle 1023, and their result follows in 1028. */
static void
test_wide_groups(void **state)
{
    struct bench *b = *state;
    RUN("ThreadGroup=16 threads=16 LockedExecutionMode=TRUE ThreadRate=4 ExecutableThreads=16",
        FOUR_DEPENDENT("MAD", ", IN[0], IN[0]"));
    assert_over(b, 0, 19);
    assert_slots(b, SLOT_RESULT, 0);
    RUN("ThreadGroup=16 threads=16 LockedExecutionMode=TRUE ThreadRate=4 ExecutableThreads=16",
        FOUR_DEPENDENT("DP4", ", IN[0]"));
    assert_over(b, 0, 23);
    assert_slots(b, SLOT_RESULT, 3);
    RUN("ThreadGroup=1024 threads=1024 LockedExecutionMode=TRUE ThreadRate=4 "
        "ExecutableThreads=1024 ports=1024",
        FOUR_DEPENDENT("DP4", ", IN[0]"));
    assert_over(b, 0, 1028);
    assert_int_equal(b->shader.stats.lanes_active, 4 * 1024);
}

/* Two groups end in cycles 1 and 2, and the queue after the unit has one place. The first group
 * occupies that place until cycle 40 of the clock. The second group is blocked from cycle 4 to 40,
 * and leaves in 41. */
static void
test_blocked_output(void **state)
{
    struct bench *b = *state;
    RUN("groups=2 depth=1 taken_from=40", "MOV OUT[0], IN[0]", "END");
    assert_over(b, 1, 41 - FIRST_ISSUE);
    assert_int_equal(b->shader.module.cycles[UNIT_BLOCKED], 41 - (FIRST_ISSUE + 2));
}

/* Groups of one thread issue at two instructions per cycle each. Both issue in the same cycles,
 * except that the second group starts one cycle later. */
static void
test_several_groups_a_cycle(void **state)
{
    struct bench *b = *state;
    RUN("ThreadRate=2 groups=2", EIGHT_INDEPENDENT("MOV", ""));
    assert_over(b, 0, 8);
    assert_over(b, 1, 9);
    assert_int_equal(b->shader.slots_cycle, 2);
}

/* Five threads at 2 per cycle enter in 3 cycles instead of 1. They also leave at 2 per cycle. So
 * the group arrives 2 cycles later than at full rate. */
static void
test_inputs_and_outputs(void **state)
{
    struct bench *b = *state;
#define FIVE "threads=5 ThreadGroup=5 LockedExecutionMode=TRUE ThreadRate=5 "
    RUN(FIVE, EIGHT_INDEPENDENT("MOV", ""));
    assert_over(b, 0, 8);
    RUN(FIVE "InputsPerCycle=2", EIGHT_INDEPENDENT("MOV", ""));
    assert_over(b, 0, 2 + 8);
    assert_slots(b, SLOT_LOAD, 3 - 1);
    RUN(FIVE "OutputsPerCycle=2", EIGHT_INDEPENDENT("MOV", ""));
    assert_over(b, 0, 8 + 2);
}

#define FETCH_AND_MOVE                                                                             \
    "TEX TEMP[0], IN[0], SAMP[0], 2D", "MOV OUT[0], TEMP[0]", "MOV TEMP[1], IN[0]", "END"
#define FETCH_TEXEL "TEX TEMP[0], IN[0], SAMP[0], 2D", "MOV OUT[0], TEMP[0]", "END"

/* A request takes 1 cycle to the Texture Unit, n cycles there and 1 cycle back, and the group
 * resumes in the next cycle. So the group resumes n + 3 cycles after its TEX. Here n + 3 is 20, and
 * MOV issues in cycle 20. Each of two more groups resumes one cycle later. */
static void
test_texture_blocks(void **state)
{
    struct bench *b = *state;
    RUN("texels=20", FETCH_TEXEL);
    assert_over(b, 0, 21);
    assert_slots(b, SLOT_TEXELS, 19);
    assert_int_equal(b->shader.stats.texture_quads, 1);
    /* A projecting texture instruction also uses the SIMD ALU once for its address, then the
     * Texture Unit (ATTILA 2005, section 5). */
    RUN("texels=20", "TXP TEMP[0], IN[0], SAMP[0], 2D", "MOV OUT[0], TEMP[0]", "END");
    assert_over(b, 0, 21);
    RUN("texels=20 groups=3", FETCH_TEXEL);
    assert_over(b, 2, 23);
    assert_slots(b, SLOT_TEXELS, 17);
    /* With 8 threads at 1 per cycle, each quad is sent with its last thread, in cycles 3 and 7. The
     * answer of the second quad arrives 20 cycles later, and the group resumes in 27. MOV takes 8
     * cycles. */
    RUN("texels=20 ThreadGroup=8 threads=8 LockedExecutionMode=TRUE", FETCH_TEXEL);
    assert_over(b, 0, 27 + 8);
    assert_int_equal(b->shader.stats.texture_quads, 2);
    /* END also marks the texture instruction: the group is over when its texels arrive */
#define TEXEL_AND_END "TEX OUT[0], IN[0], SAMP[0], 2D", "END"
    RUN("texels=20", TEXEL_AND_END);
    assert_over(b, 0, 20);
    RUN("texels=20 ThreadGroup=8 threads=8 LockedExecutionMode=TRUE", TEXEL_AND_END);
    assert_over(b, 0, 27);
}

/* Request n, counted over all groups, goes to unit n / TextureRequestGroup % TextureUnits. A group
 * of 64 threads makes 16 requests. */
static void
test_turns_of_texture_units(void **state)
{
    static const uint32_t cases[][2] = {{4, 8}, {4, 1}, {2, 8}, {3, 7}, {1, 8}, {4, 24}};
    struct bench *b = *state;
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint32_t units = cases[i][0], same_direction_run = cases[i][1];
        RUN(settings("ThreadGroup=64 threads=64 ExecutableThreads=256 LockedExecutionMode=TRUE "
                     "ThreadRate=4 groups=4 FRAGMENTSHADER.TextureUnits=%u "
                     "FRAGMENTSHADER.TextureRequestGroup=%u",
                     units, same_direction_run),
            FETCH_TEXEL);
        assert_int_equal(b->asked_count, 4 * 16);
        for (uint32_t n = 0; n < b->asked_count; n++)
            assert_int_equal(b->asked[n], n / same_direction_run % units);
    }
}

/* Group 0 gets its texels in cycle 40. Group 1 sends its request in cycle 1 and gets its texels in
 * cycle 11. With the window, group 1 resumes at once: MOVs in 11 and 12. In order, group 1 waits
 * for the turn of group 0. Then both alternate: 40 and 42, 41 and 43. With SwapOnBlock the MOVs
 * issue in 40 and 41, 42 and 43. */
static void
test_window_and_order(void **state)
{
    struct bench *b = *state;
#define SLOW_AND_FAST "groups=2 texels=10 first_texels=40 "
    for (uint32_t swap = 0; swap < 2; swap++) {
        RUN(settings(SLOW_AND_FAST "SwapOnBlock=%u", swap), FETCH_AND_MOVE);
        assert_over(b, 0, 42);
        assert_over(b, 1, 13);
    }
    RUN(SLOW_AND_FAST "ThreadWindow=FALSE", FETCH_AND_MOVE);
    assert_over(b, 0, 43);
    assert_over(b, 1, 44);
    assert_slots(b, SLOT_TEXELS, 38);
    RUN(SLOW_AND_FAST "ThreadWindow=FALSE SwapOnBlock=TRUE", FETCH_AND_MOVE);
    assert_over(b, 0, 42);
    assert_over(b, 1, 44);
}

/* Four dependent MADs in two groups. Alternating groups hide each other's latency. They issue in 0,
 * 4, 8, 12 and in 1, 5, 9, 13, with results in 16 and 17. If the unit stays with a group until it
 * blocks, they issue in 0, 4, 8, 12, then in 13, 17, 21, 25. The last result is then in 29. */
static void
test_swap_on_block(void **state)
{
    struct bench *b = *state;
    for (uint32_t window = 0; window < 2; window++) {
        RUN(settings("groups=2 ThreadWindow=%u", window), FOUR_DEPENDENT("MAD", ", IN[0], IN[0]"));
        assert_over(b, 0, 16);
        assert_over(b, 1, 17);
        RUN(settings("groups=2 ThreadWindow=%u SwapOnBlock=TRUE", window),
            FOUR_DEPENDENT("MAD", ", IN[0], IN[0]"));
        assert_over(b, 0, 16);
        assert_over(b, 1, 29);
    }
}

/* The unit fetches from a group every 5 cycles, so 8 instructions issue in 0, 5, ..., 35. With
 * 2-way issue the 4 fetches are in cycles 0 to 15. A second group issues between those of the
 * first. */
static void
test_fetch_delay(void **state)
{
    struct bench *b = *state;
    RUN("FetchDelay=5", EIGHT_INDEPENDENT("MOV", ""));
    assert_over(b, 0, 36);
    assert_slots(b, SLOT_DELAY, 7 * 4);
    RUN("FetchDelay=5 FetchRate=2", EIGHT_INDEPENDENT("MOV", ""));
    assert_over(b, 0, 16);
    RUN("FetchDelay=5 groups=2", EIGHT_INDEPENDENT("MOV", ""));
    assert_over(b, 0, 36);
    assert_over(b, 1, 37);
}

/* Three LRPs of 2 passes issue in cycles 0, 2, 4. The last result follows 4 cycles after the second
 * pass, in cycle 5. */
static void
test_passes(void **state)
{
    struct bench *b = *state;
    RUN(NULL, "LRP TEMP[0], IN[0], IN[0], IN[0]", "LRP TEMP[1], IN[0], IN[0], IN[0]",
        "LRP TEMP[2], IN[0], IN[0], IN[0]", "END");
    assert_over(b, 0, 9);
    assert_slots(b, SLOT_PASSES, 3);
}

/* The results of MAD (issued in cycle 0) and of ADD (issued in cycle 1) are both written in cycle
 * 4. With one write port ADD issues in cycle 2 instead. A result does not overtake an earlier one
 * for the same register. So a MOV after RCP (7) issues in cycle 7 and writes in 8. */
static void
test_write_ports(void **state)
{
    struct bench *b = *state;
#define SAME_CYCLE "MAD TEMP[0], IN[0], IN[0], IN[0]", "ADD TEMP[1], IN[0], IN[0]", "END"
    RUN("SHADER.WritePorts=2", SAME_CYCLE);
    assert_over(b, 0, 4);
    assert_slots(b, SLOT_PORTS, 0);
    RUN("SHADER.WritePorts=1", SAME_CYCLE);
    assert_over(b, 0, 5);
    assert_slots(b, SLOT_PORTS, 1);
    RUN("SHADER.WritePorts=0", SAME_CYCLE);
    assert_over(b, 0, 4);
    RUN(NULL, "RCP TEMP[0], IN[0].xxxx", "MOV TEMP[0], IN[0]", "END");
    assert_over(b, 0, 8);
}

/* Three MOVs are followed by two ADDs, which together read 4 registers. With 4-way issue the MOVs
 * issue in cycle 0 (3 reads of one register). The ADDs issue in cycle 1, with the last result in 4.
 * With 3 read ports the second ADD issues in cycle 2. */
static void
test_read_ports(void **state)
{
    struct bench *b = *state;
#define FOUR_READS                                                                                 \
    "MOV TEMP[0], IN[0]", "MOV TEMP[1], IN[0]", "MOV TEMP[2], IN[0]",                              \
        "ADD TEMP[3], TEMP[0], TEMP[1]", "ADD TEMP[4], TEMP[2], TEMP[1]", "END"
    RUN("FetchRate=4", FOUR_READS);
    assert_over(b, 0, 4);
    RUN("FetchRate=4 SHADER.ReadPorts=4", FOUR_READS);
    assert_over(b, 0, 4);
    RUN("FetchRate=4 SHADER.ReadPorts=3", FOUR_READS);
    assert_over(b, 0, 5);
    assert_slots(b, SLOT_PORTS, 3);
}

/* An instruction that does not use the address register does not wait for it. MOV issues in cycle 1
 * after ARL (2), and in cycle 0 beside UARL (1). An instruction waits if the register indexes its
 * source, destination or sampler, or if it reads the register. The wait ends 2 cycles after ARL and
 * 1 cycle after UARL. Two writes to the register keep their order: UARL after ARL issues in 2 and
 * writes in 3. */
static void
test_address_register(void **state)
{
    struct bench *b = *state;
#define ARL     "ARL ADDR[0].x, IN[0].xxxx"
#define UARL    "UARL ADDR[0].x, IN[0].xxxx"
#define INDEXED "MOV TEMP[1], CONST[ADDR[0].x+1]"
    static const char *const users[] = {INDEXED, "MAD TEMP[1], IN[0], IN[0], CONST[ADDR[0].x+1]",
                                        "MOV OUT[ADDR[0].x], IN[0]", "MOV TEMP[1], ADDR[0].xxxx"};
    static const uint32_t takes[] = {1, 4, 1, 1};
    RUN(NULL, ARL, "MOV TEMP[0], IN[0]", "END");
    assert_over(b, 0, 2);
    assert_slots(b, SLOT_RESULT, 0);
    RUN("FetchRate=2", UARL, "MOV TEMP[0], IN[0]", "END");
    assert_over(b, 0, 1);
    assert_slots(b, SLOT_RESULT, 0);
    for (uint32_t i = 0; i < 4; i++) {
        RUN(NULL, ARL, users[i], "END");
        assert_over(b, 0, 2 + takes[i]);
        assert_slots(b, SLOT_RESULT, 1);
        RUN(NULL, ARL, "MOV TEMP[0], IN[0]", users[i], "END");
        assert_over(b, 0, 2 + takes[i]);
        assert_slots(b, SLOT_RESULT, 0);
        RUN("FetchRate=2", UARL, users[i], "END");
        assert_over(b, 0, 1 + takes[i]);
        assert_slots(b, SLOT_RESULT, 1);
    }
    RUN("texels=20", ARL, "TEX TEMP[0], IN[0], SAMP[ADDR[0].x], 2D", "MOV OUT[0], TEMP[0]", "END");
    assert_over(b, 0, 2 + 21);
    assert_slots(b, SLOT_RESULT, 1);
    RUN(NULL, ARL, UARL, INDEXED, "END");
    assert_over(b, 0, 4);
    assert_slots(b, SLOT_RESULT, 1);
}

/* A thread of this program has 4 live registers, so 8 registers hold 2 groups of 1 thread.
 * - A single group issues TEX in 3, and ADDs in 23, 26 and 29. Its last result is in 32, which ends
 *   the group and frees its registers.
 * - Two groups alternate: MOVs in 0 to 5, TEX in 6 and 7, ADDs in 26 and 27, 29 and 30, 32 and 33.
 *   They are over in 35 and 36.
 * - The third group waits from cycle 1 to 35, and the fourth one enters in 36. Both issue and end
 *   36 cycles after the first two groups.
 * - With 16 registers no group waits. */
static void
test_registers_limit_threads(void **state)
{
    struct bench *b = *state;
#define FOUR_ALIVE                                                                                 \
    "MOV TEMP[0], IN[0]", "MOV TEMP[1], IN[0]", "MOV TEMP[2], IN[0]",                              \
        "TEX TEMP[3], IN[0], SAMP[0], 2D", "ADD TEMP[0], TEMP[0], TEMP[3]",                        \
        "ADD TEMP[1], TEMP[1], TEMP[0]", "ADD OUT[0], TEMP[2], TEMP[1]", "END"
    RUN("texels=20", FOUR_ALIVE);
    assert_over(b, 0, 32);
    assert_int_equal(b->program->live_temps, 4);
    RUN("texels=20 groups=4 ThreadResources=8", FOUR_ALIVE);
    assert_int_equal(b->over[1] - b->over[0], 1);
    assert_int_equal(b->over[2] - b->over[0], b->over[0] + 1);
    assert_int_equal(b->over[3] - b->over[1], b->over[0] + 1);
    assert_over(b, 0, 35);
    assert_over(b, 1, 36);
    assert_int_equal(b->shader.stats.registers_full_cycles, 34);
    /* two idle periods, from 8 to 25 and again 36 cycles later; a group without registers is not
     * work */
    assert_true(b->shader.module.cycles[UNIT_WAITING] >= 2 * (25 - 8 - 1));
    RUN("texels=20 groups=4 ThreadResources=16", FOUR_ALIVE);
    assert_int_equal(b->shader.stats.registers_full_cycles, 0);
    assert_true(b->over[3] < 50);
}

static void
assert_own(const struct bench *b, uint64_t cycles)
{
    assert_int_equal(b->shader.stats.own_cycles, cycles);
}

/* Own work: a cycle in which an instruction issues counts in full. Cycles in which all groups wait
 * for the unit count in proportion to its occupied group slots, or to its occupied registers if
 * that fraction is larger.
 * - Four dependent ADDs issue in cycles 0, 3, 6 and 9: 4 cycles of issue, and 6 of waiting. The
 *   group occupies the only group slot, or one of two.
 * - With two groups, 3 cycles of waiting remain. They occupy two of four group slots.
 * - A program with two registers occupies half of four registers.
 * - A replay counts as a wait: four MADs issue, and 9 cycles have replays.
 * - A wait for texels does not count as the unit's own work. The program issues 7 instructions.
 *   Twice, an ADD waits 2 cycles for the previous ADD. */
static void
test_own_work(void **state)
{
    struct bench *b = *state;
#define PLACES "InputBuffers=0 ExecutableThreads=%u "
    RUN(settings(PLACES, 1), FOUR_DEPENDENT("ADD", ", IN[0]"));
    assert_own(b, 4 + 6);
    RUN(settings(PLACES, 2), FOUR_DEPENDENT("ADD", ", IN[0]"));
    assert_own(b, 4 + 6 / 2);
    RUN(settings(PLACES "groups=2", 4), FOUR_DEPENDENT("ADD", ", IN[0]"));
    assert_own(b, 8 + 3 * 2 / 4);
    RUN(settings(PLACES "ThreadResources=4", 8), FOUR_DEPENDENT("ADD", ", IN[0]"));
    assert_own(b, 4 + 6 / 2);
    RUN(settings(PLACES "SHADER.Replay=TRUE", 1), FOUR_DEPENDENT("MAD", ", IN[0], IN[0]"));
    assert_own(b, 4 + 9);
    RUN(settings(PLACES "SHADER.Replay=TRUE", 8), FOUR_DEPENDENT("MAD", ", IN[0], IN[0]"));
    assert_own(b, 4 + 9 / 8);
    RUN(settings(PLACES "texels=20", 1), FOUR_ALIVE);
    assert_own(b, 7 + 2 * 2);
}

/* IF issues in 0, MOV in 1, ENDIF in 2, and the group is over in 3. With ELSE, threads skip the
 * other branch: IF, MOV, ELSE, ENDIF. A call executes CAL, BGNSUB, MOV, RET. A loop of one
 * iteration executes BGNLOOP, MOV, BRK, ENDLOOP. The cost parameters add cycles that are not issue
 * slots. */
static void
test_flow_cost(void **state)
{
    struct bench *b = *state;
#define COSTS                                                                                      \
    "SHADER.IfCost=4 SHADER.IfElseCost=6 SHADER.CallCost=2 SHADER.ReturnCost=3 SHADER.LoopCost=5 "
#define IF_ENDIF "IF IN[0].xxxx :2", "MOV TEMP[0], IN[0]", "ENDIF", "END"
#define IF_ELSE                                                                                    \
    "IF IN[0].xxxx :2", "MOV TEMP[0], IN[0]", "ELSE :4", "MOV TEMP[1], IN[0]", "ENDIF", "END"
#define CALL "CAL :2", "END", "BGNSUB", "MOV TEMP[0], IN[0]", "RET", "ENDSUB"
#define LOOP "BGNLOOP :3", "MOV TEMP[0], IN[0]", "BRK", "ENDLOOP :0", "END"
    RUN(NULL, IF_ENDIF);
    assert_over(b, 0, 3);
    RUN(COSTS, IF_ENDIF);
    assert_over(b, 0, 3 + 4);
    assert_slots(b, SLOT_FLOW, 4);
    RUN(NULL, IF_ELSE);
    assert_over(b, 0, 4);
    RUN(COSTS, IF_ELSE);
    assert_over(b, 0, 4 + 6);
    assert_slots(b, SLOT_FLOW, 6);
    RUN(COSTS "ThreadGroup=8 threads=8 LockedExecutionMode=TRUE ThreadRate=2", IF_ELSE);
    assert_over(b, 0, 4 * (4 + 6));
    RUN(NULL, CALL);
    assert_over(b, 0, 4);
    RUN(COSTS, CALL);
    assert_over(b, 0, 4 + 2 + 3);
    RUN(COSTS, LOOP);
    assert_over(b, 0, 4 + 5);
    assert_slots(b, SLOT_FLOW, 5);
}

#define STAGES                                                                                     \
    "SHADER.FetchStages=%u SHADER.DecodeStages=%u SHADER.ReadStages=%u SHADER.WriteBackStages=%u "

/* Fetch and decode stages delay the first instruction. Read and write stages delay the last result.
 * The baseline is 8 cycles. The test sets each stage alone, then all. */
static void
test_stages(void **state)
{
    struct bench *b = *state;
    RUN(settings(STAGES, 2, 0, 0, 0), EIGHT_INDEPENDENT("MOV", ""));
    assert_over(b, 0, 8 + 2);
    assert_slots(b, SLOT_LOAD, 2);
    RUN(settings(STAGES, 0, 3, 0, 0), EIGHT_INDEPENDENT("MOV", ""));
    assert_over(b, 0, 8 + 3);
    assert_slots(b, SLOT_LOAD, 3);
    RUN(settings(STAGES, 0, 0, 4, 0), EIGHT_INDEPENDENT("MOV", ""));
    assert_over(b, 0, 8 + 4);
    RUN(settings(STAGES, 0, 0, 0, 5), EIGHT_INDEPENDENT("MOV", ""));
    assert_over(b, 0, 8 + 5);
    RUN(settings(STAGES, 2, 3, 4, 5), EIGHT_INDEPENDENT("MOV", ""));
    assert_over(b, 0, 8 + 14);
}

/* A dependent instruction waits until the previous one has read its operands (r), computed its
 * result (ADD 3) and written it (w): r + 3 + w cycles. With 2-way issue the slot beside it is lost,
 * too. Fetch and decode continue meanwhile. A later write (MOV after RCP, 7) still follows one
 * cycle later, because both are delayed. For the same reason, ADD issues in cycle 2 if two results
 * collide at a port. */
static void
test_stages_of_results(void **state)
{
    struct bench *b = *state;
    for (uint32_t n = 0; n < 4; n++) {
        const uint32_t read = n & 1 ? 6 : 0, write = n & 2 ? 4 : 0, all = 3 + read + write;
        RUN(settings(STAGES, 2, 1, read, write), FOUR_DEPENDENT("ADD", ", IN[0]"));
        assert_over(b, 0, 3 + 4 * all);
        assert_slots(b, SLOT_RESULT, 3 * (all - 1));
        RUN(settings("FetchRate=2 " STAGES, 0, 0, read, write), FOUR_DEPENDENT("ADD", ", IN[0]"));
        assert_over(b, 0, 4 * all);
        assert_slots(b, SLOT_RESULT, 3 * (2 * (all - 1) + 1));
        RUN(settings(STAGES, 0, 0, read, write), "RCP TEMP[0], IN[0].xxxx", "MOV TEMP[0], IN[0]",
            "END");
        assert_over(b, 0, 8 + read + write);
        RUN(settings(STAGES "SHADER.WritePorts=1", 0, 0, read, write), SAME_CYCLE);
        assert_over(b, 0, 5 + read + write);
        assert_slots(b, SLOT_PORTS, 1);
        RUN(settings(STAGES, 0, 0, read, write), ARL, INDEXED, "END");
        assert_over(b, 0, 2 + read + write + 1 + read + write);
    }
}

/* After a jump, fetching resumes when the jump has executed: f + d + r = 2 + 1 + 3 cycles later
 * than without stages.
 * - IF issues in 3, MOV in 10, ENDIF in 11. ENDIF does not jump. It executes in 14, and a MOV after
 *   it in 15.
 * - IF in 3, MOV in 10, ELSE in 11, ENDIF in 18, which executes in 21.
 * - CAL in 3, BGNSUB in 10, MOV in 11, RET in 12, which executes in 15.
 * - BGNLOOP in 3, MOV in 4, BRK in 5, ENDLOOP in 12, which executes in 15.
 * - NOP in 3, MOV in 4, with its result in 8. */
static void
test_stages_of_jumps(void **state)
{
    struct bench *b = *state;
    RUN(settings(STAGES, 2, 1, 3, 0), IF_ENDIF);
    assert_over(b, 0, 15);
    assert_slots(b, SLOT_DELAY, 6);
    RUN(settings(STAGES, 2, 1, 3, 0), "IF IN[0].xxxx :2", "MOV TEMP[0], IN[0]", "ENDIF",
        "MOV TEMP[1], IN[0]", "END");
    assert_over(b, 0, 16);
    assert_slots(b, SLOT_DELAY, 6);
    RUN(settings(STAGES, 2, 1, 3, 0), IF_ELSE);
    assert_over(b, 0, 22);
    assert_slots(b, SLOT_DELAY, 12);
    RUN(settings(STAGES, 2, 1, 3, 0), CALL);
    assert_over(b, 0, 16);
    assert_slots(b, SLOT_DELAY, 6);
    RUN(settings(STAGES, 2, 1, 3, 0), LOOP);
    assert_over(b, 0, 16);
    assert_slots(b, SLOT_DELAY, 6);
    RUN(settings(STAGES, 2, 1, 3, 0), "NOP", "MOV TEMP[0], IN[0]", "END");
    assert_over(b, 0, 8);
    assert_slots(b, SLOT_DELAY, 0);
}

/* TEX issues in f + d. Its coordinates leave r cycles later. The texels return 20 cycles after that
 * and are written w cycles later. Then MOV is fetched and issues in f + d + r + 20 + w + f + d. Its
 * result follows r + 1 + w cycles later. */
static void
test_stages_of_texels(void **state)
{
    struct bench *b = *state;
    RUN(settings("texels=20 " STAGES, 1, 0, 0, 0), FETCH_TEXEL);
    assert_over(b, 0, 22 + 1);
    RUN(settings("texels=20 " STAGES, 0, 0, 3, 0), FETCH_TEXEL);
    assert_over(b, 0, 21 + 6);
    RUN(settings("texels=20 " STAGES, 0, 0, 0, 4), FETCH_TEXEL);
    assert_over(b, 0, 21 + 8);
    RUN(settings("texels=20 " STAGES, 1, 2, 3, 4), FETCH_TEXEL);
    assert_over(b, 0, 3 + 3 + 20 + 4 + 3 + 8);
    assert_slots(b, SLOT_TEXELS, 3 + 20 + 4 + 3 - 1);
}

static void
assert_lost(const struct bench *b, uint64_t replays, uint64_t replayed, uint64_t delay,
            uint64_t result)
{
    assert_int_equal(b->shader.stats.replays, replays);
    assert_slots(b, SLOT_REPLAY, replayed);
    assert_slots(b, SLOT_DELAY, delay);
    assert_slots(b, SLOT_RESULT, result);
}

/* Four dependent MADs (latency 4) in one group.
 * - Without stages, the unit tries each MAD beside the previous one and in the 3 cycles in which it
 *   cannot issue. No other slot is lost.
 * - With a fetch or decode stage, the unit fetches a MAD ahead once, then tries it every second
 *   cycle.
 *   One per cycle: issues in 1, replays in 2, 4 and 6; 11 and 16; the result in 20.
 *   Two per cycle: issues in 1, replays beside it and in 3 and 5; 9 and 13; the result in 17.
 * - With ScalarALU no MAD is fetched beside another one, so the cycles are those of one per cycle.
 * - With a fetch every 3 cycles, MAD issues in 0 and replays in 3 and 6, then issues in 12 and 18.
 */
static void
test_replay(void **state)
{
    struct bench *b = *state;
#define MADS FOUR_DEPENDENT("MAD", ", IN[0], IN[0]")
    for (uint32_t ways = 1; ways <= 4; ways *= 2) {
        RUN(settings("FetchRate=%u SHADER.Replay=TRUE", ways), MADS);
        assert_over(b, 0, 16);
        assert_lost(b, ways == 1 ? 9 : 12, 9 * ways + 3 * (ways - 1), 0, 0);
    }
    for (uint32_t fetch = 0; fetch < 2; fetch++) {
        RUN(settings(STAGES, fetch, !fetch, 0, 0), MADS);
        assert_over(b, 0, 17);
        assert_lost(b, 0, 0, 0, 9);
        RUN(settings(STAGES "SHADER.Replay=TRUE", fetch, !fetch, 0, 0), MADS);
        assert_over(b, 0, 20);
        assert_lost(b, 6, 6, 6, 0);
        RUN(settings(STAGES "FetchRate=2 SHADER.Replay=TRUE", fetch, !fetch, 0, 0), MADS);
        assert_over(b, 0, 17);
        assert_lost(b, 6, 9, 12, 0);
        RUN(settings(STAGES "FetchRate=2 ScalarALU=TRUE SHADER.Replay=TRUE", fetch, !fetch, 0, 0),
            MADS);
        assert_over(b, 0, 20);
        assert_lost(b, 6, 12, 12, 0);
        assert_slots(b, SLOT_PAIR, 4);
    }
    RUN("FetchDelay=3 SHADER.Replay=TRUE", MADS);
    assert_over(b, 0, 22);
    assert_lost(b, 3, 3, 12, 0);
}

/* Replays take slots from other groups. Three groups of dependent MADs issue in cycles 0, 1 and 2,
 * and replay in cycles 3, 4 and 5. They issue again in cycles 6, 7 and 8, and so on until cycles
 * 18, 19 and 20. Without replay, a waiting group leaves its slots to the others and issues in
 * cycles 0, 4, 8, 12 and so on. Two groups lose two slots between instructions in both modes, with
 * the window or in order. With SwapOnBlock, a replay does not end the turn of a group.
 *
 * With 16 threads at 4 per cycle, an instruction's turn lasts 4 cycles. The replay of DP4 (5)
 * starts in cycle 4 and occupies one such turn. DP4 issues in cycles 8, 16 and 24; its last threads
 * issue in cycle 27. The unit is busy while instructions issue, and while the group enters and
 * leaves. */
static void
test_replay_of_groups(void **state)
{
    struct bench *b = *state;
    RUN("groups=3", MADS);
    assert_over(b, 0, 16);
    assert_over(b, 2, 18);
    assert_lost(b, 0, 0, 0, 3);
    RUN("groups=3 SHADER.Replay=TRUE", MADS);
    assert_over(b, 0, 22);
    assert_over(b, 1, 23);
    assert_over(b, 2, 24);
    assert_lost(b, 9, 9, 0, 0);
    for (uint32_t window = 0; window < 2; window++) {
        RUN(settings("groups=2 ThreadWindow=%u SHADER.Replay=TRUE", window), MADS);
        assert_over(b, 0, 16);
        assert_over(b, 1, 17);
        assert_lost(b, 6, 6, 0, 0);
        RUN(settings("groups=2 ThreadWindow=%u SwapOnBlock=TRUE SHADER.Replay=TRUE", window), MADS);
        assert_over(b, 0, 16);
        assert_over(b, 1, 29);
        assert_lost(b, 18, 18, 0, 0);
    }
    RUN("ThreadGroup=16 threads=16 LockedExecutionMode=TRUE ThreadRate=4 ExecutableThreads=16 "
        "SHADER.Replay=TRUE",
        FOUR_DEPENDENT("DP4", ", IN[0]"));
    assert_over(b, 0, 32);
    assert_lost(b, 3, 12, 0, 0);
    assert_int_equal(b->shader.stats.issue_cycles, 16);
    assert_int_equal(b->shader.module.cycles[UNIT_BUSY], 16 + 2);
}

/* Ports and the queue to the Texture Unit also refuse instructions. The two quads of the first
 * group leave in cycles 0 and 1. So the TEX of the second group replays in cycle 1 and issues in 2.
 * With a fetch stage it replays in 2 and issues in 4. */
static void
test_replay_of_refused(void **state)
{
    struct bench *b = *state;
#define TWO_QUADS                                                                                  \
    "texels=20 groups=2 threads=8 ThreadGroup=8 ThreadRate=8 LockedExecutionMode=TRUE "
    RUN("SHADER.Replay=TRUE SHADER.WritePorts=1", SAME_CYCLE);
    assert_over(b, 0, 5);
    assert_slots(b, SLOT_PORTS, 0);
    assert_lost(b, 1, 1, 0, 0);
    RUN("SHADER.Replay=TRUE FetchRate=4 SHADER.ReadPorts=3", FOUR_READS);
    assert_over(b, 0, 5);
    assert_slots(b, SLOT_PORTS, 0);
    assert_lost(b, 2, 4, 0, 0);
    RUN(TWO_QUADS, FETCH_TEXEL);
    assert_over(b, 1, 24);
    assert_slots(b, SLOT_TEXTURE_QUEUE, 1);
    assert_lost(b, 0, 0, 0, 0);
    RUN(TWO_QUADS "SHADER.Replay=TRUE", FETCH_TEXEL);
    assert_over(b, 1, 24);
    assert_slots(b, SLOT_TEXTURE_QUEUE, 0);
    assert_lost(b, 1, 1, 0, 0);
    RUN(settings(TWO_QUADS STAGES "SHADER.Replay=TRUE", 1, 0, 0, 0), FETCH_TEXEL);
    assert_over(b, 1, 27);
    assert_lost(b, 1, 1, 1, 0);
}

/* One instruction issues per cycle, whatever its latency and cost. */
static void
test_instant(void **state)
{
    struct bench *b = *state;
    RUN("SHADER.Mode=instant FetchDelay=5 SHADER.IfCost=4", FOUR_DEPENDENT("DP4", ", IN[0]"));
    assert_over(b, 0, 4);
    RUN(settings("SHADER.Mode=instant " STAGES "SHADER.Replay=TRUE", 1, 2, 3, 4),
        FOUR_DEPENDENT("DP4", ", IN[0]"));
    assert_over(b, 0, 4);
    assert_int_equal(b->shader.stats.replays, 0);
    RUN("SHADER.Mode=instant ThreadGroup=64 threads=64 LockedExecutionMode=TRUE "
        "ExecutableThreads=64",
        FOUR_DEPENDENT("DP4", ", IN[0]"));
    assert_over(b, 0, 4);
}

/* Without locked execution, a vertex group is one thread and a fragment group one quad. */
static void
test_locked_execution(void **state)
{
    struct shader_role roles[STAGE_COUNT];
    struct params p;
    struct error err;
    (void)state;
    assert_true(params_load_preset(&p, "reference-2008", &err));
    p.GPU.UnifiedShader = false;
    p.VERTEXSHADER.ThreadGroup = 8;
    p.VERTEXSHADER.LockedExecutionMode = true;
    shader_roles(&p, roles);
    assert_int_equal(roles[STAGE_VERTEX].group_threads, 8);
    assert_int_equal(roles[STAGE_VERTEX].group_limit, 2); /* a limit of 12 + 4 threads */
    assert_int_equal(roles[STAGE_FRAGMENT].group_threads, 16);
    p.VERTEXSHADER.LockedExecutionMode = p.FRAGMENTSHADER.LockedExecutionMode = false;
    shader_roles(&p, roles);
    assert_int_equal(roles[STAGE_VERTEX].group_threads, 1);
    assert_int_equal(roles[STAGE_VERTEX].group_limit, 16);
    assert_int_equal(roles[STAGE_FRAGMENT].group_threads, 4);
    assert_int_equal(roles[STAGE_FRAGMENT].group_limit, (2048 + 16) / 4);
    p.FRAGMENTSHADER.ThreadGroup = 18;
    assert_false(shader_check_params(&p, &err));
    p.FRAGMENTSHADER.ThreadGroup = 1024;
    p.FRAGMENTSHADER.LockedExecutionMode = true;
    assert_true(shader_check_params(&p, &err));
    p.RASTERIZER.TriangleSetupOnShader = true;
    assert_false(shader_check_params(&p, &err)); /* separate vertex shaders */
    p.GPU.UnifiedShader = true;
    assert_true(shader_check_params(&p, &err));
    p.FRAGMENTSHADER.ExecutableThreads = 1000;
    assert_false(shader_check_params(&p, &err));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, bench_set_up, bench_tear_down)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_independent),
        TEST(test_dependent),
        TEST(test_simd_and_scalar),
        TEST(test_wide_groups),
        TEST(test_blocked_output),
        TEST(test_several_groups_a_cycle),
        TEST(test_inputs_and_outputs),
        TEST(test_texture_blocks),
        TEST(test_turns_of_texture_units),
        TEST(test_window_and_order),
        TEST(test_swap_on_block),
        TEST(test_fetch_delay),
        TEST(test_passes),
        TEST(test_write_ports),
        TEST(test_read_ports),
        TEST(test_address_register),
        TEST(test_registers_limit_threads),
        TEST(test_own_work),
        TEST(test_flow_cost),
        TEST(test_stages),
        TEST(test_stages_of_results),
        TEST(test_stages_of_jumps),
        TEST(test_stages_of_texels),
        TEST(test_replay),
        TEST(test_replay_of_groups),
        TEST(test_replay_of_refused),
        TEST(test_instant),
        TEST(test_locked_execution),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
