/* aetius stats: lists all statistics and metrics of a machine. */
#include "base/log.h"
#include "base/plural.h"
#include "base/text_table.h"
#include "base/wrap.h"
#include "cmd/options.h"
#include "core/clock_stats.h"
#include "report/run/metrics.h"
#include "report/run/run.h"
#include "report/run/run_json.h"
#include "report/run/table.h"
#include "sim/simulation.h"
#include "unit/stats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cmd_stats(int argc, char **argv);

/* Whether `name` is a statistic of `family`. Only the first of several instances counts. */
static bool
is_first_of(const char *name, const char *family)
{
    size_t n = strlen(family);
    return !strncmp(name, family, n) && (name[n] == '.' || !strncmp(name + n, "[0].", 4));
}

/* The question that a statistic answers, from its unit's list or from the list of every module or
 * queue. */
static const char *
question_of(const char *name)
{
    size_t count;
    const struct unit_doc *units = unit_docs(&count);
    const size_t unit = strcspn(name, "[.");
    const char *tail = strchr(name, '.');
    if (!strncmp(name, "lost.", 5))
        return "Where did the cycles go?";
    if (!tail)
        return "How long does a frame take, and how long is the core busy?";
    for (size_t u = 0; u < count; u++) {
        const struct stat_group *group = units[u].group;
        if (strlen(group->unit) != unit || strncmp(group->unit, name, unit))
            continue;
        for (size_t k = 0; k < group->count; k++)
            if (!strcmp(group->infos[k].name, tail + 1))
                return unit_question(group, k);
    }
    for (size_t k = 0; k < module_stat_group.count; k++)
        if (!strcmp(module_stat_group.infos[k].name, tail + 1))
            return MODULE_QUESTION;
    return QUEUE_QUESTION;
}

static void
put_row(struct text_table *table, const char *name, const char *measure, const char *doc)
{
    text_table_cell(table, "  %s", name);
    text_table_left(table, "%s", measure);
    text_table_left(table, "%s", doc);
    text_table_end_row(table);
}

/* Adds one row per statistic of the family. [i] represents all instances. */
static void
put_family(struct text_table *table, const struct stat_set *set, const char *family)
{
    const char *question = NULL;
    for (uint32_t i = 0; i < set->count; i++) {
        const struct stat_entry *entry = &set->entries[i];
        char name[96];
        if (!is_first_of(entry->name, family))
            continue;
        const char *asked = question_of(entry->name);
        if (asked != question)
            text_table_line(table, "  %s", question = asked);
        bool several = entry->name[strlen(family)] == '[';
        snprintf(name, sizeof name, "%s%s%s", family, several ? "[i]" : "",
                 strchr(entry->name, '.'));
        put_row(table, name, entry->measure, entry->doc);
    }
}

static void
put_queues(struct text_table *table, const struct machine *machine)
{
    for (uint32_t i = 0; i < machine->clock.queue_count; i++) {
        const struct queue *queue = machine->clock.queues[i];
        char family[sizeof queue->name];
        size_t n = strcspn(queue->name, "[");
        snprintf(family, sizeof family, "%.*s", (int)n, queue->name);
        if (queue->name[n] && strcmp(queue->name + n, "[0]"))
            continue;
        text_table_line(table,
                        "\n%s: queue %s to %s, %u item%s per cycle, %u entr%s, latency %u cycle%s",
                        queue->name, queue->sender->name, queue->receiver->name, queue->width,
                        plural(queue->width), queue->depth, queue->depth == 1 ? "y" : "ies",
                        queue->latency, plural(queue->latency));
        put_family(table, &machine->stats, family);
    }
}

static void
print_identities(void)
{
    size_t count;
    const struct identity_doc *identities = identity_docs(&count);
    const uint32_t width = line_width(stdout);
    puts("");
    print_wrapped(stdout, width, 0, 2,
                  "identities, checked at the end of every frame (each name is the sum over all "
                  "instances):");
    puts("  the cycles of a unit's states add up to cycles\n"
         "  items_in = items_out of every queue\n"
         "  X_accesses = X_hits + X_misses of every cache");
    for (size_t i = 0; i < count; i++) {
        print_wrapped(stdout, width, 2, 4, "%s", identities[i].what);
        print_wrapped(stdout, width, 4, 6, "%s = %s", identities[i].left, identities[i].right);
    }
}

static void
print_statistics(const struct machine *machine)
{
    struct text_table table = {0};
    size_t count;
    const struct unit_doc *units = unit_docs(&count);
    text_table_line(&table, "  %s", question_of("cycles"));
    for (uint32_t i = 0; i < machine->stats.count; i++) {
        const struct stat_entry *entry = &machine->stats.entries[i];
        if (!strchr(entry->name, '.'))
            put_row(&table, entry->name, entry->measure, entry->doc);
    }
    for (size_t i = 0; i < count; i++) {
        text_table_line(&table, "\n%s: %s", units[i].group->unit, units[i].doc);
        put_family(&table, &machine->stats, units[i].group->unit);
    }
    text_table_line(&table, "\nlost: cycles by cause, along the critical path (docs/topdown.md)");
    put_family(&table, &machine->stats, "lost");
    put_queues(&table, machine);
    text_table_put(&table, TEXT_TABLE_TEXT, stdout);
}

