/* aetius study verdicts: are the verdicts of `aetius topdown` right? Simulates each input on each
 * machine, and again with other sets of ideal resources, and with steps of parameters:
 * 1. the frames as they are, with tables of draws
 * 2. each verdict, and each advised step
 * 3. the trials and steps that could change a judgement, because their upper bounds do not decide
 * The runs share the store of the study, so the study can be interrupted and continued.
 * study/verdict_judge.h judges the gains. */
#include "base/log.h"
#include "study/verdict_floors.h"
#include "study/verdict_page.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct verdicts {
    struct study *study;
    size_t count; /* number of cases; cases are ordered by trace, then machine */
    struct verdict_case *cases;
    size_t *runs; /* the run of each case without ideals */
};

/* ---- cases ---- */

/* Name of the program whose frame the trace contains. Without a program in the plan, the name of
 * the trace without the number of the frame: "NAME-FRAME". */
static char *
program_of(const struct study *study, const char *trace)
{
    for (size_t i = 0; i < study->plan->inputs.count && study->has_plan_inputs; i++) {
        const struct sweep_input *input = &study->plan->inputs.items[i];
        if (!input->program.count || !sweep_input_makes(input, trace))
            continue;
        const char *path = input->program.items[0], *slash = strrchr(path, '/');
        return mem_strdup(slash ? slash + 1 : path);
    }
    size_t length = strlen(trace);
    while (length && isdigit((unsigned char)trace[length - 1]))
        length--;
    const bool has_number = length > 1 && trace[length] && trace[length - 1] == '-';
    return has_number ? mem_printf("%.*s", (int)length - 1, trace) : mem_strdup(trace);
}

/* Name of a case, which consists of all frames of a trace. */
static char *
name_of(const struct sweep_trace *trace)
{
    return trace->frame_count == 1 ? mem_strdup(trace->name)
                                   : mem_printf("%s (%u frames)", trace->name, trace->frame_count);
}

/* Adds the steps of the resources with the most attributed cycles. `best`: the advised step, or
 * NULL. */
static void
list_steps(struct verdict_case *one, const struct params *params, const struct step *best)
{
    const uint32_t among = verdict_most_charged(&one->gains, VERDICT_STEPPED);
    char *advised = best ? step_text(best, " ") : mem_strdup("");
    struct steps all;
    steps_list(params, &all);
    one->advised = SIZE_MAX;
    for (size_t s = 0; s < all.items.count; s++) {
        const struct step *step = &all.items.items[s];
        char *text = step_text(step, " ");
        const bool is_advised = !strcmp(text, advised);
        bool is_among = is_advised;
        for (uint32_t i = 0; i < IDEALS; i++)
            is_among |= among >> i & 1 && step->is_of[i];
        if (is_advised)
            one->advised = one->steps.count;
        if (is_among)
            VEC_PUSH(&one->steps, ((struct verdict_step){.step = *step, .gained = (double)NAN}));
        free(text);
    }
    one->advised = one->advised == SIZE_MAX ? one->steps.count : one->advised;
    steps_fini(&all);
    free(advised);
}

/* Reads what topdown would print about the run: the gains and the advised step. */
static bool
read_answer(struct verdict_case *one, const char *dir, const struct params *params,
            struct error *err)
{
    const struct frame_set all = {0};
    struct csv_table table = {0};
    struct steps steps = {0};
    char *path = mem_printf("%s/stats.draws.csv.gz", dir);
    const struct ideal_rows rows = {&table, &all, -1};
    bool ok = csv_read(&table, path, err);
    free(path);
    if (!ok)
        return false;
    ok = ideals_predict(&rows, params, &one->gains, err) &&
         steps_predict(&rows, params, &one->gains, &steps, err);
    if (ok && !(one->gains.cycles > 0))
        ok = fail(err, "%s: the frames have no cycles", dir);
    if (ok)
        list_steps(one, params, steps_best(&steps));
    steps_fini(&steps);
    csv_table_fini(&table);
    return ok;
}

/* Sets the upper bounds of the gains. */
static bool
bound_gains(struct verdict_case *one, const struct verdict_work *work, const struct params *params,
            struct error *err)
{
    struct verdict_trials *lists[] = {&one->trials, &one->older};
    struct verdict_floors floors;
    bool ok = verdict_floors_of(work, params, &floors, err);
    for (size_t l = 0; ok && l < 2; l++)
        for (size_t i = 0; i < lists[l]->count; i++)
            if (lists[l]->items[i].set)
                lists[l]->items[i].most =
                    one->gains.cycles - verdict_least_cycles(&floors, lists[l]->items[i].set);
    for (size_t s = 0; ok && s < one->steps.count; s++) {
        struct params changed = *params;
        ok = step_apply(&one->steps.items[s].step, &changed, err) &&
             verdict_floors_of(work, &changed, &floors, err);
        one->steps.items[s].most = one->gains.cycles - verdict_least_cycles(&floors, 0);
    }
    return ok;
}

