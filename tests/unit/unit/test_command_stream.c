/* Costs of the command stream besides draws: changed constants, programs outside the instruction
 * memory, and results of queries. Each test compares with the same draws without that cost. */
#include "rigs/rig.h"

enum { CONSTANTS = 20, OBJ_LONG_FS = 400, OBJ_COUNTING };

static const char constant_fs[] = "FRAG\nDCL OUT[0], COLOR\nDCL CONST[0][0..19]\n"
                                  "  0: ADD OUT[0], CONST[0][0], CONST[0][19]\n  1: END\n";

struct settings {
    uint32_t width; /* bytes per cycle */
    bool constants, queries;
    uint32_t memory; /* instructions */
};

static struct rig *
begin(const struct settings *settings)
{
    struct rig *rig;
    assert_int_equal(rig_set_up((void **)&rig), 0);
    rig->params.MEMORYCONTROLLER.CommandProcessorBusWidth = settings->width;
    rig->params.COMMANDPROCESSOR.ConstantTraffic = settings->constants;
    rig->params.COMMANDPROCESSOR.QueryTraffic = settings->queries;
    rig->params.COMMANDPROCESSOR.InstructionMemory = settings->memory;
    rig_start(rig);
    rig_upload_corner(rig, 7.5f, .5f);
    return rig;
}

static uint64_t
now(const struct rig *rig)
{
    return rig_machine(rig)->clock.now;
}

/* Sets twenty constants. The first `others` of them differ from the usual values. */
static void
set_constants(struct rig *rig, uint32_t others)
{
    uint32_t words[2 + CONSTANTS * 4] = {1, 0};
    for (uint32_t i = 0; i < CONSTANTS * 4; i++)
        words[2 + i] = float_bits((float)i + (i / 4 < others ? 101 : 1));
    stream_packet(&rig->stream, CMD_SET_CONSTANT_BUFFER, 0, words, 2 + CONSTANTS * 4);
}

/* Stores the cycles of three draws: with twenty new constants, with the same constants, and with
 * three changed ones. */
static void
three_draws(uint32_t width, bool traffic, uint64_t cycles[3])
{
    static const uint32_t others[] = {0, 0, 3};
    struct rig *rig = begin(&(struct settings){width, traffic, false, 0});
    stream_shader(&rig->stream, OBJ_LONG_FS, VSTAGE_FRAGMENT, constant_fs);
    stream_bind_shader(&rig->stream, OBJ_LONG_FS, VSTAGE_FRAGMENT);
    rig_draw(rig, PRIM_TRIANGLES, 3, 0); /* this draw warms the caches */
    for (uint32_t i = 0; i < 3; i++) {
        set_constants(rig, others[i]);
        const uint64_t before = now(rig);
        rig_draw(rig, PRIM_TRIANGLES, 3, 0);
        cycles[i] = now(rig) - before;
    }
    rig_swap(rig);
    /* before the first draw all constants are 0; the first draw of a frame sends all of them */
    if (traffic)
        rig_assert_figure(rig, "cmdproc.constants", CONSTANTS + CONSTANTS + 0 + 3);
    rig_tear_down((void **)&rig);
}

/* A constant has 16 bytes. 20 constants take 40 cycles on a bus of 8 bytes, 20 on one of 16, and 5
 * on one of 64. 3 constants take 6, 3 and (rounded up) 1 cycles. */
static void
constants_take_the_bus(void **state)
{
    static const uint32_t expected[][3] = {{8, 40, 6}, {16, 20, 3}, {64, 5, 1}};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        uint64_t with[3], without[3];
        three_draws(expected[i][0], true, with);
        three_draws(expected[i][0], false, without);
        assert_int_equal(with[0] - without[0], expected[i][1]);
        assert_int_equal(with[1] - without[1], 0);
        assert_int_equal(with[2] - without[2], expected[i][2]);
    }
}

