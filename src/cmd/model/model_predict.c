/* aetius model predict: predicts frames per second without a GPU and without a simulation. */
#include "cmd/model/model.h"
#include "cmd/options.h"
#include "base/text_table.h"
#include "model/error_bars.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct predict_options {
    const char *workload;
    struct stage_options stages;
    struct model_trace_options trace;
};

static const char *
stage_text(const struct model_prediction *prediction, uint32_t stage, char *text, size_t size)
{
    if (stage == MODEL_TRIANGLES)
        snprintf(text, size, "times %.4f", prediction->stages[stage].alone);
    else
        snprintf(text, size, "%s%.2f", stage == MODEL_BASE ? "" : "at most ",
                 1 / prediction->stages[stage].alone);
    return text;
}

/* `bar`: relative; NaN: unknown */
static void
print_prediction(const struct model_prediction *prediction, double bar)
{
    struct text_table sheet = {0};
    char text[64];
    bool extrapolated = false;
    text_table_cells(&sheet, "stage|by itself|frames/s| ");
    text_table_end_row(&sheet);
    for (uint32_t i = 0; i < prediction->ordered; i++) {
        const enum model_stage s = prediction->order[i];
        if (!prediction->stages[s].counts)
            continue;
        text_table_cell(&sheet, "%s", model_stage_names[s]);
        text_table_cell(&sheet, "%s", stage_text(prediction, s, text, sizeof text));
        text_table_cell(&sheet, "%.2f", 1 / prediction->stages[s].seconds);
        text_table_cell(&sheet, "%s", prediction->stages[s].extrapolated ? "extrapolated" : "");
        text_table_end_row(&sheet);
        extrapolated = extrapolated || prediction->stages[s].extrapolated;
    }
    text_table_put(&sheet, TEXT_TABLE_TEXT, stdout);
    printf("\n%.2f frames/s", 1 / prediction->seconds);
    if (prediction->clock > 0)
        printf(" (%.4g per million cycles)", 1e6 / (prediction->seconds * prediction->clock));
    printf(", bound by %s%s\n", model_stage_names[prediction->bound],
           extrapolated ? "; outside the measured range" : "");
    if (!isnan(bar))
        printf("9 of 10 measurements are from %.2f to %.2f\n",
               model_bar_low(bar) / prediction->seconds, (1 + bar) / prediction->seconds);
}

static void
print_prediction_json(const struct model_prediction *prediction, double bar)
{
    cJSON *root = cJSON_CreateObject(), *stages = cJSON_AddArrayToObject(root, "stages");
    for (uint32_t i = 0; i < prediction->ordered; i++) {
        const enum model_stage s = prediction->order[i];
        if (!prediction->stages[s].counts)
            continue;
        cJSON *stage = cJSON_CreateObject();
        cJSON_AddStringToObject(stage, "name", model_stage_names[s]);
        cJSON_AddNumberToObject(stage, s == MODEL_TRIANGLES ? "slowdown" : "seconds",
                                prediction->stages[s].alone);
        cJSON_AddNumberToObject(stage, "fps", 1 / prediction->stages[s].seconds);
        cJSON_AddBoolToObject(stage, "extrapolated", prediction->stages[s].extrapolated);
        cJSON_AddItemToArray(stages, stage);
    }
    cJSON_AddNumberToObject(root, "fps", 1 / prediction->seconds);
    if (!isnan(bar)) {
        cJSON_AddNumberToObject(root, "fps_low", model_bar_low(bar) / prediction->seconds);
        cJSON_AddNumberToObject(root, "fps_high", (1 + bar) / prediction->seconds);
    }
    if (prediction->clock > 0)
        cJSON_AddNumberToObject(root, "fpc", 1 / (prediction->seconds * prediction->clock));
    cJSON_AddStringToObject(root, "bound_by", model_stage_names[prediction->bound]);
    print_json_tree(root);
}

