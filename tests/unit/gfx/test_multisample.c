/* Multisampling. The coverage of every sample, of 2, 4 and 8, is compared with an independent exact
 * integer algorithm. One test calls the rasterizer. Another draws command lists with the functional
 * renderer and the machine. Further tests cover depth at samples, alpha to coverage, alpha to one,
 * centroids, and the resolve. */
#include "rigs/coverage.h"
#include "rigs/player.h"
#include "rigs/scene.h"

#include "gfx/transfer.h"

#include <stdlib.h>

/* Grid of 1/16 pixel. Samples are often on edges and corners of triangles with corners on this
 * grid. */
enum { GRID = 16 };

/* Sample positions in 1/16 pixel from the top left corner of the pixel. The positions of 4 samples
 * are those of the reference renderer. */
static const int64_t places[3][8][2] = {
    {{12, 12}, {4, 4}},
    {{6, 2}, {14, 6}, {2, 10}, {10, 14}},
    {{9, 5}, {7, 11}, {13, 9}, {5, 3}, {3, 13}, {1, 7}, {11, 15}, {15, 1}},
};

static const int64_t (*places_of(uint32_t samples))[2]
{
    return places[samples / 4];
}

static struct point
sample_at(uint32_t samples, uint32_t s, int32_t x, int32_t y)
{
    return (struct point){x * 256 + places_of(samples)[s][0] * 16,
                          y * 256 + places_of(samples)[s][1] * 16};
}

static uint32_t
set_up_random(struct scene *scene, uint64_t *seed, struct point p[3], struct triangle *out)
{
    struct vertex v[3];
    for (int i = 0; i < 3; i++) {
        p[i] = random_point(seed, GRID);
        v[i] = vertex_at(p[i]);
    }
    return scene_setup(scene, &test_triangle, v, out);
}

static uint32_t
bit_of(uint64_t mask, int32_t x, int32_t y)
{
    return (uint32_t)(mask >> morton8((uint32_t)x, (uint32_t)y) & 1);
}

static void
check_tiles(const struct triangle *triangle, const struct point p[3], uint32_t samples)
{
    for (int32_t ty = 0; ty < TEST_HEIGHT; ty += 8)
        for (int32_t tx = 0; tx < TEST_WIDTH; tx += 8) {
            uint64_t masks[MAX_SAMPLES] = {0}, any = 0;
            if (triangle)
                any = raster_tile_samples(triangle, tx, ty, masks);
            if (any && triangle)
                assert_int_not_equal(raster_square(triangle, tx, ty, 8), SQUARE_OUTSIDE);
            for (int32_t y = ty; y < ty + 8; y++)
                for (int32_t x = tx; x < tx + 8; x++) {
                    uint32_t found = 0;
                    for (uint32_t s = 0; s < samples; s++) {
                        const bool in = is_covered(p, sample_at(samples, s, x, y));
                        assert_int_equal(any ? bit_of(masks[s], x, y) : 0, in);
                        found |= in;
                    }
                    assert_int_equal(bit_of(any, x, y), found);
                    /* the accept corner test includes all samples */
                    if (triangle && raster_square(triangle, x, y, 1) == SQUARE_INSIDE)
                        for (uint32_t s = 0; s < samples; s++)
                            assert_true(bit_of(masks[s], x, y));
                }
            if (triangle && raster_square(triangle, tx, ty, 8) == SQUARE_INSIDE)
                for (uint32_t s = 0; s < samples; s++)
                    assert_true(masks[s] == ~UINT64_C(0));
        }
}

static void
test_coverage(void **state)
{
    struct triangle out[SETUP_MAX_TRIANGLES];
    struct point p[3];
    struct scene scene;
    uint64_t seed = 1;

    scene_init(&scene);
    scene.draw.sample_mask = ~0u;
    scene.draw.multisample = true;
    for (uint32_t samples = 2; samples <= 8; samples *= 2)
        for (int round = 0; round < 400; round++) {
            scene.draw.samples = samples;
            const uint32_t made = set_up_random(&scene, &seed, p, out);
            check_tiles(made ? out : NULL, p, samples);
        }
}

