/* Draws with a geometry program, with and without timing. Expected pixels and counts follow from
 * the programs. */
#include "rigs/player.h"
#include "rigs/scene.h"

enum { SIZE = 16, OBJ_GS = 140 };

static const char plain_vs[] = "VERT\n"
                               "DCL IN[0]\n"
                               "DCL OUT[0], POSITION\n"
                               "  0: MOV OUT[0], IN[0]\n"
                               "  1: END\n";
static const char tint_fs[] = "FRAG\n"
                              "DCL IN[0], GENERIC[0], CONSTANT\n"
                              "DCL OUT[0], COLOR\n"
                              "  0: MOV OUT[0], IN[0]\n"
                              "  1: END\n";

/* Each point at a corner becomes the square of its quarter: half the position, plus or minus 0.5.
 * Red is the number of the primitive / 5, green is constant. */
static const char quarters_gs[] = "GEOM\n"
                                  "PROPERTY GS_INPUT_PRIMITIVE POINTS\n"
                                  "PROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP\n"
                                  "PROPERTY GS_MAX_OUTPUT_VERTICES 4\n"
                                  "PROPERTY GS_INVOCATIONS 1\n"
                                  "DCL IN[][0], POSITION\n"
                                  "DCL IN[][1], PRIM_ID\n"
                                  "DCL OUT[0], POSITION\n"
                                  "DCL OUT[1], GENERIC[0]\n"
                                  "DCL TEMP[0..1]\n"
                                  "IMM[0] FLT32 {0.5, -0.5, 0.0, 1.0}\n"
                                  "IMM[1] FLT32 {0.2, 0.4, 0.0, 1.0}\n"
                                  "IMM[2] UINT32 {0, 0, 0, 0}\n"
                                  "U2F TEMP[0].x, IN[1].xxxx\n"
                                  "MOV TEMP[0].yzw, IMM[0].wwww\n"
                                  "MUL TEMP[0], TEMP[0], IMM[1]\n"
                                  "MUL TEMP[1], IN[0][0], IMM[0].xxzw\n"
                                  "ADD OUT[0], TEMP[1], IMM[0].yyzz\n"
                                  "MOV OUT[1], TEMP[0]\n"
                                  "EMIT IMM[2].xxxx\n"
                                  "ADD OUT[0], TEMP[1], IMM[0].xyzz\n"
                                  "MOV OUT[1], TEMP[0]\n"
                                  "EMIT IMM[2].xxxx\n"
                                  "ADD OUT[0], TEMP[1], IMM[0].yxzz\n"
                                  "MOV OUT[1], TEMP[0]\n"
                                  "EMIT IMM[2].xxxx\n"
                                  "ADD OUT[0], TEMP[1], IMM[0].xxzz\n"
                                  "MOV OUT[1], TEMP[0]\n"
                                  "EMIT IMM[2].xxxx\n"
                                  "END\n";

static void
draw(struct player *player, uint32_t pixels[SIZE * SIZE])
{
    static const float corners[4][4] = {{-1, -1, 0, 1}, {1, -1, 0, 1}, {-1, 1, 0, 1}, {1, 1, 0, 1}};
    struct stream s = {0};
    player_create(player,
                  (struct resource_desc){RES_VERTICES, TARGET_BUFFER, FORMAT_R8_UNORM,
                                         BIND_VERTEX_BUFFER, sizeof corners, 1, 1, 1, 0, 0});
    player_create(player, (struct resource_desc){RES_COLOR, TARGET_2D, FORMAT_B8G8R8A8_UNORM,
                                                 BIND_RENDER_TARGET, SIZE, SIZE, 1, 1, 0, 0});
    player_put(player, RES_VERTICES, corners, sizeof corners);
    scene_states(&s, 0);
    scene_shaders(&s, plain_vs, tint_fs);
    stream_shader(&s, OBJ_GS, VSTAGE_GEOMETRY, quarters_gs);
    CREATE(&s, VOBJ_VERTEX_ELEMENTS, OBJ_ELEMENTS, 0, 0, 0, FORMAT_R32G32B32A32_FLOAT);
    scene_surfaces(&s, FORMAT_B8G8R8A8_UNORM, 0);
    scene_bind(&s);
    stream_bind_shader(&s, OBJ_GS, VSTAGE_GEOMETRY);
    PACKET(&s, CMD_SET_VERTEX_BUFFERS, 16, 0, RES_VERTICES);
    scene_viewport(&s, SIZE, SIZE);
    stream_clear(&s, MASK_COLOR0, NULL, 0, 0);
    stream_draw(&s, PRIM_POINTS, 0, 4);
    player_submit(player, &s);
    player_get(player, RES_COLOR, SIZE, SIZE, pixels);
}

static void
check(bool timed, const char *preset)
{
    struct params params;
    struct error err = {""};
    struct player player = {0};
    uint32_t pixels[SIZE * SIZE];
    assert_true(params_load_preset(&params, preset, &err));
    params.MEMORYCONTROLLER.MemorySize = 1 << 20;
    player_start(&player, &params, timed, NULL);
    draw(&player, pixels);
    for (uint32_t p = 0; p < SIZE * SIZE; p++) {
        const uint32_t x = p % SIZE, y = p / SIZE;
        /* the viewport keeps the orientation: y = -1 is row 0 */
        const uint32_t id = x / (SIZE / 2) + 2 * (y / (SIZE / 2));
        const uint32_t expected = 0xff006600 | (id * 51) << 16;
        if (pixels[p] != expected)
            fail_msg("%s: pixel %u,%u is %08x, not %08x", preset, x, y, pixels[p], expected);
    }
    player_end(&player);
}

static void
functional(void **state)
{
    (void)state;
    check(false, "reference-2008");
}

/* On unified shader units, and on separate vertex units. */
static void
machine(void **state)
{
    (void)state;
    check(true, "reference-2008");
    check(true, "reference-2005");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(functional), cmocka_unit_test(machine)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
