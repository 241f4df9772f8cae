/* aetius capture: records a trace of a program while virgl_test_server draws for it, or our own
 * functional renderer where that cannot run. */
#include "base/args.h"
#include "base/file.h"
#include "base/log.h"
#include "cmd/renderer.h"
#include "trace/launch.h"
#include "trace/tee.h"

int cmd_capture(int argc, char **argv);

struct capture_options {
    const char *out, *frames;
    bool stop, force;
    uint32_t last_frame;
};

static bool
parse_frames(struct capture_options *options, struct error *err)
{
    struct frame_set set = {0};
    options->last_frame = UINT32_MAX;
    if (!options->frames)
        return true;
    if (!frame_set_parse(&set, options->frames, err))
        return false;
    if (set.count != 1 || set.ranges[0].first != 0)
        return fail(err, "a capture starts at frame 0: --frames 0-%u (`aetius trim` cuts a trace)",
                    frame_set_last(&set));
    options->last_frame = set.ranges[0].last;
    return true;
}

/* The fast one of the two, or ours. */
static bool
find_renderer(struct renderer *renderer, struct error *err)
{
    if (renderer_init(renderer, "", err))
        return true;
    log_note("%s; Aetius' own renderer draws instead", err->text);
    err->text[0] = '\0';
    return renderer_init(renderer, NULL, err);
}

static int
capture(const struct capture_options *options, char **program, struct error *err)
{
    struct renderer renderer;
    struct trace_writer *writer;
    struct launch_result result;
    struct tee tee;
    if (!find_renderer(&renderer, err))
        return EXIT_FAILED;
    if (!trace_writer_create(&writer, options->out, program[0], err)) {
        renderer_fini(&renderer);
        return EXIT_FAILED;
    }
    tee_init(&tee, writer, renderer.sink, options->last_frame, options->stop);
    bool ok = launch(program, &tee.sink, &tee.stop, &result, err);
    uint32_t frames = trace_writer_frames(writer);
    struct error closing;
    if (!trace_writer_close(writer, ok ? err : &closing))
        ok = false;
    renderer_fini(&renderer);
    if (!ok)
        return EXIT_FAILED;
    log_note("%s: %u frames", options->out, frames);
    err->text[0] = '\0';
    return launch_conclude(&result, program[0]);
}

int
cmd_capture(int argc, char **argv)
{
    struct capture_options options = {0};
    const struct arg_option table[] = {
        {"output", 'o', ARG_STRING, &options.out, "FILE", "the trace to write"},
        {"frames", 0, ARG_STRING, &options.frames, "0-B", "record frames 0 to B only"},
        {"stop", 0, ARG_FLAG, &options.stop, NULL, "end the program after frame B"},
        {"force", 'f', ARG_FLAG, &options.force, NULL, "overwrite FILE"},
        {0},
    };
    const struct arg_spec spec = {
        "capture", "-o FILE [--frames 0-B] [--stop] -- PROGRAM ...",
        "Records what an OpenGL program says to the GPU, frame by frame, while virgl_test_server\n"
        "(package virgl-server) draws for it, or Aetius itself when that is not installed.\n"
        "Starts Xvfb when DISPLAY is not set.",
        table};
    struct args args;
    struct error err = {""};
    int status = args_parse(&args, &spec, argc, argv);
    if (status >= 0)
        return status;
    if (!options.out || args.after_count == 0 || args.operand_count)
        return args_usage_error(&spec, !options.out         ? "-o FILE is missing"
                                       : args.operand_count ? "PROGRAM comes after `--`"
                                                            : "no PROGRAM after `--`");
    if (!parse_frames(&options, &err))
        return args_usage_error(&spec, "%s", err.text);
    if (options.stop && !options.frames)
        return args_usage_error(&spec, "--stop wants --frames 0-B");
    if (!options.force && file_exists(options.out)) {
        log_error("%s is there already; --force overwrites it", options.out);
        return EXIT_FAILED;
    }
    status = capture(&options, args.after, &err);
    if (err.text[0])
        log_error("%s", err.text);
    return status;
}