/* The mask removes samples. Without multisampling, coverage of the pixel center applies to all
 * samples. */
static void
test_mask_and_off(void **state)
{
    struct triangle out[SETUP_MAX_TRIANGLES];
    uint64_t masks[MAX_SAMPLES], seed = 3;
    struct point p[3];
    struct scene scene;

    scene_init(&scene);
    scene.draw.samples = 4;
    for (int round = 0; round < 200; round++) {
        scene.draw.multisample = round & 1;
        scene.draw.sample_mask = scene.draw.multisample ? 5 : 0;
        if (!set_up_random(&scene, &seed, p, out) || !raster_tile_samples(out, 24, 32, masks))
            continue;
        for (int32_t y = 32; y < 40; y++)
            for (int32_t x = 24; x < 32; x++)
                for (uint32_t s = 0; s < 4; s++) {
                    const struct point at = scene.draw.multisample
                                                ? sample_at(4, s, x, y)
                                                : (struct point){x * 256 + 128, y * 256 + 128};
                    const bool kept = !scene.draw.multisample || s == 0 || s == 2;
                    assert_int_equal(bit_of(masks[s], x, y), kept && is_covered(p, at));
                }
    }
}

/* Slopes are powers of two, so every depth is exact. */
static void
test_depth_at_samples(void **state)
{
    struct scene scene;
    struct triangle triangle = {
        .z = {.a = 1.0f / 64, .b = 1.0f / 128, .c = 0.25f}, .z_min = 0.0f, .z_max = 1.0f};
    float z[MAX_SAMPLES][4];

    scene_init(&scene);
    scene.draw.multisample = true;
    triangle.draw = &scene.draw;
    for (uint32_t samples = 2; samples <= 8; samples *= 2) {
        scene.draw.samples = samples;
        depth_interpolate_samples(&triangle, 6, 10, z);
        for (uint32_t s = 0; s < samples; s++)
            for (uint32_t i = 0; i < 4; i++) {
                const float x = 6.0f + (float)(i & 1) + (float)places_of(samples)[s][0] / 16.0f;
                const float y = 10.0f + (float)(i >> 1) + (float)places_of(samples)[s][1] / 16.0f;
                assert_true(z[s][i] == 0.25f + x / 64.0f + y / 128.0f);
            }
    }
}

/* Depth and color of one sample of a pixel change. The bytes of neighboring samples do not. */
static void
test_samples_apart(void **state)
{
    const float z[MAX_SAMPLES][4] = {
        {.5f, .5f, .5f, .5f}, {.5f, .5f, .5f, .5f}, {.5f, .5f, .5f, .5f}, {.5f, .5f, .5f, .5f}};
    const float rgba[4][4] = {{1, 0, 0, 0}, {1, 0, 0, 0}, {1, 0, 0, 0}, {1, 0, 0, 0}};
    struct scene scene;
    uint32_t depth[16], color[16];

    scene_init(&scene);
    scene.draw.samples = 4;
    scene.draw.multisample = true;
    scene.draw.depth.format = format_get(21); /* Z24X8 */
    scene.draw.depth_test = scene.draw.depth_write = true;
    scene.draw.dsa =
        (struct dsa_state){.depth_enable = true, .depth_write = true, .depth_func = FUNC_LESS};
    scene.draw.color[0].format = format_get(1); /* B8G8R8A8 */
    scene.draw.blend.rt[0].colormask = 15;
    scene.draw.blend.alpha_to_one = true;
    for (uint32_t i = 0; i < 16; i++) {
        depth[i] = i == 6 ? 0 : 0xffffff; /* sample 2 of pixel 1 has a nearer depth */
        color[i] = 0;
    }
    /* pixel 1: samples 1 and 2; pixel 3: sample 0 */
    const uint32_t mask = 1u << (4 * 1 + 1) | 1u << (4 * 2 + 1) | 1u << 3;
    const struct depth_result result =
        depth_test_samples(&scene.draw, true, mask, z, (uint8_t *)depth);
    assert_int_equal(result.pass, 1u << (4 * 1 + 1) | 1u << 3);
    assert_int_equal(result.z_fail, 1u << (4 * 2 + 1));
    blend_quad_samples(&scene.draw, 0, result.pass, rgba, NULL, (uint8_t *)color);
    for (uint32_t i = 0; i < 16; i++) {
        const bool written = i == 5 || i == 12;
        assert_int_equal(color[i], written ? 0xffff0000 : 0);
        if (written) /* half of 2^24 - 1, rounded to nearest */
            assert_in_range(depth[i], 0x7fffff, 0x800000);
        else
            assert_int_equal(depth[i], i == 6 ? 0 : 0xffffff);
    }
}

