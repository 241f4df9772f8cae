/* Figures of the timed machine that arithmetic gives: one quad over a surface of 64x64 pixels, and
 * transactions on one and on all channels of the memory controller. */
#include "stream.h"

#include "sim/executor.h"
#include "sim/simulation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

enum {
    SIZE = 64,
    FORMAT_BGRA8 = 1,
    FORMAT_BYTES = 64,
    FORMAT_RGBA_FLOAT = 31,
    RES_COLOR = 1,
    RES_VERTICES,
    OBJ_BLEND = 101,
    OBJ_RASTERIZER,
    OBJ_DSA,
    OBJ_VS,
    OBJ_FS,
    OBJ_ELEMENTS,
    OBJ_COLOR,
};

static const char vs[] = "VERT\n"
                         "DCL IN[0]\n"
                         "DCL OUT[0], POSITION\n"
                         "  0: MOV OUT[0], IN[0]\n"
                         "  1: END\n";
static const char fs[] = "FRAG\n"
                         "DCL OUT[0], COLOR\n"
                         "IMM[0] FLT32 {1.0, 0.0, 0.0, 1.0}\n"
                         "  0: MOV OUT[0], IMM[0]\n"
                         "  1: END\n";

/* A strip of two triangles that covers the surface. */
static const float corners[4][4] = {{-1, -1, 0, 1}, {1, -1, 0, 1}, {-1, 1, 0, 1}, {1, 1, 0, 1}};

struct rig {
    struct simulation sim;
    struct executor_sink sink;
    struct stream stream;
    uint64_t *values;                   /* of the last frame */
    uint32_t first_pixel, other_pixels; /* RGBA as one number; how many differ from the first */
};

static bool
take_frame(void *data, const struct simulation_frame *frame, struct error *err)
{
    struct rig *rig = data;
    const struct stat_set *set = &rig->sim.machine->stats;
    (void)err;
    rig->values = realloc(rig->values, set->count * sizeof *rig->values);
    stat_set_snapshot(set, rig->values);
    const uint8_t *rgba = frame->picture->rgba;
    memcpy(&rig->first_pixel, rgba, 4);
    rig->other_pixels = 0;
    for (uint32_t i = 0; i < SIZE * SIZE; i++)
        rig->other_pixels += memcmp(rgba + (size_t)i * 4, rgba, 4) != 0;
    return true;
}

static void
take(struct rig *rig, struct message message)
{
    struct error err;
    message.client = 1;
    if (!rig->sink.sink.take(rig->sink.sink.data, &message, NULL, 0, &err))
        fail_msg("%s", err.text);
}

static void
submit(struct rig *rig)
{
    take(rig, stream_message(&rig->stream, 1));
    rig->stream.count = 0;
}

static void
create(struct rig *rig, struct resource_desc desc)
{
    take(rig, (struct message){.kind = MESSAGE_RESOURCE_CREATE, .resource = desc});
}

static void
set_state(struct rig *rig)
{
    struct stream *s = &rig->stream;
    PACKET(s, 1, 1, OBJ_BLEND, 0, 0, 15u << 27, 0, 0, 0, 0, 0, 0, 0);
    PACKET(s, 1, 2, OBJ_RASTERIZER, 1 << 1 | 1 << 29, float_bits(1), 0, 0, float_bits(1), 0, 0, 0);
    PACKET(s, 1, 3, OBJ_DSA, 0, 0, 0, 0);
    stream_shader(s, OBJ_VS, 0, vs);
    stream_shader(s, OBJ_FS, 1, fs);
    PACKET(s, 1, 5, OBJ_ELEMENTS, 0, 0, 0, FORMAT_RGBA_FLOAT);
    PACKET(s, 1, 8, OBJ_COLOR, RES_COLOR, FORMAT_BGRA8, 0, 0);
    PACKET(s, 2, 1, OBJ_BLEND);
    PACKET(s, 2, 2, OBJ_RASTERIZER);
    PACKET(s, 2, 3, OBJ_DSA);
    PACKET(s, 2, 5, OBJ_ELEMENTS);
    PACKET(s, 31, 0, OBJ_VS, 0);
    PACKET(s, 31, 0, OBJ_FS, 1);
    PACKET(s, 5, 0, 1, 0, OBJ_COLOR);
    PACKET(s, 6, 0, 16, 0, RES_VERTICES);
    PACKET(s, 4, 0, 0, float_bits(SIZE / 2), float_bits(SIZE / 2), float_bits(.5f),
           float_bits(SIZE / 2), float_bits(SIZE / 2), float_bits(.5f));
    submit(rig);
}

