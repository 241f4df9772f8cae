/* aetius stats: all statistics and metrics, from their tables. */
#include "base/args.h"
#include "kernel/clock_stats.h"
#include "report/metrics.h"
#include "unit/stats.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cmd_stats(int argc, char **argv);

static void
print_group(const struct stat_group *group, const char *doc)
{
    printf("\n%s: %s\n", group->unit, doc);
    for (size_t i = 0; i < group->count; i++)
        printf("  %s.%-*s %-14s %s\n", group->unit, (int)(36 - strlen(group->unit)),
               group->infos[i].name, group->infos[i].measure, group->infos[i].doc);
}

static void
print_text(void)
{
    size_t count;
    const struct unit_doc *units = unit_docs(&count);
    puts("Names in the tables of a run: UNIT.STATISTIC, or UNIT[I].STATISTIC where there are "
         "several.");
    for (size_t i = 0; i < count; i++)
        print_group(units[i].group, units[i].doc);
    print_group(&module_stat_group, "every unit has these too; they add up to the cycles");
    print_group(&queue_stat_group, "every queue between two units");
    const struct metric *metrics = metrics_all(&count);
    puts("\nmetrics, computed from statistics:");
    for (size_t i = 0; i < count; i++)
        printf("  %-20s %-16s %s\n", metrics[i].name, metrics[i].unit, metrics[i].doc);
}

static void
add_group(cJSON *list, const struct stat_group *group)
{
    for (size_t i = 0; i < group->count; i++) {
        char name[128];
        cJSON *object = cJSON_CreateObject();
        snprintf(name, sizeof name, "%s.%s", group->unit, group->infos[i].name);
        cJSON_AddStringToObject(object, "name", name);
        cJSON_AddStringToObject(object, "unit", group->infos[i].measure);
        cJSON_AddStringToObject(object, "doc", group->infos[i].doc);
        cJSON_AddItemToArray(list, object);
    }
}

static void
print_json(void)
{
    size_t count;
    cJSON *root = cJSON_CreateObject();
    cJSON *list = cJSON_AddArrayToObject(root, "statistics");
    const struct unit_doc *units = unit_docs(&count);
    for (size_t i = 0; i < count; i++)
        add_group(list, units[i].group);
    add_group(list, &module_stat_group);
    add_group(list, &queue_stat_group);
    cJSON *formulas = cJSON_AddArrayToObject(root, "metrics");
    const struct metric *metrics = metrics_all(&count);
    for (size_t i = 0; i < count; i++) {
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "name", metrics[i].name);
        cJSON_AddStringToObject(object, "unit", metrics[i].unit);
        cJSON_AddStringToObject(object, "formula", metrics[i].formula);
        cJSON_AddStringToObject(object, "doc", metrics[i].doc);
        cJSON_AddItemToArray(formulas, object);
    }
    char *text = cJSON_Print(root);
    puts(text);
    free(text);
    cJSON_Delete(root);
}

int
cmd_stats(int argc, char **argv)
{
    bool json = false;
    const struct arg_option options[] = {
        {"json", 0, ARG_FLAG, &json, NULL, "as JSON"},
        {0},
    };
    const struct arg_spec spec = {"stats", "[--json]",
                                  "All statistics that a run counts, and the metrics made of "
                                  "them. `aetius explain NAME` tells more of one.",
                                  options};
    struct args args;
    int status = args_parse(&args, &spec, argc, argv);
    if (status >= 0)
        return status;
    if (args.operand_count || args.after)
        return args_usage_error(&spec, "expected no operand");
    if (json)
        print_json();
    else
        print_text();
    return EXIT_WELL;
}
