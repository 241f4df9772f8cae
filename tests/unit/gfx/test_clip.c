/* The clipper, compared with exact areas and known results. */
#include "gfx/clip.h"

#include "rigs/gfx_support.h"

static struct vertex
clip_vertex(float x, float y, float z, float w)
{
    struct vertex v;
    memset(&v, 0, sizeof v);
    v.out[0][0] = x;
    v.out[0][1] = y;
    v.out[0][2] = z;
    v.out[0][3] = w;
    v.out[1][0] = x; /* the varyings are linear in the position */
    v.out[1][1] = 2.0f * y + 1.0f;
    v.out[1][2] = w;
    return v;
}

static enum clip_result
verdict(const struct scene *scene, uint8_t vertices, const struct vertex v[3])
{
    const struct vertex *const p[3] = {&v[0], &v[1], &v[2]};
    const struct primitive_out primitive = {.vertices = vertices, .edge_flags = 7};
    return clip_test(&scene->draw, &primitive, p);
}

static void
test_verdicts(void **state)
{
    struct scene scene;
    scene_init(&scene);
    const struct vertex in = clip_vertex(0, 0, 0, 1), right = clip_vertex(3, 0, 0, 1);
    const struct vertex far_right = clip_vertex(5, 1, 0, 1), near = clip_vertex(0, .5f, -2, 1);
    const struct vertex behind = clip_vertex(0, 0, 0, -1), up = clip_vertex(0, .5f, 0, 1);
    const struct vertex beyond = clip_vertex(4000, 0, 0, 1), nan = clip_vertex(NAN, 0, 0, 1);

    assert_int_equal(verdict(&scene, 3, (struct vertex[]){in, up, right}), CLIP_INSIDE);
    assert_int_equal(verdict(&scene, 3, (struct vertex[]){right, far_right, right}), CLIP_REJECT);
    assert_int_equal(verdict(&scene, 3, (struct vertex[]){in, up, near}), CLIP_NEEDED);
    assert_int_equal(verdict(&scene, 3, (struct vertex[]){in, up, behind}), CLIP_NEEDED);
    assert_int_equal(verdict(&scene, 3, (struct vertex[]){in, up, beyond}), CLIP_NEEDED);
    assert_int_equal(verdict(&scene, 3, (struct vertex[]){in, up, nan}), CLIP_REJECT);
    assert_int_equal(verdict(&scene, 2, (struct vertex[]){in, right, in}), CLIP_NEEDED);
    assert_int_equal(verdict(&scene, 1, (struct vertex[]){right, in, in}), CLIP_REJECT);
    assert_int_equal(verdict(&scene, 1, (struct vertex[]){in, in, in}), CLIP_INSIDE);

    scene.draw.rasterizer.depth_clip = false;
    assert_int_equal(verdict(&scene, 3, (struct vertex[]){in, up, near}), CLIP_INSIDE);
    scene.draw.rasterizer.depth_clip = true;
    scene.draw.rasterizer.clip_halfz = true;
    const struct vertex half = clip_vertex(.5f, 0, -.5f, 1);
    assert_int_equal(verdict(&scene, 3, (struct vertex[]){in, up, half}), CLIP_NEEDED);
    scene.draw.rasterizer.clip_halfz = false;
    assert_int_equal(verdict(&scene, 3, (struct vertex[]){in, up, half}), CLIP_INSIDE);
}

static void
test_user_planes(void **state)
{
    struct scene scene;
    scene_init(&scene);
    const struct vertex a = clip_vertex(-.5f, 0, 0, 1), b = clip_vertex(.5f, 0, 0, 1);
    struct vertex c = clip_vertex(.25f, .5f, 0, 1);

    scene.draw.rasterizer.clip_plane_enable = 2;
    scene.draw.clip_planes[1][0] = 1.0f; /* the plane x >= 0 */
    assert_int_equal(verdict(&scene, 3, (struct vertex[]){a, b, c}), CLIP_NEEDED);
    assert_int_equal(verdict(&scene, 3, (struct vertex[]){c, b, c}), CLIP_INSIDE);
    assert_int_equal(verdict(&scene, 3, (struct vertex[]){a, a, a}), CLIP_REJECT);
    /* the second varying is a clip distance; its second component, 2y + 1, is positive everywhere
     */
    scene.draw.clipdist_slot[0] = 1;
    assert_int_equal(verdict(&scene, 3, (struct vertex[]){a, b, c}), CLIP_INSIDE);
    c.out[1][1] = -1.0f;
    assert_int_equal(verdict(&scene, 3, (struct vertex[]){a, b, c}), CLIP_NEEDED);
    /* CLIPVERTEX replaces the position */
    scene.draw.clipdist_slot[0] = -1;
    scene.draw.clipvertex_slot = 1;
    assert_int_equal(verdict(&scene, 3, (struct vertex[]){b, b, b}), CLIP_INSIDE);
}

