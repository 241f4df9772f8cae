/* Formulas: arithmetic, names and errors. Every metric uses only existing statistics. */
#include "core/clock_stats.h"
#include "report/run/metrics.h"
#include "unit/stats.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"a.x", "b[0].y", "b[1].y", "cycles", "zero"};
static const double values[] = {6, 1, 2, 100, 0};

static double
value_of(const char *formula)
{
    struct totals totals = {names, values, 5, NULL, NULL};
    struct error err;
    double value, indexed;
    if (!formula_evaluate(formula, totals_lookup, &totals, &value, &err))
        fail_msg("%s", err.text);
    totals.index = totals_index_names(&totals);
    if (!formula_evaluate(formula, totals_lookup, &totals, &indexed, &err))
        fail_msg("%s", err.text);
    totals_index_destroy(totals.index);
    assert_true(indexed == value || (isnan(indexed) && isnan(value)));
    return value;
}

static void
arithmetic(void **state)
{
    assert_float_equal(value_of("1 + 2 * 3"), 7, 0);
    assert_float_equal(value_of("(1 + 2) * 3"), 9, 0);
    assert_float_equal(value_of("10 - 4 - 3"), 3, 0);
    assert_float_equal(value_of("100 / 10 / 5"), 2, 0);
    assert_float_equal(value_of("-2 * -(3 - 1)"), 4, 0);
    assert_float_equal(value_of(" 1.5e2+0.5 "), 150.5, 0);
    assert_float_equal(value_of("max(1, 5 - 1, 3) * max(2)"), 8, 0);
    assert_float_equal(value_of("-max(a.x, max(cycles, 1) / 10)"), -10, 0);
}

static void
names_and_instances(void **state)
{
    assert_float_equal(value_of("a.x / cycles"), 0.06, 1e-12);
    assert_float_equal(value_of("b.y"), 3, 0);
    assert_float_equal(value_of("b[1].y"), 2, 0);
}

static void
nothing_divided_by_nothing_has_no_value(void **state)
{
    assert_true(isnan(value_of("zero / zero")));
    assert_true(isnan(value_of("1 / zero + 5")));
    assert_true(isnan(value_of("max(1, 1 / zero, 3)")));
    assert_float_equal(value_of("zero / cycles"), 0, 0);
}

static void
errors_are_reported(void **state)
{
    struct totals totals = {names, values, 5, NULL, NULL};
    struct error err;
    double value;
    assert_false(formula_evaluate("1 +", totals_lookup, &totals, &value, &err));
    assert_false(formula_evaluate("(1 + 2", totals_lookup, &totals, &value, &err));
    assert_non_null(strstr(err.text, "expected ')'"));
    assert_false(formula_evaluate("max(1, 2", totals_lookup, &totals, &value, &err));
    assert_non_null(strstr(err.text, "expected ')'"));
    assert_false(formula_evaluate("max()", totals_lookup, &totals, &value, &err));
    assert_false(formula_evaluate("1 2", totals_lookup, &totals, &value, &err));
    assert_false(formula_evaluate("", totals_lookup, &totals, &value, &err));
    assert_false(formula_evaluate("a.z", totals_lookup, &totals, &value, &err));
    assert_non_null(strstr(err.text, "a.z"));
}

/* The low 32 bits of FNV-1a are equal for both names. */
static void
names_with_the_same_hash_have_their_values(void **state)
{
    static const char *const same[] = {"unit.n147081", "unit.n713190"};
    static const double numbers[] = {3, 5};
    struct totals totals = {same, numbers, 2, NULL, NULL};
    double value;
    totals.index = totals_index_names(&totals);
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(totals_lookup(&totals, same[i], &value));
        assert_true(value == numbers[i]);
    }
    assert_false(totals_lookup(&totals, "unit.n1", &value));
    totals_index_destroy(totals.index);
}

static void
parameters_are_names_too(void **state)
{
    struct params params;
    params_init(&params);
    params.GPU.ClockMHz = 250;
    struct totals totals = {names, values, 5, &params, NULL};
    double value;
    struct error err;
    assert_true(formula_evaluate("cycles / GPU.ClockMHz", totals_lookup, &totals, &value, &err));
    assert_float_equal(value, 0.4, 1e-12);
    params.GPU.UnifiedShader = true;
    assert_true(
        formula_evaluate("cycles * GPU.UnifiedShader", totals_lookup, &totals, &value, &err));
    assert_float_equal(value, 100, 0);
    assert_false(formula_evaluate("GPU.Clock", totals_lookup, &totals, &value, &err));
}

/* Accepts every name of the tables of units or of the kernel, with value 1. An unknown name is a
 * misspelling. */
static bool
known_name(void *params, const char *name, double *value)
{
    size_t count;
    const struct unit_doc *units = unit_docs(&count);
    const struct stat_group *groups[2] = {NULL, &module_stat_group};
    char full[128];
    *value = 1;
    for (size_t i = 0; i < count; i++) {
        groups[0] = units[i].group;
        for (size_t g = 0; g < 2; g++)
            for (size_t k = 0; k < groups[g]->count; k++) {
                snprintf(full, sizeof full, "%s.%s", units[i].group->unit,
                         groups[g]->infos[k].name);
                if (!strcmp(full, name))
                    return true;
            }
    }
    struct totals none = {.params = params};
    if (metric_find(name))
        return true;
    return !strcmp(name, "cycles") || !strcmp(name, "frames") || totals_lookup(&none, name, value);
}

static void
every_metric_is_sound(void **state)
{
    size_t count;
    const struct metric *metrics = metrics_all(&count);
    struct params params;
    params_init(&params);
    for (size_t i = 0; i < count; i++) {
        struct error err;
        double value;
        if (!formula_evaluate(metrics[i].formula, known_name, &params, &value, &err))
            fail_msg("%s: %s", metrics[i].name, err.text);
        assert_true(isfinite(value));
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic),
        cmocka_unit_test(names_and_instances),
        cmocka_unit_test(nothing_divided_by_nothing_has_no_value),
        cmocka_unit_test(errors_are_reported),
        cmocka_unit_test(names_with_the_same_hash_have_their_values),
        cmocka_unit_test(parameters_are_names_too),
        cmocka_unit_test(every_metric_is_sound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
