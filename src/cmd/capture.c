/* aetius capture: records a trace of a program while virgl_test_server draws for it, or our own
 * functional renderer where that cannot run. */
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "cmd/options.h"
#include "cmd/renderer.h"
#include "sim/judge.h"
#include "sim/trim.h"
#include "trace/launch.h"
#include "trace/tee.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int cmd_capture(int argc, char **argv);

struct capture_options {
    const char *out;
    struct frame_set frames;
    bool stop, force;
};

/* The first of the frames; 0 when all are. */
static uint32_t
first_frame(const struct capture_options *options)
{
    return options->frames.count ? options->frames.ranges[0].first : 0;
}

/* The fast one of the two, or ours. */
static bool
find_renderer(struct renderer *renderer, struct error *err)
{
    if (renderer_init(renderer, "", 0, err))
        return true;
    log_note("%s; Aetius' own renderer draws instead", err->text);
    err->text[0] = '\0';
    return renderer_init(renderer, NULL, 0, err);
}

/* A file without a frame or a draw is no trace, and would be in the way of the next attempt. */
static void
remove_empty(const char *path)
{
    struct stat st;
    if (!lstat(path, &st) && S_ISREG(st.st_mode))
        unlink(path);
}

/* Records into `path`; *frames and *draws are how many. */
static bool
record(const struct capture_options *options, const char *path, char **program, uint32_t *frames,
       uint64_t *draws, struct launch_result *result, struct error *err)
{
    struct renderer renderer;
    struct trace_writer *writer;
    struct tee tee;
    struct judge judge;
    struct error closing;
    if (!find_renderer(&renderer, err))
        return false;
    if (!judge_init(&judge, &tee.sink, err)) {
        renderer_fini(&renderer);
        return false;
    }
    if (!trace_writer_create(&writer, path, program[0], err)) {
        judge_fini(&judge);
        renderer_fini(&renderer);
        return false;
    }
    tee_init(&tee, writer, renderer.sink, frame_set_last(&options->frames), options->stop);
    bool ok = launch(program, &judge.sink, &tee.stop, result, err);
    *frames = trace_writer_frames(writer);
    *draws = trace_writer_draws(writer);
    ok = trace_writer_close(writer, ok ? err : &closing) && ok;
    if (!*frames && !*draws)
        remove_empty(path);
    judge_fini(&judge);
    renderer_fini(&renderer);
    return ok;
}

static void
say_size(const char *path, uint32_t frames, uint64_t draws)
{
    struct stat file;
    double megabytes = stat(path, &file) ? 0 : (double)file.st_size / 1e6;
    if (!frames) {
        log_note("%s: no frame (no buffers were swapped, nothing drawn was read back), but %" PRIu64
                 " draws: `aetius verify` "
                 "runs them",
                 path, draws);
        return;
    }
    log_note("%s: %u frame%s, %.2f MB, %.3f MB a frame", path, frames, frames == 1 ? "" : "s",
             megabytes, megabytes / frames);
}

/* Frames from a later one on are cut out of what was recorded from the start: what resources hold
 * there is not all to be had from the renderer that drew. */
static bool
shorten(const struct capture_options *options, const char *from, uint32_t *frames,
        struct error *err)
{
    struct trace_reader *reader;
    struct frame_set set = {.count = 1};
    set.ranges[0].first = first_frame(options);
    set.ranges[0].last = *frames - 1;
    if (!trace_reader_open(&reader, from, NULL, err))
        return false;
    bool ok = trim_trace(reader, &set, UINT32_MAX, &options->out, err);
    trace_reader_close(reader);
    *frames -= first_frame(options);
    return ok;
}

static int
capture(const struct capture_options *options, char **program, struct error *err)
{
    struct launch_result result;
    uint32_t frames = 0;
    uint64_t draws = 0;
    bool later = first_frame(options) > 0;
    char *path = mem_printf("%s%s", options->out, later ? ".part" : "");
    bool ok = record(options, path, program, &frames, &draws, &result, err);
    if (ok && later)
        ok = frames > first_frame(options) ? shorten(options, path, &frames, err)
                                           : fail(err, "%s ended in frame %u, before frame %u",
                                                  program[0], frames, first_frame(options));
    if (later)
        unlink(path);
    free(path);
    if (!ok)
        return EXIT_FAILED;
    err->text[0] = '\0';
    const bool has_trace = frames || draws;
    if (has_trace)
        say_size(options->out, frames, draws);
    int status = launch_conclude(&result, program[0]);
    if (!has_trace && result.connections)
        fail(err, "%s ended before its first draw: no trace was written", program[0]);
    return has_trace ? status : EXIT_FAILED;
}

int
cmd_capture(int argc, char **argv)
{
    struct capture_options options = {0};
    const struct arg_option table[] = {
        OPTION_OUTPUT(&options.out, "FILE", "the trace to write", true),
        {"frames", 0, ARG_FRAMES, &options.frames, "A-B",
         "record frames A to B only, with the state and resources at A", false},
        {"stop", 0, ARG_FLAG, &options.stop, NULL, "end the program after frame B", false},
        OPTION_FORCE(&options.force, "overwrite FILE"),
        {0},
    };
    const struct arg_spec spec = {
        .command = "capture",
        .usage = "-o FILE [--frames A-B] [--stop] -- PROGRAM ...",
        .about =
            "Records what an OpenGL program says to the GPU, frame by frame, while "
            "virgl_test_server\n"
            "(package virgl-server) draws for it, or Aetius itself when that is not installed.\n"
            "Starts Xvfb when DISPLAY is not set.",
        .options = table,
        .has_program = true};
    struct args args;
    struct error err = {""};
    int status = args_parse(&args, &spec, argc, argv);
    if (status >= 0)
        return status;
    if (options.frames.count > 1)
        return args_usage_error(&spec, "--frames wants one range of frames, A-B");
    if (options.stop && !options.frames.text)
        return args_usage_error(&spec, "--stop wants --frames A-B");
    if (!options.force && file_exists(options.out)) {
        log_error("%s is there already; --force overwrites it", options.out);
        return EXIT_FAILED;
    }
    status = capture(&options, args.after, &err);
    if (err.text[0])
        log_error("%s", err.text);
    return status;
}
