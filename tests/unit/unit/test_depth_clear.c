/* Memory contents after a depth clear on the timed machine: fast clears of whole lines, and clears
 * of only depth that preserve the stencil values. test_transfer.c tests the same values without
 * time. */
#include "rigs/rig.h"

static void
clear(struct rig *rig, uint32_t buffers, double depth, uint32_t stencil)
{
    stream_clear(&rig->stream, buffers, NULL, depth, stencil);
    rig_submit(rig);
}

static uint32_t
stored(struct rig *rig)
{
    static uint32_t words[SIZE * SIZE];
    player_get(&rig->player, RES_DEPTH, SIZE, SIZE, words);
    for (uint32_t i = 1; i < SIZE * SIZE; i++)
        assert_int_equal(words[i], words[0]);
    return words[0];
}

/* Depths round to the nearest multiple of 1 / (2^24 - 1), where 2^24 - 1 is 16777215. 0.3 is
 * 5033164.5, which rounds to even. 0.035 is 587202.525, and 0.123 is 2063597.445. */
static void
nearest(void **state)
{
    static const struct {
        double depth;
        uint32_t bits;
    } clears[] = {{0.3, 5033164}, {0.035, 587203}, {0.123, 2063597}};
    struct rig *rig = *state;
    rig_start(rig);
    for (size_t i = 0; i < sizeof clears / sizeof *clears; i++) {
        clear(rig, MASK_DEPTH | MASK_STENCIL, clears[i].depth, 0x5a);
        assert_int_equal(stored(rig), 0x5a000000 | clears[i].bits);
        clear(rig, MASK_DEPTH | MASK_STENCIL, 1.0, 0xa5);
        clear(rig, MASK_DEPTH, clears[i].depth, 0);
        assert_int_equal(stored(rig), 0xa5000000 | clears[i].bits);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nearest, rig_set_up, rig_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
