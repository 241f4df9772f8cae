#include "report/run.h"

#include "base/file.h"
#include "base/mem.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void
add_text(cJSON *object, const char *name, const char *text)
{
    if (text)
        cJSON_AddStringToObject(object, name, text);
    else
        cJSON_AddNullToObject(object, name);
}

static void
add_hash(cJSON *object, const char *name, uint64_t hash)
{
    char text[24];
    snprintf(text, sizeof text, "%016" PRIx64, hash);
    cJSON_AddStringToObject(object, name, text);
}

static void
add_metrics(cJSON *root, const struct totals *totals)
{
    size_t count;
    const struct metric *all = metrics_all(&count);
    cJSON *metrics = cJSON_AddObjectToObject(root, "metrics");
    for (size_t i = 0; i < count; i++) {
        double value = metric_value(&all[i], totals);
        if (isfinite(value))
            cJSON_AddNumberToObject(metrics, all[i].name, value);
        else
            cJSON_AddNullToObject(metrics, all[i].name);
    }
}

bool
run_write_json(const struct run_facts *facts, const struct totals *totals, const char *path,
               struct error *err)
{
    cJSON *root = cJSON_CreateObject();
    add_text(root, "program", facts->program);
    add_text(root, "trace", facts->trace);
    add_text(root, "preset", facts->preset);
    add_text(root, "mode", facts->mode);
    cJSON_AddStringToObject(root, "version", AETIUS_VERSION);
    cJSON_AddBoolToObject(root, "complete", facts->complete);
    cJSON_AddNumberToObject(root, "frames", facts->frame_count);
    cJSON_AddNumberToObject(root, "cycles", (double)facts->cycles);
    cJSON_AddNumberToObject(root, "width", facts->width);
    cJSON_AddNumberToObject(root, "height", facts->height);
    add_hash(root, "picture_hash", facts->picture_hash);
    cJSON_AddNumberToObject(root, "wall_seconds", facts->wall_seconds);
    cJSON_AddNumberToObject(root, "cycles_per_second",
                            facts->wall_seconds > 0 ? (double)facts->cycles / facts->wall_seconds
                                                    : 0);
    cJSON_AddNumberToObject(root, "peak_rss_bytes", (double)facts->peak_rss_bytes);
    cJSON *frames = cJSON_AddArrayToObject(root, "per_frame");
    for (uint32_t i = 0; i < facts->frame_count; i++) {
        cJSON *frame = cJSON_CreateObject();
        cJSON_AddNumberToObject(frame, "frame", facts->frames[i].number);
        cJSON_AddNumberToObject(frame, "client", facts->frames[i].client);
        cJSON_AddNumberToObject(frame, "cycles", (double)facts->frames[i].cycles);
        add_hash(frame, "hash", facts->frames[i].hash);
        cJSON_AddItemToArray(frames, frame);
    }
    if (totals)
        add_metrics(root, totals);
    char *text = cJSON_Print(root);
    cJSON_Delete(root);
    bool ok = file_write(path, text, strlen(text), err);
    free(text);
    return ok;
}

void
run_print_summary(const struct run_facts *facts, const struct totals *totals, FILE *out)
{
    size_t count;
    const struct metric *all = metrics_all(&count);
    fprintf(out, "%u frame%s of %ux%u, %" PRIu64 " cycles on %s%s\n", facts->frame_count,
            facts->frame_count == 1 ? "" : "s", facts->width, facts->height, facts->cycles,
            facts->preset ? facts->preset : "the machine", facts->complete ? "" : " (cut short)");
    for (size_t i = 0; totals && i < count; i++) {
        double value = metric_value(&all[i], totals);
        if (isfinite(value))
            fprintf(out, "  %-20s %12.4g %-16s %s\n", all[i].name, value, all[i].unit, all[i].doc);
    }
    if (facts->wall_seconds > 0)
        fprintf(out, "  simulated in %.1f s: %.3g cycles/s, %.0f MiB of memory\n",
                facts->wall_seconds, (double)facts->cycles / facts->wall_seconds,
                (double)facts->peak_rss_bytes / 1048576);
}

struct totals
run_totals(const struct run_facts *facts, const struct stat_set *set, const uint64_t *values,
           const struct params *params)
{
    const char **names = mem_alloc((set->count + 2) * sizeof *names);
    double *numbers = mem_alloc((set->count + 2) * sizeof *numbers);
    size_t count = 0;
    for (uint32_t i = 0; i < set->count; i++) {
        names[count] = set->entries[i].name;
        numbers[count++] = (double)values[i];
    }
    if (!stat_set_find(set, "cycles")) {
        names[count] = "cycles";
        numbers[count++] = (double)facts->cycles;
    }
    if (!stat_set_find(set, "frames")) {
        names[count] = "frames";
        numbers[count++] = facts->frame_count;
    }
    return (struct totals){names, numbers, count, params};
}

void
totals_free(struct totals *totals)
{
    free((void *)totals->names);
    free((void *)totals->values);
    memset(totals, 0, sizeof *totals);
}
