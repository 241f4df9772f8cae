/* Primitive restart (NV_primitive_restart): the restart index is not a vertex and separates the
 * primitives before and after it. Strips and fans on the corners of two rectangles cover whole
 * pixels, and so do loops and points. The expected numbers of pixels are calculated. The tests run
 * without timing and on the machine. */
#include "rigs/player.h"
#include "rigs/scene.h"

#include <stdlib.h>

enum { WIDTH = 64, HEIGHT = 32, PIXELS = WIDTH * HEIGHT, INDICES = 9 };

static const char vs[] =
    "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\n  0: MOV OUT[0], IN[0]\n  1: END\n";
static const char fs[] = "FRAG\nPROPERTY FS_COLOR0_WRITES_ALL_CBUFS 1\nDCL OUT[0], COLOR\n"
                         "IMM[0] FLT32 {1.0, 1.0, 1.0, 1.0}\n  0: MOV OUT[0], IMM[0]\n  1: END\n";

/* Opposite corners at pixel centers. The rectangle includes its left and upper edge. */
static const float rectangles[2][4] = {{4, 4, 20, 12}, {40, 16, 56, 28}};

static void
start(struct player *player, bool timed)
{
    struct params params;
    struct stream s = {0};
    struct error err = {""};
    float corners[8][4];
    for (uint32_t i = 0; i < 8; i++) {
        const float *r = rectangles[i / 4];
        corners[i][0] = ((i & 1 ? r[2] : r[0]) + 0.5f) / (WIDTH / 2) - 1;
        corners[i][1] = ((i & 2 ? r[3] : r[1]) + 0.5f) / (HEIGHT / 2) - 1;
        corners[i][2] = 0;
        corners[i][3] = 1;
    }
    assert_true(params_load_preset(&params, "reference-2008", &err));
    params.MEMORYCONTROLLER.MemorySize = 1 << 20;
    player_start(player, &params, timed, NULL);
    for (size_t i = 0; i < sizeof scene_resources / sizeof scene_resources[0]; i++)
        player_create(player, scene_resources[i]);
    player_put(player, RES_VERTICES, corners, sizeof corners);
    scene_states(&s, 0);
    scene_shaders(&s, vs, fs);
    CREATE(&s, VOBJ_VERTEX_ELEMENTS, OBJ_ELEMENTS, 0, 0, 0, FORMAT_R32G32B32A32_FLOAT);
    scene_surfaces(&s, FORMAT_B8G8R8A8_UNORM, 0);
    scene_bind(&s);
    PACKET(&s, CMD_SET_VERTEX_BUFFERS, 16, 0, RES_VERTICES);
    scene_viewport(&s, WIDTH, HEIGHT);
    player_submit(player, &s);
}

/* Counts the lit pixels in the rectangle, including its right and lower edge, and in the whole
 * picture. */
static void
count(const uint32_t pixels[PIXELS], const float r[4], uint32_t *inside, uint32_t *all)
{
    *inside = *all = 0;
    for (uint32_t i = 0; i < PIXELS; i++) {
        const float x = (float)(i % WIDTH), y = (float)(i / WIDTH);
        const bool lit = (pixels[i] & 0xffffff) != 0;
        *all += lit;
        *inside += lit && x >= r[0] && x <= r[2] && y >= r[1] && y <= r[3];
    }
}

/* Draws both rectangles with indices of this size, and a restart between them. */
static void
draw(struct player *player, uint32_t mode, const uint8_t order[4], uint32_t index_bytes,
     uint32_t pixels[PIXELS])
{
    const uint32_t restart = index_bytes == 4 ? ~0u : (1u << 8 * index_bytes) - 1;
    struct stream s = {0};
    uint8_t bytes[INDICES * 4];
    for (uint32_t i = 0; i < INDICES; i++) {
        const uint32_t index = i == 4 ? restart : i < 4 ? order[i] : 4u + order[i - 5];
        for (uint32_t b = 0; b < index_bytes; b++)
            bytes[i * index_bytes + b] = (uint8_t)(index >> 8 * b);
    }
    player_put(player, RES_INDICES, bytes, INDICES * index_bytes);
    stream_clear(&s, MASK_COLOR0, NULL, 0, 0);
    PACKET(&s, CMD_SET_INDEX_BUFFER, RES_INDICES, index_bytes, 0);
    PACKET(&s, CMD_DRAW_VBO, 0, INDICES, mode, 1, 1, 0, 0, 1, restart, 0, ~0u, 0);
    player_submit(player, &s);
    player_get(player, RES_COLOR, WIDTH, HEIGHT, pixels);
}

static void
restart_with(bool timed)
{
    static const uint8_t strip[4] = {0, 1, 2, 3}, around[4] = {0, 1, 3, 2};
    /* The areas are 16 x 8 and 16 x 12 pixels. Each line of an outline omits its last pixel, so the
     * outline has each pixel once. */
    static const uint32_t areas[2] = {16 * 8, 16 * 12}, rims[2] = {2 * (16 + 8), 2 * (16 + 12)};
    static const uint32_t dots[2] = {4, 4};
    const struct {
        uint32_t mode;
        const uint8_t *order;
        const uint32_t *lit;
    } draws[] = {
        {PRIM_TRIANGLE_STRIP, strip, areas},
        {PRIM_TRIANGLE_FAN, around, areas},
        {PRIM_LINE_LOOP, around, rims},
        {PRIM_POINTS, strip, dots},
    };
    uint32_t *pixels = mem_array(PIXELS, sizeof *pixels);
    struct player player = {0};

    start(&player, timed);
    for (uint32_t i = 0; i < sizeof draws / sizeof draws[0]; i++)
        for (uint32_t bytes = 1; bytes <= 4; bytes *= 2) {
            draw(&player, draws[i].mode, draws[i].order, bytes, pixels);
            uint32_t inside[2], all;
            for (uint32_t r = 0; r < 2; r++) {
                count(pixels, rectangles[r], &inside[r], &all);
                assert_int_equal(inside[r], draws[i].lit[r]);
            }
            assert_int_equal(all, inside[0] + inside[1]);
        }
    player_end(&player);
    free(pixels);
}

static void
functional(void **state)
{
    (void)state;
    restart_with(false);
}

static void
machine(void **state)
{
    (void)state;
    restart_with(true);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(functional), cmocka_unit_test(machine)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
