/* aetius topdown --profile-folder: profiles the programs of a folder, one after another. Keeps the
 * profiler's tables and a record for each program, so that a later call continues. */
#include "base/file.h"
#include "base/interrupt.h"
#include "base/json.h"
#include "base/log.h"
#include "base/memory_text.h"
#include "base/schema.h"
#include "cmd/topdown/topdown.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wordexp.h>

enum { MOST_DEPTH = 3 }; /* of folders with files `run` */

/* A program to profile. Its files in the output folder are named after it. */
struct program {
    char *name, *line; /* line: its command line */
    char *folder;      /* working folder */
};
typedef VEC(struct program) program_list;

static void
add_program(program_list *list, char *name, const char *line, const char *folder)
{
    const struct program program = {name, mem_strdup(line), mem_strdup(folder)};
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("-_.", *c))
            *c = '_';
    VEC_PUSH(list, program);
}

static void
free_programs(program_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i].name);
        free(list->items[i].line);
        free(list->items[i].folder);
    }
    VEC_FREE(list);
}

/* Adds the command lines of a file `run`: NAME, or NAME-1, NAME-2, ... if it has several. Skips
 * options of the shell (set -e), which some of Rodinia's files have. */
static bool
add_lines(program_list *list, const char *name, const char *folder, const char *path,
          struct error *err)
{
    char *text, *save;
    size_t size;
    const size_t first = list->count;
    if (!file_read(path, FILE_MOST_TEXT, &text, &size, err))
        return false;
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        line += strspn(line, " \t");
        if (*line && *line != '#' && strncmp(line, "set ", 4) != 0)
            add_program(list, mem_printf("%s-%zu", name, list->count - first + 1), line, folder);
    }
    if (list->count == first + 1)
        list->items[first].name[strlen(name)] = '\0';
    free(text);
    return true;
}

/* Adds the programs of a folder. At `depth` 0 these are its executable files too. `above`: the
 * start of their names. */
