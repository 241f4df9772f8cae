/* Inputs of a sweep that are programs: recorded once, and cut to the frames that the plan names. */
#include "base/file.h"
#include "base/log.h"
#include "cmd/sweep.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
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

/* From the program's start to the last frame that is wanted. */
static bool
record(const struct sweep_input *input, const struct frame_set *frames, const char *path,
       struct error *err)
{
    struct word_list words = {0};
    char *range = mem_printf("0-%u", frame_set_last(frames));
    const char *const options[] = {"capture", "-o",     path,      "--frames",
                                   range,     "--stop", "--force", "--"};
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        word_list_add(&words, options[i]);
    word_list_copy(&words, &input->program);
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

/* What a trace was made of: the file beside it says it when the trace is whole. */
static char *
origin_of(const struct sweep_input *input)
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

static bool
is_of(const char *path, const char *origin)
{
    struct error err;
    char *there = NULL;
    size_t size;
    const bool same = file_exists(path) && file_read(path, FILE_MOST_TEXT, &there, &size, &err) &&
                      !strcmp(there, origin);
    free(there);
    return same;
}

/* A range of the frames: its name, and its trace in the sweep's folder. */
static char *
range_name(const struct sweep_input *input, const struct frame_set *frames, uint32_t range)
{
    return frames->count == 1 ? mem_strdup(input->name)
                              : mem_printf("%s-%u", input->name, frames->ranges[range].first);
}

static char *
range_path(const struct sweep *sweep, const char *name)
{
    return mem_printf("%s/traces/%s.trace", sweep->dir, name);
}

static bool
capture(const struct sweep *sweep, const struct sweep_input *input, const struct frame_set *frames,
        const char *origin_path, const char *origin, struct error *err)
{
    char *whole = mem_printf("%s/traces/%s.whole", sweep->dir, input->name);
    log_note("capturing %s", input->name);
    unlink(origin_path);
    bool ok = record(input, frames, whole, err);
    for (uint32_t r = 0; ok && r < frames->count; r++) {
        char *name = range_name(input, frames, r), *path = range_path(sweep, name);
        char *part = mem_printf("%s.part", path);
        ok = cut(input, frames->ranges[r].first, frames->ranges[r].last, whole, part, err) &&
             (!rename(part, path) || fail(err, "cannot rename %s: %s", part, strerror(errno)));
        unlink(part);
        free(part);
        free(path);
        free(name);
    }
    unlink(whole);
    free(whole);
    return ok && file_write(origin_path, origin, strlen(origin), err);
}

static bool
take_program(struct sweep *sweep, const struct sweep_input *input, bool may_capture,
             struct error *err)
{
    struct frame_set frames;
    if (!frame_set_parse(&frames, input->frames, err))
        return fail_prefix(err, "[input %s]", input->name);
    char *dir = sweep_path(sweep, "traces"), *origin = origin_of(input);
    char *origin_path = mem_printf("%s/%s.source", dir, input->name);
    const bool is_there = is_of(origin_path, origin);
    bool ok = true;
    if (!is_there && may_capture)
        ok = (dir_create(dir, err) && capture(sweep, input, &frames, origin_path, origin, err)) ||
             fail_prefix(err, "[input %s]", input->name);
    else if (!is_there)
        log_note("[input %s] is not captured yet: its runs are not counted here", input->name);
    for (uint32_t r = 0; ok && (is_there || may_capture) && r < frames.count; r++) {
        char *name = range_name(input, &frames, r), *path = range_path(sweep, name);
        ok = sweep_add_trace(sweep, name, path, NULL, err);
        free(path);
        free(name);
    }
    free(origin_path);
    free(origin);
    free(dir);
    return ok;
}

bool
sweep_capture_inputs(struct sweep *sweep, const struct sweep_plan *plan, bool may_capture,
                     struct error *err)
{
    bool ok = true;
    for (size_t i = 0; ok && i < plan->inputs.count; i++) {
        const struct sweep_input *input = &plan->inputs.items[i];
        if (!input->file) {
            ok = take_program(sweep, input, may_capture, err);
            continue;
        }
        char *path = sweep_plan_path(plan, input->file);
        ok = sweep_add_trace(sweep, input->name, path, input->frames, err);
        free(path);
    }
    return ok;
}
