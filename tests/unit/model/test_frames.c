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

/* Makes draws bound by memory, by the Streamer and by fragments, and uploads, blits and pictures.
 */
static void
make_work(struct trace_work *work)
{
    *work = (struct trace_work){.memory_rate = 64};
    for (uint32_t f = 0; f < 60; f++) {
        struct trace_frame_work frame = {.shown_bytes = 1e5 * (f % 5), .blitted = 1e4 * (f % 3)};
        for (uint32_t d = 0; d <= f % 4 * 5; d++) {
            struct trace_draw draw = {.frame = f, .number = d, .latency = 20 + 30 * (d % 3)};
            draw.units[UNIT_fragment] = f % 3 == 0 ? 9000.0 * (1 + f % 7) : 100;
            draw.units[UNIT_fetch] = f % 3 == 1 ? 5000.0 * (1 + f % 4) : 100;
            draw.bytes[f % TRACE_CLIENT_COUNT] = f % 3 == 2 ? 2e5 * (1 + f % 5) : 1000;
            draw.buffer_bytes = f % 6 == 5 ? 4e4 : 0;
            VEC_PUSH(&work->draws, draw);
        }
        VEC_PUSH(&work->frames, frame);
    }
}

/* The calculated cycles of one frame. The draw takes 80 + 20 + 9000 and 0.2 of the second unit,
 * plus 640 bytes of the command stream. The picture and the dirty cache lines take 0.9 x 128000 /
 * 64, plus 500. Another frame is bound by a vertex program and reuses half of its vertices. It
 * takes 1 + 0.5 x (3 - 1) times as long. */
static void
frames_by_hand(void **state)
{
    struct model model = {0};
    struct trace_work work = {.memory_rate = 64};
    struct trace_draw draw = {.latency = 20, .buffer_bytes = 800, .stream_bytes = 640};
    const struct trace_frame_work frame = {
        .shown_bytes = 100000, .dirty_bytes = 28000, .clears = 2};
    const double rest = 100 + 80 + 80 + 20 + 1800 + 500 + 30;
    struct frame_prediction prediction;
    set_frame_factors(&model);
    draw.units[UNIT_fragment] = 9000;
    draw.bytes[ASKED_color] = 64000; /* 0.5 x 1.25 x 1000: less than the time of the fragments */
    VEC_PUSH(&work.draws, draw);
    VEC_PUSH(&work.frames, frame);
    model_predict_frame(&prediction, &model, &work, 0);
    assert_true(is_near(prediction.cycles, rest + 9000 + 0.2 * 625, 1e-9));
    assert_true(is_near(prediction.seconds, prediction.cycles / 500e6, 1e-9));
    assert_string_equal(frame_bound_name(prediction.bound), "fragment");
    work.draws.items[0].bytes[ASKED_color] = 64e6;
    model_predict_frame(&prediction, &model, &work, 0);
    assert_true(is_near(prediction.cycles, rest + 625000 + 0.2 * 9000, 1e-9));
    assert_string_equal(frame_bound_name(prediction.bound), "memory");
    work.draws.items[0].bytes[ASKED_color] = 0;
    work.draws.items[0].units[UNIT_vertex] = 10000;
    work.draws.items[0].reused = 0.5;
    model_predict_frame(&prediction, &model, &work, 0);
    assert_true(is_near(prediction.cycles, rest + 20000 + 0.2 * 9000, 1e-9));
    assert_string_equal(frame_bound_name(prediction.bound), "vertex");
    work.unified = true; /* vertices and fragments run one after the other on the same units */
    model_predict_frame(&prediction, &model, &work, 0);
    assert_true(is_near(prediction.cycles, rest + 29000, 1e-9));
    assert_string_equal(frame_bound_name(prediction.bound), "fragment");
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
    struct trace_work twin = work;
    for (size_t i = lessons.count / 2; i < lessons.count; i++)
        lessons.items[i].work = &twin;
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
        cmocka_unit_test(frame_factors_come_back),
    };
    return cmocka_run_group_tests_name("frames", tests, NULL, NULL);
}
