/* Output of `aetius topdown` for profiled applications, as JSON and CSV. */
#include "analysis/topdown_print.h"
#include "base/json.h"
#include "base/memory_text.h"
#include "base/schema.h"
#include "base/text_table.h"
#include "cmd/topdown/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- JSON ---- */

static cJSON *
missing_json(const struct application *application, const struct application_kernel *kernel)
{
    cJSON *list = cJSON_CreateArray();
    char *missing = application_missing(application, kernel);
    for (char *at = missing; *at;) {
        const size_t length = strcspn(at, ",");
        const bool is_last = !at[length];
        at[length] = '\0';
        cJSON_AddItemToArray(list, cJSON_CreateString(at));
        at += is_last ? length : length + 2;
    }
    free(missing);
    return list;
}

static cJSON *
measures_json(const struct nvidia_measures *measures)
{
    cJSON *list = cJSON_CreateArray();
    for (uint32_t i = 0; i < MEASURES; i++) {
        if (isnan(measures->values[i]))
            continue;
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "name", nvidia_measure_name(i));
        cJSON_AddItemToObject(object, "value", json_number(measures->values[i]));
        cJSON_AddStringToObject(object, "unit", nvidia_measure_unit(i, measures->family));
        cJSON_AddItemToObject(object, "share", json_number(nvidia_measure_share(measures, i)));
        cJSON_AddItemToArray(list, object);
    }
    return list;
}

static cJSON *
mean_json(const struct application_mean *mean)
{
    const struct nvidia_measures measures = application_mean_measures(mean);
    return measures_json(&measures);
}

static cJSON *
kernels_json(const struct application *application, uint32_t level)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < application->kernels.count; i++) {
        const struct application_kernel *kernel = &application->kernels.items[i];
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "name", kernel->name);
        cJSON_AddNumberToObject(object, "launches", (double)kernel->launches);
        cJSON_AddItemToObject(object, "time",
                              json_number(kernel->weight > 0 ? kernel->weight : (double)NAN));
        cJSON_AddItemToObject(object, "tree", topdown_json(report_tree(kernel), level));
        cJSON_AddItemToObject(object, "verdict", topdown_json_verdict(report_tree(kernel)));
        cJSON_AddItemToObject(object, "missing", missing_json(application, kernel));
        cJSON_AddItemToObject(object, "measured", mean_json(&kernel->mean));
        cJSON_AddItemToArray(list, object);
    }
    return list;
}

static cJSON *
launch_json(const struct application *application, uint32_t number, uint32_t level)
{
    const struct profile *profile = application->profile;
    const struct profile_launch *launch = &profile->launches.items[number];
    struct topdown_tree tree;
    double weight;
    const bool has_tree = application_launch(application, number, &weight, &tree, NULL);
    cJSON *object = cJSON_CreateObject();
    cJSON_AddNumberToObject(object, "launch", number);
    cJSON_AddStringToObject(object, "kernel", profile->kernels.items[launch->kernel].name);
    cJSON_AddNumberToObject(object, "invocations", (double)launch->invocations);
    cJSON_AddItemToObject(object, "time", json_number(weight));
    cJSON_AddItemToObject(object, "tree", topdown_json(has_tree ? &tree : NULL, level));
    struct nvidia_measures measures;
    if (application_launch_measures(application, number, &measures))
        cJSON_AddItemToObject(object, "measured", measures_json(&measures));
    if (has_tree)
        topdown_tree_fini(&tree);
    return object;
}

/* Prints launch by launch, because a tree of all launches might not fit into memory. */
static void
print_json_launches(const struct application *application, uint32_t level)
{
    const char *before = "\n";
    fputs(",\n\"launches\":[", stdout);
    for (uint32_t i = 0; i < application->profile->launches.count; i++) {
        if (!report_has_launch(application, i))
            continue;
        fputs(before, stdout);
        json_put(launch_json(application, i, level), stdout);
        before = ",\n";
    }
    putchar(']');
}

