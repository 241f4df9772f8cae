#include "sweep/capture.h"

#include "base/file.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/plural.h"
#include "sweep/store.h"
#include "sweep/work.h"
#include "trace/virgl/vtest/launch.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
capture_source(const struct sweep_plan *plan, const struct sweep_input *input)
{
    char *clock = plan->clock ? mem_printf(", clock %u", plan->clock) : mem_strdup("");
    /* Captures without the entry are of OpenGL 2.1. */
    const bool names_gl = plan->offer != GL_OFFER_2_1;
    char *text = mem_printf("frames %s, warm-up %s%s%s%s:", input->frames,
                            input->warm_up ? input->warm_up : "all", clock, names_gl ? ", gl " : "",
                            names_gl ? gl_offer_name(plan->offer) : "");
    free(clock);
    for (size_t i = 0; i < input->program.count; i++) {
        char *longer = mem_printf("%s %s", text, input->program.items[i]);
        free(text);
        text = longer;
    }
    return text;
}

/* Whether the input's traces exist and match the plan. */
static bool
is_captured(const struct sweep *sweep, const struct sweep_plan *plan,
            const struct sweep_input *input)
{
    struct error err;
    char *path = capture_path(sweep, input->name, ".source"), *source = capture_source(plan, input);
    char *there = NULL;
    size_t size;
    const bool same = file_exists(path) && file_read(path, FILE_MOST_TEXT, &there, &size, &err) &&
                      !strcmp(there, source);
    free(there);
    free(source);
    free(path);
    return same;
}

static bool
is_to_capture(const struct sweep *sweep, const struct sweep_plan *plan,
              const struct sweep_input *input)
{
    return !input->file && !is_captured(sweep, plan, input);
}

/* Returns the source of a program, or NULL. */
static const char *
source_of_program(const char *program)
{
    static const struct {
        const char *path, *from;
    } programs[] = {
#define PROGRAM(path, from) {path, from},
#include "sweep/programs.def"
    };
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
        const size_t length = strlen(programs[i].path);
        const bool is_folder = programs[i].path[length - 1] == '/';
        if (!strncmp(program, programs[i].path, length) && (is_folder || !program[length]))
            return programs[i].from;
    }
    return NULL;
}

/* Paths of programs are relative to the plan's folder. */
static bool
is_installed(const struct sweep_plan *plan, const char *program)
{
    char *own = sweep_plan_program(plan, program);
    char *path = strchr(own, '/') ? sweep_plan_path(plan, own) : launch_find(own);
    const bool is_there = strchr(path, '/') && !access(path, X_OK);
    free(path);
    free(own);
    return is_there;
}

/* Lists each missing program once, with its source. Returns "" if no program is missing. The caller
 * frees the text. */
static char *
list_absent(const struct sweep *sweep, const struct sweep_plan *plan)
{
    struct word_list seen = {0};
    char *text = mem_strdup("");
    for (size_t i = 0; i < plan->inputs.count; i++) {
        const struct sweep_input *input = &plan->inputs.items[i];
        if (!is_to_capture(sweep, plan, input) || is_installed(plan, input->program.items[0]) ||
            word_list_has(&seen, input->program.items[0]))
            continue;
        const char *program = input->program.items[0], *from = source_of_program(program);
        char *longer = mem_printf("%s%s%s%s%s%s", text, *text ? ", " : "", program,
                                  from ? " (" : "", from ? from : "", from ? ")" : "");
        word_list_add(&seen, program);
        free(text);
        text = longer;
    }
    word_list_fini(&seen);
    return text;
}

static bool
check_programs(const struct sweep *sweep, const struct sweep_plan *plan, bool keep_going,
               struct error *err)
{
    char *absent = list_absent(sweep, plan);
    const bool ok = !*absent || keep_going ||
                    fail(err, "not installed: %s (--keep-going omits their inputs)", absent);
    if (*absent && keep_going)
        log_warning("not installed: %s", absent);
    free(absent);
    return ok;
}

static void
warn_of_failure(const struct sweep *sweep, const char *input)
{
    char *name = mem_printf("%s.capture", input), *failed = work_log_path(sweep, name, ".failed");
    if (file_exists(failed)) {
        char *words = work_log_last(sweep, name);
        log_warning("[input %s] was not captured (%s):\n%s", input, failed, words);
        free(words);
    }
    free(failed);
    free(name);
}

