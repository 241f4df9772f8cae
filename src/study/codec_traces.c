/* Tables and charts of each trace and configuration, as compression 2008 has them (section 4.6):
 * the color blocks of each codec by size, and the bytes that they move. */
#include "analysis/plot.h"
#include "base/file.h"
#include "study/codec_study.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_SIZES = CODEC_BLOCK_BYTES / 32 };

/* The blocks of a codec by size. Plain blocks count as uncompressed. */
struct by_size {
    const char *name; /* codec, or "none" */
    uint64_t blocks[MAX_SIZES];
};

/* Fills `of` with "none" and all color codecs that moved blocks, in the order of codecs.def.
 * Returns their number. */
static uint32_t
count_sizes(const struct codec_study *study, size_t trace, size_t configuration, enum codec_bus bus,
            struct by_size of[CODEC_COUNT + 1])
{
    const struct compression *blocks = &codec_study_plain(study, trace, configuration)->buses[bus];
    const struct compression_kind *tally = &blocks->kinds[COMPRESSION_COLOR];
    const uint32_t sizes = CODEC_BLOCK_BYTES / codec_bus_bytes(bus);
    uint32_t count = 1;
    of[0] = (struct by_size){.name = "none"};
    of[0].blocks[sizes - 1] = tally->transfers - tally->cleared;
    for (uint32_t c = 0; c < CODEC_COUNT; c++) {
        uint64_t by_32[CODEC_BLOCK_BYTES / 32 + 1];
        if (!compression_applies(blocks, COMPRESSION_COLOR, c))
            continue;
        compression_by_size(blocks, COMPRESSION_COLOR, c, by_32);
        of[count] = (struct by_size){.name = codecs[c]->name};
        for (uint32_t s = 0; s < sizes; s++)
            of[count].blocks[s] = by_32[(s + 1) * codec_bus_bytes(bus) / 32];
        of[count].blocks[sizes - 1] += tally->plain;
        count++;
    }
    return count > 1 ? count : 0;
}

static void
put_head(const struct by_size *of, uint32_t count, struct text_table *table)
{
    text_table_cell(table, "size");
    for (uint32_t i = 0; i < count; i++)
        text_table_cell(table, "%s", of[i].name);
    text_table_end_row(table);
}

static void
print_blocks(const struct by_size *of, uint32_t count, enum codec_bus bus, FILE *out)
{
    struct text_table table = {0};
    put_head(of, count, &table);
    for (uint32_t s = 0; s < CODEC_BLOCK_BYTES / codec_bus_bytes(bus); s++) {
        text_table_cell(&table, "%u", (s + 1) * codec_bus_bytes(bus));
        for (uint32_t i = 0; i < count; i++)
            text_table_cell(&table, "%" PRIu64, of[i].blocks[s]);
        text_table_end_row(&table);
    }
    text_table_put(&table, TEXT_TABLE_MARKDOWN, out);
}

static double
megabytes(uint64_t blocks, uint32_t bytes)
{
    return (double)blocks * bytes / 1e6;
}

static void
print_output(const struct by_size *of, uint32_t count, enum codec_bus bus, FILE *out)
{
    double total[CODEC_COUNT + 1] = {0};
    struct text_table table = {0};
    put_head(of, count, &table);
    for (uint32_t s = 0; s < CODEC_BLOCK_BYTES / codec_bus_bytes(bus); s++) {
        const uint32_t bytes = (s + 1) * codec_bus_bytes(bus);
        text_table_cell(&table, "%u", bytes);
        for (uint32_t i = 0; i < count; i++) {
            total[i] += megabytes(of[i].blocks[s], bytes);
            codec_study_put_megabytes(&table, megabytes(of[i].blocks[s], bytes));
        }
        text_table_end_row(&table);
    }
    text_table_cell(&table, "total");
    for (uint32_t i = 0; i < count; i++)
        codec_study_put_megabytes(&table, total[i]);
    text_table_end_row(&table);
    text_table_put(&table, TEXT_TABLE_MARKDOWN, out);
}

