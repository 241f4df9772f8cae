/* aetius run: runs an OpenGL program live on the simulated GPU. */
#include "base/interrupt.h"
#include "cmd/simulate.h"
#include "trace/virgl/vtest/launch.h"
#include "trace/virgl/vtest/passthrough.h"

#include <stdlib.h>

int cmd_run(int argc, char **argv);

static int
run(const struct simulate_options *options, const struct launch_options *launched, char **program,
    struct error *err)
{
    struct simulate s;
    struct launch_result result;
    struct error closing;
    interrupt_watch();
    if (!simulate_begin(&s, options, program[0], NULL, err))
        return EXIT_FAILED;
    s.folder.needs_pixel = options->pixel != NULL;
    bool ok = launch(program, launched, &s.sink.sink, NULL, &result, err);
    /* Without results, an error is printed instead of the summary. */
    const bool has_frames = s.folder.frames.count > 0;
    s.folder.silent = !has_frames;
    bool whole = ok && !result.interrupted && !result.failed && !result.refused.text[0];
    ok = simulate_end(&s, whole, ok ? err : &closing) && ok;
    const int status = ok ? launch_conclude(&result, program[0]) : EXIT_FAILED;
    if (has_frames || status != EXIT_WELL)
        return status;
    char *wanted = launch_wanted(&result);
    fail(err,
         "%s ended without a frame: it swapped no buffers and read back no rendering of at least "
         "16x16 pixels%s",
         program[0], wanted);
    free(wanted);
    return EXIT_FAILED;
}

/* Runs the program with virgl_test_server, restricted to the features that the simulated GPU
 * offers. */
static int
run_reference(const char *driver, const struct launch_options *launched, char **program,
              struct error *err)
{
    struct passthrough *reference;
    struct launch_result result;
    interrupt_watch();
    if (!passthrough_create(&reference, *driver ? driver : "llvmpipe", err))
        return EXIT_FAILED;
    bool ok = launch(program, launched, passthrough_sink(reference), NULL, &result, err);
    passthrough_destroy(reference);
    return ok ? launch_conclude(&result, program[0]) : EXIT_FAILED;
}

int
cmd_run(int argc, char **argv)
{
    struct simulate_options request = {.shows_draws = true};
    struct launch_options launched = {0};
    const char *reference = NULL, *gl = NULL;
    uint64_t clock = 0;
    const struct arg_option table[] = {
        SIMULATE_OPTIONS(&request, ""),
        {"functional", 0, ARG_FLAG, &request.functional, NULL, "render without timing: images only",
         false},
        OPTION_REFERENCE(&reference),
        OPTION_CLOCK(&clock),
        OPTION_GL(&gl),
        {0},
    };
    const struct arg_spec spec = {
        .command = "run",
        .usage = "[options] -- PROGRAM ...",
        .about = "Runs an OpenGL program live, cycle by cycle. The program's window shows the\n"
                 "frames of the simulated GPU. -o writes the same folder as `aetius sim`. Starts\n"
                 "Xvfb if DISPLAY is not set.",
        .options = table,
        .program = ARG_PROGRAM};
    struct args args;
    struct error err = {""};
    int status = args_parse(&args, &spec, argc, argv);
    if (status >= 0)
        return status;
    if (reference && (request.functional || request.dir || request.timed.text))
        return args_usage_error(
            &spec,
            "--reference only draws on the screen: it cannot be combined with other options");
    if (!simulate_options_parse(&request, &err) || !check_clock(clock, &err) ||
        !gl_offer_parse(gl, &launched.offer, &err))
        return args_usage_error(&spec, "%s", err.text);
    launched.clock = (uint32_t)clock;
    status = reference ? run_reference(reference, &launched, args.after, &err)
                       : run(&request, &launched, args.after, &err);
    if (err.text[0])
        log_error("%s", err.text);
    if (status == EXIT_WELL && request.dir && !request.functional && !request.json)
        print_next(stdout, "topdown", request.dir, "");
    return status;
}
