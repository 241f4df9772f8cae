/* aetius study: a study as one command, from the programs to tables and plots. */
#include "base/file.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "cmd/options.h"
#include "cmd/study_runs.h"
#include "trace/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int cmd_study(int argc, char **argv);

struct study_options {
    const char *dir, *plan, *configurations, *preset;
    struct frame_set frames;
    struct arg_list sets;
    uint64_t jobs;
    bool force, keep_blocks, json;
};

/* Two studies at a time in one folder would undo each other. The lock lasts as long as the process.
 */
static bool
lock_folder(const char *dir, struct error *err)
{
    int lock;
    static const char *const folders[] = {"traces", "runs", "logs"};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        char *path = mem_printf("%s/%s", dir, folders[i]);
        const bool ok = dir_create(path, err);
        free(path);
        if (!ok)
            return false;
    }
    return dir_lock(dir, &lock, err);
}

static bool
is_wanted(const struct study_plan *plan, size_t trace, size_t configuration, bool in_machine)
{
    return !in_machine || (text_list_has(&plan->machine_traces, plan->traces.items[trace].name) &&
                           text_list_has(&plan->machine_configurations,
                                         plan->configurations.items[configuration].name));
}

/* The results that are there; `jobs` are those that are not. */
static bool
read_results(const struct study_run *run, bool in_machine, bool force, struct study_job *jobs,
             size_t *count, struct error *err)
{
    const struct study_plan *plan = run->study->plan;
    struct study_result *results = in_machine ? run->study->machine : run->study->plain;
    bool ok = true;
    *count = 0;
    for (size_t t = 0; t < plan->traces.count; t++)
        for (size_t c = 0; ok && c < plan->configurations.count; c++) {
            struct study_result *result = &results[t * plan->configurations.count + c];
            if (!is_wanted(plan, t, c, in_machine))
                continue;
            ok = study_read_run(run, t, c, in_machine, result, err);
            if (!ok || (result->is_there && !force))
                continue;
            jobs[(*count)++] = (struct study_job){
                .label =
                    mem_printf("%s.%s%s", plan->traces.items[t].name,
                               plan->configurations.items[c].name, in_machine ? ".machine" : ""),
                .work = study_simulate,
                .trace = t,
                .configuration = c,
                .in_machine = in_machine,
            };
        }
    return ok;
}

static bool
simulate_all(const struct study_run *run, bool in_machine, const struct study_options *options,
             struct error *err)
{
    const struct study_plan *plan = run->study->plan;
    const size_t most = plan->traces.count * plan->configurations.count;
    struct study_job *jobs = mem_alloc((most + 1) * sizeof *jobs);
    size_t count, left;
    bool ok = read_results(run, in_machine, options->force, jobs, &count, err);
    ok = ok && study_do(run, jobs, count, (uint32_t)options->jobs,
                        in_machine ? "codecs in the machine" : "simulating and compressing", err);
    for (size_t i = 0; i < count; i++)
        free(jobs[i].label);
    ok = ok && read_results(run, in_machine, false, jobs, &left, err) &&
         (!left || fail(err, "%s left no result", jobs[0].label));
    free(jobs);
    return ok;
}

static bool
study_compression(struct study_run *run, const struct study_options *options, struct error *err)
{
    struct study *study = run->study;
    const size_t most = study->plan->traces.count * study->plan->configurations.count;
    study->plain = mem_alloc(most * sizeof *study->plain);
    study->machine = mem_alloc(most * sizeof *study->machine);
    bool ok = study_capture_all(run, (uint32_t)options->jobs, err) &&
              simulate_all(run, false, options, err);
    if (ok) {
        study_choose(study, study_codec_fits);
        ok = simulate_all(run, true, options, err) && study_write(study, run->dir, err);
    }
    if (ok) {
        char *text = options->json ? study_to_json(study) : study_tables(study);
        puts(text);
        free(text);
        log_note("%s: tables.md, compression.json, *.csv, *.svg", run->dir);
    }
    free(study->plain);
    free(study->machine);
    return ok;
}

/* The file of the plan, and what the options change in it. */
static bool
load_plan(struct study_plan *plan, const struct study_options *options, const struct args *args,
          struct error *err)
{
    char *name = mem_printf("%s.ini", args->operands[0]);
    char *path = options->plan ? mem_strdup(options->plan) : data_path("studies", name);
    bool ok = path || fail(err, "studies/%s is nowhere to be found", name);
    free(name);
    ok = ok && study_plan_load(plan, path, err);
    free(path);
    if (!ok)
        return false;
    if (options->preset) {
        free(plan->preset);
        plan->preset = mem_strdup(options->preset);
        for (size_t c = 0; c < plan->configurations.count; c++) {
            free(plan->configurations.items[c].preset);
            plan->configurations.items[c].preset = NULL;
        }
    }
    for (uint32_t i = 0; i < options->sets.count; i++)
        VEC_PUSH(&plan->sets, mem_strdup(options->sets.items[i]));
    ok = (args->operand_count < 2 ||
          study_plan_use_files(plan, args->operands + 1, args->operand_count - 1, err)) &&
         (!options->configurations || study_plan_narrow(plan, options->configurations, err)) &&
         study_plan_check(plan, err);
    if (!ok)
        study_plan_fini(plan);
    return ok;
}

