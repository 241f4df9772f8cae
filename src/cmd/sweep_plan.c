/* aetius sweep PLAN.ini: does what the plan's runs are short of, and collects what they came to. */
#include "base/file.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "cmd/sweep.h"
#include "report/run.h"
#include "sweep/engine.h"
#include "sweep/estimate.h"
#include "sweep/outputs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_TOLD = 3 }; /* failures with their last words */

struct sweep_options {
    const char *dir, *store, *engine;
    uint64_t jobs, time_limit, memory_limit, per_element, max_array;
    struct arg_list sbatch;
    bool dry_run, keep_going, json;
};

struct sweeping {
    const struct sweep_options *options;
    const struct sweep_engine *engine;
    struct sweep_plan plan;
    struct sweep sweep;
    VEC(size_t) todo; /* numbers of runs, each key once */
    bool begun;       /* some were, or an engine has them */
    struct error *err;
};

/* "plans/caches.ini": "out/sweep/caches". */
static char *
default_dir(const char *plan)
{
    const char *slash = strrchr(plan, '/'), *name = slash ? slash + 1 : plan;
    const char *dot = strrchr(name, '.');
    return mem_printf("out/sweep/%.*s", (int)(dot && dot > name ? dot - name : (long)strlen(name)),
                      name);
}

/* By option, by the environment, or in the sweep's folder (NULL). */
static bool
find_store(const struct sweep_options *options, char **store, struct error *err)
{
    const char *text = options->store ? options->store : getenv("AETIUS_STORE");
    char *whole;
    *store = NULL;
    if (!text || !*text)
        return true;
    if (!options->dry_run && !dir_create(text, err))
        return false;
    whole = realpath(text, NULL); /* other processes begin in other folders */
    *store = whole ? whole : mem_strdup(text);
    return true;
}

/* A machine of the plan's that can be built; the runs of those that cannot tell why. */
static bool
build_one(const struct sweeping *s, struct params *params, struct simulation *simulation)
{
    const struct frame_set all = {0};
    struct preset_cache presets = {0};
    struct error ignored;
    bool ok = false;
    for (size_t i = 0; !ok && i < s->sweep.runs.count; i++) {
        const struct sweep_run *run = &s->sweep.runs.items[i];
        ok = machine_make(&presets, run->preset, &run->sets, params, &ignored) &&
             simulation_init(simulation, params, &all, NULL, &ignored);
    }
    preset_cache_fini(&presets);
    return ok;
}

/* The formulas speak of what a machine counts. */
static bool
check_outputs(struct sweeping *s)
{
    struct params params;
    struct simulation simulation;
    if (!build_one(s, &params, &simulation))
        return true;
    const struct run_facts facts = {0};
    const struct stat_set *set = &simulation.machine->stats;
    uint64_t *values = mem_alloc(set->count * sizeof *values);
    struct totals totals = run_totals(&facts, set, values, &params);
    const bool ok = outputs_check(&s->plan, &totals, s->err);
    totals_free(&totals);
    free(values);
    simulation_fini(&simulation);
    return ok;
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

/* Two machines of a plan may be the same: each run once, in the order of the plan. */
static bool
list_todo(struct sweeping *s)
{
    struct sweep *sweep = &s->sweep;
    size_t kept = 0;
    for (size_t i = 0; i < sweep->runs.count; i++) {
        if (!interrupt_check(s->err))
            return false;
        if (!store_has(sweep->store, sweep->runs.items[i].key))
            VEC_PUSH(&s->todo, i);
    }
    if (!s->todo.count)
        return true;
    qsort_r(s->todo.items, s->todo.count, sizeof *s->todo.items, by_key, sweep);
    for (size_t i = 0; i < s->todo.count; i++)
        if (!kept || strcmp(sweep->runs.items[s->todo.items[i]].key,
                            sweep->runs.items[s->todo.items[kept - 1]].key) != 0)
            s->todo.items[kept++] = s->todo.items[i];
    s->todo.count = kept;
    qsort(s->todo.items, s->todo.count, sizeof *s->todo.items, by_number);
    return interrupt_check(s->err);
}

static void
estimate_cells(struct sheet *table, const struct estimate *estimate)
{
    if (isnan(estimate->seconds))
        sheet_cell(table, "?");
    else
        sheet_cell(table, "%.1f", estimate->seconds);
    if (isnan(estimate->bytes))
        sheet_cell(table, "?");
    else
        sheet_cell(table, "%.1f", estimate->bytes / 1e6);
}

static void
print_runs(const struct sweeping *s, const struct estimator *estimator)
{
    static const char *const titles[] = {"run", "input", "machine", "state", "seconds", "MB"};
    struct sheet table = {0};
    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++)
        sheet_cell(&table, "%s", titles[i]);
    sheet_end_row(&table);
    for (size_t i = 0; i < s->sweep.runs.count && !interrupt_pending(); i++) {
        const struct sweep_run *run = &s->sweep.runs.items[i];
        const struct sweep_trace *trace = &s->sweep.traces.items[run->trace];
        const enum sweep_state state = sweep_state_of(&s->sweep, run);
        struct estimate estimate = estimator_ask(estimator, trace);
        sheet_cell(&table, "%zu", i + 1);
        sheet_cell(&table, "%s", trace->name);
        sheet_cell(&table, "%s", run->machine);
        sheet_cell(&table, "%s", sweep_state_names[state]);
        if (state == SWEEP_DONE) {
            sheet_cell(&table, "-");
            sheet_cell(&table, "-");
        } else {
            estimate_cells(&table, &estimate);
        }
        sheet_end_row(&table);
    }
    sheet_write(&table, SHEET_TEXT, stdout);
    sheet_fini(&table);
}

