/* The DAC with a separate screen clock (without DAC.SynchedRefresh). It reads the shown surface
 * exactly every RefreshRate cycles of the frame. */
#include "rigs/rig.h"

enum {
    RATE = 2000,
    TRANSACTIONS = SIZE * SIZE * 4 / 64,
    REFRESHES = 4,
    RES_OTHER = 20,
    RES_BUFFER,
    UPLOAD_BYTES = 67200, /* 8400 cycles at 8 bytes per cycle */
};

struct starts {
    uint64_t transactions, cycles[REFRESHES + 1];
    uint32_t count;
};

/* Observer that the clock calls between cycles, so new transactions belong to cycle now - 1. */
static void
look(void *data, uint64_t now)
{
    struct rig *rig = data;
    struct starts *starts = rig->data;
    const uint64_t transactions = rig_machine(rig)->dac->stats.transactions;
    if (transactions != starts->transactions && transactions % TRANSACTIONS == 1) {
        assert_true(starts->count <= REFRESHES);
        starts->cycles[starts->count++] = now - 1;
    }
    starts->transactions = transactions;
    rig_machine(rig)->clock.sample_cycle = now + 1;
}

/* Shows one frame, so that the test begins at the start of a frame. */
static void
start(struct rig *rig, bool synched, bool reads)
{
    rig->has_depth = false;
    rig->params.DAC.SynchedRefresh = synched;
    rig->params.DAC.RefreshFrame = reads;
    rig->params.DAC.RefreshRate = RATE;
    rig->data = calloc(1, sizeof(struct starts));
    rig_start(rig);
    player_create(&rig->player, (struct resource_desc){RES_OTHER, TARGET_2D, FORMAT_B8G8R8A8_UNORM,
                                                       BIND_RENDER_TARGET, SIZE, SIZE, 1, 1, 0, 0});
    player_create(&rig->player,
                  (struct resource_desc){RES_BUFFER, TARGET_BUFFER, FORMAT_R8_UNORM,
                                         BIND_VERTEX_BUFFER, UPLOAD_BYTES, 1, 1, 1, 0, 0});
    rig_swap(rig);
}

/* Sets the sampling callback after the upload has started the frame, because a frame sets its own
 * callback at its start. */
static void
upload(struct rig *rig, bool watched)
{
    static const uint8_t bytes[UPLOAD_BYTES];
    struct clock *clock = &rig_machine(rig)->clock;
    struct error err = {""};
    rig_upload(rig, RES_BUFFER, bytes, sizeof bytes);
    clock->sample = watched ? look : NULL;
    clock->sample_data = rig;
    clock->sample_cycle = clock->now + 1;
    assert_true(machine_drain(rig_machine(rig), &err));
    clock->sample = NULL;
}

static void
every_so_many_cycles(void **state)
{
    struct rig *rig = *state;
    start(rig, false, true);
    const struct starts *starts = rig->data;
    const uint64_t frame_start = rig_machine(rig)->clock.now;
    upload(rig, true);
    assert_int_equal(starts->count, REFRESHES);
    for (uint32_t i = 0; i < REFRESHES; i++)
        assert_int_equal(starts->cycles[i], frame_start + (i + 1) * RATE);
    rig_swap(rig);
    rig_assert_figure(rig, "dac.refreshes", REFRESHES);
    rig_assert_figure(rig, "memctl.dac_bytes_read", REFRESHES * SIZE * SIZE * 4);
}

/* The shown surface may come from a frame that was not simulated. */
static void
of_what_is_shown(void **state)
{
    struct rig *rig = *state;
    start(rig, false, true);
    const struct resource *other = gpu_resource(&rig->player.sim.device, 1, RES_OTHER);
    dac_show(rig_machine(rig)->dac, other);
    upload(rig, false);
    assert_int_equal(rig_machine(rig)->dac->base, other->address);
}

/* The DAC reads only at swaps, or never, independent of the screen clock. */
static void
at_swaps_or_never(void **state)
{
    (void)state;
    for (uint32_t kind = 1; kind < 4; kind++) {
        const bool synched = kind & 1, reads = kind != 3 && synched;
        struct rig *rig = rig_create();
        start(rig, synched, reads);
        upload(rig, false);
        rig_swap(rig);
        rig_assert_figure(rig, "dac.refreshes", 0);
        rig_assert_figure(rig, "memctl.dac_bytes_read", reads ? SIZE * SIZE * 4 : 0);
        rig_destroy(rig);
    }
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, rig_set_up, rig_tear_down)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(every_so_many_cycles),
        CASE(of_what_is_shown),
        cmocka_unit_test(at_swaps_or_never),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
