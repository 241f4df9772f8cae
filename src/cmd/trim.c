/* aetius trim: a self-contained shorter trace. */
#include "base/file.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/mem.h"
#include "cmd/options.h"
#include "sim/trim.h"

#include <stdio.h>
#include <stdlib.h>

int cmd_trim(int argc, char **argv);

struct trim_options {
    const char *out, *warm_up_text;
    bool force;
    uint32_t warm_up;
    struct frame_set set;
};

/* FILE, or DIR/frames-A-B.trace for each range. */
static char *
part_path(const struct trim_options *options, uint32_t i)
{
    const struct frame_set *set = &options->set;
    if (set->count == 1)
        return mem_strdup(options->out);
    return mem_printf("%s/frames-%u-%u.trace", options->out, set->ranges[i].first,
                      set->ranges[i].last);
}

static bool
check_paths(const struct trim_options *options, char *const *paths, struct error *err)
{
    for (uint32_t i = 0; i < options->set.count && !options->force; i++)
        if (file_exists(paths[i]))
            return fail(err, "%s is there already; --force overwrites it", paths[i]);
    return options->set.count == 1 || dir_create(options->out, err);
}

static bool
trim(const struct trim_options *options, const char *path, char *const *paths, struct error *err)
{
    struct trace_reader *reader;
    struct error warning;
    if (!check_paths(options, paths, err) || !trace_reader_open(&reader, path, &warning, err))
        return false;
    if (warning.text[0])
        log_warning("%s", warning.text);
    bool ok = trim_trace(reader, &options->set, options->warm_up, (const char *const *)paths, err);
    trace_reader_close(reader);
    for (uint32_t i = 0; ok && i < options->set.count; i++)
        log_note("%s: frames %u to %u", paths[i], options->set.ranges[i].first,
                 options->set.ranges[i].last);
    if (!ok)
        fail_prefix(err, "%s", path);
    return ok;
}

static bool
parse_warm_up(struct trim_options *options)
{
    char rest;
    options->warm_up = UINT32_MAX;
    return !options->warm_up_text ||
           sscanf(options->warm_up_text, "%9u%c", &options->warm_up, &rest) == 1;
}

static bool
trim_to_paths(const struct trim_options *options, const char *path, struct error *err)
{
    const uint32_t count = options->set.count;
    interrupt_watch();
    char **paths = mem_alloc(count * sizeof *paths);
    for (uint32_t i = 0; i < count; i++)
        paths[i] = part_path(options, i);
    const bool ok = trim(options, path, paths, err);
    for (uint32_t i = 0; i < count; i++)
        free(paths[i]);
    free(paths);
    return ok;
}

int
cmd_trim(int argc, char **argv)
{
    struct trim_options options = {0};
    const struct arg_option table[] = {
        OPTION_OUTPUT(&options.out, "FILE",
                      "the trace to write; of several ranges, the folder for frames-A-B.trace",
                      true),
        {"frames", 0, ARG_FRAMES, &options.set, "A-B", "the frames to keep, from 0: A-B,C-D,E",
         true},
        {"warm-up", 0, ARG_STRING, &options.warm_up_text, "N",
         "draw only the N frames before each range: enough where every frame is drawn anew", false},
        OPTION_FORCE(&options.force, "overwrite FILE"),
        {0},
    };
    const struct arg_spec spec = {
        "trim", "FILE --frames A-B -o FILE",
        "Writes frames A to B of a trace as a trace of its own: the state and the resources at A,\n"
        "found by drawing what comes before, then the frames. They are numbered from 0 again;\n"
        "`aetius info` tells their original numbers.",
        table, ONE_TRACE};
    struct args args;
    struct error err = {""};
    int status = args_parse(&args, &spec, argc, argv);
    if (status >= 0)
        return status;
    if (!parse_warm_up(&options))
        return args_usage_error(&spec, "--warm-up wants a number of frames");
    return conclude(trim_to_paths(&options, args.operands[0], &err), &err);
}
