/* Prints the compression study's results as tables (DIR/compression.md) and as JSON. */
#include "study/codec_study.h"

#include "base/log.h"
#include "base/memory_text.h"
#include "base/schema.h"
#include "base/text_table.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double
megabytes(uint64_t bytes, uint32_t frames)
{
    return (double)bytes / frames / 1e6;
}

static uint64_t
all_bytes(const struct codec_study_result *result)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < TRAFFIC_CLIENTS; i++)
        sum += result->bytes[i];
    return sum;
}

void
codec_study_put_megabytes(struct text_table *table, double megabytes)
{
    text_table_cell(table, "%.*f", megabytes < 9.995 ? 2 : megabytes < 99.95 ? 1 : 0, megabytes);
}

static void
end_table(struct text_table *table, FILE *out)
{
    text_table_put(table, TEXT_TABLE_MARKDOWN, out);
}

static void
put_run_name(const struct codec_study *study, size_t trace, size_t configuration,
             struct text_table *table)
{
    text_table_cell(table, "%s", study->traces->items[trace]);
    text_table_cell(table, "%s", study->machines->items[configuration]);
}

static void
put_share(uint64_t part, uint64_t all, struct text_table *table)
{
    if (all)
        text_table_cell(table, "%.1f", 100.0 * (double)part / (double)all);
    else
        text_table_cell(table, "-");
}

static void
put_traffic(const struct codec_study *study, size_t trace, size_t configuration,
            struct text_table *table)
{
    const struct codec_study_result *r = codec_study_plain(study, trace, configuration);
    const uint64_t all = all_bytes(r), codecs_see = r->bytes[TRAFFIC_Z] + r->bytes[TRAFFIC_COLOR];
    put_run_name(study, trace, configuration, table);
    codec_study_put_megabytes(table, megabytes(all, r->frames));
    for (uint32_t i = 0; i < TRAFFIC_CLIENTS; i++)
        codec_study_put_megabytes(table, megabytes(r->bytes[i], r->frames));
    text_table_cell(table, "%.1f", all ? 100.0 * (double)codecs_see / (double)all : 0);
    for (uint32_t kind = COMPRESSION_KINDS; kind-- > 0;) {
        const struct compression_kind *tally = &r->buses[0].kinds[kind];
        put_share(tally->cleared, tally->transfers, table);
        put_share(tally->plain, tally->transfers - tally->cleared, table);
    }
    text_table_end_row(table);
}

static void
print_traffic(const struct codec_study *study, FILE *out)
{
    struct text_table table = {0};
    fprintf(
        out,
        "## Traffic without codecs, MB per frame\n\nCleared: lines that move nothing, as a share "
        "of all lines of z or color. Plain: lines that no\ncodec may touch, as a share of those "
        "that move.\n\n");
    text_table_cells(&table, "trace|samples|all");
    for (uint32_t i = 0; i < TRAFFIC_CLIENTS; i++)
        text_table_cell(&table, "%s", traffic_clients[i]);
    text_table_cell(&table, "z + color, %%");
    text_table_cell(&table, "cleared z, %%");
    text_table_cell(&table, "plain z, %%");
    text_table_cell(&table, "cleared color, %%");
    text_table_cell(&table, "plain color, %%");
    text_table_end_row(&table);
    for (size_t t = 0; t < study->traces->count; t++)
        for (size_t c = 0; c < study->machines->count; c++)
            put_traffic(study, t, c, &table);
    end_table(&table, out);
}

static void
put_ratio(struct text_table *table, double ratio)
{
    if (ratio > 0)
        text_table_cell(table, "%.3f", ratio);
    else
        text_table_cell(table, "null");
}