static void
print_metrics(void)
{
    struct text_table table = {0};
    size_t count;
    const struct metric *metrics = metrics_all(&count);
    text_table_line(&table, "\nmetrics, computed from statistics:");
    for (size_t i = 0; i < count; i++)
        put_row(&table, metrics[i].name, metrics[i].unit, metrics[i].doc);
    text_table_put(&table, TEXT_TABLE_TEXT, stdout);
}

static void
print_stats_text(const struct machine *machine)
{
    const uint32_t width = line_width(stdout);
    print_wrapped(stdout, width < 88 ? width : 88, 0, 0,
                  "Statistics are grouped by the question that they answer. Names in the tables of "
                  "a run: UNIT.STATISTIC, or UNIT[I].STATISTIC if the unit has several instances. "
                  "Queue names follow the same rule.");
    puts("");
    print_statistics(machine);
    print_identities();
    print_metrics();
}

static void
add_queues(cJSON *root, const struct clock *clock)
{
    cJSON *list = cJSON_AddArrayToObject(root, "queues");
    for (uint32_t i = 0; i < clock->queue_count; i++) {
        const struct queue *queue = clock->queues[i];
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "name", queue->name);
        cJSON_AddStringToObject(object, "from", queue->sender->name);
        cJSON_AddStringToObject(object, "to", queue->receiver->name);
        cJSON_AddNumberToObject(object, "width", queue->width);
        cJSON_AddNumberToObject(object, "depth", queue->depth);
        cJSON_AddNumberToObject(object, "latency", queue->latency);
        cJSON_AddItemToArray(list, object);
    }
}

static void
print_stats_json(const struct machine *machine)
{
    size_t count;
    cJSON *root = cJSON_CreateObject();
    cJSON *list = cJSON_AddArrayToObject(root, "statistics");
    for (uint32_t i = 0; i < machine->stats.count; i++) {
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "name", machine->stats.entries[i].name);
        cJSON_AddStringToObject(object, "unit", machine->stats.entries[i].measure);
        cJSON_AddStringToObject(object, "doc", machine->stats.entries[i].doc);
        cJSON_AddStringToObject(object, "question", question_of(machine->stats.entries[i].name));
        cJSON_AddItemToArray(list, object);
    }
    add_queues(root, &machine->clock);
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
    print_json_tree(root);
}

static bool
summarize(const char *dir, bool json, bool units, struct error *err)
{
    struct run_json run;
    if (!check_run_folder(dir, err))
        return false;
    if (json) {
        if (!run_json_read(&run, dir, err))
            return false;
        print_json_tree(cJSON_Duplicate(run.root, true));
        run_json_fini(&run);
        return true;
    }
    if (!run_print_folder(dir, units, stdout, err))
        return false;
    puts("");
    print_next(stdout, "topdown", dir, "");
    return true;
}

int
cmd_stats(int argc, char **argv)
{
    bool json = false;
    const char *run = NULL; /* of --sql */
    bool units = false;
    struct machine_options machine = {0};
    const struct arg_option options[] = {
        MACHINE_OPTIONS(&machine),
        OPTION_JSON(&json, "print JSON, every statistic of every instance"),
        {"units", 0, ARG_FLAG, &units, NULL,
         "RUN: also print the states of the units, memory traffic and hit rates", false},
        {"sql", 0, ARG_STRING, &run, "RUN",
         "print commands that load the tables of a run folder into SQLite: aetius stats --sql RUN "
         "| sqlite3 run.db",
         false},
        {0},
    };
    const struct arg_spec spec = {
        "stats",
        "[RUN [--units]] [--preset NAME] [--json] [--sql RUN]",
        "Lists all statistics of a GPU, its queues, and derived metrics.\n"
        "`aetius explain NAME` describes one statistic. For a RUN, prints its summary: the\n"
        "verdict, the most expensive draws, and with --units the states of its units.\n"
        "--json then prints its run.json.",
        options,
        0,
        1,
        "at most one RUN",
        .program = ARG_NO_PROGRAM};
    struct args args;
    struct simulation sim;
    struct error err;
    int status = args_parse(&args, &spec, argc, argv);
    if (status >= 0)
        return status;
    if (units && !args.operand_count)
        return args_usage_error(&spec, "--units requires a RUN");
    if (args.operand_count &&
        (run || machine.preset || machine.configs.count || machine.sets.count))
        return args_usage_error(&spec, "a RUN can only be combined with --units or --json");
    if (args.operand_count)
        return conclude(summarize(args.operands[0], json, units, &err), &err);
    if (run)
        return conclude(check_run_folder(run, &err) && table_print_sql(run, stdout, &err), &err);
    if (!machine_options_build(&machine, &sim, &err))
        return conclude(false, &err);
    if (json)
        print_stats_json(sim.machine);
    else
        print_stats_text(sim.machine);
    simulation_fini(&sim);
    return EXIT_WELL;
}
