/* aetius sim: frames of a trace on the simulated GPU, cycle by cycle. */
#include "base/log.h"
#include "cmd/options.h"
#include "report/run_folder.h"
#include "trace/file.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cmd_sim(int argc, char **argv);

struct request {
    struct machine_options machine;
    const char *frames, *dir, *trace;
    bool force, json, quiet;
};

static volatile sig_atomic_t interrupted;

static void
on_signal(int signal)
{
    (void)signal;
    interrupted = 1;
}

/* Drives the trace through the simulation, up to the last frame that is wanted. */
static bool
drive(struct simulation *sim, struct trace_reader *reader, bool *complete, struct error *err)
{
    struct executor_sink sink;
    executor_sink_init(&sink, &sim->executor);
    uint32_t last = frame_set_last(&sim->timed);
    bool ok = true;
    *complete = false;
    while (ok && !interrupted) {
        struct message message;
        bool end = false;
        ok = trace_reader_next(reader, &message, &end, err);
        if (!ok || end || sim->frame > last) {
            *complete = ok;
            break;
        }
        ok = sink.sink.take(sink.sink.data, &message, NULL, 0, err);
    }
    executor_sink_fini(&sink);
    return ok;
}

static bool
simulate(const struct request *request, struct trace_reader *reader, const struct params *params,
         const struct frame_set *frames, struct error *err)
{
    struct run_folder folder;
    struct simulation sim;
    struct progress progress;
    if (!run_folder_open(&folder, request->dir, request->force, err))
        return false;
    struct simulation_listener listener = run_folder_listener(&folder);
    if (!simulation_init(&sim, params, frames, &listener, err))
        return false;
    folder.facts.program = trace_program(reader);
    folder.facts.trace = request->trace;
    folder.facts.preset = request->machine.preset;
    folder.facts.mode = "timed";
    folder.progress = &progress;
    progress_begin(&progress, "simulating", frames->count ? 0 : trace_frame_count(reader));
    bool complete = false;
    bool ok = run_folder_attach(&folder, &sim, err) && drive(&sim, reader, &complete, err);
    progress_end(&progress);
    struct error close_error;
    if (!run_folder_close(&folder, complete && ok, request->json ? NULL : stdout,
                          ok ? err : &close_error))
        ok = false;
    simulation_fini(&sim);
    return ok;
}

static bool
print_json(const struct request *request, struct error *err)
{
    char path[4096], *text;
    size_t size;
    snprintf(path, sizeof path, "%s/run.json", request->dir);
    if (!file_read(path, &text, &size, err))
        return false;
    fwrite(text, 1, size, stdout);
    putchar('\n');
    free(text);
    return true;
}

int
cmd_sim(int argc, char **argv)
{
    struct request request = {0};
    const struct arg_option options[] = {
        MACHINE_OPTIONS(&request.machine),
        {"frames", 0, ARG_STRING, &request.frames, "R",
         "frames to simulate in time: A, A-B or A,B,C-D; the ones before run functionally"},
        {"output", 'o', ARG_STRING, &request.dir, "DIR", "where pictures and statistics go"},
        {"force", 0, ARG_FLAG, &request.force, NULL, "overwrite a DIR that holds a run"},
        {"json", 0, ARG_FLAG, &request.json, NULL, "print run.json instead of the summary"},
        {0},
    };
    const struct arg_spec spec = {
        "sim", "FILE -o DIR [options]",
        "Simulates the frames of a trace cycle by cycle and leaves in DIR: frames/*.png,\n"
        "stats.*.csv.gz (a row a frame, a draw, an interval), machine.ini and run.json.",
        options};
    struct args args;
    int status = args_parse(&args, &spec, argc, argv);
    if (status >= 0)
        return status;
    if (args.operand_count != 1 || !request.dir)
        return args_usage_error(&spec, "one trace FILE and -o DIR are wanted");
    request.trace = args.operands[0];

    struct error err = {0}, warning = {0};
    struct params params;
    struct frame_set frames = {0};
    struct trace_reader *reader = NULL;
    bool ok = machine_options_apply(&request.machine, &params, &err) &&
              (!request.frames || frame_set_parse(&frames, request.frames, &err)) &&
              trace_reader_open(&reader, request.trace, &warning, &err);
    if (ok && *warning.text)
        log_warning("%s", warning.text);
    if (ok) {
        signal(SIGINT, on_signal);
        signal(SIGTERM, on_signal);
        ok = simulate(&request, reader, &params, &frames, &err);
    }
    if (reader)
        trace_reader_close(reader);
    if (ok && request.json)
        ok = print_json(&request, &err);
    if (!ok)
        log_error("%s", err.text);
    else if (!request.json)
        printf("%s: frames/*.png, stats.*.csv.gz, machine.ini, run.json\n", request.dir);
    return ok && !interrupted ? EXIT_WELL : EXIT_FAILED;
}