char *
codec_study_trace_tables(const struct codec_study *study)
{
    struct memory_text text;
    FILE *out = memory_text_open(&text);
    fprintf(out,
            "# Color blocks of each trace by size\n\nThe tables have the color blocks that move in "
            "each trace and configuration, 64-byte bus: their\n"
            "number by size (table 4.4 of compression 2008), and the bytes that they move in MB "
            "(table 4.5).\nBlocks that no "
            "codec may touch have %u bytes. `charts-64` and `charts-32` have the same as charts.\n",
            CODEC_BLOCK_BYTES);
    for (size_t t = 0; t < study->traces->count; t++)
        for (size_t c = 0; c < study->machines->count; c++) {
            struct by_size of[CODEC_COUNT + 1];
            const uint32_t count = count_sizes(study, t, c, CODEC_BUS_64, of);
            if (!count)
                continue;
            fprintf(out, "\n## %s, %s\n\nBlocks:\n\n", study->traces->items[t],
                    study->machines->items[c]);
            print_blocks(of, count, CODEC_BUS_64, out);
            fprintf(out, "\nMB:\n\n");
            print_output(of, count, CODEC_BUS_64, out);
        }
    return memory_text_take(&text);
}

/* Draws the bytes, or the shares of blocks in percent, as one bar per codec. */
static bool
draw(const struct codec_study *study, size_t trace, size_t configuration, enum codec_bus bus,
     bool shares, const struct study *to, struct error *err)
{
    struct by_size of[CODEC_COUNT + 1];
    struct plot plot;
    const uint32_t sizes = CODEC_BLOCK_BYTES / codec_bus_bytes(bus);
    const uint32_t count = count_sizes(study, trace, configuration, bus, of);
    const char *trace_name = study->traces->items[trace];
    const char *machine = study->machines->items[configuration];
    if (!count)
        return true;
    char *name = mem_printf("charts-%u/%s-%s-%s", codec_bus_bytes(bus), trace_name, machine,
                            shares ? "blocks" : "traffic");
    char *title = mem_printf("%s %s, %u-byte bus: %s by size of block", trace_name, machine,
                             codec_bus_bytes(bus), shares ? "blocks" : "color bytes");
    plot_init(&plot, PLOT_STACKED, title, shares ? "% of the blocks that move" : "MB");
    plot.extra = shares ? "set yrange [0:100]" : NULL;
    for (uint32_t s = 0; s < sizes; s++) {
        char *size = mem_printf("%u bytes", (s + 1) * codec_bus_bytes(bus));
        plot_add_series(&plot, size);
        free(size);
    }
    for (uint32_t i = 0; i < count; i++) {
        double values[MAX_SIZES];
        for (uint32_t s = 0; s < sizes; s++)
            values[s] = shares ? 100.0 * (double)of[i].blocks[s] / (double)of[0].blocks[sizes - 1]
                               : megabytes(of[i].blocks[s], (s + 1) * codec_bus_bytes(bus));
        plot_add(&plot, of[i].name, values);
    }
    const bool ok = study_put_plot(to, &plot, name, err);
    plot_fini(&plot);
    free(title);
    free(name);
    return ok;
}

bool
codec_study_write_trace_charts(const struct codec_study *study, const struct study *to,
                               struct error *err)
{
    bool ok = true;
    for (uint32_t bus = 0; ok && bus < CODEC_BUSES; bus++) {
        char *folder = mem_printf("charts-%u", codec_bus_bytes(bus));
        char *path = sweep_path(&to->sweep, folder);
        ok = dir_create(path, err);
        free(path);
        free(folder);
        for (size_t t = 0; t < study->traces->count; t++)
            for (size_t c = 0; ok && c < study->machines->count; c++)
                ok =
                    draw(study, t, c, bus, false, to, err) && draw(study, t, c, bus, true, to, err);
    }
    return ok;
}
