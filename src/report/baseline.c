/* A run kept as what later ones are compared with. */
#include "report/gate.h"

#include "base/file.h"
#include "kernel/params.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool
copy_file(const char *from_dir, const char *to_dir, const char *name, bool must, struct error *err)
{
    char *from = mem_printf("%s/%s", from_dir, name), *to = mem_printf("%s/%s", to_dir, name);
    char *bytes = NULL;
    size_t size = 0;
    const bool there = must || file_exists(from);
    const bool ok = !there || (file_read(from, SIZE_MAX, &bytes, &size, err) &&
                               file_write(to, bytes, size, err));
    free(bytes);
    free(from);
    free(to);
    return ok;
}

static bool
is_frame(const char *name)
{
    const size_t n = strlen(name);
    return !strncmp(name, "frame-", 6) && n > 10 && !strcmp(name + n - 4, ".png");
}

static bool
is_anything(const char *name)
{
    return strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

static int
picks_frame(const struct dirent *entry)
{
    return is_frame(entry->d_name);
}

static bool
copy_frames(const char *run, const char *to, struct error *err)
{
    struct dirent **names = NULL;
    char *from = mem_printf("%s/frames", run);
    const int count = scandir(from, &names, picks_frame, alphasort);
    bool ok = true;
    for (int i = 0; i < count; i++) {
        ok = ok && copy_file(from, to, names[i]->d_name, true, err);
        free(names[i]);
    }
    free(names);
    free(from);
    return ok;
}

static bool
is_same_folder(const char *a, const char *b)
{
    struct stat of_a, of_b;
    return !stat(a, &of_a) && !stat(b, &of_b) && of_a.st_dev == of_b.st_dev &&
           of_a.st_ino == of_b.st_ino;
}

/* What is renewed must be the baseline's own: neither the run's nor what a link leads to. */
static bool
check_base(const char *base, const char *run, struct error *err)
{
    char *json = mem_printf("%s/run.json", base), *frames = mem_printf("%s/frames", base);
    struct stat st;
    bool ok = true;
    if (is_same_folder(base, run))
        ok = fail(err, "%s and %s are one folder", base, run);
    else if (!lstat(frames, &st) && !S_ISDIR(st.st_mode))
        ok = fail(err, "%s is no folder", frames);
    else if (file_exists(base) && dir_has_files(base, is_anything) && !file_exists(json))
        ok = fail(err, "%s holds files, but no run: it is not replaced", base);
    free(json);
    free(frames);
    return ok;
}

/* Moves all of a folder into another one, in place of what has these names there. */
static bool
move_files(const char *from, const char *to, struct error *err)
{
    struct dirent **names = NULL;
    const int count = scandir(from, &names, NULL, alphasort);
    bool ok = true;
    for (int i = 0; i < count; i++) {
        char *old = mem_printf("%s/%s", from, names[i]->d_name);
        char *new = mem_printf("%s/%s", to, names[i]->d_name);
        if (ok && is_anything(names[i]->d_name) && rename(old, new))
            ok = fail(err, "cannot replace %s: %s", new, strerror(errno));
        free(old);
        free(new);
        free(names[i]);
    }
    free(names);
    return ok;
}

/* The copy is made beside, and only when it is whole the old files go for it. */
static bool
renew(const char *base, const char *run, const struct params *params, struct error *err)
{
    char *facts = mem_printf("%s/renewal.part", base), *frames = mem_printf("%s/frames", base);
    char *pictures = mem_printf("%s/frames.part", base);
    file_remove_link(facts);
    file_remove_link(pictures);
    dir_remove_files(facts, NULL);
    dir_remove_files(pictures, NULL);
    bool ok = dir_create(facts, err) && dir_create(pictures, err) && dir_create(frames, err) &&
              copy_frames(run, pictures, err) && copy_file(run, facts, "machine.ini", true, err) &&
              copy_file(run, facts, params->SIMULATOR.StatsFilePerFrame, true, err) &&
              copy_file(run, facts, params->SIMULATOR.StatsFilePerBatch, false, err) &&
              copy_file(run, facts, "run.json", true, err);
    if (ok) {
        dir_clear(frames, is_frame);
        ok = move_files(pictures, frames, err) && move_files(facts, base, err);
    }
    dir_remove_files(facts, NULL);
    dir_remove_files(pictures, NULL);
    free(facts);
    free(pictures);
    free(frames);
    return ok;
}

bool
baseline_renew(const char *base, const char *run, struct error *err)
{
    struct params params;
    char *ini = mem_printf("%s/machine.ini", run);
    params_init(&params);
    const bool ok = params_load_file(&params, ini, err) && check_base(base, run, err) &&
                    renew(base, run, &params, err);
    free(ini);
    return ok;
}
