#include "study/files.h"

#include "base/file.h"
#include "base/log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char list_name[] = "files.txt", head[] = "# made by aetius study";

/* Ignores names outside the folder, because the list may be damaged. */
static void
take_name(struct study_files *files, const char *name)
{
    if (*name && *name != '/' && !strstr(name, ".."))
        word_list_add(&files->old, name);
}

bool
study_files_read(struct study_files *files, const char *dir, struct error *err)
{
    char *path = mem_printf("%s/%s", dir, list_name), *sweep = mem_printf("%s/sweep.json", dir);
    char *text = NULL, *rest = NULL;
    size_t size;
    bool ok = true;
    files->has_list = file_exists(path);
    files->is_known = file_exists(sweep) && !files->has_list;
    if (files->has_list)
        ok = file_read(path, FILE_MOST_TEXT, &text, &size, err) &&
             (!strncmp(text, head, strlen(head)) ||
              fail(err, "%s exists: a study writes a file of that name; move it away", path));
    for (char *name = ok && text ? strtok_r(text + strlen(head), "\n", &rest) : NULL; name;
         name = strtok_r(NULL, "\n", &rest))
        take_name(files, name);
    free(text);
    free(sweep);
    free(path);
    return ok;
}

void
study_files_fini(struct study_files *files)
{
    word_list_fini(&files->old);
    word_list_fini(&files->made);
}

static bool
check_name(const struct study *study, const char *name, struct error *err)
{
    const struct study_files *files = study->files;
    char *path = sweep_path(&study->sweep, name);
    const bool ok = files->is_known || !file_exists(path) || word_list_has(&files->old, name) ||
                    word_list_has(&files->made, name) ||
                    fail(err, "%s exists and was not written by a study: move it away", path);
    free(path);
    return ok;
}

/* Appends a line to the list. Call it before writing the file, because a study may be killed. */
static bool
append(const struct study *study, const char *line, struct error *err)
{
    char *path = sweep_path(&study->sweep, list_name);
    FILE *out = fopen(path, "ae");
    const bool ok = (out && fputs(line, out) >= 0 && fputc('\n', out) >= 0) ||
                    fail(err, "cannot write %s: %s", path, strerror(errno));
    if (out)
        fclose(out);
    free(path);
    return ok;
}

static bool
begin_list(const struct study *study, struct error *err)
{
    study->files->has_list = study->files->has_list || append(study, head, err);
    return study->files->has_list;
}

bool
study_files_check(const struct study *study, struct error *err)
{
    struct word_list names = {0};
    bool ok = study->files->is_known || begin_list(study, err);
    word_list_split(&names, study->kind->files);
    for (size_t i = 0; i < study->plan->tables.count; i++) {
        char *name = mem_printf("%s.csv", study->plan->tables.items[i].name);
        word_list_add(&names, name);
        free(name);
    }
    for (size_t i = 0; ok && i < names.count; i++)
        ok = check_name(study, names.items[i], err);
    word_list_fini(&names);
    return ok;
}

bool
study_claim(const struct study *study, const char *name, struct error *err)
{
    struct study_files *files = study->files;
    if (word_list_has(&files->made, name))
        return true;
    if (!check_name(study, name, err) || !begin_list(study, err) ||
        (!word_list_has(&files->old, name) && !append(study, name, err)))
        return false;
    word_list_add(&files->made, name);
    return true;
}

static void
remove_old(const struct study *study)
{
    for (size_t i = 0; i < study->files->old.count; i++) {
        char *path = sweep_path(&study->sweep, study->files->old.items[i]);
        if (!word_list_has(&study->files->made, study->files->old.items[i]))
            unlink(path);
        free(path);
    }
}

static bool
ends_with(const char *name, const char *end)
{
    return strlen(name) > strlen(end) && !strcmp(name + strlen(name) - strlen(end), end);
}

/* Prints one line about the files made: names of pages and JSON files, number and kind of other
 * files. */
static void
report_files(const struct study *study, const struct word_list *there)
{
    static const char *const ends[] = {".csv", ".svg", ".png"};
    char *text = mem_strdup("");
    for (size_t i = 0; i < there->count; i++)
        if (ends_with(there->items[i], ".md") || ends_with(there->items[i], ".json")) {
            char *longer = mem_printf("%s%s%s", text, *text ? ", " : "", there->items[i]);
            free(text);
            text = longer;
        }
    for (size_t e = 0; e < sizeof ends / sizeof ends[0]; e++) {
        size_t count = 0;
        for (size_t i = 0; i < there->count; i++)
            count += ends_with(there->items[i], ends[e]);
        char *longer = mem_printf("%s, %zu *%s", text, count, ends[e]);
        char **unused = count ? &text : &longer;
        free(*unused);
        text = count ? longer : text;
    }
    log_note("%s: %s", study->sweep.dir, text);
    free(text);
}

bool
study_files_finish(const struct study *study, struct error *err)
{
    struct word_list there = {0};
    const struct word_list *made = &study->files->made;
    for (size_t i = 0; i < made->count; i++) {
        char *path = sweep_path(&study->sweep, made->items[i]);
        if (file_exists(path))
            word_list_add(&there, made->items[i]);
        free(path);
    }
    remove_old(study);
    char *names = word_list_join(&there, "\n"), *text = mem_printf("%s\n%s\n", head, names);
    char *path = sweep_path(&study->sweep, list_name);
    const bool ok = file_write(path, text, strlen(text), err);
    if (ok)
        report_files(study, &there);
    free(path);
    free(text);
    free(names);
    word_list_fini(&there);
    return ok;
}
