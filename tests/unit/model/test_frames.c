/* The frame stages of the staged model: cycles worked out by hand, factors that a fit finds again,
 * and the error bar. */
#include "base/mem.h"
#include "model/frames.h"
#include "rigs/model.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const struct trace_work machine = {.memory_rate = 64, .bus_rate = 8, .upload_limit = 32};

/* Makes draws bound by memory, by the Streamer and by fragments, and uploads, blits and pictures.
 */
static void
make_work(struct trace_work *work)
{
    *work = machine;
    for (uint32_t f = 0; f < 60; f++) {
        const struct trace_frame_work frame = {.shown_bytes = 1e5 * (f % 5),
                                               .dirty_bytes = 1e5 * (f % 7),
                                               .blit_cycles = 2500 * (f % 3)};
        for (uint32_t d = 0; d <= f % 4 * 5; d++) {
            struct trace_draw draw = {
                .frame = f, .number = d, .latency = 20 + 30 * (d % 3), .quads = f % 2, .skew = 1};
            draw.units[UNIT_fragment] = f % 3 == 0 ? 9000.0 * (1 + f % 7) : 100;
            draw.units[UNIT_fetch] = f % 3 == 1 ? 5000.0 * (1 + f % 4) : 100;
            draw.bytes[f % TRACE_CLIENT_COUNT] = f % 3 == 2 ? 2e5 * (1 + f % 5) : 1000;
            if (f % 6 == 5) {
                const struct trace_upload upload = {.frame = f, .draw = d, .bytes = 4e4};
                draw.first_need = (uint32_t)work->needs.count;
                draw.needs = 1;
                VEC_PUSH(&work->needs, (uint32_t)work->uploads.count);
                VEC_PUSH(&work->uploads, upload);
            }
            VEC_PUSH(&work->draws, draw);
        }
        VEC_PUSH(&work->frames, frame);
    }
}

/* The workload for the tests below: one draw that reads an 800-byte upload, and one picture. */
static void
make_frame(struct trace_work *work)
{
    struct trace_draw draw = {
        .latency = 20, .stream_bytes = 640, .quads = 5, .waits = 2, .skew = 1, .needs = 1};
    const struct trace_upload upload = {.bytes = 800};
    const struct trace_frame_work frame = {
        .shown_bytes = 100000, .dirty_bytes = 28000, .blit_cycles = 700, .clears = 2};
    *work = machine;
    draw.units[UNIT_fragment] = 9000;
    VEC_PUSH(&work->draws, draw);
    VEC_PUSH(&work->uploads, upload);
    VEC_PUSH(&work->needs, 0);
    VEC_PUSH(&work->frames, frame);
}

/* Cycles of make_frame() outside the units. Upload: 800 / 8 x 1.1. Draw: 80 + 20 + 40 + 2 x 30, and
 * 640 / 8 x 1.2 for the command stream. Picture: 0.9 x 100000 / 64 + 2 x 28000 / 64 + 500. Blit:
 * 700. Clears: 2 x 15. */
static const double frame_rest = 110 + 200 + 96 + 1406.25 + 875 + 500 + 700 + 30;

static double
predicted(struct model *model, const struct trace_work *work, const char *bound)
{
    struct frame_prediction prediction;
    model_predict_frame(&prediction, model, work, 0);
    assert_true(is_near(prediction.seconds, prediction.cycles / 500e6, 1e-9));
    assert_string_equal(frame_bound_name(prediction.bound), bound);
    return prediction.cycles;
}

/* The parts of a draw combine as the square root of the sum of squares (overlap 1: exponent 2). */
static void
frames_by_hand(void **state)
{
    struct model model = {0};
    struct trace_work work;
    set_frame_factors(&model);
    make_frame(&work);
    struct trace_draw *draw = work.draws.items;
    assert_true(is_near(predicted(&model, &work, "fragment"), frame_rest + 9000, 1e-9));
    /* memory: 0.5 x 1.5 x 1000 for color, 1.3 x 1.25 x 1000 for textures */
    draw->bytes[CACHED_color] = 64000;
    assert_true(is_near(predicted(&model, &work, "fragment"), frame_rest + hypot(9000, 750), 1e-9));
    draw->bytes[CACHED_texture] = 64000;
    assert_true(
        is_near(predicted(&model, &work, "fragment"), frame_rest + hypot(9000, 2375), 1e-9));
    draw->skew = 8; /* all bytes are in one of eight channels */
    assert_true(is_near(predicted(&model, &work, "memory"), frame_rest + hypot(9000, 19000), 1e-9));
    draw->bytes[CACHED_color] = draw->bytes[CACHED_texture] = 0;
    /* the attributes limit the Streamer: 640000 / 64 x 1.4 */
    draw->attribute_bytes = 640000;
    assert_true(is_near(predicted(&model, &work, "fetch"), frame_rest + hypot(9000, 14000), 1e-9));
    draw->attribute_bytes = 0;
    /* z tests and color writes work at the same pace, that of the slower one: 1.5 x 4000 */
    draw->units[UNIT_depth] = draw->units[UNIT_color] = 4000;
    assert_true(
        is_near(predicted(&model, &work, "fragment"), frame_rest + hypot(9000, 6000), 1e-9));
    draw->units[UNIT_depth] = draw->units[UNIT_color] = 0;
    /* half of the vertices are reused: 1 + 0.5 x (3 - 1) times as long */
    draw->units[UNIT_vertex] = 10000;
    draw->reused = 0.5;
    assert_true(is_near(predicted(&model, &work, "vertex"), frame_rest + hypot(9000, 20000), 1e-9));
    work.unified = true; /* vertices and fragments run one after the other on the same units */
    assert_true(is_near(predicted(&model, &work, "fragment"), frame_rest + 29000, 1e-9));
    draw->quads = draw->units[UNIT_vertex] = 0; /* 40 fewer cycles without quads */
    assert_true(is_near(predicted(&model, &work, "fragment"), frame_rest - 40 + 9000, 1e-9));
    trace_work_fini(&work);
    model_fini(&model);
}

