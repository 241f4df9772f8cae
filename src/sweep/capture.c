#include "sweep/capture.h"

#include "base/file.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "sweep/work.h"

#include <stdlib.h>
#include <string.h>

char *
capture_path(const struct sweep *sweep, const char *name, const char *end)
{
    return mem_printf("%s/traces/%s%s", sweep->dir, name, end);
}

char *
capture_name(const struct sweep_input *input, const struct frame_set *frames, uint32_t range)
{
    return frames->count == 1 ? mem_strdup(input->name)
                              : mem_printf("%s-%u", input->name, frames->ranges[range].first);
}

char *
capture_source(const struct sweep_input *input)
{
    char *text = mem_printf("frames %s, warm-up %s:", input->frames,
                            input->warm_up ? input->warm_up : "all");
    for (size_t i = 0; i < input->program.count; i++) {
        char *longer = mem_printf("%s %s", text, input->program.items[i]);
        free(text);
        text = longer;
    }
    return text;
}

/* Its traces are there, and are what the plan says. */
static bool
is_captured(const struct sweep *sweep, const struct sweep_input *input)
{
    struct error err;
    char *path = capture_path(sweep, input->name, ".source"), *source = capture_source(input);
    char *there = NULL;
    size_t size;
    const bool same = file_exists(path) && file_read(path, FILE_MOST_TEXT, &there, &size, &err) &&
                      !strcmp(there, source);
    free(there);
    free(source);
    free(path);
    return same;
}

/* Those that failed, with their last words. */
static bool
tell_failures(const struct sweep *sweep, const struct sweep_plan *plan, struct error *err)
{
    const char *first = NULL;
    for (size_t i = 0; i < plan->inputs.count; i++) {
        const struct sweep_input *input = &plan->inputs.items[i];
        if (input->file || is_captured(sweep, input))
            continue;
        char *name = mem_printf("%s.capture", input->name);
        char *failed = work_log_path(sweep, name, ".failed");
        if (file_exists(failed)) {
            char *words = work_log_last(sweep, name);
            log_warning("[input %s] was not captured (%s):\n%s", input->name, failed, words);
            free(words);
        }
        first = first ? first : input->name;
        free(failed);
        free(name);
    }
    if (first && interrupt_pending())
        return fail(err, "interrupted; the same command goes on with what is left");
    return !first || fail(err, "[input %s] is not captured", first);
}

static bool
capture_all(const struct sweep *sweep, const struct sweep_plan *plan,
            const struct work_options *options, struct error *err)
{
    struct ninja_work work = {.command = "capture --plan \"$$AETIUS_PLAN\"",
                              .what = "captures",
                              .jobs = work_jobs(options),
                              .keep_going = options->keep_going};
    char *folder = sweep_path(sweep, "traces");
    for (size_t i = 0; i < plan->inputs.count; i++)
        if (!plan->inputs.items[i].file && !is_captured(sweep, &plan->inputs.items[i]))
            word_list_add(&work.names, plan->inputs.items[i].name);
    bool ok = true;
    if (work.names.count) {
        log_note("capturing %zu programs", work.names.count);
        setenv("AETIUS_PLAN", plan->path, true);
        ok = dir_create(folder, err) && ninja_do(sweep, &work, err) &&
             tell_failures(sweep, plan, err);
    }
    word_list_fini(&work.names);
    free(folder);
    return ok;
}

static bool
take_program(struct sweep *sweep, const struct sweep_plan *plan, const struct sweep_input *input,
             struct error *err)
{
    struct frame_set frames;
    bool ok =
        frame_set_parse(&frames, input->frames, err) || fail_prefix(err, "[input %s]", input->name);
    if (ok && !is_captured(sweep, input)) {
        log_note("[input %s] is not captured yet: its runs are not counted here", input->name);
        return true;
    }
    for (uint32_t r = 0; ok && r < frames.count; r++) {
        char *name = capture_name(input, &frames, r), *path = capture_path(sweep, name, ".trace");
        ok = sweep_add_trace(sweep, name, path, plan->frames, err);
        free(path);
        free(name);
    }
    return ok;
}

bool
sweep_take_inputs(struct sweep *sweep, const struct sweep_plan *plan,
                  const struct work_options *options, bool may_capture, struct error *err)
{
    bool ok = !may_capture || capture_all(sweep, plan, options, err);
    for (size_t i = 0; ok && i < plan->inputs.count; i++) {
        const struct sweep_input *input = &plan->inputs.items[i];
        if (!input->file) {
            ok = take_program(sweep, plan, input, err);
            continue;
        }
        char *path = sweep_plan_path(plan, input->file);
        ok = sweep_add_trace(sweep, input->name, path, plan->frames ? plan->frames : input->frames,
                             err);
        free(path);
    }
    return ok;
}
