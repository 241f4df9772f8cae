#include "cmd/study_runs.h"

#include "base/build.h"
#include "base/file.h"
#include "base/log.h"
#include "base/schema.h"
#include "kernel/params.h"
#include "cmd/run_cache.h"
#include "report/csv.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int cmd_capture(int argc, char **argv);
int cmd_trim(int argc, char **argv);
int cmd_sim(int argc, char **argv);

/* The words of a command; those that are made for it are freed with it. */
struct words {
    struct text_list list;
};

static void
add(struct words *words, const char *text)
{
    VEC_PUSH(&words->list, mem_strdup(text));
}

static void
add_option(struct words *words, const char *name, const char *value)
{
    add(words, name);
    add(words, value);
}

static bool
call(int (*command)(int argc, char **argv), struct words *words, struct error *err)
{
    const int count = (int)words->list.count;
    VEC_PUSH(&words->list, NULL);
    const int status = command(count, words->list.items);
    if (status != EXIT_WELL)
        fail(err, "`aetius %s` failed", words->list.items[0]);
    for (int i = 0; i < count; i++)
        free(words->list.items[i]);
    VEC_FREE(&words->list);
    return status == EXIT_WELL;
}

char *
study_trace_path(const struct study_run *run, size_t trace)
{
    const struct study_trace *t = &run->study->plan->traces.items[trace];
    return t->file ? mem_strdup(t->file) : mem_printf("%s/traces/%s.trace", run->dir, t->name);
}

/* What a source's traces were made of lies beside them; both are the caller's to free. */
static char *
source_path(const struct study_run *run, size_t source)
{
    return mem_printf("%s/traces/%s.source", run->dir,
                      run->study->plan->sources.items[source].name);
}

static char *
source_text(const struct study_run *run, size_t number)
{
    const struct study_source *source = &run->study->plan->sources.items[number];
    char *text = mem_printf("frames %s, warm-up %s:", source->frames,
                            source->warm_up ? source->warm_up : "all");
    for (size_t i = 0; i < source->program.count; i++) {
        char *longer = mem_printf("%s %s", text, source->program.items[i]);
        free(text);
        text = longer;
    }
    return text;
}

static bool
is_of_source(const struct study_run *run, size_t source)
{
    struct error err;
    char *path = source_path(run, source), *wanted = source_text(run, source), *there = NULL;
    size_t size;
    const bool same = file_exists(path) && file_read(path, FILE_MOST_TEXT, &there, &size, &err) &&
                      !strcmp(there, wanted);
    free(there);
    free(wanted);
    free(path);
    return same;
}

bool
study_lacks_source(const struct study_run *run, size_t source)
{
    const struct study_plan *plan = run->study->plan;
    const bool same = plan->sources.items[source].file || is_of_source(run, source);
    bool lacks = false;
    for (size_t i = 0; i < plan->traces.count; i++) {
        if (plan->traces.items[i].file || plan->traces.items[i].source != source)
            continue;
        char *path = study_trace_path(run, i);
        lacks |= !same || !file_exists(path);
        free(path);
    }
    return lacks;
}

/* From the program's start to the last frame that is wanted. */
static bool
record(const struct study_source *source, const char *path, struct error *err)
{
    struct words words = {0};
    char *frames = mem_printf("0-%u", frame_set_last(&source->ranges));
    add(&words, "capture");
    add_option(&words, "-o", path);
    add_option(&words, "--frames", frames);
    add(&words, "--stop");
    add(&words, "--force");
    add(&words, "--");
    for (size_t i = 0; i < source->program.count; i++)
        add(&words, source->program.items[i]);
    free(frames);
    return call(cmd_capture, &words, err);
}

/* One range to a file, several to a folder. */
static bool
cut(const struct study_source *source, const char *from, const char *to, struct error *err)
{
    struct words words = {0};
    add(&words, "trim");
    add(&words, from);
    add_option(&words, "--frames", source->frames);
    if (source->warm_up)
        add_option(&words, "--warm-up", source->warm_up);
    add_option(&words, "-o", to);
    add(&words, "--force");
    return call(cmd_trim, &words, err);
}

