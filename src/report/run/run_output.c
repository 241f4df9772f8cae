#include "report/run/run_output.h"

#include "base/file.h"
#include "base/mem.h"
#include "report/draw/maps.h"
#include "report/run/profile_table.h"
#include "report/run/table.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PLACE_TABLES = 3 };

/* Files named by parameters are in the folder and need distinct names. */
static bool
check_names(const struct params *p, struct error *err)
{
    const char *const names[] = {p->SIMULATOR.StatsFile,
                                 p->SIMULATOR.StatsFilePerFrame,
                                 p->SIMULATOR.StatsFilePerBatch,
                                 p->SIMULATOR.SignalDumpFile,
                                 "run.json",
                                 "machine.ini",
                                 "pixel.json",
                                 "follow.json",
                                 "signals.vcd",
                                 "signals.csv.gz",
                                 PROFILE_FILE,
                                 PROGRAMS_FOLDER,
                                 "blocks.color",
                                 "blocks.z",
                                 "run.json.part",
                                 "machine.ini.part",
                                 "frames",
                                 "maps",
                                 "parts"};
    const uint32_t count = sizeof names / sizeof names[0];
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < count; j++)
            if ((j < i && !strcmp(names[i], names[j])) ||
                (j != i && j < PLACE_TABLES && table_is_file(names[i], names[j])))
                return fail(err, "SIMULATOR: two output files have the name '%s'", names[i]);
    return true;
}

/* Whether `name` is `start`, followed by a number of at least four digits and an end that `is_end`
 * accepts. */
static bool
is_numbered(const char *name, const char *start, bool (*is_end)(const char *end))
{
    const size_t length = strlen(start);
    const size_t digits = strncmp(name, start, length) ? 0 : strspn(name + length, "0123456789");
    return digits >= 4 && is_end(name + length + digits);
}

static bool
is_png(const char *end)
{
    return !strcmp(end, ".png") || !strcmp(end, ".png.part"); /* .part: left by a killed process */
}

static bool
is_part_end(const char *end)
{
    static const char middle[] = ".csv.gz.";
    const char *file = end + 2 + strlen(middle);
    return end[0] == '-' && end[1] >= '0' && end[1] <= '9' &&
           !strncmp(end + 2, middle, strlen(middle)) && *file && !file[strspn(file, "0123456789")];
}

static bool
is_frame(const char *name)
{
    return is_numbered(name, "frame-", is_png);
}

static bool
is_map(const char *name)
{
    return is_numbered(name, "frame-", maps_is_end) ||
           (!strncmp(name, "legend-", 7) && maps_is_end(name + 6));
}

static bool
is_program(const char *name)
{
    const size_t digits = strspn(name, "0123456789abcdef");
    return digits == 16 &&
           (!strcmp(name + digits, ".tgsi") || !strcmp(name + digits, ".tgsi.part"));
}

bool
run_output_is_part(const char *name)
{
    return is_numbered(name, "", is_part_end);
}

static const char *const tables[] = {
    "stats.cycles.csv.gz",
    "stats.frames.csv.gz",
    "stats.draws.csv.gz",
};

static const char *const others[] = {
    "run.json",         "run.json.part",        "machine.ini",
    "machine.ini.part", "stats.batches.csv.gz", /* from older versions */
    "pixel.json",       "follow.json",          "blocks.color",
    "blocks.z",         "signals.vcd",          "signals.csv.gz",
    "signaltrace.txt",  PROFILE_FILE,
};

static bool
is_table(const char *name)
{
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        if (table_is_file(name, tables[i]))
            return true;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (!strcmp(name, others[i]))
            return true;
    return false;
}

/* Whether to remove the file if no frame is complete. Signal traces stay, because they cover
 * simulated cycles. */
static bool
is_not_signals(const char *name)
{
    return is_table(name) && strncmp(name, "signal", 6) != 0;
}

static const struct {
    const char *folder;
    bool (*is_ours)(const char *name);
} subfolders[] = {{"frames", is_frame},
                  {"maps", is_map},
                  {"parts", run_output_is_part},
                  {PROGRAMS_FOLDER, is_program}};
enum { SUBFOLDERS = sizeof subfolders / sizeof subfolders[0] };

