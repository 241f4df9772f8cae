/* A run kept as what later ones are compared with. */
#include "report/gate.h"

#include "base/file.h"
#include "kernel/params.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

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
copy_frames(const char *from, const char *to, struct error *err)
{
    struct dirent **names = NULL;
    const int count = scandir(from, &names, picks_frame, alphasort);
    bool ok = dir_create(to, err);
    if (ok)
        dir_clear(to, is_frame);
    for (int i = 0; i < count; i++) {
        ok = ok && copy_file(from, to, names[i]->d_name, true, err);
        free(names[i]);
    }
    free(names);
    return ok;
}

bool
baseline_renew(const char *base, const char *run, struct error *err)
{
    struct params params;
    char *ini = mem_printf("%s/machine.ini", run), *json = mem_printf("%s/run.json", base);
    char *from = mem_printf("%s/frames", run), *to = mem_printf("%s/frames", base);
    params_init(&params);
    bool ok = params_load_file(&params, ini, err);
    if (ok && file_exists(base) && dir_has_files(base, is_anything) && !file_exists(json))
        ok = fail(err, "%s holds files, but no run: it is not replaced", base);
    ok = ok && dir_create(base, err) && copy_frames(from, to, err) &&
         copy_file(run, base, "machine.ini", true, err) &&
         copy_file(run, base, params.SIMULATOR.StatsFilePerFrame, true, err) &&
         copy_file(run, base, params.SIMULATOR.StatsFilePerBatch, false, err) &&
         copy_file(run, base, "run.json", true, err);
    free(ini);
    free(json);
    free(from);
    free(to);
    return ok;
}
