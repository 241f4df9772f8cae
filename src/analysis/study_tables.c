/* A study as tables for a reader (tables.md) and as JSON. */
#include "analysis/study.h"

#include <cjson/cJSON.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t bus_bytes[CODEC_BUSES] = {64, 32};

static double
megabytes(uint64_t bytes, uint32_t frames)
{
    return (double)bytes / frames / 1e6;
}

static uint64_t
all_bytes(const struct study_result *result)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < STUDY_CLIENTS; i++)
        sum += result->bytes[i];
    return sum;
}

static void
print_rule(FILE *out, uint32_t columns)
{
    fprintf(out, "\n|---|");
    for (uint32_t i = 0; i < columns; i++)
        fprintf(out, "---:|");
    fprintf(out, "\n");
}

static void
print_traffic(const struct study *study, FILE *out)
{
    const struct study_plan *plan = study->plan;
    fprintf(out, "## Traffic without codecs, MB a frame\n\n| trace | samples | all |");
    for (uint32_t i = 0; i < STUDY_CLIENTS; i++)
        fprintf(out, " %s |", study_clients[i]);
    fprintf(out, " z + color, %% | cleared z, %% | cleared color, %% |");
    print_rule(out, STUDY_CLIENTS + 5);
    for (size_t t = 0; t < plan->traces.count; t++)
        for (size_t c = 0; c < plan->configurations.count; c++) {
            const struct study_result *r = study_plain(study, t, c);
            const uint64_t all = all_bytes(r);
            fprintf(out, "| %s | %s | %.2f |", plan->traces.items[t].name,
                    plan->configurations.items[c].name, megabytes(all, r->frames));
            for (uint32_t i = 0; i < STUDY_CLIENTS; i++)
                fprintf(out, " %.2f |", megabytes(r->bytes[i], r->frames));
            fprintf(out, " %.1f |",
                    all ? 100.0 * (double)(r->bytes[STUDY_Z] + r->bytes[STUDY_COLOR]) / (double)all
                        : 0);
            for (uint32_t kind = COMPRESSION_KINDS; kind-- > 0;) {
                const struct compression_kind *tally = &r->buses[0].kinds[kind];
                if (tally->transfers)
                    fprintf(out, " %.1f |",
                            100.0 * (double)tally->cleared / (double)tally->transfers);
                else
                    fprintf(out, " - |");
            }
            fprintf(out, "\n");
        }
}

static void
print_ratio(FILE *out, double ratio)
{
    if (ratio > 0)
        fprintf(out, " %.3f |", ratio);
    else
        fprintf(out, " null |");
}

static void
print_ranking(const struct study *study, enum codec_bus bus, uint32_t kind, FILE *out)
{
    const struct study_plan *plan = study->plan;
    const uint32_t columns = (uint32_t)plan->configurations.count;
    uint32_t codec_of[CODEC_COUNT];
    const uint32_t count = study_rank(study, bus, kind, codec_of);
    fprintf(out,
            "\n## Ratios of %s on a %u-byte bus\n\nBytes in to bytes out: geometric mean over the "
            "traces, (place), and the arithmetic mean.\n\n| codec | latency | all |",
            study_kinds[kind], bus_bytes[bus]);
    for (uint32_t c = 0; c < columns; c++)
        fprintf(out, " %s | arithmetic |", plan->configurations.items[c].name);
    print_rule(out, 2 + 2 * columns);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t codec = codec_of[i];
        fprintf(out, "| %s | %u |", codecs[codec]->name, codecs[codec]->latency_cycles);
        print_ratio(out, study_overall(study, bus, kind, codec));
        for (uint32_t c = 0; c < columns; c++) {
            const double ratio = study_geometric(study, c, bus, kind, codec);
            if (ratio > 0)
                fprintf(out, " %.3f (%u) |", ratio, study_place(study, c, bus, kind, codec));
            else
                fprintf(out, " null |");
            print_ratio(out, study_arithmetic(study, c, bus, kind, codec));
        }
        fprintf(out, "\n");
    }
}

/* The blocks of all traces together. */
static struct compression
sum_of(const struct study *study, size_t configuration, enum codec_bus bus)
{
    struct compression sum = {.bus = bus};
    for (size_t t = 0; t < study->plan->traces.count; t++)
        compression_add(&sum, &study_plain(study, t, configuration)->buses[bus]);
    return sum;
}