/* What is left to do, in all. */
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

static uint64_t
jobs_of(const struct sweep_options *options)
{
    return options->jobs ? options->jobs : (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
}

static bool
dry_run(const struct sweeping *s)
{
    struct estimator estimator = {0};
    estimator_read(&estimator, s->sweep.store);
    const struct estimate sum = add_up(s, &estimator);
    const uint64_t jobs = jobs_of(s->options);
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
        printf("\n%zu of %zu runs are to be done", s->todo.count, s->sweep.runs.count);
        if (s->todo.count && isnan(sum.seconds))
            printf("; how long they take is not known before one is done\n");
        else
            printf(": about %.0f s with %llu at a time, %.0f MB\n", seconds,
                   (unsigned long long)jobs, sum.bytes / 1e6);
    }
    estimator_fini(&estimator);
    return interrupt_check(s->err);
}

/* The plan as it is, beside what comes of it. */
static bool
copy_plan(const struct sweeping *s, const char *path)
{
    char *to = sweep_path(&s->sweep, "plan.ini"), *bytes = NULL;
    char *a = realpath(path, NULL), *b = realpath(to, NULL);
    size_t size;
    const bool same = a && b && !strcmp(a, b);
    const bool ok = same || (file_read(path, FILE_MOST_TEXT, &bytes, &size, s->err) &&
                             file_write(to, bytes, size, s->err));
    free(bytes);
    free(a);
    free(b);
    free(to);
    return ok;
}

/* A folder that no sweep has made yet holds nothing that one would write over, or clean. What a
 * sweep has made are folders of its own: a link in their place leads out of it. */
static bool
check_folder(const struct sweep *sweep, const char *plan, bool is_sweep, struct error *err)
{
    static const char *const names[] = {"logs",        "traces",     "ninja",
                                        "slurm",       "runs",       "plan.ini",
                                        "build.ninja", "results.db", "runs.jsonl"};
    enum { FOLDERS = 4, NAMES = sizeof names / sizeof names[0] };
    struct stat st;
    char *whole = realpath(plan, NULL);
    bool ok = true;
    for (size_t i = 0; ok && i < (is_sweep ? FOLDERS : NAMES); i++) {
        char *path = sweep_path(sweep, names[i]), *there = realpath(path, NULL);
        const bool is_plan = whole && there && !strcmp(whole, there);
        if (!lstat(path, &st) && !is_plan && !(is_sweep && S_ISDIR(st.st_mode)))
            ok = fail(err, "%s is in the way: a sweep's own goes there", path);
        free(there);
        free(path);
    }
    free(whole);
    return ok;
}