static void
print_ranking(const struct codec_study *study, enum codec_bus bus, uint32_t kind, FILE *out)
{
    const uint32_t columns = (uint32_t)study->machines->count;
    struct text_table table = {0};
    uint32_t codec_of[CODEC_COUNT];
    const uint32_t count = codec_study_rank(study, bus, kind, codec_of);
    fprintf(out,
            "\n## Ratios of %s on a %u-byte bus\n\nBytes in / bytes out: geometric mean over the "
            "traces that move any\n(",
            compression_kinds[kind], codec_bus_bytes(bus));
    for (uint32_t c = 0; c < columns; c++)
        fprintf(out, "%s%s %u", c ? ", " : "", study->machines->items[c],
                codec_study_movers(study, c, kind));
    fprintf(out, "), (rank), and the arithmetic mean. Latencies are in cycles.\n\n");
    text_table_cells(&table, "codec|latency|all");
    for (uint32_t c = 0; c < columns; c++) {
        text_table_cell(&table, "%s", study->machines->items[c]);
        text_table_cell(&table, "arithmetic");
    }
    text_table_end_row(&table);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t codec = codec_of[i];
        text_table_cell(&table, "%s", codecs[codec]->name);
        text_table_cell(&table, "%u", codec_latency(codecs[codec]));
        put_ratio(&table, codec_study_overall(study, bus, kind, codec));
        for (uint32_t c = 0; c < columns; c++) {
            const double ratio = codec_study_geometric(study, c, bus, kind, codec);
            if (ratio > 0)
                text_table_cell(&table, "%.3f (%u)", ratio,
                                codec_study_place(study, c, bus, kind, codec));
            else
                text_table_cell(&table, "null");
            put_ratio(&table, codec_study_arithmetic(study, c, bus, kind, codec));
        }
        text_table_end_row(&table);
    }
    end_table(&table, out);
}

/* Prints the ratio of each trace, one table per configuration. */
static void
print_traces(const struct codec_study *study, FILE *out)
{
    fprintf(out, "\n## Ratios of color by trace, 64-byte bus\n");
    for (size_t c = 0; c < study->machines->count; c++) {
        struct text_table table = {0};
        text_table_cell(&table, "%s", study->machines->items[c]);
        for (uint32_t codec = 0; codec < CODEC_COUNT; codec++)
            if (codecs[codec]->applies & CODEC_COLOR)
                text_table_cell(&table, "%s", codecs[codec]->name);
        text_table_end_row(&table);
        for (size_t t = 0; t < study->traces->count; t++) {
            text_table_cell(&table, "%s", study->traces->items[t]);
            for (uint32_t codec = 0; codec < CODEC_COUNT; codec++)
                if (codecs[codec]->applies & CODEC_COLOR)
                    put_ratio(&table, codec_study_ratio(study, t, c, CODEC_BUS_64,
                                                        COMPRESSION_COLOR, codec));
            text_table_end_row(&table);
        }
        fputc('\n', out);
        end_table(&table, out);
    }
}

static void
put_levels(const struct codec_study *study, size_t configuration, enum codec_bus bus, uint32_t kind,
           uint32_t codec, struct text_table *table)
{
    const struct compression sum = codec_study_sum(study, configuration, bus);
    const struct compression_kind *tally = &sum.kinds[kind];
    const uint64_t moved = tally->transfers - tally->cleared;
    const uint32_t step = codec_bus_bytes(bus);
    uint64_t by_size[CODEC_BLOCK_BYTES / 32 + 1];
    compression_by_size(&sum, kind, codec, by_size);
    text_table_cell(table, "%s", codecs[codec]->name);
    text_table_cell(table, "%s", study->machines->items[configuration]);
    for (uint32_t bytes = step; bytes <= CODEC_BLOCK_BYTES; bytes += step)
        text_table_cell(table, "%.2f %%", 100.0 * (double)by_size[bytes / 32] / (double)moved);
    text_table_cell(table, "%.2f %%", 100.0 * (double)tally->plain / (double)moved);
    text_table_cell(table, "%" PRIu64, moved);
    codec_study_put_megabytes(table, (double)compression_bytes_in(tally) / 1e6);
    codec_study_put_megabytes(table, (double)compression_bytes_out(&sum, kind, codec) / 1e6);
    text_table_end_row(table);
}

static void
print_levels(const struct codec_study *study, enum codec_bus bus, uint32_t kind, FILE *out)
{
    const uint32_t step = codec_bus_bytes(bus);
    struct text_table table = {0};
    uint32_t codec_of[CODEC_COUNT];
    const uint32_t count = codec_study_rank(study, bus, kind, codec_of);
    fprintf(out,
            "\n## Blocks of %s by level, %u-byte bus\n\nShares of the blocks that move, all traces "
            "together. Plain blocks are %u bytes\nlong, and no codec may change them.\n\n",
            compression_kinds[kind], step, CODEC_BLOCK_BYTES);
    text_table_cells(&table, "codec|samples");
    for (uint32_t bytes = step; bytes <= CODEC_BLOCK_BYTES; bytes += step)
        text_table_cell(&table, "%u bytes", bytes);
    text_table_cells(&table, "plain|blocks|MB in|MB out");
    text_table_end_row(&table);
    for (uint32_t i = 0; i < count; i++)
        for (size_t c = 0; c < study->machines->count; c++)
            if (codec_study_geometric(study, c, bus, kind, codec_of[i]) > 0)
                put_levels(study, c, bus, kind, codec_of[i], &table);
    end_table(&table, out);
}

