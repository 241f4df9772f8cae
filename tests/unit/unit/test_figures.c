/* Calculated figures of the timed machine. One quad covers a surface of 64x64 pixels. Transactions
 * go to one channel and to all channels of the Memory Controller. */
#include "rigs/rig.h"

#include <stdio.h>

/* A strip of two triangles that covers the surface. */
static const float corners[4][4] = {{-1, -1, 0, 1}, {1, -1, 0, 1}, {-1, 1, 0, 1}, {1, 1, 0, 1}};

static int
set_up(void **state)
{
    if (rig_set_up(state))
        return -1;
    struct rig *rig = *state;
    rig->params.COLORWRITE.DisableCompression = true; /* every block takes 256 bytes */
    rig->has_depth = false;
    rig_start(rig);
    return 0;
}

static void
upload(struct rig *rig)
{
    rig_upload(rig, RES_VERTICES, corners, sizeof corners);
}

static void
clear(struct rig *rig)
{
    stream_clear(&rig->stream, MASK_COLOR0, (float[]){0, 1, 0, 1}, 0, 0);
    rig_submit(rig);
}

static void
draw(struct rig *rig)
{
    rig_draw(rig, PRIM_TRIANGLE_STRIP, 4, 0);
}

/* Asserts that all pixels have the same color, with these three components. */
static void
assert_color(const struct rig *rig, const uint8_t *rgb)
{
    for (uint32_t i = 0; i < SIZE * SIZE; i++)
        assert_memory_equal(&rig->pixels[i], rgb, 3);
}

/* Four vertices make four points, two lines, a strip of three lines, or one triangle. */
static void
primitives_by_kind(void **state)
{
    static const struct {
        uint32_t mode, points, lines, triangles;
    } kinds[] = {{PRIM_POINTS, 4, 0, 0},
                 {PRIM_LINES, 0, 2, 0},
                 {PRIM_LINE_STRIP, 0, 3, 0},
                 {PRIM_TRIANGLES, 0, 0, 1}};
    struct rig *rig = *state;
    upload(rig);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        rig_draw(rig, kinds[i].mode, 4, 0);
        rig_swap(rig);
        rig_assert_figure(rig, "primasm.vertices_in", 4);
        rig_assert_figure(rig, "primasm.points", kinds[i].points);
        rig_assert_figure(rig, "primasm.lines", kinds[i].lines);
        rig_assert_figure(rig, "primasm.triangles", kinds[i].triangles);
    }
}

/* The surface has 64 tiles of 8x8 pixels, 256 bytes each. The diagonal crosses 8 tiles, and 4 quads
 * in each of them. Both triangles cover a part of these quads. */
static void
assert_quad_figures(const struct rig *rig)
{
    rig_assert_figure(rig, "streamer.indices", 4);
    rig_assert_figure(rig, "streamer.vertices_shaded", 4);
    rig_assert_figure(rig, "primasm.primitives_out", 2);
    rig_assert_figure(rig, "setup.triangles_out", 2);
    rig_assert_figure(rig, "fraggen.tiles_out", 64 + 8);
    rig_assert_figure(rig, "fraggen.quads", 32 * 32 + 8 * 4);
    rig_assert_figure(rig, "fraggen.passes", 32 * 32 + 8 * 4);
    rig_assert_figure(rig, "fraggen.fragments", SIZE * SIZE);
    /* the fetch waits while the four vertices are shaded, and before and after the draw */
    assert_true(rig_figure(rig, "streamer.cycles_shading") > 0);
    assert_true(rig_figure(rig, "streamer.cycles_rest") >=
                rig_figure(rig, "streamer.starved_cycles") +
                    rig_figure(rig, "streamer.cycles_shading"));
    rig_assert_figure(rig, "colorwrite.fragments_in", SIZE * SIZE);
    rig_assert_figure(rig, "shader.fragments_killed", 0);
    /* one MOV per quad; END is not an instruction */
    rig_assert_figure(rig, "shader.fragment_instructions", 32 * 32 + 8 * 4);
    rig_assert_figure(rig, "memctl.attribute_bytes_read", 256); /* one line of the cache */
    rig_assert_figure(rig, "memctl.index_bytes_read", 0);
    rig_assert_figure(rig, "memctl.z_bytes_read", 0);
    rig_assert_figure(rig, "memctl.z_bytes_written", 0);
    rig_assert_figure(rig, "memctl.texture_bytes_read", 0);
    rig_assert_figure(rig, "memctl.color_bytes_written", SIZE * SIZE * 4);
    rig_assert_figure(rig, "memctl.dac_bytes_read", SIZE * SIZE * 4);
    assert_color(rig, (const uint8_t[]){255, 0, 0});
}

/* Cleared blocks are not read. */
static void
quad_over_a_cleared_surface(void **state)
{
    struct rig *rig = *state;
    upload(rig);
    clear(rig);
    draw(rig);
    rig_swap(rig);
    assert_quad_figures(rig);
    rig_assert_figure(rig, "memctl.command_bytes_written", sizeof corners);
    rig_assert_figure(rig, "memctl.color_bytes_read", 0);
    rig_assert_figure(rig, "colorwrite.lines_from_clear", 64);
    rig_assert_figure(rig, "colorwrite.blocks_cleared", 64);
    rig_assert_figure(rig, "dac.blocks_from_clear", 0);
}

