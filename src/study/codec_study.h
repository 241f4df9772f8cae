/* Results of the study of frame-buffer compression (docs/design/compression.md, Offline), and its
 * tables, CSV files, JSON and plots. study/compression.c executes and reads the runs. */
#ifndef AETIUS_STUDY_CODEC_STUDY_H
#define AETIUS_STUDY_CODEC_STUDY_H

#include "analysis/compression.h"
#include "study/study.h"
#include "study/traffic_clients.h"
#include "sweep/plan.h"

/* Result of a run: frames of a trace in a configuration, with or without codecs in the machine. */
struct codec_study_result {
    bool is_there;
    uint32_t frames;
    uint64_t cycles;
    double frame_rate; /* frames per second at the GPU's clock */
    uint64_t bytes[TRAFFIC_CLIENTS];
    struct compression buses[CODEC_BUSES]; /* transferred blocks, with the results of all codecs */
};

/* Checks that the memory controller's bytes of z and color equal those of the blocks with these
 * codecs. A codec of NULL: no codec. */
bool codec_study_result_check(const struct codec_study_result *result,
                              const struct codec *const codec_of[], struct error *err);

struct codec_study {
    const struct word_list *traces, *machines; /* names of the study's traces and machines */
    const char *preset;                        /* for JSON */
    const struct word_list *chosen_over;       /* machines over which the best codecs are chosen */
    const char *wanted[COMPRESSION_KINDS];     /* name of a codec, or "best" */
    struct codec_study_result *plain;   /* without codecs; index: trace * machines + machine */
    struct codec_study_result *machine; /* with codecs, same index; most elements are empty */
    const struct codec *chosen[COMPRESSION_KINDS]; /* NULL: no candidate */
    const struct codec_study *curves; /* inputs of curves, in no mean; has no `machine` */
};

const struct codec_study_result *codec_study_plain(const struct codec_study *study, size_t trace,
                                                   size_t configuration);
const struct codec_study_result *codec_study_machine(const struct codec_study *study, size_t trace,
                                                     size_t configuration);

/* The sum of blocks over all traces. */
struct compression codec_study_sum(const struct codec_study *study, size_t configuration,
                                   enum codec_bus bus);
/* Number of traces that transfer blocks of the kind. */
uint32_t codec_study_movers(const struct codec_study *study, size_t configuration, uint32_t kind);

/* Compression ratio: input bytes / output bytes. 0: the codec does not apply, or no block was
 * transferred. */
double codec_study_ratio(const struct codec_study *study, size_t trace, size_t configuration,
                         enum codec_bus bus, uint32_t kind, uint32_t codec);
/* Means over the traces that have a ratio; 0 if no trace has one. */
double codec_study_geometric(const struct codec_study *study, size_t configuration,
                             enum codec_bus bus, uint32_t kind, uint32_t codec);
double codec_study_arithmetic(const struct codec_study *study, size_t configuration,
                              enum codec_bus bus, uint32_t kind, uint32_t codec);
/* Ranks the codecs of a kind by their geometric mean over all configurations, best first. Codecs
 * without a mean in some configuration come last. Returns the number of codecs. */
uint32_t codec_study_rank(const struct codec_study *study, enum codec_bus bus, uint32_t kind,
                          uint32_t codec_of[CODEC_COUNT]);
double codec_study_overall(const struct codec_study *study, enum codec_bus bus, uint32_t kind,
                           uint32_t codec);
/* Rank of a codec in a configuration, from 1; 0: the codec has no ratio there. */
uint32_t codec_study_place(const struct codec_study *study, size_t configuration,
                           enum codec_bus bus, uint32_t kind, uint32_t codec);
/* Whether the machine supports the codec. */
bool codec_study_fits(uint32_t kind, const struct codec *codec);
/* Sets `chosen` to the wanted codecs. For "best", chooses the best codec over `chosen_over` for
 * which `can` returns true. */
void codec_study_choose(struct codec_study *study,
                        bool (*can)(uint32_t kind, const struct codec *codec));

/* Writes *.csv, *.svg and compression.json to the study's folder. */
bool codec_study_write(const struct codec_study *study, const struct study *to, struct error *err);
/* Contents of DIR/compression.md and DIR/compression.json. The caller frees the results. */
char *codec_study_tables(const struct codec_study *study);
char *codec_study_to_json(const struct codec_study *study);
/* Contents of DIR/traces.md: color blocks and bytes by size, for each trace and configuration. The
 * caller frees it. */
char *codec_study_trace_tables(const struct codec_study *study);
/* Adds a cell with two decimals; 10 and above: one decimal, 100 and above: none. */
void codec_study_put_megabytes(struct text_table *table, double megabytes);
/* Prints the ratios next to those of compression 2008, and the pairs of codecs in another order.
 * Prints nothing if the study has none of the configurations x0, x2, x4 and x8. */
void codec_study_print_published(const struct codec_study *study, FILE *out);
/* The same as a table with one value per row, for DIR/published.csv. */
void codec_study_put_published(const struct codec_study *study, struct text_table *table);
/* The ratios of `curves` over the values in the names of their inputs: tables and charts for the
 * machines of `chosen_over`, and rows for DIR/curves.csv for all machines. */
void codec_study_print_curves(const struct codec_study *curves, FILE *out);
bool codec_study_write_curves(const struct codec_study *curves, const struct study *to,
                              struct error *err);
void codec_study_put_curves(const struct codec_study *curves, struct text_table *table);
bool codec_study_write_csv(const struct codec_study *study, const struct study *to,
                           struct error *err);
bool codec_study_write_charts(const struct codec_study *study, const struct study *to,
                              struct error *err);
/* Writes charts-64/TRACE-CONFIGURATION-traffic.svg and -blocks.svg, and the same in charts-32. */
bool codec_study_write_trace_charts(const struct codec_study *study, const struct study *to,
                                    struct error *err);

#endif
