/* aetius explain: describes a name (statistic, metric, unit, queue, parameter) or another word that
 * commands print. */
#include "base/log.h"
#include "base/plural.h"
#include "base/text_table.h"
#include "base/wrap.h"
#include "cmd/explain_words.h"
#include "cmd/options.h"
#include "base/nearest.h"
#include "report/run/metrics.h"
#include "sim/simulation.h"
#include "unit/stats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cmd_explain(int argc, char **argv);

/* Facts about a name. Facts that do not apply are NULL or empty. */
struct answer {
    const char *kind, *measure, *doc, *formula, *section, *note;
    const struct stat_group *group; /* set for a unit */
    char name[160], value[640], users[1024], text[256], conditions[512];
};

static bool
uses_name(const char *formula, const char *name)
{
    size_t n = strlen(name);
    for (const char *p = formula; (p = strstr(p, name)); p += n) {
        char before = p == formula ? ' ' : p[-1], after = p[n];
        if (strchr(" (", before) && (!after || strchr(" )", after)))
            return true;
    }
    return false;
}

static void
list_metrics_using(struct answer *answer, const char *name)
{
    size_t count, used = 0;
    const struct metric *metrics = metrics_all(&count);
    for (size_t i = 0; i < count && used < sizeof answer->users; i++)
        if (uses_name(metrics[i].formula, name))
            used += (size_t)snprintf(answer->users + used, sizeof answer->users - used, "%s%s",
                                     used ? ", " : "", metrics[i].name);
}

/* The unit with this name, or the unit that has this statistic; NULL for queues. */
static const struct unit_doc *
unit_of(const char *name)
{
    size_t count, n = strcspn(name, ".[");
    const struct unit_doc *units = unit_docs(&count);
    for (size_t i = 0; i < count; i++)
        if (strlen(units[i].group->unit) == n && !strncmp(units[i].group->unit, name, n))
            return &units[i];
    return NULL;
}

/* Explains a column of the tables, or the common name of a column's instances. */
static bool
explain_statistic(const struct machine *machine, const char *name, struct answer *answer)
{
    const struct unit_doc *unit = unit_of(name);
    for (uint32_t i = 0; i < machine->stats.count; i++) {
        const struct stat_entry *entry = &machine->stats.entries[i];
        if (strcmp(entry->name, name) && !stat_is_instance(entry->name, name))
            continue;
        char family[128];
        size_t n = strcspn(name, "[");
        const char *tail = strchr(name, ']');
        snprintf(family, sizeof family, "%.*s%s", (int)n, name, tail ? tail + 1 : "");
        answer->kind = "statistic";
        answer->measure = entry->measure;
        answer->doc = entry->doc;
        answer->section = unit ? unit->section : NULL;
        list_metrics_using(answer, family);
        return true;
    }
    return false;
}

static bool
explain_unit(const char *name, struct answer *answer)
{
    const struct unit_doc *unit = unit_of(name);
    if (!unit || strchr(name, '.'))
        return false;
    answer->kind = "unit";
    answer->group = unit->group;
    answer->doc = unit->doc;
    answer->section = unit->section;
    return true;
}

static bool
explain_queue(const struct machine *machine, const char *name, struct answer *answer)
{
    for (uint32_t i = 0; i < machine->clock.queue_count; i++) {
        const struct queue *queue = machine->clock.queues[i];
        if (strcmp(queue->name, name) && !stat_is_instance(queue->name, name))
            continue;
        snprintf(answer->text, sizeof answer->text,
                 "from %s to %s, %u item%s per cycle, %u entr%s, latency %u cycle%s",
                 queue->sender->name, queue->receiver->name, queue->width, plural(queue->width),
                 queue->depth, queue->depth == 1 ? "y" : "ies", queue->latency,
                 plural(queue->latency));
        answer->kind = "queue";
        answer->doc = answer->text;
        return true;
    }
    return false;
}

static bool
explain_metric(const char *name, struct answer *answer)
{
    const struct metric *metric = metric_find(name);
    if (!metric)
        return false;
    answer->kind = "metric";
    answer->measure = metric->unit;
    answer->doc = metric->doc;
    answer->formula = metric->formula;
    return true;
}

