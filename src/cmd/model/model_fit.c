/* aetius model fit and check: fits a model to measurements, and reports its error. */
#include "base/log.h"
#include "base/memory_text.h"
#include "cmd/model/model.h"
#include "cmd/options.h"
#include "base/text_table.h"
#include "model/error_bars.h"
#include "model/tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct check_options {
    const char *model, *fail_over;
    struct stage_options stages;
    bool all_held, json, csv, force;
};

/* Prints the rows with the largest errors. */
static void
print_worst(const struct model_check *check, const struct model_rows *rows)
{
    enum { SHOWN = 5 };
    size_t worst[SHOWN];
    const uint32_t count = model_worst_rows(check, rows, worst, SHOWN);
    struct text_table table = {0};
    text_table_line(&table, "\nlargest errors, in frames per second:");
    for (uint32_t i = 0; i < count; i++) {
        char text[256];
        model_row_describe(&rows->items[worst[i]], text, sizeof text);
        text_table_cell(&table, "%+6.1f %%", 100 * check->error[worst[i]]);
        text_table_left(&table, "%s", text);
        text_table_end_row(&table);
    }
    text_table_put(&table, TEXT_TABLE_TEXT, stdout);
}

static void
print_tables(const struct model_check *check, const struct model_rows *rows)
{
    struct text_table stages = {0}, springs = {0};
    model_stages_sheet(&stages, check);
    text_table_put(&stages, TEXT_TABLE_TEXT, stdout);
    if (check->barred)
        printf("\n%u of %u held-out measurements are within the error bars of 9 of 10\n",
               check->inside, check->barred);
    if (model_springs_sheet(&springs, check, rows)) {
        puts("\nmass-spring, frames per second:");
        text_table_put(&springs, TEXT_TABLE_TEXT, stdout);
    } else {
        text_table_fini(&springs);
    }
    print_worst(check, rows);
}

static cJSON *
errors_json(const struct model_errors *errors)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddNumberToObject(object, "rows", errors->count);
    cJSON_AddNumberToObject(object, "mean_error", errors->mean);
    cJSON_AddNumberToObject(object, "worst_error", errors->worst);
    return object;
}

static void
add_missing_json(cJSON *list, const struct model_missing *missing)
{
    for (size_t i = 0; i < missing->count; i++) {
        cJSON *point = cJSON_CreateObject();
        char text[256];
        model_row_describe(&missing->items[i].row, text, sizeof text);
        cJSON_AddStringToObject(point, "file", missing->items[i].path);
        cJSON_AddNumberToObject(point, "line", missing->items[i].line);
        cJSON_AddStringToObject(point, "what", text);
        cJSON_AddItemToArray(list, point);
    }
}

/* `missing`: points without a time, or NULL. */
static void
print_check_json(const struct model_check *check, const struct model_rows *rows,
                 const struct model_missing *missing)
{
    cJSON *root = cJSON_CreateObject(), *stages = cJSON_AddObjectToObject(root, "stages");
    for (uint32_t s = 0; s < MODEL_STAGES; s++) {
        cJSON *stage = cJSON_AddObjectToObject(stages, model_stage_names[s]);
        cJSON_AddItemToObject(stage, "fitted", errors_json(&check->stages[s].fitted));
        cJSON_AddItemToObject(stage, "held_out", errors_json(&check->stages[s].held_out));
    }
    cJSON_AddItemToObject(root, "fitted", errors_json(&check->fitted));
    cJSON_AddItemToObject(root, "held_out", errors_json(&check->held_out));
    cJSON_AddItemToObject(root, "large", errors_json(&check->large));
    cJSON_AddNumberToObject(root, "with_error_bar", check->barred);
    cJSON_AddNumberToObject(root, "within_error_bar", check->inside);
    cJSON *springs = cJSON_AddArrayToObject(root, "springs");
    for (uint32_t n = 0; n < 3; n++)
        cJSON_AddItemToArray(springs, errors_json(&check->springs[n]));
    cJSON *list = cJSON_AddArrayToObject(root, "rows");
    for (size_t r = 0; r < rows->count; r++) {
        cJSON *row = cJSON_CreateObject();
        char text[256];
        model_row_describe(&rows->items[r], text, sizeof text);
        cJSON_AddStringToObject(row, "what", text);
        cJSON_AddBoolToObject(row, "fitted", check->is_fitted[r]);
        cJSON_AddNumberToObject(row, "measured_fps", 1 / rows->items[r].seconds);
        cJSON_AddNumberToObject(row, "predicted_fps", 1 / check->predicted[r]);
        cJSON_AddNumberToObject(row, "error", check->error[r]);
        cJSON_AddItemToArray(list, row);
    }
    if (missing)
        add_missing_json(cJSON_AddArrayToObject(root, "missing"), missing);
    print_json_tree(root);
}

