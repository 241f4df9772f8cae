/* Triangle setup: planes have the vertex values at the vertices. Further tests cover culling,
 * facing, and polygon offset. */
#include "rigs/gfx_support.h"

static float
at(const struct triangle *t, const struct plane *p, float x, float y)
{
    return p->c + p->a * (x - t->origin_x) + p->b * (y - t->origin_y);
}

static void
check_near(float value, float wanted, float scale)
{
    assert_true(fabsf(value - wanted) <= 1e-5f * scale);
}

static void
test_planes_at_vertices(void **state)
{
    struct scene scene;
    struct triangle out[SETUP_MAX_TRIANGLES];
    uint64_t seed = 7;

    scene_init(&scene);
    for (int round = 0; round < 2000; round++) {
        float x[3], y[3], z[3], w[3], c[3][4];
        struct vertex v[3];
        const bool perspective = round & 1;
        scene.draw.varyings[0].interpolation =
            perspective ? INTERPOLATE_PERSPECTIVE : INTERPOLATE_LINEAR;
        for (int i = 0; i < 3; i++) {
            x[i] = random_float(&seed, 0.0f, 64.0f);
            y[i] = random_float(&seed, 0.0f, 64.0f);
            z[i] = random_float(&seed, 0.0f, 1.0f);
            w[i] = random_float(&seed, 0.5f, 4.0f);
            for (int k = 0; k < 4; k++)
                c[i][k] = random_float(&seed, -2.0f, 2.0f);
            v[i] = scene_vertex(x[i], y[i], z[i], w[i], c[i]);
        }
        const float area = (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0]);
        /* skip thin triangles, whose slopes amplify rounding errors of the positions */
        if (fabsf(area) < 100.0f || scene_setup(&scene, &test_triangle, v, out) != 1)
            continue;
        for (int i = 0; i < 3; i++) {
            check_near(at(&out[0], &out[0].z, x[i], y[i]), z[i], 4.0f);
            check_near(at(&out[0], &out[0].inv_w, x[i], y[i]), 1.0f / w[i], 4.0f);
            for (int k = 0; k < 4; k++)
                check_near(at(&out[0], &out[0].varyings[0][k], x[i], y[i]),
                           perspective ? c[i][k] / w[i] : c[i][k], 8.0f);
        }
    }
}

static uint32_t
setup_with(struct scene *scene, bool clockwise, uint8_t cull, bool front_ccw, bool *front)
{
    const struct vertex a = scene_vertex(10.0f, 10.0f, 0.5f, 1.0f, NULL);
    const struct vertex b = scene_vertex(50.0f, 10.0f, 0.5f, 1.0f, NULL);
    const struct vertex c = scene_vertex(10.0f, 50.0f, 0.5f, 1.0f, NULL);
    const struct vertex v[3] = {a, clockwise ? b : c, clockwise ? c : b};
    struct triangle out[SETUP_MAX_TRIANGLES];

    scene->draw.rasterizer.cull = cull;
    scene->draw.rasterizer.front_ccw = front_ccw;
    const uint32_t made = scene_setup(scene, &test_triangle, v, out);
    if (made)
        *front = out[0].front;
    return made;
}

static void
test_culling(void **state)
{
    struct scene scene;
    scene_init(&scene);
    for (uint32_t i = 0; i < 16; i++) {
        const bool clockwise = i & 1, front_ccw = i & 2;
        const uint8_t cull = (uint8_t)(i >> 2);
        const bool is_front = clockwise != front_ccw;
        const bool culled = cull == CULL_BOTH || (cull == CULL_FRONT && is_front) ||
                            (cull == CULL_BACK && !is_front);
        bool front = false;
        assert_int_equal(setup_with(&scene, clockwise, cull, front_ccw, &front), !culled);
        if (!culled)
            assert_int_equal(front, is_front);
    }
}

static void
test_flat_and_two_sided(void **state)
{
    const float red[4] = {1, 0, 0, 1}, green[4] = {0, 1, 0, 1}, blue[4] = {0, 0, 1, 1};
    struct scene scene;
    struct triangle out[SETUP_MAX_TRIANGLES];
    struct vertex v[3] = {scene_vertex(10.0f, 10.0f, 0.5f, 1.0f, red),
                          scene_vertex(50.0f, 10.0f, 0.5f, 2.0f, green),
                          scene_vertex(10.0f, 50.0f, 0.5f, 4.0f, blue)};

    scene_init(&scene);
    scene.vs.output_count = 3;
    scene.draw.varyings[0] = (struct varying){VARYING_VERTEX, 1, 2, INTERPOLATE_CONSTANT, false};
    v[2].out[2][0] = 9.0f;
    scene.draw.rasterizer.front_ccw = false;
    assert_int_equal(scene_setup(&scene, &test_triangle, v, out), 1);
    for (int k = 0; k < 4; k++) {
        assert_true(out[0].varyings[0][k].c == blue[k]);
        assert_true(out[0].varyings[0][k].a == 0.0f && out[0].varyings[0][k].b == 0.0f);
    }
    scene.draw.rasterizer.front_ccw = true;
    assert_int_equal(scene_setup(&scene, &test_triangle, v, out), 1);
    assert_true(out[0].varyings[0][0].c == 9.0f);
}

