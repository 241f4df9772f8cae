#include "report/run/run_json.h"

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *
text_of(const cJSON *object, const char *name)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
}

static bool
take_number(const cJSON *object, const char *dir, const char *name, double *value,
            struct error *err)
{
    const cJSON *number = cJSON_GetObjectItemCaseSensitive(object, name);
    *value = NAN;
    if (!number || cJSON_IsNull(number))
        return true;
    if (!cJSON_IsNumber(number) || !isfinite(number->valuedouble))
        return fail(err, "%s/run.json: %s is not a number", dir, name);
    *value = number->valuedouble;
    return true;
}

static bool
take_frames(struct run_json *run, const char *dir, struct error *err)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(run->root, "per_frame"), *item;
    const int count = cJSON_GetArraySize(list);
    run->per_frame = mem_array((size_t)count + 1, sizeof *run->per_frame);
    cJSON_ArrayForEach(item, list)
    {
        struct run_json_frame *frame = &run->per_frame[run->per_frame_count++];
        frame->hash = text_of(item, "hash");
        if (!take_number(item, dir, "frame", &frame->number, err) ||
            !take_number(item, dir, "cycles", &frame->cycles, err))
            return false;
    }
    return true;
}

static bool
run_json_take(struct run_json *run, const char *dir, struct error *err)
{
    const cJSON *root = run->root;
    if (!cJSON_IsObject(root))
        return fail(err, "%s/run.json does not describe a run", dir);
    run->program = text_of(root, "program");
    run->trace = text_of(root, "trace");
    run->preset = text_of(root, "preset");
    run->mode = text_of(root, "mode");
    run->is_complete = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(root, "complete"));
    run->metrics = cJSON_GetObjectItemCaseSensitive(root, "metrics");
    return take_number(root, dir, "cycles", &run->cycles, err) &&
           take_number(root, dir, "frames", &run->frames, err) &&
           take_number(root, dir, "first_frame", &run->first_frame, err) &&
           take_number(root, dir, "width", &run->width, err) &&
           take_number(root, dir, "height", &run->height, err) && take_frames(run, dir, err);
}

bool
run_json_read(struct run_json *run, const char *dir, struct error *err)
{
    char *path = mem_printf("%s/run.json", dir);
    *run = (struct run_json){.root = json_read(path, err)};
    const bool ok = run->root && run_json_take(run, dir, err);
    free(path);
    if (!ok)
        run_json_fini(run);
    return ok;
}

void
run_json_fini(struct run_json *run)
{
    cJSON_Delete(run->root);
    free(run->per_frame);
    *run = (struct run_json){0};
}

bool
run_json_metric(const struct run_json *run, const char *dir, const char *name, double *value,
                struct error *err)
{
    return take_number(run->metrics, dir, name, value, err);
}

bool
is_run_folder(const char *dir)
{
    return file_exists_in(dir, "run.json");
}

bool
check_run_folder(const char *dir, struct error *err)
{
    struct stat st;
    if (stat(dir, &st))
        return fail(err, "%s does not exist", dir);
    if (!S_ISDIR(st.st_mode))
        return fail(
            err,
            "%s is not a run folder: if it is a trace, simulate it with `aetius sim %s -o RUN`",
            dir, dir);
    return is_run_folder(dir) || fail(err, "%s is not a run folder: it has no run.json", dir);
}

bool
run_is_complete(const char *dir, bool *complete, struct error *err)
{
    struct run_json run;
    if (!run_json_read(&run, dir, err))
        return false;
    *complete = run.is_complete;
    run_json_fini(&run);
    return true;
}
