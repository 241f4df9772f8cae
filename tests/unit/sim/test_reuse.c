/* Depth surfaces of different shapes that use the same memory one after the other. Far depths of
 * the first surface must not cull fragments in the second one. The machine must draw the same
 * picture as the functional renderer. */
#include "rigs/player.h"
#include "rigs/scene.h"

#include <stdlib.h>

enum { LONG = 256, SHORT = 32, BYTES = LONG * SHORT * 4, QUADS = 32, MAX_FLOATS = QUADS * 6 * 4 };

static const char plain_vs[] = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\n"
                               "  0: MOV OUT[0], IN[0]\n  1: MOV OUT[1], IN[0]\n  2: END\n";
static const char plain_fs[] = "FRAG\nPROPERTY FS_COLOR0_WRITES_ALL_CBUFS 1\n"
                               "DCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\n"
                               "  0: MOV OUT[0], IN[0].zzzz\n  1: END\n";

enum { OBJ_ALWAYS = 200 };

struct fixture {
    struct player player;
    float vertices[MAX_FLOATS];
    uint32_t count; /* number of floats */
    uint8_t color[BYTES], depth[BYTES];
};

static void
start(struct fixture *f, bool timed)
{
    struct params params;
    struct stream s = {0};
    struct error err = {""};
    assert_true(params_load_preset(&params, "reference-2005", &err));
    params.MEMORYCONTROLLER.MemorySize = 4 << 20;
    params.ZSTENCILTEST.ZCacheLines = 1; /* lines are evicted soon and update Hierarchical Z */
    player_start(&f->player, &params, timed, NULL);
    player_create(&f->player,
                  (struct resource_desc){RES_VERTICES, TARGET_BUFFER, FORMAT_R8_UNORM,
                                         BIND_VERTEX_BUFFER, sizeof f->vertices, 1, 1, 1, 0, 0});
    scene_states(&s, 0);
    stream_depth(&s, OBJ_ALWAYS, FUNC_ALWAYS);
    scene_shaders(&s, plain_vs, plain_fs);
    CREATE(&s, VOBJ_VERTEX_ELEMENTS, OBJ_ELEMENTS, 0, 0, 0, FORMAT_R32G32B32A32_FLOAT);
    scene_bind(&s);
    PACKET(&s, CMD_SET_VERTEX_BUFFERS, 16, 0, RES_VERTICES);
    player_submit(&f->player, &s);
}

/* Creates and binds a color and a depth buffer of this size. Returns the address of the depth
 * buffer. */
static uint32_t
bind_surfaces(struct fixture *f, uint32_t width, uint32_t height)
{
    struct stream s = {0};
    player_create(&f->player,
                  (struct resource_desc){RES_DEPTH, TARGET_2D, FORMAT_Z24_UNORM_S8_UINT,
                                         BIND_DEPTH_STENCIL, width, height, 1, 1, 0, 0});
    player_create(&f->player,
                  (struct resource_desc){RES_COLOR, TARGET_2D, FORMAT_B8G8R8A8_UNORM,
                                         BIND_RENDER_TARGET, width, height, 1, 1, 0, 0});
    scene_surfaces(&s, FORMAT_B8G8R8A8_UNORM, FORMAT_Z24_UNORM_S8_UINT);
    scene_viewport(&s, (float)width, (float)height);
    player_submit(&f->player, &s);
    return gpu_resource(&f->player.sim.device, 1, RES_DEPTH)->address;
}

static void
drop_surfaces(struct fixture *f)
{
    struct message unref = {.kind = MESSAGE_RESOURCE_UNREF, .client = 1};
    struct stream s = {0};
    PACKET(&s, CMD_SET_FRAMEBUFFER_STATE, 0, 0);
    stream_destroy(&s, VOBJ_SURFACE, OBJ_COLOR);
    stream_destroy(&s, VOBJ_SURFACE, OBJ_DEPTH);
    player_submit(&f->player, &s);
    unref.resource.handle = RES_COLOR;
    player_take(&f->player, unref, NULL, 0);
    unref.resource.handle = RES_DEPTH;
    player_take(&f->player, unref, NULL, 0);
}

static void
add_quad(struct fixture *f, float x, float y, float width, float height, float z)
{
    const float corners[6][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 1}};
    for (int i = 0; i < 6; i++) {
        const float vertex[4] = {x + corners[i][0] * width, y + corners[i][1] * height, z, 1};
        memcpy(f->vertices + f->count, vertex, sizeof vertex);
        f->count += 4;
    }
}

static void
draw_quads(struct fixture *f, uint32_t dsa, bool clear)
{
    struct stream s = {0};
    uint32_t bytes = f->count * 4;
    player_put(&f->player, RES_VERTICES, f->vertices, bytes);
    if (clear)
        stream_clear(&s, CLEAR_ALL, NULL, 1, 0);
    stream_bind(&s, VOBJ_DSA, dsa);
    stream_draw(&s, PRIM_TRIANGLES, 0, f->count / 4);
    player_submit(&f->player, &s);
    f->count = 0;
}

/* Fills a tall surface with near depths. Then creates a wide surface at the same address without a
 * clear. Fills it with a far depth, then with nearer quads of many depths. A last draw at a depth
 * between those must be culled only where the quads are nearer. */
static struct fixture *
draw_both(bool timed)
{
    struct fixture *f = mem_alloc(sizeof *f);
    start(f, timed);
    uint32_t tall = bind_surfaces(f, SHORT, LONG);
    for (int i = 0; i < 4; i++)
        add_quad(f, -1, -1, 2, 2, -.5f - .1f * (float)i);
    draw_quads(f, OBJ_DSA, true);
    drop_surfaces(f);
    assert_int_equal(bind_surfaces(f, LONG, SHORT), tall);
    add_quad(f, -1, -1, 2, 2, .9f);
    draw_quads(f, OBJ_ALWAYS, false);
    for (int i = 0; i < QUADS; i++)
        add_quad(f, -1 + (float)(i % 16) / 8, i < 16 ? -1 : 0, .125f, 1,
                 .5f - .1f * (float)(i * 7 % 11));
    draw_quads(f, OBJ_DSA, false);
    add_quad(f, -1, -1, 2, 2, 0);
    draw_quads(f, OBJ_DSA, false);
    player_get(&f->player, RES_COLOR, LONG, SHORT, f->color);
    player_get(&f->player, RES_DEPTH, LONG, SHORT, f->depth);
    player_end(&f->player);
    return f;
}

static void
another_shape_in_the_same_memory(void **state)
{
    struct fixture *functional = draw_both(false), *timed = draw_both(true);
    assert_memory_equal(timed->color, functional->color, BYTES);
    assert_memory_equal(timed->depth, functional->depth, BYTES);
    /* no stored depth is farther than depth 0, which is half of 24 bits */
    for (uint32_t i = 0; i < BYTES; i += 4) {
        uint32_t depth;
        memcpy(&depth, functional->depth + i, 4);
        assert_true((depth & 0xffffff) <= 0x800000);
    }
    free(functional);
    free(timed);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_shape_in_the_same_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
