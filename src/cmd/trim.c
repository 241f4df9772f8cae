/* aetius trim: makes a shorter, self-contained trace. */
#include "base/interrupt.h"
#include "base/log.h"
#include "base/mem.h"
#include "cmd/cut.h"
#include "cmd/options.h"
#include "cmd/renderer.h"
#include "sim/trim.h"
#include "trace/virgl/lost_samples.h"
#include "trace/virgl/read_back.h"

#include <stdlib.h>
#include <unistd.h>

int cmd_trim(int argc, char **argv);

struct trim_options {
    struct cut_options cut;
    struct budget budget;
    const char *through; /* reference renderer; NULL: the functional renderer */
};

/* Renders up to the start of the last range. */
static bool
feed(struct trace_reader *reader, struct read_back *read_back, const struct frame_set *set,
     struct error *err)
{
    struct message_sink *sink = read_back_sink(read_back);
    struct progress progress;
    struct message message;
    uint32_t frame = 0;
    bool end = false, ok = true;
    progress_begin(&progress, "trim: drawing frame", set->ranges[set->count - 1].first + 1);
    while (ok && !read_back_done(read_back)) {
        ok = trace_reader_next(reader, &message, &end, err);
        if (!ok || end)
            break;
        ok = sink->take(sink->data, &message, NULL, 0, err) || fail_at(err, "frame %u", frame);
        frame += message_ends_frame(&message);
        progress_at(&progress, frame, NULL);
    }
    progress_end(&progress);
    return ok && trace_reader_rewind(reader, err);
}

/* Refuses a trace that the reference would render incorrectly, so that such errors do not get into
 * the result. */
static bool
can_draw(struct trace_reader *reader, const struct frame_set *set, struct error *err)
{
    const uint32_t first = set->ranges[set->count - 1].first;
    struct error lost;
    return first == 0 ||
           (lost_samples_find(reader, first - 1, &lost, err) &&
            (!lost.text[0] ||
             fail(err, "%s: omit --through so that Aetius draws it itself", lost.text)));
}

/* Renders with the reference, and stores its contents at the start of each range. */
static bool
read_contents(const struct trim_options *options, struct trace_reader *reader, const char *path,
              struct error *err)
{
    struct renderer renderer;
    struct read_back *read_back;
    struct error closing;
    if (!renderer_init(&renderer, options->through, 0, err))
        return false;
    bool ok = read_back_create(&read_back, path, &options->cut.set, renderer.sink, false, err);
    if (ok) {
        ok = feed(reader, read_back, &options->cut.set, err);
        ok = read_back_close(read_back, ok ? err : &closing) && ok;
    }
    renderer_fini(&renderer);
    return ok;
}

static bool
trim_through(const struct trim_options *options, struct trace_reader *reader, struct error *err)
{
    struct trace_reader *contents;
    char *path = cut_work_path(&options->cut, "contents.part");
    bool ok = can_draw(reader, &options->cut.set, err) &&
              read_contents(options, reader, path, err) && trace_reader_open(&contents, path, err);
    if (ok) {
        ok = cut_frames(&options->cut, reader, contents, err);
        trace_reader_close(contents);
    }
    unlink(path);
    free(path);
    return ok;
}

/* Converts the given frames to positions in the trace. File names keep the given numbers. */
static bool
locate_frames(struct cut_options *cut, const struct trace_reader *reader, struct error *err)
{
    const uint32_t given = cut->set.ranges[0].first;
    const bool ok = frame_set_locate(&cut->set, trace_first_frame(reader),
                                     trace_frame_count(reader), "the trace", err);
    cut->first = given - cut->set.ranges[0].first;
    return ok;
}

static bool
trim(struct trim_options *options, const char *path, struct error *err)
{
    struct trace_reader *reader;
    if (!trace_reader_open_warn(&reader, path, err))
        return false;
    trace_reader_limit(reader, &options->budget);
    const bool ok = locate_frames(&options->cut, reader, err) &&
                    trim_check(reader, &options->cut.set, err) && cut_prepare(&options->cut, err) &&
                    (options->through ? trim_through(options, reader, err)
                                      : cut_frames(&options->cut, reader, NULL, err));
    trace_reader_close(reader);
    if (ok)
        cut_report(&options->cut);
    else
        fail_prefix(err, "%s", path);
    return ok;
}

int
cmd_trim(int argc, char **argv)
{
    struct trim_options options = {.budget = {FILE_MEMORY_BYTES, 0, "--memory"}};
    struct cut_options *cut = &options.cut;
    const struct arg_option table[] = {
        OPTION_OUTPUT(&cut->out, "FILE",
                      "trace to write; for several ranges, the folder for frames-A-B.trace", true),
        {"frames", 0, ARG_FRAMES, &cut->set, "A-B", "frames to keep, from 0: A-B,C-D,E", true},
        OPTION_WARM_UP(&cut->warm_up_text),
        {"through", 0, ARG_STRING, &options.through, "DRIVER",
         "render the earlier frames with virgl_test_server, on llvmpipe or softpipe; Aetius "
         "renders "
         "only what cannot be read back",
         false},
        OPTION_MEMORY(&options.budget.most_bytes),
        OPTION_FORCE(&cut->force, "overwrite FILE"),
        {0},
    };
    const struct arg_spec spec = {
        "trim", "FILE --frames A-B -o FILE",
        "Writes frames A to B of a trace as a new trace: the state and resources at A,\n"
        "then the frames. The state at A requires rendering all earlier frames:\n"
        "--through renders them with virgl_test_server, --warm-up skips most of them.\n"
        "Frames of the new trace are numbered from 0. `aetius info` lists their original\n"
        "numbers. Commands also accept an original number, unless a frame of the new\n"
        "trace has the same number.",
        table, ONE_TRACE};
    struct args args;
    struct error err;
    int status = args_parse(&args, &spec, argc, argv);
    if (status >= 0)
        return status;
    if (!parse_warm_up(cut->warm_up_text, &cut->warm_up, &err))
        return args_usage_error(&spec, "%s", err.text);
    cut->in_folder = cut->set.count > 1;
    interrupt_watch();
    return conclude(trim(&options, args.operands[0], &err), &err);
}
