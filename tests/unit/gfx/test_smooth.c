/* Stippled and antialiased primitives (OpenGL 2.1 specification, 3.3 to 3.5), compared with
 * calculated values. */
#include "rigs/gfx_support.h"

#include <math.h>

static struct triangle out[SETUP_MAX_TRIANGLES];

static bool
is_drawn(const struct triangle *triangle, int32_t x, int32_t y)
{
    const uint32_t px = (uint32_t)x & 7, py = (uint32_t)y & 7;
    const uint32_t bit =
        (px & 1) | (py & 1) << 1 | (px & 2) << 1 | (py & 2) << 2 | (px & 4) << 2 | (py & 4) << 3;
    return raster_tile(triangle, x & ~7, y & ~7) >> bit & 1;
}

static float
coverage(const struct triangle *triangle, uint32_t x, uint32_t y)
{
    float quad[4];
    smooth_quad(triangle, x & ~1u, y & ~1u, quad);
    return is_drawn(triangle, (int32_t)x, (int32_t)y) ? quad[(x & 1) + 2 * (y & 1)] : 0.0f;
}

static uint32_t
line_to_w(struct scene *scene, struct setup_state *state, uint32_t run, float x0, float y0,
          float x1, float y1, float w1)
{
    const struct vertex v[2] = {scene_vertex(x0, y0, 0.5f, 1.0f, NULL),
                                scene_vertex(x1, y1, 0.5f, w1, NULL)};
    const struct vertex *const ends[3] = {&v[0], &v[1], &v[1]};
    const struct primitive_out primitive = {.vertices = 2, .provoking = 1, .run = run};
    return setup_primitive(&scene->draw, &primitive, ends, CLIP_INSIDE, state, out);
}

static uint32_t
line(struct scene *scene, struct setup_state *state, uint32_t run, float x0, float y0, float x1,
     float y1)
{
    return line_to_w(scene, state, run, x0, y0, x1, y1, 1.0f);
}

/* Fragment n of a strip is drawn if bit floor(n / factor) mod 16 of the pattern is set. */
static void
test_stipple(void **unused)
{
    struct scene scene;
    struct setup_state state = {0};
    scene_init(&scene);
    scene.draw.rasterizer.line_stipple = true;
    scene.draw.rasterizer.line_stipple_pattern = 0x2f35;
    scene.draw.rasterizer.line_stipple_factor = 3;
    const uint32_t pattern = 0x2f35;

    assert_int_equal(line(&scene, &state, 7, 4.5f, 10.5f, 24.5f, 10.5f), 1);
    for (int32_t x = 4; x < 24; x++)
        assert_int_equal(is_drawn(&out[0], x, 10), pattern >> ((x - 4) / 3 % 16) & 1);
    /* The next line of the strip goes up from that end. Its first fragment has number 20. */
    assert_int_equal(line(&scene, &state, 7, 24.5f, 40.5f, 24.5f, 12.5f), 1);
    for (int32_t y = 40; y > 12; y--)
        assert_int_equal(is_drawn(&out[0], 24, y), pattern >> ((20 + 40 - y) / 3 % 16) & 1);
    assert_int_equal(line(&scene, &state, 8, 4.5f, 10.5f, 24.5f, 10.5f), 1);
    for (int32_t x = 4; x < 24; x++)
        assert_int_equal(is_drawn(&out[0], x, 10), pattern >> ((x - 4) / 3 % 16) & 1);
}

static void
test_smooth_lines(void **unused)
{
    struct scene scene;
    struct setup_state state = {0};
    scene_init(&scene);
    scene.draw.rasterizer.line_smooth = true;

    assert_int_equal(line(&scene, &state, 0, 8.0f, 10.5f, 24.0f, 10.5f), 1);
    for (uint32_t x = 6; x < 28; x++)
        for (uint32_t y = 8; y < 13; y++)
            assert_float_equal(coverage(&out[0], x, y), y == 10 && x >= 8 && x < 24, 1e-5);
    /* A line between two rows starts at a quarter of a pixel and is 2 wide. Coverage is half, full,
     * half. */
    scene.draw.rasterizer.line_width = 2.0f;
    assert_int_equal(line(&scene, &state, 0, 8.25f, 10.5f, 24.0f, 10.5f), 1);
    assert_float_equal(coverage(&out[0], 12, 9), 0.5, 1e-5);
    assert_float_equal(coverage(&out[0], 12, 10), 1.0, 1e-5);
    assert_float_equal(coverage(&out[0], 12, 11), 0.5, 1e-5);
    assert_float_equal(coverage(&out[0], 8, 10), 0.75, 1e-5);
    /* In every direction, the sum of the coverage is approximately the area. */
    for (uint32_t i = 0; i < 16; i++) {
        const float dx = 20.0f * ((float)i / 16.0f), dy = 20.0f - dx;
        double sum = 0.0;
        assert_int_equal(line(&scene, &state, 0, 20.3f, 20.7f, 20.3f + dx, 20.7f + dy), 1);
        for (uint32_t p = 0; p < TEST_WIDTH * TEST_HEIGHT; p++)
            sum += (double)coverage(&out[0], p % TEST_WIDTH, p / TEST_WIDTH);
        const double area = 2.0 * sqrt((double)dx * (double)dx + (double)dy * (double)dy);
        assert_true(fabs(sum - area) < 0.03 * area);
    }
}

