/* Coverage of pixel centers, compared with exact integer arithmetic (coverage.h). Meshes cover each
 * pixel once. */
#include "rigs/coverage.h"

/* Grid of half a pixel. Pixel centers are often on edges and corners of triangles with corners on
 * this grid. */
enum { GRID = 128 };

static bool
covered(const struct point p[3], int32_t x, int32_t y)
{
    return is_covered(p, (struct point){x * 256 + 128, y * 256 + 128});
}

static void
test_single_triangles(void **state)
{
    struct scene scene;
    uint64_t seed = 1;
    struct triangle out[SETUP_MAX_TRIANGLES];

    scene_init(&scene);
    for (int round = 0; round < 4000; round++) {
        struct point p[3];
        struct vertex v[3];
        uint8_t counts[TEST_HEIGHT][TEST_WIDTH] = {0};
        for (int i = 0; i < 3; i++) {
            p[i] = random_point(&seed, GRID);
            v[i] = vertex_at(p[i]);
        }
        const uint32_t made = scene_setup(&scene, &test_triangle, v, out);
        assert_true(made <= 1);
        if (made)
            count_pixels(&out[0], counts);
        for (int32_t y = 0; y < TEST_HEIGHT; y++)
            for (int32_t x = 0; x < TEST_WIDTH; x++)
                assert_int_equal(counts[y][x], covered(p, x, y));
    }
}

static void
test_squares_never_reject(void **state)
{
    struct scene scene;
    uint64_t seed = 2;
    struct triangle out[SETUP_MAX_TRIANGLES];

    scene_init(&scene);
    for (int round = 0; round < 1000; round++) {
        struct vertex v[3];
        for (int i = 0; i < 3; i++)
            v[i] = vertex_at(random_point(&seed, GRID));
        if (!scene_setup(&scene, &test_triangle, v, out))
            continue;
        for (int32_t size = 1; size <= 64; size *= 2) {
            const int32_t x = (int32_t)(random_bits(&seed) % 64) & -size;
            const int32_t y = (int32_t)(random_bits(&seed) % 64) & -size;
            uint8_t counts[TEST_HEIGHT][TEST_WIDTH] = {0};
            uint32_t found = 0;
            count_pixels(&out[0], counts);
            for (int32_t py = y; py < y + size; py++)
                for (int32_t px = x; px < x + size; px++)
                    found += counts[py][px];
            const enum square_coverage coverage = raster_square(&out[0], x, y, size);
            if (found) {
                assert_int_not_equal(coverage, SQUARE_OUTSIDE);
                assert_true(raster_box_touches(&out[0], x, y, size));
            }
            if (coverage == SQUARE_INSIDE)
                assert_int_equal(found, size * size);
            if (found < (uint32_t)(size * size) && size == 1)
                assert_int_equal(coverage, SQUARE_OUTSIDE);
        }
    }
}

/* Draws a grid of 8x8 cells that exceeds the framebuffer. Inner points are moved randomly. Each
 * cell is split along a random diagonal with a random winding. If no cell is folded, every pixel is
 * drawn once. */
static void
test_meshes_are_watertight(void **state)
{
    enum { CELLS = 8, STEP = 10 * 256 };
    struct scene scene;
    uint64_t seed = 3;

    scene_init(&scene);
    for (int round = 0; round < 200; round++) {
        struct point grid[CELLS + 1][CELLS + 1];
        uint8_t counts[TEST_HEIGHT][TEST_WIDTH] = {0};
        for (int64_t j = 0; j <= CELLS; j++)
            for (int64_t i = 0; i <= CELLS; i++) {
                const int64_t range = round & 1 ? STEP / 4 : 0;
                const int64_t mx = range ? (int64_t)(random_bits(&seed) % (2 * range)) - range : 0;
                const int64_t my = range ? (int64_t)(random_bits(&seed) % (2 * range)) - range : 0;
                const bool rim = i == 0 || j == 0 || i == CELLS || j == CELLS;
                grid[j][i] =
                    (struct point){i * STEP - 8 * 256 + (rim ? 0 : mx) + (round & 2 ? 128 : 0),
                                   j * STEP - 8 * 256 + (rim ? 0 : my)};
            }
        for (int j = 0; j < CELLS; j++)
            for (int i = 0; i < CELLS; i++) {
                const struct point q[4] = {grid[j][i], grid[j][i + 1], grid[j + 1][i + 1],
                                           grid[j + 1][i]};
                const uint32_t turn = random_bits(&seed) & 1;
                for (uint32_t half = 0; half < 2; half++) {
                    const uint32_t a = turn, b = (turn + 1 + half) & 3, c = (turn + 2 + half) & 3;
                    const bool flip = random_bits(&seed) & 1;
                    const struct vertex v[3] = {vertex_at(q[a]), vertex_at(q[flip ? c : b]),
                                                vertex_at(q[flip ? b : c])};
                    struct triangle out[SETUP_MAX_TRIANGLES];
                    if (scene_setup(&scene, &test_triangle, v, out))
                        count_pixels(&out[0], counts);
                }
            }
        for (int32_t y = 0; y < TEST_HEIGHT; y++)
            for (int32_t x = 0; x < TEST_WIDTH; x++)
                assert_int_equal(counts[y][x], 1);
    }
}

