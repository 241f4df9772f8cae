/* aetius topdown RUN --prove: simulates the frames of a run again on machines with one ideal
 * resource each, and with the advised steps of parameters, as a sweep in RUN/prove. */
#include "base/file.h"
#include "base/interrupt.h"
#include "base/text_table.h"
#include "cmd/topdown/topdown.h"
#include "report/run/csv.h"
#include "report/run/run_json.h"
#include "report/compare/verdicts.h"
#include "sweep/store.h"
#include "sweep/work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Simulations of a proof: one per ideal resource, one of the pair that gains together, the step of
 * the verdict's resource, and the best step. */
enum { PROOF_PAIR = IDEALS, PROOF_STEPS, PROOF_STEP_COUNT = 2, PROOFS = PROOF_STEPS + 2 };
enum { PROOFS_MOST = 12 };

struct proof {
    const char *dir;
    char *trace, *preset;
    struct frame_set frames; /* requested frames that were timed */
    double cycles;
    struct params base;
    const struct ideal_gains *gains;
    enum ideal_number pair[2];
    bool has_pair; /* `pair` is expected to gain more than each resource alone */
    const struct step *steps[PROOF_STEP_COUNT]; /* NULL: none, or the same as the one before */
    double gained[PROOFS];                      /* in cycles; NAN: not tried */
    struct sweep sweep;
    size_t run_of[PROOFS]; /* index in the sweep + 1; 0: not tried */
};

static void
add_range(struct frame_set *frames, uint32_t number)
{
    frames->ranges[frames->count].first = number;
    frames->ranges[frames->count++].last = number;
}

/* Sums the cycles of the frames, all of which must exist. */
static bool
read_cycles(const char *dir, const struct frame_set *wanted, struct frame_set *frames,
            double *cycles, struct error *err)
{
    char *path = mem_printf("%s/stats.frames.csv.gz", dir);
    struct csv_table table = {0};
    bool ok = csv_read(&table, path, err);
    const int32_t frame = ok ? csv_column(&table, "frame") : -1;
    const int32_t column = ok ? csv_column(&table, "cycles") : -1;
    *cycles = 0;
    for (uint32_t r = 0; ok && frame >= 0 && column >= 0 && r < table.rows; r++) {
        const uint32_t number = (uint32_t)csv_value(&table, r, frame);
        if (!frame_set_has(wanted, number))
            continue;
        *cycles += csv_value(&table, r, column);
        if (frames->count && frames->ranges[frames->count - 1].last + 1 == number)
            frames->ranges[frames->count - 1].last = number;
        else if (frames->count < sizeof frames->ranges / sizeof frames->ranges[0])
            add_range(frames, number);
        else
            ok = fail(err, "%s: too many separate ranges of frames: select some with --frame", dir);
    }
    ok = ok && (frames->count || fail(err, "%s contains none of these frames", path));
    csv_table_fini(&table);
    free(path);
    return ok;
}

/* Adds a run of the machine, unless there are PROOFS_MOST runs. */
static bool
add_run(struct proof *proof, uint32_t number, char *name, const struct params *params,
        struct error *err)
{
    bool ok = true;
    if (proof->sweep.runs.count < PROOFS_MOST) {
        ok = sweep_add_run(&proof->sweep, 0, name, proof->preset, params, SWEEP_BLOCKS_NONE, err);
        proof->run_of[number] = proof->sweep.runs.count;
    }
    free(name);
    return ok;
}

static bool
add_ideal(struct proof *proof, uint32_t i, struct error *err)
{
    struct params params = proof->base;
    return ideal_apply(&ideals[i], &params, err) &&
           add_run(proof, i, mem_printf("ideal %s", ideals[i].name), &params, err);
}

static bool
add_pair(struct proof *proof, struct error *err)
{
    const struct ideal *first = &ideals[proof->pair[0]], *second = &ideals[proof->pair[1]];
    struct params params = proof->base;
    return ideal_apply(first, &params, err) && ideal_apply(second, &params, err) &&
           add_run(proof, PROOF_PAIR, mem_printf("ideal %s and %s", first->name, second->name),
                   &params, err);
}

static bool
add_step(struct proof *proof, uint32_t s, struct error *err)
{
    struct params params = proof->base;
    return step_apply(proof->steps[s], &params, err) &&
           add_run(proof, PROOF_STEPS + s, step_text(proof->steps[s], " "), &params, err);
}

/* Adds one run per accused resource, with that resource ideal. The verdict's resource is among
 * them. Before them, adds runs for the steps and for the pair that gains together. */
static bool
add_runs(struct proof *proof, struct error *err)
{
    const enum ideal_number verdict = ideals_verdict(proof->gains);
    bool ok = add_ideal(proof, verdict, err);
    for (uint32_t s = 0; ok && s < PROOF_STEP_COUNT; s++)
        ok = !proof->steps[s] || add_step(proof, s, err);
    ok = ok && (!proof->has_pair || add_pair(proof, err));
    for (uint32_t i = 0; ok && i < IDEALS; i++)
        if (i != verdict && proof->gains->most[i] >= VERDICT_ACCUSED * proof->gains->cycles)
            ok = add_ideal(proof, i, err);
    return ok;
}

static bool
read_gains(struct proof *proof, struct error *err)
{
    bool ok = true;
    for (uint32_t i = 0; i < PROOFS; i++) {
        proof->gained[i] = (double)NAN;
        if (!ok || !proof->run_of[i])
            continue;
        double cycles;
        char *path = mem_printf("%s/%s/stats.frames.csv.gz", proof->sweep.store,
                                proof->sweep.runs.items[proof->run_of[i] - 1].key);
        ok = csv_read_sum(path, "cycles", &cycles, err);
        proof->gained[i] = proof->cycles - cycles;
        free(path);
    }
    return ok;
}