static int
set_up(void **state)
{
    struct rig *rig = mem_alloc(sizeof *rig);
    struct simulation_listener listener = {.data = rig, .frame = take_frame};
    struct frame_set all = {0};
    struct params params;
    struct error err;
    if (!params_load_preset(&params, "reference-2005", &err))
        return -1;
    params.MEMORYCONTROLLER.MemorySize = 1 << 20;
    params.COLORWRITE.DisableCompression = true; /* every block is 256 bytes */
    if (!simulation_init(&rig->sim, &params, &all, &listener, &err))
        return -1;
    executor_sink_init(&rig->sink, &rig->sim.executor);
    take(rig, (struct message){.kind = MESSAGE_CLIENT_BEGIN});
    create(rig, (struct resource_desc){RES_COLOR, TARGET_2D, FORMAT_BGRA8,
                                       BIND_RENDER_TARGET | BIND_DISPLAY_TARGET, SIZE, SIZE, 1, 1,
                                       0, 0});
    create(rig, (struct resource_desc){RES_VERTICES, TARGET_BUFFER, FORMAT_BYTES,
                                       BIND_VERTEX_BUFFER, sizeof corners, 1, 1, 1, 0, 0});
    set_state(rig);
    *state = rig;
    return 0;
}

static int
tear_down(void **state)
{
    struct rig *rig = *state;
    executor_sink_fini(&rig->sink);
    simulation_fini(&rig->sim);
    free(rig->values);
    free(rig);
    return 0;
}

static void
upload(struct rig *rig)
{
    struct message message = {
        .kind = MESSAGE_PUT, .bytes = (const uint8_t *)corners, .size_bytes = sizeof corners};
    message.transfer.handle = RES_VERTICES;
    message.transfer.box = (struct box){0, 0, 0, sizeof corners, 1, 1};
    take(rig, message);
}

static void
clear(struct rig *rig)
{
    PACKET(&rig->stream, 7, 0, 1 << 2, 0, float_bits(1), 0, float_bits(1), 0, 0, 0);
    submit(rig);
}

static void
draw(struct rig *rig)
{
    PACKET(&rig->stream, 8, 0, 0, 4, 5, 0, 1, 0, 0, 0, 0, 0, ~0u, 0);
    submit(rig);
}

static void
swap(struct rig *rig)
{
    struct message message = {.kind = MESSAGE_SWAP};
    message.transfer.handle = RES_COLOR;
    message.transfer.box = (struct box){0, 0, 0, SIZE, SIZE, 1};
    take(rig, message);
}

static void
assert_figure(const struct rig *rig, const char *name, uint64_t expected)
{
    uint64_t value;
    if (!stat_set_sum(&rig->sim.machine->stats, rig->values, name, &value))
        fail_msg("there is no %s", name);
    if (value != expected)
        fail_msg("%s is %llu, not %llu", name, (unsigned long long)value,
                 (unsigned long long)expected);
}

/* 64 tiles of 8x8 pixels, 256 bytes each. The diagonal goes through the corners of 8 tiles, and of
 * 4 quads in each of these: both triangles have a part of them. */