/* Without a clear no block is read either, because the draw writes every byte of each line. */
static void
quad_over_an_old_surface(void **state)
{
    struct rig *rig = *state;
    upload(rig);
    draw(rig);
    rig_swap(rig);
    assert_quad_figures(rig);
    rig_assert_figure(rig, "memctl.color_bytes_read", 0);
    rig_assert_figure(rig, "colorwrite.lines_from_clear", 0);
    rig_assert_figure(rig, "colorwrite.lines_unread", 64);
}

/* A frame that only clears moves no bytes. */
static void
cleared_surface(void **state)
{
    struct rig *rig = *state;
    clear(rig);
    rig_swap(rig);
    rig_assert_figure(rig, "memctl.bytes_read", 0);
    rig_assert_figure(rig, "memctl.bytes_written", 0);
    rig_assert_figure(rig, "dac.blocks_from_clear", 64);
    assert_color(rig, (const uint8_t[]){0, 255, 0});
}

/* A client of the Memory Controller that sends reads at its maximum rate. */
struct reader {
    struct module module;
    struct queue requests, replies;
    uint32_t count, sent, received, stride;
    uint64_t last; /* cycle of the last reply */
    bool done;
};

static enum unit_state
reader_clock(void *self, uint64_t now)
{
    struct reader *reader = self;
    while (queue_front(&reader->replies, now)) {
        queue_pop(&reader->replies, now);
        reader->last = now;
        reader->done = ++reader->received == reader->count;
    }
    if (reader->sent == reader->count || !queue_space(&reader->requests, now))
        return UNIT_WAITING;
    struct memory_request *request = queue_push(&reader->requests, now);
    *request = (struct memory_request){.address = reader->sent++ * reader->stride};
    return UNIT_BUSY;
}

static const struct module_ops reader_ops = {.clock = reader_clock};

/* Returns the cycle in which the last of `count` reads arrives. */
static uint64_t
read_all(uint32_t count, uint32_t stride)
{
    struct gpu_memory memory = {.bytes = mem_alloc(1 << 20), .size_bytes = 1 << 20};
    struct reader reader = {.count = count, .stride = stride};
    struct memctl *memctl = mem_alloc(sizeof *memctl);
    struct params params;
    struct clock clock;
    struct error err;
    assert_true(params_load_preset(&params, "reference-2005", &err));
    assert_int_equal(params.MEMORYCONTROLLER.MemoryBuses, 4);
    assert_int_equal(params.MEMORYCONTROLLER.MemoryBusWidth, 64);
    params.MEMORYCONTROLLER.ReadLatency = 10;
    params.MEMORYCONTROLLER.BankGranularity = 512;
    clock_init(&clock);
    clock_add_module(&clock, &reader.module, "reader", -1, &reader, &reader_ops);
    const struct unit_env env = {.clock = &clock, .params = &params, .memory = &memory};
    memctl_init(memctl, &env, 0);
    queue_init(&reader.requests, &clock, "requests", -1, &reader.module, &memctl->module,
               sizeof(struct memory_request), 1, 8, 1);
    queue_init(&reader.replies, &clock, "replies", -1, &memctl->module, &reader.module,
               sizeof(struct memory_reply), 4, 64, 1);
    memctl_add_port(memctl, CLIENT_texture, &reader.requests, &reader.replies);
    assert_true(clock_run(&clock, &reader.done, 1000, &err));
    queue_fini(&reader.requests);
    queue_fini(&reader.replies);
    module_fini(&memctl->module);
    clock_fini(&clock);
    free(memctl);
    free(memory.bytes);
    return reader.last;
}

/* One transaction takes a cycle to the controller, a cycle in the queue of the channel and a burst.
 * The burst transfers 64 bytes over 64 bits at double rate. The transaction then takes ten cycles
 * of latency and one cycle back. Further transactions on the same channel follow at intervals of
 * one burst. On four channels they follow at the rate of the client, one per cycle. */
static void
memory_cycles(void **state)
{
    (void)state;
    const uint64_t burst = 64 * 8 / (64 * 2), first = 1 + 1 + burst + 10 + 1;
    assert_int_equal(read_all(1, 64), first);
    assert_int_equal(read_all(100, 4 * 512), first + 99 * burst);
    assert_int_equal(read_all(100, 512), first + 99);
}

/* Checks that each unit and each queue has figures. */
static void
all_are_there(void **state)
{
    struct rig *rig = *state;
    rig_swap(rig);
    const struct clock *clock = &rig_machine(rig)->clock;
    char name[128];
    for (uint32_t q = 0; q < clock->queue_count; q++) {
        snprintf(name, sizeof name, "%s.items_in", clock->queues[q]->name);
        (void)rig_figure(rig, name);
    }
    for (uint32_t m = 0; m < clock->module_count; m++) {
        snprintf(name, sizeof name, "%s.busy_cycles", clock->modules[m]->name);
        (void)rig_figure(rig, name);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(primitives_by_kind, set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(quad_over_a_cleared_surface, set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(quad_over_an_old_surface, set_up, rig_tear_down),
        cmocka_unit_test_setup_teardown(cleared_surface, set_up, rig_tear_down),
        cmocka_unit_test(memory_cycles),
        cmocka_unit_test_setup_teardown(all_are_there, set_up, rig_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
