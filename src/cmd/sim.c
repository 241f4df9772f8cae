/* aetius sim: simulates frames of a trace on the GPU, cycle by cycle. */
#include "analysis/sampling.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/memory_text.h"
#include "base/plural.h"
#include "base/text_table.h"
#include "cmd/jobs.h"
#include "cmd/model/model.h"
#include "cmd/simulate.h"
#include "cmd/verify.h"
#include "report/run/csv.h"
#include "report/run/run_json.h"
#include "sim/memory_need.h"
#include "trace/file.h"

#include <stdlib.h>
#include <string.h>

int cmd_sim(int argc, char **argv);

/* Number of draws in the timed frames, for the progress display. */
static uint64_t
count_draws(const struct trace_reader *reader, const struct frame_set *frames)
{
    uint64_t draws = 0;
    for (uint32_t i = 0; i < trace_frame_count(reader); i++)
        if (frame_set_has(frames, i))
            draws += trace_frame(reader, i)->draws;
    return draws;
}

/* Checks that --follow, if given, names a draw of a simulated frame. */
static bool
has_followed(const struct trace_reader *reader, const struct simulate_options *options,
             struct error *err)
{
    const uint32_t frame = options->target.frame;
    if (!options->follow)
        return true;
    if (options->target.draw >= trace_frame(reader, frame)->draws)
        return fail(err, "--follow %s: frame %u has %u draw%s, counted from 0", options->follow,
                    frame, trace_frame(reader, frame)->draws,
                    plural(trace_frame(reader, frame)->draws));
    return !options->timed.count || frame_set_has(&options->timed, frame) ||
           fail(err, "--follow %s: frame %u is not among the --frames", options->follow, frame);
}

/* Checks that --pixel, if given, is inside a simulated frame. */
static bool
has_pixel(const struct trace_reader *reader, const struct simulate_options *options,
          const char *path, struct error *err)
{
    uint32_t width = 0, height = 0;
    if (!options->pixel)
        return true;
    for (uint32_t i = 0; i < trace_frame_count(reader); i++) {
        const struct trace_frame *frame = trace_frame(reader, i);
        if (!frame_set_has(&options->timed, i))
            continue;
        if (options->pixel_x < frame->width && options->pixel_y < frame->height)
            return true;
        width = frame->width > width ? frame->width : width;
        height = frame->height > height ? frame->height : height;
    }
    return fail(err, "--pixel %s is outside the frames of %s, %ux%u", options->pixel, path, width,
                height);
}

/* Converts the frames in the options to the trace's frame numbers. */
static bool
locate_frames(struct simulate_options *options, const struct trace_reader *reader, const char *path,
              struct error *err)
{
    const uint32_t first = trace_first_frame(reader), count = trace_frame_count(reader);
    return frame_set_locate(&options->timed, first, count, path, err) &&
           (!options->follow || frame_locate(&options->target.frame, first, count, path, err) ||
            fail_prefix(err, "--follow %s", options->follow));
}

/* Checks that the sample (NULL: none) was made for a trace with this number of frames. */
static bool
is_sampled(const struct sample *sample, const struct trace_reader *reader, const char *path,
           struct error *err)
{
    const uint32_t count = trace_frame_count(reader);
    return !sample || sample->frames == count ||
           fail(err, "%s has %u frame%s, but the sample is of %u", path, count, plural(count),
                sample->frames);
}

static uint64_t
count_frames(const struct trace_reader *reader, const struct frame_set *frames)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < trace_frame_count(reader); i++)
        count += frame_set_has(frames, i);
    return count;
}

/* Runs the trace through the simulation up to the last requested frame. */
static bool
drive_alone(struct simulate *s, struct trace_reader *reader, struct error *err)
{
    uint32_t last = frame_set_last(&s->frames);
    bool ok = true, end = false;
    while (ok && !s->sim.stopped && s->sim.frame <= last) {
        struct message message;
        ok = trace_reader_next(reader, &message, &end, err);
        if (!ok || end)
            break;
        ok = s->sink.sink.take(s->sink.sink.data, &message, NULL, 0, err);
        if (!ok)
            fail_at(err, "frame %u", s->sim.frame);
    }
    return ok;
}

/* Runs the trace in as many processes as requested, at most one per frame. */
static bool
drive(struct simulate *s, struct trace_reader *reader, struct error *err)
{
    const uint64_t frames = count_frames(reader, &s->frames);
    const uint64_t jobs = s->options->jobs < frames ? s->options->jobs : frames;
    struct needed_draws *needed = NULL;
    s->progress.total = count_draws(reader, &s->frames);
    bool ok = (!s->frames.count && jobs < 2) ||
              needed_draws_find_later(&needed, reader, &s->frames, s->options->warm_up, err);
    s->sim.needed = needed;
    if (ok)
        ok = jobs < 2 ? drive_alone(s, reader, err) : jobs_drive(s, reader, (uint32_t)jobs, err);
    s->sim.needed = NULL;
    needed_draws_destroy(needed);
    return ok;
}

