/* Draws that one draw could render (state/draw_run.h), and uploads that repeat bytes
 * (state/upload_history.h). */
#include "base/mem.h"
#include "state/draw_run.h"
#include "state/upload_history.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* Two draws of 7 vertices. Numbers of primitives: OpenGL 2.1, 2.6.1. */
static void
forms_have_as_many_indices_as_primitives_need(void **state)
{
    static const struct {
        enum primitive mode;
        uint64_t list, same, strip;
        enum draw_form best;
    } cases[] = {
        {PRIM_POINTS, 14, 14, 28, FORM_LIST},
        {PRIM_LINES, 12, 16, 18, FORM_LIST},          /* the last vertex is not used */
        {PRIM_LINE_STRIP, 24, 16, 16, FORM_SAME},     /* 6 lines */
        {PRIM_LINE_LOOP, 28, 16, 42, FORM_SAME},      /* 7 lines */
        {PRIM_TRIANGLES, 12, 16, 16, FORM_LIST},      /* 2 triangles */
        {PRIM_TRIANGLE_STRIP, 30, 16, 16, FORM_SAME}, /* 5 triangles */
        {PRIM_TRIANGLE_FAN, 30, 16, 40, FORM_SAME},
        {PRIM_QUADS, 12, 16, 16, FORM_LIST},      /* 1 quad: 2 triangles */
        {PRIM_QUAD_STRIP, 24, 16, 32, FORM_SAME}, /* 2 quads */
        {PRIM_POLYGON, 30, 16, 40, FORM_SAME},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t indices[FORM_COUNT] = {0};
        for (uint32_t n = 0; n < 2; n++)
            draw_form_add(indices, cases[i].mode, cases[i].mode, 7);
        assert_int_equal(indices[FORM_LIST], cases[i].list);
        assert_int_equal(indices[FORM_SAME], cases[i].same);
        assert_int_equal(indices[FORM_STRIP], cases[i].strip);
        assert_int_equal(draw_form_best(indices), cases[i].best);
    }
    /* A strip of 100 triangles and a fan of 2: 306 indices as a list, 103 + 8 as strips. */
    uint64_t indices[FORM_COUNT] = {0};
    draw_form_add(indices, PRIM_TRIANGLE_STRIP, PRIM_TRIANGLE_STRIP, 102);
    draw_form_add(indices, PRIM_TRIANGLE_STRIP, PRIM_TRIANGLE_FAN, 4);
    assert_int_equal(indices[FORM_LIST], 306);
    assert_int_equal(indices[FORM_STRIP], 111);
    assert_true(indices[FORM_SAME] == UINT64_MAX);
    assert_int_equal(draw_form_best(indices), FORM_STRIP);
}

enum { CONSTANTS = 8 };

/* Reads x of constant 0, and all of constant 1. */
static const char plain[] = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL CONST[0..7]\n"
                            "0: MAD OUT[0], IN[0], CONST[0].xxxx, CONST[1]\n1: END\n";
static const char addressed[] = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL CONST[0..7]\n"
                                "DCL ADDR[0]\n0: ARL ADDR[0].x, IN[0].xxxx\n"
                                "1: MOV OUT[0], CONST[ADDR[0].x]\n2: END\n";
static const char colored[] = "FRAG\nDCL OUT[0], COLOR\nDCL CONST[0..7]\n"
                              "0: MOV OUT[0], CONST[0]\n1: END\n";

struct scene {
    struct program *programs[3];
    float constants[2][2][CONSTANTS][4]; /* by draw and stage */
    struct draw draws[2];
};

static void
make_scene(struct scene *scene, const char *vertex)
{
    memset(scene, 0, sizeof *scene);
    scene->programs[STAGE_VERTEX] = program_create(STAGE_VERTEX, vertex, NULL, NULL);
    scene->programs[STAGE_FRAGMENT] = program_create(STAGE_FRAGMENT, colored, NULL, NULL);
    for (uint32_t d = 0; d < 2; d++) {
        struct draw *draw = &scene->draws[d];
        draw->params.mode = PRIM_TRIANGLES;
        draw->params.count = 3;
        draw->params.instance_count = 1;
        for (uint32_t s = 0; s < 2; s++) {
            draw->program[s] = scene->programs[s];
            draw->constants[s] = scene->constants[d][s];
        }
    }
}

static enum draw_join
join(struct scene *scene, struct draw_run *run)
{
    draw_run_begin(run, &scene->draws[0]);
    return draw_run_add(run, &scene->draws[1]);
}

static void
end_scene(struct scene *scene)
{
    for (uint32_t s = 0; s < 2; s++)
        program_destroy(scene->programs[s]);
}

static void
constants_that_are_read_may_differ(void **state)
{
    struct draw_run run;
    struct scene scene;
    (void)state;
    make_scene(&scene, plain);
    scene.constants[1][STAGE_VERTEX][0][1] = 1; /* not read */
    scene.constants[1][STAGE_VERTEX][5][0] = 1;
    assert_int_equal(join(&scene, &run), DRAW_JOINS);
    assert_int_equal(draw_run_row(&run), 0);
    scene.constants[1][STAGE_VERTEX][0][0] = 1;
    scene.constants[1][STAGE_FRAGMENT][0][3] = 1;
    assert_int_equal(join(&scene, &run), DRAW_JOINS);
    assert_int_equal(draw_run_row(&run), 2);
    assert_true(constant_set_has(&run.differing[STAGE_VERTEX], 0));
    assert_false(constant_set_has(&run.differing[STAGE_VERTEX], 1));
    end_scene(&scene);
}

