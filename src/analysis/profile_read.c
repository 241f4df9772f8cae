/* Reads the profilers' files and merges them into one profile. */
#include "analysis/profile_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void
free_parts(struct profile_file *file)
{
    for (size_t i = 0; i < file->parts.count; i++) {
        profile_fini(file->parts.items[i]);
        free(file->parts.items[i]);
    }
    VEC_FREE(&file->parts);
}

/* ---- one file ---- */

static bool
read_lines(struct profile_file *file, struct error *err)
{
    bool taken;
    while (profile_file_line(file, err)) {
        if (!profile_file_table_line(file, &taken, err))
            return false;
        if (!taken && !profile_file_text_line(file, err))
            return false;
    }
    profile_file_end_other(file);
    return !*err->text;
}

/* Whether the file has a usable table. */
static bool
check_tables(struct profile_file *file, struct error *err)
{
    if (!file->has_table && file->page)
        return fail(err, "%s is %s", file->path, file->page);
    if (!file->has_table)
        return fail(err,
                    "%s contains no table of nvprof or ncu (expected output of `nvprof --csv` or "
                    "`ncu --csv --page raw`)",
                    file->path);
    if (file->page)
        profile_note(profile_file_part(file), "%s: a part is ignored: it is %s", file->path,
                     file->page);
    if (file->is_ambiguous && !file->style_line)
        profile_note(profile_file_part(file),
                     "%s: cannot determine whether the point separates thousands or decimals; "
                     "1.234 is read as a decimal number",
                     file->path);
    return true;
}

/* Reads the parts of a file and closes it. `file` keeps its parts. */
static bool
read_file(struct profile_file *file, const char *path, const struct nvidia_capability *given,
          struct error *err)
{
    for (enum number_style style = NUMBER_POINT;; style = NUMBER_COMMA) {
        if (!profile_file_open(file, path, err))
            return false;
        file->given = given;
        file->style = style;
        *err->text = '\0';
        const bool ok = read_lines(file, err) && check_tables(file, err);
        const bool again = file->is_other_style;
        profile_file_close(file);
        if (ok)
            return true;
        free_parts(file);
        if (!again)
            return false;
    }
}

/* ---- merging parts ---- */

static bool
has_only_times(const struct profile *part)
{
    for (size_t i = 0; i < part->launches.count; i++)
        if (!part->launches.items[i].is_time_only)
            return false;
    return true;
}

static void
warn_of_change(struct profile *profile, const struct profile_kernel *kernel, const char *what,
               double a, double b)
{
    if (fabs(a - b) > 0.05 * fmax(fabs(a), fabs(b)))
        profile_note(profile,
                     "%.60s: %s is %.3g in one file and %.3g in another; the first is used",
                     kernel->name, what, a, b);
}

/* Whether `from` has a value, other than a time, that `to` lacks. */
static bool
adds_something(const struct profile_launch *to, const struct profile_launch *from)
{
    for (uint32_t i = 0; i < FIGURES; i++)
        if (!isnan(from->counts.figures[i]) && isnan(to->counts.figures[i]))
            return true;
    for (uint32_t f = 0; f < FAMILIES; f++)
        for (uint32_t r = 0; from->stalls[f] && r < REASON_VALUES; r++)
            if (!isnan(from->stalls[f][r]) && (!to->stalls[f] || isnan(to->stalls[f][r])))
                return true;
    return false;
}

static void
take_what_lacks(struct profile *profile, struct profile_launch *to, struct profile_launch *from)
{
    const struct profile_kernel *kernel = &profile->kernels.items[to->kernel];
    if (to->is_time_only)
        to->counts.tool = from->counts.tool;
    to->is_time_only = to->is_time_only && from->is_time_only;
    warn_of_change(profile, kernel, "ipc", to->counts.figures[FIGURE_ipc],
                   from->counts.figures[FIGURE_ipc]);
    warn_of_change(profile, kernel, "issued ipc", to->counts.figures[FIGURE_issued],
                   from->counts.figures[FIGURE_issued]);
    for (uint32_t i = 0; i < FIGURES; i++)
        if (isnan(to->counts.figures[i]))
            to->counts.figures[i] = from->counts.figures[i];
    for (uint32_t f = 0; f < FAMILIES; f++)
        for (uint32_t r = 0; from->stalls[f] && r < REASON_VALUES; r++) {
            const struct nvidia_metric metric = {
                .kind = METRIC_STALL, .tool = from->counts.tool, .family = f, .reason = r};
            if (!isnan(from->stalls[f][r]))
                profile_launch_set(to, &metric, from->stalls[f][r]);
        }
}

/* Adds a launch to the profile and moves the values of `from` into it. */
static void
append(struct profile *profile, struct profile_launch *from, uint32_t kernel, uint32_t device)
{
    struct profile_launch *to = profile_add_launch(profile, kernel, from->invocations);
    to->counts = from->counts;
    to->device = device;
    to->is_time_only = from->is_time_only;
    memcpy(to->stalls, from->stalls, sizeof to->stalls);
    memset(from->stalls, 0, sizeof from->stalls);
}

