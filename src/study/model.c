/* aetius study model: simulates the sweeps of benchmarks/gl/model on machines. Fits the staged
 * model to half of each machine's rows, and checks the model with the other half. Also predicts
 * frames of programs without timing, with a model fitted to frames of other programs, and compares
 * the predictions with cycle-level runs. */
#include "base/budget.h"
#include "base/log.h"
#include "model/collect.h"
#include "model/trace_work.h"
#include "report/run/csv.h"
#include "study/model_study.h"
#include "study/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double
model_frame_error(const struct model_frame *frame)
{
    return frame->seconds / frame->predicted.seconds - 1;
}

bool
model_machine_fit(struct model_machine *machine, struct error *err)
{
    bool *fitted = model_split(&machine->rows);
    const bool ok = (model_fit(&machine->model, &machine->rows, fitted, 0, err) &&
                     model_check_rows(&machine->check, &machine->model, &machine->rows,
                                      (1u << MODEL_STAGES) - 1, false, err) &&
                     model_check_is_complete(&machine->check, &machine->rows, err)) ||
                    fail_prefix(err, "%s", machine->name);
    free(fitted);
    return ok;
}

void
model_machine_fini(struct model_machine *machine)
{
    model_check_fini(&machine->check);
    model_fini(&machine->model);
    VEC_FREE(&machine->rows);
    VEC_FREE(&machine->columns);
    VEC_FREE(&machine->frames);
}

/* ---- sweeps ---- */

/* Reads the rows back from the written file, so that a later fit of the file gives the same
 * model. */
static bool
take_rows(const struct study *study, size_t run, const char *file, struct model_rows *to,
          struct error *err)
{
    char *dir = study_folder(study, run), *name = mem_printf("%s.csv", file);
    char *path = sweep_path(&study->sweep, name);
    struct model_rows rows = {0};
    struct memory_text text;
    bool ok = model_collect(
        &rows, dir, study->sweep.traces.items[study->sweep.runs.items[run].trace].path, NULL, err);
    if (ok) {
        model_rows_print(&rows, memory_text_open(&text));
        ok = study_write_text(study, name, &text, err) && model_rows_read(to, path, err);
    }
    VEC_FREE(&rows);
    free(path);
    free(name);
    free(dir);
    return ok;
}

static bool
take_columns(const struct study *study, size_t run, struct model_machine *machine,
             struct error *err)
{
    char *file = mem_printf("%s-columns", machine->name);
    const bool ok = take_rows(study, run, file, &machine->columns, err);
    free(file);
    return ok;
}

/* ---- frames ---- */

/* A run of frames, and the work of each frame (model/trace_work.h). */
struct framed {
    size_t run;
    enum frames_part part;
    struct frame_set frames;
    struct trace_work work;
};

static bool
find_work(const struct study *study, struct framed *framed, const struct params *params,
          struct error *err)
{
    const struct sweep_trace *trace =
        &study->sweep.traces.items[study->sweep.runs.items[framed->run].trace];
    struct trace_reader *reader;
    bool ok = frame_set_parse(&framed->frames, trace->frames, err) &&
              trace_reader_open(&reader, trace->path, err);
    if (ok) {
        ok =
            trace_work_find(&framed->work, reader, &framed->frames, params, FILE_MEMORY_BYTES, err);
        trace_reader_close(reader);
    }
    return ok || fail_prefix(err, "%s", trace->name);
}

/* Adds a prediction for each simulated frame. */
static bool
predict_run(const struct study *study, const struct framed *framed, struct model_machine *machine,
            struct error *err)
{
    struct csv_table table = {0};
    char *dir = study_folder(study, framed->run);
    char *path = mem_printf("%s/stats.frames.csv.gz", dir);
    const bool ok = csv_read(&table, path, err);
    const int32_t number = ok ? csv_column(&table, "frame") : -1;
    const int32_t cycles = ok ? csv_column(&table, "cycles") : -1;
    for (uint32_t r = 0; ok && r < table.rows; r++) {
        const double at = csv_value(&table, r, number), took = csv_value(&table, r, cycles);
        struct model_frame frame = {
            .input = study_trace_name(study, study->sweep.runs.items[framed->run].trace),
            .part = framed->part,
            .seconds = took / (1e6 * machine->params.GPU.ClockMHz)};
        if (!(at < framed->work.frames.count) || !(took > 0))
            continue;
        /* The fit also ignores frames without draws. */
        if (!trace_work_draws(&framed->work, (uint32_t)at))
            continue;
        model_predict_frame(&frame.predicted, &machine->model, &framed->work, (uint32_t)at);
        VEC_PUSH(&machine->frames, frame);
    }
    csv_table_fini(&table);
    free(path);
    free(dir);
    return ok;
}

static enum frames_part
part_of(const struct study *study, size_t trace)
{
    return study_names_trace(study, "learn", trace)     ? FRAMES_LEARN
           : study_names_trace(study, "develop", trace) ? FRAMES_DEVELOP
                                                        : FRAMES_JUDGE;
}