static bool
read_case(struct verdicts *verdicts, size_t c, size_t run, struct error *err)
{
    const struct study *study = verdicts->study;
    const size_t t = study->sweep.runs.items[run].trace;
    const struct sweep_trace *trace = &study->sweep.traces.items[t];
    struct verdict_case *one = &verdicts->cases[c];
    struct verdict_work work = {0};
    struct params params;
    uint32_t unused;
    char *dir = study_folder(study, run);
    verdicts->runs[c] = run;
    one->trace = name_of(trace);
    one->program = program_of(study, trace->name);
    one->machine = study->sweep.runs.items[run].machine;
    one->frames = trace->frame_count ? trace->frame_count : 1;
    one->draws = (double)trace->draws / one->frames;
    one->part = study_names_trace(study, "develop", t) ? VERDICT_DEVELOP
                : study_names_trace(study, "micro", t) ? VERDICT_MICRO
                                                       : VERDICT_JUDGING;
    bool ok = study_params(study, run, &params, err) && read_answer(one, dir, &params, err) &&
              verdict_work_read(&work, dir, err) && verdict_unused(&work, &unused, err);
    if (ok) {
        verdict_list_trials(one, unused);
        ok = bound_gains(one, &work, &params, err);
    }
    verdict_work_fini(&work);
    free(dir);
    return ok;
}

/* Reads all runs of the plan, ordered by trace. */
static bool
read_cases(struct verdicts *verdicts, struct error *err)
{
    const struct study *study = verdicts->study;
    struct progress progress;
    bool ok = true;
    progress_begin(&progress, "reading verdicts", study->planned);
    for (size_t t = 0; ok && t < study->sweep.traces.count; t++)
        for (size_t run = 0; ok && run < study->planned; run++)
            if (study->sweep.runs.items[run].trace == t) {
                progress_at(&progress, verdicts->count, study_trace_name(study, t));
                ok = read_case(verdicts, verdicts->count++, run, err);
            }
    progress_end(&progress);
    return ok;
}

/* ---- more simulations ---- */

/* Adds a run on a changed machine, without a table of draws. Frees `suffix`. */
static bool
add_run(struct verdicts *verdicts, size_t c, char *suffix, struct params *params, size_t *run,
        struct error *err)
{
    params->SIMULATOR.PerBatchStatistics = false;
    const bool ok = study_add_run(verdicts->study, verdicts->runs[c], suffix, params, run, err);
    free(suffix);
    return ok;
}

static bool
add_trial(struct verdicts *verdicts, size_t c, struct verdict_trial *trial, bool is_older,
          struct error *err)
{
    const struct ideal_group group = {.set = trial->set};
    char words[IDEAL_GROUP_WORDS];
    struct params params;
    ideal_group_name(&group, words);
    return study_params(verdicts->study, verdicts->runs[c], &params, err) &&
           (is_older ? older_set_apply(trial->set, &params, err)
                     : ideal_group_apply(&group, &params, err)) &&
           add_run(verdicts, c, mem_printf("%s %s", is_older ? "older" : "ideal", words), &params,
                   &trial->run, err);
}

static bool
add_step(struct verdicts *verdicts, size_t c, struct verdict_step *step, struct error *err)
{
    struct params params;
    return study_params(verdicts->study, verdicts->runs[c], &params, err) &&
           step_apply(&step->step, &params, err) &&
           add_run(verdicts, c, step_text(&step->step, " "), &params, &step->run, err);
}

/* Adds the verdict and the advised step. */
static bool
add_answer(struct verdicts *verdicts, size_t c, struct error *err)
{
    struct verdict_case *one = &verdicts->cases[c];
    return (!one->trials.items[0].set ||
            (add_trial(verdicts, c, &one->trials.items[0], false, err) &&
             add_trial(verdicts, c, &one->older.items[0], true, err))) &&
           (one->advised == one->steps.count ||
            add_step(verdicts, c, &one->steps.items[one->advised], err));
}

/* Adds the trials and the steps whose upper bounds do not decide. */
static bool
add_open(struct verdicts *verdicts, size_t c, struct error *err)
{
    struct verdict_case *one = &verdicts->cases[c];
    struct verdict_trials *lists[] = {&one->trials, &one->older};
    bool ok = true;
    for (size_t l = 0; l < 2; l++)
        for (size_t i = 0; ok && i < lists[l]->count; i++)
            if (verdict_is_open(lists[l], i, one->gains.cycles))
                ok = add_trial(verdicts, c, &lists[l]->items[i], l == 1, err);
    for (size_t s = 0; ok && s < one->steps.count; s++)
        if (verdict_step_is_open(one, s))
            ok = add_step(verdicts, c, &one->steps.items[s], err);
    return ok;
}

