/* aetius study verdicts: is what `aetius topdown` says of a frame true? Three parts that know
 * little of each other: which runs there are (the plan, and what each frame's first run accuses),
 * the runs themselves (cmd/run_cache.h), and what is told of them (report/verdicts.h). */
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "cmd/run_cache.h"
#include "cmd/study_runs.h"
#include "report/verdicts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- which runs ---- */

/* A run of the plan, with the text that its options point to. */
struct planned {
    struct cached_run run;
    char *root, *trace, *settings;
};

static void
planned_fini(struct planned *planned)
{
    free(planned->root);
    free(planned->trace);
    free(planned->settings);
}

static bool
add_set(struct arg_list *sets, const char *setting, struct error *err)
{
    if (sets->count == sizeof sets->items / sizeof sets->items[0])
        return fail(err, "more than %u parameters are set", sets->count);
    sets->items[sets->count++] = setting;
    return true;
}

/* An ideal run needs no table of draws. */
static bool
add_ideal(struct planned *planned, uint32_t ideal, struct error *err)
{
    char *rest = NULL;
    struct arg_list *sets = &planned->run.machine.sets;
    planned->settings = mem_strdup(ideals[ideal].settings);
    bool ok = add_set(sets, "SIMULATOR.PerBatchStatistics=FALSE", err);
    for (char *one = strtok_r(planned->settings, " ", &rest); ok && one;
         one = strtok_r(NULL, " ", &rest))
        ok = add_set(sets, one, err);
    return ok;
}

/* `ideal`: IDEALS for none. To be freed also after a failure. */
static bool
plan_run(struct planned *planned, const struct study_run *run, size_t trace, size_t configuration,
         uint32_t ideal, struct error *err)
{
    const struct study_plan *plan = run->study->plan;
    const struct text_list *lists[] = {&plan->sets,
                                       &plan->configurations.items[configuration].sets};
    bool ok = true;
    memset(planned, 0, sizeof *planned);
    planned->root = mem_printf("%s/runs", run->dir);
    planned->trace = study_trace_path(run, trace);
    planned->run =
        (struct cached_run){.root = planned->root, .trace = planned->trace, .frames = run->frames};
    planned->run.machine.preset = study_plan_preset(plan, configuration);
    for (uint32_t l = 0; l < 2; l++)
        for (size_t i = 0; ok && i < lists[l]->count; i++)
            ok = add_set(&planned->run.machine.sets, lists[l]->items[i], err);
    return ok && (ideal == IDEALS || add_ideal(planned, ideal, err));
}

static bool
simulate(const struct study_run *run, const struct study_job *job, struct error *err)
{
    struct planned planned;
    const bool ok = plan_run(&planned, run, job->trace, job->configuration, job->ideal, err) &&
                    run_cache_make(&planned.run, err);
    planned_fini(&planned);
    return ok;
}

/* The run's folder, the caller's to free; NULL after a failure. */
static char *
find_run(const struct study_run *run, size_t trace, size_t configuration, uint32_t ideal,
         bool *is_there, struct error *err)
{
    struct planned planned;
    char *dir = plan_run(&planned, run, trace, configuration, ideal, err)
                    ? run_cache_folder(&planned.run, is_there, err)
                    : NULL;
    planned_fini(&planned);
    return dir;
}

/* ---- what a run gave ---- */

static bool
read_cycles(const char *dir, double *cycles, struct error *err)
{
    char *path = mem_printf("%s/stats.frames.csv.gz", dir);
    struct csv_table table = {0};
    bool ok = csv_read(&table, path, err);
    const int32_t column = ok ? csv_column(&table, "cycles") : -1;
    ok = ok && (column >= 0 || fail(err, "%s does not count cycles", path));
    *cycles = 0;
    for (uint32_t r = 0; ok && r < table.rows; r++)
        *cycles += csv_value(&table, r, column);
    csv_table_fini(&table);
    free(path);
    return ok;
}

static bool
read_gains(const char *dir, struct ideal_gains *gains, struct error *err)
{
    const struct frame_set all = {0};
    struct params params;
    struct csv_table table = {0};
    char *machine = mem_printf("%s/machine.ini", dir);
    char *path = mem_printf("%s/stats.draws.csv.gz", dir);
    const struct ideal_rows rows = {&table, &all, -1};
    params_init(&params);
    const bool ok = params_load_file(&params, machine, err) && csv_read(&table, path, err) &&
                    ideals_predict(&rows, &params, gains, err);
    csv_table_fini(&table);
    free(path);
    free(machine);
    return ok;
}

/* ---- the study ---- */

typedef VEC(struct study_job) job_list;