/* Explains "SECTION.Name", or a name that occurs in only one section. */
static bool
explain_parameter(const char *name, struct answer *answer)
{
    size_t count;
    char full[128], value[PARAM_TEXT_BYTES], allowed[400];
    struct params defaults;
    params_init(&defaults);
    const struct param_info *infos = param_infos(&count), *found = NULL;
    for (size_t i = 0; i < count; i++) {
        snprintf(full, sizeof full, "%s.%s", infos[i].section, infos[i].name);
        if (!strcasecmp(full, name) || (!found && !strcasecmp(infos[i].name, name)))
            found = &infos[i];
    }
    if (!found)
        return false;
    param_format(found, &defaults, value, sizeof value);
    param_format_allowed(found, allowed, sizeof allowed);
    snprintf(answer->name, sizeof answer->name, "%s.%s", found->section, found->name);
    snprintf(answer->value, sizeof answer->value, "%s; %s: %s", value, param_kind_name(found->kind),
             allowed);
    answer->kind = "parameter";
    answer->measure = found->unit;
    answer->doc = found->doc;
    answer->note = found->unmodelled;
    param_format_conditions(found, answer->conditions, sizeof answer->conditions);
    list_metrics_using(answer, answer->name);
    return true;
}

static void
put_row(struct text_table *table, const char *name, const char *doc)
{
    text_table_cell(table, "  %s", name);
    text_table_left(table, "%s", doc);
    text_table_end_row(table);
}

/* Prints the statistics and parameters of a unit. */
static void
print_members(const struct answer *answer)
{
    struct text_table table = {0};
    size_t count;
    const struct param_info *infos = param_infos(&count);
    if (answer->group)
        text_table_line(&table, "  statistics:");
    for (size_t i = 0; answer->group && i < answer->group->count; i++)
        put_row(&table, answer->group->infos[i].name, answer->group->infos[i].doc);
    if (answer->section)
        text_table_line(&table, "  parameters of [%s]:", answer->section);
    for (size_t i = 0; answer->section && i < count; i++)
        if (!strcmp(infos[i].section, answer->section))
            put_row(&table, infos[i].name, infos[i].doc);
    text_table_put(&table, TEXT_TABLE_TEXT, stdout);
}

static void
print_explain_text(const struct answer *answer)
{
    printf("%s (%s%s%s)\n  %s\n", answer->name, answer->kind,
           answer->measure && *answer->measure ? ", " : "", answer->measure ? answer->measure : "",
           answer->doc);
    if (answer->formula)
        printf("  = %s\n", answer->formula);
    if (*answer->value)
        printf("  default %s\n", answer->value);
    if (answer->note)
        printf("  not modelled: %s\n", answer->note);
    if (*answer->conditions)
        printf("  only with %s\n", answer->conditions);
    if (*answer->users)
        print_wrapped(stdout, line_width(stdout), 2, 4, "used in the metrics: %s", answer->users);
    print_members(answer);
}

static void
print_meanings_text(const char *word, const word_meanings *meanings)
{
    const uint32_t width = line_width(stdout);
    for (size_t i = 0; i < meanings->count; i++) {
        const struct word_meaning *meaning = &meanings->items[i];
        print_shown(stdout, "%s%s (%s)\n", i ? "\n" : "", word, meaning->kind);
        print_wrapped(stdout, width, 2, 2, "%s", meaning->doc);
        if (meaning->advice)
            print_wrapped(stdout, width, 2, 4, "advice: %s", meaning->advice);
        if (meaning->parameter)
            printf("  parameter: %s\n", meaning->parameter);
    }
}

static void
add_statistics(cJSON *root, const struct stat_group *group)
{
    cJSON *statistics = cJSON_AddArrayToObject(root, "statistics");
    for (size_t i = 0; i < group->count; i++) {
        cJSON *statistic = cJSON_CreateObject();
        cJSON_AddStringToObject(statistic, "name", group->infos[i].name);
        cJSON_AddStringToObject(statistic, "doc", group->infos[i].doc);
        cJSON_AddItemToArray(statistics, statistic);
    }
}

static cJSON *
meaning_json(const char *word, const struct word_meaning *meaning)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "name", word);
    cJSON_AddStringToObject(object, "kind", meaning->kind);
    cJSON_AddStringToObject(object, "unit", "");
    cJSON_AddStringToObject(object, "doc", meaning->doc);
    if (meaning->advice)
        cJSON_AddStringToObject(object, "advice", meaning->advice);
    if (meaning->parameter)
        cJSON_AddStringToObject(object, "parameter", meaning->parameter);
    return object;
}

