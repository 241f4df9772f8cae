/* Uniform blocks on the timed machine: the constant cache of a shader unit. Each quad of the target
 * reads other constants. Expected pixels, misses and cycles are computed here. */
#include "rigs/near.h"
#include "rigs/player.h"
#include "rigs/scene.h"
#include "rigs/settings.h"

#include <stdio.h>
#include <string.h>

enum { SIZE = 32, QUADS = SIZE * SIZE / 4, VEC4S = 1024, BLOCK_OFFSET = 256 };
enum { RES_BLOCK = 30, RES_OTHER };

/* One shader unit, groups of 64 threads that issue in 4 cycles, and one channel without pages. A
 * transaction takes 64 bytes / (2 x 8 bytes per cycle) = 4 cycles on the channel. */
#define MACHINE                                                                                    \
    "GPU.NumFragmentShaders=1 FRAGMENTSHADER.ThreadGroup=64 FRAGMENTSHADER.ThreadRate=16 "         \
    "FRAGMENTSHADER.LockedExecutionMode=TRUE FRAGMENTSHADER.FetchRate=1 "                          \
    "MEMORYCONTROLLER.MemorySize=1048576 MEMORYCONTROLLER.MemoryControllerV2=FALSE "               \
    "MEMORYCONTROLLER.MemoryBuses=1 MEMORYCONTROLLER.MemoryBusWidth=64 "                           \
    "MEMORYCONTROLLER.BurstLength=8 MEMORYCONTROLLER.PageOpenLatency=0"

/* Reads: the element of the block is (number & mask) * stride, where the number is that of the quad
 * or of the pixel. */
struct reads {
    bool by_pixel;
    uint32_t stride, mask;
};
static const struct reads line_per_quad = {false, 4, 255}, constant_per_pixel = {true, 1, 1023},
                          same_set = {false, 32, 31}, half_outside = {false, 8, 255};

static uint32_t
element(const struct reads *reads, uint32_t x, uint32_t y)
{
    const uint32_t number = reads->by_pixel ? x + SIZE * y : x / 2 + SIZE / 2 * (y / 2);
    return (number & reads->mask) * reads->stride;
}

static void
make_program(const struct reads *reads, char *text, size_t size)
{
    snprintf(text, size,
             "FRAG\n"
             "DCL IN[0], POSITION, LINEAR\n"
             "DCL OUT[0], COLOR\n"
             "DCL CONST[1][0..%u]\n"
             "DCL CONST[2][0]\n"
             "DCL TEMP[0]\n"
             "DCL ADDR[0]\n"
             "IMM[0] UINT32 {%u, %u, %u, %u}\n"
             "  0: F2I TEMP[0].xy, IN[0].xyyy\n"
             "  1: USHR TEMP[0].xy, TEMP[0].xyyy, IMM[0].xxxx\n"
             "  2: UMAD TEMP[0].x, TEMP[0].yyyy, IMM[0].yyyy, TEMP[0].xxxx\n"
             "  3: AND TEMP[0].x, TEMP[0].xxxx, IMM[0].zzzz\n"
             "  4: UMUL TEMP[0].x, TEMP[0].xxxx, IMM[0].wwww\n"
             "  5: UARL ADDR[0].x, TEMP[0].xxxx\n"
             "  6: MOV OUT[0], CONST[1][ADDR[0].x]\n"
             "  7: END\n",
             VEC4S - 1, reads->by_pixel ? 0u : 1u, reads->by_pixel ? SIZE : SIZE / 2, reads->mask,
             reads->stride);
}

/* Color of an element: its number in red and green, and `blue`. */
static void
put_block(struct player *player, uint32_t resource, uint32_t blue)
{
    static float vec4s[VEC4S][4];
    for (uint32_t i = 0; i < VEC4S; i++) {
        vec4s[i][0] = (float)(i & 255) / 255;
        vec4s[i][1] = (float)(i >> 8) / 255;
        vec4s[i][2] = (float)blue / 255;
        vec4s[i][3] = 1;
    }
    player_take(player,
                (struct message){
                    .kind = MESSAGE_PUT,
                    .transfer = {resource, 0, {BLOCK_OFFSET, 0, 0, (int32_t)sizeof vec4s, 1, 1}},
                    .bytes = (const uint8_t *)vec4s,
                    .size_bytes = sizeof vec4s},
                NULL, 0);
}

