/* aetius import: makes a trace of OpenGL calls that apitrace recorded. glretrace issues the calls
 * again, as a program that is captured. */
#include "base/file.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/mem.h"
#include "cmd/calls.h"
#include "cmd/capture.h"
#include "cmd/options.h"
#include "sim/trim.h"
#include "trace/virgl/vtest/private_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cmd_import(int argc, char **argv);

static void
explain(const struct capture_options *options, struct launch_result *result)
{
    const size_t length = strlen(result->how);
    char text[sizeof result->how];
    if (calls_error(options->launch.log, text, sizeof text))
        snprintf(result->how + length, sizeof result->how - length, ": %s", text);
}

/* Replays the calls as a captured program. Its messages, most of which are about single shaders, go
 * to a log. */
static int
replay(struct capture_options *options, const struct calls *calls, bool names, struct error *err)
{
    struct private_folder folder;
    if (!private_folder_create(&folder, err))
        return EXIT_FAILED;
    char *log = mem_printf("%s/log", folder.path), replayer[] = "glretrace";
    char *name = mem_printf("glretrace %s", calls->path);
    char *operand = calls_operand(calls->path), markers[] = "--markers";
    char *program[] = {replayer, names ? markers : operand, names ? operand : NULL, NULL};
    options->launch.log = log;
    options->launch.window = *calls->window ? calls->window : NULL;
    options->frames = calls->swaps;
    options->name = name;
    options->explain = explain;
    const int status = capture_program(options, program, err);
    calls_report_warnings(log);
    private_folder_remove(&folder);
    free(log);
    free(name);
    free(operand);
    return status;
}

int
cmd_import(int argc, char **argv)
{
    struct capture_options options = {.progress = "import: frame"};
    struct cut_options *cut = &options.cut;
    bool names = false;
    const struct arg_option table[] = {
        OPTION_OUTPUT(
            &cut->out, "FILE",
            "trace to write (NAME.import.trace for NAME.trace); for several ranges, the folder for "
            "frames-A-B.trace",
            false),
        {"frames", 0, ARG_FRAMES, &cut->set, "A-B",
         "import only frames A to B, with the state and resources at A: A-B,C-D,E", false},
        OPTION_WARM_UP(&cut->warm_up_text),
        {"names", 0, ARG_FLAG, &names, NULL,
         "label each draw with its OpenGL call, e.g. \"1234 glDrawElements(...)\"", false},
        OPTION_FORCE(&cut->force, "overwrite FILE"),
        {0},
    };
    const struct arg_spec spec = {
        "import",
        "CALLS [-o FILE] [--frames A-B] [--names]",
        "Makes a trace of OpenGL calls that `apitrace trace` recorded on any GPU.\n"
        "glretrace (package apitrace) replays the calls, and is captured like a program\n"
        "(`aetius capture`). CALLS must not require a version of OpenGL above the one\n"
        "that Aetius offers. The window has the size of the first viewport, and its\n"
        "pixels have 8 bits per channel, a depth of 24 bits, and a stencil of 8 bits.\n"
        "`aetius draws` and `aetius show` print the labels of --names. With --names, Mesa\n"
        "does not join consecutive glBegin/glEnd pairs into one draw.",
        table,
        1,
        1,
        "one file CALLS of apitrace",
        .program = ARG_NO_PROGRAM};
    struct args args;
    struct calls calls;
    struct error err = {""};
    char out[OUTPUT_NAME];
    int status = args_parse(&args, &spec, argc, argv);
    if (status >= 0)
        return status;
    if (!cut->out)
        cut->out = default_output(out, args.operands[0], ".import.trace");
    if (!parse_warm_up(cut->warm_up_text, &cut->warm_up, &err) || !trim_in_order(&cut->set, &err))
        return args_usage_error(&spec, "%s", err.text);
    options.stop = cut->set.text != NULL;
    cut->in_folder = cut->set.count > 1;
    interrupt_watch();
    status = calls_open(&calls, args.operands[0], &err) && cut_prepare(cut, &err)
                 ? replay(&options, &calls, names, &err)
                 : EXIT_FAILED;
    if (err.text[0])
        log_error("%s", err.text);
    return status;
}
