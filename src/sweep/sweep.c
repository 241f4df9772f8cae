#include "sweep/sweep.h"

#include "base/file.h"
#include "base/interrupt.h"
#include "base/json.h"
#include "base/memory_text.h"
#include "base/schema.h"
#include "sweep/store.h"
#include "trace/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RUNS_BYTES = 1 << 30 };

void
sweep_init(struct sweep *sweep, const char *dir, const char *store)
{
    memset(sweep, 0, sizeof *sweep);
    sweep->lock = -1;
    sweep->dir = mem_strdup(dir);
    sweep->store = store ? mem_strdup(store) : mem_printf("%s/runs", dir);
}

static void
free_run(struct sweep_run *run)
{
    free(run->machine);
    free(run->preset);
    word_list_fini(&run->sets);
}

static void
free_trace(struct sweep_trace *trace)
{
    free(trace->name);
    free(trace->path);
    free(trace->captured);
    free(trace->frames);
}

void
sweep_drop_trace(struct sweep *sweep, uint32_t trace)
{
    size_t kept = 0;
    free_trace(&sweep->traces.items[trace]);
    for (size_t i = trace + 1; i < sweep->traces.count; i++)
        sweep->traces.items[i - 1] = sweep->traces.items[i];
    sweep->traces.count--;
    for (size_t i = 0; i < sweep->runs.count; i++) {
        struct sweep_run *run = &sweep->runs.items[i];
        if (run->trace == trace) {
            free_run(run);
            continue;
        }
        run->trace -= run->trace > trace;
        sweep->runs.items[kept++] = *run;
    }
    sweep->runs.count = kept;
    sweep->missing++;
}

void
sweep_fini(struct sweep *sweep)
{
    for (size_t i = 0; i < sweep->traces.count; i++)
        free_trace(&sweep->traces.items[i]);
    for (size_t i = 0; i < sweep->runs.count; i++)
        free_run(&sweep->runs.items[i]);
    VEC_FREE(&sweep->traces);
    VEC_FREE(&sweep->runs);
    free(sweep->dir);
    free(sweep->store);
    dir_unlock(sweep->lock);
    memset(sweep, 0, sizeof *sweep);
    sweep->lock = -1;
}

char *
sweep_path(const struct sweep *sweep, const char *name)
{
    return mem_printf("%s/%s", sweep->dir, name);
}

char *
sweep_frames_text(const struct frame_set *frames, uint32_t count)
{
    char *text = mem_strdup("");
    for (uint32_t first = 0, last; first < count; first = last + 1) {
        for (; first < count && !frame_set_has(frames, first); first++)
            ;
        if (first == count)
            break;
        for (last = first; last + 1 < count && frame_set_has(frames, last + 1); last++)
            ;
        char *longer = first == last ? mem_printf("%s%s%u", text, *text ? "," : "", first)
                                     : mem_printf("%s%s%u-%u", text, *text ? "," : "", first, last);
        free(text);
        text = longer;
    }
    return text;
}

static bool
count_frames(struct sweep_trace *trace, const struct trace_reader *reader, const char *frames,
             struct error *err)
{
    struct frame_set set = {0}, again;
    const uint32_t count = trace_frame_count(reader);
    if (frames && !frame_set_parse(&set, frames, err))
        return fail_prefix(err, "[input %s]", trace->name);
    if (!count)
        return fail(err, "[input %s]: %s has no frames", trace->name, trace->path);
    if (!frame_set_locate(&set, trace_first_frame(reader), count, trace->path, err))
        return fail_prefix(err, "[input %s]", trace->name);
    for (uint32_t i = 0; i < count; i++)
        if (frame_set_has(&set, i)) {
            trace->frame_count++;
            trace->draws += trace_frame(reader, i)->draws;
        }
    trace->frames = sweep_frames_text(&set, count);
    return frame_set_parse(&again, trace->frames, err);
}

bool
sweep_add_trace(struct sweep *sweep, const char *name, const char *path, const char *frames,
                struct error *err)
{
    struct trace_reader *reader;
    struct sweep_trace trace = {.name = mem_strdup(name), .path = realpath(path, NULL)};
    for (size_t i = 0; i < sweep->traces.count; i++)
        if (!strcmp(sweep->traces.items[i].name, name)) {
            free_trace(&trace);
            return fail(err, "two inputs have the name %s", name);
        }
    bool ok =
        trace.path || fail(err, "[input %s]: cannot open %s: %s", name, path, strerror(errno));
    const bool is_open =
        ok && (trace_reader_open_warn(&reader, path, err) || fail_prefix(err, "[input %s]", name));
    if (is_open) {
        ok = count_frames(&trace, reader, frames, err);
        trace_reader_close(reader);
    }
    ok = is_open && ok && store_hash_trace(sweep->store, trace.path, trace.hash, err);
    if (ok)
        VEC_PUSH(&sweep->traces, trace);
    else
        free_trace(&trace);
    return ok;
}