static const char *
chosen_name(const struct codec_study *study, uint32_t kind)
{
    return study->chosen[kind] ? study->chosen[kind]->name : "none";
}

static double
gain(double from, double to)
{
    return from > 0 ? 100.0 * (to / from - 1) : 0;
}

static void
put_machine(const struct codec_study *study, size_t trace, size_t configuration,
            struct text_table *table)
{
    const struct codec_study_result *a = codec_study_plain(study, trace, configuration),
                                    *b = codec_study_machine(study, trace, configuration);
    const double all_a = megabytes(all_bytes(a), a->frames);
    const double all_b = megabytes(all_bytes(b), b->frames);
    put_run_name(study, trace, configuration, table);
    text_table_cell(table, "%.1f", a->frame_rate);
    text_table_cell(table, "%.1f", b->frame_rate);
    text_table_cell(table, "%+.1f", gain(a->frame_rate, b->frame_rate));
    codec_study_put_megabytes(table, megabytes(a->bytes[TRAFFIC_COLOR], a->frames));
    codec_study_put_megabytes(table, megabytes(b->bytes[TRAFFIC_COLOR], b->frames));
    codec_study_put_megabytes(table, megabytes(a->bytes[TRAFFIC_Z], a->frames));
    codec_study_put_megabytes(table, megabytes(b->bytes[TRAFFIC_Z], b->frames));
    codec_study_put_megabytes(table, all_a);
    codec_study_put_megabytes(table, all_b);
    text_table_cell(table, "%+.1f", gain(all_a, all_b));
    text_table_end_row(table);
}

static void
print_machine(const struct codec_study *study, FILE *out)
{
    static const char *const names[] = {"trace",       "samples", "frames/s",    "with codecs",
                                        "%",           "color",   "with codecs", "z",
                                        "with codecs", "all",     "with codecs", "%"};
    struct text_table table = {0};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        text_table_cell(&table, "%s", names[i]);
    text_table_end_row(&table);
    for (size_t t = 0; t < study->traces->count; t++)
        for (size_t c = 0; c < study->machines->count; c++)
            if (codec_study_machine(study, t, c)->is_there)
                put_machine(study, t, c, &table);
    if (text_table_rows(&table) < 2) {
        log_note("the table of the machine is omitted: no run has these codecs");
        text_table_fini(&table);
        return;
    }
    fprintf(out,
            "\n## In the machine\n\nColor by %s and z by %s, compared with no codec, in MB per "
            "frame. The "
            "blocks of each run, compressed\nafterwards, give exactly the bytes that the memory "
            "controller counted.\n\n",
            chosen_name(study, COMPRESSION_COLOR), chosen_name(study, COMPRESSION_DEPTH));
    end_table(&table, out);
}

char *
codec_study_tables(const struct codec_study *study)
{
    struct memory_text text;
    FILE *out = memory_text_open(&text);
    fprintf(out, "# Frame-buffer compression\n\n");
    print_traffic(study, out);
    for (uint32_t bus = 0; bus < CODEC_BUSES; bus++)
        for (uint32_t kind = 0; kind < COMPRESSION_KINDS; kind++)
            print_ranking(study, bus, kind, out);
    codec_study_print_published(study, out);
    print_traces(study, out);
    for (uint32_t bus = 0; bus < CODEC_BUSES; bus++)
        for (uint32_t kind = 0; kind < COMPRESSION_KINDS; kind++)
            print_levels(study, bus, kind, out);
    print_machine(study, out);
    codec_study_print_curves(study->curves, out);
    return memory_text_take(&text);
}

