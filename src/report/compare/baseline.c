/* Manages a baseline: a run to which later runs are compared. */
#include "report/compare/regression_limits.h"

#include "base/file.h"
#include "params/params.h"
#include "report/run/run_json.h"
#include "report/run/run_output.h"
#include "report/run/table.h"

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
    const bool ok = (!must && !file_exists(from)) || file_copy(from, to, err);
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
    bool ok = count >= 0 || fail(err, "cannot read %s: %s", from, strerror(errno));
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

static char *
part_of(const char *base)
{
    return mem_printf("%s/renewal.part", base);
}

bool
baseline_is_unfinished(const char *base)
{
    char *part = part_of(base);
    const bool unfinished = file_exists(part) && !is_run_folder(base);
    free(part);
    return unfinished;
}

/* The folder to renew must not be the run itself, and its frames/ must not be a link. */
static bool
check_base(const char *base, const char *run, struct error *err)
{
    char *frames = mem_printf("%s/frames", base);
    struct stat st;
    bool ok = true;
    if (is_same_folder(base, run))
        ok = fail(err, "%s and %s are the same folder", base, run);
    else if (!lstat(frames, &st) && !S_ISDIR(st.st_mode))
        ok = fail(err, "%s is not a folder", frames);
    else if (file_exists(base) && dir_has_files(base, is_anything) && !is_run_folder(base) &&
             !baseline_is_unfinished(base))
        ok = fail(err, "%s contains files, but no run: it is not replaced", base);
    free(frames);
    return ok;
}

static bool
check_run(const char *run, struct error *err)
{
    bool complete;
    return run_is_complete(run, &complete, err) &&
           (complete || fail(err, "%s is an incomplete run: it cannot become the baseline", run));
}

static bool
move_file(const char *from, const char *to, const char *name, struct error *err)
{
    char *old = mem_printf("%s/%s", from, name), *new = mem_printf("%s/%s", to, name);
    const bool ok = !rename(old, new) || fail(err, "cannot replace %s: %s", new, strerror(errno));
    free(old);
    free(new);
    return ok;
}

static int
picks_facts(const struct dirent *entry)
{
    return is_anything(entry->d_name) && strcmp(entry->d_name, "run.json") != 0;
}

static bool
move_files(const char *from, const char *to, int (*picks)(const struct dirent *), struct error *err)
{
    struct dirent **names = NULL;
    const int count = scandir(from, &names, picks, alphasort);
    bool ok = count >= 0 || fail(err, "cannot read %s: %s", from, strerror(errno));
    for (int i = 0; i < count; i++) {
        ok = ok && move_file(from, to, names[i]->d_name, err);
        free(names[i]);
    }
    free(names);
    return ok;
}

struct renewal {
    const char *base, *run;
    char *facts, *pictures; /* folders of the copy, inside the baseline's folder */
    char *frames;
};

static void
remove_copy(const struct renewal *r)
{
    file_remove_link(r->facts);
    file_remove_link(r->pictures);
    dir_remove_files(r->pictures, NULL);
    dir_remove_files(r->facts, NULL);
}

static bool
make_copy(const struct renewal *r, const struct params *params, struct error *err)
{
    return dir_create(r->facts, err) && dir_create(r->pictures, err) &&
           copy_frames(r->run, r->pictures, err) &&
           copy_file(r->run, r->facts, "machine.ini", true, err) &&
           copy_file(r->run, r->facts, params->SIMULATOR.StatsFilePerFrame, true, err) &&
           copy_file(r->run, r->facts, params->SIMULATOR.StatsFilePerBatch, false, err) &&
           copy_file(r->run, r->facts, "run.json", true, err);
}

/* Removes run.json first and moves it last. In between, the folder is not a valid run. `facts`
 * exists until the end: it marks an unfinished renewal, which can be repeated. */
static bool
put_in_place(const struct renewal *r, const struct run_output *output, struct error *err)
{
    run_output_remove_run(output);
    return dir_create(r->frames, err) && move_files(r->pictures, r->frames, picks_frame, err) &&
           move_files(r->facts, r->base, picks_facts, err) &&
           move_file(r->facts, r->base, "run.json", err);
}

/* Parameters that give the table names of the old run, or of the new run if there is no old run. */
static const struct params *
params_of_base(const char *base, struct params *old, const struct params *otherwise)
{
    char *ini = mem_printf("%s/machine.ini", base);
    params_init(old);
    const bool has = file_exists(ini) && params_load_file(old, ini, NULL);
    free(ini);
    return has ? old : otherwise;
}

/* Whether the folder has a run with the tables that a copy omits. A renewal would lose them. */
static bool
has_more_than_a_copy(const char *base, const struct params *params)
{
    char *table = table_unit_path(params->SIMULATOR.StatsFilePerFrame, "queue");
    const bool has = is_run_folder(base) && (file_exists_in(base, table) ||
                                             file_exists_in(base, params->SIMULATOR.StatsFile));
    free(table);
    return has;
}

/* Makes a complete copy first, then replaces the old files. */
static bool
renew(const char *base, const char *run, const struct params *params, bool force, struct error *err)
{
    struct renewal r = {base, run, part_of(base), mem_printf("%s/frames.part", base),
                        mem_printf("%s/frames", base)};
    struct params old;
    struct run_output output;
    const struct params *of_base = params_of_base(base, &old, params);
    bool ok =
        (force || !has_more_than_a_copy(base, of_base) ||
         fail(err, "%s is a run with all its tables, not a baseline; --force replaces it", base)) &&
        run_output_lock(&output, base, of_base, err);
    if (ok) {
        remove_copy(&r);
        ok = make_copy(&r, params, err);
        const bool whole = ok;
        ok = ok && put_in_place(&r, &output, err);
        if (ok || !whole)
            remove_copy(&r);
        run_output_release(&output);
    }
    free(r.facts);
    free(r.pictures);
    free(r.frames);
    return ok;
}

bool
baseline_renew(const char *base, const char *run, bool force, struct error *err)
{
    struct params params;
    char *ini = mem_printf("%s/machine.ini", run);
    params_init(&params);
    const bool ok = check_run(run, err) && params_load_file(&params, ini, err) &&
                    check_base(base, run, err) && renew(base, run, &params, force, err);
    free(ini);
    return ok;
}