static bool
check(const struct model *model, const struct model_rows *rows, const struct check_options *options,
      bool *exceeded, struct error *err)
{
    struct model_check result;
    uint32_t stages;
    if (!model_stages_parse(&stages, &options->stages, err) ||
        !model_check_rows(&result, model, rows, stages, options->all_held, err))
        return false;
    const bool ok = model_check_is_complete(&result, rows, err);
    if (ok && options->json)
        print_check_json(&result, rows, NULL);
    else if (ok)
        print_tables(&result, rows);
    const double limit = options->fail_over ? strtod(options->fail_over, NULL) / 100 : INFINITY;
    const struct model_errors *judged = result.held_out.count ? &result.held_out : &result.fitted;
    *exceeded = !(judged->mean <= limit);
    model_check_fini(&result);
    return ok;
}

static bool
read_all(struct model_rows *rows, struct model_missing *missing, const struct args *args,
         uint32_t first, struct error *err)
{
    for (uint32_t i = first; i < args->operand_count; i++)
        if (!model_rows_read_some(rows, missing, args->operands[i], err))
            return false;
    return rows->count > 0 || fail(err, "no measurement has a time");
}

/* Lists the points of a sweep that have no time. */
static void
warn_of_points(enum model_sweep sweep, size_t measured, const struct model_missing *missing)
{
    enum { SHOWN = 8 };
    struct memory_text text;
    FILE *list = memory_text_open(&text);
    size_t count = 0;
    for (size_t i = 0; i < missing->count; i++) {
        const struct model_point *point = &missing->items[i];
        if (!model_row_is_of(&point->row, sweep))
            continue;
        if (count < SHOWN)
            fprintf(list, "%s%s:%u", count ? ", " : "", point->path, point->line);
        count++;
    }
    char *lines = memory_text_take(&text);
    if (count > SHOWN)
        log_warning("sweep %s: %zu of %zu points have no time: %s and %zu more (--json lists all)",
                    model_sweeps[sweep].name, count, measured + count, lines, count - SHOWN);
    else if (count)
        log_warning("sweep %s: %zu of %zu points have no time: %s", model_sweeps[sweep].name, count,
                    measured + count, lines);
    free(lines);
}

/* Names the points that lack times, and the stages without measurements. */
static void
warn_of_missing(const struct model_rows *rows, const struct model_missing *missing)
{
    for (uint32_t sweep = 0; sweep < MODEL_SWEEPS; sweep++) {
        const struct model_sweep_info *info = &model_sweeps[sweep];
        size_t measured = 0;
        for (size_t i = 0; i < rows->count; i++)
            measured += model_row_is_of(&rows->items[i], sweep);
        warn_of_points(sweep, measured, missing);
        if (!measured && info->stage != MODEL_STAGES)
            log_note("no measurements of sweep %s (stage %s)", info->name,
                     model_stage_names[info->stage]);
    }
}

