/* aetius model bench and rows: measurements for the staged model, on the simulated GPU or on this
 * machine's GPU. */
#include "base/file.h"
#include "base/log.h"
#include "base/memory_text.h"
#include "base/plural.h"
#include "base/subprocess.h"
#include "cmd/model/model.h"
#include "cmd/simulate.h"
#include "model/collect.h"
#include "model/pattern.h"

#include <stdlib.h>
#include <string.h>

int cmd_capture(int argc, char **argv);

struct bench_options {
    struct simulate_options sim;
    const char *program, *sweep, *surface, *patterns;
    bool native, large;
    uint64_t samples, divide, step; /* step 0: not given */
};

bool
model_write_rows(const struct model_rows *rows, const char *path, struct error *err)
{
    struct memory_text text;
    model_rows_print(rows, memory_text_open(&text));
    return memory_text_write(&text, path, err);
}

char *
model_program(const char *given, struct error *err)
{
    char *program = given ? mem_strdup(given) : data_path("bench", "model");
    if (!program)
        fail(err, "cannot find benchmarks/gl/model: give its path with --program");
    return program;
}

/* Measures this machine's OpenGL. The started program makes all measurements. */
static bool
bench_native(const struct bench_options *options, const char *program, struct error *err)
{
    char *csv = mem_printf("%s/measured.csv", options->sim.dir);
    char *samples = mem_printf("%u", (unsigned)options->samples);
    char *divide = mem_printf("%u", (unsigned)options->divide);
    char *step = mem_printf("%u", (unsigned)options->step);
    char *words[] = {(char *)(uintptr_t)program,
                     "--csv",
                     csv,
                     "--samples",
                     samples,
                     "--divide",
                     divide,
                     "--sweep",
                     (char *)(uintptr_t)options->sweep,
                     "--surface",
                     (char *)(uintptr_t)options->surface,
                     "--large",
                     options->large ? "1" : "0",
                     "--step",
                     step,
                     options->patterns ? (char *)(uintptr_t) "--patterns" : NULL,
                     (char *)(uintptr_t)options->patterns,
                     NULL};
    const struct subprocess_setup setup = {.argv = words};
    struct subprocess child;
    const bool ok = dir_create(options->sim.dir, err) && subprocess_start(&child, &setup, err) &&
                    subprocess_check(subprocess_wait(&child), program, err);
    if (ok)
        log_note("%s", csv);
    free(step);
    free(divide);
    free(samples);
    free(csv);
    return ok;
}

static bool
capture(const struct bench_options *options, const char *program, const char *trace,
        struct error *err)
{
    char *divide = mem_printf("%u", (unsigned)options->divide);
    char *step = mem_printf("%u", (unsigned)options->step);
    const char *words[] = {"capture",
                           "-o",
                           trace,
                           "--force",
                           "--gl",
                           "2.1",
                           "--",
                           program,
                           "--sweep",
                           options->sweep,
                           "--samples",
                           "1",
                           "--divide",
                           divide,
                           "--csv",
                           "/dev/null",
                           "--large",
                           options->large ? "1" : "0",
                           "--step",
                           step,
                           options->patterns ? "--patterns" : NULL,
                           options->patterns,
                           NULL};
    int count = 0;
    while (words[count])
        count++;
    const int status = cmd_capture(count, (char **)(uintptr_t)words);
    free(step);
    free(divide);
    return status == EXIT_WELL || fail(err, "cannot record %s", program);
}

static bool
bench_simulated(struct bench_options *options, const char *program, struct error *err)
{
    struct model_rows rows = {0};
    const char *dir = options->sim.dir;
    char *trace = mem_printf("%s/model.trace", dir), *run = mem_printf("%s/run", dir);
    char *csv = mem_printf("%s/measured.csv", dir);
    bool ok = dir_create(dir, err) && capture(options, program, trace, err);
    options->sim.dir = run;
    ok = ok && simulate_trace(&options->sim, trace, err) &&
         model_collect(&rows, run, trace, NULL, err) && model_write_rows(&rows, csv, err);
    options->sim.dir = dir;
    if (ok)
        log_note("%s: %zu measurement%s", csv, rows.count, plural(rows.count));
    VEC_FREE(&rows);
    free(csv);
    free(run);
    free(trace);
    return ok;
}

/* Checks the patterns, so that the program that uses them does not fail. */
static bool
check_patterns(const char *list, struct error *err)
{
    char *copy = mem_strdup(list), *rest = copy;
    bool ok = true;
    for (char *name; ok && (name = strsep(&rest, ","));) {
        struct pattern pattern;
        ok = pattern_make(&pattern, name, err) || fail_prefix(err, "--patterns");
        pattern_fini(&pattern);
    }
    free(copy);
    return ok;
}

