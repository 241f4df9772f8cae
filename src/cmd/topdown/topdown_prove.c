/* aetius topdown RUN --prove: simulates the frames of a run again on machines with one ideal
 * resource each, and with the advised steps of parameters, as a sweep in RUN/prove. */
#include "base/file.h"
#include "base/interrupt.h"
#include "base/plural.h"
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

/* Machines of a proof: each ideal resource, the group that gains together, the step of the
 * verdict's resource and the best step, each limit. */
enum {
    PROOF_GROUP = IDEALS,
    PROOF_STEPS,
    PROOF_STEP_COUNT = 2,
    PROOF_LIMITS = PROOF_STEPS + PROOF_STEP_COUNT,
    PROOFS = PROOF_LIMITS + LIMITS,
    PROOFS_MOST = 12
};

struct proof {
    const char *dir;
    char *trace, *preset;
    struct frame_set frames; /* requested frames that were timed */
    double cycles;
    struct params base;
    const struct ideal_gains *gains;
    enum ideal_number verdict;
    struct ideal_group group; /* set 0: no resources gain more together than alone */
    bool limits;              /* also simulate the limits of the verdict's resource */
    const struct step *steps[PROOF_STEP_COUNT]; /* NULL: none, or the same as the one before */
    uint64_t most, wanted; /* simulations: the most, and all that the proof asks for */
    double gained[PROOFS]; /* in cycles; NAN: not tried */
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

/* Adds a run of the machine, unless the maximum number of runs has been reached. Frees `name`. */
static bool
add_run(struct proof *proof, uint32_t number, char *name, const struct params *params,
        struct error *err)
{
    bool ok = true;
    if (proof->wanted++ < proof->most) {
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
add_group(struct proof *proof, struct error *err)
{
    struct params params = proof->base;
    char words[IDEAL_GROUP_WORDS];
    ideal_group_name(&proof->group, words);
    return ideal_group_apply(&proof->group, &params, err) &&
           add_run(proof, PROOF_GROUP, mem_printf("ideal %s", words), &params, err);
}

static bool
add_limit(struct proof *proof, uint32_t i, struct error *err)
{
    struct params params = proof->base;
    return limit_apply(&limits[i], &params, err) &&
           add_run(proof, PROOF_LIMITS + i, mem_printf("without %s", limits[i].name), &params, err);
}

static bool
add_step(struct proof *proof, uint32_t s, struct error *err)
{
    struct params params = proof->base;
    return step_apply(proof->steps[s], &params, err) &&
           add_run(proof, PROOF_STEPS + s, step_text(proof->steps[s], " "), &params, err);
}

/* Adds runs for the verdict's resource, for the steps, for the group that gains together, for each
 * limit of the verdict's resource, and for each other accused resource. */
static bool
add_runs(struct proof *proof, struct error *err)
{
    bool ok = add_ideal(proof, proof->verdict, err);
    for (uint32_t s = 0; ok && s < PROOF_STEP_COUNT; s++)
        ok = !proof->steps[s] || add_step(proof, s, err);
    ok = ok && (!proof->group.set || add_group(proof, err));
    for (uint32_t i = 0; ok && i < LIMITS; i++)
        if (proof->limits && limits[i].ideal == proof->verdict)
            ok = add_limit(proof, i, err);
    for (uint32_t i = 0; ok && i < IDEALS; i++)
        if (i != proof->verdict && proof->gains->most[i] >= VERDICT_ACCUSED * proof->gains->cycles)
            ok = add_ideal(proof, i, err);
    return ok;
}

/* Prints the number of simulations, before the first one starts. */
static bool
print_count(const struct proof *proof)
{
    const size_t count = proof->sweep.runs.count;
    printf("\nprove: %zu simulation%s", count, plural(count));
    if (proof->wanted > count)
        printf(" of %llu (--most)", (unsigned long long)proof->wanted);
    puts("");
    fflush(stdout);
    return true;
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
                    add_runs(proof, err) && print_count(proof) &&
                    sweep_do(&proof->sweep, &options, &waits, err) && read_gains(proof, err);
    sweep_fini(&proof->sweep);
    free(frames);
    free(dir);
    return ok;
}

/* Adds a line of the table; `most` or `expected` NAN: not predicted. */
static void
put_gain(struct text_table *table, const struct proof *proof, const char *name, double most,
         double expected, double gained)
{
    const double values[] = {most, expected, gained};
    text_table_cell(table, "%s", name);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        if (isnan(values[i]))
            text_table_cell(table, "%s", "");
        else
            text_table_cell(table, "%.1f %%", 100 * values[i] / proof->cycles);
    text_table_end_row(table);
}

static void
print_gains(const struct proof *proof)
{
    struct text_table table = {0};
    const double none = (double)NAN;
    text_table_cells(&table, "ideal|at most|expected|gained");
    text_table_end_row(&table);
    for (uint32_t i = 0; i < IDEALS; i++)
        if (!isnan(proof->gained[i]))
            put_gain(&table, proof, ideals[i].name, proof->gains->most[i],
                     proof->gains->expected[i], proof->gained[i]);
    if (!isnan(proof->gained[PROOF_GROUP])) {
        char words[IDEAL_GROUP_WORDS];
        ideal_group_name(&proof->group, words);
        put_gain(&table, proof, words, none, proof->group.expected, proof->gained[PROOF_GROUP]);
    }
    for (uint32_t i = 0; i < LIMITS; i++)
        if (!isnan(proof->gained[PROOF_LIMITS + i]))
            put_gain(&table, proof, limits[i].name, none, none, proof->gained[PROOF_LIMITS + i]);
    puts("");
    text_table_put(&table, TEXT_TABLE_TEXT, stdout);
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
    if (any) {
        puts("");
        text_table_put(&table, TEXT_TABLE_TEXT, stdout);
    } else {
        text_table_fini(&table);
    }
}

/* Compares the verdict, or the group that gains together, with each resource that was tried. */
static bool
judge(const struct proof *proof, struct error *err)
{
    char words[IDEAL_GROUP_WORDS];
    const bool is_group = proof->gained[PROOF_GROUP] > proof->gained[proof->verdict];
    const double gained = proof->gained[is_group ? PROOF_GROUP : proof->verdict];
    uint32_t best = proof->verdict;
    ideal_group_name(&proof->group, words);
    for (uint32_t i = 0; i < IDEALS; i++)
        if (proof->gained[i] > proof->gained[best])
            best = i;
    if (gained + VERDICT_WITHIN * proof->cycles >= proof->gained[best]) {
        printf("\nproven: no other ideal resource gains more than %s%s\n",
               is_group ? words : ideals[proof->verdict].name, is_group ? " together" : "");
        return true;
    }
    return fail(err, "the verdict is %s, but an ideal %s gains more: %.1f %%, not %.1f %%",
                ideals[proof->verdict].name, ideals[best].name,
                100 * proof->gained[best] / proof->cycles, 100 * gained / proof->cycles);
}

bool
topdown_prove(const char *dir, const struct params *params, const struct frame_set *frames,
              const struct ideal_gains *gains, const struct steps *steps,
              const struct topdown_request *request, struct error *err)
{
    struct proof proof = {.dir = dir, .base = *params, .gains = gains, .limits = request->limits};
    proof.verdict = ideals_verdict(gains);
    proof.most = request->most ? request->most : PROOFS_MOST;
    ideals_together(gains, &proof.group);
    proof.steps[0] = steps_of(steps, proof.verdict);
    proof.steps[1] = steps_best(steps);
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
    ok = ok && try_ideals(&proof, request->jobs, err);
    if (ok) {
        print_gains(&proof);
        print_steps(&proof);
    }
    ok = ok && judge(&proof, err);
    free(proof.trace);
    free(proof.preset);
    return ok;
}
