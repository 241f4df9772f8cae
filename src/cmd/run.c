/* aetius run: an OpenGL program live on the simulated GPU. */
#include "base/args.h"
#include "base/log.h"
#include "cmd/renderer.h"
#include "trace/frames.h"
#include "trace/launch.h"

int cmd_run(int argc, char **argv);

static int
run(char **program, const char *dir, const char *reference, struct error *err)
{
    struct frame_set all = {0};
    struct renderer renderer;
    struct launch_result result;
    struct frames frames;
    if (!renderer_init(&renderer, reference, err))
        return EXIT_FAILED;
    bool ok = frames_init(&frames, renderer.sink, dir, &all, err);
    if (ok) {
        ok = launch(program, &frames.sink, NULL, &result, err);
        if (ok && frames.count)
            log_note("%u frames, the last one %ux%u", frames.count, frames.width, frames.height);
        frames_fini(&frames);
    }
    renderer_fini(&renderer);
    return ok ? launch_conclude(&result, program[0]) : EXIT_FAILED;
}

int
cmd_run(int argc, char **argv)
{
    const char *dir = NULL, *reference = NULL;
    bool functional = false;
    const struct arg_option table[] = {
        {"output", 'o', ARG_STRING, &dir, "DIR", "write DIR/frames/frame-NNNN.png"},
        {"functional", 0, ARG_FLAG, &functional, NULL, "without time"},
        {"reference", 0, ARG_OPTIONAL, &reference, "DRIVER",
         "let virgl_test_server draw, on llvmpipe (the default) or softpipe"},
        {0},
    };
    const struct arg_spec spec = {
        "run", "{--functional | --reference[=DRIVER]} [-o DIR] -- PROGRAM ...",
        "Runs an OpenGL program live: its window shows what the simulated GPU drew. Starts Xvfb\n"
        "when DISPLAY is not set.",
        table};
    struct args args;
    struct error err = {""};
    int status = args_parse(&args, &spec, argc, argv);
    if (status >= 0)
        return status;
    if (args.after_count == 0 || args.operand_count)
        return args_usage_error(&spec, args.operand_count ? "PROGRAM comes after `--`"
                                                          : "no PROGRAM after `--`");
    if (functional == !!reference)
        return args_usage_error(&spec, "a live run is without time: give --functional or "
                                       "--reference (for time: `aetius capture`, then "
                                       "`aetius sim`)");
    status = run(args.after, dir, reference, &err);
    if (err.text[0])
        log_error("%s", err.text);
    return status;
}