/* Coverage is defined in the window (3.4.2), so perspective does not change it. A line without
 * length in the window has no area. */
static void
test_smooth_lines_in_perspective(void **unused)
{
    static float flat[TEST_HEIGHT][TEST_WIDTH];
    struct scene scene;
    struct setup_state state = {0};
    scene_init(&scene);
    scene.draw.rasterizer.line_smooth = true;

    assert_int_equal(line(&scene, &state, 0, 4.0f, 9.5f, 40.0f, 30.25f), 1);
    for (uint32_t p = 0; p < TEST_WIDTH * TEST_HEIGHT; p++)
        flat[p / TEST_WIDTH][p % TEST_WIDTH] = coverage(&out[0], p % TEST_WIDTH, p / TEST_WIDTH);
    assert_int_equal(line_to_w(&scene, &state, 0, 4.0f, 9.5f, 40.0f, 30.25f, 4.0f), 1);
    for (uint32_t p = 0; p < TEST_WIDTH * TEST_HEIGHT; p++)
        assert_float_equal(coverage(&out[0], p % TEST_WIDTH, p / TEST_WIDTH),
                           flat[p / TEST_WIDTH][p % TEST_WIDTH], 1e-5);
    assert_int_equal(line_to_w(&scene, &state, 0, 20.25f, 9.5f, 20.25f, 9.5f, 4.0f), 0);
}

static void
test_smooth_points(void **unused)
{
    struct scene scene;
    const struct vertex v[3] = {scene_vertex(20.0f, 30.0f, 0.5f, 1.0f, NULL)};
    const struct primitive_out point = {.vertices = 1};
    double sum = 0.0;
    scene_init(&scene);
    scene.draw.rasterizer.point_smooth = true;
    scene.draw.rasterizer.point_size = 12.0f;
    assert_int_equal(scene_setup(&scene, &point, v, out), 1);
    assert_float_equal(coverage(&out[0], 20, 30), 1.0, 1e-6);
    /* 4.5 pixels in both directions from the center are a distance of 6.36, so 0.14 of the pixel is
     * inside the edge. */
    assert_float_equal(coverage(&out[0], 15, 25), 6.5 - 4.5 * 1.41421356, 1e-5);
    for (uint32_t p = 0; p < TEST_WIDTH * TEST_HEIGHT; p++)
        sum += (double)coverage(&out[0], p % TEST_WIDTH, p / TEST_WIDTH);
    assert_true(fabs(sum - 36.0 * 3.14159265) < 1.5);
}

/* Two triangles of a rectangle whose edges are at quarters of pixels. */
static void
test_smooth_polygons(void **unused)
{
    struct scene scene;
    const float x0 = 10.25f, x1 = 30.5f, y0 = 12.75f, y1 = 40.0f;
    const float corners[4][2] = {{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}};
    struct vertex v[4];
    double sum[TEST_HEIGHT][TEST_WIDTH] = {{0}};
    scene_init(&scene);
    scene.draw.rasterizer.poly_smooth = true;
    for (uint32_t i = 0; i < 4; i++)
        v[i] = scene_vertex(corners[i][0], corners[i][1], 0.5f, 1.0f, NULL);
    for (uint32_t t = 0; t < 2; t++) {
        const struct vertex three[3] = {v[0], v[1 + t], v[2 + t]};
        assert_int_equal(scene_setup(&scene, &test_triangle, three, out), 1);
        for (uint32_t p = 0; p < TEST_WIDTH * TEST_HEIGHT; p++)
            sum[p / TEST_WIDTH][p % TEST_WIDTH] +=
                (double)coverage(&out[0], p % TEST_WIDTH, p / TEST_WIDTH);
    }
    for (uint32_t y = 0; y < TEST_HEIGHT; y++)
        for (uint32_t x = 0; x < TEST_WIDTH; x++) {
            const double left = fmax(x, (double)x0), right = fmin(x + 1.0, (double)x1);
            const double top = fmax(y, (double)y0), bottom = fmin(y + 1.0, (double)y1);
            const double area = fmax(right - left, 0.0) * fmax(bottom - top, 0.0);
            assert_float_equal(sum[y][x], area, 1e-6);
        }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stipple),
        cmocka_unit_test(test_smooth_lines),
        cmocka_unit_test(test_smooth_lines_in_perspective),
        cmocka_unit_test(test_smooth_points),
        cmocka_unit_test(test_smooth_polygons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