static bool
do_frames(const struct study *study, struct framed *framed, size_t count,
          struct model_machine *machine, struct error *err)
{
    struct frame_lessons lessons = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        char *dir = study_folder(study, framed[i].run);
        ok = find_work(study, &framed[i], &machine->params, err) &&
             (framed[i].part != FRAMES_LEARN ||
              frame_lessons_add(&lessons, &framed[i].work, dir, err));
        free(dir);
    }
    ok = ok && (model_fit_frames(&machine->model, &lessons, err) ||
                fail_prefix(err, "%s: [study] learn", machine->name));
    for (size_t i = 0; ok && i < count; i++)
        ok = predict_run(study, &framed[i], machine, err);
    VEC_FREE(&lessons);
    return ok;
}

/* ---- the study ---- */

/* Processes the runs of a machine: sweeps first, then frames. */
static bool
do_machine(const struct study *study, size_t number, struct model_machine *machine,
           struct error *err)
{
    struct framed *framed = mem_array(study->planned + 1, sizeof *framed);
    size_t count = 0;
    bool ok = true;
    machine->name = study->machines.items[number];
    for (size_t run = 0; ok && run < study->planned; run++) {
        const struct sweep_run *of = &study->sweep.runs.items[run];
        if (strcmp(of->machine, machine->name) != 0)
            continue;
        ok = study_params(study, run, &machine->params, err);
        if (study_names_trace(study, "sweeps", of->trace))
            ok = ok && take_rows(study, run, machine->name, &machine->rows, err) &&
                 model_machine_fit(machine, err);
        else if (study_names_trace(study, "columns", of->trace))
            ok = ok && take_columns(study, run, machine, err);
        else
            framed[count++] = (struct framed){.run = run, .part = part_of(study, of->trace)};
    }
    ok = ok && (!count || do_frames(study, framed, count, machine, err));
    for (size_t i = 0; i < count; i++)
        trace_work_fini(&framed[i].work);
    free(framed);
    return ok;
}

/* Reads the measurements of other GPUs that [study] lists. */
static bool
read_measured(const struct study *study, struct model_study *found, struct error *err)
{
    const struct word_list *files = study_words(study, "measured");
    bool ok = true;
    for (size_t i = 0; ok && i < files->count; i++) {
        struct model_machine machine = {.name = files->items[i]};
        char *path = sweep_plan_path(study->plan, files->items[i]);
        ok = model_rows_read(&machine.rows, path, err) && model_machine_fit(&machine, err);
        VEC_PUSH(&found->measured, machine);
        free(path);
    }
    return ok;
}

static void
free_machines(struct model_study *found)
{
    for (size_t m = 0; m < found->machines.count; m++)
        model_machine_fini(&found->machines.items[m]);
    for (size_t m = 0; m < found->measured.count; m++)
        model_machine_fini(&found->measured.items[m]);
    VEC_FREE(&found->machines);
    VEC_FREE(&found->measured);
}

static bool
write_all(const struct study *study, const struct model_study *found, struct error *err)
{
    struct memory_text text;
    if (!model_charts(found, study, err))
        return false;
    model_page(found, study->sweep.dir, memory_text_open(&text));
    const bool ok = study_put_text(study, "model.md", &text, err);
    if (ok && study->json)
        model_page_json(found, stdout);
    return ok;
}

/* Checks before any simulation that a machine with frames has sweeps. */
static bool
check_sweeps(const struct study *study, struct error *err)
{
    const struct word_list *sweeps = study_words(study, "sweeps");
    for (size_t m = 0; m < study->machines.count; m++) {
        uint32_t frames = 0, found = 0;
        for (size_t run = 0; run < study->planned; run++) {
            const struct sweep_run *of = &study->sweep.runs.items[run];
            if (strcmp(of->machine, study->machines.items[m]) != 0)
                continue;
            found += study_names_trace(study, "sweeps", of->trace);
            frames += !study_names_trace(study, "sweeps", of->trace) &&
                      !study_names_trace(study, "columns", of->trace);
        }
        if (frames && !found)
            return fail(err,
                        "%s has frames to predict, but no sweeps to fit: expected an input %s, of "
                        "benchmarks/gl/model --sweep all",
                        study->machines.items[m], sweeps->count ? sweeps->items[0] : "(sweeps = )");
    }
    return true;
}

/* Checks before any simulation that the sweeps are traces of benchmarks/gl/model. */
static bool
check_labels(const struct study *study, struct error *err)
{
    bool ok = true;
    for (size_t t = 0; ok && t < study->sweep.traces.count; t++)
        for (uint32_t columns = 0; ok && columns < 2; columns++) {
            const char *name = columns ? "columns" : "sweeps";
            ok = !study_names_trace(study, name, t) ||
                 model_check_trace(study->sweep.traces.items[t].path, err) ||
                 fail_prefix(err, "[study] %s: [input %s]", name, study_trace_name(study, t));
        }
    return ok;
}

bool
study_model(struct study *study, struct error *err)
{
    struct model_study found = {0};
    bool ok =
        study_check_traces(study, "sweeps", err) && study_check_traces(study, "columns", err) &&
        study_check_traces(study, "learn", err) && study_check_traces(study, "develop", err) &&
        check_sweeps(study, err) && check_labels(study, err) && study_do(study, err);
    for (size_t m = 0; ok && m < study->machines.count; m++) {
        struct model_machine machine = {0};
        ok = do_machine(study, m, &machine, err);
        VEC_PUSH(&found.machines, machine);
    }
    ok = ok && read_measured(study, &found, err) && write_all(study, &found, err);
    free_machines(&found);
    return ok;
}
