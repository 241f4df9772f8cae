#include "sweep/work.h"

#include "base/cores.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/plural.h"
#include "sweep/store.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_TOLD = 3 }; /* number of failures reported with the end of their logs */

const char *const sweep_state_names[] = {"pending", "done", "running", "failed"};

enum sweep_state
sweep_state_of(const struct sweep *sweep, const struct sweep_run *run)
{
    if (store_has(sweep->store, run->key))
        return SWEEP_DONE;
    if (store_is_busy(sweep->store, run->key))
        return SWEEP_BUSY;
    char *path = work_log_path(sweep, run->key, ".failed");
    const bool failed = file_exists(path);
    free(path);
    return failed ? SWEEP_FAILED : SWEEP_TODO;
}

/* Finds the store given by the option or by the environment. NULL: the sweep's folder has the
 * store. */
static bool
find_store(const struct work_options *options, bool may_write, char **store, struct error *err)
{
    const char *text = options->store ? options->store : getenv("AETIUS_STORE");
    char *whole;
    *store = NULL;
    if (!text || !*text)
        return true;
    if (may_write && !dir_create(text, err))
        return false;
    whole = realpath(text, NULL); /* absolute, because other processes start in other folders */
    *store = whole ? whole : mem_strdup(text);
    return true;
}

/* Names of a sweep's folders and files. Folders come first. */
static const char *const own_names[] = {"logs",        "traces",     "ninja",
                                        "slurm",       "runs",       "plan.ini",
                                        "build.ninja", "results.db", "runs.jsonl"};
enum { FOLDERS = 4, NAMES = sizeof own_names / sizeof own_names[0] };

bool
sweep_check_folders(const struct sweep *sweep, struct error *err)
{
    struct stat st;
    bool ok = true;
    for (size_t i = 0; ok && i < FOLDERS; i++) {
        char *path = sweep_path(sweep, own_names[i]);
        if (!lstat(path, &st) && !S_ISDIR(st.st_mode))
            ok = fail(err, "%s exists: a sweep writes a file of that name; move it away", path);
        free(path);
    }
    return ok;
}

/* Rejects a new sweep in a folder that already contains files with a sweep's names. */
static bool
check_stranger(const struct sweep *sweep, const char *plan, struct error *err)
{
    struct stat st;
    char *whole = realpath(plan, NULL);
    bool ok = true;
    for (size_t i = 0; ok && i < NAMES; i++) {
        char *path = sweep_path(sweep, own_names[i]), *there = realpath(path, NULL);
        const bool is_plan = whole && there && !strcmp(whole, there);
        if (!lstat(path, &st) && !is_plan)
            ok = fail(err, "%s exists: a sweep writes a file of that name; move it away", path);
        free(there);
        free(path);
    }
    free(whole);
    return ok;
}

bool
sweep_copy_plan(const struct sweep *sweep, const struct sweep_plan *plan, struct error *err)
{
    char *to = sweep_path(sweep, "plan.ini"), *there = realpath(to, NULL);
    const bool is_same = there && !strcmp(plan->path, there);
    const bool ok = is_same || file_copy(plan->path, to, err);
    free(there);
    free(to);
    return ok;
}

/* Writes sweep.json first, so that a killed process leaves a folder that is known to be a
 * sweep's. */
static bool
take_folder(struct sweep *sweep, const char *plan, struct error *err)
{
    char *logs = sweep_path(sweep, "logs"), *json = sweep_path(sweep, "sweep.json");
    bool ok = dir_create(sweep->dir, err) && dir_lock(sweep->dir, &sweep->lock, err);
    const bool is_sweep = file_exists(json);
    ok = ok &&
         (is_sweep ? sweep_check_folders(sweep, err)
                   : check_stranger(sweep, plan, err) && sweep_save(sweep, err)) &&
         dir_create(logs, err) && dir_create(sweep->store, err);
    free(json);
    free(logs);
    return ok;
}

bool
sweep_open(struct sweep *sweep, const char *dir, const char *plan,
           const struct work_options *options, struct error *err)
{
    char *store = NULL;
    bool ok = find_store(options, plan != NULL, &store, err);
    sweep_init(sweep, dir, store);
    sweep->limit_seconds = options->limit_seconds;
    sweep->limit_bytes = options->limit_bytes;
    free(store);
    return ok && (!plan || take_folder(sweep, plan, err));
}

static int
by_key(const void *left, const void *right, void *data)
{
    const struct sweep *sweep = data;
    const size_t a = *(const size_t *)left, b = *(const size_t *)right;
    const int order = strcmp(sweep->runs.items[a].key, sweep->runs.items[b].key);
    return order ? order : a < b ? -1 : 1;
}

static int
by_number(const void *left, const void *right)
{
    const size_t a = *(const size_t *)left, b = *(const size_t *)right;
    return a < b ? -1 : a > b;
}

