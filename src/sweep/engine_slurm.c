/* Executes runs on a cluster, as job arrays of Slurm with several runs per element. A final job
 * collects the results. All nodes must have access to the sweep's folder and the store.
 *
 *     DIR/slurm/keys-N     runs of array N, one key per line
 *     DIR/slurm/jobs.jsonl submitted arrays: job, list, runs per element
 *
 * Only the store determines which runs are complete. An incomplete run is lost if no element of
 * Slurm's contains it, because its node failed or the element was cancelled. Lost runs are
 * submitted again. */
#include "base/file.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/plural.h"
#include "sweep/engine.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DEFAULT_ARRAY = 1000, MOST_OUTPUT = 1 << 26 };

/* Runs a Slurm program in the sweep's folder. Sets *output to its output, which the caller frees.
 */
static bool
run_slurm_command(const struct sweep *sweep, const struct word_list *words, char **output,
                  struct error *err)
{
    char **list = mem_array(words->count + 1, sizeof *list);
    struct subprocess child;
    size_t size;
    int status;
    *output = NULL;
    memcpy(list, words->items, words->count * sizeof *list);
    const bool ok = engine_start(&child, sweep->dir, list, "slurm-client", err) &&
                    subprocess_collect(&child, MOST_OUTPUT, output, &size, &status, err);
    free(list);
    if (!ok)
        return false;
    if (!status)
        return true;
    char *text = *output;
    text[strcspn(text, "\n")] = '\0';
    return fail(err, "%s: %s", words->items[0], *text ? text : "failed without a message");
}

static char *
jobs_path(const struct sweep *sweep)
{
    return mem_printf("%s/slurm/jobs.jsonl", sweep->dir);
}

/* Returns the arrays submitted so far, one JSON object per line; "" if there are none. */
static char *
read_jobs(const struct sweep *sweep)
{
    struct error ignored;
    char *path = jobs_path(sweep), *text = NULL;
    size_t size;
    if (!file_exists(path) || !file_read(path, FILE_MOST_FACTS, &text, &size, &ignored))
        text = mem_strdup("");
    free(path);
    return text;
}