static float
offset_of(struct scene *scene, float units, float scale, float clamp, float slope)
{
    /* Depth decreases by `slope` per pixel along x and by half of it along y. */
    const struct vertex v[3] = {scene_vertex(8.0f, 8.0f, 0.5f, 1.0f, NULL),
                                scene_vertex(40.0f, 8.0f, 0.5f - 32.0f * slope, 1.0f, NULL),
                                scene_vertex(8.0f, 40.0f, 0.5f - 16.0f * slope, 1.0f, NULL)};
    struct triangle plain[SETUP_MAX_TRIANGLES], moved[SETUP_MAX_TRIANGLES];
    struct rasterizer_state *state = &scene->draw.rasterizer;

    state->offset_tri = false;
    assert_int_equal(scene_setup(scene, &test_triangle, v, plain), 1);
    state->offset_tri = true;
    state->offset_units = units;
    state->offset_scale = scale;
    state->offset_clamp = clamp;
    assert_int_equal(scene_setup(scene, &test_triangle, v, moved), 1);
    assert_true(moved[0].z.a == plain[0].z.a && moved[0].z.b == plain[0].z.b);
    return moved[0].z.c - plain[0].z.c;
}

static void
test_polygon_offset(void **state)
{
    const struct format_info z16 = {.depth_bits = 16}, z24 = {.depth_bits = 24};
    const struct format_info z32f = {.depth_bits = 32, .is_float = true};
    const struct resource res = {0};
    struct scene scene;

    scene_init(&scene);
    scene.draw.depth.res = &res;
    scene.draw.depth.format = &z16;
    assert_true(fabsf(offset_of(&scene, 100.0f, 0.0f, 0.0f, 0.0f) - 200.0f / 65535.0f) < 1e-6f);
    scene.draw.depth.format = &z24;
    assert_true(fabsf(offset_of(&scene, 1e4f, 0.0f, 0.0f, 0.0f) - 2e4f / 16777215.0f) < 1e-6f);
    assert_true(fabsf(offset_of(&scene, 0.0f, 3.0f, 0.0f, 1.0f / 128.0f) - 3.0f / 128.0f) < 1e-5f);
    assert_true(fabsf(offset_of(&scene, 0.0f, 3.0f, 0.01f, 1.0f / 128.0f) - 0.01f) < 1e-6f);
    assert_true(fabsf(offset_of(&scene, 0.0f, -3.0f, -0.01f, 1.0f / 128.0f) + 0.01f) < 1e-6f);
    /* floats in [.5, 1) have steps of 2^-24 */
    scene.draw.depth.format = &z32f;
    assert_true(fabsf(offset_of(&scene, 65536.0f, 0.0f, 0.0f, 0.0f) - 65536.0f / 16777216.0f) <
                1e-6f);
}

static void
test_depth_stays_in_range(void **state)
{
    struct scene scene;
    struct triangle out[SETUP_MAX_TRIANGLES];
    uint64_t seed = 9;

    scene_init(&scene);
    scene.draw.rasterizer.offset_tri = true;
    scene.draw.rasterizer.offset_scale = 4.0f;
    for (int round = 0; round < 500; round++) {
        struct vertex v[3];
        for (int i = 0; i < 3; i++)
            v[i] = scene_vertex(random_float(&seed, 0.0f, 64.0f), random_float(&seed, 0.0f, 64.0f),
                                random_float(&seed, 0.0f, 1.0f), 1.0f, NULL);
        if (!scene_setup(&scene, &test_triangle, v, out))
            continue;
        assert_true(out[0].z_min >= 0.0f && out[0].z_max <= 1.0f);
        for (uint32_t y = 0; y < TEST_HEIGHT; y += 2)
            for (uint32_t x = 0; x < TEST_WIDTH; x += 2) {
                float z[4];
                depth_interpolate(&out[0], x, y, z);
                for (int i = 0; i < 4; i++)
                    assert_true(z[i] >= out[0].z_min && z[i] <= out[0].z_max);
            }
    }
}

