/* aetius capture: records a trace of a program. virgl_test_server renders for the program, or
 * Aetius' functional renderer if virgl_test_server cannot run. */
#include "base/file.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/plural.h"
#include "base/wrap.h"
#include "cmd/calls.h"
#include "cmd/capture.h"
#include "cmd/options.h"
#include "cmd/renderer.h"
#include "sim/command_checker.h"
#include "sim/trim.h"
#include "trace/virgl/read_back.h"
#include "trace/tee.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    GRACE_SECONDS = 8,
    WAITING_SECONDS = 10, /* without a frame, until a message */
};

int cmd_capture(int argc, char **argv);

/* Whether the complete recording is the requested trace. */
static bool
is_whole(const struct capture_options *options)
{
    const struct frame_set *set = &options->cut.set;
    return set->count == 0 || (set->count == 1 && set->ranges[0].first == 0);
}

/* Temporary files of a capture from which frames are extracted: the recorded stream, and the
 * contents rendered by the start of each range. */
struct recording {
    char *path, *contents;
    uint32_t frames;
    uint64_t draws;
    bool begun; /* this process has created the files */
    bool keep;  /* keep the stream, which ends with a whole frame, after a failure */
    struct cut_options written; /* the extracted ranges; written.set.count 0: none */
};

/* Selects virgl_test_server, which is faster, or the functional renderer. */
static bool
find_renderer(struct renderer *renderer, struct error *err)
{
    if (renderer_init(renderer, "", 0, err))
        return true;
    log_note("%s; Aetius' own renderer is used instead", err->text);
    err->text[0] = '\0';
    return renderer_init(renderer, NULL, 0, err);
}

/* State of the messages about a program that produces no frames. */
struct waiting {
    const struct tee *tee;
    struct progress *progress;
    const char *name;
    uint32_t most_seconds; /* after which the capture ends; 0: no limit */
    uint32_t frames;       /* number of frames at the last message */
    bool is_said;
};

/* Prints a message if there has been no frame for WAITING_SECONDS, once per frame. */
static void
watch_frames(void *data)
{
    struct waiting *waiting = data;
    const struct tee *tee = waiting->tee;
    const bool is_new = tee->frame != waiting->frames || !waiting->is_said;
    if (!is_new || wall_seconds() - tee->waiting_since < WAITING_SECONDS)
        return;
    char limit[48] = "";
    if (waiting->most_seconds)
        snprintf(limit, sizeof limit, " (ends after %u s)", waiting->most_seconds);
    progress_end(waiting->progress);
    waiting->frames = tee->frame;
    waiting->is_said = true;
    if (tee->written)
        log_note("the requested frames are recorded, but %s is still running: close it or press "
                 "Ctrl-C (--stop ends it after the last frame)",
                 waiting->name);
    else
        log_note(
            "%u frame%s so far, none for %d s%s: if %s waits for input, %s; Ctrl-C ends it and "
            "keeps the complete frames",
            tee->frame, plural(tee->frame), WAITING_SECONDS, limit, waiting->name,
            waiting->most_seconds ? "press keys with `aetius capture --keys`"
                                  : "press keys with --keys");
}

static bool
run_program(const struct capture_options *options, char **program, struct message_sink *renderer,
            struct recording *recording, struct launch_result *result, struct error *err)
{
    const uint32_t last = frame_set_last(&options->cut.set);
    struct trace_writer *writer;
    struct progress progress;
    struct tee tee;
    struct command_checker checker;
    struct error closing;
    if (!command_checker_init(&checker, &tee.sink, err))
        return false;
    if (!trace_writer_create_for(&writer, recording->path, options->name, options->launch.offer,
                                 err)) {
        command_checker_fini(&checker);
        return false;
    }
    recording->begun = true;
    tee_init(&tee, writer, renderer, last, options->stop);
    tee.progress = &progress;
    progress_begin(&progress, options->progress, last == UINT32_MAX ? options->frames : last + 1);
    struct waiting waiting = {.tee = &tee,
                              .progress = &progress,
                              .name = options->name,
                              .most_seconds = options->launch.most_seconds};
    struct launch_options launched = options->launch;
    launched.watch = options->explain ? NULL : watch_frames; /* a replayer needs no input */
    launched.watch_data = &waiting;
    bool ok = launch(program, &launched, &checker.sink, &tee.stop, result, err);
    progress_end(&progress);
    command_checker_fini(&checker);
    recording->frames = trace_writer_frames(writer);
    recording->draws = trace_writer_draws(writer);
    if (!recording->frames && !recording->draws) {
        trace_writer_discard(writer); /* the recording is not a trace: keeps an older file */
        return ok;
    }
    return trace_writer_close(writer, ok ? err : &closing) && ok;
}

