/* Compares the color ratios with those of compression 2008 (table 4.6): six codecs, a 64-byte bus,
 * arithmetic mean over the traces. */
#include "study/codec_study.h"

#include <stdio.h>
#include <string.h>

enum { CONFIGURATIONS = 4, CODECS = 6 };

static const char *const configurations[CONFIGURATIONS] = {"x0", "x2", "x4", "x8"};

/* Source: compression 2008, table 4.6. */
static const struct {
    const struct codec *codec;
    double ratio[CONFIGURATIONS];
} published[CODECS] = {
    {&codec_hilo, {1.77, 1.83, 1.92, 2.03}},     {&codec_hilore, {1.85, 1.94, 2.08, 2.28}},
    {&codec_hilorebi, {1.87, 1.96, 2.13, 2.41}}, {&codec_hilore4ref, {2.00, 2.12, 2.32, 2.62}},
    {&codec_comp, {1.83, 1.92, 2.04, 2.21}},     {&codec_msaa, {1.46, 1.81, 2.49, 3.73}},
};

/* Ratios of a configuration, in the order of `published`. */
struct comparison {
    const char *name;
    double published[CODECS], arithmetic[CODECS], geometric[CODECS];
};

static uint32_t
number_of(const struct codec *codec)
{
    uint32_t number = 0;
    while (codecs[number] != codec)
        number++;
    return number;
}

/* Returns false if the study lacks the configuration, or if a codec has no ratio in it. */
static bool
compare(const struct codec_study *study, uint32_t configuration, struct comparison *result)
{
    size_t machine = 0;
    result->name = configurations[configuration];
    while (machine < study->machines->count &&
           strcmp(study->machines->items[machine], result->name) != 0)
        machine++;
    if (machine == study->machines->count)
        return false;
    for (uint32_t i = 0; i < CODECS; i++) {
        const uint32_t codec = number_of(published[i].codec);
        result->published[i] = published[i].ratio[configuration];
        result->arithmetic[i] =
            codec_study_arithmetic(study, machine, CODEC_BUS_64, COMPRESSION_COLOR, codec);
        result->geometric[i] =
            codec_study_geometric(study, machine, CODEC_BUS_64, COMPRESSION_COLOR, codec);
        if (result->arithmetic[i] <= 0)
            return false;
    }
    return true;
}

/* Rank of a codec, from 1. */
static uint32_t
rank_of(const double ratios[CODECS], uint32_t codec)
{
    uint32_t rank = 1;
    for (uint32_t i = 0; i < CODECS; i++)
        rank += ratios[i] > ratios[codec];
    return rank;
}

/* Formats the codecs, best first. */
static void
put_order(const double ratios[CODECS], struct text_table *table)
{
    char order[CODECS * 16] = "";
    size_t length = 0;
    for (uint32_t rank = 1; rank <= CODECS; rank++)
        for (uint32_t i = 0; i < CODECS; i++)
            if (rank_of(ratios, i) == rank)
                length += (size_t)snprintf(order + length, sizeof order - length, "%s%s",
                                           length ? ", " : "", published[i].codec->name);
    text_table_cell(table, "%s", order);
}

/* Formats the pairs whose order differs, the codec that is better here first. */
static void
put_inversions(const struct comparison *of, struct text_table *table)
{
    char text[CODECS * CODECS * 24] = "";
    size_t length = 0;
    for (uint32_t a = 0; a < CODECS; a++)
        for (uint32_t b = 0; b < CODECS; b++)
            if (of->arithmetic[a] > of->arithmetic[b] && of->published[a] < of->published[b])
                length += (size_t)snprintf(text + length, sizeof text - length, "%s%s > %s",
                                           length ? ", " : "", published[a].codec->name,
                                           published[b].codec->name);
    text_table_cell(table, "%s", length ? text : "none");
}

void
codec_study_print_published(const struct codec_study *study, FILE *out)
{
    struct text_table ratios = {0}, orders = {0};
    struct comparison all[CONFIGURATIONS];
    uint32_t count = 0;
    for (uint32_t c = 0; c < CONFIGURATIONS; c++)
        count += compare(study, c, &all[count]);
    if (!count)
        return;
    text_table_cells(&ratios, "codec");
    for (uint32_t c = 0; c < count; c++) {
        text_table_cell(&ratios, "%s, 2008", all[c].name);
        text_table_cells(&ratios, "here|geometric");
    }
    text_table_end_row(&ratios);
    for (uint32_t i = 0; i < CODECS; i++) {
        text_table_cell(&ratios, "%s", published[i].codec->name);
        for (uint32_t c = 0; c < count; c++) {
            text_table_cell(&ratios, "%.2f (%u)", all[c].published[i],
                            rank_of(all[c].published, i));
            text_table_cell(&ratios, "%.2f (%u)", all[c].arithmetic[i],
                            rank_of(all[c].arithmetic, i));
            text_table_cell(&ratios, "%.2f", all[c].geometric[i]);
        }
        text_table_end_row(&ratios);
    }
    text_table_cells(&orders, "configuration|order in 2008|order here|better here, worse in 2008");
    text_table_end_row(&orders);
    for (uint32_t c = 0; c < count; c++) {
        text_table_cell(&orders, "%s", all[c].name);
        put_order(all[c].published, &orders);
        put_order(all[c].arithmetic, &orders);
        put_inversions(&all[c], &orders);
        text_table_end_row(&orders);
    }
    fprintf(out,
            "\n## Comparison with compression 2008\n\nRatios of color on a 64-byte bus: "
            "table 4.6 of compression 2008, and the arithmetic mean here.\n"
            "In brackets: rank among these six codecs. The geometric mean is also that of this "
            "study.\n\n");
    text_table_put(&ratios, TEXT_TABLE_MARKDOWN, out);
    fputc('\n', out);
    text_table_put(&orders, TEXT_TABLE_MARKDOWN, out);
}

void
codec_study_put_published(const struct codec_study *study, struct text_table *table)
{
    text_table_cells(table, "configuration|codec|published|published_rank|arithmetic|rank|"
                            "geometric");
    text_table_end_row(table);
    for (uint32_t c = 0; c < CONFIGURATIONS; c++) {
        struct comparison of;
        for (uint32_t i = 0; compare(study, c, &of) && i < CODECS; i++) {
            text_table_cell(table, "%s", of.name);
            text_table_cell(table, "%s", published[i].codec->name);
            text_table_cell(table, "%.2f", of.published[i]);
            text_table_cell(table, "%u", rank_of(of.published, i));
            text_table_cell(table, "%.6f", of.arithmetic[i]);
            text_table_cell(table, "%u", rank_of(of.arithmetic, i));
            text_table_cell(table, "%.6f", of.geometric[i]);
            text_table_end_row(table);
        }
    }
}
