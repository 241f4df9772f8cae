#include "study/inputs.h"

#include "base/file.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "sweep/engine.h"
#include "sweep/store.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_OUTPUT = 1 << 16 };

/* The last line of a text, without "aetius: ". */
static const char *
last_line(char *text)
{
    static const char start[] = "aetius: ";
    size_t length = strlen(text);
    while (length && text[length - 1] == '\n')
        text[--length] = '\0';
    const char *newline = strrchr(text, '\n'), *line = newline ? newline + 1 : text;
    return strncmp(line, start, strlen(start)) ? line : line + strlen(start);
}

bool
study_draw(const struct study *study, const char *trace, const char *by, const char *frames,
           const char *folder, struct error *err)
{
    char *self = engine_self(), *renderer = mem_printf("--%s", by ? by : "");
    char *words[] = {
        self,           (char *)"replay",   (char *)trace,  (char *)"-f",         (char *)"-o",
        (char *)folder, (char *)"--frames", (char *)frames, by ? renderer : NULL, NULL};
    struct subprocess child;
    char *output = NULL;
    size_t size;
    int status;
    bool ok = engine_start(&child, study->sweep.dir, words, NULL, err) &&
              subprocess_collect(&child, MOST_OUTPUT, &output, &size, &status, err);
    free(renderer);
    free(self);
    if (ok && status)
        ok = fail(err, "%s", last_line(output));
    free(output);
    return ok;
}

static bool
may_be_plain(const struct study *study, const char *trace)
{
    for (size_t i = 0; i < study->plan->inputs.count; i++)
        if (sweep_input_makes(&study->plan->inputs.items[i], trace))
            return study->plan->inputs.items[i].is_plain;
    return false;
}

static bool
check_picture(const char *path, uint32_t frame, struct error *err)
{
    struct picture picture = {0};
    const bool ok = picture_read_png(&picture, path, err) &&
                    (!picture_has_one_color(&picture) ||
                     fail(err,
                          "frame %u has only one color: choose other frames, or set one-color = "
                          "yes for this input in the plan",
                          frame));
    picture_fini(&picture);
    return ok && interrupt_check(err);
}

/* Checks the pictures in FOLDER/frames. */
static bool
check_pictures(const struct sweep_trace *trace, const char *folder, struct error *err)
{
    struct frame_set frames;
    bool ok = frame_set_parse(&frames, trace->frames, err);
    for (uint32_t f = 0; ok && f <= frame_set_last(&frames); f++) {
        char *path = mem_printf("%s/frames/frame-%04u.png", folder, f);
        if (frame_set_has(&frames, f) && file_exists(path))
            ok = check_picture(path, f, err);
        free(path);
    }
    return ok;
}

/* Folder of a completed run of the trace, or NULL. The caller frees the path. */
static char *
folder_of(const struct study *study, uint32_t trace)
{
    for (size_t i = 0; i < study->sweep.runs.count; i++)
        if (study->sweep.runs.items[i].trace == trace &&
            store_has(study->sweep.store, study->sweep.runs.items[i].key))
            return study_folder(study, i);
    return NULL;
}

static bool
check_input(const struct study *study, uint32_t number, struct error *err)
{
    static const char name[] = "drawn"; /* temporary folder in the study's folder */
    const struct sweep_trace *trace = &study->sweep.traces.items[number];
    const bool wants_colors = study->has_plan_inputs && !may_be_plain(study, trace->name);
    char *done = folder_of(study, number), *drawn = sweep_path(&study->sweep, name);
    const bool ok = (done || study_draw(study, trace->path, NULL, trace->frames, name, err)) &&
                    (!wants_colors || check_pictures(trace, done ? done : drawn, err));
    tree_remove(drawn, NULL);
    free(drawn);
    free(done);
    return ok || fail_prefix(err, "[input %s]", trace->name);
}

bool
study_check_inputs(struct study *study, struct error *err)
{
    struct progress progress;
    bool ok = true;
    progress_begin(&progress, "drawing inputs", study->sweep.traces.count);
    for (uint32_t t = 0; ok && t < study->sweep.traces.count;) {
        progress_at(&progress, t, study_trace_name(study, t));
        ok = check_input(study, t, err);
        t += ok;
        if (!ok && study->options->keep_going && !interrupt_pending()) {
            log_warning("%s", err->text);
            sweep_drop_trace(&study->sweep, t);
            ok = study->sweep.traces.count || fail(err, "no inputs remain");
        }
    }
    progress_end(&progress);
    return ok;
}
