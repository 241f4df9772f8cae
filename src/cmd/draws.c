/* aetius draws: prints the cost of a run's draws, and changes since another run. */
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
    const bool is_each = options->form != DRAWS_TEXT || !draws_have_frames(&draws);
    const bool is_frames = options->group == GROUP_FRAMES;
    draws_list_make(&lines, &draws, is_frames && is_each ? GROUP_NONE : options->group);
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

/* Returns whether the folder is a run's. Warns if the run is incomplete. */
static bool
check_run(const char *dir, struct error *err)
{
    bool complete = false;
    if (!check_run_folder(dir, err) || !run_is_complete(dir, &complete, err))
        return false;
    if (!complete)
        log_warning("%s is an interrupted run: it contains only its complete frames", dir);
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
         "group draws by program, target, texture or label; draw: list each draw; frames "
         "(default): "
         "list the same draw of several frames once",
         false},
        {"over", 0, ARG_STRING, &options.over, "RUN_B",
         "compare with an earlier run, RUN_B: slower, faster, new and removed draws", false},
        {"frame", 0, ARG_UINT, &frame, "N", "only this frame", false},
        {"all", 0, ARG_FLAG, &all, NULL, "print all lines, not only the first 20", false},
        {"csv", 0, ARG_FLAG, &csv, NULL, "print all lines as CSV", false},
        OPTION_JSON(&json, "print all lines as JSON"),
        {0},
    };
    const struct arg_spec spec = {
        "draws",
        "RUN [--group program|target|texture|label|draw] [--over RUN_B] [--frame N] [--csv] "
        "[--json]",
        "Lists the draws of a run folder, most expensive first: cycles, fragments,\n"
        "overdraw (fragments per target pixel), bytes transferred, texture cache misses,\n"
        "bound by (the resource that would save the most cycles if it were ideal,\n"
        "docs/topdown.md), programs, primitive with vertices or indices, target, label.\n"
        "The same draw of several frames (same hash, in the same order) is one row, named\n"
        "after its most expensive frame. CSV and JSON list each draw.\n"
        "Work between draws is listed too; every cycle is counted once. `aetius show\n"
        "TRACE draw FRAME:DRAW` shows a draw. --over matches draws by hash. Draws without\n"
        "a match are paired by the properties that did not change.",
        table,
        1,
        1,
        "one RUN, an output folder of `aetius sim`",
        .program = ARG_NO_PROGRAM};
    struct args args;
    struct error err = {""};
    int status = args_parse(&args, &spec, argc, argv);
    if (status >= 0)
        return status;
    if (!draws_group_parse(&options.group, group, &err))
        return args_usage_error(&spec, "--group %s", err.text);
    if (options.over && group)
        return args_usage_error(&spec, "--over and --group cannot be combined");
    if (csv && json)
        return args_usage_error(&spec, "--csv and --json cannot be combined");
    if (frame != UINT64_MAX && frame >= UINT32_MAX)
        return args_usage_error(&spec, "--frame: no such frame");
    options.run = args.operands[0];
    if (!check_run(options.run, &err) || (options.over && !check_run(options.over, &err)))
        return conclude(false, &err);
    options.frame = frame == UINT64_MAX ? UINT32_MAX : (uint32_t)frame;
    options.form = csv ? DRAWS_CSV : json ? DRAWS_JSON : DRAWS_TEXT;
    if (all)
        options.most = 0;
    return conclude(options.over ? join(&options, &err) : list(&options, &err), &err);
}