/* The traces take their places last: one that is there is whole. */
static bool
put_in_place(const struct study_run *run, size_t number, const char *cuts, struct error *err)
{
    const struct study_plan *plan = run->study->plan;
    const struct study_source *source = &plan->sources.items[number];
    bool ok = true;
    for (size_t i = 0; ok && i < plan->traces.count; i++) {
        const struct study_trace *trace = &plan->traces.items[i];
        if (trace->file || trace->source != number)
            continue;
        char *to = study_trace_path(run, i);
        char *from = source->ranges.count == 1
                         ? mem_strdup(cuts)
                         : mem_printf("%s/frames-%u-%u.trace", cuts,
                                      source->ranges.ranges[trace->range].first,
                                      source->ranges.ranges[trace->range].last);
        ok = !rename(from, to) || fail(err, "cannot move %s to %s", from, to);
        free(from);
        free(to);
    }
    char *path = source_path(run, number), *text = source_text(run, number);
    ok = ok && file_write(path, text, strlen(text), err);
    free(text);
    free(path);
    return ok;
}

bool
study_capture(const struct study_run *run, const struct study_job *job, struct error *err)
{
    const struct study_source *source = &run->study->plan->sources.items[job->trace];
    char *whole = mem_printf("%s/traces/%s.whole", run->dir, source->name);
    char *cuts = mem_printf("%s/traces/%s.cut", run->dir, source->name);
    char *home = mem_printf("%s/traces/%s.home", run->dir, source->name);
    bool ok = dir_create(home, err);
    setenv("HOME", home, true); /* the program begins as on its first day */
    ok = ok && record(source, whole, err) && cut(source, whole, cuts, err) &&
         put_in_place(run, job->trace, cuts, err);
    unlink(whole);
    unlink(cuts);
    dir_remove_files(cuts, NULL);
    free(whole);
    free(cuts);
    free(home);
    return ok;
}

bool
study_capture_all(const struct study_run *run, uint32_t limit, struct error *err)
{
    const struct study_plan *plan = run->study->plan;
    struct study_job *jobs = mem_alloc((plan->sources.count + 1) * sizeof *jobs);
    size_t count = 0;
    for (size_t i = 0; i < plan->sources.count; i++)
        if (study_lacks_source(run, i))
            jobs[count++] = (struct study_job){
                .label = plan->sources.items[i].name, .work = study_capture, .trace = i};
    const bool ok = study_do(run, jobs, count, limit, "capturing", err);
    free(jobs);
    return ok;
}

bool
study_codec_fits(uint32_t kind, const struct codec *codec)
{
    const struct param_info *info = param_find(
        kind == COMPRESSION_COLOR ? "COLORWRITE" : "ZSTENCILTEST", "CompressionAlgorithm");
    char *choices = mem_strdup(info->choices), *rest = NULL;
    bool fits = false;
    for (char *name = strtok_r(choices, "|", &rest); name; name = strtok_r(NULL, "|", &rest))
        fits |= !strcmp(name, codec->name);
    free(choices);
    return fits;
}

static const struct codec *
codec_in_machine(const struct study_run *run, bool in_machine, uint32_t kind)
{
    return in_machine ? run->study->chosen[kind] : NULL;
}

/* `sim` and its options, but for the folder and the trace. What is captured of one codec is judged
 * for all of them, so lines must cross whatever the codec made of them: read before they are
 * written, and whole. */
static void
add_machine(struct words *words, const struct study_run *run, size_t configuration, bool in_machine)
{
    const struct study_plan *plan = run->study->plan;
    const struct text_list *sets[2] = {&plan->sets,
                                       &plan->configurations.items[configuration].sets};
    add(words, "sim");
    add_option(words, "--preset", study_plan_preset(plan, configuration));
    add_option(words, "--set", "COLORWRITE.ReadBeforeWrite=TRUE");
    for (uint32_t kind = 0; kind < COMPRESSION_KINDS; kind++) {
        const struct codec *codec = codec_in_machine(run, in_machine, kind);
        char *set = mem_printf("%s.CompressionAlgorithm=%s",
                               kind == COMPRESSION_COLOR ? "COLORWRITE" : "ZSTENCILTEST",
                               codec ? codec->name : "none");
        add_option(words, "--set", set);
        free(set);
    }
    for (uint32_t s = 0; s < 2; s++)
        for (size_t i = 0; i < sets[s]->count; i++)
            add_option(words, "--set", sets[s]->items[i]);
    if (run->frames)
        add_option(words, "--frames", run->frames);
    add(words, "--capture-blocks");
    add(words, "--force");
}

