/* Results of the codecs on captured blocks, as a JSON file. */
#include "analysis/compression.h"

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const compression_kinds[COMPRESSION_KINDS] = {"color", "z"};
static const char *const bus_names[CODEC_BUSES] = {"bus_64", "bus_32"};

static void
add_number(cJSON *object, const char *name, uint64_t value)
{
    cJSON_AddNumberToObject(object, name, (double)value);
}

/* Writes the transfers per level, followed by the raw transfers. */
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
add_kind(cJSON *object, const struct compression buses[CODEC_BUSES], uint32_t kind)
{
    const struct compression_kind *tally = &buses[0].kinds[kind];
    cJSON *to = cJSON_AddObjectToObject(object, compression_kinds[kind]);
    add_number(to, "transfers", tally->transfers);
    add_number(to, "cleared", tally->cleared);
    add_number(to, "plain", tally->plain);
    add_number(to, "partial", tally->partial);
    add_number(to, "moved_bytes", tally->moved_bytes);
    add_number(to, "masked_bytes", tally->masked_bytes);
    for (uint32_t bus = 0; bus < CODEC_BUSES; bus++)
        add_codecs(cJSON_AddObjectToObject(to, bus_names[bus]), &buses[bus], kind);
}

bool
compression_write(const struct compression buses[CODEC_BUSES], const char *dir, struct error *err)
{
    cJSON *root = cJSON_CreateObject();
    add_number(root, "schema", AETIUS_SCHEMA);
    for (uint32_t kind = 0; kind < COMPRESSION_KINDS; kind++)
        add_kind(root, buses, kind);
    char *path = mem_printf("%s/compression.json", dir);
    const bool ok = json_write(root, path, err);
    free(path);
    return ok;
}

static uint64_t
get_count(const cJSON *object, const char *name, bool *ok)
{
    const cJSON *number = cJSON_GetObjectItemCaseSensitive(object, name);
    *ok = *ok && cJSON_IsNumber(number) && number->valuedouble >= 0 && number->valuedouble < 1e18;
    return *ok ? (uint64_t)number->valuedouble : 0;
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
get_kind(struct compression buses[CODEC_BUSES], uint32_t kind, const cJSON *root)
{
    const cJSON *from = cJSON_GetObjectItemCaseSensitive(root, compression_kinds[kind]);
    bool ok = true;
    for (uint32_t bus = 0; ok && bus < CODEC_BUSES; bus++) {
        struct compression_kind *tally = &buses[bus].kinds[kind];
        buses[bus].bus = bus;
        tally->transfers = get_count(from, "transfers", &ok);
        tally->cleared = get_count(from, "cleared", &ok);
        tally->plain = get_count(from, "plain", &ok);
        tally->partial = get_count(from, "partial", &ok);
        tally->moved_bytes = get_count(from, "moved_bytes", &ok);
        tally->masked_bytes = get_count(from, "masked_bytes", &ok);
        ok = ok &&
             get_codecs(&buses[bus], kind, cJSON_GetObjectItemCaseSensitive(from, bus_names[bus]));
    }
    return ok;
}

bool
compression_read(struct compression buses[CODEC_BUSES], const char *dir, struct error *err)
{
    char *path = mem_printf("%s/compression.json", dir);
    memset(buses, 0, CODEC_BUSES * sizeof *buses);
    cJSON *root = json_read(path, err);
    bool ok = root != NULL;
    if (ok) {
        for (uint32_t kind = 0; ok && kind < COMPRESSION_KINDS; kind++)
            ok = get_kind(buses, kind, root);
        ok = ok || fail(err, "%s is damaged", path);
    }
    cJSON_Delete(root);
    free(path);
    return ok;
}
