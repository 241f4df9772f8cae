#include "report/compare/regression_limits.h"

#include "base/error.h"
#include "base/nearest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool
is_pictures(const struct regression_limit *limit)
{
    return !strcmp(limit->name, "pictures");
}

/* Parses "cycles=2%". */
static bool
parse_limit(struct regression_limit *limit, const char *text, size_t length, struct error *err)
{
    const char *equals = memchr(text, '=', length);
    const size_t name = equals ? (size_t)(equals - text) : 0;
    char *end = NULL;
    limit->limit = name ? strtod(equals + 1, &end) : 0;
    limit->is_percent = name && end > equals + 1 && *end == '%';
    if (!name || end == equals + 1 || end + limit->is_percent != text + length ||
        !(limit->limit >= 0) || isinf(limit->limit))
        return fail(err, "'%.*s': expected NAME=NUMBER or NAME=NUMBER%%", (int)length, text);
    limit->name = mem_printf("%.*s", (int)name, text);
    if (is_pictures(limit) && limit->is_percent)
        return fail(err, "'%.*s': the limit for pictures is a number of pixels that differ",
                    (int)length, text);
    return true;
}

bool
regression_limits_parse(struct regression_limits *regression, const char *text, struct error *err)
{
    *regression = (struct regression_limits){.across = regression->across};
    while (true) {
        struct regression_limit limit = {0};
        const size_t length = strcspn(text, ",");
        if (!parse_limit(&limit, text, length, err)) {
            free(limit.name);
            regression_limits_fini(regression);
            return false;
        }
        VEC_PUSH(&regression->limits, limit);
        if (!text[length])
            return true;
        text += length + 1;
    }
}

static void
add_check(struct regression_limits *regression, struct regression_check check, double least_growth)
{
    const double more = check.b - check.a;
    check.growth = !check.limit->is_percent ? more
                   : check.a != 0           ? 100 * more / fabs(check.a)
                   : more > 0               ? (double)INFINITY
                                            : 0;
    check.exceeded = check.growth > check.limit->limit && more > least_growth;
    regression->exceeded += check.exceeded;
    VEC_PUSH(&regression->checks, check);
}

/* Finds a figure of the whole runs. */
static bool
find_value(const struct run_comparison *runs, const char *name, double *a, double *b)
{
    if (!strcmp(name, "cycles")) {
        *a = runs->cycles_a;
        *b = runs->cycles_b;
        return true;
    }
    for (size_t i = 0; i < runs->metric_count; i++)
        if (!strcmp(runs->metrics[i].name, name)) {
            *a = runs->metrics[i].a;
            *b = runs->metrics[i].b;
            return true;
        }
    for (size_t i = 0; i < runs->move_count; i++)
        if (!strcmp(runs->moves[i].name, name)) {
            *a = (double)runs->moves[i].a;
            *b = (double)runs->moves[i].b;
            return true;
        }
    return false;
}

static bool
unknown_name(const struct run_comparison *runs, const char *name, struct error *err)
{
    struct nearest nearest = {.wanted = name};
    nearest_offer(&nearest, "cycles");
    nearest_offer(&nearest, "pictures");
    for (size_t i = 0; i < runs->metric_count; i++)
        nearest_offer(&nearest, runs->metrics[i].name);
    for (size_t i = 0; i < runs->move_count; i++)
        nearest_offer(&nearest, runs->moves[i].name);
    if (nearest_found(&nearest))
        return fail(err, "no statistic %s is in both runs; did you mean %s?", name, nearest.best);
    return fail(err, "no statistic %s is in both runs; `aetius stats` lists the statistics", name);
}

bool
regression_limits_check_runs(struct regression_limits *regression,
                             const struct run_comparison *runs,
                             const struct regression_pictures *pictures, struct error *err)
{
    if (!runs->complete_a || !runs->complete_b)
        return fail(err, "the %s run is incomplete: it cannot be compared",
                    runs->complete_a ? "second" : "first");
    if (runs->unlike[0] && !regression->across)
        return fail(err, "the runs are %s: --across compares them anyway", runs->unlike);
    for (size_t i = 0; i < regression->limits.count; i++) {
        const struct regression_limit *limit = &regression->limits.items[i];
        double a = 0, b = (double)pictures->pixels;
        if (is_pictures(limit) && pictures->only_in_one)
            return fail(err, "pictures that are only in one of the runs cannot be compared: %u",
                        pictures->only_in_one);
        if (is_pictures(limit) && !pictures->compared)
            return fail(err, "the runs have no pictures to compare");
        if (!is_pictures(limit) && !find_value(runs, limit->name, &a, &b))
            return unknown_name(runs, limit->name, err);
        add_check(
            regression,
            (struct regression_check){
                .limit = limit, .where = mem_strdup(""), .label = mem_strdup(""), .a = a, .b = b},
            0);
    }
    return true;
}

bool
regression_limits_check_join(const struct regression_limits *regression,
                             const struct draws_join *join, struct error *err)
{
    return regression->across || !join->draws_a || !join->draws_b || join->same_hash ||
           join->changed ||
           fail(err, "the runs have no draws in common: --across compares them anyway");
}

static double
column_sum(const struct draws *draws, int32_t column)
{
    double sum = 0;
    for (size_t i = 0; i < draws->rows.count; i++) {
        const double value = csv_value(&draws->table, draws->rows.items[i].row, column);
        sum += isnan(value) ? 0 : value;
    }
    return sum;
}

/* Checks a limit for each pair of draws. */
static void
check_pairs(struct regression_limits *regression, const struct regression_limit *limit,
            const struct draws *a, int32_t in_a, const struct draws *b, int32_t in_b,
            const struct draws_join *join)
{
    const double least = DRAW_SHARE * column_sum(a, in_a);
    for (size_t i = 0; i < join->pairs.count; i++) {
        const struct draws_pair *pair = &join->pairs.items[i];
        if (!pair->a || !pair->b)
            continue;
        struct regression_check check = {.limit = limit,
                                         .a = csv_value(&a->table, pair->a->row, in_a),
                                         .b = csv_value(&b->table, pair->b->row, in_b)};
        if (isnan(check.a) || isnan(check.b))
            continue;
        check.where = mem_printf("%u:%u %.16s", pair->b->frame, pair->b->draw, pair->b->hash);
        check.label = draw_row_label(pair->b);
        add_check(regression, check, least);
    }
}

bool
regression_limits_check_draws(struct regression_limits *regression, const struct draws *a,
                              const struct draws *b, const struct draws_join *join,
                              struct error *err)
{
    for (size_t l = 0; l < regression->limits.count; l++) {
        const struct regression_limit *limit = &regression->limits.items[l];
        if (is_pictures(limit))
            continue;
        const int32_t in_a = csv_column(&a->table, limit->name);
        const int32_t in_b = csv_column(&b->table, limit->name);
        if (in_a < 0 || in_b < 0)
            return fail(err, "the tables by draw have no %s in common", limit->name);
        check_pairs(regression, limit, a, in_a, b, in_b, join);
    }
    return true;
}

void
regression_limits_fini(struct regression_limits *regression)
{
    for (size_t i = 0; i < regression->limits.count; i++)
        free(regression->limits.items[i].name);
    for (size_t i = 0; i < regression->checks.count; i++) {
        free(regression->checks.items[i].where);
        free(regression->checks.items[i].label);
    }
    VEC_FREE(&regression->limits);
    VEC_FREE(&regression->checks);
}