static void
add_job(job_list *jobs, const struct study_run *run, size_t trace, size_t configuration,
        uint32_t ideal)
{
    const struct study_plan *plan = run->study->plan;
    const struct study_job job = {
        .label = mem_printf("%s.%s%s%s", plan->traces.items[trace].name,
                            plan->configurations.items[configuration].name,
                            ideal < IDEALS ? "." : "", ideal < IDEALS ? ideals[ideal].name : ""),
        .work = simulate,
        .trace = trace,
        .configuration = configuration,
        .ideal = ideal};
    VEC_PUSH(jobs, job);
}

static bool
do_jobs(job_list *jobs, const struct study_run *run, uint32_t limit, const char *what,
        struct error *err)
{
    const bool ok = study_do(run, jobs->items, jobs->count, limit, what, err);
    for (size_t i = 0; i < jobs->count; i++)
        free(jobs->items[i].label);
    VEC_FREE(jobs);
    return ok;
}

/* A first time for what has to be simulated (`jobs`), a second time for what came of it. */
static bool
visit_frames(const struct study_run *run, struct verdict_case *cases, bool force, job_list *jobs,
             struct error *err)
{
    const struct study_plan *plan = run->study->plan;
    const size_t machines = plan->configurations.count;
    bool ok = true;
    for (size_t i = 0; ok && i < plan->traces.count * machines; i++) {
        bool is_there;
        const size_t t = i / machines, c = i % machines;
        char *dir = find_run(run, t, c, IDEALS, &is_there, err);
        ok = dir != NULL;
        if (ok && jobs && (force || !is_there))
            add_job(jobs, run, t, c, IDEALS);
        if (ok && !jobs) {
            cases[i].trace = plan->traces.items[t].name;
            cases[i].machine = plan->configurations.items[c].name;
            cases[i].develops = plan->traces.items[t].develops;
            ok = (is_there || fail(err, "%s is not whole", dir)) &&
                 read_gains(dir, &cases[i].gains, err);
        }
        free(dir);
    }
    return ok;
}

static bool
visit_ideals(const struct study_run *run, struct verdict_case *cases, bool force, job_list *jobs,
             struct error *err)
{
    const struct study_plan *plan = run->study->plan;
    const size_t machines = plan->configurations.count, count = plan->traces.count * machines;
    const enum ideal_number commonest = verdicts_commonest(cases, count);
    bool ok = true;
    for (size_t i = 0; ok && i < count * IDEALS; i++) {
        struct verdict_case *one = &cases[i / IDEALS];
        const uint32_t ideal = i % IDEALS;
        const size_t t = i / IDEALS / machines, c = i / IDEALS % machines;
        double cycles;
        bool is_there;
        one->gained[ideal] = NAN;
        if (!verdict_tries(one, ideal, commonest))
            continue;
        char *dir = find_run(run, t, c, ideal, &is_there, err);
        ok = dir != NULL;
        if (ok && jobs && (force || !is_there))
            add_job(jobs, run, t, c, ideal);
        if (ok && !jobs) {
            ok = (is_there || fail(err, "%s is not whole", dir)) && read_cycles(dir, &cycles, err);
            one->gained[ideal] = ok ? one->gains.cycles - cycles : NAN;
        }
        free(dir);
    }
    return ok;
}

typedef void write_fn(const struct verdict_case *cases, size_t count, FILE *out);

static bool
write_text(write_fn *write, const char *dir, const char *name, const struct verdict_case *cases,
           size_t count, struct error *err)
{
    char *text, *path = mem_printf("%s/%s", dir, name);
    size_t size;
    FILE *out = open_memstream(&text, &size);
    BUG_ON(!out, "no memory for a page");
    write(cases, count, out);
    fclose(out);
    const bool ok = file_write(path, text, size, err);
    free(text);
    free(path);
    return ok;
}

bool
study_verdicts(const struct study_run *run, uint32_t limit, bool force, bool json,
               struct error *err)
{
    const struct study_plan *plan = run->study->plan;
    const size_t count = plan->traces.count * plan->configurations.count;
    struct verdict_case *cases = mem_alloc(count * sizeof *cases);
    job_list jobs = {0};
    bool ok = study_capture_all(run, limit, err) && visit_frames(run, cases, force, &jobs, err) &&
              do_jobs(&jobs, run, limit, "simulating", err) &&
              visit_frames(run, cases, false, NULL, err) &&
              visit_ideals(run, cases, force, &jobs, err) &&
              do_jobs(&jobs, run, limit, "simulating with a resource ideal", err) &&
              visit_ideals(run, cases, false, NULL, err) &&
              write_text(verdicts_page, run->dir, "verdicts.md", cases, count, err) &&
              write_text(verdicts_csv, run->dir, "verdicts.csv", cases, count, err);
    if (ok) {
        (json ? verdicts_json : verdicts_page)(cases, count, stdout);
        log_note("%s: verdicts.md, verdicts.csv", run->dir);
    }
    free(cases);
    return ok;
}