static void
test_alpha_to_coverage(void **state)
{
    const float alpha[4] = {0.0f, 0.25f, 0.6f, 1.0f};
    struct scene scene;
    scene_init(&scene);
    scene.draw.samples = 4;
    /* sample s is kept if alpha is above s/4: no sample, the first one, the first three, all */
    const uint32_t kept = alpha_to_coverage(&scene.draw, 0xffff, alpha);
    assert_int_equal(kept, 0xe | 0xc << 4 | 0xc << 8 | 0x8 << 12);
    assert_int_equal(alpha_to_coverage(&scene.draw, 0x0f00, alpha), 0xc00);
}

/* A varying has the value of x. With centroids it is that of the pixel center if all or no samples
 * are covered, otherwise that of the first covered sample. */
static void
test_centroid(void **state)
{
    static const float expected[4] = {8.5f, 9.5f, 8.0f + 14.0f / 16, 9.0f + 2.0f / 16};
    float inputs[16];
    struct scene scene;
    struct triangle triangle = {.inv_w = {.c = 1.0f}, .varyings = {{{.a = 1.0f}}}};
    struct exec exec = {.lanes = 4, .inputs = inputs};

    scene_init(&scene);
    scene.draw.samples = 4;
    scene.draw.multisample = true;
    scene.draw.varyings[0].centroid = true;
    triangle.draw = &scene.draw;
    /* pixel 0 is completely covered, pixel 1 not at all, pixel 2 in samples 1 and 3, pixel 3 in
     * sample 2 */
    const uint32_t mask = 0x1111 | 0x4040 | 0x0800;
    interpolate_centroids(&triangle, 8, 4, mask, &exec, 0);
    for (uint32_t i = 0; i < 4; i++)
        assert_true(inputs[i] == expected[i]);
}

/* ---- command lists ---- */

enum { SIDE = 64, RES_RESOLVED = 20, ROUNDS = 6 };

static const char plain_vs[] = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\n"
                               "  0: MOV OUT[0], IN[0]\n  1: END\n";
static const char plain_fs[] = "FRAG\nPROPERTY FS_COLOR0_WRITES_ALL_CBUFS 1\n"
                               "DCL OUT[0], COLOR\nIMM[0] FLT32 {1.0, 1.0, 1.0, 1.0}\n"
                               "  0: MOV OUT[0], IMM[0]\n  1: END\n";

struct fixture {
    struct player player;
    uint32_t samples;
    enum forced { NOT_FORCED, FORCED_WINDOW, FORCED_RENDERBUFFER } forced;
};

static void
create_resources(struct fixture *f)
{
    const uint32_t samples = f->forced ? 0 : f->samples;
    const uint32_t bind =
        BIND_RENDER_TARGET | (f->forced == FORCED_WINDOW ? BIND_DISPLAY_TARGET : 0);
    const struct resource_desc descs[] = {
        {RES_COLOR, TARGET_2D, 1, bind, SIDE, SIDE, 1, 1, 0, samples},
        {RES_DEPTH, TARGET_2D, FORMAT_S8_UINT_Z24_UNORM, BIND_DEPTH_STENCIL, SIDE, SIDE, 1, 1, 0,
         samples},
        {RES_RESOLVED, TARGET_2D, FORMAT_B8G8R8A8_UNORM, BIND_RENDER_TARGET, SIDE, SIDE, 1, 1, 0,
         0},
        {RES_VERTICES, TARGET_BUFFER, FORMAT_R8_UNORM, BIND_VERTEX_BUFFER, 64, 1, 1, 1, 0, 0},
    };
    for (size_t i = 0; i < sizeof descs / sizeof *descs; i++)
        player_create(&f->player, descs[i]);
}

