/* aetius draws: what the draws of a run cost, and what became of them since another run. */
#include "base/log.h"
#include "cmd/options.h"
#include "report/draw/draws.h"
#include "report/run/run_json.h"

#include <stdio.h>

int cmd_draws(int argc, char **argv);

enum { LINES_SHOWN = 20 };

struct draws_options {
    const char *run, *over;
    enum draws_group group;
    enum draws_form form;
    uint32_t frame, most;
};

static bool
list(const struct draws_options *options, struct error *err)
{
    struct draws draws;
    struct draws_list lines;
    if (!draws_read(&draws, options->run, options->frame, err))
        return false;
    draws_list_make(&lines, &draws, options->group);
    draws_list_print(&lines, &draws, options->form, options->most, stdout);
    draws_list_fini(&lines);
    draws_fini(&draws);
    return true;
}

static bool
join(const struct draws_options *options, struct error *err)
{
    struct draws now, before;
    struct draws_join pairs;
    if (!draws_read(&now, options->run, options->frame, err))
        return false;
    if (!draws_read(&before, options->over, options->frame, err)) {
        draws_fini(&now);
        return false;
    }
    draws_join_make(&pairs, &before, &now);
    draws_join_print(&pairs, &before, &now, options->form, options->most, stdout);
    draws_join_fini(&pairs);
    draws_fini(&before);
    draws_fini(&now);
    return true;
}

/* Whether the folder is a run's; says so when it does not hold all of it. */
static bool
check_run(const char *dir, struct error *err)
{
    bool complete = false;
    if (!check_run_folder(dir, err) || !run_is_complete(dir, &complete, err))
        return false;
    if (!complete)
        log_warning("%s was cut short: only the frames that were whole by then are there", dir);
    return true;
}

int
cmd_draws(int argc, char **argv)
{
    struct draws_options options = {.most = LINES_SHOWN};
    const char *group = NULL;
    bool json = false, csv = false, all = false;
    uint64_t frame = UINT64_MAX;
    const struct arg_option table[] = {
        {"group", 0, ARG_STRING, &group, "WHAT",
         "draws together that have the same program, target, texture or label", false},
        {"over", 0, ARG_STRING, &options.over, "RUN_B",
         "against the run before, RUN_B: what became slower or faster, what is new or gone", false},
        {"frame", 0, ARG_UINT, &frame, "N", "of this frame", false},
        {"all", 0, ARG_FLAG, &all, NULL, "every line, not the first 20", false},
        {"csv", 0, ARG_FLAG, &csv, NULL, "as CSV, every line", false},
        OPTION_JSON(&json, "as JSON, every line"),
        {0},
    };
    const struct arg_spec spec = {
        "draws",
        "RUN [--group program|target|texture|label] [--over RUN_B] [--frame N] [--csv] [--json]",
        "The draws of a run's folder, the dearest first: cycles, fragments, how often they cover\n"
        "their target (overdraw), bytes moved, texture cache misses, the resource without which\n"
        "the most is gained (bound by: docs/topdown.md), programs, primitive with its vertices\n"
        "or indices, target, label; and the work between draws. Each cycle of a frame belongs to "
        "one\n"
        "of them. A draw FRAME:DRAW is shown by `aetius show TRACE draw FRAME:DRAW`. With --over\n"
        "draws are joined by the hash of their content, those that changed by what is the same\n"
        "of them.",
        table,
        1,
        1,
        "one RUN, a folder that sim has left",
        .program = ARG_NO_PROGRAM};
    struct args args;
    struct error err = {""};
    int status = args_parse(&args, &spec, argc, argv);
    if (status >= 0)
        return status;
    if (!draws_group_parse(&options.group, group, &err))
        return args_usage_error(&spec, "--group %s", err.text);
    if (options.over && options.group != GROUP_NONE)
        return args_usage_error(&spec, "--over and --group do not go together");
    if (csv && json)
        return args_usage_error(&spec, "--csv or --json, not both");
    if (frame != UINT64_MAX && frame >= UINT32_MAX)
        return args_usage_error(&spec, "--frame: there is no such frame");
    options.run = args.operands[0];
    if (!check_run(options.run, &err) || (options.over && !check_run(options.over, &err)))
        return conclude(false, &err);
    options.frame = frame == UINT64_MAX ? UINT32_MAX : (uint32_t)frame;
    options.form = csv ? DRAWS_CSV : json ? DRAWS_JSON : DRAWS_TEXT;
    if (all)
        options.most = 0;
    return conclude(options.over ? join(&options, &err) : list(&options, &err), &err);
}
