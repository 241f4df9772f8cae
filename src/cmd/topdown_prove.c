/* aetius topdown RUN --prove: the frames of a run again, on machines that have one resource ideal.
 */
#include "base/crew.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/sheet.h"
#include "cmd/simulate.h"
#include "cmd/topdown.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* A resource is accused when this share of the cycles is charged to it; a verdict is right when no
 * other one gives more by this. */
#define ACCUSED 0.03
#define WITHIN  0.02

struct proof {
    const char *dir;
    char *trace;
    struct frame_set frames; /* those simulated in time that are asked about */
    double cycles;
    struct params base;
    const struct ideal_gains *gains;
    double gained[IDEALS]; /* cycles; NAN: not tried */
};

struct answer {
    uint32_t ideal;
    bool ok;
    struct error err;
};

static char *
folder_of(const struct proof *proof, uint32_t ideal)
{
    return proof->frames.text
               ? mem_printf("%s/prove/%s-%s", proof->dir, ideals[ideal].name, proof->frames.text)
               : mem_printf("%s/prove/%s", proof->dir, ideals[ideal].name);
}

static void
add_range(struct frame_set *frames, uint32_t number)
{
    frames->ranges[frames->count].first = number;
    frames->ranges[frames->count++].last = number;
}

/* Of the frames, all of which have to be there. */
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
            ok = fail(err, "%s: its frames are in too many pieces: --frame picks some", dir);
    }
    ok = ok && (frames->count || fail(err, "%s has no such frames", path));
    csv_table_fini(&table);
    free(path);
    return ok;
}

static bool
same_frames(const struct frame_set *a, const struct frame_set *b)
{
    return a->count == b->count && !memcmp(a->ranges, b->ranges, a->count * sizeof a->ranges[0]);
}

/* A text of a run's run.json, the caller's to free; NULL: there is none. */
static char *
run_text(const char *dir, const char *name, bool *complete)
{
    char *path = mem_printf("%s/run.json", dir), *bytes = NULL;
    size_t size;
    struct error ignored;
    cJSON *root = file_read(path, 64u << 20, &bytes, &size, &ignored)
                      ? cJSON_ParseWithLength(bytes, size)
                      : NULL;
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(root, name));
    char *copy = text ? mem_strdup(text) : NULL;
    *complete = cJSON_IsTrue(cJSON_GetObjectItem(root, "complete"));
    cJSON_Delete(root);
    free(bytes);
    free(path);
    return copy;
}

/* Whether the folder holds this trace's run on this machine, with these frames: its cycles. */
static bool
is_there(const struct proof *proof, uint32_t ideal, double *cycles)
{
    struct params wanted = proof->base, found;
    struct frame_set frames = {0};
    struct error err;
    bool complete;
    char *dir = folder_of(proof, ideal), *machine = mem_printf("%s/machine.ini", dir);
    char *trace = run_text(dir, "trace", &complete);
    params_init(&found);
    bool ok = trace && complete && !strcmp(trace, proof->trace) &&
              ideal_apply(&ideals[ideal], &wanted, &err) &&
              params_load_file(&found, machine, &err) &&
              read_cycles(dir, &proof->frames, &frames, cycles, &err) &&
              same_frames(&frames, &proof->frames);
    char *a = params_to_ini(&wanted, NULL), *b = params_to_ini(&found, NULL);
    ok = ok && !strcmp(a, b);
    free(a);
    free(b);
    free(trace);
    free(machine);
    free(dir);
    return ok;
}

/* In a process of its own, whose words nobody reads. */
static bool
simulate_ideal(const struct proof *proof, uint32_t ideal, struct error *err)
{
    char *dir = folder_of(proof, ideal), *machine = mem_printf("%s/machine.ini", proof->dir);
    char *settings = mem_strdup(ideals[ideal].settings), *rest = NULL;
    struct simulate_options options = {.dir = dir, .force = true, .timed = proof->frames};
    const int nothing = open("/dev/null", O_RDWR);
    options.machine.configs.items[options.machine.configs.count++] = machine;
    for (char *one = strtok_r(settings, " ", &rest); one; one = strtok_r(NULL, " ", &rest))
        options.machine.sets.items[options.machine.sets.count++] = one;
    fflush(NULL);
    if (nothing >= 0) {
        dup2(nothing, STDOUT_FILENO);
        dup2(nothing, STDERR_FILENO);
    }
    options.warm_up = WARM_UP_ALL;
    const bool ok = dir_create(dir, err) && simulate_trace(&options, proof->trace, err);
    free(settings);
    free(machine);
    free(dir);
    return ok;
}

static noreturn void
work(struct crew *crew, const struct proof *proof, uint32_t ideal)
{
    struct answer answer;
    memset(&answer, 0, sizeof answer);
    answer.ideal = ideal;
    answer.ok = simulate_ideal(proof, ideal, &answer.err);
    crew_send(crew, &answer, sizeof answer);
    crew_leave(crew, 0);
}

/* Starts those that are not there yet while there is place. */
static bool
begin(struct crew *crew, const struct proof *proof, const uint32_t *todo, size_t count,
      size_t *begun, struct error *err)
{
    while (*begun < count && crew_size(crew) < crew_limit(crew) && !interrupt_pending()) {
        struct error why;
        const int made = crew_fork(crew, todo[*begun], &why);
        if (made > 0)
            work(crew, proof, todo[*begun]);
        if (made < 0)
            return fail(err, "%s", why.text);
        ++*begun;
    }
    return true;
}

