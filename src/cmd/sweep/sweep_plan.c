/* aetius sweep PLAN.ini: executes the missing runs of a plan, and collects the results. */
#include "base/file.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/plural.h"
#include "cmd/sweep/sweep.h"
#include "sweep/database.h"
#include "sweep/estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct sweep_options {
    const char *dir;
    struct work_options work;
    bool dry_run, json;
};

struct sweeping {
    const struct sweep_options *options;
    struct sweep_plan plan;
    struct sweep sweep;
    struct run_numbers todo;
    struct error *err;
};

/* Maps "plans/caches.ini" to "out/sweep/caches". */
static char *
default_dir(const char *plan)
{
    const char *slash = strrchr(plan, '/'), *name = slash ? slash + 1 : plan;
    const char *dot = strrchr(name, '.');
    return mem_printf("out/sweep/%.*s", (int)(dot && dot > name ? dot - name : (long)strlen(name)),
                      name);
}

static void
estimate_cells(struct text_table *table, const struct estimate *estimate)
{
    if (isnan(estimate->seconds))
        text_table_cell(table, "?");
    else
        text_table_cell(table, "%.1f", estimate->seconds);
    if (isnan(estimate->bytes))
        text_table_cell(table, "?");
    else
        text_table_cell(table, "%.1f", estimate->bytes / 1e6);
}

static void
print_runs(const struct sweeping *s, const struct estimator *estimator)
{
    static const char *const titles[] = {"run", "input", "machine", "state", "seconds", "MB"};
    struct text_table table = {0};
    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++)
        text_table_cell(&table, "%s", titles[i]);
    text_table_end_row(&table);
    for (size_t i = 0; i < s->sweep.runs.count && !interrupt_pending(); i++) {
        const struct sweep_run *run = &s->sweep.runs.items[i];
        const struct sweep_trace *trace = &s->sweep.traces.items[run->trace];
        const enum sweep_state state = sweep_state_of(&s->sweep, run);
        struct estimate estimate = estimator_ask(estimator, trace);
        text_table_cell(&table, "%zu", i + 1);
        text_table_cell(&table, "%s", trace->name);
        text_table_cell(&table, "%s", run->machine);
        text_table_cell(&table, "%s", sweep_state_names[state]);
        if (state == SWEEP_DONE) {
            text_table_cells(&table, "-|-");
        } else {
            estimate_cells(&table, &estimate);
        }
        text_table_end_row(&table);
    }
    text_table_put(&table, TEXT_TABLE_TEXT, stdout);
}

/* Estimates the total cost of the remaining runs. */
static struct estimate
add_up(const struct sweeping *s, const struct estimator *estimator)
{
    struct estimate sum = {0, 0};
    for (size_t i = 0; i < s->todo.count && !interrupt_pending(); i++) {
        const struct sweep_run *run = &s->sweep.runs.items[s->todo.items[i]];
        const struct estimate one = estimator_ask(estimator, &s->sweep.traces.items[run->trace]);
        sum.seconds += one.seconds;
        sum.bytes += one.bytes;
    }
    return sum;
}

static bool
dry_run(const struct sweeping *s)
{
    struct estimator estimator = {0};
    estimator_read(&estimator, s->sweep.store);
    const struct estimate sum = add_up(s, &estimator);
    const uint64_t jobs = work_jobs(&s->options->work);
    const double seconds = sum.seconds / (double)jobs;
    if (s->options->json) {
        cJSON *root = cJSON_CreateObject();
        cJSON_AddNumberToObject(root, "runs", (double)s->sweep.runs.count);
        cJSON_AddNumberToObject(root, "todo", (double)s->todo.count);
        cJSON_AddItemToObject(root, "seconds",
                              isnan(seconds) ? cJSON_CreateNull() : cJSON_CreateNumber(seconds));
        cJSON_AddItemToObject(
            root, "bytes", isnan(sum.bytes) ? cJSON_CreateNull() : cJSON_CreateNumber(sum.bytes));
        print_json_tree(root);
    } else {
        print_runs(s, &estimator);
        printf("\n%zu of %zu run%s %s pending", s->todo.count, s->sweep.runs.count,
               plural(s->sweep.runs.count), s->todo.count == 1 ? "is" : "are");
        if (s->todo.count && isnan(sum.seconds))
            printf("; the time is unknown until one run is complete\n");
        else
            printf(": about %.0f s with %llu concurrent run%s, %.0f MB\n", seconds,
                   (unsigned long long)jobs, plural(jobs), sum.bytes / 1e6);
    }
    estimator_fini(&estimator);
    return interrupt_check(s->err);
}

