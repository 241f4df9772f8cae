/* The pieces of work of a study: captures, and simulations; those of the study of compression put
 * their blocks through all codecs. Each has a folder (or a file) of its own that is there once it
 * is done, so that a study goes on where it was stopped. */
#ifndef AETIUS_CMD_STUDY_RUNS_H
#define AETIUS_CMD_STUDY_RUNS_H

#include "analysis/study.h"

struct study_run {
    struct study *study;
    const char *dir;
    const char *frames; /* of every trace; NULL: all */
    bool keep_blocks;
};

/* Some work: a label, and a function that does it in a process of its own. */
struct study_job {
    char *label;
    bool (*work)(const struct study_run *run, const struct study_job *job, struct error *err);
    size_t trace, configuration; /* of a simulation; a capture's source is `trace` */
    bool in_machine;
    uint32_t ideal; /* enum ideal_number: that is ideal; IDEALS: none */
};

/* Where a trace lies: a file of the user's, or in the study's folder; the caller frees. */
char *study_trace_path(const struct study_run *run, size_t trace);
/* Whether a source has to be captured. */
bool study_lacks_source(const struct study_run *run, size_t source);
bool study_capture(const struct study_run *run, const struct study_job *job, struct error *err);
/* All that have to be, `limit` at a time. */
bool study_capture_all(const struct study_run *run, uint32_t limit, struct error *err);

/* Reads a simulation's result; it is not there when it has to be done. */
bool study_read_run(const struct study_run *run, size_t trace, size_t configuration,
                    bool in_machine, struct study_result *result, struct error *err);
bool study_simulate(const struct study_run *run, const struct study_job *job, struct error *err);

/* Whether the machine can have the codec. */
bool study_codec_fits(uint32_t kind, const struct codec *codec);

/* Does all jobs, `limit` at a time; their output goes to DIR/logs. Goes on after a failure, and
 * then fails with the first one's words. */
bool study_do(const struct study_run *run, const struct study_job *jobs, size_t count,
              uint32_t limit, const char *what, struct error *err);

/* ---- the study of verdicts (study_verdicts.c) ---- */

/* Simulates each trace on each configuration's machine, then with each resource ideal that is
 * accused, and writes DIR/verdicts.md and verdicts.csv. */
bool study_verdicts(const struct study_run *run, uint32_t limit, bool force, bool json,
                    struct error *err);

#endif
