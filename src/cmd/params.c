/* aetius params: describes each parameter, its range and its value. */
#include "base/args.h"
#include "base/log.h"
#include "base/text_table.h"
#include "cmd/options.h"
#include "base/nearest.h"
#include "report/compare/ideals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cmd_params(int argc, char **argv);

struct request {
    struct machine_options machine;
    const char *section;
    bool ini, unmodelled, ideal, json;
    struct params defaults, params;
};

static bool
is_asked_for(const struct request *request, const struct param_info *info)
{
    if (request->section && strcasecmp(request->section, info->section))
        return false;
    return !request->unmodelled || info->unmodelled;
}

/* Adds a line below a parameter. */
static void
put_more(struct text_table *table, const char *before, const char *text, const char *after)
{
    text_table_cells(table, "|");
    text_table_left(table, "  %s%s%s", before, text, after);
    text_table_end_row(table);
}

static void
put_one(struct text_table *table, const struct request *request, const struct param_info *info)
{
    char value[PARAM_TEXT_BYTES], usual[PARAM_TEXT_BYTES], allowed[512], conditions[512];
    param_format(info, &request->params, value, sizeof value);
    param_format(info, &request->defaults, usual, sizeof usual);
    param_format_allowed(info, allowed, sizeof allowed);
    param_format_conditions(info, conditions, sizeof conditions);
    const bool is_usual = !strcmp(value, usual);
    text_table_cell(table, "%s", info->name);
    text_table_left(table, "%s", value);
    text_table_left(table, "%s", info->doc);
    text_table_end_row(table);
    text_table_cells(table, "|");
    text_table_left(table, "  %s: %s%s%s", param_kind_name(info->kind), allowed,
                    is_usual ? "" : "; default ", is_usual ? "" : usual);
    text_table_end_row(table);
    if (info->unmodelled)
        put_more(table, "not modelled: ", info->unmodelled, "");
    if (*conditions)
        put_more(table, "only with ", conditions,
                 param_has_effect(info, &request->params) ? "" : ": unused on this machine");
}

static void
print_params_text(const struct request *request)
{
    size_t count;
    const struct param_info *infos = param_infos(&count);
    struct text_table table = {0};
    const char *section = "";
    for (size_t i = 0; i < count; i++) {
        if (!is_asked_for(request, &infos[i]))
            continue;
        if (strcmp(section, infos[i].section))
            text_table_line(&table, "%s[%s]  %s", *section ? "\n" : "", infos[i].section,
                            param_section_doc(infos[i].section));
        section = infos[i].section;
        put_one(&table, request, &infos[i]);
    }
    text_table_put(&table, TEXT_TABLE_TEXT, stdout);
}

static void
add_value(cJSON *object, const char *key, const struct param_info *info,
          const struct params *params)
{
    char value[PARAM_TEXT_BYTES];
    param_format(info, params, value, sizeof value);
    if (info->type == PARAM_BOOL)
        cJSON_AddBoolToObject(object, key, !strcmp(value, "TRUE"));
    else if (info->type == PARAM_UINT || info->type == PARAM_POW2)
        cJSON_AddNumberToObject(object, key, strtod(value, NULL));
    else
        cJSON_AddStringToObject(object, key, value);
}

static cJSON *
describe(const struct request *request, const struct param_info *info)
{
    static const char *const types[] = {"uint", "power of two", "bool", "text", "enumeration"};
    char allowed[512], conditions[512];
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "section", info->section);
    cJSON_AddStringToObject(object, "name", info->name);
    cJSON_AddStringToObject(object, "type", types[info->type]);
    cJSON_AddStringToObject(object, "kind", param_kind_name(info->kind));
    add_value(object, "default", info, &request->defaults);
    add_value(object, "value", info, &request->params);
    if (info->type == PARAM_UINT || info->type == PARAM_POW2) {
        cJSON_AddNumberToObject(object, "min", info->min);
        cJSON_AddNumberToObject(object, "max", info->max);
    }
    param_format_allowed(info, allowed, sizeof allowed);
    cJSON_AddStringToObject(object, "allowed", allowed);
    cJSON_AddStringToObject(object, "unit", info->unit);
    cJSON_AddStringToObject(object, "doc", info->doc);
    cJSON_AddBoolToObject(object, "modelled", !info->unmodelled);
    if (info->unmodelled)
        cJSON_AddStringToObject(object, "reason", info->unmodelled);
    param_format_conditions(info, conditions, sizeof conditions);
    if (*conditions)
        cJSON_AddStringToObject(object, "only_with", conditions);
    cJSON_AddBoolToObject(object, "has_effect", param_has_effect(info, &request->params));
    return object;
}

static void
print_params_json(const struct request *request)
{
    size_t count;
    const struct param_info *infos = param_infos(&count);
    cJSON *root = cJSON_CreateObject();
    cJSON *list = cJSON_AddArrayToObject(root, "parameters");
    for (size_t i = 0; i < count; i++)
        if (is_asked_for(request, &infos[i]))
            cJSON_AddItemToArray(list, describe(request, &infos[i]));
    print_json_tree(root);
}

/* Prints the INI of one section or of all sections. Splits the output of params_to_ini() at section
 * lines. */
static void
print_ini(const struct request *request)
{
    char *text = params_to_ini(&request->params, NULL), heading[80] = "";
    if (request->section)
        snprintf(heading, sizeof heading, "[%s]", request->section);
    bool on = !request->section;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        if (line[0] == '[' && request->section)
            on = !strcasecmp(line, heading);
        if (on)
            puts(line);
    }
    free(text);
}