static void
test_unfilled(void **state)
{
    struct scene scene;
    struct triangle out[SETUP_MAX_TRIANGLES];
    const struct vertex v[3] = {scene_vertex(10.0f, 10.0f, 0.5f, 1.0f, NULL),
                                scene_vertex(50.0f, 10.0f, 0.5f, 1.0f, NULL),
                                scene_vertex(10.0f, 50.0f, 0.5f, 1.0f, NULL)};
    struct primitive_out primitive = test_triangle;

    scene_init(&scene);
    scene.draw.rasterizer.fill_front = scene.draw.rasterizer.fill_back = FILL_LINE;
    assert_int_equal(scene_setup(&scene, &primitive, v, out), 3);
    assert_true(out[0].is_line);
    primitive.edge_flags = 5;
    assert_int_equal(scene_setup(&scene, &primitive, v, out), 2);
    scene.draw.rasterizer.fill_front = scene.draw.rasterizer.fill_back = FILL_POINT;
    assert_int_equal(scene_setup(&scene, &primitive, v, out), 2);
    assert_true(out[0].is_point);
}

/* A polygon drawn as lines or points uses the stencil state of its face (OpenGL 2.1 specification,
 * 4.1.4). The polygon is clockwise on the screen, where y grows downwards. */
static void
test_unfilled_faces(void **state)
{
    struct scene scene;
    struct triangle out[SETUP_MAX_TRIANGLES];
    const struct vertex v[3] = {scene_vertex(10.0f, 10.0f, 0.5f, 1.0f, NULL),
                                scene_vertex(50.0f, 10.0f, 0.5f, 1.0f, NULL),
                                scene_vertex(10.0f, 50.0f, 0.5f, 1.0f, NULL)};

    scene_init(&scene);
    for (int i = 0; i < 4; i++) {
        struct rasterizer_state *r = &scene.draw.rasterizer;
        r->front_ccw = i & 1;
        r->fill_front = r->fill_back = i & 2 ? FILL_POINT : FILL_LINE;
        assert_int_equal(scene_setup(&scene, &test_triangle, v, out), 3);
        for (int t = 0; t < 3; t++)
            assert_int_equal(out[t].front, !r->front_ccw);
    }
}

/* glPolygonMode also draws the edges of a polygon without area. Only a positive area faces front
 * (OpenGL 2.1 specification, 2.14.1). So the mode is that of the back face, whatever glFrontFace
 * sets. */
static void
test_unfilled_without_area(void **state)
{
    struct scene scene;
    struct triangle out[SETUP_MAX_TRIANGLES];
    const struct vertex a = scene_vertex(10.0f, 10.0f, 0.5f, 1.0f, NULL);
    const struct vertex b = scene_vertex(50.0f, 30.0f, 0.5f, 1.0f, NULL);
    const struct vertex v[3] = {a, b, b};
    struct rasterizer_state *r = &scene.draw.rasterizer;

    scene_init(&scene);
    for (int i = 0; i < 2; i++) {
        r->front_ccw = i;
        r->cull = 0;
        r->fill_front = FILL_FILL;
        r->fill_back = FILL_LINE;
        /* from a to b and back; the edge from b to b has no pixels */
        assert_int_equal(scene_setup(&scene, &test_triangle, v, out), 2);
        assert_true(out[0].is_line && !out[0].front);
        r->fill_back = FILL_POINT;
        assert_int_equal(scene_setup(&scene, &test_triangle, v, out), 3);
        r->fill_front = FILL_LINE;
        r->fill_back = FILL_FILL;
        assert_int_equal(scene_setup(&scene, &test_triangle, v, out), 0);
        r->fill_back = FILL_LINE;
        r->cull = CULL_FRONT;
        assert_int_equal(scene_setup(&scene, &test_triangle, v, out), 2);
        r->cull = CULL_BACK;
        assert_int_equal(scene_setup(&scene, &test_triangle, v, out), 0);
    }
}

/* A triangle may be too thin for snapped corners. It still has an area, 40 x 1/1024 pixels, and is
 * clockwise on the screen. Its depth has no slope, so its offset contains only the units, here 1 of
 * 2 / (2^24 - 1). */
