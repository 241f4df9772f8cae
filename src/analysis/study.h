/* The study of frame-buffer compression (spec: compression.md): what its runs gave, and the tables,
 * CSV files, JSON and plots made of that. cmd/study.c does the runs. */
#ifndef AETIUS_ANALYSIS_STUDY_H
#define AETIUS_ANALYSIS_STUDY_H

#include "analysis/compression.h"
#include "analysis/study_plan.h"

/* Who moves bytes between the GPU and memory. */
enum study_client {
    STUDY_TRANSFERS, /* uploads and copies */
    STUDY_GEOMETRY,
    STUDY_TEXTURE,
    STUDY_Z,
    STUDY_COLOR,
    STUDY_DAC,
    STUDY_CLIENTS
};
extern const char *const study_clients[STUDY_CLIENTS];
extern const char *const study_kinds[COMPRESSION_KINDS]; /* "color", "z" */

/* What a run gave: frames of a trace in a configuration, with codecs in the machine or none. */
struct study_result {
    bool is_there;
    uint32_t frames;
    uint64_t cycles;
    double frame_rate; /* at the GPU's clock */
    uint64_t bytes[STUDY_CLIENTS];
    struct compression buses[CODEC_BUSES]; /* the blocks that crossed, by all codecs */
};

/* `key` says of what it is the result; a file of another key is no error, but leaves *result not
 * there. */
bool study_result_read(struct study_result *result, const char *path, const char *key,
                       struct error *err);
bool study_result_write(const struct study_result *result, const char *path, const char *key,
                        struct error *err);
/* Whether the bytes that the memory controller counted for z and color are those of the blocks by
 * these codecs (NULL: none). */
bool study_result_check(const struct study_result *result, const struct codec *const codec_of[],
                        struct error *err);

struct study {
    const struct study_plan *plan;
    struct study_result *plain;   /* [trace * configurations + configuration], without codec */
    struct study_result *machine; /* the same, with codecs; most are not there */
    const struct codec *chosen[COMPRESSION_KINDS]; /* NULL: nothing to choose from */
};

const struct study_result *study_plain(const struct study *study, size_t trace,
                                       size_t configuration);
const struct study_result *study_machine(const struct study *study, size_t trace,
                                         size_t configuration);

/* The blocks of all traces together. */
struct compression study_sum(const struct study *study, size_t configuration, enum codec_bus bus);
/* How many of the traces move blocks of the kind. */
uint32_t study_movers(const struct study *study, size_t configuration, uint32_t kind);

/* Ratio of bytes in to bytes out; 0: the codec has nothing to say of these blocks, or nothing
 * moved. */
double study_ratio(const struct study *study, size_t trace, size_t configuration,
                   enum codec_bus bus, uint32_t kind, uint32_t codec);
/* Means over the traces that have a ratio; 0: none has. */
double study_geometric(const struct study *study, size_t configuration, enum codec_bus bus,
                       uint32_t kind, uint32_t codec);
double study_arithmetic(const struct study *study, size_t configuration, enum codec_bus bus,
                        uint32_t kind, uint32_t codec);
/* Codecs that apply to a kind, the best first: by the geometric mean over all configurations, those
 * that have none in some configuration last. Returns how many. */
uint32_t study_rank(const struct study *study, enum codec_bus bus, uint32_t kind,
                    uint32_t codec_of[CODEC_COUNT]);
double study_overall(const struct study *study, enum codec_bus bus, uint32_t kind, uint32_t codec);
/* 1 for the best of a configuration; 0: it has no ratio there. */
uint32_t study_place(const struct study *study, size_t configuration, enum codec_bus bus,
                     uint32_t kind, uint32_t codec);
/* Fills `chosen`: named by the plan, or the best over the plan's configurations in the machine of
 * those that `can` be there. */
void study_choose(struct study *study, bool (*can)(uint32_t kind, const struct codec *codec));

/* Into the folder: tables.md, *.csv, *.svg and compression.json. */
bool study_write(const struct study *study, const char *dir, struct error *err);
/* The text of tables.md and of compression.json; the caller frees. */
char *study_tables(const struct study *study);
char *study_to_json(const struct study *study);
bool study_write_csv(const struct study *study, const char *dir, struct error *err);
bool study_write_charts(const struct study *study, const char *dir, struct error *err);

#endif
