/* Writes the compression study's results as CSV files, one value per line: traffic.csv, levels.csv,
 * ratios.csv. Also calls the writers of all other files. */
#include "study/codec_study.h"
#include "base/file.h"
#include "base/text_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
put_run(const struct codec_study *study, size_t trace, size_t configuration,
        const struct codec_study_result *result, struct text_table *table)
{
    const bool in_machine = result != codec_study_plain(study, trace, configuration);
    text_table_cell(table, "%s", study->traces->items[trace]);
    text_table_cell(table, "%s", study->machines->items[configuration]);
    for (uint32_t kind = 0; kind < COMPRESSION_KINDS; kind++)
        text_table_cell(table, "%s",
                        in_machine && study->chosen[kind] ? study->chosen[kind]->name : "none");
    text_table_cell(table, "%u", result->frames);
    text_table_cell(table, "%" PRIu64, result->cycles);
    text_table_cell(table, "%.3f", result->frame_rate);
    for (uint32_t i = 0; i < TRAFFIC_CLIENTS; i++)
        text_table_cell(table, "%" PRIu64, result->bytes[i]);
    text_table_end_row(table);
}

static void
put_traffic(const struct codec_study *study, struct text_table *table)
{
    text_table_cells(table,
                     "trace|configuration|color_codec|z_codec|frames|cycles|frames_a_second");
    for (uint32_t i = 0; i < TRAFFIC_CLIENTS; i++)
        text_table_cell(table, "%s_bytes", traffic_clients[i]);
    text_table_end_row(table);
    for (size_t t = 0; t < study->traces->count; t++)
        for (size_t c = 0; c < study->machines->count; c++) {
            put_run(study, t, c, codec_study_plain(study, t, c), table);
            if (codec_study_machine(study, t, c)->is_there)
                put_run(study, t, c, codec_study_machine(study, t, c), table);
        }
}

/* Adds the levels of a codec for the blocks of a run. */
static void
put_levels_of(const struct codec_study *study, size_t trace, size_t configuration,
              enum codec_bus bus, uint32_t kind, uint32_t codec, struct text_table *table)
{
    struct compression_level levels[COMPRESSION_LEVELS];
    const uint32_t count = compression_by_level(
        &codec_study_plain(study, trace, configuration)->buses[bus], kind, codec, levels);
    for (uint32_t l = 0; l < count; l++) {
        text_table_cell(table, "%s", study->traces->items[trace]);
        text_table_cell(table, "%s", study->machines->items[configuration]);
        text_table_cell(table, "%u", codec_bus_bytes(bus));
        text_table_cell(table, "%s", compression_kinds[kind]);
        text_table_cell(table, "%s", codecs[codec]->name);
        text_table_cell(table, "%s", levels[l].name);
        text_table_cell(table, "%u", levels[l].bytes);
        text_table_cell(table, "%" PRIu64, levels[l].blocks);
        text_table_cell(table, "%" PRIu64, levels[l].blocks * levels[l].bytes);
        text_table_end_row(table);
    }
}

static void
put_ratios_of(const struct codec_study *study, size_t configuration, enum codec_bus bus,
              uint32_t kind, uint32_t codec, struct text_table *table)
{
    const double geometric = codec_study_geometric(study, configuration, bus, kind, codec);
    text_table_cell(table, "%s", study->machines->items[configuration]);
    text_table_cell(table, "%u", codec_bus_bytes(bus));
    text_table_cell(table, "%s", compression_kinds[kind]);
    text_table_cell(table, "%s", codecs[codec]->name);
    text_table_cell(table, "%u", codec_latency(codecs[codec]));
    if (geometric > 0) {
        text_table_cell(table, "%u", codec_study_place(study, configuration, bus, kind, codec));
        text_table_cell(table, "%.6f", geometric);
        text_table_cell(table, "%.6f",
                        codec_study_arithmetic(study, configuration, bus, kind, codec));
    } else {
        text_table_cells(table, "null|null|null");
    }
    text_table_end_row(table);
}

static void
put_levels(const struct codec_study *study, struct text_table *table)
{
    uint32_t codec_of[CODEC_COUNT];
    text_table_cells(table,
                     "trace|configuration|bus_bytes|kind|codec|level|level_bytes|blocks|bytes");
    text_table_end_row(table);
    for (size_t t = 0; t < study->traces->count; t++)
        for (size_t c = 0; c < study->machines->count; c++)
            for (uint32_t bus = 0; bus < CODEC_BUSES; bus++)
                for (uint32_t kind = 0; kind < COMPRESSION_KINDS; kind++) {
                    const uint32_t count = codec_study_rank(study, bus, kind, codec_of);
                    for (uint32_t i = 0; i < count; i++)
                        if (codec_study_ratio(study, t, c, bus, kind, codec_of[i]) > 0)
                            put_levels_of(study, t, c, bus, kind, codec_of[i], table);
                }
}

static void
put_ratios(const struct codec_study *study, struct text_table *table)
{
    uint32_t codec_of[CODEC_COUNT];
    text_table_cells(
        table, "configuration|bus_bytes|kind|codec|latency_cycles|place|geometric|arithmetic");
    text_table_end_row(table);
    for (size_t c = 0; c < study->machines->count; c++)
        for (uint32_t bus = 0; bus < CODEC_BUSES; bus++)
            for (uint32_t kind = 0; kind < COMPRESSION_KINDS; kind++) {
                const uint32_t count = codec_study_rank(study, bus, kind, codec_of);
                for (uint32_t i = 0; i < count; i++)
                    put_ratios_of(study, c, bus, kind, codec_of[i], table);
            }
}

static void
put_curves(const struct codec_study *study, struct text_table *table)
{
    codec_study_put_curves(study->curves, table);
}

bool
codec_study_write_csv(const struct codec_study *study, const struct study *to, struct error *err)
{
    static const struct {
        const char *name;
        void (*put)(const struct codec_study *study, struct text_table *table);
    } tables[] = {{"traffic.csv", put_traffic},
                  {"levels.csv", put_levels},
                  {"ratios.csv", put_ratios},
                  {"published.csv", codec_study_put_published},
                  {"curves.csv", put_curves}};
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof tables / sizeof tables[0]; i++) {
        struct text_table table = {0};
        tables[i].put(study, &table);
        ok = study_write_sheet(to, tables[i].name, &table, TEXT_TABLE_CSV, err);
        text_table_fini(&table);
    }
    return ok;
}

bool
codec_study_write(const struct codec_study *study, const struct study *to, struct error *err)
{
    char *json = codec_study_to_json(study), *traces = codec_study_trace_tables(study);
    const bool ok = study_write(to, "compression.json", json, err) &&
                    codec_study_write_csv(study, to, err) &&
                    codec_study_write_charts(study, to, err) &&
                    codec_study_write_trace_charts(study, to, err) &&
                    codec_study_write_curves(study->curves, to, err) &&
                    study_write(to, "traces.md", traces, err);
    free(traces);
    free(json);
    return ok;
}