static void
tables_have_limits(void **state)
{
    struct draw_run run;
    struct scene scene;
    (void)state;
    make_scene(&scene, addressed);
    assert_int_equal(join(&scene, &run), DRAW_JOINS);
    scene.constants[1][STAGE_VERTEX][7][2] = 1;
    assert_int_equal(join(&scene, &run), DRAW_ADDRESSED);
    end_scene(&scene);
    make_scene(&scene, plain);
    scene.constants[1][STAGE_VERTEX][1][2] = 1;
    for (uint32_t d = 0; d < 2; d++)
        scene.draws[d].attribute_count = MAX_ATTRIBUTES;
    assert_int_equal(join(&scene, &run), DRAW_ATTRIBUTES);
    for (uint32_t d = 0; d < 2; d++)
        scene.draws[d].attribute_count = MAX_ATTRIBUTES - 1;
    assert_int_equal(join(&scene, &run), DRAW_JOINS);
    /* One constant per draw, after those of the program. */
    run.count = OFFERED_CONSTANTS - CONSTANTS - 1;
    assert_int_equal(draw_run_add(&run, &scene.draws[1]), DRAW_JOINS);
    assert_int_equal(draw_run_add(&run, &scene.draws[1]), DRAW_LONG_TABLE);
    end_scene(&scene);
}

static void
other_state_ends_a_run(void **state)
{
    struct draw_run run;
    struct scene scene;
    (void)state;
    make_scene(&scene, plain);
    scene.draws[1].params.mode = PRIM_TRIANGLE_FAN;
    assert_int_equal(join(&scene, &run), DRAW_JOINS);
    scene.draws[1].params.mode = PRIM_LINES;
    assert_int_equal(join(&scene, &run), DRAW_OTHER_STATE);
    scene.draws[1].params.mode = PRIM_TRIANGLE_FAN;
    for (uint32_t d = 0; d < 2; d++)
        scene.draws[d].rasterizer.fill_front = FILL_LINE; /* the edges of a fan would be drawn */
    assert_int_equal(join(&scene, &run), DRAW_OTHER_STATE);
    end_scene(&scene);
    make_scene(&scene, plain);
    scene.draws[1].blend_color[0] = 1;
    assert_int_equal(join(&scene, &run), DRAW_OTHER_STATE);
    end_scene(&scene);
}

enum { BYTES = 3000 };

static bool
put(struct upload_history *history, uint32_t frame, uint32_t target, int32_t x,
    const uint8_t *bytes)
{
    const struct resource_desc desc = {.handle = 1,
                                       .target = target,
                                       .format = FORMAT_R8_UNORM,
                                       .width = 4096,
                                       .height = 1,
                                       .depth = 1,
                                       .array_size = 1};
    struct resource res;
    struct error err;
    if (!resource_init(&res, &desc, &err))
        fail_msg("%s", err.text);
    const struct gpu_cmd cmd = {
        .op = GPU_PUT,
        .transfer = {
            .resource = 1, .box = {x, 0, 0, BYTES, 1, 1}, .bytes = bytes, .size_bytes = BYTES}};
    return upload_history_add(history, frame, &res, &cmd);
}

static void
equal_bytes_repeat(void **state)
{
    uint8_t bytes[BYTES];
    struct upload_history history = {0};
    (void)state;
    for (uint32_t i = 0; i < BYTES; i++)
        bytes[i] = (uint8_t)(i * 7);
    assert_false(put(&history, 3, TARGET_BUFFER, 0, bytes));
    assert_true(put(&history, 3, TARGET_BUFFER, 640, bytes)); /* another place */
    assert_true(put(&history, 4, TARGET_BUFFER, 0, bytes));
    assert_true(put(&history, 5, TARGET_BUFFER, 0, bytes)); /* frame 4 uploaded them again */
    assert_false(put(&history, 7, TARGET_BUFFER, 0, bytes));
    for (uint32_t i = 0; i < BYTES; i += 101) { /* each byte counts */
        bytes[i] ^= 1;
        assert_false(put(&history, 7, TARGET_BUFFER, 0, bytes));
    }
    /* Textures: only the same box. */
    assert_false(put(&history, 7, TARGET_2D, 0, bytes));
    assert_true(put(&history, 7, TARGET_2D, 0, bytes));
    assert_false(put(&history, 7, TARGET_2D, 64, bytes));
    assert_true(history.share.bytes > BYTES);
    upload_history_fini(&history);
    assert_int_equal(history.share.bytes, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_have_as_many_indices_as_primitives_need),
        cmocka_unit_test(constants_that_are_read_may_differ),
        cmocka_unit_test(tables_have_limits),
        cmocka_unit_test(other_state_ends_a_run),
        cmocka_unit_test(equal_bytes_repeat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
