/* aetius replay: renders the pictures of a trace without timing. */
#include "base/args.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/plural.h"
#include "cmd/native.h"
#include "cmd/options.h"
#include "cmd/renderer.h"
#include "report/run/run_output.h"
#include "trace/file.h"
#include "trace/frames.h"
#include "trace/virgl/lost_samples.h"
#include "trace/virgl/needed_draws.h"
#include "trace/single_sample.h"

#include <stdlib.h>
#include <string.h>

int cmd_replay(int argc, char **argv);

struct replay_options {
    const char *dir, *reference;
    const char *calls; /* of the native reference; NULL: next to the trace */
    bool single, force;
    struct frame_set wanted;
    struct machine_options machine;
    const char *warm_up_text;
    uint32_t warm_up;
    struct budget budget;
    uint32_t forced_samples; /* 0: as the program requests */
};

static bool
feed(struct trace_reader *reader, struct frames *frames, const struct replay_options *options,
     struct error *err)
{
    const struct frame_set *wanted = &options->wanted;
    uint32_t last = frame_set_last(wanted), total = trace_frame_count(reader);
    struct progress progress;
    struct message message;
    bool end = false, ok = true;
    uint64_t number = 0;
    progress_begin(&progress, "replay: frame", last < total ? last + 1 : total);
    while (ok && !(frames->count > last)) {
        ok = trace_reader_next(reader, &message, &end, err);
        if (!ok || end)
            break;
        ok = frames->sink.take(frames->sink.data, &message, NULL, 0, err);
        if (!ok)
            fail_at(err, "frame %u, message %llu of client %u", frames->count,
                    (unsigned long long)number, message.client);
        number++;
        progress_at(&progress, frames->count, NULL);
    }
    progress_end(&progress);
    return ok;
}

/* Warns if a reference renderer lacks the initial contents of multisampled resources. */
static bool
warn_of_lost_samples(struct trace_reader *reader, const struct replay_options *options,
                     struct error *err)
{
    struct error lost;
    if (!lost_samples_find(reader, frame_set_last(&options->wanted), &lost, err))
        return false;
    if (lost.text[0])
        log_warning("%s: its pictures may be wrong", lost.text);
    return true;
}

/* Reports the pictures that were written, after a failure in the message of the failure. */
static void
report_written(bool ok, uint32_t written, const char *dir, struct error *err)
{
    struct error longer;
    if (ok)
        log_note("%u picture%s in %s/frames", written, plural(written), dir);
    if (ok || !written)
        return;
    fail(&longer, "%.800s (%u picture%s in %s/frames)", err->text, written, plural(written), dir);
    *err = longer;
}

static bool
replay(const char *path, struct replay_options *options, struct error *err)
{
    struct frame_set *wanted = &options->wanted;
    struct trace_reader *reader;
    struct renderer renderer = {0};
    struct single_sample *single = NULL;
    struct frames frames;
    struct run_output output;
    if (!trace_reader_open_warn(&reader, path, err))
        return false;
    trace_reader_limit(reader, &options->budget);
    struct needed_draws *needed = NULL;
    bool ok =
        frame_set_locate(wanted, trace_first_frame(reader), trace_frame_count(reader), path, err) &&
        renderer_init(&renderer, options->reference, options->forced_samples, err);
    if (ok && renderer.ours)
        render_sink_limit(renderer.ours, &options->budget);
    if (ok && renderer.reference && !options->single)
        ok = warn_of_lost_samples(reader, options, err);
    if (ok && wanted->count && renderer.ours) {
        ok = needed_draws_find(&needed, reader, wanted, options->warm_up, err);
        render_sink_need(renderer.ours, needed);
    }
    if (ok && options->single) {
        single = single_sample_create(renderer.sink);
        renderer.sink = single_sample_sink(single);
    }
    if (ok && (ok = run_output_take(&output, options->dir, options->force, NULL, err))) {
        frames_init(&frames, renderer.sink, options->dir, wanted);
        ok = feed(reader, &frames, options, err);
        report_written(ok, frames.written, options->dir, err);
        if (!ok && !frames.written)
            run_output_discard(&output);
        frames_fini(&frames);
        run_output_release(&output);
    }
    if (single)
        single_sample_destroy(single);
    renderer_fini(&renderer);
    needed_draws_destroy(needed);
    trace_reader_close(reader);
    return ok;
}