/* Draws the triangle below the diagonal of a viewport of `side` pixels. */
static void
draw(struct player *player, float side)
{
    struct stream s = {0};
    scene_viewport(&s, side, side);
    stream_draw(&s, PRIM_TRIANGLES, 0, 3);
    player_submit(player, &s);
}

static void
create_block(struct player *player, uint32_t resource)
{
    player_create(player, (struct resource_desc){resource, TARGET_BUFFER, FORMAT_R8_UNORM,
                                                 BIND_CONSTANT_BUFFER, BLOCK_OFFSET + VEC4S * 16, 1,
                                                 1, 1, 0, 0});
}

/* Binds a block. `bytes` 0: none. */
static void
bind(struct player *player, uint32_t index, uint32_t resource, uint32_t bytes)
{
    struct stream s = {0};
    PACKET(&s, CMD_SET_UNIFORM_BUFFER, VSTAGE_FRAGMENT, index, bytes ? BLOCK_OFFSET : 0, bytes,
           bytes ? resource : 0);
    player_submit(player, &s);
}

static void
begin(struct player *player, const char *settings, bool timed, const struct reads *reads)
{
    static const float corners[3][4] = {{-1, -1, 0, 1}, {1, -1, 0, 1}, {-1, 1, 0, 1}};
    struct params params;
    struct error err = {""};
    struct stream s = {0};
    char fs[1024];
    assert_true(params_load_preset(&params, "reference-2008", &err));
    settings_apply(&params, NULL, MACHINE);
    if (*settings)
        settings_apply(&params, NULL, settings);
    player_start(player, &params, timed, NULL);
    player_create(player,
                  (struct resource_desc){RES_VERTICES, TARGET_BUFFER, FORMAT_R8_UNORM,
                                         BIND_VERTEX_BUFFER, sizeof corners, 1, 1, 1, 0, 0});
    player_create(player, (struct resource_desc){RES_COLOR, TARGET_2D, FORMAT_B8G8R8A8_UNORM,
                                                 BIND_RENDER_TARGET, SIZE, SIZE, 1, 1, 0, 0});
    for (uint32_t r = RES_BLOCK; r <= RES_OTHER; r++)
        create_block(player, r);
    player_put(player, RES_VERTICES, corners, sizeof corners);
    put_block(player, RES_BLOCK, 0);
    put_block(player, RES_OTHER, 0);
    make_program(reads, fs, sizeof fs);
    scene_states(&s, 0);
    scene_shaders(&s, "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\n  0: MOV OUT[0], IN[0]\n  1: END\n",
                  fs);
    CREATE(&s, VOBJ_VERTEX_ELEMENTS, OBJ_ELEMENTS, 0, 0, 0, FORMAT_R32G32B32A32_FLOAT);
    scene_surfaces(&s, FORMAT_B8G8R8A8_UNORM, 0);
    scene_bind(&s);
    PACKET(&s, CMD_SET_VERTEX_BUFFERS, 16, 0, RES_VERTICES);
    player_submit(player, &s);
    bind(player, 1, RES_BLOCK, VEC4S * 16);
    bind(player, 2, RES_OTHER, 16); /* not read */
}

/* `edge`: pixels with x + y < edge have blue 1, the others 0. */
static void
check_picture(struct player *player, const struct reads *reads, uint32_t edge)
{
    uint32_t pixels[SIZE * SIZE];
    player_get(player, RES_COLOR, SIZE, SIZE, pixels);
    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
        const uint32_t x = i % SIZE, y = i / SIZE, at = element(reads, x, y);
        const uint32_t inside =
            0xff000000 | (at & 255) << 16 | (at >> 8) << 8 | (x + y < edge ? 1u : 0u);
        const uint32_t expected = at < VEC4S ? inside : 0;
        if (pixels[i] != expected)
            fail_msg("pixel %u,%u is %08x, not %08x", x, y, pixels[i], expected);
    }
}

struct figures {
    uint64_t cycles; /* of draws */
    struct shader_stats shader;
    uint64_t bytes_read;
    uint64_t latency, bandwidth; /* cycles that the critical path attributes to constants */
};

