/* Results of a study's runs as JSON files, one a run. */
#include "analysis/study.h"

#include "base/file.h"
#include "base/schema.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const study_clients[STUDY_CLIENTS] = {
    [STUDY_TRANSFERS] = "transfers", [STUDY_GEOMETRY] = "geometry",
    [STUDY_TEXTURE] = "texture",     [STUDY_Z] = "z",
    [STUDY_COLOR] = "color",         [STUDY_DAC] = "dac",
};
const char *const study_kinds[COMPRESSION_KINDS] = {"color", "z"};

static void
add_number(cJSON *object, const char *name, uint64_t value)
{
    cJSON_AddNumberToObject(object, name, (double)value);
}

/* Blocks of each level, and behind them the raw ones. */
static void
add_codecs(cJSON *object, const struct compression *compression, uint32_t kind)
{
    const struct compression_kind *tally = &compression->kinds[kind];
    for (uint32_t c = 0; c < CODEC_COUNT; c++) {
        cJSON *levels = cJSON_AddArrayToObject(object, codecs[c]->name);
        for (uint32_t l = 0; l < codecs[c]->levels[compression->bus].count; l++)
            cJSON_AddItemToArray(levels, cJSON_CreateNumber((double)tally->fits[c][l]));
        cJSON_AddItemToArray(levels, cJSON_CreateNumber((double)tally->raw[c]));
    }
}

static void
add_kind(cJSON *object, const struct study_result *result, uint32_t kind)
{
    const struct compression_kind *tally = &result->buses[0].kinds[kind];
    cJSON *to = cJSON_AddObjectToObject(object, study_kinds[kind]);
    add_number(to, "transfers", tally->transfers);
    add_number(to, "cleared", tally->cleared);
    add_number(to, "plain", tally->plain);
    add_number(to, "sampled", tally->sampled);
    add_number(to, "moved_bytes", tally->moved_bytes);
    add_codecs(cJSON_AddObjectToObject(to, "bus_64"), &result->buses[CODEC_BUS_64], kind);
    add_codecs(cJSON_AddObjectToObject(to, "bus_32"), &result->buses[CODEC_BUS_32], kind);
}

bool
study_result_write(const struct study_result *result, const char *path, const char *key,
                   struct error *err)
{
    cJSON *root = cJSON_CreateObject();
    add_number(root, "schema", AETIUS_SCHEMA);
    cJSON_AddStringToObject(root, "key", key);
    add_number(root, "frames", result->frames);
    add_number(root, "cycles", result->cycles);
    cJSON_AddNumberToObject(root, "frame_rate", result->frame_rate);
    cJSON *bytes = cJSON_AddObjectToObject(root, "bytes");
    for (uint32_t i = 0; i < STUDY_CLIENTS; i++)
        add_number(bytes, study_clients[i], result->bytes[i]);
    for (uint32_t kind = 0; kind < COMPRESSION_KINDS; kind++)
        add_kind(root, result, kind);
    char *text = cJSON_Print(root);
    cJSON_Delete(root);
    const bool ok = file_write(path, text, strlen(text), err);
    free(text);
    return ok;
}

/* A number that is missing, or is none, makes *ok false. */
static double
get_number(const cJSON *object, const char *name, bool *ok)
{
    const cJSON *number = cJSON_GetObjectItemCaseSensitive(object, name);
    *ok = *ok && cJSON_IsNumber(number) && number->valuedouble >= 0 && number->valuedouble < 1e18;
    return *ok ? number->valuedouble : 0;
}

static uint64_t
get_count(const cJSON *object, const char *name, bool *ok)
{
    return (uint64_t)get_number(object, name, ok);
}