/* Prints one object. Further meanings are in its list "also". */
static void
print_meanings_json(cJSON *root, const char *word, const word_meanings *meanings)
{
    size_t i = 0;
    if (!root)
        root = meaning_json(word, &meanings->items[i++]);
    cJSON *also = i < meanings->count ? cJSON_AddArrayToObject(root, "also") : NULL;
    for (; i < meanings->count; i++)
        cJSON_AddItemToArray(also, meaning_json(word, &meanings->items[i]));
    print_json_tree(root);
}

static cJSON *
answer_json(const struct answer *answer)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "name", answer->name);
    cJSON_AddStringToObject(root, "kind", answer->kind);
    cJSON_AddStringToObject(root, "unit", answer->measure ? answer->measure : "");
    cJSON_AddStringToObject(root, "doc", answer->doc);
    if (answer->formula)
        cJSON_AddStringToObject(root, "formula", answer->formula);
    if (*answer->value)
        cJSON_AddStringToObject(root, "default", answer->value);
    if (answer->note)
        cJSON_AddStringToObject(root, "unmodelled", answer->note);
    if (*answer->conditions)
        cJSON_AddStringToObject(root, "only_with", answer->conditions);
    if (answer->section)
        cJSON_AddStringToObject(root, "section", answer->section);
    if (*answer->users)
        cJSON_AddStringToObject(root, "used_in", answer->users);
    if (answer->group)
        add_statistics(root, answer->group);
    return root;
}

static void
complain(const struct machine *machine, const char *name)
{
    size_t count;
    struct nearest nearest = {.wanted = name};
    for (uint32_t i = 0; i < machine->stats.count; i++)
        nearest_offer(&nearest, machine->stats.entries[i].name);
    const struct metric *metrics = metrics_all(&count);
    for (size_t i = 0; i < count; i++)
        nearest_offer(&nearest, metrics[i].name);
    words_offer(&nearest);
    char parameter[128];
    if (param_nearest(name, parameter, sizeof parameter))
        nearest_offer(&nearest, parameter);
    if (nearest_found(&nearest))
        log_error("unknown name %s; did you mean %s?", name, nearest.best);
    else
        log_error("unknown name %s; `aetius stats` and `aetius params` list the names", name);
}

static int
explain(const struct machine *machine, const char *name, bool json)
{
    struct answer answer = {0};
    snprintf(answer.name, sizeof answer.name, "%s", name);
    word_meanings meanings = {0};
    const bool is_name = explain_metric(name, &answer) || explain_parameter(name, &answer) ||
                         explain_statistic(machine, name, &answer) || explain_unit(name, &answer) ||
                         explain_queue(machine, name, &answer);
    word_meanings_find(&meanings, machine, name);
    const bool is_known = is_name || meanings.count;
    if (!is_known)
        complain(machine, name);
    else if (json)
        print_meanings_json(is_name ? answer_json(&answer) : NULL, name, &meanings);
    if (!json)
        print_meanings_text(name, &meanings);
    if (is_name && !json) {
        printf("%s", meanings.count ? "\n" : "");
        print_explain_text(&answer);
    }
    VEC_FREE(&meanings);
    return is_known ? EXIT_WELL : EXIT_FAILED;
}

int
cmd_explain(int argc, char **argv)
{
    bool json = false;
    struct machine_options machine = {0};
    const struct arg_option options[] = {
        MACHINE_OPTIONS(&machine),
        OPTION_JSON(&json, "print JSON"),
        {0},
    };
    const struct arg_spec spec = {
        "explain",
        "NAME",
        "Describes a statistic, metric, unit, queue or parameter, with its unit of\n"
        "measure and related names. Also describes other words that commands print:\n"
        "verdicts, causes of lost cycles, states of units, kinds of work, values of\n"
        "parameters. A word may have several meanings.",
        options,
        1,
        1,
        "one name",
        .program = ARG_NO_PROGRAM};
    struct args args;
    struct simulation sim;
    struct error err;
    int status = args_parse(&args, &spec, argc, argv);
    if (status >= 0)
        return status;
    if (!machine_options_build(&machine, &sim, &err))
        return conclude(false, &err);
    status = explain(sim.machine, args.operands[0], json);
    simulation_fini(&sim);
    return status;
}