/* The machines of all configurations can be made, and the user's traces are there. */
static bool
check_inputs(const struct study_plan *plan, struct error *err)
{
    for (size_t c = 0; c < plan->configurations.count; c++) {
        const struct text_list *sets[2] = {&plan->sets, &plan->configurations.items[c].sets};
        struct params params;
        if (!params_load_preset(&params, study_plan_preset(plan, c), err))
            return false;
        for (uint32_t s = 0; s < 2; s++)
            for (size_t i = 0; i < sets[s]->count; i++)
                if (!params_set(&params, sets[s]->items[i], err))
                    return false;
    }
    for (size_t t = 0; t < plan->traces.count; t++) {
        struct trace_reader *reader;
        const char *file = plan->traces.items[t].file;
        if (!file)
            continue;
        if (!trace_reader_open(&reader, file, NULL, err))
            return false;
        trace_reader_close(reader);
    }
    return true;
}

int
cmd_study(int argc, char **argv)
{
    struct study_options options = {.jobs = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN)};
    const struct arg_option table[] = {
        OPTION_OUTPUT(&options.dir, "DIR", "where traces, runs and results go (out/study/NAME)",
                      false),
        {"plan", 0, ARG_STRING, &options.plan, "INI", "what to run, instead of studies/NAME.ini",
         false},
        OPTION_FRAMES(&options.frames, "only these frames of each trace"),
        {"configurations", 0, ARG_STRING, &options.configurations, "NAME,...",
         "only these of the plan's", false},
        OPTION_PRESET(&options.preset, "the machine of all configurations, instead of the plan's"),
        OPTION_SET(&options.sets, "a parameter, on top of all"),
        OPTION_JOBS(&options.jobs, "runs at a time; the default is all cores"),
        {"keep-blocks", 0, ARG_FLAG, &options.keep_blocks, NULL,
         "compression: leave the captured blocks in DIR/runs", false},
        OPTION_FORCE(&options.force, "do every run again"),
        OPTION_JSON(&options.json, "the results as JSON"),
        {0},
    };
    const struct arg_spec spec = {
        "study",
        "compression|verdicts [TRACE...] [options]",
        "compression: simulates traces with 1, 2, 4 and 8 samples a pixel, puts every codec over "
        "the\n"
        "blocks that cross between the ROP caches and memory, ranks them, and runs the best in "
        "the\n"
        "machine. Leaves in DIR: tables.md, compression.json, *.csv, *.svg.\n"
        "verdicts: what `aetius topdown` says bounds frames, on three machines, proven by "
        "simulating\n"
        "them with each resource ideal that is accused. Leaves in DIR: verdicts.md, verdicts.csv.\n"
        "Without TRACE the plan's programs are captured first. What is done stays done: the same\n"
        "command goes on where an earlier one was stopped.",
        table,
        1,
        UINT32_MAX,
        "the name of a study: compression or verdicts",
        .program = ARG_NO_PROGRAM};
    struct args args;
    struct study_plan plan;
    struct error err = {""};
    int status = args_parse(&args, &spec, argc, argv);
    if (status >= 0)
        return status;
    const bool verdicts = !strcmp(args.operands[0], "verdicts");
    if (!verdicts && strcmp(args.operands[0], "compression"))
        return args_usage_error(&spec, "there is no study '%s'; there are: compression, verdicts",
                                args.operands[0]);
    if (!load_plan(&plan, &options, &args, &err))
        return args_usage_error(&spec, "%s", err.text);
    char *dir =
        options.dir ? mem_strdup(options.dir) : mem_printf("out/study/%s", args.operands[0]);
    struct study study = {.plan = &plan};
    struct study_run run = {.study = &study,
                            .dir = dir,
                            .frames = options.frames.text,
                            .keep_blocks = options.keep_blocks};
    interrupt_watch();
    bool ok = check_inputs(&plan, &err) && lock_folder(dir, &err);
    if (ok)
        ok = verdicts
                 ? study_verdicts(&run, (uint32_t)options.jobs, options.force, options.json, &err)
                 : study_compression(&run, &options, &err);
    free(dir);
    study_plan_fini(&plan);
    return conclude(ok, &err);
}