static bool
simulate_all(const struct proof *proof, const uint32_t *todo, size_t count, uint64_t jobs,
             struct error *err)
{
    struct crew *crew = count ? crew_create(jobs ? (uint32_t)jobs : 1, err) : NULL;
    struct crew_report report;
    struct progress progress;
    size_t begun = 0, done = 0;
    bool told = false;
    if (!crew)
        return !count;
    progress_begin(&progress, "simulating with an ideal resource", count);
    bool ok = begin(crew, proof, todo, count, &begun, err);
    for (bool going = true; going;) {
        const enum crew_event event = crew_wait(crew, &report);
        const size_t before = begun;
        if (event == CREW_MESSAGE) {
            struct answer answer;
            memcpy(&answer, report.message, sizeof answer);
            done++;
            if (!answer.ok && ok)
                ok = fail(err, "with %s ideal: %s", ideals[answer.ideal].name, answer.err.text);
        } else if (event == CREW_FAILED && ok) {
            ok = fail(err, "with %s ideal: the simulation ended early", ideals[report.part].name);
        }
        if (interrupt_pending() && !told) {
            crew_signal(crew, SIGTERM);
            told = true;
        }
        ok = ok && begin(crew, proof, todo, count, &begun, err);
        progress_at(&progress, done, ideals[todo[done < count ? done : count - 1]].name);
        going = event != CREW_DONE || begun > before;
    }
    progress_end(&progress);
    crew_destroy(crew);
    return ok && interrupt_check(err);
}

/* Those that are accused, and the verdict. */
static bool
try_ideals(struct proof *proof, uint64_t jobs, struct error *err)
{
    uint32_t todo[IDEALS];
    size_t count = 0;
    double cycles;
    const enum ideal_number verdict = ideals_verdict(proof->gains);
    bool is_tried[IDEALS];
    for (uint32_t i = 0; i < IDEALS; i++) {
        is_tried[i] = i == verdict || proof->gains->charged[i] >= ACCUSED * proof->gains->cycles;
        if (is_tried[i] && !is_there(proof, i, &cycles))
            todo[count++] = i;
    }
    if (!simulate_all(proof, todo, count, jobs, err))
        return false;
    for (uint32_t i = 0; i < IDEALS; i++) {
        proof->gained[i] = NAN;
        if (is_tried[i] && !is_there(proof, i, &cycles))
            return fail(err, "%s/prove: the run with %s ideal is not whole", proof->dir,
                        ideals[i].name);
        if (is_tried[i])
            proof->gained[i] = proof->cycles - cycles;
    }
    return true;
}

/* Prints both sides; whether they agree. */
static bool
judge(const struct proof *proof, struct error *err)
{
    static const char *const titles[] = {"ideal", "charged", "expected", "gained"};
    struct sheet table = {0};
    const enum ideal_number verdict = ideals_verdict(proof->gains);
    uint32_t best = verdict;
    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++)
        sheet_cell(&table, "%s", titles[i]);
    sheet_end_row(&table);
    for (uint32_t i = 0; i < IDEALS; i++) {
        if (isnan(proof->gained[i]))
            continue;
        sheet_cell(&table, "%s", ideals[i].name);
        sheet_cell(&table, "%.1f %%", 100 * proof->gains->charged[i] / proof->cycles);
        sheet_cell(&table, "%.1f %%", 100 * proof->gains->expected[i] / proof->cycles);
        sheet_cell(&table, "%.1f %%", 100 * proof->gained[i] / proof->cycles);
        sheet_end_row(&table);
        if (proof->gained[i] > proof->gained[best])
            best = i;
    }
    puts("");
    sheet_write(&table, SHEET_TEXT, stdout);
    sheet_fini(&table);
    if (proof->gained[verdict] + WITHIN * proof->cycles >= proof->gained[best]) {
        printf("\nproven: nothing that is accused gives more than %s\n", ideals[verdict].name);
        return true;
    }
    return fail(err, "the verdict is %s, but an ideal %s gives more: %.1f %% against %.1f %%",
                ideals[verdict].name, ideals[best].name, 100 * proof->gained[best] / proof->cycles,
                100 * proof->gained[verdict] / proof->cycles);
}

bool
topdown_prove(const char *dir, const struct params *params, const struct frame_set *frames,
              const struct ideal_gains *gains, const struct topdown_request *request,
              struct error *err)
{
    struct proof proof = {.dir = dir, .base = *params, .gains = gains};
    bool complete;
    fflush(stdout);
    interrupt_watch();
    proof.trace = request->trace ? mem_strdup(request->trace) : run_text(dir, "trace", &complete);
    bool ok = proof.trace || fail(err, "%s says of no trace: --trace FILE does", dir);
    if (ok && !file_exists(proof.trace))
        ok = fail(err, "%s is not there: --trace FILE says where the trace is now", proof.trace);
    ok = ok && read_cycles(dir, frames, &proof.frames, &proof.cycles, err);
    proof.frames.text = frames->text;
    ok = ok && try_ideals(&proof, request->jobs, err) && judge(&proof, err);
    free(proof.trace);
    return ok;
}
