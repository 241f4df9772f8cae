#include "cmd/cut.h"

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "cmd/options.h"
#include "sim/trim.h"

#include <stdlib.h>
#include <sys/stat.h>

static char *
part_path(const struct cut_options *options, uint32_t i)
{
    const struct frame_set *set = &options->set;
    if (!options->in_folder)
        return mem_strdup(options->out);
    return mem_printf("%s/frames-%u-%u.trace", options->out, options->first + set->ranges[i].first,
                      options->first + set->ranges[i].last);
}

bool
cut_prepare(const struct cut_options *options, struct error *err)
{
    const uint32_t count = options->in_folder ? options->set.count : 1;
    bool ok = true;
    for (uint32_t i = 0; ok && i < count; i++) {
        char *path = part_path(options, i);
        ok = check_output(path, options->force, err);
        free(path);
    }
    return ok && (!options->in_folder || dir_create(options->out, err));
}

char *
cut_work_path(const struct cut_options *options, const char *what)
{
    char *path = mem_printf("%s%s%s", options->out, options->in_folder ? "/" : ".", what);
    file_remove_link(path);
    return path;
}

static void
report_part(const struct cut_options *options, uint32_t i, const char *path)
{
    const uint32_t first = options->first + options->set.ranges[i].first;
    const uint32_t last = options->first + options->set.ranges[i].last;
    struct stat file;
    const double megabytes = stat(path, &file) ? 0 : (double)file.st_size / 1e6;
    if (first == last)
        log_note("%s: frame %u, %.2f MB", path, first, megabytes);
    else
        log_note("%s: frames %u to %u, %.2f MB", path, first, last, megabytes);
}

bool
cut_frames(const struct cut_options *options, struct trace_reader *reader,
           struct trace_reader *read_back, struct error *err)
{
    const uint32_t count = options->set.count;
    char **paths = mem_array(count, sizeof *paths);
    for (uint32_t i = 0; i < count; i++) {
        paths[i] = part_path(options, i);
        if (options->in_folder)
            file_remove_link(paths[i]);
    }
    const bool ok = trim_trace(reader, &options->set, options->warm_up, read_back,
                               (const char *const *)paths, err);
    for (uint32_t i = 0; i < count; i++)
        free(paths[i]);
    free(paths);
    return ok;
}

void
cut_report(const struct cut_options *options)
{
    for (uint32_t i = 0; i < options->set.count; i++) {
        char *path = part_path(options, i);
        report_part(options, i, path);
        free(path);
    }
}