static bool
find_programs(program_list *list, const char *dir, const char *above, uint32_t depth,
              struct error *err)
{
    struct dirent **entries;
    const int count = scandir(dir, &entries, NULL, alphasort);
    bool ok = count >= 0 || fail(err, "cannot read the folder %s", dir);
    for (int i = 0; i < count; i++) {
        struct stat status;
        char *path = mem_printf("%s/%s", dir, entries[i]->d_name);
        char *name = mem_printf("%s%s", above, entries[i]->d_name);
        char *run = mem_printf("%s/run", path);
        const bool is_there = *entries[i]->d_name != '.' && !stat(path, &status);
        if (!ok || !is_there) {
            /* next */
        } else if (S_ISDIR(status.st_mode) && file_exists(run)) {
            ok = add_lines(list, name, path, run, err);
        } else if (S_ISDIR(status.st_mode) && depth < MOST_DEPTH) {
            char *below = mem_printf("%s-", name);
            ok = find_programs(list, path, below, depth + 1, err);
            free(below);
        } else if (depth == 0 && S_ISREG(status.st_mode) && !access(path, X_OK)) {
            char *line = mem_printf("'./%s'", entries[i]->d_name);
            add_program(list, mem_strdup(name), line, dir);
            free(line);
        }
        free(run);
        free(name);
        free(path);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    return ok;
}

static bool
names_differ(const program_list *list, struct error *err)
{
    for (size_t i = 0; i < list->count; i++)
        for (size_t k = 0; k < i; k++)
            if (!strcmp(list->items[i].name, list->items[k].name))
                return fail(err, "two programs are named %s: %s and %s", list->items[i].name,
                            list->items[k].folder, list->items[i].folder);
    return true;
}

/* ---- one program ---- */

/* Whether the profiler's tables can be analysed. */
static bool
has_tables(const char *path, const struct nvidia_capability *capability, struct error *err)
{
    struct profile profile;
    profile_init(&profile);
    const bool ok = profile_read(&profile, &path, 1, capability, err) &&
                    (profile.launches.count || fail(err, "%s: no kernel was launched", path));
    profile_fini(&profile);
    return ok;
}

/* Takes the tables and times of an earlier call with the same command. */
static bool
recall(const char *path, const char *command, const struct nvidia_capability *capability,
       struct topdown_profiled *done)
{
    struct error ignored;
    cJSON *record = file_exists(path) && file_exists(done->path) ? json_read(path, &ignored) : NULL;
    const char *was = cJSON_GetStringValue(cJSON_GetObjectItem(record, "command"));
    const cJSON *alone = cJSON_GetObjectItem(record, "seconds_alone");
    const cJSON *profiled = cJSON_GetObjectItem(record, "seconds_profiled");
    const bool is_same = was && !strcmp(was, command) && cJSON_IsNumber(profiled) &&
                         has_tables(done->path, capability, &ignored);
    if (is_same) {
        done->seconds_profiled = profiled->valuedouble;
        done->seconds_alone = cJSON_IsNumber(alone) ? alone->valuedouble : 0;
    }
    cJSON_Delete(record);
    return is_same;
}

static bool
keep_record(const char *path, const char *command, const struct topdown_profiled *done,
            struct error *err)
{
    cJSON *record = cJSON_CreateObject();
    cJSON_AddNumberToObject(record, "schema", AETIUS_SCHEMA);
    cJSON_AddStringToObject(record, "command", command);
    cJSON_AddItemToObject(record, "seconds_alone",
                          done->seconds_alone > 0 ? json_decimals(done->seconds_alone, 6)
                                                  : cJSON_CreateNull());
    cJSON_AddItemToObject(record, "seconds_profiled", json_decimals(done->seconds_profiled, 6));
    return json_write(record, path, err);
}

/* Runs what an earlier call has not run: the program alone, and under the profiler. */
static bool
run_what_lacks(const struct nvidia_capability *capability, const struct topdown_request *request,
               const struct topdown_program *program, const char *record, const char *command,
               struct topdown_profiled *done, struct error *err)
{
    const struct nvidia_request asks = topdown_asks(request, done->path);
    const bool is_profiled = recall(record, command, capability, done);
    const bool runs_alone = request->overhead && !(done->seconds_alone > 0);
    if (is_profiled && !runs_alone)
        return true;
    if (!is_profiled)
        unlink(done->path);
    return (!runs_alone || topdown_run_alone(program, &done->seconds_alone, err)) &&
           (is_profiled ||
            topdown_profile(capability, &asks, program, &done->seconds_profiled, err)) &&
           has_tables(done->path, capability, err) && keep_record(record, command, done, err);
}

/* The profiler's command line, with the folder: two runs with the same text are the same. */
static char *
command_of(const struct nvidia_capability *capability, const struct topdown_request *request,
           const struct topdown_program *program, const char *tables)
{
    const struct nvidia_request asks = topdown_asks(request, tables);
    struct memory_text text;
    FILE *out = memory_text_open(&text);
    fprintf(out, "cd %s; ", program->folder);
    topdown_print_command(capability, &asks, program->words, out);
    return memory_text_take(&text);
}

static bool
profile_one(const struct program *program, const char *out,
            const struct nvidia_capability *capability, const struct topdown_request *request,
            struct topdown_profiled *done, struct error *err)
{
    wordexp_t words;
    char *log = mem_printf("%s/%s.log", out, program->name);
    char *record = mem_printf("%s/%s.json", out, program->name);
    *done = (struct topdown_profiled){.name = mem_strdup(program->name),
                                      .path = mem_printf("%s/%s.csv", out, program->name)};
    const int bad = wordexp(program->line, &words, WRDE_NOCMD | WRDE_UNDEF);
    bool ok = (!bad && words.we_wordc) ||
              fail(err,
                   "%s/run: '%s': expected a program and its arguments, without redirections and "
                   "other commands",
                   program->folder, program->line);
    if (ok) {
        const struct topdown_program run = {words.we_wordv, program->folder, log};
        char *command = command_of(capability, request, &run, done->path);
        ok = run_what_lacks(capability, request, &run, record, command, done, err);
        free(command);
    }
    if (!bad)
        wordfree(&words);
    free(record);
    free(log);
    return ok;
}

/* ---- all programs ---- */

void
topdown_profiled_free(topdown_profiled_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i].name);
        free(list->items[i].path);
    }
    VEC_FREE(list);
}

static bool
profile_all(const program_list *programs, const char *out,
            const struct nvidia_capability *capability, const struct topdown_request *request,
            topdown_profiled_list *list, struct error *err)
{
    for (size_t i = 0; i < programs->count; i++) {
        struct topdown_profiled done;
        const struct program *program = &programs->items[i];
        log_note("%zu of %zu: %s", i + 1, programs->count, program->name);
        if (profile_one(program, out, capability, request, &done, err)) {
            VEC_PUSH(list, done);
            continue;
        }
        free(done.name);
        free(done.path);
        if (interrupt_pending())
            return false;
        log_warning("%s: %s; its output is in %s/%s.log", program->name, err->text, out,
                    program->name);
    }
    return list->count || fail(err, "none of %zu programs was profiled", programs->count);
}

bool
topdown_profile_folder(const char *dir, const char *out, const struct nvidia_capability *capability,
                       const struct topdown_request *request, topdown_profiled_list *list,
                       uint32_t *failed, struct error *err)
{
    program_list programs = {0};
    int lock = -1;
    char *from = realpath(dir, NULL), *to = NULL;
    bool ok = from || fail(err, "cannot read the folder %s", dir);
    ok = ok && dir_create(out, err) && dir_lock(out, &lock, err);
    /* programs run in their own folders, so the paths are absolute */
    ok = ok && ((to = realpath(out, NULL)) || fail(err, "cannot read the folder %s", out));
    ok = ok && find_programs(&programs, from, "", 0, err) && names_differ(&programs, err);
    if (ok && !programs.count)
        ok = fail(err, "%s has no executable file, and no folder with a file `run`", dir);
    ok = ok && profile_all(&programs, to, capability, request, list, err);
    *failed = (uint32_t)(programs.count - list->count);
    dir_unlock(lock);
    free_programs(&programs);
    free(from);
    free(to);
    return ok;
}
