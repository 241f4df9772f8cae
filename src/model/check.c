#include "model/check.h"

#include "model/error_bars.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double
model_budget(uint32_t stages)
{
    return pow(1 + MODEL_STAGE_BUDGET, stages) - 1;
}

enum model_stage
model_stage_of(const char *sweep)
{
    const enum model_sweep found = model_sweep_find(sweep);
    return found < MODEL_SWEEPS ? model_sweeps[found].stage : MODEL_STAGES;
}

static void
add_error(struct model_errors *errors, double error, size_t row)
{
    errors->mean = (errors->mean * errors->count + fabs(error)) / (errors->count + 1);
    errors->count++;
    if (fabs(error) >= errors->worst) {
        errors->worst = fabs(error);
        errors->worst_row = row;
    }
}

/* Largest performance over all triangle sizes and widths. */
static double
top_of(const struct model *model)
{
    double top = 0;
    for (size_t i = 0; i < model->curves.count; i++)
        if (!strncmp(model->curves.items[i].name, "triangles ", 10))
            top = fmax(top, spline_top(&model->curves.items[i].spline));
    return top;
}

/* Largest performance for the row's program and chip, scaled by the base stage. */
static double
top_for(const struct model *model, const struct model_row *row,
        const struct model_prediction *prediction)
{
    const double own = model_base_rate(model, model_factor(model, "triangles.cycles"));
    const double here = row->fragments / prediction->stages[MODEL_BASE].alone;
    return top_of(model) * (own > 0 ? here / own : 1);
}

/* Error of the stage alone, relative in performance. For triangles, the error is that of the share
 * of the largest performance that remains. */
static double
error_alone(const struct model *model, const struct model_row *row, enum model_stage stage,
            const struct model_prediction *prediction)
{
    const double start = model_factor(model, "start");
    const double alone = prediction->stages[stage].alone;
    if (stage == MODEL_BASE)
        return row->seconds / (start + alone) - 1;
    if (stage == MODEL_TRIANGLES)
        return alone * top_for(model, row, prediction) * (row->seconds - start) / row->fragments -
               1;
    return (row->seconds - start) / alone - 1;
}

/* Number of stages that a mass-spring case uses: the base, triangles if it branches, textures if it
 * reads any, and dependent reads if it has any. At most three are counted, because the two ceilings
 * (textures and dependent reads) apply in parallel. */
static uint32_t
springs_stages(const struct model_row *row)
{
    const uint32_t used = 1u + (row->rounds_most > row->rounds) + (row->reads > row->dependent) +
                          (row->dependent > 0);
    return used < 3 ? used : 3;
}

static bool
check_row(struct model_check *check, const struct model *model, const struct model_rows *rows,
          size_t r, uint32_t stages, struct error *err)
{
    const struct model_row *row = &rows->items[r];
    const enum model_stage stage = model_stage_of(row->sweep);
    const bool fitted = check->is_fitted[r];
    struct model_prediction prediction;
    bool is_whole = true;
    for (; !model_predict(&prediction, model, row, stages, err); is_whole = false) {
        const enum model_stage lacks = prediction.lacks;
        if (lacks == MODEL_STAGES)
            return fail_prefix(err, "row %zu", r + 1);
        if (!check->lacking[lacks].rows++)
            check->lacking[lacks].first_row = r;
        stages &= ~(1u << lacks);
    }
    const double error = is_whole ? row->seconds / prediction.seconds - 1 : NAN;
    check->predicted[r] = is_whole ? prediction.seconds : NAN;
    check->error[r] = error;
    if (is_whole && stage == MODEL_STAGES)
        add_error(&check->springs[springs_stages(row) - 1], error, r);
    if (stage == MODEL_STAGES)
        return true;
    if (is_whole)
        add_error(fitted ? &check->fitted : &check->held_out, error, r);
    const double bar = is_whole ? model_bar(model, &prediction) : NAN;
    if (!fitted && !isnan(bar)) {
        check->barred++;
        check->inside += fabs(prediction.seconds / row->seconds - 1) <= bar;
    }
    if (!prediction.stages[stage].counts)
        return true;
    const double alone = error_alone(model, row, stage, &prediction);
    add_error(fitted ? &check->stages[stage].fitted : &check->stages[stage].held_out, alone, r);
    if (stage == MODEL_BASE && !fitted && row->fragments > 900000)
        add_error(&check->large, alone, r);
    return true;
}

/* Whether the measurements are from a chip other than the model's. */
static bool
is_of_another(const struct model *model, const struct model_rows *rows)
{
    return rows->count && *model->renderer && strcmp(rows->items[0].renderer, model->renderer) != 0;
}

bool
model_check_rows(struct model_check *check, const struct model *model,
                 const struct model_rows *rows, uint32_t stages, bool all_held, struct error *err)
{
    *check = (struct model_check){.is_fitted = model_split(rows)};
    check->predicted = mem_array(rows->count + 1, sizeof *check->predicted);
    check->error = mem_array(rows->count + 1, sizeof *check->error);
    const bool held = all_held || is_of_another(model, rows);
    if (held || model_factor(model, "fitted.all") > 0)
        memset(check->is_fitted, !held, rows->count);
    for (size_t r = 0; r < rows->count; r++)
        if (!check_row(check, model, rows, r, stages, err)) {
            model_check_fini(check);
            return false;
        }
    return true;
}

bool
model_check_is_complete(const struct model_check *check, const struct model_rows *rows,
                        struct error *err)
{
    for (uint32_t s = 0; s < MODEL_STAGES; s++)
        if (check->lacking[s].rows)
            return fail(err,
                        "row %zu: the model has no measurements of stage %s for '%s': use a "
                        "measured format, or omit the stage with --without %s",
                        check->lacking[s].first_row + 1, model_stage_names[s],
                        rows->items[check->lacking[s].first_row].format, model_stage_names[s]);
    return true;
}

void
model_check_fini(struct model_check *check)
{
    free(check->predicted);
    free(check->error);
    free(check->is_fitted);
    *check = (struct model_check){0};
}
