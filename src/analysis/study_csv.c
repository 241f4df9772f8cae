/* A study as CSV files, a line a number's own place: traffic.csv, levels.csv, ratios.csv. And all
 * that a study leaves, written. */
#include "analysis/study.h"
#include "base/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t bus_bytes[CODEC_BUSES] = {64, 32};

static void
put_run(const struct study *study, size_t trace, size_t configuration,
        const struct study_result *result, FILE *out)
{
    const bool in_machine = result != study_plain(study, trace, configuration);
    fprintf(out, "%s,%s", study->plan->traces.items[trace].name,
            study->plan->configurations.items[configuration].name);
    for (uint32_t kind = 0; kind < COMPRESSION_KINDS; kind++)
        fprintf(out, ",%s", in_machine && study->chosen[kind] ? study->chosen[kind]->name : "none");
    fprintf(out, ",%u,%llu,%.3f", result->frames, (unsigned long long)result->cycles,
            result->frame_rate);
    for (uint32_t i = 0; i < STUDY_CLIENTS; i++)
        fprintf(out, ",%llu", (unsigned long long)result->bytes[i]);
    fprintf(out, "\n");
}

static void
put_traffic(const struct study *study, FILE *out)
{
    fprintf(out, "trace,configuration,color_codec,z_codec,frames,cycles,frames_a_second");
    for (uint32_t i = 0; i < STUDY_CLIENTS; i++)
        fprintf(out, ",%s_bytes", study_clients[i]);
    fprintf(out, "\n");
    for (size_t t = 0; t < study->plan->traces.count; t++)
        for (size_t c = 0; c < study->plan->configurations.count; c++) {
            put_run(study, t, c, study_plain(study, t, c), out);
            if (study_machine(study, t, c)->is_there)
                put_run(study, t, c, study_machine(study, t, c), out);
        }
}

/* The levels of a codec over the blocks of a run; that of the cleared and the raw ones too. */
static void
put_levels_of(const struct study *study, size_t trace, size_t configuration, enum codec_bus bus,
              uint32_t kind, uint32_t codec, FILE *out)
{
    const struct compression *of = &study_plain(study, trace, configuration)->buses[bus];
    const struct compression_kind *tally = &of->kinds[kind];
    const struct codec_levels *levels = &codecs[codec]->levels[bus];
    char *start = mem_printf("%s,%s,%u,%s,%s", study->plan->traces.items[trace].name,
                             study->plan->configurations.items[configuration].name, bus_bytes[bus],
                             study_kinds[kind], codecs[codec]->name);
    const uint64_t raw = tally->raw[codec] + tally->plain;
    fprintf(out, "%s,cleared,0,%llu,0\n", start, (unsigned long long)tally->cleared);
    for (uint32_t l = 0; l < levels->count; l++)
        fprintf(out, "%s,%u,%u,%llu,%llu\n", start, l, levels->bytes[l],
                (unsigned long long)tally->fits[codec][l],
                (unsigned long long)(tally->fits[codec][l] * levels->bytes[l]));
    fprintf(out, "%s,raw,%u,%llu,%llu\n", start, CODEC_BLOCK_BYTES, (unsigned long long)raw,
            (unsigned long long)(raw * CODEC_BLOCK_BYTES));
    free(start);
}

static void
put_ratios_of(const struct study *study, size_t configuration, enum codec_bus bus, uint32_t kind,
              uint32_t codec, FILE *out)
{
    const double geometric = study_geometric(study, configuration, bus, kind, codec);
    fprintf(out, "%s,%u,%s,%s,%u,", study->plan->configurations.items[configuration].name,
            bus_bytes[bus], study_kinds[kind], codecs[codec]->name, codecs[codec]->latency_cycles);
    if (geometric > 0)
        fprintf(out, "%u,%.6f,%.6f\n", study_place(study, configuration, bus, kind, codec),
                geometric, study_arithmetic(study, configuration, bus, kind, codec));
    else
        fprintf(out, "null,null,null\n");
}

static void
put_levels(const struct study *study, FILE *out)
{
    uint32_t codec_of[CODEC_COUNT];
    fprintf(out, "trace,configuration,bus_bytes,kind,codec,level,level_bytes,blocks,bytes\n");
    for (size_t t = 0; t < study->plan->traces.count; t++)
        for (size_t c = 0; c < study->plan->configurations.count; c++)
            for (uint32_t bus = 0; bus < CODEC_BUSES; bus++)
                for (uint32_t kind = 0; kind < COMPRESSION_KINDS; kind++) {
                    const uint32_t count = study_rank(study, bus, kind, codec_of);
                    for (uint32_t i = 0; i < count; i++)
                        if (study_ratio(study, t, c, bus, kind, codec_of[i]) > 0)
                            put_levels_of(study, t, c, bus, kind, codec_of[i], out);
                }
}

static void
put_ratios(const struct study *study, FILE *out)
{
    uint32_t codec_of[CODEC_COUNT];
    fprintf(out, "configuration,bus_bytes,kind,codec,latency_cycles,place,geometric,arithmetic\n");
    for (size_t c = 0; c < study->plan->configurations.count; c++)
        for (uint32_t bus = 0; bus < CODEC_BUSES; bus++)
            for (uint32_t kind = 0; kind < COMPRESSION_KINDS; kind++) {
                const uint32_t count = study_rank(study, bus, kind, codec_of);
                for (uint32_t i = 0; i < count; i++)
                    put_ratios_of(study, c, bus, kind, codec_of[i], out);
            }
}

static bool
write_text(const char *dir, const char *name, const char *text, struct error *err)
{
    char *path = mem_printf("%s/%s", dir, name);
    const bool ok = file_write(path, text, strlen(text), err);
    free(path);
    return ok;
}

bool
study_write_csv(const struct study *study, const char *dir, struct error *err)
{
    static const struct {
        const char *name;
        void (*put)(const struct study *study, FILE *out);
    } tables[] = {
        {"traffic.csv", put_traffic}, {"levels.csv", put_levels}, {"ratios.csv", put_ratios}};
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof tables / sizeof tables[0]; i++) {
        char *text;
        size_t size;
        FILE *out = open_memstream(&text, &size);
        BUG_ON(!out, "no memory for a table");
        tables[i].put(study, out);
        fclose(out);
        ok = write_text(dir, tables[i].name, text, err);
        free(text);
    }
    return ok;
}

bool
study_write(const struct study *study, const char *dir, struct error *err)
{
    char *tables = study_tables(study), *json = study_to_json(study);
    const bool ok = write_text(dir, "tables.md", tables, err) &&
                    write_text(dir, "compression.json", json, err) &&
                    study_write_csv(study, dir, err) && study_write_charts(study, dir, err);
    free(tables);
    free(json);
    return ok;
}
