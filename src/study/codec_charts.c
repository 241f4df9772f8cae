/* Plots of the compression study. */
#include "analysis/plot.h"
#include "study/codec_study.h"
#include "base/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZES = CODEC_BLOCK_BYTES / 32 + 1 }; /* the sizes of a block, and plain blocks */

/* Writes and frees the plot. */
static bool
write_plot(struct plot *plot, const struct study *to, const char *name, struct error *err)
{
    const bool ok = study_put_plot(to, plot, name, err);
    plot_fini(plot);
    return ok;
}

/* Like write_plot(), but also frees name and title. */
static bool
write_named(struct plot *plot, const struct study *to, char *name, char *title, struct error *err)
{
    const bool ok = write_plot(plot, to, name, err);
    free(name);
    free(title);
    return ok;
}

/* Formats the name of a run: "build x4". */
static char *
name_run(const struct codec_study *study, size_t trace, size_t configuration)
{
    return mem_printf("%s %s", study->traces->items[trace], study->machines->items[configuration]);
}

static void
traffic_of(const struct codec_study_result *result, double *megabytes)
{
    for (uint32_t i = 0; i < TRAFFIC_CLIENTS; i++)
        megabytes[i] = (double)result->bytes[i] / result->frames / 1e6;
}

/* One chart per trace, because the traffic of traces differs by a factor of a hundred. */
static bool
chart_traffic(const struct codec_study *study, size_t trace, const struct study *to,
              struct error *err)
{
    struct plot plot;
    double values[TRAFFIC_CLIENTS];
    char *name = mem_printf("traffic-%s", study->traces->items[trace]);
    char *title = mem_printf("%s: memory traffic without codecs", study->traces->items[trace]);
    plot_init(&plot, PLOT_STACKED, title, "MB per frame");
    plot.x_label = "samples per pixel (x0: one)";
    for (uint32_t i = 0; i < TRAFFIC_CLIENTS; i++)
        plot_add_series(&plot, traffic_clients[i]);
    for (size_t c = 0; c < study->machines->count; c++) {
        traffic_of(codec_study_plain(study, trace, c), values);
        plot_add(&plot, study->machines->items[c], values);
    }
    return write_named(&plot, to, name, title, err);
}

/* Shares of all traces' transferred blocks per size, followed by the share of plain blocks. Returns
 * false if the codec does not apply. */
static bool
shares_of(const struct codec_study *study, size_t configuration, enum codec_bus bus, uint32_t kind,
          uint32_t codec, double shares[SIZES])
{
    const struct compression sum = codec_study_sum(study, configuration, bus);
    const uint32_t sizes = CODEC_BLOCK_BYTES / codec_bus_bytes(bus);
    const double moved = (double)(sum.kinds[kind].transfers - sum.kinds[kind].cleared);
    uint64_t by_size[CODEC_BLOCK_BYTES / 32 + 1];
    if (codec_study_geometric(study, configuration, bus, kind, codec) <= 0)
        return false;
    compression_by_size(&sum, kind, codec, by_size);
    for (uint32_t s = 0; s < sizes; s++)
        shares[s] = 100 * (double)by_size[(s + 1) * codec_bus_bytes(bus) / 32] / moved;
    shares[sizes] = 100 * (double)sum.kinds[kind].plain / moved;
    return true;
}

static bool
chart_levels(const struct codec_study *study, enum codec_bus bus, uint32_t kind,
             const struct study *to, struct error *err)
{
    static const char *const sizes[CODEC_BUSES][9] = {
        {"64 bytes", "128", "192", "256", "plain"},
        {"32 bytes", "64", "96", "128", "160", "192", "224", "256", "plain"}};
    struct plot plot;
    uint32_t codec_of[CODEC_COUNT];
    const uint32_t count = codec_study_rank(study, bus, kind, codec_of);
    char *title = mem_printf("Blocks of %s by compressed size, %u-byte bus, all traces",
                             compression_kinds[kind], codec_bus_bytes(bus));
    char *name = mem_printf("levels-%s-%u", compression_kinds[kind], codec_bus_bytes(bus));
    plot_init(&plot, PLOT_STACKED, title, "% of the transferred blocks");
    plot.extra = "set yrange [0:100]";
    for (uint32_t s = 0; s <= CODEC_BLOCK_BYTES / codec_bus_bytes(bus); s++)
        plot_add_series(&plot, sizes[bus][s]);
    for (uint32_t i = 0; i < count; i++)
        for (size_t c = 0; c < study->machines->count; c++) {
            double shares[SIZES];
            if (!shares_of(study, c, bus, kind, codec_of[i], shares))
                continue;
            char *group = mem_printf("%s %s", codecs[codec_of[i]]->name, study->machines->items[c]);
            plot_add(&plot, group, shares);
            free(group);
        }
    return write_named(&plot, to, name, title, err);
}