static cJSON *
words_to_json(const struct word_list *words)
{
    cJSON *array = cJSON_CreateArray();
    for (size_t i = 0; i < words->count; i++)
        cJSON_AddItemToArray(array, cJSON_CreateString(words->items[i]));
    return array;
}

static bool
save_head(const struct sweep *sweep, struct error *err)
{
    cJSON *root = cJSON_CreateObject();
    char *own = sweep_path(sweep, "runs"), *path = sweep_path(sweep, "sweep.json");
    cJSON_AddNumberToObject(root, "schema", AETIUS_SCHEMA);
    if (strcmp(sweep->store, own) != 0)
        cJSON_AddStringToObject(root, "store", sweep->store);
    cJSON_AddNumberToObject(root, "limit_seconds", (double)sweep->limit_seconds);
    cJSON_AddNumberToObject(root, "limit_bytes", (double)sweep->limit_bytes);
    cJSON *traces = cJSON_AddArrayToObject(root, "traces");
    for (size_t i = 0; i < sweep->traces.count; i++) {
        const struct sweep_trace *trace = &sweep->traces.items[i];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "name", trace->name);
        cJSON_AddStringToObject(item, "path", trace->path);
        if (trace->captured)
            cJSON_AddStringToObject(item, "captured", trace->captured);
        cJSON_AddStringToObject(item, "hash", trace->hash);
        cJSON_AddStringToObject(item, "frames", trace->frames);
        cJSON_AddNumberToObject(item, "frame_count", trace->frame_count);
        cJSON_AddNumberToObject(item, "draws", (double)trace->draws);
        cJSON_AddItemToArray(traces, item);
    }
    const bool ok = json_write(root, path, err);
    free(path);
    free(own);
    return ok;
}

/* Writes the key first in each line, so that find_line() can match it. */
static bool
save_runs(const struct sweep *sweep, struct error *err)
{
    struct memory_text memory;
    char *path = sweep_path(sweep, "runs.jsonl");
    FILE *out = memory_text_open(&memory);
    for (size_t i = 0; i < sweep->runs.count && !interrupt_pending(); i++) {
        const struct sweep_run *run = &sweep->runs.items[i];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "key", run->key);
        cJSON_AddStringToObject(item, "input", sweep->traces.items[run->trace].name);
        cJSON_AddStringToObject(item, "machine", run->machine);
        cJSON_AddStringToObject(item, "preset", run->preset);
        cJSON_AddItemToObject(item, "sets", words_to_json(&run->sets));
        if (run->blocks)
            cJSON_AddStringToObject(item, "blocks", sweep_blocks_names[run->blocks]);
        json_put(item, out);
        fputc('\n', out);
    }
    char *text = memory_text_take(&memory);
    const bool ok = interrupt_check(err) && file_write(path, text, memory.size, err);
    free(text);
    free(path);
    return ok;
}

bool
sweep_save(const struct sweep *sweep, struct error *err)
{
    return save_head(sweep, err) && save_runs(sweep, err);
}

static const char *
text_of(const cJSON *object, const char *name)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
}

static uint64_t
number_of(const cJSON *object, const char *name)
{
    const double number = cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(object, name));
    return number > 0 && number < 9e15 ? (uint64_t)number : 0;
}

static bool
load_trace(struct sweep *sweep, const cJSON *item)
{
    const char *name = text_of(item, "name"), *path = text_of(item, "path");
    const char *hash = text_of(item, "hash"), *frames = text_of(item, "frames");
    const char *captured = text_of(item, "captured");
    struct sweep_trace trace = {.frame_count = (uint32_t)number_of(item, "frame_count"),
                                .draws = number_of(item, "draws")};
    if (!name || !path || !hash || strlen(hash) != sizeof trace.hash - 1 || !frames)
        return false;
    memcpy(trace.hash, hash, sizeof trace.hash);
    trace.name = mem_strdup(name);
    trace.path = mem_strdup(path);
    trace.captured = captured ? mem_strdup(captured) : NULL;
    trace.frames = mem_strdup(frames);
    VEC_PUSH(&sweep->traces, trace);
    return true;
}