/* Renders the recorded calls of a trace on the host's OpenGL. */
static bool
replay_native(const char *path, struct replay_options *options, struct error *err)
{
    struct trace_reader *reader;
    struct run_output output;
    struct calls calls;
    uint32_t written = 0;
    if (options->forced_samples)
        return fail(err, "--reference=native renders with the samples of the calls: ForceMSAA has "
                         "no effect on them");
    if (!trace_reader_open_warn(&reader, path, err))
        return false;
    char *beside = calls_path(path);
    const struct native_options native = {&calls, options->dir, &options->wanted, reader};
    bool ok = frame_set_locate(&options->wanted, trace_first_frame(reader),
                               trace_frame_count(reader), path, err);
    if (ok && !options->calls && !file_exists(beside))
        ok = fail(err,
                  "%s does not exist: --reference=native requires the OpenGL calls of the "
                  "trace, from `capture --api`, or --calls FILE",
                  beside);
    ok = ok && calls_open(&calls, options->calls ? options->calls : beside, err);
    if (ok && (ok = run_output_take(&output, options->dir, options->force, NULL, err))) {
        ok = native_render(&native, &written, err);
        report_written(ok, written, options->dir, err);
        if (!ok && !written)
            run_output_discard(&output);
        run_output_release(&output);
    }
    free(beside);
    trace_reader_close(reader);
    return ok;
}

/* Reads the parameters. Only those that affect the picture are used. */
static bool
read_params(struct replay_options *options, struct error *err)
{
    struct params params;
    if (!machine_options_apply(&options->machine, &params, err))
        return false;
    options->forced_samples = params.SIMULATOR.ForceMSAA ? params.SIMULATOR.MSAASamples : 0;
    return true;
}

int
cmd_replay(int argc, char **argv)
{
    struct replay_options options = {.budget = {FILE_MEMORY_BYTES, 0, "--memory"}};
    const struct arg_option table[] = {
        OPTION_OUTPUT(&options.dir, "DIR",
                      "write DIR/frames/frame-NNNN.png (NAME.frames for NAME.trace)", false),
        OPTION_FRAMES(&options.wanted, "only these frames, from 0"),
        OPTION_WARM_UP(&options.warm_up_text),
        {"reference", 0, ARG_OPTIONAL, &options.reference, "DRIVER",
         "render with virgl_test_server, on llvmpipe (default) or softpipe; native: render the "
         "recorded OpenGL calls of the trace on this machine's OpenGL",
         false},
        {"calls", 0, ARG_STRING, &options.calls, "CALLS",
         "--reference=native: recorded calls (X.api.trace for X.trace, from `capture --api`)",
         false},
        {"single-sampled", 0, ARG_FLAG, &options.single, NULL, "force one sample per pixel", false},
        OPTION_MEMORY(&options.budget.most_bytes),
        OPTION_FORCE(&options.force, "replace an existing run or images in DIR"),
        MACHINE_OPTIONS(&options.machine),
        {0},
    };
    const struct arg_spec spec = {
        "replay", "FILE [--frames R] [--reference[=DRIVER]] [-o DIR]",
        "Renders the frames of a trace without timing. Of the parameters,\n"
        "only SIMULATOR.ForceMSAA and MSAASamples have an effect. `aetius compare`\n"
        "compares the pictures with those of a reference.",
        table, ONE_TRACE};
    struct args args;
    struct error err = {""};
    char dir[OUTPUT_NAME];
    int status = args_parse(&args, &spec, argc, argv);
    if (status >= 0)
        return status;
    if (!options.dir)
        options.dir = default_output(dir, args.operands[0], ".frames");
    if (!parse_warm_up(options.warm_up_text, &options.warm_up, &err))
        return args_usage_error(&spec, "%s", err.text);
    if (options.warm_up_text && options.reference)
        return args_usage_error(
            &spec, "--warm-up cannot be combined with --reference: a reference draws all frames");
    const bool native = options.reference && !strcmp(options.reference, "native");
    if (options.calls && !native)
        return args_usage_error(&spec, "--calls requires --reference=native");
    if (options.single && native)
        return args_usage_error(&spec,
                                "--single-sampled cannot be combined with --reference=native");
    interrupt_watch();
    return conclude(read_params(&options, &err) &&
                        (native ? replay_native : replay)(args.operands[0], &options, &err),
                    &err);
}