static bool
record(const struct capture_options *options, char **program, struct recording *recording,
       struct launch_result *result, struct error *err)
{
    struct renderer renderer;
    struct read_back *read_back = NULL;
    struct error closing;
    if (!find_renderer(&renderer, err))
        return false;
    struct message_sink *sink = renderer.sink;
    bool ok =
        !recording->contents || read_back_create(&read_back, recording->contents, &options->cut.set,
                                                 sink, renderer.ours != NULL, err);
    recording->begun = read_back != NULL;
    if (read_back)
        sink = read_back_sink(read_back);
    ok = ok && run_program(options, program, sink, recording, result, err);
    if (read_back)
        ok = read_back_close(read_back, ok ? err : &closing) && ok;
    renderer_fini(&renderer);
    return ok;
}

static void
report_size(const char *path, uint32_t frames, uint64_t draws)
{
    struct stat file;
    double megabytes = stat(path, &file) ? 0 : (double)file.st_size / 1e6;
    if (!frames) {
        log_note(
            "%s: no frame (the program swapped no buffers and read back no rendering of at least "
            "16x16 pixels), but %" PRIu64 " draws: `aetius verify` executes them",
            path, draws);
        return;
    }
    log_note("%s: %u frame%s, %.2f MB, %.3f MB per frame", path, frames, plural(frames), megabytes,
             megabytes / frames);
}

/* Limits the ranges to the recorded frames. Returns false if no range remains. */
static bool
reach_ranges(struct frame_set *set, uint32_t frames)
{
    while (set->count && set->ranges[set->count - 1].first >= frames)
        set->count--;
    if (set->count && set->ranges[set->count - 1].last >= frames)
        set->ranges[set->count - 1].last = frames - 1;
    return set->count > 0;
}

static bool
cut_recording(const struct capture_options *options, struct recording *recording, bool has_contents,
              struct error *err)
{
    struct trace_reader *reader, *contents = NULL;
    if (!trace_reader_open(&reader, recording->path, err))
        return false;
    const bool ok = (!has_contents || trace_reader_open(&contents, recording->contents, err)) &&
                    cut_frames(&options->cut, reader, contents, err);
    if (contents)
        trace_reader_close(contents);
    if (ok)
        recording->written = options->cut;
    trace_reader_close(reader);
    return ok;
}

/* Keeps a recording whose frames could not be extracted, and adds its path to the error. Returns
 * false. */
static bool
keep_recording(struct recording *recording, struct error *err)
{
    struct error longer;
    recording->keep = recording->frames > 0;
    if (!recording->keep)
        return false;
    fail(&longer, "%.600s: the first %u frame%s in %s; extract ranges with `aetius trim`",
         interrupt_pending() ? "interrupted" : err->text, recording->frames,
         recording->frames == 1 ? " is" : "s are", recording->path);
    *err = longer;
    return false;
}

/* Extracts the last frames of the recording. Their number is that of the requested range. */
static bool
take_last(const struct capture_options *options, struct recording *recording, struct error *err)
{
    struct capture_options last = *options;
    const uint32_t asked = last.cut.set.ranges[0].last - last.cut.set.ranges[0].first + 1;
    const uint32_t frames = recording->frames, count = asked < frames ? asked : frames;
    last.cut.set.ranges[0].first = frames - count;
    last.cut.set.ranges[0].last = frames - 1;
    return cut_recording(&last, recording, false, err) || keep_recording(recording, err);
}

/* Extracts the ranges from the recording. */
static bool
shorten(const struct capture_options *options, struct recording *recording, struct error *err)
{
    struct capture_options reached = *options;
    const struct frame_set *set = &options->cut.set;
    const bool any = reach_ranges(&reached.cut.set, recording->frames);
    const uint32_t count = reached.cut.set.count;
    if (options->takes_last && recording->frames && recording->frames <= frame_set_last(set))
        return take_last(options, recording, err);
    if (any && !cut_recording(&reached, recording, true, err))
        return keep_recording(recording, err);
    return count == set->count ||
           fail(err, "%s ended after %u frame%s: there is no frame %u (the first is frame 0)",
                options->name, recording->frames, plural(recording->frames),
                set->ranges[count].first);
}

/* After a signal, extracts the complete ranges from the recording. Keeps the recording if other
 * ranges were also requested. */
static bool
shorten_interrupted(const struct capture_options *options, struct recording *recording,
                    struct error *err)
{
    struct capture_options reached = *options;
    struct frame_set *set = &reached.cut.set;
    while (set->count && set->ranges[set->count - 1].last >= recording->frames)
        set->count--;
    const bool all = set->count == options->cut.set.count;
    fail(err, "interrupted");
    if (set->count) {
        log_note("interrupted: extracting the complete frames, for at most %d seconds",
                 GRACE_SECONDS);
        interrupt_grace(GRACE_SECONDS);
    }
    if (set->count && !cut_recording(&reached, recording, true, err))
        return keep_recording(recording, err);
    return all || keep_recording(recording, err);
}