/* A program of 5 constants does not change the other 15 in the constant file. */
static void
constants_stay_when_fewer_are_used(void **state)
{
    enum { OBJ_FEW_FS = 450 };
    static const char few_fs[] = "FRAG\nDCL OUT[0], COLOR\nDCL CONST[0][0..4]\n"
                                 "  0: MOV OUT[0], CONST[0][4]\n  1: END\n";
    static const struct {
        uint32_t program, others, changed;
    } draws[] = {
        {OBJ_LONG_FS, 0, CONSTANTS}, /* first draw of the frame */
        {OBJ_FEW_FS, 0, 0},          {OBJ_LONG_FS, 0, 0},
        {OBJ_FEW_FS, 7, 5},  /* 7 constants change, and this program has 5 of them */
        {OBJ_LONG_FS, 7, 2}, /* the other two constants */
        {OBJ_FEW_FS, 7, 0},          {OBJ_LONG_FS, 7, 0},
    };
    uint64_t changed = 0;
    (void)state;
    struct rig *rig = begin(&(struct settings){8, true, false, 0});
    stream_shader(&rig->stream, OBJ_LONG_FS, VSTAGE_FRAGMENT, constant_fs);
    stream_shader(&rig->stream, OBJ_FEW_FS, VSTAGE_FRAGMENT, few_fs);
    for (size_t i = 0; i < sizeof draws / sizeof *draws; i++) {
        stream_bind_shader(&rig->stream, draws[i].program, VSTAGE_FRAGMENT);
        set_constants(rig, draws[i].others);
        rig_draw(rig, PRIM_TRIANGLES, 3, 0);
        changed += draws[i].changed;
        assert_int_equal(rig_machine(rig)->cmdproc->stats.constants, changed);
    }
    rig_tear_down((void **)&rig);
}

static void
drain(struct rig *rig)
{
    struct error err = {""};
    if (!machine_drain(rig_machine(rig), &err))
        fail_msg("%s", err.text);
}

/* An upload of 128 transactions overlaps the next draw. The draw's constants have priority on the
 * bus, so 20 constants delay the end of the upload by 40 cycles. */
static void
constants_go_before_uploads(void **state)
{
    static const uint8_t bytes[8192];
    uint64_t ends[2];
    (void)state;
    for (uint32_t traffic = 0; traffic < 2; traffic++) {
        struct rig *rig = begin(&(struct settings){8, traffic, false, 0});
        player_create(&rig->player,
                      (struct resource_desc){RES_QUERY, TARGET_BUFFER, FORMAT_R8_UNORM,
                                             BIND_VERTEX_BUFFER, sizeof bytes, 1, 1, 1, 0, 0});
        stream_shader(&rig->stream, OBJ_LONG_FS, VSTAGE_FRAGMENT, constant_fs);
        stream_bind_shader(&rig->stream, OBJ_LONG_FS, VSTAGE_FRAGMENT);
        set_constants(rig, 0);
        rig_submit(rig);
        drain(rig);
        const uint64_t before = now(rig);
        rig_upload(rig, RES_QUERY, bytes, sizeof bytes);
        rig_draw(rig, PRIM_TRIANGLES, 3, 0);
        ends[traffic] = now(rig) - before;
        assert_true(ends[traffic] >= 128 * 8 + 40 * traffic);
        rig_tear_down((void **)&rig);
    }
    assert_int_equal(ends[1] - ends[0], 40);
}

static void
set_program(struct rig *rig, uint32_t object, uint32_t instructions)
{
    char text[4096] = "FRAG\nDCL OUT[0], COLOR\nDCL TEMP[0]\nIMM[0] FLT32 {1, 0, 0, 1}\n";
    for (uint32_t i = 0; i + 2 < instructions; i++)
        sprintf(text + strlen(text), "%3u: MOV TEMP[0], IMM[0]\n", i);
    sprintf(text + strlen(text), "%3u: MOV OUT[0], IMM[0]\n%3u: END\n", instructions - 2,
            instructions - 1);
    stream_shader(&rig->stream, object, VSTAGE_FRAGMENT, text);
    stream_bind_shader(&rig->stream, object, VSTAGE_FRAGMENT);
    rig_submit(rig);
}