static void
test_scissor_and_viewport_cut(void **state)
{
    struct scene scene;
    struct triangle out[SETUP_MAX_TRIANGLES];
    uint8_t counts[TEST_HEIGHT][TEST_WIDTH] = {0};

    scene_init(&scene);
    scene.draw.bounds = (struct scissor_state){3, 5, 40, 41};
    scene.draw.viewport.scale[0] = 10.0f; /* x from 10 to 30 */
    scene.draw.viewport.translate[0] = 20.0f;
    struct vertex v[3] = {vertex_at((struct point){0, 0}), vertex_at((struct point){0, 0}),
                          vertex_at((struct point){0, 0})};
    v[0].out[0][0] = -4.0f;
    v[0].out[0][1] = -4.0f;
    v[1].out[0][0] = 8.0f;
    v[1].out[0][1] = -4.0f;
    v[2].out[0][0] = -4.0f;
    v[2].out[0][1] = 8.0f;
    assert_int_equal(scene_setup(&scene, &test_triangle, v, out), 1);
    count_pixels(&out[0], counts);
    for (int32_t y = 0; y < TEST_HEIGHT; y++)
        for (int32_t x = 0; x < TEST_WIDTH; x++)
            assert_int_equal(counts[y][x], x >= 10 && x < 30 && y >= 5 && y < 41);
}

static void
test_points_and_lines(void **state)
{
    struct scene scene;
    struct triangle out[SETUP_MAX_TRIANGLES];
    uint8_t counts[TEST_HEIGHT][TEST_WIDTH] = {0};
    const struct primitive_out point = {.vertices = 1}, line = {.vertices = 2, .provoking = 1};

    scene_init(&scene);
    scene.draw.rasterizer.point_size = 3.0f;
    struct vertex v[3] = {scene_vertex(10.5f, 20.5f, 0.5f, 1.0f, NULL)};
    assert_int_equal(scene_setup(&scene, &point, v, out), 1);
    count_pixels(&out[0], counts);
    for (int32_t y = 0; y < TEST_HEIGHT; y++)
        for (int32_t x = 0; x < TEST_WIDTH; x++)
            assert_int_equal(counts[y][x], x >= 9 && x <= 11 && y >= 19 && y <= 21);

    /* A line from one pixel center to another does not draw the last pixel (diamond exit rule). */
    memset(counts, 0, sizeof counts);
    v[0] = scene_vertex(4.5f, 8.5f, 0.5f, 1.0f, NULL);
    v[1] = scene_vertex(20.5f, 8.5f, 0.5f, 1.0f, NULL);
    assert_int_equal(scene_setup(&scene, &line, v, out), 1);
    count_pixels(&out[0], counts);
    v[0] = scene_vertex(40.5f, 30.5f, 0.5f, 1.0f, NULL);
    v[1] = scene_vertex(40.5f, 10.5f, 0.5f, 1.0f, NULL);
    assert_int_equal(scene_setup(&scene, &line, v, out), 1);
    count_pixels(&out[0], counts);
    for (int32_t y = 0; y < TEST_HEIGHT; y++)
        for (int32_t x = 0; x < TEST_WIDTH; x++)
            assert_int_equal(counts[y][x],
                             (y == 8 && x >= 4 && x < 20) || (x == 40 && y <= 30 && y > 10));
}

/* A line strip draws each pixel of its path once. Joints have no gaps, and no pixel is drawn twice.
 */
static void
test_line_joints(void **state)
{
    struct scene scene;
    struct triangle out[SETUP_MAX_TRIANGLES];
    const struct primitive_out line = {.vertices = 2, .provoking = 1};
    uint64_t seed = 5;

    scene_init(&scene);
    for (int round = 0; round < 500; round++) {
        /* A line from left to right with slopes below 1 covers each column once. */
        uint8_t counts[TEST_HEIGHT][TEST_WIDTH] = {0};
        float x = 2.5f, y = 32.5f;
        while (x < 58.0f) {
            const float step = 1.0f + (float)(random_bits(&seed) % 5);
            const float rise = random_float(&seed, -0.9f, 0.9f) * step;
            const float nx = x + step, ny = fminf(fmaxf(y + rise, 2.0f), 62.0f);
            const struct vertex v[3] = {scene_vertex(x, y, 0.5f, 1.0f, NULL),
                                        scene_vertex(nx, ny, 0.5f, 1.0f, NULL)};
            if (scene_setup(&scene, &line, v, out))
                count_pixels(&out[0], counts);
            x = nx;
            y = ny;
        }
        for (int32_t column = 3; column < (int32_t)x - 1; column++) {
            uint32_t drawn = 0;
            for (int32_t row = 0; row < TEST_HEIGHT; row++)
                drawn += counts[row][column];
            assert_true(drawn >= 1 && drawn <= 2);
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_single_triangles),
        cmocka_unit_test(test_squares_never_reject),
        cmocka_unit_test(test_meshes_are_watertight),
        cmocka_unit_test(test_scissor_and_viewport_cut),
        cmocka_unit_test(test_points_and_lines),
        cmocka_unit_test(test_line_joints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
