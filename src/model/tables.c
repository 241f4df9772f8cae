#include "model/tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool
is_within(const struct model_errors *held_out, double budget)
{
    return !held_out->count || held_out->mean <= budget;
}

/* `others`: all components of this line are within their budgets. */
static void
add_line(struct text_table *sheet, const char *name, const struct model_errors *fitted,
         const struct model_errors *held_out, double budget, bool others)
{
    if (!fitted->count && !held_out->count)
        return;
    text_table_cell(sheet, "%s", name);
    text_table_cell(sheet, "%u", fitted->count);
    text_table_cell(sheet, "%.2f %%", 100 * fitted->mean);
    text_table_cell(sheet, "%u", held_out->count);
    if (held_out->count) {
        text_table_cell(sheet, "%.2f %%", 100 * held_out->mean);
        text_table_cell(sheet, "%.1f %%", 100 * held_out->worst);
    } else {
        text_table_cells(sheet, "-|-");
    }
    text_table_cell(sheet, "%.0f %%", 100 * budget);
    text_table_cell(sheet, "%s",
                    !held_out->count                        ? "-"
                    : others && is_within(held_out, budget) ? "yes"
                                                            : "no");
    text_table_end_row(sheet);
}

void
model_stages_sheet(struct text_table *sheet, const struct model_check *check)
{
    static const char *const heads[] = {"stage",      "fitted", "mean error", "held out",
                                        "mean error", "worst",  "budget",     "within"};
    static const char *const used[] = {"springs, 1 stage", "springs, 2 stages",
                                       "springs, 3 stages"};
    const struct model_errors none = {0};
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
        text_table_cell(sheet, "%s", heads[i]);
    text_table_end_row(sheet);
    bool each = true;
    for (uint32_t s = 0; s < MODEL_STAGES; s++) {
        add_line(sheet, model_stage_names[s], &check->stages[s].fitted, &check->stages[s].held_out,
                 MODEL_STAGE_BUDGET, true);
        each = each && is_within(&check->stages[s].held_out, MODEL_STAGE_BUDGET);
    }
    add_line(sheet, "base, 900,000 fragments on", &none, &check->large, 0.02, true);
    add_line(sheet, "in all", &check->fitted, &check->held_out, model_budget(3), each);
    for (uint32_t n = 0; n < 3; n++)
        add_line(sheet, used[n], &none, &check->springs[n], model_budget(n + 1), true);
}

bool
model_springs_sheet(struct text_table *sheet, const struct model_check *check,
                    const struct model_rows *rows)
{
    static const char *const heads[] = {"textures and loop", "measured", "predicted", "error"};
    bool found = false;
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
        text_table_cell(sheet, "%s", heads[i]);
    text_table_end_row(sheet);
    for (size_t r = 0; r < rows->count; r++) {
        if (!model_row_is_of(&rows->items[r], MODEL_SWEEP_springs) || isnan(check->error[r]))
            continue;
        found = true;
        text_table_cell(sheet, "%s", rows->items[r].variant);
        text_table_cell(sheet, "%.2f", 1 / rows->items[r].seconds);
        text_table_cell(sheet, "%.2f", 1 / check->predicted[r]);
        text_table_cell(sheet, "%+.1f %%", 100 * check->error[r]);
        text_table_end_row(sheet);
    }
    return found;
}

uint32_t
model_worst_rows(const struct model_check *check, const struct model_rows *rows, size_t *worst,
                 uint32_t most)
{
    bool *taken = mem_alloc(rows->count + 1);
    uint32_t count = 0;
    for (; count < most && count < rows->count; count++) {
        size_t found = rows->count;
        for (size_t r = 0; r < rows->count; r++)
            if (!taken[r] && !isnan(check->error[r]) &&
                (found == rows->count || fabs(check->error[r]) > fabs(check->error[found])))
                found = r;
        if (found == rows->count)
            break;
        taken[found] = true;
        worst[count] = found;
    }
    free(taken);
    return count;
}

void
model_row_describe(const struct model_row *row, char *text, size_t size)
{
    static const char prefix[] = "model ";
    model_row_label(row, text, size);
    memmove(text, text + strlen(prefix), strlen(text) + 1 - strlen(prefix));
    for (size_t end = strlen(text); end > 0 && text[end - 1] == ' ';)
        text[--end] = '\0';
}
