/* What the runs of the study of frame-buffer compression gave (docs/design/compression.md,
 * Offline), and the tables, CSV files, JSON and plots made of that. study/compression.c has them
 * done and reads them.
 */
#ifndef AETIUS_STUDY_CODEC_STUDY_H
#define AETIUS_STUDY_CODEC_STUDY_H

#include "analysis/compression.h"
#include "study/study.h"
#include "study/traffic_clients.h"
#include "sweep/plan.h"

/* What a run gave: frames of a trace in a configuration, with codecs in the machine or none. */
struct codec_study_result {
    bool is_there;
    uint32_t frames;
    uint64_t cycles;
    double frame_rate; /* at the GPU's clock */
    uint64_t bytes[TRAFFIC_CLIENTS];
    struct compression buses[CODEC_BUSES]; /* the blocks that crossed, by all codecs */
};

/* Whether the bytes that the memory controller counted for z and color are those of the blocks by
 * these codecs (NULL: none). */
bool codec_study_result_check(const struct codec_study_result *result,
                              const struct codec *const codec_of[], struct error *err);

struct codec_study {
    const struct word_list *traces, *machines; /* their names */
    const char *preset;                        /* for JSON */
    const struct word_list *chosen_over;       /* machines over which the best codecs are chosen */
    const char *wanted[COMPRESSION_KINDS];     /* a codec's name, or "best" */
    struct codec_study_result *plain;          /* [trace * machines + machine], without codec */
    struct codec_study_result *machine;        /* the same, with codecs; most are not there */
    const struct codec *chosen[COMPRESSION_KINDS]; /* NULL: nothing to choose from */
};

const struct codec_study_result *codec_study_plain(const struct codec_study *study, size_t trace,
                                                   size_t configuration);
const struct codec_study_result *codec_study_machine(const struct codec_study *study, size_t trace,
                                                     size_t configuration);

/* The blocks of all traces together. */
struct compression codec_study_sum(const struct codec_study *study, size_t configuration,
                                   enum codec_bus bus);
/* How many of the traces move blocks of the kind. */
uint32_t codec_study_movers(const struct codec_study *study, size_t configuration, uint32_t kind);

/* Ratio of bytes in to bytes out; 0: the codec has nothing to say of these blocks, or nothing
 * moved. */
double codec_study_ratio(const struct codec_study *study, size_t trace, size_t configuration,
                         enum codec_bus bus, uint32_t kind, uint32_t codec);
/* Means over the traces that have a ratio; 0: none has. */
double codec_study_geometric(const struct codec_study *study, size_t configuration,
                             enum codec_bus bus, uint32_t kind, uint32_t codec);
double codec_study_arithmetic(const struct codec_study *study, size_t configuration,
                              enum codec_bus bus, uint32_t kind, uint32_t codec);
/* Codecs that apply to a kind, the best first: by the geometric mean over all configurations, those
 * that have none in some configuration last. Returns how many. */
uint32_t codec_study_rank(const struct codec_study *study, enum codec_bus bus, uint32_t kind,
                          uint32_t codec_of[CODEC_COUNT]);
double codec_study_overall(const struct codec_study *study, enum codec_bus bus, uint32_t kind,
                           uint32_t codec);
/* 1 for the best of a configuration; 0: it has no ratio there. */
uint32_t codec_study_place(const struct codec_study *study, size_t configuration,
                           enum codec_bus bus, uint32_t kind, uint32_t codec);
/* Whether the machine can have the codec. */
bool codec_study_fits(uint32_t kind, const struct codec *codec);
/* Fills `chosen`: what is wanted, or the best over `chosen_over` of those that `can` be in the
 * machine.
 */
void codec_study_choose(struct codec_study *study,
                        bool (*can)(uint32_t kind, const struct codec *codec));

/* Into the study's folder: *.csv, *.svg and compression.json. */
bool codec_study_write(const struct codec_study *study, const struct study *to, struct error *err);
/* The text of DIR/tables.md and of DIR/compression.json; the caller frees. */
char *codec_study_tables(const struct codec_study *study);
char *codec_study_to_json(const struct codec_study *study);
bool codec_study_write_csv(const struct codec_study *study, const struct study *to,
                           struct error *err);
bool codec_study_write_charts(const struct codec_study *study, const struct study *to,
                              struct error *err);

#endif