static bool
sweep_on(struct sweeping *s)
{
    struct sweep *sweep = &s->sweep;
    const struct work_options *work = &s->options->work;
    bool waits = false;
    bool ok = sweep_prepare(sweep, &s->plan, work, !s->options->dry_run, s->err);
    if (s->options->dry_run)
        return ok && sweep_list_todo(sweep, &s->todo, s->err) && dry_run(s);
    if (!ok || !sweep_copy_plan(sweep, &s->plan, s->err))
        return false;
    ok = sweep_do(sweep, work, &waits, s->err);
    if (waits || interrupt_pending())
        return ok; /* the last job of a background engine collects the results */
    struct error collecting;
    return database_build(sweep, &s->plan, ok ? s->err : &collecting) && ok &&
           sweep_check_missing(sweep, s->err);
}

static bool
sweep_the_plan(const struct sweep_options *options, const char *path, struct error *err)
{
    struct sweeping s = {.options = options, .err = err};
    if (!sweep_plan_load(&s.plan, path, err))
        return false;
    char *dir = options->dir ? mem_strdup(options->dir) : default_dir(path);
    const bool ok =
        sweep_open(&s.sweep, dir, options->dry_run ? NULL : path, &options->work, err) &&
        sweep_on(&s);
    sweep_fini(&s.sweep);
    sweep_plan_fini(&s.plan);
    VEC_FREE(&s.todo);
    free(dir);
    return ok;
}

int
work_options_check(const struct work_options *options, const struct arg_spec *spec)
{
    if (!options->engine || engine_find(options->engine))
        return -1;
    char *names = engine_names();
    const int status =
        args_usage_error(spec, "unknown engine '%s': expected one of %s", options->engine, names);
    free(names);
    return status;
}

int
sweep_plan_command(int argc, char **argv)
{
    struct sweep_options o = {0};
    const struct arg_option table[] = {
        OPTION_OUTPUT(&o.dir, "DIR", "folder of the sweep (out/sweep/PLAN)", false),
        {"dry-run", 'n', ARG_FLAG, &o.dry_run, NULL,
         "only list the runs, with the estimated time and disk space", false},
        WORK_OPTIONS(&o.work),
        OPTION_JSON(&o.json, "print the totals of the dry run as JSON"),
        {0},
    };
    const struct arg_spec spec = {
        "sweep",
        "PLAN.ini [options] | status|collect|query|pareto|sensitivity|clean DIR ...",
        "Simulates the inputs of a plan on its machines and stores the outputs in a\n"
        "database (docs/sweeps.md). Completed runs are kept: the same command resumes an\n"
        "interrupted sweep, or runs only the new part of an extended plan.\n"
        "Subcommands, each with --help:\n"
        "  sweep status DIR            show progress\n"
        "  sweep query DIR 'SQL'       query the results\n"
        "  sweep pareto DIR A B        list the Pareto-optimal machines for two outputs\n"
        "  sweep sensitivity DIR       show the effect of each parameter on each output\n"
        "  sweep collect DIR           write DIR/results.db from the completed runs\n"
        "  sweep clean DIR             remove leftovers of killed runs",
        table,
        1,
        1,
        "a plan",
        .program = ARG_NO_PROGRAM};
    struct args args;
    struct error err = {""};
    int status = args_parse(&args, &spec, argc, argv);
    if (status < 0)
        status = work_options_check(&o.work, &spec);
    if (status >= 0)
        return status;
    interrupt_watch();
    return conclude(sweep_the_plan(&o, args.operands[0], &err), &err);
}