static bool
try_ideals(struct proof *proof, uint64_t jobs, struct error *err)
{
    const struct work_options options = {.jobs = jobs ? jobs : 1};
    char *dir = mem_printf("%s/prove", proof->dir);
    char *frames = sweep_frames_text(&proof->frames, frame_set_last(&proof->frames) + 1);
    bool waits;
    const bool ok = sweep_open(&proof->sweep, dir, "", &options, err) &&
                    sweep_add_trace(&proof->sweep, "frames", proof->trace, frames, err) &&
                    add_runs(proof, err) && sweep_do(&proof->sweep, &options, &waits, err) &&
                    read_gains(proof, err);
    sweep_fini(&proof->sweep);
    free(frames);
    free(dir);
    return ok;
}

static void
put_gain(struct text_table *table, const struct proof *proof, double most, double expected,
         uint32_t number)
{
    if (isnan(most))
        text_table_cell(table, "%s", "");
    else
        text_table_cell(table, "%.1f %%", 100 * most / proof->cycles);
    text_table_cell(table, "%.1f %%", 100 * expected / proof->cycles);
    text_table_cell(table, "%.1f %%", 100 * proof->gained[number] / proof->cycles);
    text_table_end_row(table);
}

static void
put_ideals(struct text_table *table, const struct proof *proof)
{
    text_table_cells(table, "ideal|at most|expected|gained");
    text_table_end_row(table);
    for (uint32_t i = 0; i < IDEALS; i++)
        if (!isnan(proof->gained[i])) {
            text_table_cell(table, "%s", ideals[i].name);
            put_gain(table, proof, proof->gains->most[i], proof->gains->expected[i], i);
        }
    if (!isnan(proof->gained[PROOF_PAIR])) {
        const enum ideal_number first = proof->pair[0], second = proof->pair[1];
        text_table_cell(table, "%s and %s", ideals[first].name, ideals[second].name);
        put_gain(table, proof, (double)NAN, proof->gains->together[first][second], PROOF_PAIR);
    }
}

/* Prints the gains of the steps, if there are any. */
static void
print_steps(const struct proof *proof)
{
    struct text_table table = {0};
    text_table_cells(&table, "step|expected|gained");
    text_table_end_row(&table);
    bool any = false;
    for (uint32_t s = 0; s < PROOF_STEP_COUNT; s++) {
        if (isnan(proof->gained[PROOF_STEPS + s]))
            continue;
        char *text = step_text(proof->steps[s], " ");
        text_table_cell(&table, "%s", text);
        text_table_cell(&table, "%.1f %%", 100 * proof->steps[s]->expected / proof->cycles);
        text_table_cell(&table, "%.1f %%", 100 * proof->gained[PROOF_STEPS + s] / proof->cycles);
        text_table_end_row(&table);
        free(text);
        any = true;
    }
    if (any)
        puts("");
    if (any)
        text_table_put(&table, TEXT_TABLE_TEXT, stdout);
    else
        text_table_fini(&table);
}

/* Prints the measured and the expected gains. Returns whether they agree. */
static bool
print_proof(const struct proof *proof, struct error *err)
{
    struct text_table table = {0};
    const enum ideal_number verdict = ideals_verdict(proof->gains);
    uint32_t best = verdict;
    for (uint32_t i = 0; i < IDEALS; i++)
        if (proof->gained[i] > proof->gained[best])
            best = i;
    put_ideals(&table, proof);
    puts("");
    text_table_put(&table, TEXT_TABLE_TEXT, stdout);
    print_steps(proof);
    if (proof->gained[verdict] + VERDICT_WITHIN * proof->cycles >= proof->gained[best]) {
        printf("\nproven: no other ideal resource gains more than %s\n", ideals[verdict].name);
        return true;
    }
    return fail(err, "the verdict is %s, but an ideal %s gains more: %.1f %%, not %.1f %%",
                ideals[verdict].name, ideals[best].name, 100 * proof->gained[best] / proof->cycles,
                100 * proof->gained[verdict] / proof->cycles);
}

bool
topdown_prove(const char *dir, const struct params *params, const struct frame_set *frames,
              const struct ideal_gains *gains, const struct steps *steps,
              const struct topdown_request *request, struct error *err)
{
    struct proof proof = {.dir = dir, .base = *params, .gains = gains};
    proof.has_pair = ideals_together(gains, &proof.pair[0], &proof.pair[1]);
    proof.steps[0] = steps_of(steps, ideals_verdict(gains));
    proof.steps[1] = steps_best(steps, ideals_verdict(gains));
    if (proof.steps[1] == proof.steps[0])
        proof.steps[1] = NULL;
    fflush(stdout);
    interrupt_watch();
    struct run_json run;
    struct error ignored;
    if (!run_json_read(&run, dir, &ignored))
        run = (struct run_json){0};
    const char *trace = request->trace ? request->trace : run.trace;
    proof.trace = trace ? mem_strdup(trace) : NULL;
    proof.preset = mem_strdup(run.preset ? run.preset : "reference-2008");
    run_json_fini(&run);
    bool ok = proof.trace || fail(err, "%s names no trace: give it with --trace FILE", dir);
    if (ok && !file_exists(proof.trace))
        ok = fail(err, "%s does not exist: give the trace's new path with --trace FILE",
                  proof.trace);
    ok = ok && read_cycles(dir, frames, &proof.frames, &proof.cycles, err);
    ok = ok && try_ideals(&proof, request->jobs, err) && print_proof(&proof, err);
    free(proof.trace);
    free(proof.preset);
    return ok;
}
