/* Error bars: nine of ten errors are within the bar, bars come from the rows of the fit alone, and
 * a prediction has the bar of the stages that determine it. */
#include "base/build.h"
#include "model/error_bars.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static double
bar_of(const double *errors, const double *weights, size_t count)
{
    struct model_misses misses = {0};
    for (size_t i = 0; i < count; i++) {
        const struct model_miss miss = {errors[i], weights ? weights[i] : 1};
        VEC_PUSH(&misses, miss);
    }
    const double bar = model_bar_of(&misses);
    VEC_FREE(&misses);
    return bar;
}

/* Of ten errors, nine do not exceed the ninth. An error with half of the weight cannot be left
 * out. */
static void
nine_of_ten(void **state)
{
    static const double errors[] = {7, 1, 10, 2, 9, 3, 8, 4, 6, 5};
    static const double weights[] = {1, 1, 9, 1, 1, 1, 1, 1, 1, 1};
    (void)state;
    assert_true(bar_of(errors, NULL, 10) == 9);
    assert_true(bar_of(errors, weights, 10) == 10);
    assert_true(isnan(bar_of(errors, NULL, 9)));
}

/* Without an extrapolated stage, a ceiling that binds has its own bar. Otherwise the errors of base
 * and triangles are independent: 3 and 4 give 5. */
static void
bar_of_a_prediction(void **state)
{
    struct model model = {0};
    struct model_prediction p = {.bound = MODEL_BASE};
    (void)state;
    model_set_factor(&model, "error.base", 0.03, 0);
    model_set_factor(&model, "error.triangles", 0.04, 0);
    model_set_factor(&model, "error.textures", 0.2, 0);
    p.stages[MODEL_BASE].counts = true;
    assert_true(model_bar(&model, &p) == 0.03);
    p.stages[MODEL_TRIANGLES].counts = true;
    assert_true(fabs(model_bar(&model, &p) - 0.05) < 1e-12);
    p.stages[MODEL_TEXTURES].counts = true;
    assert_true(fabs(model_bar(&model, &p) - 0.05) < 1e-12);
    p.bound = MODEL_TEXTURES;
    assert_true(model_bar(&model, &p) == 0.2);
    p.bound = MODEL_DEPENDENT;
    assert_true(isnan(model_bar(&model, &p)));
    p.bound = MODEL_BASE;
    p.stages[MODEL_TRIANGLES].extrapolated = true;
    assert_true(isnan(model_bar(&model, &p)));
    model_fini(&model);
    assert_true(model_bar_low(0.25) == 0.75);
    assert_true(model_bar_low(1.5) == 0); /* a frame rate is not below 0 */
}

static double
bar_from(const struct model_rows *rows, const bool *fitted, const char *name)
{
    struct model model;
    struct error err;
    if (!model_fit(&model, rows, fitted, 0, &err))
        fail_msg("%s", err.text);
    model_fit_bars(&model, rows, fitted);
    const double bar = model_factor(&model, name);
    model_fini(&model);
    return bar;
}

/* The bars of a stored measurement do not change if the held-out rows are twice as slow. They
 * change if every other row of the fit is. */
static void
held_out_rows_do_not_count(void **state)
{
    struct model_rows rows = {0};
    struct error err;
    (void)state;
    if (!model_rows_read(&rows, AETIUS_SOURCE_DIR "/docs/studies/model/g70-like.csv", &err))
        fail_msg("%s", err.text);
    size_t count = 0; /* dependent reads take seconds to fit */
    for (size_t r = 0; r < rows.count; r++)
        if (!model_row_is_of(&rows.items[r], MODEL_SWEEP_dependent))
            rows.items[count++] = rows.items[r];
    rows.count = count;
    bool *fitted = model_split(&rows);
    const double base = bar_from(&rows, fitted, "error.base");
    const double triangles = bar_from(&rows, fitted, "error.triangles");
    assert_true(base > 0 && base < 0.1 && triangles > base);
    for (size_t r = 0; r < rows.count; r++)
        if (!fitted[r])
            rows.items[r].seconds *= 2;
    assert_true(bar_from(&rows, fitted, "error.base") == base);
    assert_true(bar_from(&rows, fitted, "error.triangles") == triangles);
    for (size_t r = 0, n = 0; r < rows.count; r++)
        if (fitted[r] && model_row_is_of(&rows.items[r], MODEL_SWEEP_length) && n++ % 2)
            rows.items[r].seconds *= 2;
    assert_true(bar_from(&rows, fitted, "error.base") > 0.3);
    free(fitted);
    VEC_FREE(&rows);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nine_of_ten),
                                       cmocka_unit_test(bar_of_a_prediction),
                                       cmocka_unit_test(held_out_rows_do_not_count)};
    return cmocka_run_group_tests_name("error bars", tests, NULL, NULL);
}
