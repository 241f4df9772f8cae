/* Adds descriptions of names, and the machines. */
#include "base/mem.h"
#include "core/clock_stats.h"
#include "core/path.h"
#include "report/page/page.h"
#include "unit/stats.h"

#include <stdlib.h>
#include <string.h>
#include <string.h>

static void
add_item(cJSON *list, const char *name, const char *unit, const char *doc)
{
    cJSON *one = cJSON_CreateArray();
    cJSON_AddItemToArray(one, cJSON_CreateString(unit));
    cJSON_AddItemToArray(one, cJSON_CreateString(doc));
    cJSON_AddItemToObject(list, name, one);
}

/* Statistics that core counts for every unit or queue. Their names contain no unit:
 * ".busy_cycles". */
static void
add_core_statistics(cJSON *list, const struct stat_group *group)
{
    for (size_t i = 0; i < group->count; i++) {
        const struct stat_info *info = &group->infos[i];
        char *name = mem_printf(".%s", info->name);
        add_item(list, name, info->measure, info->doc);
        free(name);
    }
}

/* Adds {NAME: [unit, doc]} of statistics and metrics. */
static void
add_statistics(cJSON *page)
{
    size_t units, metrics;
    const struct unit_doc *docs = unit_docs(&units);
    const struct metric *all = metrics_all(&metrics);
    cJSON *list = cJSON_AddObjectToObject(page, "names");
    for (size_t u = 0; u < units; u++)
        for (size_t i = 0; i < docs[u].group->count; i++) {
            const struct stat_info *info = &docs[u].group->infos[i];
            char *name = mem_printf("%s.%s", docs[u].group->unit, info->name);
            add_item(list, name, info->measure, info->doc);
            free(name);
        }
    add_core_statistics(list, &module_stat_group);
    add_core_statistics(list, &queue_stat_group);
    for (size_t i = 0; i < metrics; i++)
        add_item(list, all[i].name, all[i].unit, all[i].doc);
}

static void
add_units(cJSON *page)
{
    size_t units;
    const struct unit_doc *docs = unit_docs(&units);
    cJSON *list = cJSON_AddObjectToObject(page, "units");
    for (size_t u = 0; u < units; u++)
        cJSON_AddStringToObject(list, docs[u].group->unit, docs[u].doc);
}

/* Adds to an ideal the "causes" that it removes, and the "branch" of the tree whose cycles are
 * charged to it. */
static void
add_causes(cJSON *ideal, const struct ideal *info)
{
    uint32_t count;
    const struct path_branch *branches = path_branches(&count);
    cJSON *causes = cJSON_AddArrayToObject(ideal, "causes");
    for (uint32_t b = 0; b < count; b++) {
        const char *name = branches[b].name;
        if (branches[b].cause >= 0 && ideal_has(info, name))
            cJSON_AddItemToArray(causes, cJSON_CreateString(name));
        if (!strcmp(branches[b].parent, "cycles") && ideal_is_charged(info, name))
            cJSON_AddStringToObject(ideal, "branch", name);
    }
}

static void
add_ideals(cJSON *page)
{
    cJSON *list = cJSON_AddObjectToObject(page, "ideals");
    cJSON_AddNumberToObject(page, "ideals_nothing", IDEALS_NOTHING);
    for (uint32_t i = 0; i < IDEALS; i++) {
        cJSON *one = cJSON_AddObjectToObject(list, ideals[i].name);
        cJSON_AddStringToObject(one, "what", ideals[i].what);
        cJSON_AddStringToObject(one, "advice", ideals[i].advice);
        cJSON_AddStringToObject(one, "parameter", ideals[i].parameter);
        add_causes(one, &ideals[i]);
    }
}

static void
add_parameters(cJSON *page)
{
    size_t count;
    const struct param_info *infos = param_infos(&count);
    cJSON *list = cJSON_AddArrayToObject(page, "parameters");
    for (size_t i = 0; i < count; i++) {
        cJSON *one = cJSON_CreateArray();
        char *name = mem_printf("%s.%s", infos[i].section, infos[i].name);
        cJSON_AddItemToArray(one, cJSON_CreateString(name));
        cJSON_AddItemToArray(one, cJSON_CreateString(infos[i].unit));
        cJSON_AddItemToArray(one, cJSON_CreateString(infos[i].doc));
        cJSON_AddItemToArray(list, one);
        free(name);
    }
}

void
page_add_names(cJSON *page)
{
    add_statistics(page);
    add_units(page);
    add_ideals(page);
    add_parameters(page);
}

/* The values of all parameters, in the order of "parameters". */
static cJSON *
values_of(const struct params *params)
{
    size_t count;
    const struct param_info *infos = param_infos(&count);
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < count; i++) {
        char text[256];
        param_format(&infos[i], params, text, sizeof text);
        cJSON_AddItemToArray(list, cJSON_CreateString(text));
    }
    return list;
}

bool
page_add_machine(cJSON *run, const char *dir, struct params *params, struct error *err)
{
    char *path = mem_printf("%s/machine.ini", dir);
    const cJSON *facts = cJSON_GetObjectItemCaseSensitive(run, "facts");
    const cJSON *preset = cJSON_GetObjectItemCaseSensitive(facts, "preset");
    struct params of_preset;
    params_init(params);
    const bool there = file_exists(path), ok = !there || params_load_file(params, path, err);
    free(path);
    if (!there || !ok)
        return ok;
    cJSON *machine = cJSON_AddObjectToObject(run, "machine");
    cJSON_AddItemToObject(machine, "values", values_of(params));
    if (!cJSON_IsString(preset) || !params_has_preset(preset->valuestring))
        return true;
    if (!params_load_preset(&of_preset, preset->valuestring, err))
        return false;
    cJSON_AddItemToObject(machine, "preset", values_of(&of_preset));
    return true;
}