static cJSON *
command_json(const struct application *application, const struct topdown_request *request)
{
    struct memory_text command;
    if (!application->problems || !application->capability)
        return cJSON_CreateNull();
    FILE *out = memory_text_open(&command);
    const struct nvidia_request asks = topdown_asks(request, REPORT_LOG);
    topdown_print_command(application->capability, &asks, NULL, out);
    char *text = memory_text_take(&command);
    cJSON *json = cJSON_CreateString(text);
    free(text);
    return json;
}

static cJSON *
notes_json(const struct application *application, const struct topdown_request *request)
{
    char *means = report_means(application, request);
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < application->profile->notes.count; i++)
        cJSON_AddItemToArray(list, cJSON_CreateString(application->profile->notes.items[i]));
    if (means)
        cJSON_AddItemToArray(list, cJSON_CreateString(means));
    free(means);
    return list;
}

static void
add_chip(cJSON *object, const struct nvidia_capability *chip)
{
    char *name = chip ? mem_printf("%u.%u", chip->major, chip->minor) : NULL;
    const double most = chip ? chip->ipc_max : (double)NAN;
    cJSON_AddItemToObject(object, "compute_capability", json_text(name));
    cJSON_AddItemToObject(object, "ipc_max", json_number(most));
    cJSON_AddItemToObject(object, "total", json_number(most));
    free(name);
}

static cJSON *
gpu_json(const struct application *application)
{
    const struct nvidia_capability *chip = application->capability;
    if (!chip)
        return cJSON_CreateNull();
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "family", chip->family);
    cJSON_AddNumberToObject(object, "schedulers_per_sm", chip->schedulers);
    cJSON_AddNumberToObject(object, "cores_per_sm", chip->cores);