/* Submits a script and sets *job to its job number. */
static bool
submit(const struct engine_request *request, struct word_list *words, const char *script,
       uint64_t *job, struct error *err)
{
    char *output = NULL;
    for (uint32_t i = 0; request->sbatch && i < request->sbatch->count; i++)
        word_list_add(words, request->sbatch->items[i]);
    word_list_add(words, script);
    bool ok = run_slurm_command(request->sweep, words, &output, err);
    /* The job number is printed as "1234" or "1234;cluster", possibly after warnings. */
    const char *line = output;
    while (ok && *line && !isdigit((unsigned char)*line)) {
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    *job = ok ? strtoull(line, NULL, 10) : 0;
    ok = ok && (*job || fail(err, "sbatch reported no job: %s", output));
    free(output);
    return ok;
}

static void
add_word(struct word_list *words, char *word)
{
    VEC_PUSH(words, word);
}

/* Adds limits per run, multiplied by the runs per element. */
static void
add_limits(const struct engine_request *request, uint64_t per_element, struct word_list *words)
{
    const struct sweep *sweep = request->sweep;
    if (sweep->limit_seconds)
        add_word(words,
                 mem_printf("--time=%llu",
                            (unsigned long long)(sweep->limit_seconds * per_element / 60 + 2)));
    if (sweep->limit_bytes)
        add_word(words,
                 mem_printf("--mem=%lluM", (unsigned long long)(sweep->limit_bytes >> 20) + 16));
}

/* Writes a script to DIR/slurm/NAME. */
static bool
write_script(const struct sweep *sweep, const char *name, const char *rest, struct error *err)
{
    char *self = engine_self(), *program = shell_word(self);
    char *path = mem_printf("%s/slurm/%s", sweep->dir, name);
    char *text = mem_printf("#!/bin/sh\nexec %s %s\n", program, rest);
    const bool ok = file_write(path, text, strlen(text), err);
    free(text);
    free(path);
    free(program);
    free(self);
    return ok;
}

static bool
write_keys(const struct engine_request *request, size_t first, size_t count, uint64_t number,
           struct error *err)
{
    char *path = mem_printf("%s/slurm/keys-%llu", request->sweep->dir, (unsigned long long)number);
    char *text = mem_array(count + 1, SWEEP_KEY_TEXT), *to = text;
    for (size_t i = 0; i < count; i++) {
        to = stpcpy(to, request->sweep->runs.items[request->todo[first + i]].key);
        *to++ = '\n';
    }
    const bool ok = file_write(path, text, (size_t)(to - text), err);
    free(text);
    free(path);
    return ok;
}

/* Appends an array to jobs.jsonl. */
static bool
note_job(const struct sweep *sweep, uint64_t job, uint64_t number, uint64_t per_element,
         struct error *err)
{
    char *path = jobs_path(sweep), *before = read_jobs(sweep);
    cJSON *object = cJSON_CreateObject();
    cJSON_AddNumberToObject(object, "job", (double)job);
    cJSON_AddNumberToObject(object, "list", (double)number);
    cJSON_AddNumberToObject(object, "per_element", (double)per_element);
    char *line = cJSON_PrintUnformatted(object), *text = mem_printf("%s%s\n", before, line);
    const bool ok = file_write(path, text, strlen(text), err);
    cJSON_Delete(object);
    free(line);
    free(text);
    free(before);
    free(path);
    return ok;
}

/* Submits one array for `count` runs, starting with run `first`. */
static bool
submit_array(const struct engine_request *request, size_t first, size_t count, uint64_t number,
             uint64_t per_element, uint64_t *job, struct error *err)
{
    const uint64_t elements = (count + per_element - 1) / per_element;
    struct word_list words = {0};
    char *script = mem_printf("slurm/array-%llu.sh", (unsigned long long)number);
    char *rest = mem_printf("sweep run . --list slurm/keys-%llu --element "
                            "\"$SLURM_ARRAY_TASK_ID\" --per-element %llu",
                            (unsigned long long)number, (unsigned long long)per_element);
    word_list_split(&words, "sbatch --parsable --job-name=aetius --output=slurm/%A_%a.out");
    add_word(&words, request->jobs
                         ? mem_printf("--array=0-%llu%%%llu", (unsigned long long)elements - 1,
                                      (unsigned long long)request->jobs)
                         : mem_printf("--array=0-%llu", (unsigned long long)elements - 1));
    add_limits(request, per_element, &words);
    bool ok = write_keys(request, first, count, number, err) &&
              write_script(request->sweep, script + strlen("slurm/"), rest, err) &&
              submit(request, &words, script, job, err) &&
              note_job(request->sweep, *job, number, per_element, err);
    if (ok)
        log_note("job %llu: %zu run%s in %llu element%s", (unsigned long long)*job, count,
                 plural(count), (unsigned long long)elements, plural(elements));
    word_list_fini(&words);
    free(rest);
    free(script);
    return ok;
}

static bool
submit_collector(const struct engine_request *request, const char *dependency, struct error *err)
{
    struct word_list words = {0};
    uint64_t job = 0;
    word_list_split(&words, "sbatch --parsable --job-name=aetius --output=slurm/collect-%j.out");
    word_list_add(&words, dependency);
    bool ok = write_script(request->sweep, "collect.sh", "sweep collect .", err) &&
              submit(request, &words, "slurm/collect.sh", &job, err);
    if (ok)
        log_note("job %llu collects the results; `aetius sweep status` shows the progress",
                 (unsigned long long)job);
    word_list_fini(&words);
    return ok;
}

static uint64_t
count_lines(const char *text)
{
    uint64_t lines = 0;
    for (; (text = strchr(text, '\n')); text++)
        lines++;
    return lines;
}

static bool
engine_slurm_begin(const struct engine_request *request, struct error *err)
{
    const uint64_t per_element = request->per_element ? request->per_element : 1;
    const uint64_t most = request->max_array ? request->max_array : DEFAULT_ARRAY;
    char *folder = sweep_path(request->sweep, "slurm"), *before = read_jobs(request->sweep);
    char *dependency = mem_strdup("--dependency=afterany");
    uint64_t number = count_lines(before), job = 0;
    bool ok = dir_create(folder, err);
    for (size_t first = 0; ok && first < request->count; first += most * per_element) {
        const size_t left = request->count - first;
        const size_t count = left < most * per_element ? left : most * per_element;
        ok = submit_array(request, first, count, ++number, per_element, &job, err);
        char *longer = mem_printf("%s:%llu", dependency, (unsigned long long)job);
        free(dependency);
        dependency = longer;
    }
    ok = ok && submit_collector(request, dependency, err);
    free(dependency);
    free(before);
    free(folder);
    return ok;
}

/* Marks the runs of an array element that Slurm still lists. */
static void
mark_element(const struct sweep *sweep, const char *keys, uint64_t first, uint64_t count,
             bool *mine)
{
    for (uint64_t line = 0; *keys; line++) {
        const size_t length = strcspn(keys, "\n");
        for (size_t i = 0; line >= first && line < first + count && i < sweep->runs.count; i++)
            if (length == SWEEP_KEY_TEXT - 1 && !strncmp(sweep->runs.items[i].key, keys, length))
                mine[i] = true;
        keys += length + (keys[length] == '\n');
    }
}

/* Marks the runs of one array. `queue` contains a line "JOB ELEMENT" for each element that Slurm
 * lists. */
static void
mark_job(const struct sweep *sweep, const cJSON *job, const char *queue, bool *mine)
{
    const double number = cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(job, "job"));
    const double list = cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(job, "list"));
    const double per = cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(job, "per_element"));
    struct error ignored;
    if (!(per >= 1 && per < 9e15 && list >= 1 && list < 9e15))
        return; /* the line was not written by note_job() */
    char *path = mem_printf("%s/slurm/keys-%.0f", sweep->dir, list), *keys = NULL;
    size_t size;
    if (file_read(path, MOST_OUTPUT, &keys, &size, &ignored))
        for (const char *line = queue; *line;) {
            unsigned long long id, element;
            if (sscanf(line, "%llu %llu", &id, &element) == 2 && (double)id == number)
                mark_element(sweep, keys, element * (uint64_t)per, (uint64_t)per, mine);
            line += strcspn(line, "\n");
            line += *line == '\n';
        }
    free(keys);
    free(path);
}

static bool
survey(const struct sweep *sweep, bool *mine, struct error *err)
{
    struct word_list words = {0};
    char *jobs = read_jobs(sweep), *queue = NULL, *rest = NULL;
    if (!*jobs) {
        free(jobs);
        return true;
    }
    word_list_split(&words, "squeue --me --noheader --array");
    word_list_add(&words, "--format=%F %K");
    const bool ok = run_slurm_command(sweep, &words, &queue, err);
    for (char *line = strtok_r(jobs, "\n", &rest); ok && line; line = strtok_r(NULL, "\n", &rest)) {
        cJSON *job = cJSON_Parse(line);
        mark_job(sweep, job, queue, mine);
        cJSON_Delete(job);
    }
    word_list_fini(&words);
    free(queue);
    free(jobs);
    return ok;
}

const struct sweep_engine engine_slurm = {
    .name = "slurm", .begin = engine_slurm_begin, .survey = survey};
