/* aetius study: performs a whole study with one command, from capturing programs to tables and
 * plots. */
#include "base/file.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "cmd/sweep/sweep.h"
#include "study/study.h"

#include <stdlib.h>
#include <string.h>

int cmd_study(int argc, char **argv);

struct study_options {
    const char *dir, *plan, *machines, *preset, *charts;
    struct frame_set frames;
    struct arg_list sets;
    struct work_options work;
    bool json;
};

/* Applies the options to the machines of the plan. */
static bool
change_machines(struct sweep_plan *plan, const struct study_options *options, struct error *err)
{
    if (options->machines && !sweep_plan_narrow(plan, options->machines, err))
        return false;
    if (options->preset && !sweep_plan_use_preset(plan, options->preset, err))
        return false;
    for (size_t m = 0; m < plan->machines.count; m++)
        for (uint32_t i = 0; i < options->sets.count; i++)
            word_list_add(&plan->machines.items[m].asked, options->sets.items[i]);
    return true;
}

/* Loads the plan's file and applies the options. */
static bool
load_plan(struct sweep_plan *plan, const struct study_options *options, const struct args *args,
          struct error *err)
{
    char *name = mem_printf("%s.ini", args->operands[0]);
    char *path = options->plan ? mem_strdup(options->plan) : data_path("studies", name);
    bool ok = path || fail(err, "cannot find studies/%s", name);
    free(name);
    ok = ok && sweep_plan_load(plan, path, err);
    free(path);
    if (ok && options->frames.text)
        plan->frames = mem_strdup(options->frames.text);
    return ok;
}

static void
add_word(char **text, const char *option, const char *word)
{
    char *shown = mem_printable(word);
    char *longer =
        mem_printf("%s%s%s%s%s", *text, **text ? " " : "", option, *option ? " " : "", shown);
    free(*text);
    free(shown);
    *text = longer;
}

/* Words of the command that change the study relative to its plan; "": no such words. The caller
 * frees the text. */
static char *
list_changes(const struct study_options *options, const struct args *args)
{
    const struct {
        const char *option, *word;
    } words[] = {{"--plan", options->plan},
                 {"--machines", options->machines},
                 {"--preset", options->preset},
                 {"--frames", options->frames.text}};
    char *text = mem_strdup("");
    for (uint32_t i = 1; i < args->operand_count; i++)
        add_word(&text, "", args->operands[i]);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (words[i].word)
            add_word(&text, words[i].option, words[i].word);
    for (uint32_t i = 0; i < options->sets.count; i++)
        add_word(&text, "--set", options->sets.items[i]);
    return text;
}

/* Reads "png,pdf" as bits 1 << enum plot_format. */
static bool
read_formats(const char *text, uint32_t *formats, struct error *err)
{
    char *copy = mem_strdup(text ? text : ""), *rest = NULL;
    bool ok = true;
    *formats = 0;
    for (char *name = strtok_r(copy, ",", &rest); ok && name; name = strtok_r(NULL, ",", &rest)) {
        uint32_t format = 0;
        while (format < PLOT_FORMATS && strcmp(plot_formats[format], name) != 0)
            format++;
        ok = format < PLOT_FORMATS ||
             fail(err, "--charts: unknown format '%s'; expected svg, png, pdf or eps", name);
        *formats |= 1u << format;
    }
    ok = ok && (!text || *formats || fail(err, "--charts: expected svg, png, pdf or eps"));
    free(copy);
    return ok;
}

static int
perform(const struct study_options *options, const struct study_kind *kind, struct sweep_plan *plan,
        const struct args *args)
{
    struct error err = {""};
    const bool has_files = args->operand_count > 1;
    bool waits = false;
    uint32_t formats;
    if (!read_formats(options->charts, &formats, &err))
        return conclude(false, &err);
    char *dir = options->dir ? mem_strdup(options->dir) : mem_printf("out/study/%s", kind->name);
    char *with = list_changes(options, args);
    const struct study_request request = {.kind = kind,
                                          .plan = plan,
                                          .options = &options->work,
                                          .dir = dir,
                                          .with = *with ? with : NULL,
                                          .json = options->json,
                                          .formats = formats,
                                          .has_plan_inputs = !has_files,
                                          .is_whole = !has_files && !options->machines};
    const bool ok = (!has_files || sweep_plan_use_files(plan, args->operands + 1,
                                                        args->operand_count - 1, &err)) &&
                    study_perform(&request, &waits, &err);
    if (waits)
        log_note("run the same command again when these runs are complete");
    free(with);
    free(dir);
    return conclude(ok || waits, &err);
}

/* Text about the studies for --help. The caller frees it. */
static char *
describe(void)
{
    char *text = mem_strdup("");
    for (size_t i = 0; i < study_kind_count; i++) {
        char *longer = mem_printf("%s%s\n", text, study_kinds[i].help);
        free(text);
        text = longer;
    }
    char *whole = mem_printf(
        "%sWithout TRACE, the plan's programs are captured first. The runs are those of a\n"
        "sweep (docs/sweeps.md). Completed runs are kept; the same command resumes\n"
        "an interrupted study.",
        text);
    free(text);
    return whole;
}

int
cmd_study(int argc, char **argv)
{
    struct study_options options = {0};
    const struct arg_option table[] = {
        OPTION_OUTPUT(&options.dir, "DIR", "folder for traces, runs and results (out/study/NAME)",
                      false),
        {"plan", 0, ARG_STRING, &options.plan, "INI", "plan to run instead of studies/NAME.ini",
         false},
        OPTION_FRAMES(&options.frames, "only these frames of each trace"),
        {"machines", 0, ARG_STRING, &options.machines, "NAME,...",
         "only these machines of the plan", false},
        OPTION_PRESET(&options.preset, "base preset of all machines, instead of the plan's"),
        OPTION_SET(&options.sets, "set one parameter; overrides the plan"),
        WORK_OPTIONS(&options.work),
        {"charts", 0, ARG_STRING, &options.charts, "FORMAT,...",
         "write charts also as png, pdf or eps, next to svg", false},
        OPTION_JSON(&options.json, "print the results as JSON"),
        {0},
    };
    char *names = study_names(), *help = describe();
    char *usage = mem_printf("NAME [TRACE...] [options]; NAME: %s", names);
    const struct arg_spec spec = {"study",
                                  usage,
                                  help,
                                  table,
                                  1,
                                  UINT32_MAX,
                                  "the NAME of a study",
                                  .program = ARG_NO_PROGRAM};
    struct args args;
    struct sweep_plan plan;
    struct error err = {""};
    int status = args_parse(&args, &spec, argc, argv);
    if (status < 0)
        status = work_options_check(&options.work, &spec);
    const struct study_kind *kind = status < 0 ? study_find(args.operands[0]) : NULL;
    if (status < 0 && !kind)
        status = args_usage_error(&spec, "unknown study '%s'; expected one of: %s",
                                  args.operands[0], names);
    if (status < 0 && !load_plan(&plan, &options, &args, &err))
        status = conclude(false, &err);
    if (status < 0 && !change_machines(&plan, &options, &err)) {
        sweep_plan_fini(&plan);
        status = args_usage_error(&spec, "%s", err.text);
    }
    if (status < 0) {
        interrupt_watch();
        status = perform(&options, kind, &plan, &args);
        sweep_plan_fini(&plan);
    }
    free(usage);
    free(help);
    free(names);
    return status;
}