#define FIGURE(name, ...)                                                                          \
    if (FIGURE_##name >= FIGURE_sms && FIGURE_##name < FIGURE_FIRST_WEIGHT)                        \
        cJSON_AddItemToObject(object, #name,                                                       \
                              json_number(application_gpu(application, FIGURE_##name)));
#include "analysis/nvidia.def"
    return object;
}

static void
print_json_application(const struct application *application, const struct topdown_request *request)
{
    const struct topdown_tree *tree = application->has_tree ? &application->tree : NULL;
    const uint32_t level = report_level(request), passes = application_passes(application);
    cJSON *object = cJSON_CreateObject();
    cJSON_AddNumberToObject(object, "schema", AETIUS_SCHEMA);
    cJSON_AddStringToObject(object, "name", application->name);
    cJSON_AddStringToObject(object, "device", application->device_name);
    add_chip(object, application->capability);
    cJSON_AddItemToObject(object, "gpu", gpu_json(application));
    cJSON_AddStringToObject(object, "unit", "ipc");
    cJSON_AddStringToObject(object, "time_unit", application_weight_unit(application));
    cJSON_AddItemToObject(object, "time", json_number(application->weight));
    cJSON_AddItemToObject(object, "tree", topdown_json(tree, level));
    cJSON_AddItemToObject(object, "verdict", topdown_json_verdict(tree));
    cJSON_AddItemToObject(object, "command", command_json(application, request));
    cJSON_AddItemToObject(object, "notes", notes_json(application, request));
    cJSON_AddItemToObject(object, "measured", mean_json(&application->mean));
    cJSON_AddItemToObject(object, "passes", json_number(passes ? passes : (double)NAN));
    cJSON_AddItemToObject(object, "kernels", kernels_json(application, level));
    putchar('{');
    json_put_members(object, stdout);
    if (request->over_time)
        print_json_launches(application, level);
    if (application->seconds_alone > 0) {
        object = cJSON_CreateObject();
        cJSON *overhead = cJSON_AddObjectToObject(object, "overhead");
        cJSON_AddItemToObject(overhead, "seconds_alone",
                              json_decimals(application->seconds_alone, 6));
        cJSON_AddItemToObject(overhead, "seconds_profiled",
                              json_decimals(application->seconds_profiled, 6));
        fputs(",\n", stdout);
        json_put_members(object, stdout);
    }
    putchar('}');
}

void
report_json(const application_list *applications, const struct topdown_request *request)
{
    const bool several = applications->count > 1;
    if (several)
        printf("{\"schema\":%d,\"applications\":[\n", AETIUS_SCHEMA);
    for (size_t i = 0; i < applications->count; i++) {
        fputs(i ? ",\n" : "", stdout);
        print_json_application(&applications->items[i], request);
    }
    puts(several ? "]}" : "");
}

/* ---- CSV ---- */

/* Prints the nodes of the tree (NULL: none), and then the measures, whose level is empty. */
static void
csv_part(const struct application *application, const char *kernel, const char *launch,
         double weight, const struct topdown_tree *tree, const struct nvidia_measures *measures,
         uint32_t level)
{
    char time[32] = "";
    if (isfinite(weight))
        snprintf(time, sizeof time, "%.12g", weight);
    const char *const lead[] = {application->name,
                                application->device_name,
                                kernel,
                                launch,
                                time,
                                application_weight_unit(application)};
    enum { LEAD = sizeof lead / sizeof lead[0] };
    struct text_table table = {0};
    if (tree)
        topdown_csv(tree, level, lead, LEAD, stdout);
    for (uint32_t i = 0; i < MEASURES; i++) {
        const double share = nvidia_measure_share(measures, i);
        if (isnan(measures->values[i]))
            continue;
        for (uint32_t c = 0; c < LEAD; c++)
            text_table_cell(&table, "%s", lead[c]);
        text_table_cell(&table, "%s", nvidia_measure_name(i));
        text_table_cell(&table, "%s", "");
        text_table_cell(&table, "%.12g", measures->values[i]);
        if (isnan(share))
            text_table_cell(&table, "%s", "");
        else
            text_table_cell(&table, "%.12g", share);
        text_table_cell(&table, "%s", nvidia_measure_unit(i, measures->family));
        text_table_cells(&table, "|measured");
        text_table_end_row(&table);
    }
    text_table_put(&table, TEXT_TABLE_CSV, stdout);
}

static void
csv_launches(const struct application *application, uint32_t level)
{
    const struct profile *profile = application->profile;
    for (uint32_t i = 0; i < profile->launches.count; i++) {
        struct topdown_tree tree;
        struct nvidia_measures measures;
        double weight;
        char number[16];
        const uint32_t kernel = profile->launches.items[i].kernel;
        if (!report_has_launch(application, i) ||
            !application_launch_measures(application, i, &measures))
            continue;
        const bool has_tree = application_launch(application, i, &weight, &tree, NULL);
        snprintf(number, sizeof number, "%u", i);
        csv_part(application, profile->kernels.items[kernel].name, number, weight,
                 has_tree ? &tree : NULL, &measures, level);
        if (has_tree)
            topdown_tree_fini(&tree);
    }
}

void
report_csv(const application_list *applications, const struct topdown_request *request)
{
    const uint32_t level = report_level(request);
    puts("application,device,kernel,launch,time,time_unit," TOPDOWN_CSV_COLUMNS);
    for (size_t i = 0; i < applications->count; i++) {
        const struct application *application = &applications->items[i];
        struct nvidia_measures measures = application_mean_measures(&application->mean);
        csv_part(application, "", "", application->weight,
                 application->has_tree ? &application->tree : NULL, &measures, level);
        for (size_t k = 0; k < application->kernels.count; k++) {
            const struct application_kernel *kernel = &application->kernels.items[k];
            measures = application_mean_measures(&kernel->mean);
            csv_part(application, kernel->name, "", kernel->weight, report_tree(kernel), &measures,
                     level);
        }
        if (request->over_time)
            csv_launches(application, level);
    }
}
