/* Eight color buffers at once, with and without timing. Each has a different format, write mask and
 * color, and the first one is blended. The formats determine the expected contents. */
#include "rigs/player.h"
#include "rigs/scene.h"

#include <stdlib.h>

enum { WIDTH = 64, HEIGHT = 32, TARGETS = MAX_COLOR_BUFFERS, FIRST = 20, SURFACE = 200 };

enum { RED = 1, GREEN = 2, BLUE = 4, ALPHA = 8, ALL = 15 };

/* All targets are cleared to 0, 1, 0, 1. */
static const struct target {
    uint32_t format, bytes, mask;
    const char *color;
    uint32_t background[4], drawn[4]; /* words of an element in little-endian order */
} targets[TARGETS] = {
    /* B8G8R8A8, blended by addition: green and alpha were 1 before */
    {1, 4, ALL, "1.0, 0.2, 0.4, 0.6", {0xff00ff00}, {0xffffff66}},
    /* R8G8B8A8 */
    {67, 4, RED | BLUE, "1.0, 0.2, 0.4, 0.6", {0xff00ff00}, {0xff66ffff}},
    /* half floats, also outside of 0 to 1 */
    {94, 8, ALL, "2.0, -1.0, 0.5, 4.0", {0x3c000000, 0x3c000000}, {0xbc004000, 0x44003800}},
    /* floats: 3.25, -7, 1e6 */
    {31,
     16,
     RED | GREEN | BLUE,
     "3.25, -7.0, 1000000.0, 0.5",
     {0, 0x3f800000, 0, 0x3f800000},
     {0x40500000, 0xc0e00000, 0x49742400, 0x3f800000}},
    /* one float: -0.5 */
    {28, 4, ALL, "-0.5, 1.0, 1.0, 1.0", {0}, {0xbf000000}},
    /* B5G6R5 */
    {7, 2, ALL, "1.0, 0.0, 1.0, 1.0", {0x07e0}, {0xf81f}},
    /* R16G16: 0.2 of 65535 */
    {49, 4, GREEN, "1.0, 0.2, 1.0, 1.0", {0xffff0000}, {0x33330000}},
    /* R10G10B10A2 */
    {8, 4, ALL, "1.0, 0.0, 1.0, 0.0", {0xc00ffc00}, {0x3ff003ff}},
};

static const char vs[] =
    "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\n  0: MOV OUT[0], IN[0]\n  1: END\n";

static void
make_shader(char *text, size_t size)
{
    size_t at = (size_t)snprintf(text, size, "FRAG\n");
    for (uint32_t i = 0; i < TARGETS; i++)
        at += (size_t)snprintf(text + at, size - at, "DCL OUT[%u], COLOR[%u]\n", i, i);
    for (uint32_t i = 0; i < TARGETS; i++)
        at += (size_t)snprintf(text + at, size - at, "IMM[%u] FLT32 {%s}\n", i, targets[i].color);
    for (uint32_t i = 0; i < TARGETS; i++)
        at += (size_t)snprintf(text + at, size - at, "  %u: MOV OUT[%u], IMM[%u]\n", i, i, i);
    at += (size_t)snprintf(text + at, size - at, "  %u: END\n", TARGETS);
    assert_true(at < size);
}

/* Independent blend states; the first target adds the color to its content. */
static void
make_blend(struct stream *s)
{
    uint32_t dw[3 + TARGETS] = {OBJ_BLEND, 1, 0};
    for (uint32_t i = 0; i < TARGETS; i++)
        dw[3 + i] = targets[i].mask * BLEND_WRITES_RED;
    dw[3] |= blend_of(FACTOR_ONE, FACTOR_ONE) & ~(uint32_t)BLEND_WRITES;
    stream_packet(s, CMD_CREATE_OBJECT, VOBJ_BLEND, dw, 3 + TARGETS);
}

/* A rectangle that covers pixels 4 to 19 of rows 4 to 11. */
static const float corners[4][4] = {{4.5f / 32 - 1, 4.5f / 16 - 1, 0, 1},
                                    {20.5f / 32 - 1, 4.5f / 16 - 1, 0, 1},
                                    {4.5f / 32 - 1, 12.5f / 16 - 1, 0, 1},
                                    {20.5f / 32 - 1, 12.5f / 16 - 1, 0, 1}};

