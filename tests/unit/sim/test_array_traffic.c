/* Memory traffic of texture arrays on the timed machine: reads of all layers, and blits of several
 * layers. Each texel is read or copied once. */
#include "rigs/player.h"
#include "rigs/scene.h"
#include "rigs/settings.h"

#include <string.h>

enum { SIDE = 8, LAYERS = 4, SIZE = 2 * SIDE, LAYER_BYTES = SIDE * SIDE * 4, RES_COPY = 30 };

/* The pixel x, y reads texel x % 8, y % 8 of layer x / 8 + 2 * (y / 8). */
static const char fs[] = "FRAG\n"
                         "DCL IN[0], POSITION, LINEAR\n"
                         "DCL OUT[0], COLOR\n"
                         "DCL SAMP[0]\n"
                         "DCL SVIEW[0], 2D_ARRAY, FLOAT\n"
                         "DCL TEMP[0..1]\n"
                         "IMM[0] UINT32 {7, 3, 2, 0}\n"
                         "  0: F2I TEMP[0].xy, IN[0].xyyy\n"
                         "  1: USHR TEMP[1].xy, TEMP[0].xyyy, IMM[0].yyyy\n"
                         "  2: AND TEMP[0].xy, TEMP[0].xyyy, IMM[0].xxxx\n"
                         "  3: UMAD TEMP[0].z, TEMP[1].yyyy, IMM[0].zzzz, TEMP[1].xxxx\n"
                         "  4: MOV TEMP[0].w, IMM[0].wwww\n"
                         "  5: TXF OUT[0], TEMP[0], SAMP[0], 2D_ARRAY\n"
                         "  6: END\n";
static const char vs[] =
    "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\n  0: MOV OUT[0], IN[0]\n  1: END\n";

static uint32_t
texel(uint32_t layer, uint32_t x, uint32_t y)
{
    return 0xff000000 | layer << 16 | x << 8 | y;
}

static void
create(struct player *player, uint32_t handle)
{
    player_create(player, (struct resource_desc){handle, TARGET_2D_ARRAY, FORMAT_B8G8R8A8_UNORM,
                                                 BIND_SAMPLER_VIEW, SIDE, SIDE, 1, LAYERS, 0, 0});
}

static void
begin(struct player *player)
{
    static const float corners[3][4] = {{-1, -1, 0, 1}, {1, -1, 0, 1}, {-1, 1, 0, 1}};
    static uint32_t texels[LAYERS * SIDE * SIDE];
    struct params params;
    struct error err = {""};
    struct stream s = {0};
    assert_true(params_load_preset(&params, "reference-2008", &err));
    params.MEMORYCONTROLLER.MemorySize = 1 << 20;
    params.GPU.NumFragmentShaders = 1; /* one texture unit, whose second level holds all texels */
    player_start(player, &params, true, NULL);
    player_create(player,
                  (struct resource_desc){RES_VERTICES, TARGET_BUFFER, FORMAT_R8_UNORM,
                                         BIND_VERTEX_BUFFER, sizeof corners, 1, 1, 1, 0, 0});
    player_create(player, (struct resource_desc){RES_COLOR, TARGET_2D, FORMAT_B8G8R8A8_UNORM,
                                                 BIND_RENDER_TARGET, SIZE, SIZE, 1, 1, 0, 0});
    create(player, RES_TEXTURE);
    create(player, RES_COPY);
    player_put(player, RES_VERTICES, corners, sizeof corners);
    for (uint32_t i = 0; i < LAYERS * SIDE * SIDE; i++)
        texels[i] = texel(i / (SIDE * SIDE), i % SIDE, i / SIDE % SIDE);
    player_take(player,
                (struct message){.kind = MESSAGE_PUT,
                                 .transfer = {RES_TEXTURE, 0, {0, 0, 0, SIDE, SIDE, LAYERS}},
                                 .bytes = (const uint8_t *)texels,
                                 .size_bytes = sizeof texels},
                NULL, 0);
    scene_states(&s, 0);
    scene_shaders(&s, vs, fs);
    CREATE(&s, VOBJ_VERTEX_ELEMENTS, OBJ_ELEMENTS, 0, 0, 0, FORMAT_R32G32B32A32_FLOAT);
    scene_surfaces(&s, FORMAT_B8G8R8A8_UNORM, 0);
    scene_bind(&s);
    PACKET(&s, CMD_SET_VERTEX_BUFFERS, 16, 0, RES_VERTICES);
    scene_viewport(&s, 2 * SIZE, 2 * SIZE); /* the triangle covers the target */
    stream_sampler(&s, OBJ_SAMPLER, FILTER_NEAREST);
    PACKET(&s, CMD_BIND_SAMPLER_STATES, VSTAGE_FRAGMENT, 0, OBJ_SAMPLER);
    player_submit(player, &s);
}

/* Draws with the array, and checks the picture. */
static void
draw(struct player *player, uint32_t resource)
{
    const uint32_t rgba = 0 | 1 << 3 | 2 << 6 | 3 << 9;
    uint32_t pixels[SIZE * SIZE];
    struct stream s = {0};
    CREATE(&s, VOBJ_SAMPLER_VIEW, OBJ_VIEW, resource, FORMAT_B8G8R8A8_UNORM | TARGET_2D_ARRAY << 24,
           (LAYERS - 1) << 16, 0, rgba);
    PACKET(&s, CMD_SET_SAMPLER_VIEWS, VSTAGE_FRAGMENT, 0, OBJ_VIEW);
    stream_draw(&s, PRIM_TRIANGLES, 0, 3);
    player_submit(player, &s);
    player_get(player, RES_COLOR, SIZE, SIZE, pixels);
    for (uint32_t y = 0; y < SIZE; y++)
        for (uint32_t x = 0; x < SIZE; x++)
            assert_int_equal(pixels[x + SIZE * y],
                             texel(x / SIDE + 2 * (y / SIDE), x % SIDE, y % SIDE));
}

static void
all_layers_are_read(void **state)
{
    struct player player = {0};
    (void)state;
    begin(&player);
    draw(&player, RES_TEXTURE);
    assert_int_equal(player.sim.machine->memctl->stats.client_bytes_read[CLIENT_texture],
                     LAYERS * LAYER_BYTES);
    player_end(&player);
}

/* A blit and a copy of all layers each read and write them once. */
static void
all_layers_are_copied(void **state)
{
    (void)state;
    for (uint32_t copy = 0; copy < 2; copy++) {
        struct player player = {0};
        struct stream s = {0};
        begin(&player);
        const struct memctl_stats *stats = &player.sim.machine->memctl->stats;
        if (copy)
            PACKET(&s, CMD_RESOURCE_COPY_REGION, RES_COPY, 0, 0, 0, 0, RES_TEXTURE, 0, 0, 0, 0,
                   SIDE, SIDE, LAYERS);
        else
            stream_blit(&s, BLIT_COLOR,
                        (struct blit_side){
                            RES_COPY, 0, FORMAT_B8G8R8A8_UNORM, {0, 0, 0, SIDE, SIDE, LAYERS}},
                        (struct blit_side){
                            RES_TEXTURE, 0, FORMAT_B8G8R8A8_UNORM, {0, 0, 0, SIDE, SIDE, LAYERS}});
        player_submit(&player, &s);
        assert_int_equal(stats->client_bytes_read[CLIENT_blit], LAYERS * LAYER_BYTES);
        assert_int_equal(stats->client_bytes_written[CLIENT_blit], LAYERS * LAYER_BYTES);
        draw(&player, RES_COPY);
        player_end(&player);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_layers_are_read),
                                       cmocka_unit_test(all_layers_are_copied)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