/* Names the stages that the model lacks for some measurements. */
static void
warn_of_lacking(const struct model_check *check, const struct model_rows *rows)
{
    for (uint32_t s = 0; s < MODEL_STAGES; s++)
        if (check->lacking[s].rows)
            log_warning("%u of %zu measurements have no total error: the model lacks stage %s for "
                        "'%s'",
                        check->lacking[s].rows, rows->count, model_stage_names[s],
                        rows->items[check->lacking[s].first_row].format);
}

/* Warns of measurements whose samples differ much. */
static void
warn_of_spread(const struct model_rows *rows)
{
    const double large = 0.1; /* of the time */
    double most = 0;
    size_t count = 0;
    for (size_t i = 0; i < rows->count; i++) {
        const double spread = rows->items[i].spread / rows->items[i].seconds;
        count += spread > large;
        most = fmax(most, spread);
    }
    if (count)
        log_warning(
            "%zu of %zu measurements have a spread above %.0f %% of their time, the largest "
            "%.0f %%: the fit gives them little weight; measure again with more samples "
            "(model bench --samples) or less load on the host",
            count, rows->count, 100 * large, 100 * most);
}

static void
print_fit(const struct model *model)
{
    struct text_table sheet = {0};
    printf("%s: %.6g cycles per second, plus %.3g us per frame\n\n", model->renderer,
           model_factor(model, "rate"), 1e6 * model_factor(model, "start"));
    text_table_cells(&sheet, "curve|segments|from|to|widest interval");
    text_table_end_row(&sheet);
    for (size_t i = 0; i < model->curves.count; i++) {
        const struct spline *s = &model->curves.items[i].spline;
        double widest = 0;
        for (uint32_t k = 0; k < s->knots; k++)
            widest = fmax(widest, s->half[k] / s->y[k]);
        text_table_cell(&sheet, "%s", model->curves.items[i].name);
        text_table_cell(&sheet, "%u", s->knots - 1);
        text_table_cell(&sheet, "%.4g", s->y[0]);
        text_table_cell(&sheet, "%.4g", s->y[s->knots - 1]);
        text_table_cell(&sheet, "+-%.1f %%", 100 * widest);
        text_table_end_row(&sheet);
    }
    text_table_put(&sheet, TEXT_TABLE_TEXT, stdout);
    putchar('\n');
}

/* `missing`: NULL for text. */
static void
print_result(const struct model *model, const struct model_check *check,
             const struct model_rows *rows, const struct model_missing *missing)
{
    warn_of_lacking(check, rows);
    if (missing) {
        print_check_json(check, rows, missing);
    } else {
        print_fit(model);
        print_tables(check, rows);
    }
}

/* Checks that the model does not overwrite its input. */
static bool
is_new(const struct args *args, const char *path, struct error *err)
{
    struct stat model, csv;
    for (uint32_t i = 0; i < args->operand_count && !stat(path, &model); i++)
        if (!stat(args->operands[i], &csv) && csv.st_ino == model.st_ino &&
            csv.st_dev == model.st_dev)
            return fail(
                err, "%s is one of the measurement files: choose another name for the model", path);
    return true;
}

static bool
read_rate(const char *text, double *rate, struct error *err)
{
    char *end;
    *rate = text ? strtod(text, &end) : 0;
    return !text || (*text && !*end && isfinite(*rate) && *rate > 0) ||
           fail(err, "--rate expects a number above 0 (clock times pipelines)");
}