static void
test_unfilled_too_thin(void **state)
{
    struct scene scene;
    struct triangle out[SETUP_MAX_TRIANGLES];
    const struct vertex v[3] = {scene_vertex(10.0f, 10.0f, 0.5f, 1.0f, NULL),
                                scene_vertex(50.0f, 10.0f, 0.5f, 1.0f, NULL),
                                scene_vertex(50.0f, 10.0f + 1.0f / 1024, 0.5f, 1.0f, NULL)};
    struct rasterizer_state *r = &scene.draw.rasterizer;

    scene_init(&scene);
    r->front_ccw = false;
    r->fill_front = FILL_POINT;
    r->fill_back = FILL_FILL;
    r->offset_point = true;
    r->offset_units = 65536.0f;
    r->offset_scale = 1.0f;
    assert_int_equal(scene_setup(&scene, &test_triangle, v, out), 3);
    assert_true(out[0].front);
    assert_true(fabsf(out[0].z.c - (0.5f + 65536.0f * 2.0f / 16777215.0f)) < 1e-6f);
    r->front_ccw = true;
    assert_int_equal(scene_setup(&scene, &test_triangle, v, out), 0);
}

/* Asserts that the points are two pixels wide and exactly at these pixel corners. */
static void
assert_points_at(const struct triangle out[], uint32_t made, const int32_t at[][2], uint32_t count)
{
    assert_int_equal(made, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_true(out[i].is_point);
        assert_int_equal(out[i].min_x, at[i][0] - 1);
        assert_int_equal(out[i].min_y, at[i][1] > 0 ? at[i][1] - 1 : 0);
        assert_int_equal(out[i].max_x, at[i][0] < TEST_WIDTH ? at[i][0] : TEST_WIDTH - 1);
        assert_int_equal(out[i].max_y, at[i][1]);
    }
}

/* A polygon clipped by the view volume also has points at its new corners (OpenGL 2.1
 * specification, 2.12). A clipped edge inside a larger polygon has none. */
static void
test_points_of_cut_polygons(void **state)
{
    struct scene scene;
    struct triangle out[SETUP_MAX_TRIANGLES];
    struct primitive_out primitive = test_triangle;

    scene_init(&scene);
    scene.draw.rasterizer.fill_front = scene.draw.rasterizer.fill_back = FILL_POINT;
    scene.draw.rasterizer.point_size = 2.0f;
    /* The edges to and from (88, 24) cross 64 columns and 16 rows. They leave the view at column
     * 64, 40 columns and 10 rows from their other ends. */
    const struct vertex right[3] = {scene_vertex(24.0f, 8.0f, 0.5f, 1.0f, NULL),
                                    scene_vertex(88.0f, 24.0f, 0.5f, 1.0f, NULL),
                                    scene_vertex(24.0f, 40.0f, 0.5f, 1.0f, NULL)};
    assert_points_at(out, scene_setup(&scene, &primitive, right, out),
                     (const int32_t[][2]){{24, 8}, {64, 18}, {64, 30}, {24, 40}}, 4);
    primitive.edge_flags = 5;
    assert_points_at(out, scene_setup(&scene, &primitive, right, out),
                     (const int32_t[][2]){{24, 8}, {64, 18}, {24, 40}}, 3);
    /* This polygon surrounds the upper right corner of the view. The corner itself gets a point,
     * wherever the edge outside is. */
    const struct vertex around[3] = {scene_vertex(48.0f, 16.0f, 0.5f, 1.0f, NULL),
                                     scene_vertex(48.0f, -48.0f, 0.5f, 1.0f, NULL),
                                     scene_vertex(112.0f, 16.0f, 0.5f, 1.0f, NULL)};
    const int32_t square[][2] = {{48, 16}, {48, 0}, {64, 0}, {64, 16}};
    assert_points_at(out, scene_setup(&scene, &primitive, around, out), square, 4);
    primitive.edge_flags = 7;
    assert_points_at(out, scene_setup(&scene, &primitive, around, out), square, 4);
}

/* Sizes outside the offered limits, of the state or of a shader, become the nearest limit (OpenGL
 * 2.1 specification, 3.3). The center at 32, 32 is a pixel corner. */
static void
test_limits_of_points(void **state)
{
    static const struct {
        float size;
        int32_t pixels;
    } cases[] = {{0.0f, 1},     {0.5f, 1},     {1.0f, 1},      {254.0f, 254}, {255.0f, 255},
                 {256.0f, 255}, {271.0f, 255}, {8191.0f, 255}, {NAN, 1}};
    for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
        const bool from_shader = i % 2;
        struct scene scene;
        struct triangle out[SETUP_MAX_TRIANGLES];
        struct primitive_out primitive = test_triangle;
        struct vertex v[3];
        scene_init(&scene);
        scene.draw.rasterizer.point_size = from_shader ? 3.0f : cases[i / 2].size;
        scene.draw.rasterizer.point_size_per_vertex = from_shader;
        scene.draw.psize_slot = from_shader ? 1 : -1;
        for (int k = 0; k < 3; k++)
            v[k] = scene_vertex(32.0f, 32.0f, 0.5f, 1.0f, (float[4]){cases[i / 2].size});
        primitive.vertices = 1;
        assert_int_equal(scene_setup(&scene, &primitive, v, out), 1);
        /* Sprite coordinates run from 0 to 1 over the size. */
        assert_float_equal(out[0].sprite[0].a * (float)cases[i / 2].pixels, 1.0f, 1e-5f);
    }
}

