/* aetius sweep status, collect and clean: state of a sweep's folder. */
#include "base/file.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/plural.h"
#include "cmd/sweep/sweep.h"
#include "sweep/database.h"
#include "sweep/estimate.h"
#include "sweep/store.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Opens the sweep of a folder, and also its plan if `plan` is not NULL. */
static bool
open_folder(const char *dir, struct sweep *sweep, struct sweep_plan *plan, struct error *err)
{
    if (!sweep_load(sweep, dir, err))
        return false;
    char *path = sweep_path(sweep, "plan.ini");
    const bool ok = !plan || sweep_plan_load(plan, path, err);
    free(path);
    if (!ok)
        sweep_fini(sweep);
    return ok;
}

struct status {
    size_t counts[4]; /* runs by state, indexed by enum sweep_state */
    double seconds;   /* estimate for the remaining work; NaN: unknown */
    struct text_table failed;
};

static void
take_status(const struct sweep *sweep, struct status *status)
{
    static const char *const titles[] = {"key", "input", "machine", "log"};
    struct estimator estimator = {0};
    estimator_read(&estimator, sweep->store);
    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++)
        text_table_cell(&status->failed, "%s", titles[i]);
    text_table_end_row(&status->failed);
    for (size_t i = 0; i < sweep->runs.count; i++) {
        const struct sweep_run *run = &sweep->runs.items[i];
        const struct sweep_trace *trace = &sweep->traces.items[run->trace];
        const enum sweep_state state = sweep_state_of(sweep, run);
        status->counts[state]++;
        if (state != SWEEP_DONE)
            status->seconds += estimator_ask(&estimator, trace).seconds;
        if (state != SWEEP_FAILED)
            continue;
        char *words = work_log_last(sweep, run->key);
        const char *line = strrchr(words, '\n');
        text_table_cell(&status->failed, "%s", run->key);
        text_table_cell(&status->failed, "%s", trace->name);
        text_table_cell(&status->failed, "%s", run->machine);
        text_table_cell(&status->failed, "%s", line ? line + 1 : words);
        text_table_end_row(&status->failed);
        free(words);
    }
    estimator_fini(&estimator);
}

static void
print_status(const struct sweep *sweep, const struct status *status, bool json)
{
    const size_t *counts = status->counts;
    if (json) {
        cJSON *root = cJSON_CreateObject();
        cJSON_AddNumberToObject(root, "runs", (double)sweep->runs.count);
        cJSON_AddNumberToObject(root, "done", (double)counts[SWEEP_DONE]);
        cJSON_AddNumberToObject(root, "at_work", (double)counts[SWEEP_BUSY]);
        cJSON_AddNumberToObject(root, "failed", (double)counts[SWEEP_FAILED]);
        cJSON_AddNumberToObject(root, "todo", (double)counts[SWEEP_TODO]);
        cJSON_AddItemToObject(root, "seconds_of_work",
                              isnan(status->seconds) ? cJSON_CreateNull()
                                                     : cJSON_CreateNumber(status->seconds));
        print_json_tree(root);
        return;
    }
    printf("%zu run%s: %zu done, %zu running, %zu failed, %zu pending\n", sweep->runs.count,
           plural(sweep->runs.count), counts[SWEEP_DONE], counts[SWEEP_BUSY], counts[SWEEP_FAILED],
           counts[SWEEP_TODO]);
    if (counts[SWEEP_DONE] < sweep->runs.count && !isnan(status->seconds))
        printf("about %.0f s of work remaining\n", status->seconds);
    if (counts[SWEEP_FAILED]) {
        puts("");
        text_table_write(&status->failed, TEXT_TABLE_TEXT, stdout);
    }
}

int
sweep_status_command(int argc, char **argv)
{
    bool json = false;
    const struct arg_option options[] = {OPTION_JSON(&json, "print the counts as JSON"), {0}};
    const struct arg_spec spec = {
        "sweep status",
        "DIR [options]",
        "Counts the completed, running, failed and pending runs of a sweep.",
        options,
        1,
        1,
        "the sweep's folder",
        .program = ARG_NO_PROGRAM};
    struct args args;
    struct sweep sweep;
    struct status result = {0};
    struct error err = {""};
    const int status = args_parse(&args, &spec, argc, argv);
    if (status >= 0)
        return status;
    const bool ok = open_folder(args.operands[0], &sweep, NULL, &err);
    if (ok) {
        take_status(&sweep, &result);
        print_status(&sweep, &result, json);
        text_table_fini(&result.failed);
        sweep_fini(&sweep);
    }
    return conclude(ok, &err);
}

int
sweep_collect_command(int argc, char **argv)
{
    const struct arg_option options[] = {{0}};
    const struct arg_spec spec = {"sweep collect",
                                  "DIR",
                                  "Writes DIR/results.db from the completed runs.",
                                  options,
                                  1,
                                  1,
                                  "the sweep's folder",
                                  .program = ARG_NO_PROGRAM};
    struct args args;
    struct sweep sweep;
    struct sweep_plan plan;
    struct error err = {""};
    const int status = args_parse(&args, &spec, argc, argv);
    if (status >= 0)
        return status;
    interrupt_watch();
    bool ok = open_folder(args.operands[0], &sweep, &plan, &err);
    if (ok) {
        ok = dir_lock(sweep.dir, &sweep.lock, &err) && database_build(&sweep, &plan, &err);
        sweep_plan_fini(&plan);
        sweep_fini(&sweep);
    }
    return conclude(ok, &err);
}

/* Removes traces, logs, results and the sweep's own runs. Runs in another store stay, because other
 * plans may use them. */
static bool
clean_all(const struct sweep *sweep, struct error *err)
{
    static const char *const names[] = {"traces",      "logs",       "ninja", "slurm",
                                        "build.ninja", "results.db", "runs"};
    char *own = sweep_path(sweep, "runs");
    bool ok = true;
    if (strcmp(own, sweep->store) != 0)
        log_note("the runs are kept in %s: other plans may use them", sweep->store);
    free(own);
    for (size_t i = 0; ok && i < sizeof names / sizeof names[0]; i++) {
        char *path = sweep_path(sweep, names[i]);
        ok = tree_remove(path, err);
        free(path);
    }
    return ok;
}

static bool
clean(struct sweep *sweep, bool all, struct error *err)
{
    if (!dir_lock(sweep->dir, &sweep->lock, err))
        return false;
    const uint32_t removed = store_clean(sweep->store);
    log_note("removed leftovers of killed runs: %u", removed);
    return !all || clean_all(sweep, err);
}

int
sweep_clean_command(int argc, char **argv)
{
    bool all = false;
    const struct arg_option options[] = {
        {"all", 0, ARG_FLAG, &all, NULL,
         "also remove runs, traces, logs and results: everything except the plan", false},
        {0}};
    const struct arg_spec spec = {
        "sweep clean",
        "DIR [options]",
        "Removes leftovers of killed runs. Completed runs are kept, except with --all.",
        options,
        1,
        1,
        "the sweep's folder",
        .program = ARG_NO_PROGRAM};
    struct args args;
    struct sweep sweep;
    struct error err = {""};
    const int status = args_parse(&args, &spec, argc, argv);
    if (status >= 0)
        return status;
    bool ok = open_folder(args.operands[0], &sweep, NULL, &err);
    if (ok) {
        ok = clean(&sweep, all, &err);
        sweep_fini(&sweep);
    }
    return conclude(ok, &err);
}