/* Uploads in flight share the bus. One byte takes 1.1 / 8 cycles. */
static void
uploads_share_the_bus(void **state)
{
    struct model model = {0};
    struct trace_work work;
    set_frame_factors(&model);
    make_frame(&work);
    const struct trace_upload other = {.bytes = 1600};
    VEC_PUSH(&work.uploads, other);
    /* the draw waits until both have moved 800 bytes: 110 more cycles */
    assert_true(is_near(predicted(&model, &work, "fragment"), frame_rest + 110 + 9000, 1e-9));
    work.upload_limit = 1; /* the draw's upload comes first */
    assert_true(is_near(predicted(&model, &work, "fragment"), frame_rest + 9000, 1e-9));
    work.upload_limit = 32;
    work.uploads.items[1].bytes = 800000; /* takes 110,000 cycles, 110 of them for the other one */
    assert_true(
        is_near(predicted(&model, &work, "upload"), frame_rest - 110 - 296 + 110000 + 110, 1e-9));
    /* a second draw reads the long upload, which waits for the end of the first draw: 9296 cycles
     */
    struct trace_draw second = {.number = 1, .skew = 1, .first_need = 1, .needs = 1};
    second.units[UNIT_fragment] = 500;
    VEC_PUSH(&work.draws, second);
    VEC_PUSH(&work.needs, 1);
    work.uploads.items[1].draw = 1;
    work.uploads.items[1].waits = true;
    assert_true(
        is_near(predicted(&model, &work, "upload"), frame_rest + 9000 + 110000 + 80 + 500, 1e-9));
    work.uploads.items[1].waits = false; /* begins with the first draw */
    assert_true(
        is_near(predicted(&model, &work, "upload"), frame_rest - 296 + 110000 + 80 + 500, 1e-9));
    trace_work_fini(&work);
    model_fini(&model);
}

static void
frame_factors_come_back(void **state)
{
    struct model made = {0}, fitted = {0};
    struct trace_work work;
    struct frame_lessons lessons = {0};
    struct error err = {""};
    set_frame_factors(&made);
    make_work(&work);
    for (uint32_t f = 0; f < work.frames.count; f++) {
        struct frame_prediction prediction;
        struct frame_lesson lesson = {.frame = f, .weight = 1, .work = &work};
        model_predict_frame(&prediction, &made, &work, f);
        lesson.cycles = prediction.cycles;
        for (size_t d = 0; d < work.draws.count; d++)
            for (uint32_t c = 0; c < TRACE_CLIENT_COUNT && work.draws.items[d].frame == f; c++)
                lesson.bytes[c] += frame_factors[c].value * work.draws.items[d].bytes[c];
        VEC_PUSH(&lessons, lesson);
    }
    assert_false(model_has_frames(&fitted));
    if (!model_fit_frames(&fitted, &lessons, &err))
        fail_msg("%s", err.text);
    assert_true(model_has_frames(&fitted));
    model_set_factor(&fitted, "clock", 500e6, 0);
    for (size_t i = 0; i < lessons.count; i++) {
        struct frame_prediction prediction;
        model_predict_frame(&prediction, &fitted, &work, lessons.items[i].frame);
        assert_true(is_near(prediction.cycles, lessons.items[i].cycles, 0.03));
    }
    assert_true(is_near(model_factor(&fitted, "frames.memory"), 1.25, 0.05));
    assert_true(is_near(model_factor(&fitted, "frames.fetch"), 1.4, 0.05));
    assert_true(isnan(model_factor(&fitted, "frames.error"))); /* one run cannot predict itself */
    /* Two runs of the same machine predict each other. If all frames of the first take twice the
     * cycles of the second, a prediction of one run by the other is half of it, or twice as much.
     */
    for (size_t i = lessons.count / 2; i < lessons.count; i++)
        lessons.items[i].run = 1;
    model_fini(&fitted);
    fitted = (struct model){0};
    assert_true(model_fit_frames(&fitted, &lessons, &err));
    assert_true(model_factor(&fitted, "frames.error") < 0.05);
    for (size_t i = 0; i < lessons.count / 2; i++)
        lessons.items[i].cycles *= 2;
    model_fini(&fitted);
    fitted = (struct model){0};
    assert_true(model_fit_frames(&fitted, &lessons, &err));
    assert_true(model_factor(&fitted, "frames.error") > 0.4);
    lessons.count = 15;
    assert_false(model_fit_frames(&fitted, &lessons, &err));
    trace_work_fini(&work);
    VEC_FREE(&lessons);
    model_fini(&made);
    model_fini(&fitted);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_by_hand),
        cmocka_unit_test(uploads_share_the_bus),
        cmocka_unit_test(frame_factors_come_back),
    };
    return cmocka_run_group_tests_name("frames", tests, NULL, NULL);
}
