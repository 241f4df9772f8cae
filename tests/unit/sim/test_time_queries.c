/* Time queries: simulated time on the machine, and readings 1 ns apart without timing. */
#include "rigs/player.h"
#include "rigs/scene.h"
#include "state/context.h"

#include <string.h>

enum { SIZE = 64, QUERIES = 4, RECORD_BYTES = sizeof(struct gpu_query_record) };

static const char vs[] = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\n"
                         "  0: MOV OUT[0], IN[0]\n  1: END\n";
static const char fs[] = "FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {1, 1, 1, 1}\n"
                         "  0: MOV OUT[0], IMM[0]\n  1: END\n";

static void
begin(struct player *player, uint32_t mhz, bool timed)
{
    static const float corners[3][4] = {{-1, -1, 0, 1}, {3, -1, 0, 1}, {-1, 3, 0, 1}};
    static const uint32_t types[QUERIES] = {QUERY_TIME_ELAPSED, QUERY_TIME_ELAPSED, QUERY_TIMESTAMP,
                                            QUERY_TIMESTAMP};
    struct params params;
    struct error err = {""};
    struct stream s = {0};
    assert_true(params_load_preset(&params, "reference-2008", &err));
    params.MEMORYCONTROLLER.MemorySize = 1 << 20;
    params.GPU.ClockMHz = mhz;
    player_start(player, &params, timed, NULL);
    player_create(player,
                  (struct resource_desc){RES_QUERY, TARGET_BUFFER, FORMAT_R8_UNORM, BIND_CUSTOM,
                                         QUERIES * RECORD_BYTES, 1, 1, 1, 0, 0});
    player_scene(player, &s, vs, fs, corners, sizeof corners, SIZE);
    for (uint32_t q = 0; q < QUERIES; q++)
        CREATE(&s, VOBJ_QUERY, OBJ_QUERY + q, types[q], q * RECORD_BYTES, RES_QUERY);
    player_submit(player, &s);
}

/* Query 0 spans `draws` draws, query 1 nothing. Queries 2 and 3 are the times before and after the
 * draws. */
static void
run(uint32_t mhz, bool timed, uint32_t draws, uint64_t results[QUERIES], uint64_t *cycles)
{
    struct player player = {0};
    struct stream s = {0};
    begin(&player, mhz, timed);
    PACKET(&s, CMD_END_QUERY, OBJ_QUERY + 2);
    PACKET(&s, CMD_BEGIN_QUERY, OBJ_QUERY);
    player_submit(&player, &s);
    const uint64_t start = timed ? player.sim.machine->clock.now : 0;
    for (uint32_t i = 0; i < draws; i++)
        stream_draw(&s, PRIM_TRIANGLES, 0, 3);
    PACKET(&s, CMD_END_QUERY, OBJ_QUERY);
    player_submit(&player, &s);
    *cycles = timed ? player.sim.machine->clock.now - start : 0;
    PACKET(&s, CMD_END_QUERY, OBJ_QUERY + 3);
    PACKET(&s, CMD_BEGIN_QUERY, OBJ_QUERY + 1);
    PACKET(&s, CMD_END_QUERY, OBJ_QUERY + 1);
    for (uint32_t q = 0; q < QUERIES; q++)
        PACKET(&s, CMD_GET_QUERY_RESULT, OBJ_QUERY + q, 1);
    player_submit(&player, &s);
    const struct gpu_device *device = &player.sim.device;
    const uint8_t *bytes =
        device->memory.bytes + gpu_resource(&player.sim.device, 1, RES_QUERY)->address;
    for (uint32_t q = 0; q < QUERIES; q++) {
        struct gpu_query_record record;
        memcpy(&record, bytes + q * RECORD_BYTES, sizeof record);
        assert_int_equal(record.state, 1);
        results[q] = record.result;
    }
    player_end(&player);
}

/* A program may divide by a difference of readings. */
static void
assert_divisible(const uint64_t results[QUERIES])
{
    assert_true(results[0] > 0 && results[1] > 0 && results[3] > results[2]);
}

/* The elapsed time is that of the cycles in between, rounded to 1 ns at each end. Back-to-back
 * readings are 1 ns apart. Four ROPs together write at most 16 pixels per cycle. */
static void
simulated_time(void **state)
{
    static const uint32_t clocks[] = {500, 250, 1000, 7};
    uint64_t before = 0;
    (void)state;
    for (uint32_t draws = 1; draws <= 4; draws *= 2) {
        for (size_t i = 0; i < sizeof clocks / sizeof clocks[0]; i++) {
            uint64_t results[QUERIES], cycles;
            run(clocks[i], true, draws, results, &cycles);
            const double ns = (double)cycles * 1000 / clocks[i];
            assert_true(cycles >= draws * SIZE * SIZE / 16);
            assert_true((double)results[0] >= ns - 2 && (double)results[0] <= ns + 2);
            assert_true(results[1] <= 2);
            assert_true(results[3] - results[2] >= results[0]);
            assert_true(results[3] - results[2] <= results[0] + 3);
            assert_divisible(results);
            if (i == 0) {
                assert_true(cycles > before);
                before = cycles;
            }
        }
    }
}

/* The result does not depend on the work. */
static void
without_timing(void **state)
{
    uint64_t one[QUERIES], four[QUERIES], cycles;
    (void)state;
    run(500, false, 1, one, &cycles);
    run(500, false, 4, four, &cycles);
    assert_memory_equal(one, four, sizeof one);
    assert_divisible(one);
    assert_true(one[0] == 1 && one[1] == 1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(simulated_time),
                                       cmocka_unit_test(without_timing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