static void
print_settings(const char *all, const char *indent)
{
    char *settings = mem_strdup(all), *rest = NULL;
    for (char *one = strtok_r(settings, " ", &rest); one; one = strtok_r(NULL, " ", &rest))
        printf("%s--set %s\n", indent, one);
    free(settings);
}

/* Prints the resources that can be made ideal, with their limits, and the parameters that do so. */
static void
print_ideals(void)
{
    for (uint32_t i = 0; i < IDEALS; i++) {
        printf("%s%s: %s\n", i ? "\n" : "", ideals[i].name, ideals[i].what);
        print_settings(ideals[i].settings, "  ");
        for (uint32_t k = 0; k < LIMITS; k++)
            if (limits[k].ideal == (enum ideal_number)i) {
                printf("  %s: %s\n", limits[k].name, limits[k].what);
                print_settings(limits[k].settings, "    ");
            }
    }
}

static void
add_settings(cJSON *list, const char *all)
{
    char *settings = mem_strdup(all), *rest = NULL;
    for (char *one = strtok_r(settings, " ", &rest); one; one = strtok_r(NULL, " ", &rest))
        cJSON_AddItemToArray(list, cJSON_CreateString(one));
    free(settings);
}

/* Adds the limits of a resource, and their settings to the resource's own. */
static void
add_limits(cJSON *list, cJSON *all, uint32_t ideal)
{
    for (uint32_t i = 0; i < LIMITS; i++) {
        if (limits[i].ideal != (enum ideal_number)ideal)
            continue;
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "name", limits[i].name);
        cJSON_AddStringToObject(object, "what", limits[i].what);
        add_settings(cJSON_AddArrayToObject(object, "set"), limits[i].settings);
        add_settings(all, limits[i].settings);
        cJSON_AddItemToArray(list, object);
    }
}

static void
print_ideals_json(void)
{
    cJSON *root = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(root, "ideals");
    for (uint32_t i = 0; i < IDEALS; i++) {
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "name", ideals[i].name);
        cJSON_AddStringToObject(object, "what", ideals[i].what);
        if (*ideals[i].own)
            cJSON_AddStringToObject(object, "bound", ideals[i].own);
        else
            cJSON_AddNullToObject(object, "bound");
        cJSON *set = cJSON_AddArrayToObject(object, "set");
        add_settings(set, ideals[i].settings);
        add_limits(cJSON_AddArrayToObject(object, "limits"), set, i);
        cJSON_AddItemToArray(list, object);
    }
    print_json_tree(root);
}

static bool
has_section(const char *section)
{
    size_t count;
    const struct param_info *infos = param_infos(&count);
    for (size_t i = 0; i < count; i++)
        if (!strcasecmp(infos[i].section, section))
            return true;
    return false;
}

static int
complain(const struct arg_spec *spec, const char *section)
{
    size_t count;
    struct nearest nearest = {.wanted = section};
    const struct param_info *infos = param_infos(&count);
    for (size_t i = 0; i < count; i++)
        nearest_offer(&nearest, infos[i].section);
    if (nearest_found(&nearest))
        return args_usage_error(spec, "unknown section '%s'; did you mean %s?", section,
                                nearest.best);
    return args_usage_error(spec, "unknown section '%s'", section);
}

int
cmd_params(int argc, char **argv)
{
    struct request request = {0};
    const struct arg_option options[] = {
        MACHINE_OPTIONS(&request.machine),
        {"section", 0, ARG_STRING, &request.section, "S", "only parameters of this section", false},
        {"ini", 0, ARG_FLAG, &request.ini, NULL, "print an INI file for --config", false},
        {"unmodelled", 0, ARG_FLAG, &request.unmodelled, NULL,
         "only parameters that are accepted but not modelled, with the reason", false},
        {"ideal", 0, ARG_FLAG, &request.ideal, NULL,
         "list the ideal resources of `topdown --prove`, their limits and parameters", false},
        OPTION_JSON(&request.json, "print JSON"),
        {0},
    };
    const struct arg_spec spec = {"params",
                                  "[SECTION] [--preset NAME] [--ini]",
                                  "Lists all parameters of the GPU, or those of a section, with\n"
                                  "value, range and meaning.",
                                  options,
                                  0,
                                  1,
                                  "at most one SECTION",
                                  .program = ARG_NO_PROGRAM};
    struct args args;
    struct error err;
    int status = args_parse(&args, &spec, argc, argv);
    if (status >= 0)
        return status;
    if (args.operand_count && request.section)
        return args_usage_error(&spec, "SECTION and --section cannot be combined");
    if (args.operand_count)
        request.section = args.operands[0];
    if (request.ini && (request.json || request.unmodelled))
        return args_usage_error(&spec, "--ini cannot be combined with --json or --unmodelled");
    if (request.ideal && (request.ini || request.unmodelled || request.section))
        return args_usage_error(&spec, "--ideal can only be combined with --json");
    if (request.section && !has_section(request.section))
        return complain(&spec, request.section);
    params_init(&request.defaults);
    if (!machine_options_apply(&request.machine, &request.params, &err))
        return conclude(false, &err);
    if (request.ideal && request.json)
        print_ideals_json();
    else if (request.ideal)
        print_ideals();
    else if (request.ini)
        print_ini(&request);
    else if (request.json)
        print_params_json(&request);
    else
        print_params_text(&request);
    return EXIT_WELL;
}