/* Draws into the targets. `bound` has a bit for each target that has a surface. */
static void
draw(struct player *player, const struct params *params, bool timed, uint32_t bound)
{
    static const struct resource_desc vertices = {
        RES_VERTICES, TARGET_BUFFER, FORMAT_R8_UNORM, BIND_VERTEX_BUFFER, 1024, 1, 1, 1, 0, 0};
    struct stream s = {0};
    char fs[2048];
    uint32_t surfaces[2 + TARGETS] = {TARGETS};
    player_start(player, params, timed, NULL);
    player_create(player, vertices);
    player_put(player, RES_VERTICES, corners, sizeof corners);
    for (uint32_t i = 0; i < TARGETS; i++) {
        player_create(player,
                      (struct resource_desc){FIRST + i, TARGET_2D, targets[i].format,
                                             BIND_RENDER_TARGET, WIDTH, HEIGHT, 1, 1, 0, 0});
        stream_surface(&s, SURFACE + i, FIRST + i, targets[i].format);
        surfaces[2 + i] = SURFACE + i;
    }
    CREATE(&s, VOBJ_RASTERIZER, OBJ_RASTERIZER,
           RASTERIZER_DEPTH_CLIP | RASTERIZER_HALF_PIXEL_CENTER, float_bits(1), 0, 0, float_bits(1),
           0, 0, 0);
    CREATE(&s, VOBJ_DSA, OBJ_DSA, 0, 0, 0, 0);
    make_blend(&s);
    make_shader(fs, sizeof fs);
    scene_shaders(&s, vs, fs);
    CREATE(&s, VOBJ_VERTEX_ELEMENTS, OBJ_ELEMENTS, 0, 0, 0, FORMAT_R32G32B32A32_FLOAT);
    scene_bind(&s);
    PACKET(&s, CMD_SET_VERTEX_BUFFERS, 16, 0, RES_VERTICES);
    scene_viewport(&s, WIDTH, HEIGHT);
    stream_packet(&s, CMD_SET_FRAMEBUFFER_STATE, 0, surfaces, 2 + TARGETS);
    stream_clear(&s, 0xff * MASK_COLOR0, (float[]){0, 1, 0, 1}, 0, 0);
    for (uint32_t i = 0; i < TARGETS; i++)
        if (!(bound >> i & 1))
            surfaces[2 + i] = 0;
    stream_packet(&s, CMD_SET_FRAMEBUFFER_STATE, 0, surfaces, 2 + TARGETS);
    stream_draw(&s, PRIM_TRIANGLE_STRIP, 0, 4);
    player_submit(player, &s);
}

static void
check(struct player *player, uint32_t number, bool drawn)
{
    const struct target *target = &targets[number];
    const uint32_t size = WIDTH * HEIGHT * target->bytes;
    uint8_t *elements = mem_alloc(size);
    player_take(player,
                (struct message){.kind = MESSAGE_GET,
                                 .transfer = {FIRST + number, 0, {0, 0, 0, WIDTH, HEIGHT, 1}}},
                elements, size);
    for (uint32_t i = 0; i < WIDTH * HEIGHT; i++) {
        const uint32_t x = i % WIDTH, y = i / WIDTH;
        const bool inside = drawn && x >= 4 && x < 20 && y >= 4 && y < 12;
        if (memcmp(elements + (size_t)i * target->bytes,
                   inside ? target->drawn : target->background, target->bytes))
            fail_msg("target %u at %u,%u is not %s", number, x, y, inside ? "drawn" : "clear");
    }
    free(elements);
}

static void
all_targets(bool timed)
{
    static const uint32_t bound[] = {0xff, 0xaa, 0x80};
    struct params params;
    struct error err = {""};
    assert_true(params_load_preset(&params, "reference-2008", &err));
    params.MEMORYCONTROLLER.MemorySize = 1 << 20;
    for (uint32_t k = 0; k < sizeof bound / sizeof bound[0]; k++) {
        struct player player = {0};
        draw(&player, &params, timed, bound[k]);
        for (uint32_t i = 0; i < TARGETS; i++)
            check(&player, i, bound[k] >> i & 1);
        player_end(&player);
    }
}

static void
functional(void **state)
{
    (void)state;
    all_targets(false);
}

static void
machine(void **state)
{
    (void)state;
    all_targets(true);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(functional), cmocka_unit_test(machine)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