static void
start(struct fixture *f, uint32_t samples, enum forced forced, bool timed)
{
    struct params params;
    struct stream s = {0};
    struct error err = {""};

    f->samples = samples;
    f->forced = forced;
    assert_true(params_load_preset(&params, "reference-2005", &err));
    params.MEMORYCONTROLLER.MemorySize = 8 << 20;
    params.SIMULATOR.ForceMSAA = forced != NOT_FORCED;
    params.SIMULATOR.MSAASamples = samples;
    const uint32_t multisample = forced ? 0 : 1 << 25;
    player_start(&f->player, &params, timed, NULL);
    create_resources(f);
    scene_states(&s, multisample);
    scene_shaders(&s, plain_vs, plain_fs);
    CREATE(&s, VOBJ_VERTEX_ELEMENTS, OBJ_ELEMENTS, 0, 0, 0, FORMAT_R32G32B32A32_FLOAT);
    scene_surfaces(&s, 1, 20);
    scene_bind(&s);
    PACKET(&s, CMD_SET_VERTEX_BUFFERS, 16, 0, RES_VERTICES);
    scene_viewport(&s, SIDE, SIDE);
    player_submit(&f->player, &s);
}

/* Clears, draws the triangle, and resolves it into the single-sampled surface. */
static void
draw_triangle(struct fixture *f, const struct point p[3])
{
    float vertices[3][4];
    struct stream s = {0};
    for (int i = 0; i < 3; i++) {
        vertices[i][0] = (float)p[i].x / (256.0f * SIDE / 2) - 1.0f;
        vertices[i][1] = (float)p[i].y / (256.0f * SIDE / 2) - 1.0f;
        vertices[i][2] = 0.0f;
        vertices[i][3] = 1.0f;
    }
    player_put(&f->player, RES_VERTICES, vertices, sizeof vertices);
    stream_clear(&s, CLEAR_ALL, NULL, 1, 0);
    stream_draw(&s, PRIM_TRIANGLES, 0, 3);
    stream_blit(
        &s, BLIT_COLOR,
        (struct blit_side){RES_RESOLVED, 0, FORMAT_B8G8R8A8_UNORM, {0, 0, 0, SIDE, SIDE, 1}},
        (struct blit_side){RES_COLOR, 0, FORMAT_B8G8R8A8_UNORM, {0, 0, 0, SIDE, SIDE, 1}});
    player_submit(&f->player, &s);
}

static uint32_t
word_at(struct fixture *f, uint32_t handle, int32_t x, int32_t y, uint32_t sample)
{
    const struct resource *res = gpu_resource(&f->player.sim.device, 1, handle);
    uint32_t word;
    memcpy(&word,
           f->player.sim.device.memory.bytes + res->address +
               resource_offset(res, 0, (uint32_t)x, (uint32_t)y, 0, sample),
           sizeof word);
    return word;
}

static void
check_picture(struct fixture *f, const struct point p[3])
{
    static uint8_t rgba[SIDE][SIDE][4];
    if (f->player.sim.machine)
        /* writes to memory the blocks that exist only as block states */
        machine_sync_memory(f->player.sim.machine);
    if (f->forced)
        player_get(&f->player, RES_COLOR, SIDE, SIDE, rgba); /* samples as the program reads them */
    for (int32_t y = 0; y < SIDE; y++)
        for (int32_t x = 0; x < SIDE; x++) {
            uint32_t count = 0;
            for (uint32_t s = 0; s < f->samples; s++) {
                const bool in = is_covered(p, sample_at(f->samples, s, x, y));
                assert_int_equal(word_at(f, RES_COLOR, x, y, s), in ? ~0u : 0);
                assert_int_equal(word_at(f, RES_DEPTH, x, y, s) >> 8 != 0xffffff, in);
                count += in;
            }
            /* average of zeros and 255s, rounded to nearest; a half may round in either direction
             */
            const uint32_t twice = (word_at(f, RES_RESOLVED, x, y, 0) & 255) * 2 * f->samples;
            assert_in_range(twice + f->samples, 510 * count, 510 * count + 2 * f->samples);
            if (f->forced)
                assert_int_equal(rgba[y][x][0], word_at(f, RES_RESOLVED, x, y, 0) & 255);
        }
}

