#include "base/json.h"
#include "base/text_table.h"
#include "base/wrap.h"
#include "report/compare/steps.h"

#include <stdlib.h>

static double
share_of(const struct step *step, const struct ideal_gains *gains)
{
    return gains->cycles > 0 ? step->expected / gains->cycles : 0;
}

void
steps_print_best(const struct steps *steps, const struct ideal_gains *gains,
                 enum ideal_number verdict, FILE *out)
{
    const struct step *best = steps_best(steps);
    if (!best || best == steps_of(steps, verdict))
        return;
    char *text = step_text(best, " ");
    print_wrapped(out, line_width(out), 0, 2, "best step: %s; %.1f %% fewer are predicted with it",
                  text, 100 * share_of(best, gains));
    free(text);
}

cJSON *
step_json(const struct step *step, const struct ideal_gains *gains)
{
    if (!step)
        return cJSON_CreateNull();
    cJSON *object = cJSON_CreateObject();
    char *text = step_text(step, " ");
    cJSON *resources = cJSON_CreateArray();
    for (uint32_t i = 0; i < IDEALS; i++)
        if (step->is_of[i])
            cJSON_AddItemToArray(resources, cJSON_CreateString(ideals[i].name));
    cJSON_AddStringToObject(object, "settings", text);
    cJSON_AddItemToObject(object, "expected_gain", json_number(share_of(step, gains)));
    cJSON_AddItemToObject(object, "resources", resources);
    free(text);
    return object;
}

cJSON *
steps_json(const struct steps *steps, const struct ideal_gains *gains)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < steps->items.count; i++)
        cJSON_AddItemToArray(list, step_json(&steps->items.items[i], gains));
    return list;
}

void
steps_csv(const struct steps *steps, const struct ideal_gains *gains, const char *lead, FILE *out)
{
    struct text_table table = {0};
    for (size_t i = 0; i < steps->items.count; i++) {
        const struct step *step = &steps->items.items[i];
        char *text = step_text(step, " ");
        text_table_cell(&table, "%s", lead);
        text_table_cell(&table, "step.%s", text);
        text_table_cell(&table, "%s", "");
        text_table_cell(&table, "%.12g", step->expected);
        text_table_cell(&table, "%.12g", share_of(step, gains));
        text_table_cell(&table, "cycles");
        text_table_cell(&table, "%s", "");
        text_table_cell(&table, "expected saving with these parameters");
        text_table_end_row(&table);
        free(text);
    }
    text_table_put(&table, TEXT_TABLE_CSV, out);
}
