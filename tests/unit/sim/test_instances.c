/* Instanced draws, with and without timing: an attribute with a divisor advances once per `divisor`
 * instances and begins at the first instance's element. */
#include "rigs/player.h"
#include "rigs/scene.h"

enum { SIZE = 32, CELL = 8, RES_OFFSETS = 20 };

/* The position is the vertex plus the instance's offset. The color is red for the first instance,
 * 0.2 more green for each further instance. */
static const char vs[] = "VERT\n"
                         "DCL IN[0]\n"
                         "DCL IN[1]\n"
                         "DCL SV[0], INSTANCEID\n"
                         "DCL OUT[0], POSITION\n"
                         "DCL OUT[1], GENERIC[0]\n"
                         "DCL TEMP[0]\n"
                         "IMM[0] FLT32 {1.0, 0.2, 0.0, 1.0}\n"
                         "  0: ADD OUT[0], IN[0], IN[1]\n"
                         "  1: I2F TEMP[0].x, SV[0].xxxx\n"
                         "  2: MOV OUT[1].xzw, IMM[0]\n"
                         "  3: MUL OUT[1].y, TEMP[0].xxxx, IMM[0].yyyy\n"
                         "  4: END\n";
static const char fs[] = "FRAG\n"
                         "DCL IN[0], GENERIC[0], CONSTANT\n"
                         "DCL OUT[0], COLOR\n"
                         "  0: MOV OUT[0], IN[0]\n"
                         "  1: END\n";

/* A square of CELL pixels in the corner, as a strip; indices select its corners in this order. */
#define EDGE (-1.0f + 2.0f * CELL / SIZE)
static const float square[4][4] = {
    {-1, -1, 0, 1}, {EDGE, -1, 0, 1}, {-1, EDGE, 0, 1}, {EDGE, EDGE, 0, 1}};
static const uint16_t order[4] = {0, 1, 2, 3};
/* Offset i moves the square by i cells. */
static const float offsets[4][4] = {{0}, {0.5f}, {1.0f}, {1.5f}};

struct draw_case {
    bool indexed;
    uint32_t divisor, instances, first;
    int drawn_by[4]; /* for each cell: the last instance that draws it, or -1 */
};

static const struct draw_case cases[] = {
    {false, 1, 4, 0, {0, 1, 2, 3}},    {true, 1, 3, 0, {0, 1, 2, -1}},
    {true, 1, 2, 2, {-1, -1, 0, 1}},   {false, 2, 4, 0, {1, 3, -1, -1}},
    {true, 2, 3, 1, {-1, 1, 2, -1}},   {true, 3, 4, 0, {2, 3, -1, -1}},
    {false, 1, 1, 3, {-1, -1, -1, 0}},
};

static void
draw(struct player *player, const struct draw_case *c, uint32_t pixels[SIZE * SIZE])
{
    static const struct resource_desc buffers[] = {
        {RES_VERTICES, TARGET_BUFFER, FORMAT_R8_UNORM, BIND_VERTEX_BUFFER, 256, 1, 1, 1, 0, 0},
        {RES_OFFSETS, TARGET_BUFFER, FORMAT_R8_UNORM, BIND_VERTEX_BUFFER, 256, 1, 1, 1, 0, 0},
        {RES_INDICES, TARGET_BUFFER, FORMAT_R8_UNORM, BIND_INDEX_BUFFER, 256, 1, 1, 1, 0, 0},
        {RES_COLOR, TARGET_2D, FORMAT_B8G8R8A8_UNORM, BIND_RENDER_TARGET, SIZE, SIZE, 1, 1, 0, 0},
    };
    struct stream s = {0};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        player_create(player, buffers[i]);
    player_put(player, RES_VERTICES, square, sizeof square);
    player_put(player, RES_OFFSETS, offsets, sizeof offsets);
    player_put(player, RES_INDICES, order, sizeof order);
    scene_states(&s, 0);
    scene_shaders(&s, vs, fs);
    CREATE(&s, VOBJ_VERTEX_ELEMENTS, OBJ_ELEMENTS, 0, 0, 0, FORMAT_R32G32B32A32_FLOAT, 0,
           c->divisor, 1, FORMAT_R32G32B32A32_FLOAT);
    scene_surfaces(&s, FORMAT_B8G8R8A8_UNORM, 0);
    scene_bind(&s);
    PACKET(&s, CMD_SET_VERTEX_BUFFERS, 16, 0, RES_VERTICES, 16, 0, RES_OFFSETS);
    PACKET(&s, CMD_SET_INDEX_BUFFER, RES_INDICES, 2, 0);
    scene_viewport(&s, SIZE, SIZE);
    stream_clear(&s, MASK_COLOR0, (float[]){0, 0, 0, 0}, 0, 0);
    PACKET(&s, CMD_DRAW_VBO, 0, 4, PRIM_TRIANGLE_STRIP, c->indexed, c->instances, 0, c->first, 0, 0,
           0, ~0u, 0);
    player_submit(player, &s);
    player_get(player, RES_COLOR, SIZE, SIZE, pixels);
}

static void
check_all(bool timed)
{
    struct params params;
    struct error err = {""};
    assert_true(params_load_preset(&params, "reference-2008", &err));
    params.MEMORYCONTROLLER.MemorySize = 1 << 20;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct draw_case *c = &cases[i];
        struct player player = {0};
        uint32_t pixels[SIZE * SIZE];
        player_start(&player, &params, timed, NULL);
        draw(&player, c, pixels);
        for (uint32_t p = 0; p < SIZE * SIZE; p++) {
            const uint32_t x = p % SIZE, y = p / SIZE;
            const int by = y < CELL ? c->drawn_by[x / CELL] : -1;
            const uint32_t expected = by < 0 ? 0 : 0xffff0000 | (uint32_t)(by * 51) << 8;
            if (pixels[p] != expected)
                fail_msg("case %zu: pixel %u,%u is %08x, not %08x", i, x, y, pixels[p], expected);
        }
        player_end(&player);
    }
}

static void
functional(void **state)
{
    (void)state;
    check_all(false);
}

static void
machine(void **state)
{
    (void)state;
    check_all(true);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(functional), cmocka_unit_test(machine)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