/* Reads the gain of a run. It must not exceed its upper bound. */
static bool
read_gain(const struct verdicts *verdicts, size_t c, size_t run, double most, double *gained,
          struct error *err)
{
    const struct verdict_case *one = &verdicts->cases[c];
    double cycles;
    if (!run)
        return true;
    if (!study_sum(verdicts->study, run, "cycles", &cycles, err))
        return false;
    *gained = one->gains.cycles - cycles;
    return *gained <= most ||
           fail(err, "%s on %s: %.0f cycles are fewer than the least of verdict_floors.def (%.0f)",
                one->trace, verdicts->study->sweep.runs.items[run].machine, cycles,
                one->gains.cycles - most);
}

static bool
read_case_gains(const struct verdicts *verdicts, size_t c, struct error *err)
{
    struct verdict_case *one = &verdicts->cases[c];
    struct verdict_trials *lists[] = {&one->trials, &one->older};
    bool ok = true;
    for (size_t l = 0; l < 2; l++)
        for (size_t i = 0; ok && i < lists[l]->count; i++)
            ok = read_gain(verdicts, c, lists[l]->items[i].run, lists[l]->items[i].most,
                           &lists[l]->items[i].gained, err);
    for (size_t s = 0; ok && s < one->steps.count; s++)
        ok = read_gain(verdicts, c, one->steps.items[s].run, one->steps.items[s].most,
                       &one->steps.items[s].gained, err);
    return ok;
}

/* Adds runs to all cases, executes them, and reads their gains. */
static bool
simulate(struct verdicts *verdicts,
         bool (*add)(struct verdicts *verdicts, size_t c, struct error *err), struct error *err)
{
    struct study *study = verdicts->study;
    bool ok = true;
    for (size_t c = 0; ok && c < verdicts->count; c++)
        ok = add(verdicts, c, err);
    ok = ok && sweep_do(&study->sweep, study->options, &study->waits, err) && !study->waits;
    for (size_t c = 0; ok && c < verdicts->count; c++)
        ok = read_case_gains(verdicts, c, err);
    return ok;
}

/* ---- results ---- */

static int
by_key(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Counts the simulations, and adds up their wall times. Equal runs are executed once. */
static struct verdict_cost
cost_of(const struct study *study)
{
    const size_t count = study->sweep.runs.count;
    const char **keys = mem_array(count + 1, sizeof *keys);
    struct verdict_cost cost = {0};
    for (size_t i = 0; i < count; i++)
        keys[i] = study->sweep.runs.items[i].key;
    qsort(keys, count, sizeof *keys, by_key);
    for (size_t i = 0; i < count; i++) {
        struct store_record record;
        if ((i && !strcmp(keys[i], keys[i - 1])) ||
            !store_read_record(study->sweep.store, keys[i], &record))
            continue;
        cost.simulations++;
        cost.hours += record.seconds / 3600;
        free(record.frames);
    }
    free(keys);
    return cost;
}

static bool
write_all(const struct verdicts *verdicts, struct error *err)
{
    const struct study *study = verdicts->study;
    const struct verdict_set set = {verdicts->cases, verdicts->count, cost_of(study)};
    struct memory_text page, trials, pairs;
    verdict_trials_csv(&set, memory_text_open(&trials));
    bool ok = study_write_text(study, "verdicts.csv", &trials, err);
    if (ok) {
        verdict_pairs_csv(&set, memory_text_open(&pairs));
        ok = study_write_text(study, "pairs.csv", &pairs, err);
    }
    if (ok) {
        verdict_page(&set, memory_text_open(&page));
        ok = study_put_text(study, "verdicts.md", &page, err);
    }
    if (ok && study->json)
        verdict_json(&set, stdout);
    return ok;
}

bool
study_verdicts(struct study *study, struct error *err)
{
    struct verdicts verdicts = {.study = study};
    verdicts.cases = mem_array(study->planned + 1, sizeof *verdicts.cases);
    verdicts.runs = mem_array(study->planned + 1, sizeof *verdicts.runs);
    const bool ok = study_check_traces(study, "develop", err) &&
                    study_check_traces(study, "micro", err) && study_do(study, err) &&
                    read_cases(&verdicts, err) && simulate(&verdicts, add_answer, err) &&
                    simulate(&verdicts, add_open, err) && write_all(&verdicts, err);
    for (size_t c = 0; c < verdicts.count; c++)
        verdict_case_fini(&verdicts.cases[c]);
    free(verdicts.runs);
    free(verdicts.cases);
    return ok;
}
