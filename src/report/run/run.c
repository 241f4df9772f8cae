#include "report/run/run.h"

#include "base/build.h"
#include "base/mem.h"
#include "base/schema.h"

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

/* The value of a total; 0 if it was not counted. */
static double
total_of(const struct totals *totals, const char *name)
{
    double value = 0;
    struct totals copy;
    if (!totals)
        return 0;
    copy = *totals;
    return totals_lookup(&copy, name, &value) ? value : 0;
}

static double
ratio(double a, double b)
{
    return b > 0 ? a / b : 0;
}

struct speed
run_speed(const struct run_facts *facts, const struct totals *totals)
{
    struct speed speed = {0};
    double seconds = totals ? facts->timed_seconds : facts->wall_seconds;
    speed.fragments =
        total_of(totals, "shader.fragments_out") + total_of(totals, "shader.fragments_killed");
    speed.busy_cycles = total_of(totals, "busy_cycles");
    speed.cycles_per_second = ratio((double)facts->cycles, seconds);
    speed.busy_cycles_per_second = ratio(speed.busy_cycles, seconds);
    speed.wall_ms_per_frame = ratio(seconds * 1e3, facts->frame_count);
    speed.wall_ns_per_fragment = ratio(seconds * 1e9, speed.fragments);
    return speed;
}

static void
add_speed(cJSON *root, const struct run_facts *facts, const struct totals *totals)
{
    struct speed speed = run_speed(facts, totals);
    cJSON_AddNumberToObject(root, "busy_cycles", speed.busy_cycles);
    cJSON_AddNumberToObject(root, "fragments", speed.fragments);
    cJSON_AddNumberToObject(root, "wall_seconds", facts->wall_seconds);
    cJSON_AddNumberToObject(root, "cycles_per_second", speed.cycles_per_second);
    cJSON_AddNumberToObject(root, "busy_cycles_per_second", speed.busy_cycles_per_second);
    cJSON_AddNumberToObject(root, "wall_ms_per_frame", speed.wall_ms_per_frame);
    cJSON_AddNumberToObject(root, "wall_ns_per_fragment", speed.wall_ns_per_fragment);
    cJSON_AddNumberToObject(root, "peak_rss_bytes", (double)facts->peak_rss_bytes);
}

struct steady
run_steady(const struct run_facts *facts)
{
    struct steady steady = {0};
    for (uint32_t i = 0; i < facts->frame_count; i++) {
        const struct run_frame *frame = &facts->frames[i];
        if (2 * frame->upload_cycles >= frame->cycles)
            continue;
        steady.frames++;
        steady.cycles += frame->cycles;
        steady.upload_cycles += frame->upload_cycles;
    }
    return steady;
}

static void
add_steady(cJSON *root, const struct run_facts *facts)
{
    const struct steady steady = run_steady(facts);
    cJSON *object = cJSON_AddObjectToObject(root, "steady");
    cJSON_AddNumberToObject(object, "frames", steady.frames);
    cJSON_AddNumberToObject(object, "cycles", (double)steady.cycles);
    cJSON_AddNumberToObject(object, "upload_cycles", (double)steady.upload_cycles);
}

static void
add_sample(cJSON *root, const struct run_facts *facts)
{
    const struct run_sample *sample = &facts->sample;
    if (!sample->frames)
        return;
    cJSON *object = cJSON_AddObjectToObject(root, "sample");
    cJSON_AddNumberToObject(object, "of_frames", sample->frames);
    cJSON_AddNumberToObject(object, "cycles", sample->cycles);
    cJSON_AddNumberToObject(object, "cycles_low", sample->cycles - sample->half);
    cJSON_AddNumberToObject(object, "cycles_high", sample->cycles + sample->half);
    cJSON_AddNumberToObject(object, "known_seconds", sample->known_seconds);
}

char *
run_to_json(const struct run_facts *facts, const struct totals *totals)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddNumberToObject(root, "schema", AETIUS_SCHEMA);
    add_text(root, "program", facts->program);
    add_text(root, "trace", facts->trace);
    add_text(root, "preset", facts->preset);
    add_text(root, "mode", facts->mode);
    if (totals)
        cJSON_AddNumberToObject(root, "memory_bytes", facts->memory_bytes);
    cJSON_AddStringToObject(root, "version", AETIUS_VERSION);
    cJSON_AddBoolToObject(root, "complete", facts->complete);
    cJSON_AddNumberToObject(root, "frames", facts->frame_count);
    cJSON_AddNumberToObject(root, "first_frame", facts->first_frame);
    cJSON_AddNumberToObject(root, "cycles", (double)facts->cycles);
    cJSON_AddNumberToObject(root, "width", facts->width);
    cJSON_AddNumberToObject(root, "height", facts->height);
    add_hash(root, "picture_hash", facts->picture_hash);
    add_speed(root, facts, totals);
    add_sample(root, facts);
    cJSON *frames = cJSON_AddArrayToObject(root, "per_frame");
    for (uint32_t i = 0; i < facts->frame_count; i++) {
        cJSON *frame = cJSON_CreateObject();
        cJSON_AddNumberToObject(frame, "frame", facts->frames[i].number);
        cJSON_AddNumberToObject(frame, "client", facts->frames[i].client);
        cJSON_AddNumberToObject(frame, "cycles", (double)facts->frames[i].cycles);
        if (totals)
            cJSON_AddNumberToObject(frame, "upload_cycles", (double)facts->frames[i].upload_cycles);
        add_hash(frame, "hash", facts->frames[i].hash);
        cJSON_AddItemToArray(frames, frame);
    }
    if (totals) {
        add_steady(root, facts);
        add_metrics(root, totals);
    }
    char *text = cJSON_Print(root);
    cJSON_Delete(root);
    return text;
}

struct totals
run_totals(const struct run_facts *facts, const struct stat_set *set, const uint64_t *values,
           const struct params *params)
{
    const char **names = mem_array(set->count + 2, sizeof *names);
    double *numbers = mem_array(set->count + 2, sizeof *numbers);
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
    struct totals totals = {names, numbers, count, params, NULL};
    totals.index = totals_index_names(&totals);
    return totals;
}

void
totals_free(struct totals *totals)
{
    free((void *)totals->names);
    free((void *)totals->values);
    totals_index_destroy(totals->index);
    memset(totals, 0, sizeof *totals);
}
