/* Output of `aetius topdown` for profiled applications, as JSON and CSV. */
#include "analysis/topdown_print.h"
#include "base/json.h"
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
    uint32_t problems;
    const bool has_tree = application_launch(application, number, &weight, &tree, &problems);
    cJSON *object = cJSON_CreateObject();
    cJSON_AddNumberToObject(object, "launch", number);
    cJSON_AddStringToObject(object, "kernel", profile->kernels.items[launch->kernel].name);
    cJSON_AddNumberToObject(object, "invocations", (double)launch->invocations);
    cJSON_AddItemToObject(object, "time", json_number(weight));
    cJSON_AddItemToObject(object, "tree", topdown_json(has_tree ? &tree : NULL, level));
    if (has_tree)
        topdown_tree_fini(&tree);
    return object;
}

/* Prints launch by launch: a tree of all of them might not fit into memory. */
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
command_json(const struct application *application, bool each_launch)
{
    char *text;
    size_t size;
    if (!application->problems || !application->capability)
        return cJSON_CreateNull();
    FILE *out = open_memstream(&text, &size);
    BUG_ON(!out, "out of memory (line)");
    topdown_print_command(application->capability, REPORT_LOG, each_launch, NULL, out);
    fclose(out);
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

static void
print_json_application(const struct application *application, const struct topdown_request *request)
{
    const struct topdown_tree *tree = application->has_tree ? &application->tree : NULL;
    const uint32_t level = report_level(request);
    cJSON *object = cJSON_CreateObject();
    cJSON_AddNumberToObject(object, "schema", AETIUS_SCHEMA);
    cJSON_AddStringToObject(object, "name", application->name);
    cJSON_AddStringToObject(object, "device", application->device_name);
    add_chip(object, application->capability);
    cJSON_AddStringToObject(object, "unit", "ipc");
    cJSON_AddStringToObject(object, "time_unit", application_weight_unit(application));
    cJSON_AddItemToObject(object, "time", json_number(application->weight));
    cJSON_AddItemToObject(object, "tree", topdown_json(tree, level));
    cJSON_AddItemToObject(object, "verdict", topdown_json_verdict(tree));
    cJSON_AddItemToObject(object, "command", command_json(application, request->over_time));
    cJSON_AddItemToObject(object, "notes", notes_json(application, request));
    cJSON_AddItemToObject(object, "kernels", kernels_json(application, level));
    putchar('{');
    json_put_members(object, stdout);
    if (request->over_time)
        print_json_launches(application, level);
    if (request->seconds_alone > 0) {
        object = cJSON_CreateObject();
        cJSON *overhead = cJSON_AddObjectToObject(object, "overhead");
        cJSON_AddItemToObject(overhead, "seconds_alone", json_decimals(request->seconds_alone, 6));
        cJSON_AddItemToObject(overhead, "seconds_profiled",
                              json_decimals(request->seconds_profiled, 6));
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

static void
csv_tree(const struct application *application, const char *kernel, const char *launch,
         double weight, const struct topdown_tree *tree, uint32_t level)
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
    topdown_csv(tree, level, lead, sizeof lead / sizeof lead[0], stdout);
}

static void
csv_launches(const struct application *application, uint32_t level)
{
    const struct profile *profile = application->profile;
    for (uint32_t i = 0; i < profile->launches.count; i++) {
        struct topdown_tree tree;
        double weight;
        uint32_t problems;
        char number[16];
        const uint32_t kernel = profile->launches.items[i].kernel;
        if (!report_has_launch(application, i) ||
            !application_launch(application, i, &weight, &tree, &problems))
            continue;
        snprintf(number, sizeof number, "%u", i);
        csv_tree(application, profile->kernels.items[kernel].name, number, weight, &tree, level);
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
        if (application->has_tree)
            csv_tree(application, "", "", application->weight, &application->tree, level);
        for (size_t k = 0; k < application->kernels.count; k++)
            if (application->kernels.items[k].has_tree)
                csv_tree(application, application->kernels.items[k].name, "",
                         application->kernels.items[k].weight, &application->kernels.items[k].tree,
                         level);
        if (request->over_time)
            csv_launches(application, level);
    }
}