/* Rejects subfolders that are links, so that nothing is written or removed through a link. */
static bool
check_links(const char *dir, struct error *err)
{
    bool ok = true;
    for (uint32_t i = 0; i < SUBFOLDERS && ok; i++) {
        struct stat st;
        char *path = mem_printf("%s/%s", dir, subfolders[i].folder);
        if (!lstat(path, &st) && !S_ISDIR(st.st_mode))
            ok =
                fail(err, "%s exists and is not a folder: a run needs a folder of that name", path);
        free(path);
    }
    return ok;
}

/* Calls `take` for each table named by the parameters. Returns whether any call returned true. */
static bool
each_table(const struct run_output *output, bool (*take)(const char *path))
{
    const struct params *p = output->params;
    bool some = false;
    if (!p)
        return false;
    const char *const names[] = {p->SIMULATOR.StatsFile, p->SIMULATOR.StatsFilePerFrame,
                                 p->SIMULATOR.StatsFilePerBatch, p->SIMULATOR.SignalDumpFile};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char *path = mem_printf("%s/%s", output->dir, names[i]);
        some |= take(path);
        for (uint32_t u = 0; table_unit(u) && i < PLACE_TABLES; u++) {
            char *of_unit = table_unit_path(path, table_unit(u));
            some |= take(of_unit);
            free(of_unit);
        }
        free(path);
    }
    return some;
}

static bool
is_free(const struct run_output *output, struct error *err)
{
    bool held = each_table(output, file_exists) || dir_has_files(output->dir, is_table);
    for (uint32_t i = 0; i < SUBFOLDERS; i++) {
        char *path = mem_printf("%s/%s", output->dir, subfolders[i].folder);
        held |= dir_has_files(path, subfolders[i].is_ours);
        free(path);
    }
    return !held || fail(err, "%s already contains a run or files of one; --force replaces them",
                         output->dir);
}

static bool
remove_file(const char *path)
{
    return !unlink(path);
}

static void
remove_run(const struct run_output *output, bool (*is_ours)(const char *name))
{
    for (uint32_t i = 0; i < SUBFOLDERS; i++) {
        char *path = mem_printf("%s/%s", output->dir, subfolders[i].folder);
        dir_remove_files(path, subfolders[i].is_ours);
        free(path);
    }
    dir_clear(output->dir, is_ours);
}

bool
run_output_lock(struct run_output *output, const char *dir, const struct params *params,
                struct error *err)
{
    *output = (struct run_output){.dir = dir, .params = params, .lock = -1};
    output->made = !file_exists(dir);
    const bool ok = (!params || check_names(params, err)) && dir_create(dir, err) &&
                    dir_lock(dir, &output->lock, err) && check_links(dir, err);
    if (!ok)
        run_output_release(output);
    return ok;
}

void
run_output_remove_run(const struct run_output *output)
{
    char *json = mem_printf("%s/run.json", output->dir);
    unlink(json); /* removed first: if the process is killed here, the remains are not a run */
    remove_run(output, is_table);
    each_table(output, remove_file);
    free(json);
}

bool
run_output_take(struct run_output *output, const char *dir, bool force, const struct params *params,
                struct error *err)
{
    char *frames = mem_printf("%s/frames", dir);
    bool ok = run_output_lock(output, dir, params, err) && (force || is_free(output, err));
    if (ok && force)
        run_output_remove_run(output);
    ok = ok && dir_create(frames, err);
    if (!ok)
        run_output_release(output);
    free(frames);
    return ok;
}

void
run_output_discard(const struct run_output *output)
{
    remove_run(output, is_not_signals);
    if (output->made)
        rmdir(output->dir); /* fails if files remain */
}

void
run_output_drop_others(const struct run_output *output,
                       bool (*is_whole)(const void *data, uint64_t frame), const void *data)
{
    static const char start[] = "frame-";
    for (uint32_t i = 0; i < SUBFOLDERS; i++) {
        char *path = mem_printf("%s/%s", output->dir, subfolders[i].folder);
        DIR *dir = opendir(path);
        for (const struct dirent *entry; dir && (entry = readdir(dir));) {
            const char *name = entry->d_name;
            if (!strncmp(name, start, sizeof start - 1) && subfolders[i].is_ours(name) &&
                !is_whole(data, strtoull(name + sizeof start - 1, NULL, 10)))
                unlinkat(dirfd(dir), name, 0);
        }
        if (dir)
            closedir(dir);
        free(path);
    }
}

void
run_output_release(struct run_output *output)
{
    dir_unlock(output->lock);
    output->lock = -1;
}