/* Reports the inputs whose capture failed, with the end of their logs. With `keep_going`, the sweep
 * omits these inputs. */
static bool
report_failures(struct sweep *sweep, const struct sweep_plan *plan, bool keep_going,
                struct error *err)
{
    const char *first = NULL;
    for (size_t i = 0; i < plan->inputs.count; i++) {
        const struct sweep_input *input = &plan->inputs.items[i];
        if (!is_to_capture(sweep, plan, input))
            continue;
        warn_of_failure(sweep, input->name);
        first = first ? first : input->name;
        sweep->missing++;
    }
    if (first && interrupt_pending())
        return fail(err, "interrupted; run the same command again to continue");
    return !first || (keep_going && sweep->missing < plan->inputs.count) ||
           fail(err, "[input %s] was not captured", first);
}

static bool
capture_all(struct sweep *sweep, const struct sweep_plan *plan, const struct work_options *options,
            struct error *err)
{
    struct ninja_work work = {.command = "capture --plan \"$$AETIUS_PLAN\"",
                              .what = "captures",
                              .jobs = work_jobs(options),
                              .keep_going = options->keep_going};
    char *folder = sweep_path(sweep, "traces");
    for (size_t i = 0; i < plan->inputs.count; i++) {
        const struct sweep_input *input = &plan->inputs.items[i];
        if (is_to_capture(sweep, plan, input) && is_installed(plan, input->program.items[0]))
            word_list_add(&work.names, input->name);
    }
    bool ok = check_programs(sweep, plan, options->keep_going, err);
    if (ok && work.names.count) {
        log_note("capturing %zu program%s", work.names.count, plural(work.names.count));
        setenv("AETIUS_PLAN", plan->path, true);
        ok = dir_create(folder, err) && ninja_do(sweep, &work, err);
    }
    ok = ok && report_failures(sweep, plan, options->keep_going, err);
    word_list_fini(&work.names);
    free(folder);
    return ok;
}

/* Checks that a file has the hash that the plan states. `hash` NULL: no check. */
static bool
check_hash(const struct sweep *sweep, const char *name, const char *path, const char *hash,
           struct error *err)
{
    char found[SHA256_TEXT];
    return !hash || (store_hash_trace(sweep->store, path, found, err) &&
                     (!strcmp(found, hash) ||
                      fail(err, "%s has the sha256 %s, but the plan's [input %s] has %s", path,
                           found, name, hash)));
}

/* With `keep_going`, omits a trace that is missing, unreadable or different. */
static bool
take_trace(struct sweep *sweep, const struct work_options *options, const char *name,
           const char *path, const char *frames, const char *hash, struct error *err)
{
    if (check_hash(sweep, name, path, hash, err) && sweep_add_trace(sweep, name, path, frames, err))
        return true;
    if (!options->keep_going || interrupt_pending())
        return false;
    log_warning("%s", err->text);
    sweep->missing++;
    return true;
}

static bool
take_program(struct sweep *sweep, const struct sweep_plan *plan, const struct sweep_input *input,
             const struct work_options *options, struct error *err)
{
    struct frame_set frames;
    bool ok =
        frame_set_parse(&frames, input->frames, err) || fail_prefix(err, "[input %s]", input->name);
    if (ok && !is_captured(sweep, plan, input)) {
        log_note("[input %s] is not captured yet: its runs are not counted", input->name);
        return true;
    }
    for (uint32_t r = 0; ok && r < frames.count; r++) {
        char *name = capture_name(input, &frames, r), *path = capture_path(sweep, name, ".trace");
        const size_t before = sweep->traces.count;
        ok = take_trace(sweep, options, name, path, plan->frames ? plan->frames : input->simulate,
                        NULL, err);
        if (sweep->traces.count > before && frames.count > 1)
            sweep->traces.items[before].captured = mem_strdup(input->name);
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
            ok = take_program(sweep, plan, input, options, err);
            continue;
        }
        char *path = sweep_plan_path(plan, input->file);
        ok = take_trace(sweep, options, input->name, path,
                        plan->frames ? plan->frames : input->frames, input->hash, err);
        free(path);
    }
    return ok && (!sweep->missing || sweep->traces.count || fail(err, "no inputs remain"));
}

bool
sweep_check_missing(const struct sweep *sweep, struct error *err)
{
    return !sweep->missing ||
           fail(err, "%zu input%s omitted", sweep->missing, sweep->missing == 1 ? " is" : "s are");
}