static void
add_run(cJSON *list, const struct codec_study *study, size_t trace, size_t configuration,
        const struct codec_study_result *result)
{
    const bool in_machine = result != codec_study_plain(study, trace, configuration);
    cJSON *run = cJSON_CreateObject();
    cJSON_AddItemToArray(list, run);
    cJSON_AddStringToObject(run, "trace", study->traces->items[trace]);
    cJSON_AddStringToObject(run, "configuration", study->machines->items[configuration]);
    for (uint32_t kind = 0; kind < COMPRESSION_KINDS; kind++) {
        char name[24];
        snprintf(name, sizeof name, "%s_codec", compression_kinds[kind]);
        cJSON_AddStringToObject(run, name, in_machine ? chosen_name(study, kind) : "none");
    }
    cJSON_AddNumberToObject(run, "frames", result->frames);
    cJSON_AddNumberToObject(run, "cycles", (double)result->cycles);
    cJSON_AddNumberToObject(run, "frame_rate", result->frame_rate);
    cJSON *bytes = cJSON_AddObjectToObject(run, "bytes");
    cJSON_AddNumberToObject(bytes, "all", (double)all_bytes(result));
    for (uint32_t i = 0; i < TRAFFIC_CLIENTS; i++)
        cJSON_AddNumberToObject(bytes, traffic_clients[i], (double)result->bytes[i]);
}

static void
add_means(cJSON *codec, const struct codec_study *study, enum codec_bus bus, uint32_t kind,
          uint32_t c)
{
    cJSON *means = cJSON_AddObjectToObject(codec, "configurations");
    for (size_t i = 0; i < study->machines->count; i++) {
        cJSON *of = cJSON_AddObjectToObject(means, study->machines->items[i]);
        const uint32_t place = codec_study_place(study, i, bus, kind, c);
        compression_json_ratio(of, "geometric", codec_study_geometric(study, i, bus, kind, c));
        compression_json_ratio(of, "arithmetic", codec_study_arithmetic(study, i, bus, kind, c));
        compression_json_ratio(of, "place", place);
        cJSON *traces = cJSON_AddObjectToObject(of, "traces");
        for (size_t t = 0; t < study->traces->count; t++)
            compression_json_ratio(traces, study->traces->items[t],
                                   codec_study_ratio(study, t, i, bus, kind, c));
    }
}

static void
add_ranking(cJSON *object, const struct codec_study *study, enum codec_bus bus, uint32_t kind)
{
    uint32_t codec_of[CODEC_COUNT];
    const uint32_t count = codec_study_rank(study, bus, kind, codec_of);
    cJSON *list = cJSON_AddArrayToObject(object, compression_kinds[kind]);
    for (uint32_t i = 0; i < count; i++) {
        cJSON *codec = cJSON_CreateObject();
        cJSON_AddItemToArray(list, codec);
        cJSON_AddStringToObject(codec, "name", codecs[codec_of[i]]->name);
        cJSON_AddNumberToObject(codec, "latency", codec_latency(codecs[codec_of[i]]));
        compression_json_ratio(codec, "all", codec_study_overall(study, bus, kind, codec_of[i]));
        add_means(codec, study, bus, kind, codec_of[i]);
    }
}

char *
codec_study_to_json(const struct codec_study *study)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddNumberToObject(root, "schema", AETIUS_SCHEMA);
    cJSON_AddStringToObject(root, "study", "compression");
    cJSON_AddStringToObject(root, "preset", study->preset);
    cJSON *runs = cJSON_AddArrayToObject(root, "runs");
    for (size_t t = 0; t < study->traces->count; t++)
        for (size_t c = 0; c < study->machines->count; c++)
            add_run(runs, study, t, c, codec_study_plain(study, t, c));
    cJSON *ratios = cJSON_AddObjectToObject(root, "ratios");
    for (uint32_t bus = 0; bus < CODEC_BUSES; bus++) {
        cJSON *of = cJSON_AddObjectToObject(ratios, bus == CODEC_BUS_64 ? "bus_64" : "bus_32");
        for (uint32_t kind = 0; kind < COMPRESSION_KINDS; kind++)
            add_ranking(of, study, bus, kind);
    }
    cJSON *machine = cJSON_AddArrayToObject(root, "machine");
    for (size_t t = 0; t < study->traces->count; t++)
        for (size_t c = 0; c < study->machines->count; c++)
            if (codec_study_machine(study, t, c)->is_there)
                add_run(machine, study, t, c, codec_study_machine(study, t, c));
    char *text = cJSON_Print(root);
    cJSON_Delete(root);
    return text;
}