/* The preset's name is among the options, but its file may change. */
static bool
add_preset(char **key, const char *preset, struct error *err)
{
    char *name = mem_printf("%s.ini", preset), *path = data_path("configs", name), *longer;
    uint64_t hash = 0;
    size_t size;
    const bool ok =
        path ? file_identity(path, &hash, &size, err) : fail(err, "there is no preset %s", preset);
    if (ok) {
        longer = mem_printf("%s %016llx %s", *key, (unsigned long long)hash, AETIUS_VERSION);
        free(*key);
        *key = longer;
    }
    free(path);
    free(name);
    return ok;
}

/* What a result is the result of: the trace's and the preset's bytes, all options, and this
 * program's version. NULL after a failure. */
static char *
make_key(const struct study_run *run, size_t trace, size_t configuration, bool in_machine,
         struct error *err)
{
    struct words words = {0};
    char *path = study_trace_path(run, trace);
    uint64_t hash;
    size_t size;
    const bool ok = file_identity(path, &hash, &size, err);
    free(path);
    if (!ok)
        return NULL;
    char *key = mem_printf("%016llx %zu", (unsigned long long)hash, size);
    if (!add_preset(&key, study_plan_preset(run->study->plan, configuration), err)) {
        free(key);
        return NULL;
    }
    add_machine(&words, run, configuration, in_machine);
    for (size_t i = 0; i < words.list.count; i++) {
        char *longer = mem_printf("%s %s", key, words.list.items[i]);
        free(key);
        free(words.list.items[i]);
        key = longer;
    }
    VEC_FREE(&words.list);
    return key;
}

/* "runs/build.x4", with a codec in the machine "runs/build.x4.machine" */
static char *
run_folder(const struct study_run *run, size_t trace, size_t configuration, bool in_machine)
{
    const struct study_plan *plan = run->study->plan;
    return mem_printf("%s/runs/%s.%s%s", run->dir, plan->traces.items[trace].name,
                      plan->configurations.items[configuration].name, in_machine ? ".machine" : "");
}

bool
study_read_run(const struct study_run *run, size_t trace, size_t configuration, bool in_machine,
               struct study_result *result, struct error *err)
{
    char *key = make_key(run, trace, configuration, in_machine, err);
    if (!key)
        return false;
    char *dir = run_folder(run, trace, configuration, in_machine);
    char *path = mem_printf("%s/result.json", dir);
    const bool ok = study_result_read(result, path, key, err);
    free(path);
    free(dir);
    free(key);
    return ok;
}

/* The sum of a column. */
static bool
sum_column(const struct csv_table *table, const char *path, const char *name, uint64_t *sum,
           struct error *err)
{
    const int32_t column = csv_column(table, name);
    *sum = 0;
    if (column < 0 || !table->is_number[column])
        return fail(err, "%s has no %s", path, name);
    for (uint32_t row = 0; row < table->rows; row++)
        *sum += table->values[(size_t)row * table->columns + (uint32_t)column];
    return true;
}

/* What the memory controller counted, from the run's table of frames. */
static bool
read_traffic(struct study_result *result, const char *dir, struct error *err)
{
    static const struct {
        const char *name;
        enum study_client client;
    } columns[] = {
        {"memctl.command_bytes_read", STUDY_TRANSFERS},
        {"memctl.command_bytes_written", STUDY_TRANSFERS},
        {"memctl.index_bytes_read", STUDY_GEOMETRY},
        {"memctl.attribute_bytes_read", STUDY_GEOMETRY},
        {"memctl.texture_bytes_read", STUDY_TEXTURE},
        {"memctl.z_bytes_read", STUDY_Z},
        {"memctl.z_bytes_written", STUDY_Z},
        {"memctl.color_bytes_read", STUDY_COLOR},
        {"memctl.color_bytes_written", STUDY_COLOR},
        {"memctl.blit_bytes_read", STUDY_TRANSFERS},
        {"memctl.blit_bytes_written", STUDY_TRANSFERS},
        {"memctl.dac_bytes_read", STUDY_DAC},
    };
    struct csv_table table = {0};
    char *path = mem_printf("%s/stats.frames.csv.gz", dir);
    uint64_t bytes = 0, read = 0, written = 0, shared = 0;
    bool ok = csv_read(&table, path, err);
    for (size_t i = 0; ok && i < sizeof columns / sizeof columns[0]; i++) {
        ok = sum_column(&table, path, columns[i].name, &bytes, err);
        result->bytes[columns[i].client] += bytes;
        shared += bytes;
    }
    ok = ok && sum_column(&table, path, "memctl.bytes_read", &read, err) &&
         sum_column(&table, path, "memctl.bytes_written", &written, err);
    if (ok && shared != read + written)
        ok = fail(err, "%s: some client of the memory has no share of the study's chart", path);
    csv_table_fini(&table);
    free(path);
    return ok;
}