/* Returns the cycles to load a program of `instructions` instructions. */
static uint64_t
load_cycles(uint32_t width, uint32_t instructions)
{
    uint64_t cycles[2];
    for (uint32_t memory = 0; memory < 2; memory++) {
        struct rig *rig = begin(&(struct settings){width, false, false, memory ? 512 : 0});
        rig_draw(rig, PRIM_TRIANGLES, 3, 0); /* loads the vertex program */
        set_program(rig, OBJ_LONG_FS, instructions);
        const uint64_t before = now(rig);
        rig_draw(rig, PRIM_TRIANGLES, 3, 0);
        cycles[memory] = now(rig) - before;
        rig_tear_down((void **)&rig);
    }
    return cycles[1] - cycles[0];
}

/* Four instructions are a transaction of 64 bytes, which takes 8 or 4 cycles of the bus. The rest
 * of the load time is the latency of its last read. */
static void
programs_take_the_bus(void **state)
{
    (void)state;
    const uint64_t four = load_cycles(8, 4), narrow = load_cycles(16, 4);
    assert_true(four > 1 && four < 60); /* one memory read */
    assert_int_equal(narrow, four);
    assert_int_equal(load_cycles(8, 5), four + 8);
    assert_int_equal(load_cycles(8, 8), four + 8);
    assert_int_equal(load_cycles(8, 32), four + 7 * 8);
    assert_int_equal(load_cycles(16, 32), four + 7 * 4);
}

/* rig_vs and rig_fs have 2 instructions each. A memory of 40 instructions holds both and a program
 * of 30. A program of 10 evicts the least recently used ones: rig_fs (2) and the program of 30. */
static void
programs_used_longest_ago_leave(void **state)
{
    (void)state;
    struct rig *rig = begin(&(struct settings){8, false, false, 40});
    rig_draw(rig, PRIM_TRIANGLES, 3, 0); /* loads vs and fs: 4 */
    rig_draw(rig, PRIM_TRIANGLES, 3, 0);
    set_program(rig, OBJ_LONG_FS, 30);
    rig_draw(rig, PRIM_TRIANGLES, 3, 0); /* loads 30: 34 in total */
    set_program(rig, OBJ_LONG_FS + 10, 10);
    rig_draw(rig, PRIM_TRIANGLES, 3, 0); /* loads 10 and evicts fs and the 30: 12 in total */
    stream_bind_shader(&rig->stream, OBJ_FS, VSTAGE_FRAGMENT);
    rig_draw(rig, PRIM_TRIANGLES, 3, 0); /* loads fs: 14 in total */
    stream_bind_shader(&rig->stream, OBJ_LONG_FS + 10, VSTAGE_FRAGMENT);
    rig_draw(rig, PRIM_TRIANGLES, 3, 0); /* fs is still loaded */
    stream_bind_shader(&rig->stream, OBJ_LONG_FS, VSTAGE_FRAGMENT);
    rig_draw(rig, PRIM_TRIANGLES, 3, 0); /* loads the program of 30 again */
    rig_swap(rig);
    rig_assert_figure(rig, "cmdproc.program_loads", 2 + 1 + 1 + 1 + 1);
    rig_assert_figure(rig, "cmdproc.program_instructions", 4 + 30 + 10 + 2 + 30);
    rig_assert_figure(rig, "cmdproc.vertex_program_length", 7 * 2);
    rig_assert_figure(rig, "cmdproc.fragment_program_length", 2 + 2 + 30 + 10 + 2 + 10 + 30);
    /* transactions: 1 for 2 instructions, 8 for 30, 3 for 10, and 1 for the vertices (48 bytes) */
    rig_assert_figure(rig, "cmdproc.transactions", 2 + 8 + 3 + 1 + 8 + 1);
    rig_tear_down((void **)&rig);
}

