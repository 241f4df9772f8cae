/* A trimmed trace that begins while stream output is active continues it. */
#include "rigs/player.h"
#include "rigs/scene.h"
/* last, because cmocka.h defines a macro fail() */
#include "base/file.h"
#include "rigs/command.h"
#include "rigs/folder.h"

enum { SIZE = 16, VERTEX_BYTES = 16, ROOM = 256, RES_STREAM = 30, OBJ_STREAM = 140, OBJ_TARGET };

static char dir[] = "/tmp/aetius-streams-XXXXXX";
static const char vs[] =
    "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\n  0: MOV OUT[0], IN[0]\n  1: END\n";
static const char fs[] = "FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {1, 1, 1, 1}\n"
                         "  0: MOV OUT[0], IMM[0]\n  1: END\n";

/* Frame 0 stores the first triangle of a square. Frame 1 stores the second one, and draws what is
 * stored. */
static void
record(struct player *player)
{
    static const float square[4][4] = {{-1, -1, 0, 1}, {1, -1, 0, 1}, {-1, 1, 0, 1}, {1, 1, 0, 1}};
    static const uint32_t outputs[] = {STREAMED(0, 0, 4, 0, 0), 0};
    struct stream s = {0};
    player_create(player, (struct resource_desc){RES_VERTICES, TARGET_BUFFER, FORMAT_R8_UNORM,
                                                 BIND_VERTEX_BUFFER, sizeof square, 1, 1, 1, 0, 0});
    player_create(player, (struct resource_desc){RES_COLOR, TARGET_2D, FORMAT_B8G8R8A8_UNORM,
                                                 BIND_RENDER_TARGET, SIZE, SIZE, 1, 1, 0, 0});
    player_create(player, (struct resource_desc){RES_STREAM, TARGET_BUFFER, FORMAT_R8_UNORM,
                                                 BIND_STREAM_OUTPUT | BIND_VERTEX_BUFFER, ROOM, 1,
                                                 1, 1, 0, 0});
    player_put(player, RES_VERTICES, square, sizeof square);
    scene_states(&s, 0);
    scene_shaders(&s, vs, fs);
    CREATE(&s, VOBJ_VERTEX_ELEMENTS, OBJ_ELEMENTS, 0, 0, 0, FORMAT_R32G32B32A32_FLOAT);
    scene_surfaces(&s, FORMAT_B8G8R8A8_UNORM, 0);
    scene_bind(&s);
    scene_viewport(&s, SIZE, SIZE);
    stream_storing_shader(&s, OBJ_STREAM, VSTAGE_VERTEX, vs, (const uint32_t[]){4, 0, 0, 0},
                          outputs, 1);
    CREATE(&s, VOBJ_STREAMOUT_TARGET, OBJ_TARGET, RES_STREAM, 0, ROOM);
    PACKET(&s, CMD_SET_VERTEX_BUFFERS, VERTEX_BYTES, 0, RES_VERTICES);
    stream_bind_shader(&s, OBJ_STREAM, VSTAGE_VERTEX);
    PACKET(&s, CMD_SET_STREAMOUT_TARGETS, 0, OBJ_TARGET);
    stream_draw(&s, PRIM_TRIANGLES, 0, 3);
    player_submit(player, &s);
    player_take(player,
                (struct message){.kind = MESSAGE_FRAME,
                                 .transfer = {RES_COLOR, 0, {0, 0, 0, SIZE, SIZE, 1}}},
                NULL, 0);
    stream_draw(&s, PRIM_TRIANGLES, 1, 3);
    PACKET(&s, CMD_SET_STREAMOUT_TARGETS, 0);
    stream_bind_shader(&s, OBJ_VS, VSTAGE_VERTEX);
    PACKET(&s, CMD_SET_VERTEX_BUFFERS, VERTEX_BYTES, 0, RES_STREAM);
    stream_clear(&s, MASK_COLOR0, NULL, 0, 0);
    PACKET(&s, CMD_DRAW_VBO, 0, 0, PRIM_TRIANGLES, 0, 1, 0, 0, 0, 0, 0, ~0u, ROOM);
    player_submit(player, &s);
}

static char *
picture_of(const char *trace, const char *name, size_t *size)
{
    static struct command_result cmd;
    struct error err;
    char out[128], path[160], *bytes;
    snprintf(out, sizeof out, "%s/%s", dir, name);
    RUN(&cmd, "replay", trace, "-o", out);
    if (cmd.status)
        fail_msg("%s", cmd.err);
    snprintf(path, sizeof path, "%s/frames/frame-%s.png", out, name);
    if (!file_read(path, SIZE_MAX, &bytes, size, &err))
        fail_msg("%s", err.text);
    return bytes;
}

/* The whole square is white, in both traces. */
static void
output_continues(void **state)
{
    static struct command_result cmd;
    struct player player = {0};
    struct params params;
    struct error err = {""};
    uint32_t pixels[SIZE * SIZE];
    char whole[128], part[128];
    size_t sizes[2];
    (void)state;
    snprintf(whole, sizeof whole, "%s/whole.trace", dir);
    snprintf(part, sizeof part, "%s/part.trace", dir);
    assert_true(params_load_preset(&params, "reference-2008", &err));
    player_record(&player, whole);
    player_start(&player, &params, false, NULL);
    record(&player);
    player_end_record(&player, RES_COLOR, SIZE, SIZE);
    player_get(&player, RES_COLOR, SIZE, SIZE, pixels);
    for (uint32_t i = 0; i < SIZE * SIZE; i++)
        assert_int_equal(pixels[i], 0xffffffff);
    player_end(&player);
    RUN(&cmd, "trim", whole, "--frames", "1", "-o", part);
    if (cmd.status)
        fail_msg("%s", cmd.err);
    char *first = picture_of(whole, "0001", &sizes[0]),
         *second = picture_of(part, "0000", &sizes[1]);
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(first, second, sizes[0]);
    free(first);
    free(second);
    RUN(&cmd, "verify", part);
    assert_int_equal(cmd.status, 0);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(output_continues)};
    if (argc != 2 || !mkdtemp(dir)) {
        fprintf(stderr, "usage: test_trim_streams AETIUS\n");
        return 2;
    }
    aetius = argv[1];
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed || !remove_folder(dir);
}