static bool
get_codecs(struct compression *compression, uint32_t kind, const cJSON *object)
{
    struct compression_kind *tally = &compression->kinds[kind];
    for (uint32_t c = 0; c < CODEC_COUNT; c++) {
        const uint32_t levels = codecs[c]->levels[compression->bus].count;
        const cJSON *list = cJSON_GetObjectItemCaseSensitive(object, codecs[c]->name);
        uint64_t touched = 0;
        if (cJSON_GetArraySize(list) != (int)levels + 1)
            return false;
        for (uint32_t l = 0; l <= levels; l++) {
            const cJSON *number = cJSON_GetArrayItem(list, (int)l);
            if (!cJSON_IsNumber(number) || number->valuedouble < 0 || number->valuedouble > 1e18)
                return false;
            *(l < levels ? &tally->fits[c][l] : &tally->raw[c]) = (uint64_t)number->valuedouble;
            touched += (uint64_t)number->valuedouble;
        }
        if (compression_applies(compression, kind, c) &&
            touched != tally->transfers - tally->cleared - tally->plain)
            return false;
    }
    return true;
}

static bool
get_kind(struct study_result *result, uint32_t kind, const cJSON *root)
{
    static const char *const names[CODEC_BUSES] = {"bus_64", "bus_32"};
    const cJSON *from = cJSON_GetObjectItemCaseSensitive(root, study_kinds[kind]);
    bool ok = true;
    for (uint32_t bus = 0; ok && bus < CODEC_BUSES; bus++) {
        struct compression_kind *tally = &result->buses[bus].kinds[kind];
        result->buses[bus].bus = bus;
        tally->transfers = get_count(from, "transfers", &ok);
        tally->cleared = get_count(from, "cleared", &ok);
        tally->plain = get_count(from, "plain", &ok);
        tally->sampled = get_count(from, "sampled", &ok);
        tally->moved_bytes = get_count(from, "moved_bytes", &ok);
        ok = ok && get_codecs(&result->buses[bus], kind,
                              cJSON_GetObjectItemCaseSensitive(from, names[bus]));
    }
    return ok;
}

static bool
get_result(struct study_result *result, const cJSON *root)
{
    bool ok = true;
    const cJSON *bytes = cJSON_GetObjectItemCaseSensitive(root, "bytes");
    result->frames = (uint32_t)get_count(root, "frames", &ok);
    result->cycles = get_count(root, "cycles", &ok);
    result->frame_rate = get_number(root, "frame_rate", &ok);
    for (uint32_t i = 0; i < STUDY_CLIENTS; i++)
        result->bytes[i] = get_count(bytes, study_clients[i], &ok);
    for (uint32_t kind = 0; ok && kind < COMPRESSION_KINDS; kind++)
        ok = get_kind(result, kind, root);
    return ok && result->frames;
}

bool
study_result_read(struct study_result *result, const char *path, const char *key, struct error *err)
{
    char *text;
    size_t size;
    *result = (struct study_result){0};
    if (!file_exists(path))
        return true;
    if (!file_read(path, FILE_MOST_FACTS, &text, &size, err))
        return false;
    cJSON *root = cJSON_Parse(text);
    free(text);
    const cJSON *of = cJSON_GetObjectItemCaseSensitive(root, "key");
    const cJSON *schema = cJSON_GetObjectItemCaseSensitive(root, "schema");
    const bool ok = !schema || schema_check(path, schema->valuedouble, err);
    if (ok && cJSON_IsString(of) && !strcmp(of->valuestring, key))
        result->is_there = get_result(result, root);
    cJSON_Delete(root);
    return ok;
}

bool
study_result_check(const struct study_result *result, const struct codec *const codec_of[],
                   struct error *err)
{
    static const enum study_client client[COMPRESSION_KINDS] = {STUDY_COLOR, STUDY_Z};
    for (uint32_t kind = 0; kind < COMPRESSION_KINDS; kind++) {
        const struct compression *compression = &result->buses[CODEC_BUS_64];
        uint64_t bytes = compression_bytes_in(&compression->kinds[kind]);
        for (uint32_t c = 0; c < CODEC_COUNT; c++)
            if (codecs[c] == codec_of[kind])
                bytes = compression_bytes_out(compression, kind, c);
        if (bytes != result->bytes[client[kind]])
            return fail(err,
                        "the memory controller counted %llu bytes of %s, but the captured blocks "
                        "come to %llu",
                        (unsigned long long)result->bytes[client[kind]], study_kinds[kind],
                        (unsigned long long)bytes);
    }
    return true;
}