static void
draw_and_check(uint32_t samples, enum forced forced, bool timed)
{
    struct fixture *f = mem_alloc(sizeof *f);
    uint64_t seed = samples;
    start(f, samples, forced, timed);
    for (int round = 0; round < ROUNDS; round++) {
        struct point p[3];
        for (int i = 0; i < 3; i++)
            p[i] = random_point(&seed, GRID);
        draw_triangle(f, p);
        check_picture(f, p);
    }
    player_end(&f->player);
    free(f);
}

static void
test_functional(void **state)
{
    for (uint32_t samples = 2; samples <= 8; samples *= 2)
        draw_and_check(samples, NOT_FORCED, false);
}

static void
test_machine(void **state)
{
    for (uint32_t samples = 2; samples <= 8; samples *= 2)
        draw_and_check(samples, NOT_FORCED, true);
}

/* Forced samples are the same samples, but the program reads their average. */
static void
test_forced(void **state)
{
    for (uint32_t samples = 2; samples <= 8; samples *= 2)
        for (int timed = 0; timed < 2; timed++) {
            draw_and_check(samples, FORCED_WINDOW, timed);
            draw_and_check(samples, FORCED_RENDERBUFFER, timed);
        }
}

static void
bind_colors(struct fixture *f, uint32_t count)
{
    struct stream s = {0};
    if (count == 1)
        PACKET(&s, CMD_SET_FRAMEBUFFER_STATE, 1, OBJ_DEPTH, OBJ_COLOR);
    else
        PACKET(&s, CMD_SET_FRAMEBUFFER_STATE, 2, OBJ_DEPTH, OBJ_COLOR, RES_TEXTURE);
    player_submit(&f->player, &s);
}

/* A renderbuffer has one sample while it is bound together with a texture. Its pixels then are the
 * averages of the samples. */
static void
texture_keeps_one_sample(int timed)
{
    static uint8_t before[SIDE][SIDE][4], after[SIDE][SIDE][4];
    const struct point triangle[3] = {{700, 900}, {15000, 3100}, {5200, 14000}};
    struct fixture *f = mem_alloc(sizeof *f);
    const struct resource_desc texture = {
        RES_TEXTURE, TARGET_2D, 1, BIND_RENDER_TARGET | BIND_SAMPLER_VIEW, SIDE, SIDE, 1, 1, 0, 0};
    struct stream s = {0};
    start(f, 4, FORCED_RENDERBUFFER, timed);
    player_create(&f->player, texture);
    stream_surface(&s, RES_TEXTURE, RES_TEXTURE, 1);
    player_submit(&f->player, &s);
    draw_triangle(f, triangle);
    player_get(&f->player, RES_COLOR, SIDE, SIDE, before);
    for (uint32_t colors = 2; colors > 0; colors--) {
        bind_colors(f, colors);
        for (uint32_t handle = RES_COLOR; handle <= RES_DEPTH; handle++)
            assert_int_equal(gpu_resource(&f->player.sim.device, 1, handle)->samples,
                             colors == 2 ? 1 : 4);
        player_get(&f->player, RES_COLOR, SIDE, SIDE, after);
        assert_memory_equal(after, before, sizeof before);
    }
    draw_triangle(f, triangle);
    check_picture(f, triangle);
    player_end(&f->player);
    free(f);
}

static void
test_forced_with_texture(void **state)
{
    for (int timed = 0; timed < 2; timed++)
        texture_keeps_one_sample(timed);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coverage),
        cmocka_unit_test(test_mask_and_off),
        cmocka_unit_test(test_depth_at_samples),
        cmocka_unit_test(test_samples_apart),
        cmocka_unit_test(test_alpha_to_coverage),
        cmocka_unit_test(test_centroid),
        cmocka_unit_test(test_functional),
        cmocka_unit_test(test_machine),
        cmocka_unit_test(test_forced),
        cmocka_unit_test(test_forced_with_texture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