static bool
load_head(struct sweep *sweep, const char *dir, struct error *err)
{
    char *path = mem_printf("%s/sweep.json", dir), *text = NULL;
    size_t size;
    const cJSON *item;
    sweep_init(sweep, dir, NULL);
    bool ok = file_exists(path) ? file_read(path, FILE_MOST_FACTS, &text, &size, err)
                                : fail(err, "%s is not a sweep folder: it has no sweep.json", dir);
    cJSON *root = ok ? cJSON_Parse(text) : NULL;
    const char *store = text_of(root, "store");
    if (store) {
        free(sweep->store);
        sweep->store = mem_strdup(store);
    }
    sweep->limit_seconds = number_of(root, "limit_seconds");
    sweep->limit_bytes = number_of(root, "limit_bytes");
    bool whole = root != NULL;
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(root, "traces")) whole =
        whole && load_trace(sweep, item);
    ok = ok && (whole || fail(err, "%s is damaged: run `aetius sweep` on the plan again", path));
    cJSON_Delete(root);
    free(text);
    free(path);
    return ok;
}

static bool
load_line(struct sweep *sweep, const char *line, size_t length, struct error *err)
{
    cJSON *root = cJSON_ParseWithLength(line, length);
    const char *key = text_of(root, "key"), *input = text_of(root, "input");
    const char *machine = text_of(root, "machine"), *preset = text_of(root, "preset");
    const char *blocks = text_of(root, "blocks");
    struct sweep_run run = {0};
    const cJSON *item;
    for (run.trace = 0; input && run.trace < sweep->traces.count; run.trace++)
        if (!strcmp(sweep->traces.items[run.trace].name, input))
            break;
    const bool ok = key && sweep_key_is_one(key) && input && run.trace < sweep->traces.count &&
                    machine && preset;
    if (ok) {
        memcpy(run.key, key, sizeof run.key);
        run.machine = mem_strdup(machine);
        run.preset = mem_strdup(preset);
        cJSON_ArrayForEach(item,
                           cJSON_GetObjectItemCaseSensitive(root, "sets")) if (cJSON_IsString(item))
            word_list_add(&run.sets, item->valuestring);
        if (blocks)
            run.blocks = strcmp(blocks, "keep") ? SWEEP_BLOCKS_COUNT : SWEEP_BLOCKS_KEEP;
        VEC_PUSH(&sweep->runs, run);
    }
    cJSON_Delete(root);
    return ok ||
           fail(err, "%s/runs.jsonl is damaged: run `aetius sweep` on the plan again", sweep->dir);
}

static bool
read_runs(const struct sweep *sweep, char **text, struct error *err)
{
    char *path = sweep_path(sweep, "runs.jsonl");
    size_t size;
    const bool ok = file_read(path, MOST_RUNS_BYTES, text, &size, err);
    free(path);
    return ok;
}

bool
sweep_load(struct sweep *sweep, const char *dir, struct error *err)
{
    char *text = NULL;
    bool ok = load_head(sweep, dir, err) && read_runs(sweep, &text, err);
    for (const char *line = text; ok && *line;) {
        const size_t length = strcspn(line, "\n");
        ok = load_line(sweep, line, length, err) && interrupt_check(err);
        line += length + (line[length] == '\n');
    }
    free(text);
    if (!ok)
        sweep_fini(sweep);
    return ok;
}

/* Finds a run's line without parsing the others, because every run of a long plan begins with this
 * search. */
static bool
find_line(const struct sweep *sweep, const char *key, char **found, struct error *err)
{
    char *path = sweep_path(sweep, "runs.jsonl"), *start = mem_printf("{\"key\":\"%s\",", key);
    const size_t length = strlen(start);
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t capacity = 0;
    bool is_there = false;
    while (file && !is_there && getline(&line, &capacity, file) > 0)
        is_there = !strncmp(line, start, length);
    bool ok = file || fail(err, "cannot open %s: %s", path, strerror(errno));
    ok = ok && (is_there || fail(err, "%s has no run %s", path, key));
    if (file)
        fclose(file);
    free(start);
    free(path);
    *found = line;
    return ok;
}

bool
sweep_load_run(struct sweep *sweep, const char *dir, const char *key, struct error *err)
{
    char *line = NULL;
    const bool ok = load_head(sweep, dir, err) && find_line(sweep, key, &line, err) &&
                    load_line(sweep, line, strcspn(line, "\n"), err);
    free(line);
    if (!ok)
        sweep_fini(sweep);
    return ok;
}