/* Returns the area of a polygon in window pixels, after the division by w. */
static double
window_area(const struct clip_polygon *polygon)
{
    double area = 0.0;
    for (uint32_t i = 0; i < polygon->count; i++) {
        const float *a = polygon->v[i].out[0], *b = polygon->v[(i + 1) % polygon->count].out[0];
        area += (double)a[0] / a[3] * b[1] / b[3] - (double)b[0] / b[3] * a[1] / a[3];
    }
    return fabs(area) / 2.0 * (TEST_WIDTH / 2) * (TEST_HEIGHT / 2);
}

static void
clip_it(const struct scene *scene, const struct vertex v[3], struct clip_polygon *polygon)
{
    const struct vertex *const p[3] = {&v[0], &v[1], &v[2]};
    clip_polygon(&scene->draw, &test_triangle, p, polygon);
}

static void
test_areas(void **state)
{
    struct scene scene;
    struct clip_polygon polygon;
    scene_init(&scene);

    /* z goes from -1 to 3 while x goes from -1 to 1, so the far plane (z = 1) cuts the triangle at
     * x = 0. The triangle (-1,-1) (1,-1) (-1,1) loses the small triangle right of x = 0, a quarter
     * of its area. */
    const struct vertex v[3] = {clip_vertex(-1, -1, -1, 1), clip_vertex(1, -1, 3, 1),
                                clip_vertex(-1, 1, -1, 1)};
    clip_it(&scene, v, &polygon);
    assert_int_equal(polygon.count, 4);
    assert_true(fabs(window_area(&polygon) - 0.75 * 64 * 64 / 2) < 1e-6 * 4096);
    for (uint32_t i = 0; i < polygon.count; i++) {
        assert_true(polygon.v[i].out[0][2] <= 1.0f);
        assert_true(fabsf(polygon.v[i].out[1][1] - (2.0f * polygon.v[i].out[0][1] + 1.0f)) < 1e-6f);
    }

    /* A user plane x + y <= 0 keeps half of a triangle without z. */
    const struct vertex flat[3] = {clip_vertex(-1, -1, 0, 1), clip_vertex(1, -1, 0, 1),
                                   clip_vertex(1, 1, 0, 1)};
    scene.draw.rasterizer.clip_plane_enable = 1;
    scene.draw.clip_planes[0][0] = scene.draw.clip_planes[0][1] = -1.0f;
    clip_it(&scene, flat, &polygon);
    assert_true(fabs(window_area(&polygon) - 1024.0) < 1e-3);
    uint32_t real = 0;
    for (uint32_t i = 0; i < polygon.count; i++)
        real += polygon.edge[i] == EDGE_REAL;
    assert_int_equal(real, polygon.count); /* the new edge along the user plane is also drawn */
}

/* A floor extends from behind the eye to the far distance. The floor covers exactly the half of the
 * window below the horizon, however it is divided into triangles. */
static void
test_floor_below_the_horizon(void **state)
{
    struct scene scene;
    uint8_t counts[TEST_HEIGHT][TEST_WIDTH] = {0};
    struct triangle out[SETUP_MAX_TRIANGLES];

    scene_init(&scene);
    /* Eye space: x, height 1 in y, depth d. Clip space: (x, 1, z(d), d), near .5, far 1e6. */
    const float near = 0.5f, far = 1e6f, k = (far + near) / (far - near);
    const float m = -2.0f * far * near / (far - near);
    const float corners[4][2] = {{-1e5f, -10}, {1e5f, -10}, {1e5f, 1e5f}, {-1e5f, 1e5f}};
    struct vertex v[4];
    for (int i = 0; i < 4; i++) {
        const float d = corners[i][1];
        v[i] = clip_vertex(corners[i][0], 1.0f, k * d + m, d);
    }
    for (int half = 0; half < 2; half++) {
        const struct vertex t[3] = {v[0], v[1 + half], v[2 + half]};
        const uint32_t made = scene_setup(&scene, &test_triangle, t, out);
        for (uint32_t i = 0; i < made; i++)
            count_pixels(&out[i], counts);
    }
    /* The horizon is at half of the framebuffer's height. A point of the floor is height / d below
     * it, in units of half the window. This exceeds one pixel, 1/32, up to d = 32. The floor ends
     * at 1e5. */
    for (int32_t y = 0; y < TEST_HEIGHT; y++)
        for (int32_t x = 0; x < TEST_WIDTH; x++)
            assert_int_equal(counts[y][x], y >= TEST_HEIGHT / 2);
}