/* Host memory for a trace: the default, or a requested memory size plus a third of the default,
 * whichever is larger. */
static uint64_t
budget_of(const struct params *params)
{
    const uint64_t asked =
        params->MEMORYCONTROLLER.MemoryGrows ? 0 : params->MEMORYCONTROLLER.MemorySize;
    return asked + FILE_MEMORY_BYTES / 3 > FILE_MEMORY_BYTES ? asked + FILE_MEMORY_BYTES / 3
                                                             : FILE_MEMORY_BYTES;
}

/* Executes --verify after the run is complete. */
static bool
verify(const struct simulate_options *options, struct trace_reader *reader,
       const struct params *params, struct error *err)
{
    struct needed_draws *needed = NULL;
    bool ok = !options->timed.count ||
              needed_draws_find(&needed, reader, &options->timed, options->warm_up, err);
    const struct wrong_run run = {
        .reader = reader, .params = params, .timed = &options->timed, .needed = needed};
    ok = ok && verify_pictures(options->dir, &run, err);
    needed_draws_destroy(needed);
    return ok;
}

bool
simulate_trace(const struct simulate_options *asked, const char *path, struct error *err)
{
    struct simulate_options located = *asked;
    const struct simulate_options *options = &located;
    struct trace_reader *reader;
    struct simulate s;
    struct error closing;
    if (!trace_reader_open_warn(&reader, path, err))
        return false;
    interrupt_watch();
    struct budget budget = {FILE_MEMORY_BYTES, 0, "MEMORYCONTROLLER.MemorySize"};
    bool stopped = false;
    size_t whole = 0;
    bool ok = is_sampled(options->sample, reader, path, err) &&
              locate_frames(&located, reader, path, err) && has_followed(reader, options, err) &&
              has_pixel(reader, options, path, err) &&
              simulate_begin(&s, options, trace_program(reader), path, err);
    if (ok) {
        s.folder.facts.first_frame = trace_first_frame(reader);
        budget.most_bytes = budget_of(&s.params);
        trace_reader_limit(reader, &budget);
        gpu_device_limit(&s.sim.device, &budget);
        ok = drive(&s, reader, err);
        stopped = s.sim.stopped || (!ok && interrupt_pending());
        whole = s.folder.frames.count;
        const bool done = ok;
        ok = simulate_end(&s, ok, ok ? err : &closing) && ok;
        if (!done && !stopped) /* memory_need_explain() can use the freed machine's memory */
            memory_need_explain(reader, &s.params, frame_set_last(&options->timed), err);
    }
    if (ok && !stopped && options->verify)
        ok = verify(options, reader, &s.params, err);
    trace_reader_close(reader);
    if (stopped)
        return whole ? fail(err, "interrupted: %zu frame%s complete in %s", whole,
                            whole == 1 ? " is" : "s are", options->dir)
                     : fail(err, "interrupted before a frame was complete");
    return ok;
}

/* Writes estimates of all statistics for the frames that the sample represents: DIR/sample.csv. */
static bool
write_estimates(const struct sample *sample, const char *dir, struct error *err)
{
    struct csv_table table;
    char *from = mem_printf("%s/stats.frames.csv.gz", dir), *to = mem_printf("%s/sample.csv", dir);
    double *values = mem_array(sample->frames, sizeof *values);
    struct memory_text memory;
    bool ok = csv_read(&table, from, err);
    struct text_table estimates = {0};
    text_table_cells(&estimates, "statistic|estimate|low|high");
    text_table_end_row(&estimates);
    for (uint32_t c = 0; ok && c < table.columns; c++) {
        const int32_t frame = csv_column(&table, "frame");
        if (csv_kind_of(table.names[c]) != CSV_WHOLE ||
            (!strchr(table.names[c], '.') && strcmp(table.names[c], "cycles") != 0))
            continue;
        for (uint32_t r = 0; r < table.rows; r++)
            values[(uint32_t)csv_value(&table, r, frame)] = csv_value(&table, r, (int32_t)c);
        const struct sample_estimate all = sample_estimate(sample, values);
        text_table_cell(&estimates, "%s", table.names[c]);
        text_table_cell(&estimates, "%.1f", all.total);
        text_table_cell(&estimates, "%.1f", all.total - all.half);
        text_table_cell(&estimates, "%.1f", all.total + all.half);
        text_table_end_row(&estimates);
    }
    text_table_put(&estimates, TEXT_TABLE_CSV, memory_text_open(&memory));
    char *text = memory_text_take(&memory);
    if (ok) {
        csv_table_fini(&table);
        ok = file_write(to, text, memory.size, err);
    }
    free(text);
    free(values);
    free(from);
    free(to);
    return ok;
}

