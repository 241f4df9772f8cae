#include "model/error_bars.h"

#include "model/check.h"

#include <math.h>
#include <stdlib.h>

static int
by_error(const void *a, const void *b)
{
    const struct model_miss *x = a, *y = b;
    return (x->error > y->error) - (x->error < y->error);
}

double
model_bar_of(struct model_misses *misses)
{
    enum { LEAST = 10 };
    double all = 0, sum = 0;
    if (misses->count < LEAST)
        return NAN;
    qsort(misses->items, misses->count, sizeof *misses->items, by_error);
    for (size_t i = 0; i < misses->count; i++)
        all += misses->items[i].weight;
    for (size_t i = 0; i < misses->count; i++) {
        sum += misses->items[i].weight;
        if (sum >= MODEL_BAR_SHARE * all * (1 - 1e-12))
            return misses->items[i].error;
    }
    return misses->items[misses->count - 1].error;
}

static void
bar_name(char *name, size_t size, enum model_stage stage)
{
    snprintf(name, size, "error.%s", model_stage_names[stage]);
}

/* Predicts the rows that `inner` left out, and stores the bars of their stages. */
static void
set_bars(struct model *model, const struct model *half, const struct model_rows *rows,
         const bool *inner)
{
    struct model_misses misses[MODEL_STAGES] = {{0}};
    for (size_t r = 0; r < rows->count; r++) {
        const struct model_row *row = &rows->items[r];
        const enum model_stage stage = model_stage_of(row->sweep);
        struct model_prediction prediction;
        struct error err;
        if (inner[r] || stage == MODEL_STAGES ||
            !model_predict(&prediction, half, row, (1u << MODEL_STAGES) - 1, &err))
            continue;
        const struct model_miss miss = {fabs(prediction.seconds / row->seconds - 1), 1};
        VEC_PUSH(&misses[stage], miss);
    }
    for (uint32_t stage = 0; stage < MODEL_STAGES; stage++) {
        char name[32];
        const double bar = model_bar_of(&misses[stage]);
        bar_name(name, sizeof name, stage);
        if (!isnan(bar))
            model_set_factor(model, name, bar, 0);
        VEC_FREE(&misses[stage]);
    }
}

void
model_fit_bars(struct model *model, const struct model_rows *rows, const bool *fitted)
{
    struct model_rows used = {0};
    struct model half = {0};
    struct error err;
    for (size_t r = 0; r < rows->count; r++)
        if (!fitted || fitted[r])
            VEC_PUSH(&used, rows->items[r]);
    bool *inner = model_split(&used);
    if (model_fit(&half, &used, inner, model_factor(model, "rate"), &err)) {
        set_bars(model, &half, &used, inner);
        model_fini(&half);
    }
    free(inner);
    VEC_FREE(&used);
}

static double
bar_of_stage(const struct model *model, enum model_stage stage)
{
    char name[32];
    bar_name(name, sizeof name, stage);
    return model_factor(model, name);
}

double
model_bar(const struct model *model, const struct model_prediction *prediction)
{
    for (uint32_t stage = 0; stage < MODEL_STAGES; stage++)
        if (prediction->stages[stage].counts && prediction->stages[stage].extrapolated)
            return NAN;
    if (prediction->bound == MODEL_TEXTURES || prediction->bound == MODEL_DEPENDENT)
        return bar_of_stage(model, prediction->bound);
    const double base = bar_of_stage(model, MODEL_BASE);
    return prediction->stages[MODEL_TRIANGLES].counts
               ? hypot(base, bar_of_stage(model, MODEL_TRIANGLES))
               : base;
}

double
model_bar_low(double bar)
{
    return fmax(1 - bar, 0);
}
