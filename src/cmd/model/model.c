/* aetius model: the staged performance model. Dispatches to its subcommands by name. */
#include "cmd/model/model.h"

#include "cmd/options.h"

#include <stdlib.h>
#include <string.h>

int cmd_model(int argc, char **argv);

bool
model_stages_parse(uint32_t *stages, const struct stage_options *options, struct error *err)
{
    const char *method = options->dependent ? options->dependent : "caches";
    const bool published = !strcmp(method, "published");
    *stages = (1u << MODEL_STAGES) - 1;
    if (!published && strcmp(method, "caches") != 0)
        return fail(err, "--dependent: unknown method '%.40s': expected caches or published",
                    method);
    if (published)
        *stages |= MODEL_PUBLISHED;
    if (!options->without)
        return true;
    char *copy = mem_strdup(options->without), *rest = copy;
    bool ok = true;
    for (char *name; ok && (name = strsep(&rest, ","));) {
        uint32_t stage = MODEL_BASE + 1;
        while (stage < MODEL_STAGES && strcmp(name, model_stage_names[stage]) != 0)
            stage++;
        ok =
            stage < MODEL_STAGES ||
            fail(err, "--without: unknown stage '%.40s': expected triangles, textures or dependent",
                 name);
        *stages &= ~(1u << stage);
    }
    free(copy);
    return ok;
}

int
cmd_model(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(int argc, char **argv);
    } parts[] = {
        {"template", model_template_command}, {"from-datasheet", model_datasheet_command},
        {"bench", model_bench_command},       {"rows", model_rows_command},
        {"fit", model_fit_command},           {"predict", model_predict_command},
        {"check", model_check_command},
    };
    for (size_t i = 0; argc > 1 && i < sizeof parts / sizeof parts[0]; i++)
        if (!strcmp(argv[1], parts[i].name))
            return parts[i].run(argc - 1, argv + 1);
    const struct arg_option options[] = {{0}};
    const struct arg_spec spec = {
        "model", "bench|rows|template|fit|from-datasheet|predict|check ...",
        "Predicts frame rate from a few parameters, stage by stage (docs/model.md).\n"
        "\n"
        "  model bench -o DIR          measure a simulated or real GPU\n"
        "  model rows RUN -o CSV       extract the measurements from a run\n"
        "  model template -o CSV       list the points to measure on another card\n"
        "  model fit CSV... -o MODEL   fit a model to measurements\n"
        "  model from-datasheet ...    make a first model without measurements\n"
        "  model predict MODEL ...     predict frame rate\n"
        "  model check MODEL CSV...    report the error of a model",
        options, NO_OPERAND};
    struct args args;
    if (argc > 1 && argv[1][0] != '-')
        return args_usage_error(&spec, "unknown subcommand '%s'", argv[1]);
    const int status = args_parse(&args, &spec, argc, argv);
    return status >= 0
               ? status
               : args_usage_error(
                     &spec,
                     "expected bench, rows, template, fit, from-datasheet, predict or check");
}