/* A polygon in a small viewport stays inside the viewport, although the window is larger. The
 * corner (48, 8) of (8, 8), (48, 8), (8, 24) is beyond column 32. */
static void
test_unfilled_in_a_small_viewport(void **state)
{
    struct scene scene;
    struct triangle out[SETUP_MAX_TRIANGLES];
    const struct vertex v[3] = {scene_vertex(16.0f, 16.0f, 0.5f, 1.0f, NULL),
                                scene_vertex(96.0f, 16.0f, 0.5f, 1.0f, NULL),
                                scene_vertex(16.0f, 48.0f, 0.5f, 1.0f, NULL)};

    scene_init(&scene);
    scene.draw.viewport = (struct viewport_state){{16, 16, 0.5f}, {16, 16, 0.5f}};
    for (int i = 0; i < 2; i++) {
        scene.draw.rasterizer.fill_front = scene.draw.rasterizer.fill_back =
            i ? FILL_POINT : FILL_LINE;
        const uint32_t made = scene_setup(&scene, &test_triangle, v, out);
        assert_int_equal(made, i ? 4 : 3);
        for (uint32_t k = 0; k < made; k++)
            assert_true(out[k].max_x < 32);
    }
}

/* Vertex outputs of any value cause neither undefined behavior nor pixels outside the bounds. */
static void
test_wild_vertices(void **state)
{
    static const float wild[] = {0.0f,   -0.0f,   1.0f,     -1.0f,    1e-40f,    1e-30f, 1e10f,
                                 -1e10f, 3.4e38f, -3.4e38f, INFINITY, -INFINITY, NAN,    0.5f};
    const uint32_t kinds = sizeof wild / sizeof wild[0];
    struct scene scene;
    static struct triangle out[SETUP_MAX_TRIANGLES];
    uint64_t seed = 11;

    scene_init(&scene);
    for (int round = 0; round < 20000; round++) {
        struct vertex v[3];
        struct primitive_out primitive = test_triangle;
        memset(v, 0, sizeof v);
        for (int i = 0; i < 3; i++)
            for (int c = 0; c < 8; c++)
                v[i].out[c / 4][c % 4] = random_bits(&seed) & 1 ? wild[random_bits(&seed) % kinds]
                                                                : random_float(&seed, -2.0f, 2.0f);
        primitive.vertices = (uint8_t)(1 + random_bits(&seed) % 3);
        primitive.provoking = 0;
        scene.draw.rasterizer.depth_clip = random_bits(&seed) & 1;
        scene.draw.rasterizer.line_width = scene.draw.rasterizer.point_size =
            wild[random_bits(&seed) % kinds];
        scene.draw.rasterizer.fill_front = (uint8_t)(random_bits(&seed) % 3);
        const uint32_t made = scene_setup(&scene, &primitive, v, out);
        for (uint32_t t = 0; t < made; t++) {
            uint8_t counts[TEST_HEIGHT][TEST_WIDTH] = {0};
            float z[4];
            assert_true(out[t].min_x >= 0 && out[t].max_x < TEST_WIDTH);
            assert_true(out[t].min_y >= 0 && out[t].max_y < TEST_HEIGHT);
            count_pixels(&out[t], counts);
            depth_interpolate(&out[t], 0, 0, z);
            assert_true(z[0] >= 0.0f && z[0] <= 1.0f);
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_planes_at_vertices),
        cmocka_unit_test(test_culling),
        cmocka_unit_test(test_flat_and_two_sided),
        cmocka_unit_test(test_polygon_offset),
        cmocka_unit_test(test_depth_stays_in_range),
        cmocka_unit_test(test_unfilled),
        cmocka_unit_test(test_unfilled_faces),
        cmocka_unit_test(test_unfilled_without_area),
        cmocka_unit_test(test_unfilled_too_thin),
        cmocka_unit_test(test_points_of_cut_polygons),
        cmocka_unit_test(test_limits_of_points),
        cmocka_unit_test(test_unfilled_in_a_small_viewport),
        cmocka_unit_test(test_wild_vertices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