/* Number of launches of a kernel: in the profile before this part, in this part and already merged,
 * and in this part in total. */
struct progress_in_kernel {
    uint32_t before, seen, in_part;
};
typedef VEC(struct progress_in_kernel) progress_list;

static struct progress_in_kernel *
progress_of(progress_list *list, const struct profile *profile, uint32_t kernel)
{
    while (list->count <= kernel) {
        struct progress_in_kernel none = {UINT32_MAX, 0, 0};
        VEC_PUSH(list, none);
    }
    struct progress_in_kernel *progress = &list->items[kernel];
    if (progress->before == UINT32_MAX)
        progress->before = (uint32_t)profile->kernels.items[kernel].launches.count;
    return progress;
}

static void
join_launch(struct profile *profile, struct profile_launch *from, uint32_t kernel, uint32_t device,
            struct progress_in_kernel *progress)
{
    const uint32_t number = progress->seen++;
    const bool is_trace =
        from->is_time_only && progress->before && progress->before != progress->in_part;
    if (is_trace) { /* the trace accompanies a summary, or only some launches were measured */
        profile_add_time(profile, kernel, from->counts.figures[FIGURE_time_ns], 1);
        return;
    }
    if (number < progress->before) {
        const uint32_t there = profile->kernels.items[kernel].launches.items[number];
        struct profile_launch *to = &profile->launches.items[there];
        if (to->invocations == from->invocations && adds_something(to, from)) {
            take_what_lacks(profile, to, from);
            return;
        }
    }
    append(profile, from, kernel, device);
}

static void
join(struct profile *profile, struct profile *part)
{
    progress_list list = {0};
    uint32_t *devices = mem_array(part->devices.count + 1, sizeof *devices);
    uint32_t *kernels = mem_array(part->launches.count + 1, sizeof *kernels);
    for (uint32_t i = 0; i < part->devices.count; i++)
        devices[i] = UINT32_MAX;
    for (size_t i = 0; i < part->launches.count; i++) {
        const struct profile_launch *launch = &part->launches.items[i];
        const struct profile_device *device = &part->devices.items[launch->device];
        if (devices[launch->device] == UINT32_MAX)
            devices[launch->device] = profile_add_device(profile, device->name, device->capability);
        kernels[i] = profile_add_kernel(profile, part->kernels.items[launch->kernel].name,
                                        devices[launch->device]);
        progress_of(&list, profile, kernels[i])->in_part++;
    }
    for (size_t i = 0; i < part->launches.count; i++) {
        struct profile_launch *launch = &part->launches.items[i];
        join_launch(profile, launch, kernels[i], devices[launch->device],
                    progress_of(&list, profile, kernels[i]));
    }
    for (size_t i = 0; i < part->kernels.count; i++) {
        const struct profile_kernel *kernel = &part->kernels.items[i];
        if (!isnan(kernel->table_ns))
            profile_add_time(profile, profile_add_kernel(profile, kernel->name, PROFILE_ANY_DEVICE),
                             kernel->table_ns, kernel->calls);
    }
    profile->passes = part->passes > profile->passes ? part->passes : profile->passes;
    for (size_t i = 0; i < part->notes.count; i++)
        profile_note(profile, "%s", part->notes.items[i]);
    VEC_FREE(&list);
    free(devices);
    free(kernels);
}

/* Attributes times from tables without devices. If a kernel ran on a single device, that device's
 * kernel gets the times. */
static void
place_times(struct profile *profile)
{
    for (uint32_t i = 0; i < profile->kernels.count; i++) {
        const struct profile_kernel *times = &profile->kernels.items[i];
        uint32_t found = 0, matches = 0;
        for (uint32_t d = 0; times->device == PROFILE_ANY_DEVICE && d < profile->devices.count;
             d++) {
            const uint32_t kernel = profile_find_kernel(profile, times->name, d);
            found = kernel == UINT32_MAX ? found : kernel;
            matches += kernel != UINT32_MAX;
        }
        if (matches == 1 && isnan(profile->kernels.items[found].table_ns))
            profile_add_time(profile, found, times->table_ns, times->calls);
        else if (matches > 1)
            profile_note(profile, "%.60s ran on %u devices; its table of times is ignored",
                         times->name, matches);
    }
}

bool
profile_read(struct profile *profile, const char *const *paths, uint32_t count,
             const struct nvidia_capability *given, struct error *err)
{
    struct profile_file *files = mem_array(count + 1, sizeof *files);
    uint32_t read = 0;
    bool ok = true;
    for (; ok && read < count; read += ok)
        ok = read_file(&files[read], paths[read], given, err);
    for (int times = 0; ok && times < 2; times++)
        for (uint32_t f = 0; f < count; f++)
            for (size_t i = 0; i < files[f].parts.count; i++)
                if (has_only_times(files[f].parts.items[i]) == times)
                    join(profile, files[f].parts.items[i]);
    if (ok)
        place_times(profile);
    for (uint32_t f = 0; f < read; f++)
        free_parts(&files[f]);
    free(files);
    return ok;
}