/* Draws `count` triangles that cover the target. */
static struct figures
run(const char *settings, const struct reads *reads, uint32_t count)
{
    struct player player = {0};
    begin(&player, settings, true, reads);
    for (uint32_t i = 0; i < count; i++)
        draw(&player, 2 * SIZE);
    check_picture(&player, reads, 0);
    const struct machine *m = player.sim.machine;
    const struct figures figures = {m->accounting.stats.cycles[WORK_DRAW], m->shader[0].stats,
                                    m->memctl->stats.client_bytes_read[CLIENT_constant],
                                    m->clock.path.cycles[CAUSE_latency_constant],
                                    m->clock.path.cycles[CAUSE_bandwidth_constant]};
    assert_int_equal(figures.shader.constant_accesses,
                     figures.shader.constant_hits + figures.shader.constant_misses);
    player_end(&player);
    return figures;
}

/* One line in flight: each of the 256 lines takes a hop to the controller, one cycle in it,
 * ReadLatency, 4 cycles on the channel, a hop back, and one cycle until the next request. */
static void
latency_bounds_misses(void **state)
{
    (void)state;
    const struct figures slow =
        run("MEMORYCONTROLLER.ReadLatency=60 SHADER.ConstantCacheMisses=1", &line_per_quad, 1);
    const struct figures fast =
        run("MEMORYCONTROLLER.ReadLatency=30 SHADER.ConstantCacheMisses=1", &line_per_quad, 1);
    assert_int_equal(slow.shader.constant_misses, QUADS);
    assert_int_equal(slow.bytes_read, QUADS * 64);
    assert_near(slow.cycles, QUADS * (60 + 4 + 4));
    assert_near(slow.cycles - fast.cycles, QUADS * 30);
    assert_near(slow.latency + slow.bandwidth, QUADS * (60 + 4 + 4));
    /* without misses, what remains is work that the misses had hidden */
    const struct figures perfect =
        run("MEMORYCONTROLLER.ReadLatency=60 SHADER.PerfectConstants=TRUE", &line_per_quad, 1);
    assert_int_equal(perfect.latency + perfect.bandwidth, 0);
    assert_true(perfect.cycles < slow.cycles / 10);
    /* eight lines in flight hide seven eighths of the latency */
    const struct figures eight =
        run("MEMORYCONTROLLER.ReadLatency=60 SHADER.ConstantCacheMisses=8", &line_per_quad, 1);
    assert_true(eight.cycles < slow.cycles / 4);
    assert_true(slow.shader.slot_fates[SLOT_CONSTANTS] > slow.cycles * 9 / 10);
}

/* Many lines in flight: the channel transfers the lines, 16 or 32 cycles each. */
static void
bandwidth_bounds_misses(void **state)
{
    (void)state;
#define NARROW "SHADER.ConstantCacheMisses=256 MEMORYCONTROLLER.ReadLatency=1 "
    const struct figures two =
        run(NARROW "MEMORYCONTROLLER.MemoryBusWidth=16 MEMORYCONTROLLER.BurstLength=32",
            &line_per_quad, 1);
    const struct figures one =
        run(NARROW "MEMORYCONTROLLER.MemoryBusWidth=8 MEMORYCONTROLLER.BurstLength=64",
            &line_per_quad, 1);
    assert_int_equal(one.shader.constant_misses, QUADS);
    assert_near(one.cycles - two.cycles, QUADS * 16);
}

/* The 64 threads of each of 16 groups read 64 constants, which takes 64 / rate cycles instead of
 * 4. */
static void
rate_bounds_different_constants(void **state)
{
    (void)state;
#define PERFECT "SHADER.PerfectConstants=TRUE "
    static const struct {
        const char *settings;
        uint32_t cycles;
    } rates[] = {{PERFECT "SHADER.ConstantCacheRate=1", 16 * (64 - 4)},
                 {PERFECT "SHADER.ConstantCacheRate=4", 16 * (16 - 4)},
                 {PERFECT "SHADER.ConstantCacheRate=16", 0}};
    uint64_t first = 0;
    for (uint32_t i = 0; i < 3; i++) {
        const struct figures f = run(rates[i].settings, &constant_per_pixel, 1);
        assert_int_equal(f.shader.constant_accesses, SIZE * SIZE);
        assert_int_equal(f.shader.constant_misses, 0);
        assert_int_equal(f.bytes_read, 0);
        assert_int_equal(f.shader.constant_cycles, rates[i].cycles);
        if (i == 1)
            assert_near(first - f.cycles, rates[0].cycles - rates[1].cycles);
        first = i ? first : f.cycles;
    }
    /* a constant that all threads of a quad share is read once */
    assert_int_equal(run(PERFECT, &line_per_quad, 1).shader.constant_accesses, QUADS);
}

