/* Time queries on the timed machine: their results are the nanoseconds of its clock. */
#include "rigs/rig.h"

enum { FIRST = 500, RESULT_AT = 8 };

struct times {
    uint64_t empty, draw, stamp[2];
};

static void
create_query(struct rig *rig, uint32_t number, uint32_t type)
{
    CREATE(&rig->stream, VOBJ_QUERY, FIRST + number, type, number * 16, RES_QUERY);
}

/* A query of nothing, one of a draw, and the times before and after both. */
static struct times
run(uint32_t mhz)
{
    struct rig *rig = rig_create();
    struct stream *s = &rig->stream;
    uint32_t words[64];
    uint64_t results[4];
    rig->params.GPU.ClockMHz = mhz;
    rig_start(rig);
    player_create(&rig->player, (struct resource_desc){RES_QUERY, TARGET_BUFFER, FORMAT_R8_UNORM,
                                                       BIND_CUSTOM, 64, 1, 1, 1, 0, 0});
    rig_upload_corner(rig, 40, 0);
    create_query(rig, 0, QUERY_TIMESTAMP);
    create_query(rig, 1, QUERY_TIME_ELAPSED);
    create_query(rig, 2, QUERY_TIME_ELAPSED);
    create_query(rig, 3, QUERY_TIMESTAMP);
    PACKET(s, CMD_END_QUERY, FIRST);
    PACKET(s, CMD_BEGIN_QUERY, FIRST + 1);
    PACKET(s, CMD_END_QUERY, FIRST + 1);
    PACKET(s, CMD_BEGIN_QUERY, FIRST + 2);
    rig_submit(rig);
    rig_draw(rig, PRIM_TRIANGLES, 3, 0);
    PACKET(s, CMD_END_QUERY, FIRST + 2);
    PACKET(s, CMD_END_QUERY, FIRST + 3);
    for (uint32_t i = 0; i < 4; i++)
        PACKET(s, CMD_GET_QUERY_RESULT, FIRST + i, 1);
    rig_submit(rig);
    player_get(&rig->player, RES_QUERY, 64, 1, words);
    for (uint32_t i = 0; i < 4; i++)
        memcpy(&results[i], (const uint8_t *)words + 16 * i + RESULT_AT, sizeof results[i]);
    rig_destroy(rig);
    return (struct times){results[1], results[2], {results[0], results[3]}};
}

/* The cycles do not depend on the clock: at 500 MHz, each takes 2 ns, at 250 MHz 4 ns. */
static void
results_are_nanoseconds(void **state)
{
    const struct times fast = run(500), slow = run(250);
    (void)state;
    assert_int_equal(fast.empty, 0);
    assert_true(fast.draw >= 2 * 40 * 40 / 2 / 16); /* 16 fragments per cycle at most */
    assert_int_equal(fast.draw % 2, 0);
    assert_int_equal(fast.draw, fast.stamp[1] - fast.stamp[0]);
    assert_int_equal(slow.draw, 2 * fast.draw);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(results_are_nanoseconds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