/* Reports the traces in the last message, separate from the program's output. */
static void
report_traces(const struct recording *recording, bool whole)
{
    if (whole ? !recording->frames && !recording->draws : !recording->written.set.count)
        return;
    fputs(color_code(stderr, COLOR_STRONG), stderr);
    if (whole)
        report_size(recording->path, recording->frames, recording->draws);
    else
        cut_report(&recording->written);
    fputs(color_code(stderr, COLOR_END), stderr);
}

static int
capture(const struct capture_options *options, char **program, struct recording *recording,
        struct error *err)
{
    struct launch_result result;
    const bool whole = is_whole(options);
    bool ok = record(options, program, recording, &result, err);
    fputs(isatty(STDERR_FILENO) ? "\n" : "", stderr); /* the program's last line may have no end */
    if (!whole && interrupt_pending())
        ok = shorten_interrupted(options, recording, err);
    else if (!whole && ok && !recording->frames && !options->explain &&
             launch_conclude(&result, options->name) != EXIT_WELL) {
        err->text[0] = '\0'; /* launch_conclude() has reported the reason */
        return EXIT_FAILED;
    } else if (!whole)
        ok = ok ? shorten(options, recording, err) : keep_recording(recording, err);
    if (!ok) {
        report_traces(recording, false);
        return EXIT_FAILED;
    }
    err->text[0] = '\0';
    const bool has_trace = !whole || recording->frames || recording->draws;
    if (options->explain && result.failed)
        options->explain(options, &result);
    const int status = launch_conclude(&result, options->name);
    const bool is_explained = options->explain && result.failed;
    /* launch_conclude() has reported other failures. */
    if (!has_trace && status == EXIT_WELL && !is_explained) {
        char *wanted = launch_wanted(&result);
        fail(err, "%s ended before its first draw: no trace was written%s", options->name, wanted);
        free(wanted);
    }
    report_traces(recording, whole);
    return has_trace ? status : EXIT_FAILED;
}

int
capture_program(const struct capture_options *options, char **program, struct error *err)
{
    const struct cut_options *cut = &options->cut;
    const bool whole = is_whole(options);
    struct recording recording = {0};
    recording.path = whole ? mem_strdup(cut->out) : cut_work_path(cut, "part");
    recording.contents = whole ? NULL : cut_work_path(cut, "contents.part");
    interrupt_watch();
    const bool ok = whole || cut->force || !file_exists(recording.path) ||
                    fail(err,
                         "%s already exists, recorded by an earlier capture (extract ranges with "
                         "`aetius trim`); --force overwrites it",
                         recording.path);
    const int status = ok ? capture(options, program, &recording, err) : EXIT_FAILED;
    if (!whole && recording.begun) {
        if (!recording.keep)
            unlink(recording.path);
        unlink(recording.contents);
    }
    free(recording.path);
    free(recording.contents);
    return status;
}

/* Removes an earlier file X.api.trace. */
static bool
clear_calls(const char *path, bool force, struct error *err)
{
    if (!check_output(path, force, err))
        return false;
    return !file_exists(path) || !unlink(path) ||
           fail(err, "cannot remove %s: %s", path, strerror(errno));
}

/* Checks that the file contains calls. Warns if they end before the last frame of the trace,
 * because a killed program has lost some of them. */
static bool
check_calls(const char *path, const char *trace, bool egl, struct error *err)
{
    struct trace_reader *reader;
    struct calls calls;
    if (!calls_open(&calls, path, err))
        return fail_prefix(err, egl ? "--api=egl" : "--api (--api=egl if the program uses EGL)");
    if (!trace_reader_open(&reader, trace, err))
        return false;
    const uint32_t end = trace_first_frame(reader) + trace_frame_count(reader);
    if (calls.swaps && calls.swaps < end)
        log_warning("%s has %u swap%s of buffers, but the last frame of %s is %u", path,
                    calls.swaps, plural(calls.swaps), trace, end - 1);
    trace_reader_close(reader);
    return true;
}

