/* aetius sweep capture DIR NAME --plan INI: records a program that is an input of a sweep into the
 * sweep's folder. Extracts the frames that the plan names. */
#include "base/file.h"
#include "base/interrupt.h"
#include "cmd/sweep/sweep.h"
#include "sweep/capture.h"
#include "sweep/store.h"
#include "sweep/work.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

int cmd_capture(int argc, char **argv);
int cmd_trim(int argc, char **argv);

static bool
call(int (*command)(int argc, char **argv), struct word_list *words, struct error *err)
{
    const int count = (int)words->count;
    VEC_PUSH(words, NULL);
    const int status = command(count, words->items);
    if (status != EXIT_WELL)
        fail(err, "`aetius %s` failed", words->items[0]);
    words->count--;
    word_list_fini(words);
    return status == EXIT_WELL;
}

/* Records from the program's start to the last requested frame. */
static bool
record(const struct sweep_plan *plan, const struct sweep_input *input,
       const struct frame_set *frames, const char *path, struct error *err)
{
    struct word_list words = {0};
    char *range = mem_printf("0-%u", frame_set_last(frames)),
         *clock = mem_printf("%u", plan->clock);
    const char *const options[] = {"capture",
                                   "-o",
                                   path,
                                   "--frames",
                                   range,
                                   "--stop",
                                   "--force",
                                   "--clock",
                                   clock,
                                   "--gl",
                                   gl_offer_name(plan->offer),
                                   "--"};
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        word_list_add(&words, options[i]);
    char *program = sweep_plan_program(plan, input->program.items[0]);
    word_list_add(&words, program);
    for (size_t i = 1; i < input->program.count; i++)
        word_list_add(&words, input->program.items[i]);
    free(program);
    free(clock);
    free(range);
    return call(cmd_capture, &words, err);
}

static bool
cut(const struct sweep_input *input, uint32_t first, uint32_t last, const char *from,
    const char *to, struct error *err)
{
    struct word_list words = {0};
    char *range = mem_printf("%u-%u", first, last);
    const char *const options[] = {"trim", from, "--frames", range, "-o", to, "--force"};
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        word_list_add(&words, options[i]);
    if (input->warm_up) {
        word_list_add(&words, "--warm-up");
        word_list_add(&words, input->warm_up);
    }
    free(range);
    return call(cmd_trim, &words, err);
}

/* Moves the range's trace to its final path when it is complete. */
static bool
cut_range(const struct sweep *sweep, const struct sweep_input *input,
          const struct frame_set *frames, uint32_t range, const char *whole, struct error *err)
{
    char *name = capture_name(input, frames, range), *path = capture_path(sweep, name, ".trace");
    char *part = mem_printf("%s.part", path);
    const bool ok =
        cut(input, frames->ranges[range].first, frames->ranges[range].last, whole, part, err) &&
        (!rename(part, path) || fail(err, "cannot rename %s: %s", part, strerror(errno)));
    unlink(part);
    free(part);
    free(path);
    free(name);
    return ok;
}

/* Runs the program with an empty home folder, so that no earlier settings affect it. */
static bool
capture(const struct sweep *sweep, const struct sweep_plan *plan, const struct sweep_input *input,
        struct error *err)
{
    struct frame_set frames;
    char *home = capture_path(sweep, input->name, ".home"), *own = NULL;
    char *whole = capture_path(sweep, input->name, ".whole");
    char *path = capture_path(sweep, input->name, ".source"), *source = capture_source(plan, input);
    bool ok = frame_set_parse(&frames, input->frames, err) && tree_remove(home, err) &&
              dir_create(home, err);
    own = ok ? realpath(home, NULL) : NULL;
    setenv("HOME", own ? own : home, true);
    unlink(path);
    ok = ok && record(plan, input, &frames, whole, err);
    for (uint32_t r = 0; ok && r < frames.count; r++)
        ok = cut_range(sweep, input, &frames, r, whole, err);
    ok = ok && interrupt_check(err) && file_write(path, source, strlen(source), err);
    unlink(whole);
    tree_remove(home, NULL);
    free(source);
    free(path);
    free(whole);
    free(own);
    free(home);
    return ok;
}

static const struct sweep_input *
find_input(const struct sweep_plan *plan, const char *name, struct error *err)
{
    for (size_t i = 0; i < plan->inputs.count; i++)
        if (!strcmp(plan->inputs.items[i].name, name) && !plan->inputs.items[i].file)
            return &plan->inputs.items[i];
    fail(err, "%s has no input %s with a program", plan->path, name);
    return NULL;
}

static bool
capture_apart(const struct sweep *sweep, const struct sweep_plan *plan, const char *name,
              struct error *err)
{
    const struct sweep_input *input = find_input(plan, name, err);
    if (!input || !sweep_check_folders(sweep, err))
        return false;
    if (chdir(plan->folder))
        return fail(err, "cannot enter %s: %s", plan->folder, strerror(errno));
    char *log = mem_printf("%s.capture", name);
    work_log_begin(sweep, log);
    const bool ok = capture(sweep, plan, input, err);
    work_log_end(sweep, log, ok);
    free(log);
    return ok;
}

int
sweep_capture_command(int argc, char **argv)
{
    bool with_parent = false;
    const char *from = NULL;
    const struct arg_option options[] = {
        {"plan", 0, ARG_STRING, &from, "INI", "plan file", true},
        SWEEP_WITH_PARENT(&with_parent),
        {0},
    };
    const struct arg_spec spec = {"sweep capture",
                                  "DIR NAME [options]",
                                  "Captures a program of a sweep's plan; called by `aetius sweep`.",
                                  options,
                                  2,
                                  2,
                                  "the sweep's folder and an input",
                                  .program = ARG_NO_PROGRAM};
    struct args args;
    struct sweep sweep;
    struct sweep_plan plan;
    struct error err = {""};
    const int status = args_parse(&args, &spec, argc, argv);
    if (status >= 0)
        return status;
    if (with_parent)
        prctl(PR_SET_PDEATHSIG, SIGTERM);
    interrupt_watch();
    if (!sweep_plan_load(&plan, from, &err))
        return conclude(false, &err);
    char *dir = realpath(args.operands[0], NULL);
    sweep_init(&sweep, dir ? dir : args.operands[0], NULL);
    const bool ok = capture_apart(&sweep, &plan, args.operands[1], &err);
    sweep_fini(&sweep);
    sweep_plan_fini(&plan);
    free(dir);
    return conclude(ok, &err);
}