static bool
set_all(struct model_row *workload, const struct arg_list *sets, struct error *err)
{
    for (uint32_t i = 0; i < sets->count; i++) {
        char *copy = mem_strdup(sets->items[i]), *value = strchr(copy, '=');
        if (value)
            *value++ = '\0';
        const bool ok = value ? model_row_set(workload, copy, value, err)
                              : fail(err, "--set %.40s: expected name=value", copy);
        free(copy);
        if (!ok)
            return false;
    }
    return true;
}

static bool
predict(const struct predict_options *options, const char *path, struct error *err)
{
    struct model model = {0};
    struct model_row workload = {0};
    struct model_prediction prediction;
    uint32_t stages;
    if (options->trace.trace) {
        const bool done = (path || fail(err, "--trace requires a MODEL")) &&
                          model_read(&model, path, err) &&
                          model_predict_trace(&model, &options->trace, err);
        model_fini(&model);
        return done;
    }
    bool ok = model_stages_parse(&stages, &options->stages, err) &&
              (!path || model_read(&model, path, err));
    ok = ok && (!options->workload || model_workload_read(&workload, options->workload, err)) &&
         set_all(&workload, &options->trace.machine.sets, err) &&
         model_predict(&prediction, path ? &model : NULL, &workload, stages, err);
    const double bar = ok && path ? model_bar(&model, &prediction) : (double)NAN;
    if (ok && options->trace.json)
        print_prediction_json(&prediction, bar);
    else if (ok)
        print_prediction(&prediction, bar);
    model_fini(&model);
    return ok;
}

int
model_predict_command(int argc, char **argv)
{
    struct predict_options request = {.trace.memory = FILE_MEMORY_BYTES};
    const struct arg_option options[] = {
        {"workload", 0, ARG_STRING, &request.workload, "FILE",
         "workload file: either lines `name = value`, or one line of six numbers separated by "
         "semicolons: cycles, fragments, clock x pipes, and the costs of if-else-endif, if and "
         "else in cycles",
         false},
        OPTION_WITHOUT(&request.stages),
        OPTION_DEPENDENT(&request.stages),
        {"trace", 0, ARG_STRING, &request.trace.trace, "FILE",
         "predict frames of a trace, rendered without timing, instead of a workload", false},
        OPTION_FRAMES(&request.trace.frames, "--trace: frames to predict"),
        {"against", 0, ARG_STRING, &request.trace.against, "RUN",
         "--trace: compare with a cycle-level run of the same frames", false},
        OPTION_PRESET(&request.trace.machine.preset, "--trace: preset of the modelled GPU"),
        {"config", 0, ARG_LIST, &request.trace.machine.configs, "INI",
         "--trace: read parameters from a file; overrides the preset", false},
        {"set", 0, ARG_LIST, &request.trace.machine.sets, "NAME=VALUE",
         "set a workload value, overrides the file; --trace: set a parameter, SECTION.Name=VALUE",
         false},
        OPTION_MEMORY(&request.trace.memory),
        OPTION_JSON(&request.trace.json, "print the stages as JSON"),
        {0}};
    const struct arg_spec spec = {
        "model predict",
        "[MODEL] [options]",
        "Predicts the frame rate of a workload, with the result of each stage. Without\n"
        "MODEL, uses only the formula clock x pipes / (cycles x fragments).",
        options,
        0,
        1,
        "one MODEL, or none",
        .program = ARG_NO_PROGRAM};
    struct args args;
    struct error err = {""};
    const int status = args_parse(&args, &spec, argc, argv);
    if (status >= 0)
        return status;
    const struct model_trace_options *trace = &request.trace;
    const char *other = request.workload           ? "--workload"
                        : request.stages.without   ? "--without"
                        : request.stages.dependent ? "--dependent"
                                                   : NULL;
    if (trace->trace && other)
        return args_usage_error(&spec, "%s cannot be combined with --trace", other);
    if (!trace->trace && (trace->frames.count || trace->against || trace->machine.configs.count))
        return args_usage_error(&spec, "--frames, --against and --config require --trace");
    return conclude(predict(&request, args.operand_count ? args.operands[0] : NULL, &err), &err);
}