static void
assert_quad_figures(const struct rig *rig)
{
    assert_figure(rig, "streamer.indices", 4);
    assert_figure(rig, "streamer.vertices_shaded", 4);
    assert_figure(rig, "primasm.primitives_out", 2);
    assert_figure(rig, "setup.triangles_out", 2);
    assert_figure(rig, "fraggen.tiles_out", 64 + 8);
    assert_figure(rig, "fraggen.quads", 32 * 32 + 8 * 4);
    assert_figure(rig, "fraggen.fragments", SIZE * SIZE);
    assert_figure(rig, "colorwrite.fragments_in", SIZE * SIZE);
    assert_figure(rig, "shader.fragments_killed", 0);
    /* a MOV a quad; END is none */
    assert_figure(rig, "shader.fragment_instructions", 32 * 32 + 8 * 4);
    assert_figure(rig, "memctl.attribute_bytes_read", 256); /* one line of the cache */
    assert_figure(rig, "memctl.index_bytes_read", 0);
    assert_figure(rig, "memctl.z_bytes_read", 0);
    assert_figure(rig, "memctl.z_bytes_written", 0);
    assert_figure(rig, "memctl.texture_bytes_read", 0);
    assert_figure(rig, "memctl.color_bytes_written", SIZE * SIZE * 4);
    assert_figure(rig, "memctl.dac_bytes_read", SIZE * SIZE * 4);
    assert_int_equal(rig->other_pixels, 0);
    const uint8_t red[4] = {255, 0, 0, 255};
    assert_memory_equal(&rig->first_pixel, red, 3);
}

/* What was cleared is not read. */
static void
quad_over_a_cleared_surface(void **state)
{
    struct rig *rig = *state;
    upload(rig);
    clear(rig);
    draw(rig);
    swap(rig);
    assert_quad_figures(rig);
    assert_figure(rig, "memctl.command_bytes_written", sizeof corners);
    assert_figure(rig, "memctl.color_bytes_read", 0);
    assert_figure(rig, "colorwrite.lines_from_clear", 64);
    assert_figure(rig, "colorwrite.blocks_cleared", 64);
    assert_figure(rig, "dac.blocks_from_clear", 0);
}

/* Without a clear every line is read once. */
static void
quad_over_an_old_surface(void **state)
{
    struct rig *rig = *state;
    upload(rig);
    draw(rig);
    swap(rig);
    assert_quad_figures(rig);
    assert_figure(rig, "memctl.color_bytes_read", SIZE * SIZE * 4);
    assert_figure(rig, "colorwrite.lines_from_clear", 0);
}

/* A picture that is nothing but cleared moves no byte. */
static void
cleared_surface(void **state)
{
    struct rig *rig = *state;
    clear(rig);
    swap(rig);
    assert_figure(rig, "memctl.bytes_read", 0);
    assert_figure(rig, "memctl.bytes_written", 0);
    assert_figure(rig, "dac.blocks_from_clear", 64);
    const uint8_t green[4] = {0, 255, 0, 255};
    assert_int_equal(rig->other_pixels, 0);
    assert_memory_equal(&rig->first_pixel, green, 3);
}

/* A client of the memory controller that reads as fast as it can. */
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

/* The cycle in which the last of `count` reads comes back. */
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
    clock_add_module(&clock, &reader.module, "reader", -1, &reader, reader_clock);
    memctl_init(memctl, &clock, &params, &memory);
    queue_init(&reader.requests, &clock, "requests", -1, &reader.module, &memctl->module,
               sizeof(struct memory_request), 1, 8, 1);
    queue_init(&reader.replies, &clock, "replies", -1, &memctl->module, &reader.module,
               sizeof(struct memory_reply), 4, 64, 1);
    memctl_add_port(memctl, CLIENT_TEXTURE, &reader.requests, &reader.replies);
    assert_true(clock_run(&clock, &reader.done, 1000, &err));
    queue_fini(&reader.requests);
    queue_fini(&reader.replies);
    memctl_fini(memctl);
    free(memctl);
    free(memory.bytes);
    return reader.last;
}

/* One transaction: a cycle to the controller, one in the channel's queue, a burst of 64 bytes over
 * 64 bits at double rate, ten cycles of latency, one back. The next ones on the same channel follow
 * a burst later each; spread over four channels, as fast as the client asks: one a cycle. */
static void
memory_cycles(void **state)
{
    (void)state;
    const uint64_t burst = 64 * 8 / (64 * 2), first = 1 + 1 + burst + 10 + 1;
    assert_int_equal(read_all(1, 64), first);
    assert_int_equal(read_all(100, 4 * 512), first + 99 * burst);
    assert_int_equal(read_all(100, 512), first + 99);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(quad_over_a_cleared_surface, set_up, tear_down),
        cmocka_unit_test_setup_teardown(quad_over_an_old_surface, set_up, tear_down),
        cmocka_unit_test_setup_teardown(cleared_surface, set_up, tear_down),
        cmocka_unit_test(memory_cycles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