static bool
read_facts(struct study_result *result, const char *dir, struct error *err)
{
    char *path = mem_printf("%s/run.json", dir), *text = NULL;
    size_t size;
    bool ok = file_read(path, FILE_MOST_FACTS, &text, &size, err);
    cJSON *root = ok ? cJSON_Parse(text) : NULL;
    const cJSON *frames = cJSON_GetObjectItemCaseSensitive(root, "frames");
    const cJSON *cycles = cJSON_GetObjectItemCaseSensitive(root, "cycles");
    const cJSON *rate = cJSON_GetObjectItemCaseSensitive(
        cJSON_GetObjectItemCaseSensitive(root, "metrics"), "frame_rate");
    const cJSON *schema = cJSON_GetObjectItemCaseSensitive(root, "schema");
    ok = ok && (!schema || schema_check(path, schema->valuedouble, err));
    if (ok && !(cJSON_IsNumber(frames) && cJSON_IsNumber(cycles) && cJSON_IsNumber(rate)))
        ok = fail(err, "%s tells of no frame", path);
    if (ok) {
        result->frames = (uint32_t)frames->valuedouble;
        result->cycles = (uint64_t)cycles->valuedouble;
        result->frame_rate = rate->valuedouble;
    }
    cJSON_Delete(root);
    free(text);
    free(path);
    return ok;
}

/* All codecs over what was captured, for both buses. */
static bool
compress(struct study_result *result, const char *dir, struct error *err)
{
    bool ok = true;
    for (uint32_t bus = 0; bus < CODEC_BUSES; bus++) {
        result->buses[bus].bus = bus;
        result->buses[bus].threads = 1;
        for (uint32_t kind = 0; ok && kind < COMPRESSION_KINDS; kind++) {
            char *path = mem_printf("%s/blocks.%s", dir, study_kinds[kind]);
            ok = compression_add_file(&result->buses[bus], path, err);
            free(path);
        }
    }
    return ok;
}

static void
remove_blocks(const char *dir)
{
    for (uint32_t kind = 0; kind < COMPRESSION_KINDS; kind++) {
        char *path = mem_printf("%s/blocks.%s", dir, study_kinds[kind]);
        unlink(path);
        free(path);
    }
}

static bool
simulate(const struct study_run *run, const struct study_job *job, const char *dir,
         struct error *err)
{
    struct words words = {0};
    char *trace = study_trace_path(run, job->trace);
    add_machine(&words, run, job->configuration, job->in_machine);
    add_option(&words, "-o", dir);
    add(&words, trace);
    free(trace);
    return call(cmd_sim, &words, err);
}

bool
study_simulate(const struct study_run *run, const struct study_job *job, struct error *err)
{
    const struct codec *codec_of[COMPRESSION_KINDS];
    struct study_result result = {0};
    char *dir = run_folder(run, job->trace, job->configuration, job->in_machine);
    char *path = mem_printf("%s/result.json", dir);
    char *key = make_key(run, job->trace, job->configuration, job->in_machine, err);
    for (uint32_t kind = 0; kind < COMPRESSION_KINDS; kind++)
        codec_of[kind] = codec_in_machine(run, job->in_machine, kind);
    bool ok = key && simulate(run, job, dir, err) && read_facts(&result, dir, err) &&
              read_traffic(&result, dir, err) && compress(&result, dir, err) &&
              study_result_check(&result, codec_of, err) &&
              study_result_write(&result, path, key, err);
    if (!run->keep_blocks)
        remove_blocks(dir);
    free(key);
    free(path);
    free(dir);
    return ok;
}
