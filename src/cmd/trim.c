/* aetius trim: a self-contained shorter trace. */
#include "base/args.h"
#include "base/file.h"
#include "base/log.h"
#include "sim/trim.h"

int cmd_trim(int argc, char **argv);

struct trim_options {
    const char *out, *frames;
    bool force;
    uint32_t first, last;
};

static int
trim(const struct trim_options *options, const char *path, struct error *err)
{
    struct trace_reader *reader;
    struct error warning;
    if (!trace_reader_open(&reader, path, &warning, err))
        return EXIT_FAILED;
    if (warning.text[0])
        log_warning("%s", warning.text);
    bool ok = trim_trace(reader, options->first, options->last, options->out, err);
    trace_reader_close(reader);
    if (!ok)
        fail_prefix(err, "%s", path);
    return ok ? EXIT_WELL : EXIT_FAILED;
}

static bool
parse_frames(struct trim_options *options, struct error *err)
{
    struct frame_set set = {0};
    if (!frame_set_parse(&set, options->frames, err))
        return false;
    if (set.count != 1)
        return fail(err, "one range of frames is expected: --frames A-B");
    options->first = set.ranges[0].first;
    options->last = set.ranges[0].last;
    return true;
}

int
cmd_trim(int argc, char **argv)
{
    struct trim_options options = {0};
    const struct arg_option table[] = {
        {"output", 'o', ARG_STRING, &options.out, "FILE", "the trace to write"},
        {"frames", 0, ARG_STRING, &options.frames, "A-B", "the frames to keep, from 0"},
        {"force", 'f', ARG_FLAG, &options.force, NULL, "overwrite FILE"},
        {0},
    };
    const struct arg_spec spec = {
        "trim", "FILE --frames A-B -o FILE",
        "Writes frames A to B of a trace as a trace of its own: the state and the resources at A,\n"
        "found by drawing what comes before, then the frames. They are numbered from 0 again;\n"
        "`aetius info` tells their original numbers.",
        table};
    struct args args;
    struct error err = {""};
    int status = args_parse(&args, &spec, argc, argv);
    if (status >= 0)
        return status;
    if (args.operand_count != 1 || args.after || !options.out || !options.frames)
        return args_usage_error(&spec, "one FILE, --frames A-B and -o FILE are wanted");
    if (!parse_frames(&options, &err))
        return args_usage_error(&spec, "%s", err.text);
    if (!options.force && file_exists(options.out)) {
        log_error("%s is there already; --force overwrites it", options.out);
        return EXIT_FAILED;
    }
    status = trim(&options, args.operands[0], &err);
    if (err.text[0])
        log_error("%s", err.text);
    return status;
}