/* Draws random fans around the eye. Triangles with common edges that extend behind the eye omit no
 * pixel, and draw no pixel twice. */
static void
test_shared_edges_do_not_crack(void **state)
{
    struct scene scene;
    struct triangle out[SETUP_MAX_TRIANGLES];
    uint64_t seed = 13;
    uint32_t wrong = 0, pixels = 0;

    scene_init(&scene);
    for (int round = 0; round < 300; round++) {
        uint8_t counts[TEST_HEIGHT][TEST_WIDTH] = {0};
        /* A random visible point divides a wide floor into a fan. */
        const float cx = random_float(&seed, -1.0f, 1.0f), cd = random_float(&seed, 1.5f, 4.0f);
        const float rim[6][2] = {{-900, -300}, {random_float(&seed, -50, 50), -400}, {900, -300},
                                 {900, 1000},  {random_float(&seed, -50, 50), 1200}, {-900, 1000}};
        for (int i = 0; i < 6; i++) {
            const int j = (i + 1) % 6;
            const struct vertex t[3] = {clip_vertex(cx, 1, cd - 1, cd),
                                        clip_vertex(rim[i][0], 1, rim[i][1] - 1, rim[i][1]),
                                        clip_vertex(rim[j][0], 1, rim[j][1] - 1, rim[j][1])};
            const uint32_t made = scene_setup(&scene, &test_triangle, t, out);
            for (uint32_t k = 0; k < made; k++)
                count_pixels(&out[k], counts);
        }
        for (int32_t y = TEST_HEIGHT / 2 + 1; y < TEST_HEIGHT; y++)
            for (int32_t x = 0; x < TEST_WIDTH; x++, pixels++)
                wrong += counts[y][x] != 1;
    }
    assert_int_equal(wrong, 0);
    assert_true(pixels > 0);
}

static uint32_t
cover(const struct scene *scene, const struct vertex v[3], uint8_t counts[TEST_HEIGHT][TEST_WIDTH])
{
    struct triangle out[SETUP_MAX_TRIANGLES];
    const uint32_t made = scene_setup(scene, &test_triangle, v, out);
    memset(counts, 0, TEST_HEIGHT * TEST_WIDTH);
    for (uint32_t i = 0; i < made; i++)
        count_pixels(&out[i], counts);
    uint32_t pixels = 0;
    for (uint32_t y = 0; y < TEST_HEIGHT; y++)
        for (uint32_t x = 0; x < TEST_WIDTH; x++)
            pixels += counts[y][x];
    return pixels;
}

/* A triangle consists of all sums of its corners with nonnegative weights. So a corner multiplied
 * by a positive factor gives the same pixels. This also holds if the factor is so large that
 * rounding removes the other corners from a sum. A vertex that a program did not set may be such a
 * corner. */
static void
test_size_of_a_corner_does_not_count(void **state)
{
    static const float factors[] = {0x1p-80f, 0x1p-40f, 0x1p40f, 0x1p80f};
    uint8_t plain[TEST_HEIGHT][TEST_WIDTH], scaled[TEST_HEIGHT][TEST_WIDTH];
    struct scene scene;
    uint64_t seed = 7;
    uint32_t pixels = 0;

    scene_init(&scene);
    for (int round = 0; round < 400; round++) {
        float p[3][4];
        for (int i = 0; i < 12; i++)
            p[i / 4][i % 4] = random_float(&seed, i % 4 == 3 ? -2 : -6, i % 4 == 3 ? 4 : 6);
        struct vertex v[3];
        for (int i = 0; i < 3; i++)
            v[i] = clip_vertex(p[i][0], p[i][1], p[i][2], p[i][3]);
        pixels += cover(&scene, v, plain);
        for (int i = 0; i < 12; i++) {
            const float factor = factors[i / 3], *q = p[i % 3];
            struct vertex t[3] = {v[0], v[1], v[2]};
            t[i % 3] = clip_vertex(q[0] * factor, q[1] * factor, q[2] * factor, q[3] * factor);
            cover(&scene, t, scaled);
            assert_memory_equal(plain, scaled, sizeof plain);
        }
    }
    assert_true(pixels > 100000);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_verdicts),
        cmocka_unit_test(test_user_planes),
        cmocka_unit_test(test_areas),
        cmocka_unit_test(test_floor_below_the_horizon),
        cmocka_unit_test(test_shared_edges_do_not_crack),
        cmocka_unit_test(test_size_of_a_corner_does_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
