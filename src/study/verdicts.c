/* aetius study verdicts: are the verdicts of `aetius topdown` right? Simulates each input on each
 * machine, and again with each accused resource ideal. report/compare/verdicts.h computes the
 * scores. */
#include "report/compare/verdicts.h"
#include "study/study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct verdicts {
    struct study *study;
    size_t count; /* number of cases; cases are ordered by trace, then machine */
    struct verdict_case *cases;
    char **names;            /* names of the cases' traces; owned */
    size_t (*tried)[IDEALS]; /* index of the run with that ideal; 0: no such run */
};

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

/* The run of a case without ideals. */
static size_t
run_of(const struct verdicts *verdicts, size_t number)
{
    const size_t machines = verdicts->study->machines.count;
    return study_run(verdicts->study, number / machines, number % machines);
}

/* Name of a case, which consists of all frames of a trace. */
static char *
name_of(const struct sweep_trace *trace)
{
    return trace->frame_count == 1 ? mem_strdup(trace->name)
                                   : mem_printf("%s (%u frames)", trace->name, trace->frame_count);
}

/* Reads the predicted gains from each run of the plan. */
static bool
read_cases(struct verdicts *verdicts, struct error *err)
{
    const struct study *study = verdicts->study;
    bool ok = true;
    for (size_t i = 0; ok && i < verdicts->count; i++) {
        const size_t run = run_of(verdicts, i), t = study->sweep.runs.items[run].trace;
        char *dir = study_folder(study, run);
        verdicts->names[i] = name_of(&study->sweep.traces.items[t]);
        verdicts->cases[i].trace = verdicts->names[i];
        verdicts->cases[i].machine = study->sweep.runs.items[run].machine;
        verdicts->cases[i].develops = study_names_trace(study, "develop", t);
        ok = read_gains(dir, &verdicts->cases[i].gains, err);
        free(dir);
    }
    return ok;
}

/* Adds a run with an ideal, without a table of draws. */
static bool
add_ideal(struct verdicts *verdicts, size_t i, uint32_t ideal, struct error *err)
{
    struct params params;
    const size_t run = run_of(verdicts, i);
    char *suffix = mem_printf("ideal %s", ideals[ideal].name);
    bool ok = study_params(verdicts->study, run, &params, err);
    params.SIMULATOR.PerBatchStatistics = false;
    ok = ok && ideal_apply(&ideals[ideal], &params, err) &&
         study_add_run(verdicts->study, run, suffix, &params, &verdicts->tried[i][ideal], err);
    free(suffix);
    return ok;
}

/* Simulates each accused resource as ideal. */
static bool
try_ideals(struct verdicts *verdicts, struct error *err)
{
    const enum ideal_number commonest = verdicts_commonest(verdicts->cases, verdicts->count);
    bool ok = true;
    for (size_t i = 0; i < verdicts->count; i++)
        for (uint32_t ideal = 0; ok && ideal < IDEALS; ideal++)
            if (verdict_tries(&verdicts->cases[i], ideal, commonest))
                ok = add_ideal(verdicts, i, ideal, err);
    ok = ok && study_do(verdicts->study, err);
    for (size_t i = 0; i < verdicts->count; i++)
        for (uint32_t ideal = 0; ok && ideal < IDEALS; ideal++) {
            double cycles = (double)NAN;
            if (verdicts->tried[i][ideal])
                ok = study_sum(verdicts->study, verdicts->tried[i][ideal], "cycles", &cycles, err);
            verdicts->cases[i].gained[ideal] = verdicts->cases[i].gains.cycles - cycles;
        }
    return ok;
}

static bool
write_all(const struct study *study, const struct verdict_case *cases, size_t count,
          struct error *err)
{
    struct memory_text page, csv;
    verdicts_csv(cases, count, memory_text_open(&csv));
    bool ok = study_write_text(study, "verdicts.csv", &csv, err);
    if (ok) {
        verdicts_page(cases, count, memory_text_open(&page));
        ok = study_put_text(study, "verdicts.md", &page, err);
    }
    if (ok && study->json)
        verdicts_json(cases, count, stdout);
    return ok;
}

bool
study_verdicts(struct study *study, struct error *err)
{
    struct verdicts verdicts = {.study = study, .count = study->planned};
    verdicts.cases = mem_array(verdicts.count + 1, sizeof *verdicts.cases);
    verdicts.tried = mem_array(verdicts.count + 1, sizeof *verdicts.tried);
    verdicts.names = mem_array(verdicts.count + 1, sizeof *verdicts.names);
    bool ok = study_check_traces(study, "develop", err) && study_do(study, err);
    verdicts.count = study->planned;
    ok = ok && read_cases(&verdicts, err) && try_ideals(&verdicts, err) &&
         write_all(study, verdicts.cases, verdicts.count, err);
    for (size_t i = 0; i < verdicts.count; i++)
        free(verdicts.names[i]);
    free(verdicts.names);
    free(verdicts.cases);
    free(verdicts.tried);
    return ok;
}