/* sweep.json comes first: by it the folder is known as a sweep's, should we be stopped. */
static bool
make_folders(const struct sweeping *s, const char *plan, int *lock)
{
    char *logs = sweep_path(&s->sweep, "logs"), *json = sweep_path(&s->sweep, "sweep.json");
    bool ok = dir_create(s->sweep.dir, s->err) && dir_lock(s->sweep.dir, lock, s->err);
    const bool is_sweep = file_exists(json);
    ok = ok && check_folder(&s->sweep, plan, is_sweep, s->err) &&
         (is_sweep || sweep_save(&s->sweep, s->err)) && dir_create(logs, s->err) &&
         dir_create(s->sweep.store, s->err);
    free(json);
    free(logs);
    return ok;
}

/* Those that an engine has been given already are not given to it again. What it has no more when
 * it is asked was done before that, or is lost: so the store is looked at behind it. */
static bool
leave_out(struct sweeping *s)
{
    bool *mine = mem_alloc((s->sweep.runs.count + 1) * sizeof *mine);
    size_t kept = 0, with = 0;
    const bool asks = s->todo.count && s->engine->survey;
    const bool ok = !asks || s->engine->survey(&s->sweep, mine, s->err);
    for (size_t i = 0; i < s->todo.count; i++) {
        const size_t number = s->todo.items[i];
        with += mine[number];
        if (!mine[number] && !store_has(s->sweep.store, s->sweep.runs.items[number].key))
            s->todo.items[kept++] = number;
    }
    if (ok && with)
        log_note("%zu runs are with %s already", with, s->engine->name);
    s->todo.count = kept;
    s->begun = kept || with;
    free(mine);
    return ok;
}

static bool
do_todo(const struct sweeping *s)
{
    const struct engine_request request = {.sweep = &s->sweep,
                                           .todo = s->todo.items,
                                           .count = s->todo.count,
                                           .jobs = s->engine->is_awaited ? jobs_of(s->options)
                                                                         : s->options->jobs,
                                           .keep_going = s->options->keep_going,
                                           .per_element = s->options->per_element,
                                           .max_array = s->options->max_array,
                                           .sbatch = &s->options->sbatch};
    return !s->todo.count || s->engine->begin(&request, s->err);
}

/* The runs that failed, the first ones with their last words. */
static bool
tell_failures(const struct sweeping *s)
{
    size_t failed = 0, left = 0;
    const struct sweep_run *first = NULL;
    for (size_t i = 0; i < s->todo.count; i++) {
        const struct sweep_run *run = &s->sweep.runs.items[s->todo.items[i]];
        const enum sweep_state state = sweep_state_of(&s->sweep, run);
        left += state != SWEEP_DONE;
        if (state != SWEEP_FAILED)
            continue;
        first = first ? first : run;
        if (++failed > MOST_TOLD)
            continue;
        char *words = sweep_last_words(&s->sweep, run);
        log_warning("%s on %s failed (%s/logs/%s.failed):\n%s",
                    s->sweep.traces.items[run->trace].name, run->machine, s->sweep.dir, run->key,
                    words);
        free(words);
    }
    if (!left)
        return true;
    if (!first)
        return fail(s->err, "%zu runs are not done; the same command goes on", left);
    return fail(s->err, "%zu of %zu runs failed, the first of them %s on %s%s", failed,
                s->sweep.runs.count, s->sweep.traces.items[first->trace].name, first->machine,
                s->options->keep_going ? "" : " (--keep-going does the others)");
}

static bool
finish(struct sweeping *s)
{
    if (!s->engine->is_awaited && s->begun)
        return true; /* its runs are collected when they are done */
    const bool whole = tell_failures(s);
    struct error collecting;
    const bool ok = sweep_collect(&s->sweep, &s->plan, whole ? s->err : &collecting);
    return whole && ok;
}

static bool
sweep_on(struct sweeping *s, const char *path)
{
    int lock = -1;
    bool ok = s->options->dry_run || make_folders(s, path, &lock);
    ok = ok && sweep_capture_inputs(&s->sweep, &s->plan, !s->options->dry_run, s->err) &&
         sweep_expand(&s->sweep, &s->plan, s->err) && (!s->sweep.runs.count || check_outputs(s)) &&
         list_todo(s);
    if (ok && s->options->dry_run)
        ok = dry_run(s);
    else if (ok)
        ok = copy_plan(s, path) && sweep_save(&s->sweep, s->err) && leave_out(s) && do_todo(s) &&
             finish(s);
    dir_unlock(lock);
    if (!ok && interrupt_pending())
        fail(s->err, "interrupted; the same command goes on with what is left");
    return ok;
}