static void
print_levels(const struct study *study, enum codec_bus bus, uint32_t kind, FILE *out)
{
    const struct study_plan *plan = study->plan;
    const uint32_t step = bus_bytes[bus], sizes = CODEC_BLOCK_BYTES / step;
    uint32_t codec_of[CODEC_COUNT];
    const uint32_t count = study_rank(study, bus, kind, codec_of);
    fprintf(out,
            "\n## Blocks of %s a level, %u-byte bus\n\nOf all traces: shares of the blocks that "
            "move.\n\n| codec | samples |",
            study_kinds[kind], step);
    for (uint32_t s = 1; s <= sizes; s++)
        fprintf(out, " %u bytes |", s * step);
    fprintf(out, " blocks | MB in | MB out |");
    print_rule(out, sizes + 4);
    for (uint32_t i = 0; i < count; i++)
        for (size_t c = 0; c < plan->configurations.count; c++) {
            const struct compression sum = sum_of(study, c, bus);
            const struct compression_kind *tally = &sum.kinds[kind];
            const uint64_t moved = tally->transfers - tally->cleared;
            uint64_t by_size[CODEC_BLOCK_BYTES / 32 + 1];
            if (study_geometric(study, c, bus, kind, codec_of[i]) <= 0)
                continue;
            compression_by_size(&sum, kind, codec_of[i], by_size);
            fprintf(out, "| %s | %s |", codecs[codec_of[i]]->name,
                    plan->configurations.items[c].name);
            for (uint32_t s = 1; s <= sizes; s++)
                fprintf(out, " %.2f %% |", 100.0 * (double)by_size[s * step / 32] / (double)moved);
            fprintf(out, " %llu | %.2f | %.2f |\n", (unsigned long long)moved,
                    (double)compression_bytes_in(tally) / 1e6,
                    (double)compression_bytes_out(&sum, kind, codec_of[i]) / 1e6);
        }
}

static const char *
chosen_name(const struct study *study, uint32_t kind)
{
    return study->chosen[kind] ? study->chosen[kind]->name : "none";
}

static double
gain(double from, double to)
{
    return from > 0 ? 100.0 * (to / from - 1) : 0;
}

static void
print_machine(const struct study *study, FILE *out)
{
    const struct study_plan *plan = study->plan;
    fprintf(out,
            "\n## In the machine\n\nColor by %s, z by %s, against none; in MB a frame. The blocks "
            "of each run, compressed\nafterwards, come to exactly the bytes that the memory "
            "controller counted.\n\n| trace | samples | frames/s | with | %% | color | with | z | "
            "with | all | with | %% |",
            chosen_name(study, COMPRESSION_COLOR), chosen_name(study, COMPRESSION_DEPTH));
    print_rule(out, 11);
    for (size_t t = 0; t < plan->traces.count; t++)
        for (size_t c = 0; c < plan->configurations.count; c++) {
            const struct study_result *a = study_plain(study, t, c),
                                      *b = study_machine(study, t, c);
            if (!b->is_there)
                continue;
            const double all_a = megabytes(all_bytes(a), a->frames);
            const double all_b = megabytes(all_bytes(b), b->frames);
            fprintf(out,
                    "| %s | %s | %.1f | %.1f | %+.1f | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | "
                    "%+.1f |\n",
                    plan->traces.items[t].name, plan->configurations.items[c].name, a->frame_rate,
                    b->frame_rate, gain(a->frame_rate, b->frame_rate),
                    megabytes(a->bytes[STUDY_COLOR], a->frames),
                    megabytes(b->bytes[STUDY_COLOR], b->frames),
                    megabytes(a->bytes[STUDY_Z], a->frames),
                    megabytes(b->bytes[STUDY_Z], b->frames), all_a, all_b, gain(all_a, all_b));
        }
}

char *
study_tables(const struct study *study)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    BUG_ON(!out, "no memory for tables");
    print_traffic(study, out);
    for (uint32_t bus = 0; bus < CODEC_BUSES; bus++)
        for (uint32_t kind = 0; kind < COMPRESSION_KINDS; kind++)
            print_ranking(study, bus, kind, out);
    for (uint32_t bus = 0; bus < CODEC_BUSES; bus++)
        for (uint32_t kind = 0; kind < COMPRESSION_KINDS; kind++)
            print_levels(study, bus, kind, out);
    print_machine(study, out);
    fclose(out);
    return text;
}

static void
add_ratio(cJSON *object, const char *name, double ratio)
{
    if (ratio > 0)
        cJSON_AddNumberToObject(object, name, ratio);
    else
        cJSON_AddNullToObject(object, name);
}