int
model_fit_command(int argc, char **argv)
{
    struct check_options request = {0};
    const char *rate_text = NULL;
    bool all = false;
    struct arg_list runs = {0};
    const struct arg_option options[] = {
        OPTION_OUTPUT(&request.model, "MODEL", "model to write, an INI file", true),
        {"rate", 0, ARG_STRING, &rate_text, "CYCLES",
         "clock x pipelines (default: from the CSV, or from the slope of sweep `length`)", false},
        {"frames", 0, ARG_LIST, &runs, "RUN", "also fit the frame stages, from a cycle-level run",
         false},
        {"all", 0, ARG_FLAG, &all, NULL, "fit all measurements, without a held-out half", false},
        OPTION_FORCE(&request.force, "overwrite MODEL"),
        OPTION_JSON(&request.json, "print the errors as JSON"),
        {0}};
    const struct arg_spec spec = {
        "model fit", "CSV... -o MODEL [options]",
        "Fits the staged model to half of the measurements and checks it on the other\n"
        "half. The curves are piecewise linear; cross-validation chooses the number of\n"
        "segments.",
        options, SOME_FILES};
    struct args args;
    struct error err = {""};
    struct model_rows rows = {0};
    struct model_missing missing = {0};
    struct model_check result;
    struct model model = {0};
    double rate;
    const int status = args_parse(&args, &spec, argc, argv);
    if (status >= 0)
        return status;
    if (!read_rate(rate_text, &rate, &err) || !is_new(&args, request.model, &err))
        return args_usage_error(&spec, "%s", err.text);
    bool ok = check_output(request.model, request.force, &err) &&
              read_all(&rows, &missing, &args, 0, &err);
    if (ok) {
        warn_of_missing(&rows, &missing);
        warn_of_spread(&rows);
    }
    bool *fitted = ok && !all ? model_split(&rows) : NULL;
    ok = ok && model_fit(&model, &rows, fitted, rate, &err);
    if (ok)
        model_fit_bars(&model, &rows, fitted);
    ok = ok && (!runs.count || model_learn_frames(&model, &runs, &err)) &&
         model_check_rows(&result, &model, &rows, (1u << MODEL_STAGES) - 1, false, &err);
    if (ok) {
        ok = model_write(&model, request.model, &err);
        if (ok)
            print_result(&model, &result, &rows, request.json ? &missing : NULL);
        model_check_fini(&result);
    }
    VEC_FREE(&missing);
    free(fitted);
    model_fini(&model);
    VEC_FREE(&rows);
    return conclude(ok, &err);
}

int
model_check_command(int argc, char **argv)
{
    struct check_options request = {0};
    bool exceeded = false;
    const struct arg_option options[] = {
        OPTION_WITHOUT(&request.stages),
        OPTION_DEPENDENT(&request.stages),
        {"all-held-out", 0, ARG_FLAG, &request.all_held, NULL,
         "treat all measurements as held out: another run of the same GPU", false},
        {"fail-over", 0, ARG_STRING, &request.fail_over, "PERCENT",
         "exit with 3 if the average total error on held-out measurements exceeds PERCENT", false},
        OPTION_JSON(&request.json, "print the errors of stages and rows as JSON"),
        {0}};
    const struct arg_spec spec = {
        "model check",
        "MODEL CSV... [options]",
        "Compares a model with measurements: the relative error of each stage and of the\n"
        "total, on the fitted half and on the held-out half. The budget is 10 % per\n"
        "stage.",
        options,
        2,
        UINT32_MAX,
        "a MODEL and at least one CSV",
        .program = ARG_NO_PROGRAM,
        .exceeds = "average error above --fail-over"};
    struct args args;
    struct error err = {""};
    struct model_rows rows = {0};
    struct model model = {0};
    char *end = NULL;
    const int status = args_parse(&args, &spec, argc, argv);
    if (status >= 0)
        return status;
    if (request.fail_over &&
        (!(strtod(request.fail_over, &end) >= 0) || end == request.fail_over || *end))
        return args_usage_error(&spec, "--fail-over expects a percentage");
    const bool ok = model_read(&model, args.operands[0], &err) &&
                    read_all(&rows, NULL, &args, 1, &err) &&
                    check(&model, &rows, &request, &exceeded, &err);
    model_fini(&model);
    VEC_FREE(&rows);
    return ok && exceeded ? EXIT_EXCEEDED : conclude(ok, &err);
}