/* Returns the cycles of eight draws whose fragment programs evict each other. The memory has 4
 * instructions, and the vertex program has 2. A draw in flight keeps its program, so draws cannot
 * overlap. */
static uint64_t
alternating_cycles(bool pipelined, uint32_t memory)
{
    struct rig *rig;
    assert_int_equal(rig_set_up((void **)&rig), 0);
    rig->params.COMMANDPROCESSOR.PipelinedBatchRendering = pipelined;
    rig->params.COMMANDPROCESSOR.InstructionMemory = memory;
    rig_start(rig);
    rig_upload_corner(rig, 60, .5f);
    set_program(rig, OBJ_LONG_FS, 2);
    drain(rig);
    const uint64_t before = now(rig);
    for (uint32_t i = 0; i < 8; i++) {
        stream_bind_shader(&rig->stream, i % 2 ? OBJ_LONG_FS : OBJ_FS, VSTAGE_FRAGMENT);
        stream_draw(&rig->stream, PRIM_TRIANGLES, 0, 3);
    }
    rig_submit(rig);
    drain(rig);
    const uint64_t cycles = now(rig) - before;
    rig_tear_down((void **)&rig);
    return cycles;
}

static void
programs_stay_while_they_run(void **state)
{
    (void)state;
    const uint64_t drained = alternating_cycles(false, 4);
    assert_int_equal(alternating_cycles(true, 4), drained);
    assert_true(alternating_cycles(true, 512) < drained);
}

/* The result of an occlusion query is written as 16 bytes in one transaction. */
static void
a_result_is_a_write(void **state)
{
    (void)state;
    for (uint32_t traffic = 0; traffic < 2; traffic++) {
        struct rig *rig = begin(&(struct settings){8, false, traffic, 0});
        player_create(&rig->player,
                      (struct resource_desc){RES_QUERY, TARGET_BUFFER, FORMAT_R8_UNORM, BIND_CUSTOM,
                                             64, 1, 1, 1, 0, 0});
        CREATE(&rig->stream, VOBJ_QUERY, OBJ_COUNTING, QUERY_OCCLUSION_COUNTER, 16, RES_QUERY);
        rig_clear(rig, MASK_DEPTH, 1);
        PACKET(&rig->stream, CMD_BEGIN_QUERY, OBJ_COUNTING);
        rig_draw(rig, PRIM_TRIANGLES, 3, 0);
        PACKET(&rig->stream, CMD_END_QUERY, OBJ_COUNTING);
        PACKET(&rig->stream, CMD_GET_QUERY_RESULT, OBJ_COUNTING, 0);
        rig_submit(rig);
        const struct gpu_device *device = &rig->player.sim.device;
        uint64_t result;
        memcpy(&result,
               device->memory.bytes +
                   gpu_resource((struct gpu_device *)device, 1, RES_QUERY)->address + 16 + 8,
               sizeof result);
        /* pixel centers with x + y < 7.5: 7 in the first row */
        assert_int_equal(result, 7 * 8 / 2);
        rig_swap(rig);
        rig_assert_figure(rig, "memctl.command_bytes_written", 48 + (traffic ? 16 : 0));
        rig_assert_figure(rig, "cmdproc.transactions", 1 + traffic);
        assert_true((rig_figure(rig, "work.readback_cycles") > 0) == traffic);
        rig_tear_down((void **)&rig);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_take_the_bus),
        cmocka_unit_test(constants_stay_when_fewer_are_used),
        cmocka_unit_test(constants_go_before_uploads),
        cmocka_unit_test(programs_take_the_bus),
        cmocka_unit_test(programs_stay_while_they_run),
        cmocka_unit_test(programs_used_longest_ago_leave),
        cmocka_unit_test(a_result_is_a_write),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
