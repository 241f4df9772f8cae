#include "study/study.h"

#include "base/file.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "report/run/csv.h"
#include "study/files.h"
#include "study/inputs.h"
#include "sweep/database.h"
#include "sweep/store.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct study_kind study_kinds[] = {
#define STUDY(name, words, files, help) {#name, help, words, files, study_##name},
#include "study/studies.def"
};
const size_t study_kind_count = sizeof study_kinds / sizeof study_kinds[0];

const struct study_kind *
study_find(const char *name)
{
    for (size_t i = 0; i < study_kind_count; i++)
        if (!strcmp(study_kinds[i].name, name))
            return &study_kinds[i];
    return NULL;
}

char *
study_names(void)
{
    char *names = mem_strdup("");
    for (size_t i = 0; i < study_kind_count; i++) {
        char *longer = mem_printf("%s%s%s", names, i ? ", " : "", study_kinds[i].name);
        free(names);
        names = longer;
    }
    return names;
}

const struct word_list *
study_words(const struct study *study, const char *name)
{
    return sweep_plan_words(study->plan, name);
}

const char *
study_trace_name(const struct study *study, size_t trace)
{
    return study->sweep.traces.items[trace].name;
}

bool
study_names_trace(const struct study *study, const char *name, size_t trace)
{
    return word_list_has(study_words(study, name), study_trace_name(study, trace));
}

bool
study_picks_trace(const struct study *study, const char *name, size_t trace)
{
    return !study->has_plan_inputs || study_names_trace(study, name, trace);
}

bool
study_has_machine(const struct study *study, const char *name)
{
    const size_t length = strlen(name);
    for (size_t i = 0; i < study->machines.count; i++) {
        const char *machine = study->machines.items[i];
        if (!strncmp(machine, name, length) && (!machine[length] || machine[length] == ','))
            return true;
    }
    return false;
}

bool
study_names_machine(const struct study *study, const char *name, size_t machine)
{
    return word_list_has(study_words(study, name), study->machines.items[machine]);
}

bool
study_check_traces(const struct study *study, const char *name, struct error *err)
{
    const struct word_list *words = study_words(study, name);
    for (size_t i = 0; i < words->count && study->is_whole; i++) {
        size_t t = 0;
        while (t < study->sweep.traces.count &&
               strcmp(study_trace_name(study, t), words->items[i]) != 0)
            t++;
        if (t == study->sweep.traces.count)
            return fail(err, "%s: [study] %s: unknown input '%s'", study->plan->path, name,
                        words->items[i]);
    }
    return true;
}

bool
study_check_machines(const struct study *study, const char *name, struct error *err)
{
    const struct word_list *words = study_words(study, name);
    for (size_t i = 0; i < words->count && study->is_whole; i++)
        if (!word_list_has(&study->machines, words->items[i]))
            return fail(err, "%s: [study] %s: unknown machine '%s'", study->plan->path, name,
                        words->items[i]);
    return true;
}

size_t
study_run(const struct study *study, size_t trace, size_t machine)
{
    return machine * study->sweep.traces.count + trace;
}

char *
study_folder(const struct study *study, size_t run)
{
    return store_path(study->sweep.store, study->sweep.runs.items[run].key);
}

bool
study_params(const struct study *study, size_t run, struct params *params, struct error *err)
{
    const struct sweep_run *of = &study->sweep.runs.items[run];
    struct preset_cache presets = {0};
    const bool ok = machine_make(&presets, of->preset, &of->sets, params, err);
    preset_cache_fini(&presets);
    return ok;
}

bool
study_add_run(struct study *study, size_t run, const char *suffix, const struct params *params,
              size_t *added, struct error *err)
{
    const struct sweep_run like = study->sweep.runs.items[run];
    char *machine = mem_printf("%s,%s", like.machine, suffix);
    const bool ok =
        sweep_add_run(&study->sweep, like.trace, machine, like.preset, params, like.blocks, err);
    *added = study->sweep.runs.count - 1;
    free(machine);
    return ok;
}

static void
list_machines(struct study *study)
{
    word_list_fini(&study->machines);
    study->planned = study->sweep.runs.count;
    for (size_t i = 0; i < study->planned; i++)
        if (!word_list_has(&study->machines, study->sweep.runs.items[i].machine))
            word_list_add(&study->machines, study->sweep.runs.items[i].machine);
}

/* Updates the counts for the remaining inputs. */
static void
count_inputs(struct study *study)
{
    study->is_whole &= !study->sweep.missing;
    list_machines(study);
}

/* Checks the inputs once, before the first run. */
static bool
check_inputs(struct study *study, struct error *err)
{
    const bool ok = study->is_checked || study_check_inputs(study, err);
    if (ok && !study->is_checked)
        count_inputs(study);
    study->is_checked = true;
    return ok;
}

/* With keep_going, omits inputs for which a run of the plan failed. Returns false if the runs are
 * incomplete for another reason, or if no input remains. */
static bool
drop_failed(struct study *study, struct error *err)
{
    struct sweep *sweep = &study->sweep;
    bool *failed = mem_array(sweep->traces.count + 1, sizeof *failed);
    bool ok =
        study->options->keep_going && !interrupt_pending() && sweep->runs.count == study->planned;
    for (size_t i = 0; ok && i < sweep->runs.count; i++) {
        const enum sweep_state state = sweep_state_of(sweep, &sweep->runs.items[i]);
        ok = state == SWEEP_DONE || state == SWEEP_FAILED;
        failed[sweep->runs.items[i].trace] |= state == SWEEP_FAILED;
    }
    for (uint32_t t = (uint32_t)sweep->traces.count; ok && t-- > 0;)
        if (failed[t])
            sweep_drop_trace(sweep, t);
    free(failed);
    if (!ok || !sweep->runs.count)
        return false;
    log_warning("%s", err->text);
    count_inputs(study);
    return sweep_save(sweep, err);
}