static bool
chart_ratios(const struct codec_study *study, enum codec_bus bus, uint32_t kind,
             const struct study *to, struct error *err)
{
    struct plot plot;
    uint32_t codec_of[CODEC_COUNT];
    const uint32_t count = codec_study_rank(study, bus, kind, codec_of);
    char *title = mem_printf("Compression ratio of %s, %u-byte bus, geometric mean of all traces",
                             compression_kinds[kind], codec_bus_bytes(bus));
    char *name = mem_printf("ratios-%s-%u", compression_kinds[kind], codec_bus_bytes(bus));
    plot_init(&plot, PLOT_BARS, title, "bytes in / bytes out");
    plot.note = "in parentheses: latency in cycles";
    plot.mark = 1;
    for (size_t c = 0; c < study->machines->count; c++)
        plot_add_series(&plot, study->machines->items[c]);
    for (uint32_t i = 0; i < count; i++) {
        double *values = mem_array(plot.series.count + 1, sizeof *values);
        for (size_t c = 0; c < plot.series.count; c++) {
            const double ratio = codec_study_geometric(study, c, bus, kind, codec_of[i]);
            values[c] = ratio > 0 ? ratio : (double)NAN;
        }
        char *group =
            mem_printf("%s (%u)", codecs[codec_of[i]]->name, codec_latency(codecs[codec_of[i]]));
        plot_add(&plot, group, values);
        free(values);
        free(group);
    }
    return write_named(&plot, to, name, title, err);
}

/* Plots frame rate and memory traffic with codecs, relative to no codecs. */
static bool
chart_machine(const struct codec_study *study, const struct study *to, struct error *err)
{
    struct plot rate, traffic;
    plot_init(&rate, PLOT_BARS, "Frame rate and memory traffic with codecs, relative to no codecs",
              "with codecs / without codecs");
    rate.mark = 1;
    plot_add_series(&rate, "frame rate");
    plot_add_series(&rate, "memory traffic");
    plot_init(&traffic, PLOT_STACKED, "Memory traffic without (-) and with (+) codecs",
              "MB per frame");
    for (uint32_t i = 0; i < TRAFFIC_CLIENTS; i++)
        plot_add_series(&traffic, traffic_clients[i]);
    for (size_t t = 0; t < study->traces->count; t++)
        for (size_t c = 0; c < study->machines->count; c++) {
            const struct codec_study_result *of[2] = {codec_study_plain(study, t, c),
                                                      codec_study_machine(study, t, c)};
            double values[TRAFFIC_CLIENTS], sums[2] = {0, 0};
            if (!of[1]->is_there)
                continue;
            char *name = name_run(study, t, c);
            for (uint32_t i = 0; i < 2; i++) {
                char *group = mem_printf("%s %c", name, "-+"[i]);
                traffic_of(of[i], values);
                for (uint32_t s = 0; s < TRAFFIC_CLIENTS; s++)
                    sums[i] += values[s];
                plot_add(&traffic, group, values);
                free(group);
            }
            values[0] = of[0]->frame_rate > 0 ? of[1]->frame_rate / of[0]->frame_rate : (double)NAN;
            values[1] = sums[0] > 0 ? sums[1] / sums[0] : (double)NAN;
            plot_add(&rate, name, values);
            free(name);
        }
    const bool ok = write_plot(&rate, to, "machine-gain", err);
    return write_plot(&traffic, to, "machine-traffic", ok ? err : NULL) && ok;
}

bool
codec_study_write_charts(const struct codec_study *study, const struct study *to, struct error *err)
{
    bool ok = true;
    for (size_t t = 0; ok && t < study->traces->count; t++)
        ok = chart_traffic(study, t, to, err);
    for (uint32_t bus = 0; bus < CODEC_BUSES; bus++)
        for (uint32_t kind = 0; ok && kind < COMPRESSION_KINDS; kind++)
            ok = chart_levels(study, bus, kind, to, err) && chart_ratios(study, bus, kind, to, err);
    return ok && chart_machine(study, to, err);
}