static bool
sweep_the_plan(const struct sweep_options *options, const char *path, struct error *err)
{
    struct sweeping s = {.options = options, .err = err, .engine = engine_find(options->engine)};
    char *dir = options->dir ? mem_strdup(options->dir) : default_dir(path), *store = NULL;
    bool ok = sweep_plan_load(&s.plan, path, err);
    if (ok) {
        ok = find_store(options, &store, err);
        sweep_init(&s.sweep, dir, store);
        s.sweep.limit_seconds = options->time_limit;
        s.sweep.limit_bytes = options->memory_limit;
        ok = ok && sweep_on(&s, path);
        sweep_fini(&s.sweep);
        sweep_plan_fini(&s.plan);
    }
    VEC_FREE(&s.todo);
    free(store);
    free(dir);
    return ok;
}

int
sweep_plan_command(int argc, char **argv)
{
    struct sweep_options o = {.engine = "local"};
    const struct arg_option table[] = {
        OPTION_OUTPUT(&o.dir, "DIR", "the sweep's folder (out/sweep/PLAN)", false),
        {"dry-run", 'n', ARG_FLAG, &o.dry_run, NULL,
         "only list the runs, with the time and the disk that they will take", false},
        OPTION_JOBS(&o.jobs, "runs at a time; the default is all cores, of slurm no limit"),
        {"keep-going", 'k', ARG_FLAG, &o.keep_going, NULL, "do the others after a failure", false},
        {"time-limit", 0, ARG_UINT, &o.time_limit, "SECONDS", "a run that takes longer has failed",
         false},
        {"memory-limit", 0, ARG_SIZE, &o.memory_limit, "SIZE",
         "a run that uses more, as 512M or 6G, has failed", false},
        {"store", 0, ARG_STRING, &o.store, "DIR",
         "where runs are kept, for any plan (DIR/runs, or what AETIUS_STORE says)", false},
        {"engine", 0, ARG_STRING, &o.engine, "NAME",
         "who does the runs: local (ninja), slurm, or list: prints a command for each", false},
        {"per-element", 0, ARG_UINT, &o.per_element, "N", "slurm: runs an element of the array",
         false},
        {"max-array-size", 0, ARG_UINT, &o.max_array, "N",
         "slurm: elements of an array, less than its MaxArraySize (1000)", false},
        {"sbatch", 0, ARG_LIST, &o.sbatch, "OPTION", "slurm: for sbatch, as --sbatch=--partition=P",
         false},
        OPTION_JSON(&o.json, "the dry run's sums as JSON"),
        {0},
    };
    const struct arg_spec spec = {
        "sweep",
        "PLAN.ini [options] | status|collect|query|pareto|sensitivity|clean DIR ...",
        "Simulates the inputs of a plan on its machines, and puts the outputs into a database\n"
        "(docs/sweeps.md). What is done stays done: the same command goes on where an earlier one\n"
        "was stopped, and does only what is new in a plan that grew. Then, each with a --help:\n"
        "  sweep status DIR            how far it is\n"
        "  sweep query DIR 'SQL'       a question to what came out\n"
        "  sweep pareto DIR A B        machines that no other one beats in both outputs\n"
        "  sweep sensitivity DIR       which parameter moves what\n"
        "  sweep collect DIR           makes DIR/results.db of what is done so far\n"
        "  sweep clean DIR             removes what killed runs left",
        table,
        1,
        1,
        "a plan",
        .program = ARG_NO_PROGRAM};
    struct args args;
    struct error err = {""};
    const int status = args_parse(&args, &spec, argc, argv);
    if (status >= 0)
        return status;
    if (!engine_find(o.engine)) {
        char *names = engine_names();
        const int usage =
            args_usage_error(&spec, "there is no engine '%s': there are %s", o.engine, names);
        free(names);
        return usage;
    }
    interrupt_watch();
    return conclude(sweep_the_plan(&o, args.operands[0], &err), &err);
}