/* The last group ends later by the latency. */
static void
latency_of_hits(void **state)
{
    (void)state;
    const struct figures none = run(PERFECT, &line_per_quad, 1);
    const struct figures some = run(PERFECT "SHADER.ConstantCacheLatency=100", &line_per_quad, 1);
    assert_in_range(some.cycles - none.cycles, 97, 103);
}

/* Misses of two draws that read the same lines in the same order. */
static void
shape_of_the_cache(void **state)
{
    (void)state;
    static const struct {
        const char *settings;
        const struct reads *reads;
        uint32_t misses;
    } cases[] = {
        /* 32 lines; each is evicted before the second draw */
        {"", &line_per_quad, 2 * QUADS},
        {"SHADER.ConstantCacheSets=64", &line_per_quad, QUADS},
        {"SHADER.ConstantCacheSets=64 SHADER.ConstantCacheLineSize=256", &line_per_quad, QUADS / 4},
        /* 32 lines that are 512 bytes apart map to one of 8 sets, as do all reads of a draw: 8
         * times 32 lines */
        {"SHADER.ConstantCacheWays=32", &same_set, 32},
        {"SHADER.ConstantCacheWays=32 SHADER.ConstantCacheSets=1", &same_set, 32},
        {"SHADER.ConstantCacheSets=64", &same_set, 32},
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(run(cases[i].settings, cases[i].reads, 2).shader.constant_misses,
                         cases[i].misses);
    assert_true(run("", &same_set, 2).shader.constant_misses > 32);
    /* lip keeps old lines */
    assert_true(
        run("SHADER.ConstantCacheReplacement=lip", &line_per_quad, 2).shader.constant_misses <
        2 * QUADS);
}

/* A group that waits for a line gives its turn to others, also if these lack a write port. */
static void
other_groups_issue(void **state)
{
    (void)state;
    static const char *const machines[] = {
        "FRAGMENTSHADER.ThreadGroup=4 FRAGMENTSHADER.ThreadRate=4 SHADER.WritePorts=1",
        "FRAGMENTSHADER.ThreadGroup=4 FRAGMENTSHADER.ThreadRate=4 "
        "FRAGMENTSHADER.ThreadWindow=FALSE",
        "FRAGMENTSHADER.ThreadGroup=4 FRAGMENTSHADER.ThreadRate=4 FRAGMENTSHADER.SwapOnBlock=TRUE",
        "FRAGMENTSHADER.ThreadGroup=8 FRAGMENTSHADER.FetchRate=2 SHADER.Replay=TRUE",
        "FRAGMENTSHADER.ThreadGroup=4 FRAGMENTSHADER.LockedExecutionMode=FALSE "
        "FRAGMENTSHADER.ThreadWindow=FALSE FRAGMENTSHADER.SwapOnBlock=TRUE",
    };
    for (uint32_t i = 0; i < sizeof machines / sizeof machines[0]; i++)
        assert_int_equal(run(machines[i], &line_per_quad, 1).shader.constant_misses, QUADS);
}

/* Two channels deliver lines in the same cycle: of 32 lines in flight, the first half belongs to
 * one channel. A wider bus delivers both. */
static void
bus_of_the_cache(void **state)
{
    (void)state;
#define CHANNELS                                                                                   \
    "SHADER.ConstantCacheMisses=64 MEMORYCONTROLLER.MemoryBuses=2 "                                \
    "MEMORYCONTROLLER.BankGranularity=1024"
    const struct figures narrow = run(CHANNELS, &line_per_quad, 1);
    const struct figures wide =
        run(CHANNELS " MEMORYCONTROLLER.ConstantBusWidth=128", &line_per_quad, 1);
    assert_true(wide.cycles < narrow.cycles);
}

/* Half of the quads read outside of the block: 0, without an access. */
static void
outside_is_not_read(void **state)
{
    struct player player = {0};
    (void)state;
    assert_int_equal(run("SHADER.ConstantCacheSets=64", &half_outside, 1).shader.constant_misses,
                     QUADS / 2);
    begin(&player, "", false, &half_outside);
    draw(&player, 2 * SIZE);
    check_picture(&player, &half_outside, 0);
    player_end(&player);
}

/* The block ends in the middle of its last constant, whose other half is 0. */
static void
last_constant_is_cut(void **state)
{
    (void)state;
    for (int timed = 0; timed < 2; timed++) {
        struct player player = {0};
        uint32_t pixels[SIZE * SIZE];
        begin(&player, "", timed, &constant_per_pixel);
        bind(&player, 1, RES_BLOCK, VEC4S * 16 - 8);
        draw(&player, 2 * SIZE);
        player_get(&player, RES_COLOR, SIZE, SIZE, pixels);
        assert_int_equal(pixels[SIZE * SIZE - 2], 0xff000000 | (1022 & 255) << 16 | 3 << 8);
        assert_int_equal(pixels[SIZE * SIZE - 1], 0x00ff0300);
        player_end(&player);
    }
}

/* The memory of the block gets a new owner while the draw may still run. */
static void
memory_is_reused(void **state)
{
    struct player player = {0};
    (void)state;
    begin(&player, "COMMANDPROCESSOR.PipelinedBatchRendering=TRUE", true, &line_per_quad);
    const uint32_t address = gpu_resource(&player.sim.device, 1, RES_BLOCK)->address;
    draw(&player, 2 * SIZE);
    bind(&player, 1, 0, 0);
    player_take(&player,
                (struct message){.kind = MESSAGE_RESOURCE_UNREF, .resource = {.handle = RES_BLOCK}},
                NULL, 0);
    create_block(&player, RES_BLOCK);
    assert_int_equal(gpu_resource(&player.sim.device, 1, RES_BLOCK)->address, address);
    check_picture(&player, &line_per_quad, 0);
    player_end(&player);
}

/* The constant caches take turns at the controller only in frames that read blocks. */
static void
turns_of_a_frame(void **state)
{
    struct player player = {0};
    (void)state;
    begin(&player, "", true, &line_per_quad);
    const struct memctl *memctl = player.sim.machine->memctl;
    /* but for a shader unit, stream output, and two ports of Geometry Assembly */
    const uint32_t others = memctl->port_count - 4;
    assert_int_equal(memctl->in_turn, others);
    draw(&player, 2 * SIZE);
    assert_int_equal(memctl->in_turn, memctl->port_count);
    player_take(&player,
                (struct message){.kind = MESSAGE_SWAP,
                                 .transfer = {RES_COLOR, 0, {0, 0, 0, SIZE, SIZE, 1}}},
                NULL, 0);
    assert_int_equal(memctl->in_turn, others);
    player_end(&player);
}

/* The second draw, of half of the target, reads new contents of the block; the first one did not.
 */
static void
uploads_are_seen(void **state)
{
    (void)state;
    for (int timed = 0; timed < 2; timed++) {
        struct player player = {0};
        begin(&player, "SHADER.ConstantCacheSets=64 COMMANDPROCESSOR.PipelinedBatchRendering=TRUE",
              timed, &line_per_quad);
        bind(&player, 1, RES_OTHER, VEC4S * 16);
        draw(&player, 2 * SIZE);
        bind(&player, 1, RES_BLOCK, VEC4S * 16);
        draw(&player, 2 * SIZE);
        put_block(&player, RES_BLOCK, 1);
        draw(&player, SIZE + 0.5f);
        check_picture(&player, &line_per_quad, SIZE);
        player_end(&player);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(latency_bounds_misses),
        cmocka_unit_test(bandwidth_bounds_misses),
        cmocka_unit_test(rate_bounds_different_constants),
        cmocka_unit_test(latency_of_hits),
        cmocka_unit_test(shape_of_the_cache),
        cmocka_unit_test(other_groups_issue),
        cmocka_unit_test(bus_of_the_cache),
        cmocka_unit_test(outside_is_not_read),
        cmocka_unit_test(last_constant_is_cut),
        cmocka_unit_test(memory_is_reused),
        cmocka_unit_test(turns_of_a_frame),
        cmocka_unit_test(uploads_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