/* Records the OpenGL calls with apitrace, next to the trace. */
static int
capture_calls(struct capture_options *options, const char *api, const struct args *args,
              struct error *err)
{
    char *path = calls_path(options->cut.out), *kind = mem_printf("--api=%s", *api ? api : "gl");
    char name[] = "apitrace", trace[] = "trace", output[] = "--output", end[] = "--";
    char *const head[] = {name, trace, kind, output, path, end};
    enum { HEAD = sizeof head / sizeof *head };
    const size_t count = (size_t)args->after_count;
    char **program = mem_array(HEAD + count + 1, sizeof *program);
    memcpy(program, head, sizeof head);
    memcpy(program + HEAD, args->after, count * sizeof *program);
    options->launch.apitrace = true;
    int status = EXIT_FAILED;
    if (clear_calls(path, options->cut.force, err))
        status = capture_program(options, program, err);
    if (status == EXIT_WELL && !check_calls(path, options->cut.out, !strcmp(api, "egl"), err))
        status = EXIT_FAILED;
    free(program);
    free(kind);
    free(path);
    return status;
}

int
cmd_capture(int argc, char **argv)
{
    struct capture_options options = {.progress = "capture: frame"};
    const char *api = NULL, *gl = NULL;
    uint64_t clock = 0;
    struct cut_options *cut = &options.cut;
    const struct arg_option table[] = {
        OPTION_OUTPUT(
            &cut->out, "FILE",
            "trace to write (NAME.trace for PROGRAM NAME); for several ranges, the folder for "
            "frames-A-B.trace",
            false),
        {"frames", 0, ARG_FRAMES, &cut->set, "A-B",
         "record only frames A to B, with the state and resources at A: A-B,C-D,E", false},
        OPTION_WARM_UP(&cut->warm_up_text),
        OPTION_CLOCK(&clock),
        OPTION_GL(&gl),
        {"stop", 0, ARG_FLAG, &options.stop, NULL,
         "terminate the program (SIGTERM) after the last requested frame", false},
        {"api", 0, ARG_OPTIONAL, &api, "API",
         "also record the OpenGL calls with apitrace, e.g. game.api.trace for game.trace; API: gl "
         "(default), or egl for programs that use EGL",
         false},
        {"keys", 0, ARG_STRING, &options.launch.keys, "WORDS",
         "press keys, for a program that waits for input: names of keys, +KEY and -KEY (press, "
         "release), waits in seconds (8s), positions of the pointer (320,200), click, e.g. \"8s "
         "Down Return\"; the program then runs in an Xvfb, also if DISPLAY is set",
         false},
        OPTION_FORCE(&cut->force, "overwrite FILE"),
        {0},
    };
    const struct arg_spec spec = {
        .command = "capture",
        .usage = "[-o FILE] [--frames A-B] [--stop] -- PROGRAM ...",
        .about = "Records the GPU commands of an OpenGL program, frame by frame. During capture\n"
                 "the program's frames are rendered by virgl_test_server (package virgl-server),\n"
                 "or by Aetius if that is not installed. Starts Xvfb if DISPLAY is not set.\n"
                 "If --frames skips frames, the requested frames are extracted after the program\n"
                 "ends. The contents of GPU memory at the first requested frame are read back\n"
                 "from the renderer. Contents that cannot be read back (multisample surfaces,\n"
                 "24-bit depth without stencil) are rendered by Aetius, unless the frames\n"
                 "overwrite them before reading them. A message reports this. Ctrl-C ends the\n"
                 "program; complete ranges are still extracted. `aetius import --names` labels\n"
                 "draws with the calls that --api recorded.",
        .options = table,
        .program = ARG_PROGRAM};
    struct args args;
    struct error err = {""};
    char out[OUTPUT_NAME];
    int status = args_parse(&args, &spec, argc, argv);
    if (status >= 0)
        return status;
    if (!cut->out)
        cut->out = default_output(out, args.after[0], ".trace");
    if (!parse_warm_up(cut->warm_up_text, &cut->warm_up, &err) || !check_clock(clock, &err) ||
        !gl_offer_parse(gl, &options.launch.offer, &err))
        return args_usage_error(&spec, "%s", err.text);
    if (options.stop && !cut->set.text)
        return args_usage_error(&spec, "--stop requires --frames A-B");
    if (!trim_in_order(&cut->set, &err))
        return args_usage_error(&spec, "%s", err.text);
    if (api && *api && strcmp(api, "gl") != 0 && strcmp(api, "egl") != 0)
        return args_usage_error(&spec, "--api '%s': expected gl or egl", api);
    if (api && cut->set.count > 1)
        return args_usage_error(&spec, "--api cannot be combined with several ranges of frames");
    if (options.launch.keys && !launch_check_keys(options.launch.keys, &err))
        return args_usage_error(&spec, "%s", err.text);
    options.launch.clock = (uint32_t)clock;
    options.name = args.after[0];
    cut->in_folder = cut->set.count > 1;
    if (!cut_prepare(cut, &err)) {
        log_error("%s", err.text);
        return EXIT_FAILED;
    }
    status = api ? capture_calls(&options, api, &args, &err)
                 : capture_program(&options, args.after, &err);
    if (err.text[0])
        log_error("%s", err.text);
    return status;
}
