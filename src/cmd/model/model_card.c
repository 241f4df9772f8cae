/* aetius model template and from-datasheet: for users who measure a card of their own, or who have
 * only its datasheet. */
#include "base/file.h"
#include "base/log.h"
#include "base/subprocess.h"
#include "cmd/model/model.h"
#include "model/datasheet.h"

#include <stdlib.h>
#include <string.h>

/* Writes the points of the sweeps, without times. The micro-benchmark lists them without drawing.
 */
static bool
write_template(const char *program, const char *sweep, bool large, const char *csv,
               struct error *err)
{
    char *words[] = {
        (char *)(uintptr_t)program, "--list", "1", "--sweep", (char *)(uintptr_t)sweep, "--large",
        large ? "1" : "0",          NULL};
    const struct subprocess_setup setup = {.argv = words, .output = SUBPROCESS_PIPE_STDOUT};
    struct subprocess child;
    char *text;
    size_t size;
    int status;
    if (!subprocess_start(&child, &setup, err) ||
        !subprocess_collect(&child, FILE_MOST_FACTS, &text, &size, &status, err))
        return false;
    const bool ok =
        subprocess_check(status, program, err) && file_write_named(csv, text, size, err);
    free(text);
    return ok;
}

int
model_template_command(int argc, char **argv)
{
    const char *csv = NULL, *sweep = "all", *given = NULL;
    bool force = false, large = false;
    const struct arg_option options[] = {
        OPTION_OUTPUT(&csv, "CSV", "file to write", true),
        {"sweep", 0, ARG_STRING, &sweep, "NAME", "only the points of this sweep", false},
        {"large", 0, ARG_FLAG, &large, NULL,
         "also the large points of `aetius model bench --large`", false},
        {"program", 0, ARG_STRING, &given, "FILE",
         "micro-benchmark program (default: the one built with aetius)", false},
        OPTION_FORCE(&force, "overwrite CSV"),
        {0}};
    const struct arg_spec spec = {
        "model template", "-o CSV [options]",
        "Writes the points to measure on a card of your own: one row each, with an empty\n"
        "column `seconds` for the time of a frame. `aetius model fit` accepts the file at\n"
        "any time. It names the points that still lack a time.",
        options, NO_OPERAND};
    struct args args;
    struct error err = {""};
    const int status = args_parse(&args, &spec, argc, argv);
    if (status >= 0)
        return status;
    if (strcmp(sweep, "all") != 0 && !model_sweep_check(sweep, &err))
        return args_usage_error(&spec, "--sweep: %s", err.text);
    char *program = model_program(given, &err);
    const bool ok = program && check_output(csv, force, &err) &&
                    write_template(program, sweep, large, csv, &err);
    free(program);
    return conclude(ok, &err);
}

int
model_datasheet_command(int argc, char **argv)
{
    const char *path = NULL;
    bool force = false;
    const struct arg_option options[] = {OPTION_OUTPUT(&path, "MODEL", "model to write", true),
                                         OPTION_FORCE(&force, "overwrite MODEL"),
                                         {0}};
    const struct arg_spec spec = {
        "model from-datasheet",
        "clock=HZ pipes=N [bandwidth=BYTES] [texture_units=N] -o MODEL",
        "Makes a first model from a datasheet. clock: of the pipelines, in Hz. pipes:\n"
        "fragment pipelines, which each execute one instruction per cycle. bandwidth: of\n"
        "the memory, in bytes per second. texture_units: which each read one texel per\n"
        "cycle (default: as many as pipes). The model has the stage base and, with\n"
        "bandwidth, textures. Its predictions are upper bounds: it assumes that each unit\n"
        "works in each cycle. `aetius model fit` makes a model of all stages.",
        options,
        1,
        4,
        "clock=HZ and pipes=N",
        .program = ARG_NO_PROGRAM};
    struct args args;
    struct error err = {""};
    struct datasheet datasheet = {0};
    struct model model = {0};
    const int status = args_parse(&args, &spec, argc, argv);
    if (status >= 0)
        return status;
    for (uint32_t i = 0; i < args.operand_count; i++)
        if (!datasheet_set(&datasheet, args.operands[i], &err))
            return args_usage_error(&spec, "%s", err.text);
    if (!datasheet_model(&model, &datasheet, &err))
        return args_usage_error(&spec, "%s", err.text);
    const bool ok = check_output(path, force, &err) && model_write(&model, path, &err);
    if (ok)
        log_note("%s: %s", path,
                 datasheet.bandwidth > 0 ? "stages base and textures"
                                         : "stage base; with bandwidth= also textures");
    model_fini(&model);
    return conclude(ok, &err);
}