int
model_bench_command(int argc, char **argv)
{
    struct bench_options request = {
        .sweep = "all", .surface = "pbuffer", .samples = 7, .divide = 1, .step = UINT64_MAX};
    const struct arg_option options[] = {
        OPTION_OUTPUT(&request.sim.dir, "DIR", "folder for measured.csv, trace and run", true),
        {"sweep", 0, ARG_STRING, &request.sweep, "NAME", "run only this sweep", false},
        {"patterns", 0, ARG_STRING, &request.patterns, "LIST",
         "address patterns or files of the sweep `dependent`, separated by commas; the simulated "
         "GPU takes only files of the current folder (the named patterns)",
         false},
        {"large", 0, ARG_FLAG, &request.large, NULL,
         "also measure the large points: triangles of 960,000 fragments, textures of up to 4096 "
         "texels per side with one and four reads, and RGBX8 textures of up to 2048 texels per "
         "side with 8-bit addresses",
         false},
        {"step", 0, ARG_UINT, &request.step, "N",
         "--large: RGBX8 textures of N, 2 N, ... up to 2048 texels per side (22 sizes)", false},
        {"native", 0, ARG_FLAG, &request.native, NULL,
         "measure this host's OpenGL, not the simulated GPU", false},
        {"samples", 0, ARG_UINT, &request.samples, "N", "--native: frames per point (7)", false},
        {"divide", 0, ARG_UINT, &request.divide, "N",
         "divide frame width and height by N, for quick trials (1)", false},
        {"surface", 0, ARG_STRING, &request.surface, "KIND",
         "--native: surface type, pbuffer (needs no display) or window (pbuffer)", false},
        {"program", 0, ARG_STRING, &request.program, "FILE",
         "micro-benchmark program (default: the one built with aetius)", false},
        MACHINE_OPTIONS(&request.sim.machine),
        OPTION_JOBS(&request.sim.jobs, "simulate frames in N processes (1)"),
        OPTION_FORCE(&request.sim.force, "replace an existing run in DIR"),
        {0}};
    const struct arg_spec spec = {
        "model bench", "-o DIR [options]",
        "Runs the micro-benchmarks of the staged model (benchmarks/gl/model) on the\n"
        "simulated GPU, or with --native on this host's OpenGL. Time on the simulated GPU\n"
        "is cycles / clock. Writes DIR/measured.csv for `aetius model fit`.",
        options, NO_OPERAND};
    struct args args;
    struct error err = {""};
    const int status = args_parse(&args, &spec, argc, argv);
    if (status >= 0)
        return status;
    if (!simulate_options_parse(&request.sim, &err))
        return args_usage_error(&spec, "%s", err.text);
    if (strcmp(request.sweep, "all") != 0 && !model_sweep_check(request.sweep, &err))
        return args_usage_error(&spec, "--sweep: %s", err.text);
    if (request.patterns && !request.native && strchr(request.patterns, '/'))
        return args_usage_error(&spec, "--patterns expects files of the current folder");
    if (request.samples < 1 || request.samples > 1000)
        return args_usage_error(&spec, "--samples expects a number from 1 to 1000");
    if (request.divide < 1 || request.divide > 64)
        return args_usage_error(&spec, "--divide expects a number from 1 to 64");
    if (request.step == UINT64_MAX)
        request.step = 0;
    else if (request.step < 1 || request.step > 2048 || !request.large)
        return args_usage_error(&spec, "--step expects --large, and a number from 1 to 2048");
    char *program = model_program(request.program, &err);
    bool ok = program && (!request.patterns || check_patterns(request.patterns, &err));
    if (ok)
        ok = request.native ? bench_native(&request, program, &err)
                            : bench_simulated(&request, program, &err);
    free(program);
    return conclude(ok, &err);
}

int
model_rows_command(int argc, char **argv)
{
    const char *out = NULL, *trace = NULL;
    bool force = false;
    const struct arg_option options[] = {
        OPTION_OUTPUT(&out, "CSV", "CSV file to write", true),
        {"trace", 0, ARG_STRING, &trace, "FILE", "trace of the run, if moved", false},
        OPTION_FORCE(&force, "overwrite CSV"),
        {0}};
    const struct arg_spec spec = {
        "model rows",
        "RUN -o CSV",
        "Extracts the measurements from a run of the micro-benchmarks. Each draw's\n"
        "label identifies its measurement.",
        options,
        1,
        1,
        "one RUN",
        .program = ARG_NO_PROGRAM};
    struct args args;
    struct error err = {""};
    struct model_rows rows = {0};
    const int status = args_parse(&args, &spec, argc, argv);
    if (status >= 0)
        return status;
    const bool ok = check_output(out, force, &err) &&
                    model_collect(&rows, args.operands[0], trace, NULL, &err) &&
                    model_write_rows(&rows, out, &err);
    VEC_FREE(&rows);
    return conclude(ok, &err);
}
