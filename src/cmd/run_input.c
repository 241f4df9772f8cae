#include "cmd/run_input.h"

#include "base/file.h"
#include "base/mem.h"
#include "report/run/run_json.h"

#include <stdlib.h>
#include <string.h>

/* Adds a frame. Does nothing if the set cannot hold another range. */
static void
add_frame(struct frame_set *set, uint32_t frame)
{
    if (set->count && set->ranges[set->count - 1].last + 1 == frame) {
        set->ranges[set->count - 1].last = frame;
    } else if (set->count < FRAME_RANGES) {
        set->ranges[set->count].first = frame;
        set->ranges[set->count++].last = frame;
    }
}

bool
run_input_open(struct run_input *input, const char **path, struct frame_set *frames,
               struct machine_options *options, struct error *err)
{
    struct run_json run;
    const char *dir = *path;
    struct arg_list *configs = &options->configs;
    const bool has_frames = frames->count > 0;
    if (!is_run_folder(dir))
        return true;
    if (!run_json_read(&run, dir, err))
        return false;
    for (size_t i = 0; i < run.per_frame_count && !has_frames; i++)
        add_frame(frames, (uint32_t)run.per_frame[i].number);
    input->trace = run.trace ? mem_strdup(run.trace) : NULL;
    run_json_fini(&run);
    if (!input->trace)
        return fail(err, "%s names no trace: it is a run of a live program", dir);
    if (!file_exists(input->trace))
        return fail(err, "the trace of %s does not exist: %s", dir, input->trace);
    *path = input->trace;
    if (options->preset || configs->count == sizeof configs->items / sizeof *configs->items)
        return true;
    input->machine = mem_printf("%s/machine.ini", dir);
    memmove(configs->items + 1, configs->items, configs->count++ * sizeof *configs->items);
    configs->items[0] = input->machine;
    return true;
}

void
run_input_fini(struct run_input *input)
{
    free(input->trace);
    free(input->machine);
}