/* Machines of a plan may be equal. Each run is listed once. */
bool
sweep_list_todo(struct sweep *sweep, struct run_numbers *todo, struct error *err)
{
    size_t kept = 0;
    for (size_t i = 0; i < sweep->runs.count; i++) {
        if (!interrupt_check(err))
            return false;
        if (!store_has(sweep->store, sweep->runs.items[i].key))
            VEC_PUSH(todo, i);
    }
    if (!todo->count)
        return true;
    qsort_r(todo->items, todo->count, sizeof *todo->items, by_key, sweep);
    for (size_t i = 0; i < todo->count; i++)
        if (!kept || strcmp(sweep->runs.items[todo->items[i]].key,
                            sweep->runs.items[todo->items[kept - 1]].key) != 0)
            todo->items[kept++] = todo->items[i];
    todo->count = kept;
    qsort(todo->items, todo->count, sizeof *todo->items, by_number);
    return interrupt_check(err);
}

uint64_t
work_jobs(const struct work_options *options)
{
    return options->jobs ? options->jobs : cores_count();
}

/* Removes runs that the engine already has, and sets *with to their number. The store is checked
 * after the survey, since runs that left the engine before the survey are complete or lost. */
static bool
leave_out(const struct sweep *sweep, const struct sweep_engine *engine, struct run_numbers *todo,
          size_t *with, struct error *err)
{
    bool *mine = mem_array(sweep->runs.count + 1, sizeof *mine);
    size_t kept = 0;
    const bool asks = todo->count && engine->survey;
    const bool ok = !asks || engine->survey(sweep, mine, err);
    *with = 0;
    for (size_t i = 0; i < todo->count; i++) {
        const size_t number = todo->items[i];
        *with += mine[number];
        if (!mine[number] && !store_has(sweep->store, sweep->runs.items[number].key))
            todo->items[kept++] = number;
    }
    if (ok && *with)
        log_note("%zu run%s already submitted to %s", *with, *with == 1 ? " is" : "s are",
                 engine->name);
    todo->count = kept;
    free(mine);
    return ok;
}

/* Sorts by decreasing number of draws. A long run that starts last would run alone at the end. */
static int
by_draws(const void *left, const void *right, void *data)
{
    const struct sweep *sweep = data;
    const size_t a = *(const size_t *)left, b = *(const size_t *)right;
    const uint64_t of_a = sweep->traces.items[sweep->runs.items[a].trace].draws;
    const uint64_t of_b = sweep->traces.items[sweep->runs.items[b].trace].draws;
    return of_a != of_b ? (of_a > of_b ? -1 : 1) : a < b ? -1 : 1;
}

static bool
work_begin(struct sweep *sweep, const struct sweep_engine *engine,
           const struct work_options *options, struct run_numbers *todo, struct error *err)
{
    if (todo->count)
        qsort_r(todo->items, todo->count, sizeof *todo->items, by_draws, sweep);
    const struct engine_request request = {.sweep = sweep,
                                           .todo = todo->items,
                                           .count = todo->count,
                                           .jobs = engine->is_awaited ? work_jobs(options)
                                                                      : options->jobs,
                                           .keep_going = options->keep_going,
                                           .per_element = options->per_element,
                                           .max_array = options->max_array,
                                           .sbatch = &options->sbatch};
    return !todo->count || engine->begin(&request, err);
}

/* Reports the runs that failed. The first reports include the end of the run's log. */
static bool
report_failures(const struct sweep *sweep, const struct run_numbers *todo, bool keep_going,
                struct error *err)
{
    size_t failed = 0, left = 0;
    const struct sweep_run *first = NULL;
    for (size_t i = 0; i < todo->count; i++) {
        const struct sweep_run *run = &sweep->runs.items[todo->items[i]];
        const enum sweep_state state = sweep_state_of(sweep, run);
        left += state != SWEEP_DONE;
        if (state != SWEEP_FAILED)
            continue;
        first = first ? first : run;
        if (++failed > MOST_TOLD)
            continue;
        char *words = work_log_last(sweep, run->key);
        log_warning("%s on %s failed (%s/logs/%s.failed):\n%s",
                    sweep->traces.items[run->trace].name, run->machine, sweep->dir, run->key,
                    words);
        free(words);
    }
    if (!left)
        return true;
    if (!first)
        return fail(err, "%zu run%s incomplete; run the same command again to continue", left,
                    left == 1 ? " is" : "s are");
    return fail(err, "%zu of %zu run%s failed; the first is %s on %s%s", failed, sweep->runs.count,
                plural(sweep->runs.count), sweep->traces.items[first->trace].name, first->machine,
                keep_going ? "" : " (--keep-going continues with the others)");
}

bool
sweep_do(struct sweep *sweep, const struct work_options *options, bool *waits, struct error *err)
{
    const struct sweep_engine *engine = engine_find(options->engine ? options->engine : "local");
    struct run_numbers todo = {0};
    size_t with = 0;
    bool ok = sweep_save(sweep, err) && sweep_list_todo(sweep, &todo, err) &&
              leave_out(sweep, engine, &todo, &with, err);
    *waits = !engine->is_awaited && (todo.count || with);
    ok = ok && work_begin(sweep, engine, options, &todo, err) &&
         (*waits || report_failures(sweep, &todo, options->keep_going, err));
    VEC_FREE(&todo);
    if (!ok && interrupt_pending())
        fail(err, "interrupted; run the same command again to continue");
    return ok;
}