bool
study_do(struct study *study, struct error *err)
{
    return check_inputs(study, err) &&
           (sweep_do(&study->sweep, study->options, &study->waits, err) ||
            drop_failed(study, err)) &&
           !study->waits && database_build(&study->sweep, study->plan, err);
}

bool
study_sum(const struct study *study, size_t run, const char *column, double *sum, struct error *err)
{
    char *dir = study_folder(study, run), *path = mem_printf("%s/stats.frames.csv.gz", dir);
    const bool ok = csv_read_sum(path, column, sum, err);
    free(path);
    free(dir);
    return ok;
}

bool
study_query(const struct study *study, const char *sql, struct text_table *rows, struct error *err)
{
    sqlite3 *db = NULL;
    const bool ok =
        database_open(&study->sweep, &db, err) && database_query(&study->sweep, db, sql, rows, err);
    sqlite3_close(db);
    return ok;
}

bool
study_put_plot(const struct study *study, const struct plot *plot, const char *name,
               struct error *err)
{
    const char *ends[2 + PLOT_FORMATS] = {"dat", "gnuplot"};
    size_t count = 2;
    bool ok = true;
    for (uint32_t format = 0; format < PLOT_FORMATS; format++)
        if (format == PLOT_SVG || study->formats >> format & 1)
            ends[count++] = plot_formats[format];
    for (size_t i = 0; ok && i < count; i++) {
        char *file = mem_printf("%s.%s", name, ends[i]), *path = sweep_path(&study->sweep, file);
        ok = study_claim(study, file, err);
        if (ok)
            unlink(path); /* removes the old plot, in case no new one is written */
        free(path);
        free(file);
    }
    return ok && plot_write(plot, study->sweep.dir, name, study->formats, err);
}

bool
study_has_plot(const struct study *study, const char *name)
{
    char *file = mem_printf("%s.svg", name), *path = sweep_path(&study->sweep, file);
    const bool is_there = file_exists(path);
    free(path);
    free(file);
    return is_there;
}

bool
study_write(const struct study *study, const char *name, const char *text, struct error *err)
{
    char *path = sweep_path(&study->sweep, name);
    const bool ok = study_claim(study, name, err) && file_write(path, text, strlen(text), err);
    free(path);
    return ok;
}

bool
study_put_page(const struct study *study, const char *name, const char *text, struct error *err)
{
    const size_t title = strncmp(text, "# ", 2) ? 0 : strcspn(text, "\n") + 1;
    char *page = study->with
                     ? mem_printf("%.*s%sRun with: `%s`\n%s%s", (int)title, text, title ? "\n" : "",
                                  study->with, title ? "" : "\n", text + title)
                     : mem_strdup(text);
    const bool ok = study_write(study, name, page, err);
    if (ok && !study->json)
        fputs(page, stdout);
    free(page);
    return ok;
}

bool
study_put_text(const struct study *study, const char *name, struct memory_text *text,
               struct error *err)
{
    char *bytes = memory_text_take(text);
    const bool ok = study_put_page(study, name, bytes, err);
    free(bytes);
    return ok;
}

bool
study_write_text(const struct study *study, const char *name, struct memory_text *text,
                 struct error *err)
{
    char *bytes = memory_text_take(text);
    const bool ok = study_write(study, name, bytes, err);
    free(bytes);
    return ok;
}

bool
study_write_sheet(const struct study *study, const char *name, const struct text_table *table,
                  enum text_table_style style, struct error *err)
{
    struct memory_text text;
    text_table_write(table, style, memory_text_open(&text));
    return study_write_text(study, name, &text, err);
}

/* Checks that [study] has only keys that the study knows. */
static bool
check_words(const struct study_request *request, struct error *err)
{
    struct word_list known = {0};
    const char *unknown = NULL;
    word_list_split(&known, request->kind->words);
    for (size_t i = 0; i < request->plan->study.count; i++)
        if (!word_list_has(&known, request->plan->study.items[i].name))
            unknown = request->plan->study.items[i].name;
    word_list_fini(&known);
    return !unknown ||
           fail(err, "%s: [study] has no '%s': expected %s%s", request->plan->path, unknown,
                *request->kind->words ? "one of " : "no lines", request->kind->words);
}

bool
study_perform(const struct study_request *request, bool *waits, struct error *err)
{
    struct study_files files = {0};
    struct study study = {.files = &files,
                          .kind = request->kind,
                          .plan = request->plan,
                          .options = request->options,
                          .with = request->with,
                          .json = request->json,
                          .formats = request->formats,
                          .has_plan_inputs = request->has_plan_inputs,
                          .is_whole = request->is_whole};
    *waits = false;
    if (!check_words(request, err))
        return false;
    bool ok = study_files_read(&files, request->dir, err) &&
              sweep_open(&study.sweep, request->dir, request->plan->path, request->options, err) &&
              study_files_check(&study, err) &&
              sweep_prepare(&study.sweep, request->plan, request->options, true, err) &&
              sweep_copy_plan(&study.sweep, request->plan, err);
    if (ok) {
        count_inputs(&study);
        ok = request->kind->make(&study, err) && study_files_finish(&study, err) &&
             sweep_check_missing(&study.sweep, err);
    }
    *waits = study.waits;
    word_list_fini(&study.machines);
    study_files_fini(&files);
    sweep_fini(&study.sweep);
    return ok;
}