/* Selects the sample's frames for simulation. */
static bool
take_sample(struct simulate_options *request, struct sample *sample, const char *plan,
            const char *trace, struct error *err)
{
    char hash[SHA256_TEXT];
    if (!sample_read(sample, plan, err))
        return false;
    request->sample = sample;
    request->timed.text = plan;
    for (size_t i = 0; i < sample->clusters.count; i++)
        for (size_t j = 0; j < sample->clusters.items[i].drawn.count; j++) {
            const uint32_t frame = sample->clusters.items[i].drawn.items[j].frame;
            request->timed.ranges[request->timed.count].first = frame;
            request->timed.ranges[request->timed.count++].last = frame;
        }
    return !*sample->trace || (sha256_file(trace, hash, err) &&
                               (!strcmp(hash, sample->trace) ||
                                fail(err, "%s was made for another trace than %s", plan, trace)));
}

static bool
simulate_sample(struct simulate_options *request, const char *plan, const char *trace,
                struct error *err)
{
    struct sample sample = {0};
    const bool ok = take_sample(request, &sample, plan, trace, err) &&
                    simulate_trace(request, trace, err) &&
                    write_estimates(&sample, request->dir, err);
    sample_fini(&sample);
    return ok;
}

/* Also predicts the same frames with the staged model, and prints the error. The model is read
 * before the simulation, which may take hours. */
static bool
simulate_and_predict(struct simulate_options *request, const char *path, const char *trace,
                     struct error *err)
{
    struct model model = {0};
    const struct model_trace_options options = {.machine = request->machine,
                                                .frames = request->timed,
                                                .trace = trace,
                                                .against = request->dir,
                                                .memory = FILE_MEMORY_BYTES};
    const bool ok = model_read(&model, path, err) &&
                    model_check_frames(&model, &options.machine, err) &&
                    simulate_trace(request, trace, err);
    if (ok)
        printf("\nprediction of the staged model, per frame:\n");
    const bool predicted = ok && model_predict_trace(&model, &options, err);
    model_fini(&model);
    return predicted;
}

static bool
has_frames(const char *dir)
{
    struct run_json run;
    struct error ignored;
    const bool has = run_json_read(&run, dir, &ignored) && run.frames > 0;
    run_json_fini(&run);
    return has;
}

int
cmd_sim(int argc, char **argv)
{
    struct simulate_options request = {.shows_draws = true};
    const char *plan = NULL, *model = NULL;
    const struct arg_option options[] = {
        SIMULATE_OPTIONS(&request, " (NAME.run for NAME.trace)"),
        OPTION_JOBS(&request.jobs, "simulate frames in N processes (1); the results are identical"),
        OPTION_WARM_UP(&request.warm_up_text),
        {"sample", 0, ARG_STRING, &plan, "PLAN",
         "simulate the frames of PLAN (from `aetius sample`) and estimate all frames; also writes "
         "DIR/sample.csv",
         false},
        {"verify", 0, ARG_FLAG, &request.verify, NULL,
         "also render the frames without timing; report the pixel and the draw of a difference",
         false},
        {"model", 0, ARG_STRING, &model, "MODEL",
         "also print the prediction of `aetius model predict` for these frames, and the bottleneck "
         "of each",
         false},
        {0}};
    const struct arg_spec spec = {
        "sim",
        "FILE [-o DIR] [options]",
        "Simulates the frames of a trace cycle by cycle. Writes to DIR: frames/*.png,\n"
        "machine.ini, run.json, and stats.*.csv.gz (one row per frame, draw and\n"
        "interval).",
        options,
        1,
        2,
        "one trace FILE",
        .program = ARG_NO_PROGRAM};
    struct args args;
    struct error err = {""};
    char dir[OUTPUT_NAME];
    int status = args_parse(&args, &spec, argc, argv);
    if (status >= 0)
        return status;
    if (args.operand_count > 1)
        return args_usage_error(&spec, "the output folder requires -o: aetius sim %s -o %s",
                                args.operands[0], args.operands[1]);
    if (!request.dir)
        request.dir = default_output(dir, args.operands[0], ".run");
    if (!simulate_options_parse(&request, &err) ||
        !parse_warm_up(request.warm_up_text, &request.warm_up, &err))
        return args_usage_error(&spec, "%s", err.text);
    if (plan && request.timed.count)
        return args_usage_error(
            &spec, "--sample determines the frames: it cannot be combined with --frames");
    if (model && (plan || request.json))
        return args_usage_error(&spec, "--model cannot be combined with --sample or --json");
    const bool ok = model  ? simulate_and_predict(&request, model, args.operands[0], &err)
                    : plan ? simulate_sample(&request, plan, args.operands[0], &err)
                           : simulate_trace(&request, args.operands[0], &err);
    if (ok && !request.json && has_frames(request.dir))
        print_next(stdout, "topdown", request.dir, "");
    return conclude(ok, &err);
}
