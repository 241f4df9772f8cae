/* A model from a datasheet. Expected values are products and quotients of the given numbers. */
#include "model/datasheet.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct datasheet
datasheet_of(const char *const *words)
{
    struct datasheet datasheet = {0};
    struct error err;
    for (; *words; words++)
        if (!datasheet_set(&datasheet, *words, &err))
            fail_msg("%s", err.text);
    return datasheet;
}
#define OF(...) datasheet_of((const char *const[]){__VA_ARGS__, NULL})

static struct model_prediction
predict(const struct model *model, const char *format, double cycles, double reads)
{
    struct model_row row = {.fragments = 1e6, .cycles = cycles, .reads = reads, .texture = 256};
    struct model_prediction prediction;
    struct error err;
    strcpy(row.format, format);
    if (!model_predict(&prediction, model, &row, (1u << MODEL_STAGES) - 1, &err))
        fail_msg("%s", err.text);
    return prediction;
}

/* 10 pipes at 1 MHz execute 1e7 instructions per second, so 1e6 fragments of 20 cycles take 2 s.
 * 5 units read 5e6 texels per second. 16e6 bytes per second are 1e6 texels of 16 bytes, and 32e6 of
 * half a byte, which the units limit. */
static void
test_limits(void **state)
{
    const struct datasheet datasheet =
        OF("clock=1e6", "pipes=10", "texture_units=5", "bandwidth=16e6");
    struct model model;
    struct error err;
    (void)state;
    assert_true(datasheet_model(&model, &datasheet, &err));
    struct model_prediction p = predict(&model, "RGBA32F", 20, 0);
    assert_true(fabs(p.seconds - 2) < 1e-9);
    assert_int_equal(p.bound, MODEL_BASE);
    p = predict(&model, "RGBA32F", 20, 3);
    assert_true(fabs(p.seconds - 3) < 1e-9);
    assert_int_equal(p.bound, MODEL_TEXTURES);
    p = predict(&model, "DXT1", 20, 15);
    assert_true(fabs(p.seconds - 3) < 1e-9);
    assert_false(p.stages[MODEL_TEXTURES].extrapolated);
    p = predict(&model, "RGBA8", 20, 12); /* 4e6 texels per second */
    assert_true(fabs(p.seconds - 3) < 1e-9);
    model_fini(&model);
}

/* Without a number of units, there are as many as pipes. Without a bandwidth, textures have no
 * limit. */
static void
test_defaults(void **state)
{
    struct datasheet datasheet = OF("pipes=10", "clock=1e6", "bandwidth=1e12");
    struct model model;
    struct error err;
    (void)state;
    assert_true(datasheet_model(&model, &datasheet, &err));
    assert_true(fabs(predict(&model, "DXT1", 1, 30).seconds - 3) < 1e-9);
    model_fini(&model);
    datasheet.bandwidth = 0;
    assert_true(datasheet_model(&model, &datasheet, &err));
    assert_int_equal(model.curves.count, 0);
    model_fini(&model);
}

static void
test_refusals(void **state)
{
    static const char *const words[] = {"clock",    "clock=",    "clock=0",       "clock=-1",
                                        "clock=1x", "clock=inf", "pipe=4",        "=4",
                                        "",         "clock=475", "bandwidth=54.4"};
    struct datasheet datasheet = {0};
    struct model model;
    struct error err;
    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        assert_false(datasheet_set(&datasheet, words[i], &err));
    assert_true(datasheet_set(&datasheet, "clock=1e6", &err));
    assert_false(datasheet_set(&datasheet, "clock=3e6", &err));
    assert_string_equal(err.text, "clock occurs twice");
    assert_false(datasheet_model(&model, &datasheet, &err));
    assert_non_null(strstr(err.text, "pipes=N"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_limits),
                                       cmocka_unit_test(test_defaults),
                                       cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests_name("datasheet", tests, NULL, NULL);
}