static void
add_run(cJSON *list, const struct study *study, size_t trace, size_t configuration,
        const struct study_result *result)
{
    const bool in_machine = result != study_plain(study, trace, configuration);
    cJSON *run = cJSON_CreateObject();
    cJSON_AddItemToArray(list, run);
    cJSON_AddStringToObject(run, "trace", study->plan->traces.items[trace].name);
    cJSON_AddStringToObject(run, "configuration",
                            study->plan->configurations.items[configuration].name);
    for (uint32_t kind = 0; kind < COMPRESSION_KINDS; kind++) {
        char name[24];
        snprintf(name, sizeof name, "%s_codec", study_kinds[kind]);
        cJSON_AddStringToObject(run, name, in_machine ? chosen_name(study, kind) : "none");
    }
    cJSON_AddNumberToObject(run, "frames", result->frames);
    cJSON_AddNumberToObject(run, "cycles", (double)result->cycles);
    cJSON_AddNumberToObject(run, "frame_rate", result->frame_rate);
    cJSON *bytes = cJSON_AddObjectToObject(run, "bytes");
    cJSON_AddNumberToObject(bytes, "all", (double)all_bytes(result));
    for (uint32_t i = 0; i < STUDY_CLIENTS; i++)
        cJSON_AddNumberToObject(bytes, study_clients[i], (double)result->bytes[i]);
}

static void
add_means(cJSON *codec, const struct study *study, enum codec_bus bus, uint32_t kind, uint32_t c)
{
    cJSON *means = cJSON_AddObjectToObject(codec, "configurations");
    for (size_t i = 0; i < study->plan->configurations.count; i++) {
        cJSON *of = cJSON_AddObjectToObject(means, study->plan->configurations.items[i].name);
        const uint32_t place = study_place(study, i, bus, kind, c);
        add_ratio(of, "geometric", study_geometric(study, i, bus, kind, c));
        add_ratio(of, "arithmetic", study_arithmetic(study, i, bus, kind, c));
        add_ratio(of, "place", place);
        cJSON *traces = cJSON_AddObjectToObject(of, "traces");
        for (size_t t = 0; t < study->plan->traces.count; t++)
            add_ratio(traces, study->plan->traces.items[t].name,
                      study_ratio(study, t, i, bus, kind, c));
    }
}

static void
add_ranking(cJSON *object, const struct study *study, enum codec_bus bus, uint32_t kind)
{
    uint32_t codec_of[CODEC_COUNT];
    const uint32_t count = study_rank(study, bus, kind, codec_of);
    cJSON *list = cJSON_AddArrayToObject(object, study_kinds[kind]);
    for (uint32_t i = 0; i < count; i++) {
        cJSON *codec = cJSON_CreateObject();
        cJSON_AddItemToArray(list, codec);
        cJSON_AddStringToObject(codec, "name", codecs[codec_of[i]]->name);
        cJSON_AddNumberToObject(codec, "latency", codecs[codec_of[i]]->latency_cycles);
        add_ratio(codec, "all", study_overall(study, bus, kind, codec_of[i]));
        add_means(codec, study, bus, kind, codec_of[i]);
    }
}

char *
study_to_json(const struct study *study)
{
    const struct study_plan *plan = study->plan;
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "study", "compression");
    cJSON_AddStringToObject(root, "preset", plan->preset);
    cJSON *runs = cJSON_AddArrayToObject(root, "runs");
    for (size_t t = 0; t < plan->traces.count; t++)
        for (size_t c = 0; c < plan->configurations.count; c++)
            add_run(runs, study, t, c, study_plain(study, t, c));
    cJSON *ratios = cJSON_AddObjectToObject(root, "ratios");
    for (uint32_t bus = 0; bus < CODEC_BUSES; bus++) {
        cJSON *of = cJSON_AddObjectToObject(ratios, bus == CODEC_BUS_64 ? "bus_64" : "bus_32");
        for (uint32_t kind = 0; kind < COMPRESSION_KINDS; kind++)
            add_ranking(of, study, bus, kind);
    }
    cJSON *machine = cJSON_AddArrayToObject(root, "machine");
    for (size_t t = 0; t < plan->traces.count; t++)
        for (size_t c = 0; c < plan->configurations.count; c++)
            if (study_machine(study, t, c)->is_there)
                add_run(machine, study, t, c, study_machine(study, t, c));
    char *text = cJSON_Print(root);
    cJSON_Delete(root);
    return text;
}
